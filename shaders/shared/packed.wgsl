// Packed vertices as uploaded, pulled by shaders. CPU twin: model/mesh/packed.rs (PackedMesh::vertex).
//
//   word 0  position x, y         unorm16 each, within the rest bounds
//   word 1  position z unorm16 | material u8 << 16 | red u8 << 24
//   word 2  normal                octahedral, snorm16 each. From vertex `first_biased` on, the two lowest bits of both
//                                 numbers hold the normal bias towards the viewer in 1/64 (render/resources/lods.rs)
//   word 3  texture coordinates   unorm16 each, within their range
//   word 4  slots 0, 1            u16 each
//   word 5  slots 2, 3            u16 each
//   word 6  weights 0, 1          unorm16 each
//   word 7  weight 2 unorm16 | green u8 << 16 | blue u8 << 24; the fourth weight is implied
//
// Then, with extended_vertex:
//   word 8  tangent               octahedral, snorm16 each
//   word 9  handedness u8 (0: no tangent, 1: +, 2: -) | alpha u8 << 8
//   word 10 second texture coordinates, u   f32
//   word 11 second texture coordinates, v   f32
//
// Then, with eight_influences (PackedInfluences):
//   slots 4, 5 | slots 6, 7 | weights 4, 5 | weights 6, 7; the fourth weight is 1 minus all others

import package::shared::character::character;

// Influences, strongest first.
@if(!eight_influences) alias Joints = vec4<u32>;
@if(!eight_influences) alias Weights = vec4<f32>;
@if(eight_influences) alias Joints = array<u32, 8>;
@if(eight_influences) alias Weights = array<f32, 8>;

struct CharacterVertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    // normal bias towards the viewer; 0 at full detail
    @if(listed) normal_bias: f32,
    uv: vec2<f32>,
    color: vec3<f32>,
    material: u32,
    joints: Joints,
    weights: Weights,
    // w: sign of the bitangent, 0 without a tangent
    @if(normal_mapped) tangent: vec4<f32>,
    @if(extended_vertex) uv1: vec2<f32>,
    @if(extended_vertex) alpha: f32,
}

// 16-byte loads per vertex.
@if(extended_vertex && eight_influences) const VERTEX_LOADS = 4u;
@if(extended_vertex && !eight_influences) const VERTEX_LOADS = 3u;
@if(!extended_vertex && eight_influences) const VERTEX_LOADS = 3u;
@if(!extended_vertex && !eight_influences) const VERTEX_LOADS = 2u;

@group(1) @binding(1) var<storage, read> vertices: array<vec4<u32>>;

fn unpack_octahedral(packed: u32) -> vec3<f32> {
    let p = unpack2x16snorm(packed);
    let z = 1.0 - abs(p.x) - abs(p.y);
    let fold = max(-z, 0.0);
    let xy = p - select(vec2<f32>(-fold), vec2<f32>(fold), p >= vec2<f32>(0.0));
    return normalize(vec3<f32>(xy, z));
}

fn pack_octahedral(n: vec3<f32>) -> u32 {
    let sum = abs(n.x) + abs(n.y) + abs(n.z);
    // Zero normals point up, as on the CPU.
    var p = vec3<f32>(0.0, 1.0, 0.0);
    if sum > 0.0 {
        p = n / sum;
    }
    let side = select(vec2<f32>(-1.0), vec2<f32>(1.0), p.xy >= vec2<f32>(0.0));
    let folded = select(p.xy, (1.0 - abs(p.yx)) * side, p.z < 0.0);
    return pack2x16snorm(folded);
}

fn decode_unit_position(q: vec3<f32>, index: u32) -> vec3<f32> {
    @if(listed) {
        if index >= character.vertex_count {
            return character.lod_offset.xyz + q * character.lod_scale.xyz;
        }
    }
    return character.position_offset.xyz + q * character.position_scale.xyz;
}

// Four slots, then the four of a PackedInfluences.
@if(eight_influences)
fn eight_joints(j: vec4<u32>, more: vec4<u32>) -> Joints {
    return Joints(
        j.x, j.y, j.z, j.w, more.x & 0xffffu, more.x >> 16u, more.y & 0xffffu, more.y >> 16u,
    );
}

@if(eight_influences)
fn eight_weights(w: vec4<f32>, more: vec4<u32>) -> Weights {
    let w45 = unpack2x16unorm(more.z);
    let w67 = unpack2x16unorm(more.w);
    return Weights(w.x, w.y, w.z, w.w, w45.x, w45.y, w67.x, w67.y);
}

fn load_vertex(index: u32) -> CharacterVertex {
    let first = index * VERTEX_LOADS;
    let a = vertices[first];
    let b = vertices[first + 1u];
    var v: CharacterVertex;
    v.position = decode_unit_position(vec3<f32>(unpack2x16unorm(a.x), f32(a.y & 0xffffu) / 65535.0), index);
    v.normal = unpack_octahedral(a.z);
    @if(listed) {
        let normal_bias = f32((a.z & 3u) | ((a.z >> 14u) & 12u)) / 64.0;
        v.normal_bias = select(0.0, normal_bias, index >= character.first_biased);
    }
    v.uv = character.uv_offset + unpack2x16unorm(a.w) * character.uv_scale;
    v.color = vec3<f32>(vec3<u32>(a.y >> 24u, (b.w >> 16u) & 0xffu, b.w >> 24u)) / 255.0;
    v.material = (a.y >> 16u) & 0xffu;
    let w01 = unpack2x16unorm(b.z);
    let w2 = f32(b.w & 0xffffu) / 65535.0;
    @if(!eight_influences) {
        v.joints = vec4<u32>(b.x & 0xffffu, b.x >> 16u, b.y & 0xffffu, b.y >> 16u);
        v.weights = vec4<f32>(w01, w2, max(1.0 - w01.x - w01.y - w2, 0.0));
    }
    @if(eight_influences) {
        let more = vertices[first + VERTEX_LOADS - 1u];
        let w = vec4<f32>(unpack2x16unorm(more.z), unpack2x16unorm(more.w));
        let w3 = max(1.0 - (w01.x + w01.y + w2 + w.x + w.y + w.z + w.w), 0.0);
        v.joints = eight_joints(vec4<u32>(b.x & 0xffffu, b.x >> 16u, b.y & 0xffffu, b.y >> 16u), more);
        v.weights = eight_weights(vec4<f32>(w01, w2, w3), more);
    }
    @if(extended_vertex) let c = vertices[first + 2u];
    @if(extended_vertex) v.uv1 = bitcast<vec2<f32>>(c.zw);
    @if(extended_vertex) v.alpha = f32((c.y >> 8u) & 0xffu) / 255.0;
    @if(normal_mapped) v.tangent = vec4<f32>(unpack_octahedral(c.x), select(1.0, -1.0, (c.y & 0xffu) == 2u));
    return v;
}
