// Vertices as preskin.wgsl has posed them for this frame, pose after pose, of POSED_LOADS times 16 bytes, in unit
// space: position f32 x 3, octahedral normal snorm16 x 2; and with normal maps tangent f32 x 3, sign of the bitangent
// f32. Rust side: render/resources/pose_cache.rs.

import package::shared::character::character;
import package::shared::packed::{pack_octahedral, unpack_octahedral};
import package::shared::skinning::UnitVertex;

@if(normal_mapped) const POSED_LOADS = 2u;
@if(!normal_mapped) const POSED_LOADS = 1u;

@if(preskinning) @group(2) @binding(0) var<storage, read_write> skinned_vertices: array<vec4<u32>>;
@if(technique_preskinned) @group(1) @binding(2) var<storage, read> posed_vertices: array<vec4<u32>>;
// By instance, of the clip that fades out and of the one that fades in: the row that vertex 0 of the character would
// have, where the vertices of the level at which a list shows them lie behind.
@if(technique_preskinned) @group(1) @binding(3) var<storage, read> person_poses: array<vec2<u32>>;

@if(preskinning)
fn write_posed_vertex(row: u32, v: UnitVertex) {
    let words = vec4<u32>(bitcast<vec3<u32>>(v.position), pack_octahedral(v.normal));
    skinned_vertices[row * POSED_LOADS] = words;
    @if(normal_mapped) skinned_vertices[row * POSED_LOADS + 1u] = bitcast<vec4<u32>>(v.tangent);
}

@if(technique_preskinned)
fn posed_vertex(row: u32) -> UnitVertex {
    let words = posed_vertices[row * POSED_LOADS];
    var v: UnitVertex;
    v.position = bitcast<vec3<f32>>(words.xyz);
    v.normal = unpack_octahedral(words.w);
    @if(normal_mapped) v.tangent = bitcast<vec4<f32>>(posed_vertices[row * POSED_LOADS + 1u]);
    return v;
}

// Positions are linear in the matrices: a mix of two poses is where skinning with the mix puts them.
@if(technique_preskinned)
fn preskinned_vertex(index: u32, instance: u32, fade: f32) -> UnitVertex {
    var first_row = index;
    @if(show_motion) {
        // The second half of both buffers is of the next moment.
        if instance >= character.instance_count {
            first_row += arrayLength(&posed_vertices) / (2u * POSED_LOADS);
        }
    }
    let poses = person_poses[instance];
    var v = posed_vertex(first_row + poses.x);
    if fade > 0.0 {
        let into = posed_vertex(first_row + poses.y);
        v.position = mix(v.position, into.position, fade);
        v.normal = mix(v.normal, into.normal, fade);
        @if(normal_mapped) v.tangent = mix(v.tangent, into.tangent, fade);
    }
    return v;
}
