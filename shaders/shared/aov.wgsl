// What passes that measure a picture share.

// Mirrored by TruthUniforms in render/passes/aov/mod.rs.
struct AovUniforms {
    // projection of the next picture, from world space
    next_from_world: mat4x4<f32>,
    // pixels
    size: vec2<f32>,
    // id of the first instance of a draw
    first_id: u32,
    // rows of heroes' runs before those of the next moment
    next_hero_row: u32,
    // of a list: the instance that alone is drawn, or EVERYBODY
    only: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
}

const EVERYBODY = 0xffffffffu;
// Outside of every picture.
const OUTSIDE_CLIP_SPACE = vec4<f32>(2.0, 2.0, 0.5, 1.0);

@if(!aov_background && !raster_ids) @group(3) @binding(0) var<uniform> aov: AovUniforms;
// Not a uniform: Mesa 22.3's lavapipe crashes at branches that depend on the fourth uniform buffer of a stage and on
// more.
@if(raster_ids) @group(3) @binding(7) var<storage, read> aov: AovUniforms;
// Ground and sky are of no character and no crowd.
@if(aov_background) @group(1) @binding(0) var<uniform> aov: AovUniforms;

// Kinds of ids; people have none of these bits.
const ID_ATTACHMENT = 0x40000000u;
const ID_SCENERY = 0x80000000u;

// Motion of a point that is behind the camera in the next picture: there is none.
const NOWHERE = 1e30;

// From a pixel to where its point is in the next picture, right and down.
fn moved(pixel: vec2<f32>, next: vec4<f32>) -> vec2<f32> {
    if next.w <= 0.0 {
        return vec2<f32>(NOWHERE);
    }
    let unit = vec2<f32>(0.5, 0.5) + vec2<f32>(0.5, -0.5) * (next.xy / next.w);
    return unit * aov.size - pixel;
}
