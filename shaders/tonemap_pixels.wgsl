// Tone mapping in compute, for pictures that the software rasterizer draws: same result as tonemap.wgsl.

import package::shared::tone::displayed;

@group(1) @binding(0) var shown_hdr: texture_2d<f32>;
@group(1) @binding(1) var display_values: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn tonemap_pixels(@builtin(global_invocation_id) at: vec3<u32>) {
    if any(at.xy >= textureDimensions(shown_hdr)) {
        return;
    }
    let scene = textureLoad(shown_hdr, at.xy, 0).rgb;
    textureStore(display_values, at.xy, vec4<f32>(displayed(scene, vec2<f32>(at.xy) + 0.5), 1.0));
}
