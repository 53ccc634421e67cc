// Posed vertices that preskin.wgsl has written for this frame, pose after pose, in unit space. POSED_LOADS loads of 16
// bytes each:
//   load 0  position f32 x 3, octahedral normal snorm16 x 2
//   load 1  with normal maps: tangent f32 x 3, sign of the bitangent f32
// Rust side: render/resources/pose_cache.rs.

import package::shared::character::character;
import package::shared::packed::{pack_octahedral, unpack_octahedral};
import package::shared::skinning::UnitVertex;

@if(normal_mapped) const POSED_LOADS = 2u;
@if(!normal_mapped) const POSED_LOADS = 1u;

@if(preskinning) @group(2) @binding(0) var<storage, read_write> skinned_vertices: array<vec4<u32>>;
@if(technique_preskinned) @group(1) @binding(2) var<storage, read> posed_vertices: array<vec4<u32>>;
// Per instance, for the clip that fades out and the one that fades in: row that vertex 0 of the character would have.
// Vertices of LODs follow those of the full mesh.
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

// Skinned positions are linear in the matrices: mixing two poses equals skinning with mixed matrices.
@if(technique_preskinned)
fn preskinned_vertex(index: u32, instance: u32, fade: f32) -> UnitVertex {
    var first_row = index;
    @if(show_motion) {
        // The second half of both buffers holds the next frame.
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
