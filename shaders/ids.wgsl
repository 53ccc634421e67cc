// AOV of ids in compute: the instance id at the centre of every pixel, and its depth. Composites the software
// rasterizer's ids (`raster_ids` of rasterise.wgsl) with those of the hardware rasterizer. With `ground` the ground
// occludes, with id 0.

import package::shared::frame::frame;
import package::shared::ground_point::{ground_at, ray_through};
import package::shared::raster::{RasterUniforms, key_depth};

@group(1) @binding(0) var<uniform> ids_uniforms: RasterUniforms;
// Low and high words of each sample: id, depth key.
@group(1) @binding(1) var<storage, read> id_visibility: array<vec2<u32>>;
@group(1) @binding(2) var drawn_ids: texture_2d<u32>;
@group(1) @binding(3) var drawn_depth: texture_2d<f32>;
@group(1) @binding(4) var shown_ids: texture_storage_2d<r32uint, write>;
// Distance along the camera's axis (m); 0: empty.
@group(1) @binding(5) var shown_depth: texture_storage_2d<r32float, write>;

@compute @workgroup_size(8, 8)
fn show_ids(@builtin(global_invocation_id) at: vec3<u32>) {
    let pixel = at.xy;
    if any(pixel >= ids_uniforms.size) {
        return;
    }
    var id = textureLoad(drawn_ids, pixel, 0).r;
    var depth = textureLoad(drawn_depth, pixel, 0).r;
    let word = id_visibility[pixel.y * ids_uniforms.size.x + pixel.x];
    // Draw order decides between equal depths: people first, then the ground.
    if word.y != 0u && key_depth(word.y) >= depth {
        id = word.x;
        depth = key_depth(word.y);
    }
    @if(ground) {
        let below = ground_at(ray_through(vec2<f32>(pixel) + 0.5, ids_uniforms.size));
        if below.depth >= depth {
            id = 0u;
            depth = below.depth;
        }
    }
    // Depth is reversed and infinite, so z in clip space is the near distance for every point.
    let near = frame.projection_from_world[3].z;
    textureStore(shown_ids, pixel, vec4<u32>(id, 0u, 0u, 0u));
    textureStore(shown_depth, pixel, vec4<f32>(select(0.0, near / depth, depth > 0.0), 0.0, 0.0, 0.0));
}
