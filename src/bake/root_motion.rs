//! Extraction of root motion: a walk that travels becomes a walk in place with a speed and a turn rate. The crowd then
//! decides where people go.
//!
//! The displacement from the first pose to the last is a motion in the plane, `E(T)`: a turn `θ` about Y and a shift.
//! Its `t / T`-th part is `E(t) = exp(t ξ)`, steady motion along a line or an arc (SE(2); Solà et al. 2018, "A micro
//! Lie theory", example 5). The root joint gets `E(t)⁻¹ · W(t)`, so that the last pose stands where the first did. Sway
//! about this motion stays in the clip.

use std::f32::consts::TAU;

use glam::{Affine3A, Quat, Vec2, Vec3};

use crate::{
    bake::{
        MAX_FRAMES,
        pose::{model_from_joints, sample},
    },
    model::{Channel, Clip, Interpolation, Keys, LazyList, Model, Skeleton, Transform, Wrap},
};

/// Smallest displacement (heights) that counts as travel, not as sway.
const MIN_TRAVEL: f32 = 0.1;
/// Smallest turn (rad) that counts.
const LEAST_TURN: f32 = 0.17;
/// Largest difference of a joint between the first and last pose of a cycle (rad).
const SAME_POSE: f32 = 0.2;
/// Largest angle between root motion and straight ahead (rad); beyond it the root motion is kept.
const AHEAD: f32 = 0.8;
/// Keys per second of resampled channels.
const RATE: f32 = 60.0;

/// Steady motion on the ground in the frame of the walker; ahead is +Z.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SteadyMotion {
    /// Velocity at the start (m/s), (+Z, +X).
    velocity: Vec2,
    /// Turn rate (rad/s), positive from +Z towards +X.
    turn: f32,
}

/// Extracts the root motion of every looping clip that travels and whose file states no speed. [`Clip::speed`] and
/// [`Clip::turn`] then state what was extracted. Returns a note for each clip.
///
/// Clips that end in another pose than they began stay as they are (a fall is no walk). So do clips that travel
/// sideways or backwards.
pub fn extract_root_motion(model: &mut Model) -> Vec<String> {
    let bounds = model.rest_bounds();
    let height = bounds.size().y.max(1e-6);
    let mut remarks = Vec::new();
    for clip in &mut model.clips {
        let usable = clip.duration > 0.0 && clip.duration * RATE < MAX_FRAMES as f32;
        if clip.wrap != Wrap::Loop || !usable || clip.speed != 0.0 {
            continue;
        }
        let Some(root) = carrier(&model.skeleton, clip) else {
            continue;
        };
        let Some(steady_motion) = steady_motion(&model.skeleton, clip, root) else {
            continue;
        };
        let travels = steady_motion.velocity.length() * clip.duration > MIN_TRAVEL * height;
        if !travels {
            continue;
        }
        if steady_motion.velocity.to_angle().abs() > AHEAD {
            remarks.push(format!(
                "clip \"{}\": its root does not move forwards (+Z); root motion is kept",
                clip.name
            ));
            continue;
        }
        remove_root_motion(&model.skeleton, clip, root, steady_motion);
        (clip.speed, clip.turn) = (steady_motion.velocity.length(), steady_motion.turn);
        remarks.push(format!(
            "clip \"{}\": root motion extracted, {:.2} m/s, {:.0}°/s",
            clip.name,
            clip.speed,
            clip.turn.to_degrees()
        ));
    }
    remarks
}

/// Joint that carries the whole character through this clip: the first one that moves. Nothing above it may move, and
/// every slot must hang below it.
fn carrier(skeleton: &Skeleton, clip: &Clip) -> Option<usize> {
    let moved = |c: &&Channel| c.keys.vary() && matches!(c.keys, Keys::Translation(_));
    let root = clip.channels.iter().filter(moved).map(|c| c.joint as usize).min()?;
    let mut above = std::iter::successors(skeleton.joints.get(root)?.parent, |&j| {
        skeleton.joints[j as usize].parent
    });
    let still = above.all(|a| clip.channels.iter().all(|c| c.joint != a));
    let below = |slot: usize| {
        let mut up = std::iter::successors(Some(slot as u32), |&j| skeleton.joints[j as usize].parent);
        up.any(|j| j as usize == root)
    };
    let carries = skeleton.slots.iter().all(|s| below(s.joint as usize));
    (still && carries).then_some(root)
}

