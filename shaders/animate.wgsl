// Advances every instance to the frame's time: which clips and frames, how they are blended, and
// where walkers are. Runs once per instance so that the vertex shader does not, for each of its
// vertices. Reads Instance, writes Posed (shared/instance.wgsl). CPU twin: crowd/motion_plan.rs.

import package::shared::frame::{frame, frame_clock};
import package::shared::character::character;
import package::shared::instance::{Instance, Posed};
import package::shared::actor::{CrossFade, ClipTime, moment};
import package::shared::motion_plan::{behaves, clips, own_playing, place, role_of};

@group(2) @binding(0) var<storage, read> instances: array<Instance>;
@group(2) @binding(1) var<storage, read_write> posed: array<Posed>;

// Frames of the atlas on both sides of a position, and the fraction between.
struct Frames {
    packed: u32,
    between: f32,
}

fn clip_frames(playing: ClipTime) -> Frames {
    let clip = clips[min(playing.clip, character.clip_count - 1u)];
    let at = playing.position * f32(clip.intervals);
    var first = u32(at);
    var between = at - f32(first);
    if frame.interpolate == 0u {
        first = u32(at + 0.5);
        between = 0.0;
    }
    first = min(first, clip.intervals);
    let second = min(first + 1u, clip.intervals);
    return Frames((clip.first_frame + first) | ((clip.first_frame + second) << 16u), between);
}

@compute @workgroup_size(64)
fn animate(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.x + id.y * workgroups.x * 64u;
    if index >= character.instance_count {
        return;
    }
    let instance = instances[index];
    let own = own_playing(instance);
    var now = CrossFade(own, own, 1.0);
    let role = role_of(index, instance);
    if behaves(role) {
        now = moment(role.group, role.actor, frame_clock());
    }
    let spot = place(instance, role);
    let position = vec3<f32>(spot.ground.x, instance.position.y, spot.ground.y);
    let b = clip_frames(now.target_);
    var a = b;
    var fade = 0.0;
    if now.weight < 1.0 {
        a = clip_frames(now.source);
        fade = now.weight;
    }
    posed[index] = Posed(
        vec4<u32>(bitcast<vec3<u32>>(position), pack2x16snorm(vec2<f32>(sin(spot.yaw), cos(spot.yaw)))),
        vec4<u32>(
            a.packed,
            b.packed,
            pack2x16unorm(vec2<f32>(a.between, b.between)),
            u32(fade * 65535.0 + 0.5) | (instance.yaw_scale & 0xffff0000u),
        ),
    );
}
