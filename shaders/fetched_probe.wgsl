// What the textbook draw makes of its vertex attributes, fetched by the very layout that it draws
// with: a pixel for every vertex of every instance, so that the CPU can compare them in millimetres.

import package::shared::character::character;
import package::shared::instance::unpack_playback;
import package::shared::naive::{NaiveVertex, naive_posed};

// Pixels in a row; ROW in src/render/passes/probe/naive_probe.rs.
const ROW = 1024u;

struct Fetched {
    @builtin(position) pixel: vec4<f32>,
    @location(0) @interpolate(flat) position: vec3<f32>,
    @location(1) @interpolate(flat) normal: vec3<f32>,
}

struct Written {
    // model space, metres
    @location(0) position: vec4<f32>,
    @location(1) normal: vec4<f32>,
}

@vertex
fn naive_probe_vertex(v: NaiveVertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Fetched {
    let vertex_count = character.vertex_count;
    let number = instance * vertex_count + index;
    let rows = (vertex_count * character.instance_count + ROW - 1u) / ROW;
    let pixel = vec2<f32>(f32(number % ROW), f32(number / ROW)) + 0.5;
    let share = pixel / vec2<f32>(f32(ROW), f32(rows));
    let model = naive_posed(v, index, unpack_playback(v.play));
    var out: Fetched;
    out.pixel = vec4<f32>(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0, 0.5, 1.0);
    out.position = model.position;
    out.normal = model.normal;
    return out;
}

@fragment
fn naive_probe_fragment(in: Fetched) -> Written {
    return Written(vec4<f32>(in.position, 1.0), vec4<f32>(in.normal, 0.0));
}
