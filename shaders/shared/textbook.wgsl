// Textbook skinned draw, the fair baseline: vertices and instances as attributes in interleaved buffers. The matrices
// of both frames are fetched and blended for all four (or eight) influences, even at weight 0.

import package::shared::atlas::{MatrixSum, add_matrix, no_matrices, matrix_of_sum};
import package::shared::character::character;
import package::shared::instance::Playback;
import package::shared::packed::{CharacterVertex, eight_joints, eight_weights, unpack_octahedral};
import package::shared::skinning::{UnitVertex, add_morphs, transform, unit_vertex};

// Filled by render/resources/textbook.rs.
struct TextbookVertex {
    // unit space
    @location(0) position: vec3<f32>,
    // octahedral normal, snorm16 each; u f32; v f32; red, green, blue and material, u8 each
    @location(1) surface: vec4<u32>,
    @location(2) joints: vec4<u32>,
    @location(3) weights: vec4<f32>,
    // per instance: Posed, and the tint of Instance
    @location(4) place: vec4<u32>,
    @location(5) play: vec4<u32>,
    @location(6) tint: u32,
    // words 8 to 11 of a packed vertex
    @if(extended_vertex) @location(7) extension: vec4<u32>,
    // slots and weights 4 to 7, as packed
    @if(eight_influences) @location(8) influences: vec4<u32>,
}

fn textbook_vertex(fetched: TextbookVertex) -> CharacterVertex {
    let look = unpack4x8unorm(fetched.surface.w);
    var v: CharacterVertex;
    v.position = fetched.position;
    v.normal = unpack_octahedral(fetched.surface.x);
    v.uv = bitcast<vec2<f32>>(fetched.surface.yz);
    v.color = look.xyz;
    v.material = fetched.surface.w >> 24u;
    @if(!eight_influences) v.joints = fetched.joints;
    @if(!eight_influences) v.weights = fetched.weights;
    @if(eight_influences) v.joints = eight_joints(fetched.joints, fetched.influences);
    @if(eight_influences) v.weights = eight_weights(fetched.weights, fetched.influences);
    @if(extended_vertex) let c = fetched.extension;
    @if(extended_vertex) v.uv1 = bitcast<vec2<f32>>(c.zw);
    @if(extended_vertex) v.alpha = f32((c.y >> 8u) & 0xffu) / 255.0;
    @if(normal_mapped) v.tangent = vec4<f32>(unpack_octahedral(c.x), select(1.0, -1.0, (c.y & 0xffu) == 2u));
    return v;
}

fn add_whole_frame(sum: ptr<function, MatrixSum>, frame_index: u32, v: CharacterVertex, factor: f32) {
    let first = frame_index * character.slot_count;
    add_matrix(sum, first + v.joints[0], v.weights[0] * factor);
    add_matrix(sum, first + v.joints[1], v.weights[1] * factor);
    add_matrix(sum, first + v.joints[2], v.weights[2] * factor);
    add_matrix(sum, first + v.joints[3], v.weights[3] * factor);
    @if(eight_influences) {
        add_matrix(sum, first + v.joints[4], v.weights[4] * factor);
        add_matrix(sum, first + v.joints[5], v.weights[5] * factor);
        add_matrix(sum, first + v.joints[6], v.weights[6] * factor);
        add_matrix(sum, first + v.joints[7], v.weights[7] * factor);
    }
}

fn textbook_pose(v: CharacterVertex, index: u32, play: Playback) -> UnitVertex {
    var sum = no_matrices();
    let a = 1.0 - play.fade;
    add_whole_frame(&sum, play.a.x, v, a * (1.0 - play.between.x));
    add_whole_frame(&sum, play.a.y, v, a * play.between.x);
    if play.fade > 0.0 {
        add_whole_frame(&sum, play.b.x, v, play.fade * (1.0 - play.between.y));
        add_whole_frame(&sum, play.b.y, v, play.fade * play.between.y);
    }
    @if(morphs) let rest = add_morphs(unit_vertex(v), index, play);
    @if(!morphs) let rest = unit_vertex(v);
    return transform(matrix_of_sum(sum), rest);
}
