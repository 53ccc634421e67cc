// Advances every instance to the frame's time: which clips and frames, how they are blended, and
// where walkers are. Runs once per instance so that the vertex shader does not, for each of its
// vertices. CPU twin: crowd::posed.

import package::shared::frame::{frame, frame_clock};
import package::shared::character::character;
import package::shared::instance::{
    Clip, Instance, Posed, instance_clip, instance_group, instance_path, instance_place, instance_scale, instance_way,
    instance_yaw, own_loop,
};
import package::shared::clock::{ahead, scale_rate, turns};
import package::shared::hash::{hash, unit_fraction};
import package::shared::behaviour::{
    Actor, FLAG_SHARED, FLAG_TRAVELS, GroupRow, Moment, Playing, groups, make_actor, moment,
};
import package::shared::paths::{PATH_WAYPOINTS, Path, Spot, path_spot, paths, phase_of};
import package::shared::travel::travelled;

@group(1) @binding(3) var<storage, read> clips: array<Clip>;
@group(2) @binding(0) var<storage, read> instances: array<Instance>;
@group(2) @binding(1) var<storage, read_write> posed: array<Posed>;

const STREAM_OWN = 9u;
const GROUP_WALKERS = 7u;

// Frames of the atlas on both sides of a position, and the fraction between.
struct Frames {
    packed: u32,
    between: f32,
}

fn clip_frames(playing: Playing) -> Frames {
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

// An instance outside any behaviour loops its own clip.
fn own_playing(instance: Instance) -> Playing {
    let index = min(instance_clip(instance), character.clip_count - 1u);
    let own = own_loop(instance, clips[index]);
    let phase = ahead(turns(frame_clock(), own.rate), own.phase).phase;
    return Playing(index, unit_fraction(select(phase, 0u - phase, own.reversed)));
}

// Someone's group and who they are in it; all zero for a group without a row.
struct Role {
    group: GroupRow,
    actor: Actor,
}

fn role_of(index: u32, instance: Instance) -> Role {
    var role: Role;
    let group_index = instance_group(instance);
    if group_index < character.group_count {
        let seed = hash(character.seed, index, STREAM_OWN);
        role.group = groups[group_index];
        role.actor = make_actor(role.group, seed, instance_place(instance));
    }
    return role;
}

fn behaves(role: Role) -> bool {
    return role.group.state_count > 0u;
}

// Phase made along a path since the start: by a behaviour that travels, else at the path's pace.
fn path_way(path: Path, role: Role, scale: f32) -> u32 {
    if !behaves(role) || (role.group.flags & FLAG_TRAVELS) == 0u {
        return turns(frame_clock(), path.rate).phase;
    }
    var per_metre = path.per_metre;
    if (role.group.flags & FLAG_SHARED) == 0u {
        per_metre = scale_rate(per_metre, u32(scale * 65536.0 + 0.5));
    }
    return travelled(role.group, role.actor, per_metre, frame_clock());
}

// Where someone is: on their own path, on their group's, or where they were put.
fn place_of(instance: Instance, role: Role) -> Spot {
    let still = Spot(instance.position.xz, instance_yaw(instance));
    let scale = instance_scale(instance);
    let path_index = instance_path(instance);
    if instance_group(instance) == GROUP_WALKERS && path_index < character.path_count {
        let path = paths[path_index];
        var start = instance_way(instance);
        if path.kind != PATH_WAYPOINTS {
            start = phase_of(path, still.ground);
        }
        return path_spot(path, start + path_way(path, role, scale));
    }
    if role.group.path > 0u {
        let path = paths[role.group.path - 1u];
        let spot = path_spot(path, path_way(path, role, scale));
        return Spot(still.ground + (spot.ground - path_spot(path, 0u).ground), spot.yaw);
    }
    return still;
}

@compute @workgroup_size(64)
fn animate(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.x + id.y * workgroups.x * 64u;
    if index >= character.instance_count {
        return;
    }
    let instance = instances[index];
    let own = own_playing(instance);
    var now = Moment(own, own, 1.0);
    let role = role_of(index, instance);
    if behaves(role) {
        now = moment(role.group, role.actor, frame_clock());
    }
    let spot = place_of(instance, role);
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
