// Morph targets, added to a vertex before skinning. CPU twin: bake::skinning::add_morphs.
// Layout of the buffer: render/morphs.rs.

import package::shared::instance::Playback;
import package::shared::skin::UnitVertex;

// words: MORPH_ header; per vertex the number of deltas before it (one more at the end); weights by
// frame; deltas: target, position, normal and, with normal maps, tangent
@if(morphs) @group(1) @binding(7) var<storage, read> morph_words: array<u32>;

// Words of the header: number of targets, first word of the weights, first word of the deltas, 0.
const MORPH_TARGETS = 0u;
const MORPH_WEIGHTS = 1u;
const MORPH_DELTAS = 2u;
const MORPH_HEADER_WORDS = 4u;

@if(normal_mapped) const DELTA_WORDS = 10u;
@if(!normal_mapped) const DELTA_WORDS = 7u;

@if(morphs)
fn morph_float(word: u32) -> f32 {
    return bitcast<f32>(morph_words[word]);
}

@if(morphs)
fn morph_vec3(word: u32) -> vec3<f32> {
    return vec3<f32>(morph_float(word), morph_float(word + 1u), morph_float(word + 2u));
}

// Weight of a target between two frames.
@if(morphs)
fn frame_weight(target_index: u32, frames: vec2<u32>, between: f32) -> f32 {
    let row = morph_words[MORPH_WEIGHTS] + target_index;
    let first = morph_float(row + frames.x * morph_words[MORPH_TARGETS]);
    let second = morph_float(row + frames.y * morph_words[MORPH_TARGETS]);
    return first * (1.0 - between) + second * between;
}

@if(morphs)
fn morph_weight(target_index: u32, play: Playback) -> f32 {
    let weight = frame_weight(target_index, play.a, play.between.x);
    if play.fade == 0.0 {
        return weight;
    }
    return mix(weight, frame_weight(target_index, play.b, play.between.y), play.fade);
}

// A vertex knows the few targets that move it; most vertices know none.
@if(morphs)
fn add_morphs(v: UnitVertex, index: u32, play: Playback) -> UnitVertex {
    var moved = v;
    let last = morph_words[MORPH_HEADER_WORDS + index + 1u];
    for (var delta = morph_words[MORPH_HEADER_WORDS + index]; delta < last; delta += 1u) {
        let word = morph_words[MORPH_DELTAS] + delta * DELTA_WORDS;
        let weight = morph_weight(morph_words[word], play);
        if weight != 0.0 {
            moved.position += morph_vec3(word + 1u) * weight;
            moved.normal += morph_vec3(word + 4u) * weight;
            @if(normal_mapped) moved.tangent += vec4<f32>(morph_vec3(word + 7u) * weight, 0.0);
        }
    }
    return moved;
}
