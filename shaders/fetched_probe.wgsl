// Test probe for techniques that fetch vertex attributes, through the layouts that they draw with. Each vertex of each
// instance becomes one pixel, so that the CPU can compare positions in millimetres.

import package::shared::character::{character, model_position};
import package::shared::instance::unpack_playback;
import package::shared::textbook::{TextbookVertex, textbook_pose, textbook_vertex};

// Width of the target (px); ROW in src/render/passes/probe/fetched_probe.rs.
const ROW = 1024u; // shader only

struct ProbeVaryings {
    @builtin(position) pixel: vec4<f32>,
    @location(0) @interpolate(flat) position: vec3<f32>,
    @location(1) @interpolate(flat) normal: vec3<f32>,
}

struct ProbeOutput {
    // model space (m)
    @location(0) position: vec4<f32>,
    @location(1) normal: vec4<f32>,
}

@vertex
fn fetched_probe_vertex(
    v: TextbookVertex,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> ProbeVaryings {
    let vertex_count = character.vertex_count;
    let number = instance * vertex_count + index;
    let rows = (vertex_count * character.instance_count + ROW - 1u) / ROW;
    let pixel = vec2<f32>(f32(number % ROW), f32(number / ROW)) + 0.5;
    let share = pixel / vec2<f32>(f32(ROW), f32(rows));
    var out: ProbeVaryings;
    out.pixel = vec4<f32>(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0, 0.5, 1.0);
    let unit = textbook_pose(textbook_vertex(v), index, unpack_playback(v.play));
    out.position = model_position(unit.position);
    out.normal = normalize(unit.normal);
    return out;
}

@fragment
fn fetched_probe_fragment(in: ProbeVaryings) -> ProbeOutput {
    return ProbeOutput(vec4<f32>(in.position, 1.0), vec4<f32>(in.normal, 0.0));
}
