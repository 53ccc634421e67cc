// Position and playback of an instance at the frame's time, as a pure function of (seed, index, time). CPU twin:
// crowd/motion_plan.rs.

import package::shared::frame::frame_clock;
import package::shared::character::character;
import package::shared::instance::{
    Clip, Instance, instance_clip, instance_group_id, instance_path, instance_place, instance_stride,
    instance_path_phase, instance_yaw,
};
import package::shared::clock::{ahead, scale_rate, turns};
import package::shared::hash::{hash, unit_fraction};
import package::shared::person_schedule::{PersonSchedule, ClipTime, STREAM_OWN, behaviour_of};
import package::shared::tables::{FLAG_OWN_PATHS, FLAG_SHARED, FLAG_TRAVELS, GroupRow, groups};
import package::shared::paths::{PATH_WAYPOINTS, Path, Spot, path_spot, paths, phase_of};
import package::shared::travel::travelled;
import package::shared::wrap::own_loop;

@group(1) @binding(3) var<storage, read> clips: array<Clip>;

// Instances without a behaviour loop one clip.
fn own_playing(instance: Instance) -> ClipTime {
    let index = min(instance_clip(instance), character.clip_count - 1u);
    let own = own_loop(instance, clips[index]);
    let phase = ahead(turns(frame_clock(), own.rate), own.phase).phase;
    return ClipTime(index, unit_fraction(select(phase, 0u - phase, own.reversed)));
}

// Group of an instance and its schedule there; zero for groups without a row.
struct Role {
    group: GroupRow,
    person_schedule: PersonSchedule,
}

fn role_of(index: u32, instance: Instance) -> Role {
    var role: Role;
    let group_index = instance_group_id(instance);
    if group_index < character.group_count {
        let seed = hash(character.seed, index, STREAM_OWN);
        role.group = groups[group_index];
        role.person_schedule = behaviour_of(role.group, seed, instance_place(instance));
    }
    return role;
}

fn behaves(role: Role) -> bool {
    return role.group.state_count > 0u;
}

// Phase along a path since the start: by the behaviour's root motion, else at the path's speed.
fn path_phase(path: Path, role: Role, stride: u32) -> u32 {
    if !behaves(role) || (role.group.flags & FLAG_TRAVELS) == 0u {
        return turns(frame_clock(), path.rate).phase;
    }
    var per_metre = path.per_metre;
    if (role.group.flags & FLAG_SHARED) == 0u {
        per_metre = scale_rate(per_metre, stride);
    }
    return travelled(role.group, role.person_schedule, per_metre, frame_clock());
}

// Path of a walker; one of kind 0 and length 0 for others.
fn own_path(instance: Instance, role: Role) -> Path {
    var path: Path;
    let path_index = instance_path(instance);
    if (role.group.flags & FLAG_OWN_PATHS) != 0u && path_index < character.path_count {
        path = paths[path_index];
    }
    return path;
}

// Position and heading: on the instance's own path, on its group's, or at its place in the layout.
fn place(instance: Instance, role: Role) -> Spot {
    let still = Spot(instance.position.xz, instance_yaw(instance));
    let stride = instance_stride(instance);
    let path_index = instance_path(instance);
    if (role.group.flags & FLAG_OWN_PATHS) != 0u && path_index < character.path_count {
        let path = paths[path_index];
        var start = instance_path_phase(instance);
        if path.kind != PATH_WAYPOINTS {
            start = phase_of(path, still.ground);
        }
        return path_spot(path, start + path_phase(path, role, stride));
    }
    if role.group.path > 0u {
        let path = paths[role.group.path - 1u];
        let spot = path_spot(path, path_phase(path, role, stride));
        return Spot(still.ground + (spot.ground - path_spot(path, 0u).ground), spot.yaw);
    }
    return still;
}
