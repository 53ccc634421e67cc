// Advances every instance to the frame's time: which two frames of its clip, and how far between.
// Runs once per instance so that the vertex shader does not, for each of its vertices.
// CPU twin: crowd::clock.

import package::shared::frame::frame;
import package::shared::character::character;
import package::shared::instance::{Clip, Posed};
import package::shared::clock::clip_position;

@group(1) @binding(3) var<storage, read> clips: array<Clip>;
@group(2) @binding(0) var<storage, read> instances: array<vec4<u32>>;
@group(2) @binding(1) var<storage, read_write> posed: array<Posed>;

@compute @workgroup_size(64)
fn animate(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= character.counts.w {
        return;
    }
    let place = instances[index * 2u];
    let play = instances[index * 2u + 1u];
    let clip = clips[min(play.y & 0xffffu, character.counts.y - 1u)];
    let speed = unpack2x16float(play.y).y;
    let at = clip_position(clip, speed, bitcast<f32>(play.z), frame.time.xy);
    var first = u32(at);
    var between = at - f32(first);
    if (frame.time.z & 1u) == 0u {
        first = u32(at + 0.5);
        between = 0.0;
    }
    first = min(first, clip.intervals);
    let second = min(first + 1u, clip.intervals);
    let yaw = f32(place.w & 0xffffu) * (6.28318531 / 65536.0);
    let scale = place.w & 0xffff0000u;
    posed[index] = Posed(
        vec4<u32>(place.xyz, pack2x16snorm(vec2<f32>(sin(yaw), cos(yaw)))),
        vec4<u32>(
            (clip.first_frame + first) | ((clip.first_frame + second) << 16u),
            0u,
            pack2x16unorm(vec2<f32>(between, 0.0)),
            scale,
        ),
    );
}