/// Steady motion from the first pose to the last; `None` where these differ.
fn steady_motion(skeleton: &Skeleton, clip: &Clip, root: usize) -> Option<SteadyMotion> {
    let locals = |time| {
        let mut locals = vec![Transform::IDENTITY; skeleton.joints.len()];
        sample(skeleton, clip, time, &mut locals);
        locals
    };
    let (first, last) = (locals(0.0), locals(clip.duration));
    let alike = |(joint, (a, b)): (usize, (&Transform, &Transform))| {
        joint == root || a.rotation.angle_between(b.rotation) < SAME_POSE
    };
    if !first.iter().zip(&last).enumerate().all(alike) {
        return None;
    }
    let parent = parent(skeleton, root);
    let (from, to) = (parent * first[root].to_affine(), parent * last[root].to_affine());
    let rotation = |m: &Affine3A| m.to_scale_rotation_translation().1;
    let whole = rotation(&to) * rotation(&from).inverse();
    let ahead = whole * Vec3::Z;
    let mut turn = ahead.x.atan2(ahead.z);
    if (Quat::from_rotation_y(-turn) * whole).angle_between(Quat::IDENTITY) > SAME_POSE {
        return None;
    }
    if turn.abs() < LEAST_TURN {
        turn = 0.0;
    }
    let shift = ground(to.translation.into()) - Vec2::from_angle(turn).rotate(ground(from.translation.into()));
    // shift = velocity · T · (e^{iθ} - 1) / (iθ)
    let (sin, cos) = turn.sin_cos();
    let bend = if turn == 0.0 {
        Vec2::X
    } else {
        Vec2::new(sin, 1.0 - cos) / turn
    };
    let straight = Vec2::new(bend.x, -bend.y).rotate(shift) / bend.length_squared();
    Some(SteadyMotion {
        velocity: straight / clip.duration,
        turn: turn / clip.duration,
    })
}

/// Coordinates on the ground (+Z, +X): a turn about Y is a turn in this plane.
fn ground(v: Vec3) -> Vec2 {
    Vec2::new(v.z, v.x)
}

fn parent(skeleton: &Skeleton, joint: usize) -> Affine3A {
    let rest: Vec<Transform> = skeleton.joints.iter().map(|j| j.rest).collect();
    let mut all = Vec::new();
    model_from_joints(skeleton, &rest, &mut all);
    let parent = skeleton.joints[joint].parent;
    parent.map_or(Affine3A::IDENTITY, |p| all[p as usize])
}

impl SteadyMotion {
    /// Displacement `E(t)` after `time` (s).
    fn at(self, time: f32) -> Affine3A {
        let angle = (self.turn * time) % TAU;
        let (sin, cos) = angle.sin_cos();
        let bend = if self.turn == 0.0 {
            Vec2::new(time, 0.0)
        } else {
            Vec2::new(sin, 1.0 - cos) / self.turn
        };
        let shift = bend.rotate(self.velocity);
        Affine3A::from_rotation_translation(Quat::from_rotation_y(angle), Vec3::new(shift.y, 0.0, shift.x))
    }
}

/// Removes the root motion from the root joint's channels.
fn remove_root_motion(skeleton: &Skeleton, clip: &mut Clip, root: usize, steady_motion: SteadyMotion) {
    let parent = parent(skeleton, root);
    let of_root = |c: &&Channel| c.joint as usize == root;
    let simple = |c: &Channel| c.interpolation == Interpolation::Linear;
    let moved = clip
        .channels
        .iter()
        .filter(of_root)
        .find(|c| matches!(c.keys, Keys::Translation(_)));
    let times = match moved {
        Some(channel) if steady_motion.turn == 0.0 && simple(channel) => whole(&channel.times, clip.duration),
        _ => even_times(clip.duration),
    };
    let mut locals = vec![Transform::IDENTITY; skeleton.joints.len()];
    let (_, parent_rotation, _) = parent.to_scale_rotation_translation();
    let (mut places, mut turns) = (Vec::new(), Vec::new());
    for &time in &times {
        sample(skeleton, clip, time, &mut locals);
        let back = steady_motion.at(time).inverse();
        let there = parent.transform_point3(locals[root].translation);
        places.push(parent.inverse().transform_point3(back.transform_point3(there)));
        let unturn = Quat::from_rotation_y(-steady_motion.turn * time);
        turns.push(parent_rotation.inverse() * unturn * parent_rotation * locals[root].rotation);
    }
    let channel = |keys| Channel {
        joint: root as u32,
        interpolation: Interpolation::Linear,
        times: times.clone(),
        keys,
    };
    let replaced = |c: &Channel| match c.keys {
        Keys::Translation(_) => true,
        Keys::Rotation(_) => steady_motion.turn != 0.0,
        Keys::Scale(_) => false,
    };
    let kept = clip.channels.iter().filter(|c| !(of_root(c) && replaced(c))).cloned();
    let mut channels: Vec<Channel> = kept.collect();
    channels.push(channel(Keys::Translation(places)));
    if steady_motion.turn != 0.0 {
        channels.push(channel(Keys::Rotation(turns)));
    }
    clip.channels = LazyList::from(channels);
}

/// Key times of a straight motion, with both ends of the clip. Subtracting a straight motion keeps the segments between
/// keys straight. The ends are needed because the motion continues where the keys do not.
fn whole(times: &[f32], duration: f32) -> Vec<f32> {
    let inside = times.iter().copied().filter(|&t| t > 0.0 && t < duration);
    [0.0].into_iter().chain(inside).chain([duration]).collect()
}

/// Times at even steps from 0 to the end, both included.
fn even_times(duration: f32) -> Vec<f32> {
    let steps = (duration * RATE).ceil().max(1.0);
    (0..=steps as u32).map(|k| duration * k as f32 / steps).collect()
}
