// Constants of one character, and the size of its crowd. Rust side: render/resources/character.rs.
//
// Unit space has the character's centre as origin and its half extent as 1. Encodings of 16 bits then have one relative
// error at any size.

/// Constants of one character, and the size of its crowd.
struct CharacterUniforms { // shared with Rust
    /// Unit-space position of quantised 0: unit position = offset + q * scale, q the three unorm16 of the packed
    /// vertex.
    position_offset: vec4<f32>,
    /// Unit-space extent of quantised 1.
    position_scale: vec4<f32>,
    /// Texture coordinates of quantised 0: uv = offset + q * scale, q the two unorm16 of the packed vertex.
    uv_offset: vec2<f32>,
    /// Extent of texture coordinates of quantised 1.
    uv_scale: vec2<f32>,
    /// Centre of the unit space (m): model position = centre + unit position * half extent.
    unit_centre: vec3<f32>,
    /// Half extent of the unit space (m).
    unit_half_extent: f32,
    /// See `Atlas::decode_min`. A stored value q of a matrix (row-major, 3x4) decodes as min + q * size.
    decode_min: array<vec4<f32>, 3>,
    /// See `Atlas::decode_size`.
    decode_size: array<vec4<f32>, 3>,
    /// Palette slots per frame.
    slot_count: u32,
    /// Number of clips.
    clip_count: u32,
    /// Number of vertices.
    vertex_count: u32,
    /// Number of instances of this crowd.
    instance_count: u32,
    /// Seed of the crowd.
    seed: u32,
    /// Rows of the table of groups with behaviours.
    group_count: u32,
    /// Rows of the table of paths.
    path_count: u32,
    /// First vertex whose normal holds a bias towards the viewer in its lowest bits (packed.wgsl); see
    /// `CoarserMeshes::first_biased`.
    first_biased: u32,
    /// `position_offset` of the vertices of LODs, which follow those of the full mesh.
    lod_offset: vec4<f32>,
    /// `position_scale` of the vertices of LODs.
    lod_scale: vec4<f32>,
}

@group(1) @binding(0) var<uniform> character: CharacterUniforms;

// From unit space to model space.
fn model_position(unit: vec3<f32>) -> vec3<f32> {
    return unit * character.unit_half_extent + character.unit_centre;
}
