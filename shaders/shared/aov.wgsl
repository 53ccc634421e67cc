// Uniforms and constants that the AOV passes share.

/// Parameters of a draw.
struct AovUniforms { // shared with Rust
    /// Projection of the next picture, from world space.
    next_from_world: mat4x4<f32>,
    /// Size of the picture (px).
    size: vec2<f32>,
    /// Id of the first instance of a draw.
    first_id: u32,
    /// Number of hero rows of this frame; those of the next frame follow.
    next_hero_row: u32,
    /// Number of the only instance of a list that is drawn; [`EVERYBODY`] draws all.
    only: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
}

const EVERYBODY = 0xffffffffu;
// Clip-space position outside of every view frustum.
const OUTSIDE_CLIP_SPACE = vec4<f32>(2.0, 2.0, 0.5, 1.0); // shader only

@if(!aov_background && !raster_ids) @group(3) @binding(0) var<uniform> aov: AovUniforms;
// A storage buffer: Mesa 22.3's lavapipe crashes at branches that depend on the fourth or a later uniform buffer of a
// stage.
@if(raster_ids) @group(3) @binding(7) var<storage, read> aov: AovUniforms;
// The background has no character and no crowd: group 1 is free.
@if(aov_background) @group(1) @binding(0) var<uniform> aov: AovUniforms;

// Id bits of attachments and scenery; instances have neither.
const ID_ATTACHMENT = 0x40000000u;
const ID_SCENERY = 0x80000000u;

// Motion vector of points that the next frame has at the camera's back: undefined.
const NOWHERE = 1e30; // shader only

// Motion vector (px, right and down) from a pixel to its point's position in the next frame.
fn moved(pixel: vec2<f32>, next: vec4<f32>) -> vec2<f32> {
    if next.w <= 0.0 {
        return vec2<f32>(NOWHERE);
    }
    let unit = vec2<f32>(0.5, 0.5) + vec2<f32>(0.5, -0.5) * (next.xy / next.w);
    return unit * aov.size - pixel;
}
