// Advances every instance to the frame's time: which clips and frames, how they are blended, and
// where walkers are. Runs once per instance so that the vertex shader does not, for each of its
// vertices. CPU twin: crowd::posed.

import package::shared::frame::frame;
import package::shared::character::character;
import package::shared::instance::{Clip, Posed, own_loop};
import package::shared::clock::{ahead, scale_rate, turns};
import package::shared::hash::{hash, unit_fraction};
import package::shared::behaviour::{
    Actor, FLAG_OWN_PATHS, FLAG_SHARED, FLAG_TRAVELS, GroupRow, Moment, Playing, groups, make_actor, moment,
};
import package::shared::paths::{PATH_WAYPOINTS, Path, Spot, path_spot, paths, phase_of};
import package::shared::travel::travelled;

@group(1) @binding(3) var<storage, read> clips: array<Clip>;
@group(2) @binding(0) var<storage, read> instances: array<vec4<u32>>;
@group(2) @binding(1) var<storage, read_write> posed: array<Posed>;

const STREAM_OWN = 9u;


// Frames of the atlas on both sides of a position, and the fraction between.
struct Frames {
    packed: u32,
    between: f32,
}

fn clip_frames(playing: Playing) -> Frames {
    let clip = clips[min(playing.clip, character.counts.y - 1u)];
    let at = playing.position * f32(clip.intervals);
    var first = u32(at);
    var between = at - f32(first);
    if (frame.time.z & 1u) == 0u {
        first = u32(at + 0.5);
        between = 0.0;
    }
    first = min(first, clip.intervals);
    let second = min(first + 1u, clip.intervals);
    return Frames((clip.first_frame + first) | ((clip.first_frame + second) << 16u), between);
}

// An instance outside any behaviour loops its own clip.
fn own_playing(play: vec4<u32>) -> Playing {
    let index = min(play.y & 0xffffu, character.counts.y - 1u);
    let own = own_loop(play, clips[index]);
    let phase = ahead(turns(frame.time.xy, own.rate), own.phase).phase;
    return Playing(index, unit_fraction(select(phase, 0u - phase, own.reversed)));
}

// Someone's group and who they are in it; all zero for a group without a row.
struct Role {
    group: GroupRow,
    actor: Actor,
}

fn role_of(index: u32, play: vec4<u32>) -> Role {
    var role: Role;
    let group_index = play.w & 0xffffu;
    if group_index < character.schedule.y {
        let seed = hash(character.schedule.x, index, STREAM_OWN);
        role.group = groups[group_index];
        role.actor = make_actor(role.group, seed, play.w & 0xffff0000u);
    }
    return role;
}

fn behaves(role: Role) -> bool {
    return role.group.state_count > 0u;
}

// Phase made along a path since the start: by a behaviour that travels, else at the path's pace.
fn path_way(path: Path, role: Role, scale: f32) -> u32 {
    if !behaves(role) || (role.group.flags & FLAG_TRAVELS) == 0u {
        return turns(frame.time.xy, path.rate).phase;
    }
    var per_metre = path.per_metre;
    if (role.group.flags & FLAG_SHARED) == 0u {
        per_metre = scale_rate(per_metre, u32(scale * 65536.0 + 0.5));
    }
    return travelled(role.group, role.actor, per_metre, frame.time.xy);
}

@compute @workgroup_size(64)
fn animate(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.x + id.y * workgroups.x * 64u;
    if index >= character.counts.w {
        return;
    }
    let place = instances[index * 2u];
    let play = instances[index * 2u + 1u];
    let own = own_playing(play);
    var now = Moment(own, own, 1.0);
    let role = role_of(index, play);
    if behaves(role) {
        now = moment(role.group, role.actor, frame.time.xy);
    }
    let scale = unpack2x16float(place.w).y;
    var position = place.xyz;
    var yaw = f32(place.w & 0xffffu) * (6.28318531 / 65536.0);
    let still = Spot(bitcast<vec3<f32>>(place.xyz).xz, yaw);
    let path_index = play.w >> 16u;
    if (role.group.flags & FLAG_OWN_PATHS) != 0u && path_index < character.schedule.z {
        let path = paths[path_index];
        // Those on waypoints hold how far along they are where others hold their heading.
        var start = place.w << 16u;
        if path.kind != PATH_WAYPOINTS {
            start = phase_of(path, still.ground);
        }
        let spot = path_spot(path, start + path_way(path, role, scale));
        position = vec3<u32>(bitcast<u32>(spot.ground.x), place.y, bitcast<u32>(spot.ground.y));
        yaw = spot.yaw;
    } else if role.group.path > 0u {
        let path = paths[role.group.path - 1u];
        let spot = path_spot(path, path_way(path, role, scale));
        let ground = still.ground + (spot.ground - path_spot(path, 0u).ground);
        position = vec3<u32>(bitcast<u32>(ground.x), place.y, bitcast<u32>(ground.y));
        yaw = spot.yaw;
    }
    let b = clip_frames(now.target_);
    var a = b;
    var fade = 0.0;
    if now.weight < 1.0 {
        a = clip_frames(now.source);
        fade = now.weight;
    }
    posed[index] = Posed(
        vec4<u32>(position, pack2x16snorm(vec2<f32>(sin(yaw), cos(yaw)))),
        vec4<u32>(
            a.packed,
            b.packed,
            pack2x16unorm(vec2<f32>(a.between, b.between)),
            u32(fade * 65535.0 + 0.5) | (place.w & 0xffff0000u),
        ),
    );
}
