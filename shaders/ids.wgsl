// Who is at the centre of every pixel, and how far: what was drawn by the software rasterizer (`raster_ids` of
// rasterise.wgsl) among what the hardware rasterizer drew of the rest, with `ground` before the ground, which is
// nobody.

import package::shared::frame::frame;
import package::shared::ground_point::{ground_at, ray_through};
import package::shared::raster::{RasterUniforms, key_depth};

@group(1) @binding(0) var<uniform> told: RasterUniforms;
// Low and high halves of what was rasterised.
@group(1) @binding(1) var<storage, read> told_words: array<vec2<u32>>;
@group(1) @binding(2) var drawn_ids: texture_2d<u32>;
@group(1) @binding(3) var drawn_depth: texture_2d<f32>;
@group(1) @binding(4) var shown_ids: texture_storage_2d<r32uint, write>;
// Metres along the camera's axis; 0 where there is nothing.
@group(1) @binding(5) var shown_depth: texture_storage_2d<r32float, write>;

@compute @workgroup_size(8, 8)
fn show_ids(@builtin(global_invocation_id) at: vec3<u32>) {
    let pixel = at.xy;
    if any(pixel >= told.size) {
        return;
    }
    var id = textureLoad(drawn_ids, pixel, 0).r;
    var depth = textureLoad(drawn_depth, pixel, 0).r;
    let word = told_words[pixel.y * told.size.x + pixel.x];
    // Of equal depths the later wins: first people, then the ground.
    if word.y != 0u && key_depth(word.y) >= depth {
        id = word.x;
        depth = key_depth(word.y);
    }
    @if(ground) {
        let below = ground_at(ray_through(vec2<f32>(pixel) + 0.5, told.size));
        if below.depth >= depth {
            id = 0u;
            depth = below.depth;
        }
    }
    // Reversed and infinite: in clip space every point has the near distance as its z.
    let near = frame.projection_from_world[3].z;
    textureStore(shown_ids, pixel, vec4<u32>(id, 0u, 0u, 0u));
    textureStore(shown_depth, pixel, vec4<f32>(select(0.0, near / depth, depth > 0.0), 0.0, 0.0, 0.0));
}
