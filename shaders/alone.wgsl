// Everyone as if they were alone: all pixels that somebody covers, whoever stands in front. Nothing is
// tested against depth and no picture is written; every pixel adds itself to its person.
//
//   alone_boxes  the box of these pixels
//   alone_masks  one bit for each of them, so that those that several of a person's triangles cover
//                count once

import package::shared::frame::frame;
import package::shared::instance::{Posed, unpack_playback};
import package::shared::listed::listed_instance;
import package::shared::naive::{NaiveVertex, naive_posed, naive_world};
import package::shared::packed::{CharacterVertex, load_vertex};
import package::shared::pose::{posed, pose_vertex, world_position};
import package::shared::skinning::UnitVertex;
import package::shared::surface::{Surface, TexturePoint, base_color, is_hole};
import package::shared::textbook::{TextbookVertex, textbook_pose, textbook_vertex};
import package::shared::truth::truth;

// Pixels; right and bottom are the first that are outside, zero where there are none.
struct AloneBox {
    left: atomic<u32>,
    top: atomic<u32>,
    right: atomic<u32>,
    bottom: atomic<u32>,
}

// Where the bits of a box lie: pixels, words of 32 bits.
struct AloneMask {
    left: u32,
    top: u32,
    words_per_row: u32,
    // NO_MASK for those who are not counted in this draw
    first_word: u32,
}

const NO_MASK = 0xffffffffu;

@if(alone_boxes) @group(3) @binding(1) var<storage, read_write> boxes: array<AloneBox>;
@if(alone_masks) @group(3) @binding(1) var<storage, read_write> mask_words: array<atomic<u32>>;
@if(alone_masks) @group(3) @binding(2) var<storage, read> masks: array<AloneMask>;

struct Covered {
    @invariant @builtin(position) position: vec4<f32>,
    // number of the person
    @location(0) @interpolate(flat) person: u32,
    @if(alpha_test) @location(1) uv: vec2<f32>,
    @if(alpha_test) @location(2) @interpolate(flat) material: u32,
    @if(alpha_test && extended_vertex) @location(3) uv1: vec2<f32>,
    @if(alpha_test && extended_vertex) @location(4) alpha: f32,
}

@if(listed)
@vertex
fn alone_vertex(@builtin(vertex_index) index: u32, @location(0) id: u32) -> Covered {
    return covered_instance(index, listed_instance(id));
}

@if(!listed && !technique_naive && !technique_textbook)
@vertex
fn alone_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Covered {
    return covered_instance(index, instance);
}

@if(!technique_naive && !technique_textbook)
fn covered_instance(index: u32, instance: u32) -> Covered {
    let v = load_vertex(index);
    let p = posed[instance];
    return covered_vertex(v, pose_vertex(v, index, instance, p.play), p, instance);
}

@if(technique_textbook)
@vertex
fn alone_vertex(fetched: TextbookVertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Covered {
    let v = textbook_vertex(fetched);
    let p = Posed(fetched.place, fetched.play);
    return covered_vertex(v, textbook_pose(v, index, unpack_playback(p.play)), p, instance);
}

@if(!technique_naive)
fn covered_vertex(v: CharacterVertex, unit: UnitVertex, p: Posed, instance: u32) -> Covered {
    var out: Covered;
    out.position = frame.projection_from_world * vec4<f32>(world_position(unit.position, p), 1.0);
    out.person = truth.first_id - 1u + instance;
    @if(alpha_test) out.uv = v.uv;
    @if(alpha_test) out.material = v.material;
    @if(alpha_test && extended_vertex) out.uv1 = v.uv1;
    @if(alpha_test && extended_vertex) out.alpha = v.alpha;
    return out;
}

@if(technique_naive)
@vertex
fn alone_vertex(v: NaiveVertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Covered {
    let p = Posed(v.place, v.play);
    let model = naive_posed(v, index, unpack_playback(p.play));
    var out: Covered;
    out.position = frame.projection_from_world * vec4<f32>(naive_world(model.position, p), 1.0);
    out.person = truth.first_id - 1u + instance;
    @if(alpha_test) out.uv = v.uv;
    @if(alpha_test) out.material = v.material;
    @if(alpha_test && extended_vertex) out.uv1 = v.uv1;
    @if(alpha_test && extended_vertex) out.alpha = v.color.a;
    return out;
}

fn cover(person: u32, pixel: vec2<u32>) {
    @if(alone_boxes) {
        atomicMin(&boxes[person].left, pixel.x);
        atomicMin(&boxes[person].top, pixel.y);
        atomicMax(&boxes[person].right, pixel.x + 1u);
        atomicMax(&boxes[person].bottom, pixel.y + 1u);
    }
    @if(alone_masks) {
        let mask = masks[person];
        if mask.first_word != NO_MASK {
            let at = pixel - vec2<u32>(mask.left, mask.top);
            let word = mask.first_word + at.y * mask.words_per_row + at.x / 32u;
            atomicOr(&mask_words[word], 1u << (at.x % 32u));
        }
    }
}

@fragment
fn alone_fragment(in: Covered) {
    @if(alpha_test) {
        var s: Surface;
        s.material = in.material;
        s.first_uv = TexturePoint(in.uv, dpdx(in.uv), dpdy(in.uv));
        @if(extended_vertex) s.second_uv = TexturePoint(in.uv1, dpdx(in.uv1), dpdy(in.uv1));
        @if(extended_vertex) s.alpha = in.alpha;
        if is_hole(s.material, base_color(s).a, in.position.xy) {
            discard;
        }
    }
    cover(in.person, vec2<u32>(in.position.xy));
}
