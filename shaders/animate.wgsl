// Advances every instance to the frame's time: clips, frames of the atlas, blend weights and the position of walkers.
// Runs once per instance, so that vertex shaders need not repeat it per vertex. Reads Instance and writes Posed
// (shared/instance.wgsl). CPU twin: crowd/motion_plan.rs.
//
// With `recolors`, people on trajectories also change the colour of their clothes in Instance.
//
// With `actors`, instances follow the rows of shared/actor_rows.wgsl instead, and a third clip is written besides.

import package::shared::frame::{frame, frame_clock};
import package::shared::character::character;
import package::shared::instance::{Instance, Posed, instance_width_scale_bits, pack_between, pack_third};
import package::shared::actor_state::{blend_at, is_actor, motion_at, motions};
import package::shared::hash::hash;
import package::shared::paths::Path;
import package::shared::person_schedule::{CrossFade, ClipTime, STREAM_OWN, moment};
import package::shared::motion_plan::{behaves, clips, own_playing, own_path, place, role_of};
import package::shared::trajectory::{
    TrajectoryPose, absent, is_present, trajectory_clips, trajectory_cloth, trajectory_pose, PATH_TRAJECTORY,
};

@if(!recolors) @group(2) @binding(0) var<storage, read> instances: array<Instance>;
@if(recolors) @group(2) @binding(0) var<storage, read_write> instances: array<Instance>;
@group(2) @binding(1) var<storage, read_write> posed: array<Posed>;
// Time of each frame of the atlas as a share of its clip's duration, times WHOLE. Times ascend within a clip; two
// frames at one time are a jump.
@group(2) @binding(2) var<storage, read> frame_times: array<u32>;
// Third clip of each actor, in the form of unpack_third (shared/instance.wgsl).
@if(actors) @group(2) @binding(5) var<storage, read_write> third_rows: array<vec4<u32>>;

const WHOLE = 16777216.0; // shader only: tests/gpu/frame_times.rs

// The two frames of the atlas around a position (first | second << 16), and the fraction between them.
struct Frames {
    packed: u32,
    between: f32,
}

// Last frame from `first` to `last` whose time is at most `share`; the second of two at one time. Binary search.
fn frame_before(first: u32, last: u32, share: u32) -> u32 {
    var low = first;
    var high = last;
    while low < high {
        let middle = (low + high + 1u) / 2u;
        if frame_times[middle] <= share {
            low = middle;
        } else {
            high = middle - 1u;
        }
    }
    return low;
}

// CPU twin: bake::FrameTable::around.
fn clip_frames(playing: ClipTime) -> Frames {
    let clip = clips[min(playing.clip, character.clip_count - 1u)];
    let last = clip.first_frame + clip.intervals;
    let share = u32(playing.position * WHOLE);
    var first = frame_before(clip.first_frame, last, share);
    let second = min(first + 1u, last);
    let begins = frame_times[first];
    let ends = frame_times[second];
    var between = f32(min(share, ends) - begins) / f32(max(ends - begins, 1u));
    if frame.interpolate == 0u {
        first = select(first, second, between >= 0.5);
        between = 0.0;
    }
    return Frames(first | (second << 16u), between);
}

// State on a trajectory; somebody who is absent stands outside of everything.
fn on_trajectory(path: Path, index: u32) -> TrajectoryPose {
    if !is_present(path) {
        return absent();
    }
    let both = min(trajectory_clips(path), vec2<u32>(character.clip_count - 1u));
    let cycles = vec2<u32>(clips[both.x].cycles, clips[both.y].cycles);
    return trajectory_pose(path, cycles, hash(character.seed, index, STREAM_OWN));
}

// Gives somebody who is there the colour of clothes of the frame's time. The ramp has 64 colours; its index is at bit 12.
@if(recolors)
fn recolor(path: Path, index: u32) {
    if !is_present(path) {
        return;
    }
    let tint = instances[index].tint;
    let cloth = trajectory_cloth(path, (tint >> 12u) & 63u, 63.0);
    instances[index].tint = (tint & ~(63u << 12u)) | (cloth << 12u);
}

// An instance of two clips at a place; nothing fades at weight 0.
fn posed_at(instance: Instance, position: vec3<f32>, yaw: f32, a: Frames, b: Frames, fade: f32) -> Posed {
    return Posed(
        vec4<u32>(bitcast<vec3<u32>>(position), pack2x16snorm(vec2<f32>(sin(yaw), cos(yaw)))),
        vec4<u32>(
            a.packed,
            b.packed,
            pack_between(vec2<f32>(a.between, b.between), instance_width_scale_bits(instance)),
            u32(fade * 65535.0 + 0.5) | (instance.yaw_scale & 0xffff0000u),
        ),
    );
}

// Free slots, and rows that hold anything but an actor, are outside of everything and have no size.
@if(actors)
@compute @workgroup_size(64)
fn animate(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.x + id.y * workgroups.x * 64u;
    if index >= character.instance_count {
        return;
    }
    if !is_actor(index, character.clip_count) {
        posed[index] = Posed(vec4<u32>(bitcast<vec3<u32>>(absent().position), 0u), vec4<u32>(0u));
        third_rows[index] = vec4<u32>(0u);
        return;
    }
    let now = frame_clock();
    let place = motion_at(motions[index], now);
    let blend = blend_at(index, now);
    let a = clip_frames(blend.a);
    var b = a;
    if blend.fade > 0.0 {
        b = clip_frames(blend.b);
    }
    posed[index] = posed_at(instances[index], place.position, place.yaw, a, b, blend.fade);
    if blend.third > 0.0 {
        let c = clip_frames(blend.c);
        third_rows[index] = pack_third(c.packed, c.between, blend.third);
    } else {
        third_rows[index] = vec4<u32>(0u);
    }
}

@if(!actors)
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
        now = moment(role.group, role.person_schedule, frame_clock());
    }
    let spot = place(instance, role);
    var position = vec3<f32>(spot.ground.x, instance.position.y, spot.ground.y);
    var yaw = spot.yaw;
    let path = own_path(instance, role);
    if path.kind == PATH_TRAJECTORY {
        let pose = on_trajectory(path, index);
        position = pose.position + vec3<f32>(0.0, instance.position.y, 0.0);
        yaw = pose.yaw;
        now = pose.fade;
        @if(recolors) recolor(path, index);
    }
    let b = clip_frames(now.target_);
    var a = b;
    var fade = 0.0;
    if now.weight < 1.0 {
        a = clip_frames(now.source);
        fade = now.weight;
    }
    posed[index] = posed_at(instance, position, yaw, a, b, fade);
}
