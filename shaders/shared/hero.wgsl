// Heroes: instances of a baked crowd whose palettes come from the CPU (crowd/heroes, render/passes/heroes.rs).
//
// The sign bit of a posed instance's scale marks a hero. Its `play` then holds:
//   x  first row of the hero's run
//   y  first row of the palette in it
//   z  weight against the baked palette, f32; its last four bits are the width scale
//   w  as for any instance (shared/instance.wgsl)
//
// Rows of a run are four f32 (as bits). Row 0 keeps the four words that animate wrote. Then follow three rows per
// socket in model space, and three rows per palette slot in unit space. With `actors`, a row for each instance comes
// before all runs: its third clip (shared/instance.wgsl).

import package::shared::atlas::Matrix3x4;
import package::shared::character::character;
import package::shared::instance::{Playback, WIDTH_SCALE_MASK, unpack_playback, unpack_third};
import package::shared::packed::{Joints, Weights};

const HERO_BIT = 0x80000000u; // shader only

fn is_hero(play: vec4<u32>) -> bool {
    return (play.w & HERO_BIT) != 0u;
}

// First row of the hero's run.
fn hero_run(play: vec4<u32>) -> u32 {
    return play.x;
}

// First row of the palette.
fn hero_palette(play: vec4<u32>) -> u32 {
    return play.y;
}

fn hero_weight(play: vec4<u32>) -> f32 {
    return bitcast<f32>(play.z & ~WIDTH_SCALE_MASK);
}

@if(heroes || actors) @group(2) @binding(3) var<storage, read> hero_rows: array<vec4<u32>>;

@if(actors)
fn third_row(instance: u32) -> vec4<u32> {
    @if(show_motion) {
        // The second half of the buffer holds the next frame.
        if instance >= character.instance_count {
            return hero_rows[instance - character.instance_count + arrayLength(&hero_rows) / 2u];
        }
    }
    return hero_rows[instance];
}

// Baked playback of an instance from the words that animate wrote.
fn playback_of(play: vec4<u32>, instance: u32) -> Playback {
    var playback = unpack_playback(play);
    @if(actors) playback.third = unpack_third(third_row(instance));
    return playback;
}

@if(heroes)
fn hero_row(row: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(hero_rows[row]);
}

// Baked playback of an instance, hero or not.
@if(heroes)
fn baked_play(play: vec4<u32>) -> vec4<u32> {
    if is_hero(play) {
        return hero_rows[hero_run(play)];
    }
    return play;
}

// Blended matrix of a hero's live palette.
@if(heroes)
fn hero_matrix(play: vec4<u32>, joints: Joints, weights: Weights) -> Matrix3x4 {
    var sum = Matrix3x4(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
    @if(eight_influences) let count = 8u;
    @if(!eight_influences) let count = 4u;
    for (var i = 0u; i < count; i++) {
        let row = hero_palette(play) + joints[i] * 3u;
        sum.x += hero_row(row) * weights[i];
        sum.y += hero_row(row + 1u) * weights[i];
        sum.z += hero_row(row + 2u) * weights[i];
    }
    return sum;
}

@if(heroes)
fn mix_matrices(a: Matrix3x4, b: Matrix3x4, weight: f32) -> Matrix3x4 {
    let rest = 1.0 - weight;
    return Matrix3x4(a.x * rest + b.x * weight, a.y * rest + b.y * weight, a.z * rest + b.z * weight);
}
