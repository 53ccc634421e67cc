// Constants of one character, and the size of its crowd. Mirrored by CharacterUniforms in
// render/resources/character.rs.
//
// Unit space has the character's centre as origin and its half extent as 1. Encodings of 16 bits then have one relative
// error at any size.

struct CharacterUniforms {
    // unit position = offset + q * scale, q the three unorm16 of the packed vertex
    position_offset: vec4<f32>,
    position_scale: vec4<f32>,
    // uv = offset + q * scale, q the two unorm16 of the packed vertex
    uv_offset: vec2<f32>,
    uv_scale: vec2<f32>,
    // model position (m) = centre + unit position * half extent
    unit_centre: vec3<f32>,
    unit_half_extent: f32,
    // per matrix element: stored value q decodes as min + q * size (row-major 3x4)
    decode_min: array<vec4<f32>, 3>,
    decode_size: array<vec4<f32>, 3>,
    // palette slots per frame
    slot_count: u32,
    clip_count: u32,
    vertex_count: u32,
    instance_count: u32,
    // seed of the crowd
    seed: u32,
    // rows of the tables: groups with behaviours, paths
    group_count: u32,
    path_count: u32,
    // first vertex whose normal holds a bias towards the viewer in its lowest bits (packed.wgsl)
    first_biased: u32,
    // position_offset and position_scale of LOD vertices, which follow those of the full mesh
    lod_offset: vec4<f32>,
    lod_scale: vec4<f32>,
}

@group(1) @binding(0) var<uniform> character: CharacterUniforms;

// From unit space to model space.
fn model_position(unit: vec3<f32>) -> vec3<f32> {
    return unit * character.unit_half_extent + character.unit_centre;
}
