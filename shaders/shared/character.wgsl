// One character's constants and its packed vertices. Mirrored by render/assets.rs and
// model/packed.rs (bit layout there).

struct CharacterUniforms {
    // unit position = offset + q * scale, q the three unorm16 of the packed vertex
    position_offset: vec4<f32>,
    position_scale: vec4<f32>,
    // uv = xy + q * zw
    uv_decode: vec4<f32>,
    // model = unit * w + xyz
    unit: vec4<f32>,
    // per matrix element: stored value q decodes as min + q * size (row-major 3x4)
    decode_min: array<vec4<f32>, 3>,
    decode_size: array<vec4<f32>, 3>,
    // palette slots per frame; clips; vertices; instances
    counts: vec4<u32>,
    // seed of the people, groups with behaviours, paths, 0
    schedule: vec4<u32>,
}

struct CharacterVertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    uv: vec2<f32>,
    color: vec3<f32>,
    material: u32,
    joints: vec4<u32>,
    weights: vec4<f32>,
    // w: sign of the bitangent, 0 without a tangent
    @if(normal_mapped) tangent: vec4<f32>,
    @if(extended_vertex) uv1: vec2<f32>,
    @if(extended_vertex) alpha: f32,
}

// 16-byte loads of a vertex.
@if(extended_vertex) const VERTEX_LOADS = 3u;
@if(!extended_vertex) const VERTEX_LOADS = 2u;

@group(1) @binding(0) var<uniform> character: CharacterUniforms;
@group(1) @binding(1) var<storage, read> vertices: array<vec4<u32>>;

fn decode_octahedral(packed: u32) -> vec3<f32> {
    let p = unpack2x16snorm(packed);
    let z = 1.0 - abs(p.x) - abs(p.y);
    let fold = max(-z, 0.0);
    let xy = p - select(vec2<f32>(-fold), vec2<f32>(fold), p >= vec2<f32>(0.0));
    return normalize(vec3<f32>(xy, z));
}

fn decode_unit_position(q: vec3<f32>) -> vec3<f32> {
    return character.position_offset.xyz + q * character.position_scale.xyz;
}

fn load_vertex(index: u32) -> CharacterVertex {
    let first = index * VERTEX_LOADS;
    let a = vertices[first];
    let b = vertices[first + 1u];
    var v: CharacterVertex;
    v.position = decode_unit_position(vec3<f32>(unpack2x16unorm(a.x), f32(a.y & 0xffffu) / 65535.0));
    v.normal = decode_octahedral(a.z);
    v.uv = character.uv_decode.xy + unpack2x16unorm(a.w) * character.uv_decode.zw;
    v.color = vec3<f32>(vec3<u32>(a.y >> 24u, (b.w >> 16u) & 0xffu, b.w >> 24u)) / 255.0;
    v.material = (a.y >> 16u) & 0xffu;
    v.joints = vec4<u32>(b.x & 0xffffu, b.x >> 16u, b.y & 0xffffu, b.y >> 16u);
    let w01 = unpack2x16unorm(b.z);
    let w2 = f32(b.w & 0xffffu) / 65535.0;
    v.weights = vec4<f32>(w01, w2, max(1.0 - w01.x - w01.y - w2, 0.0));
    @if(extended_vertex) let c = vertices[first + 2u];
    @if(extended_vertex) v.uv1 = bitcast<vec2<f32>>(c.zw);
    @if(extended_vertex) v.alpha = f32((c.y >> 8u) & 0xffu) / 255.0;
    @if(normal_mapped) v.tangent = vec4<f32>(decode_octahedral(c.x), select(1.0, -1.0, (c.y & 0xffu) == 2u));
    return v;
}
