//! Secondary motion: skirt panels that thighs push, and swinging strands.

use crate::actor::{Actor, Strand};
use crate::pose::Solved;
use crate::rig::{self, Leg, SIDES, leg};
use crate::spline::ease;
use glam::{Quat, Vec3, vec3};
use std::f32::consts::TAU;

/// Swings each skirt panel far enough to clear the thighs.
///
/// Front panels follow the leg that is further forward, back panels the one further back. Side panels interpolate
/// between them. Sitting down moves the whole skirt.
pub fn skirt(actor: &Actor, pose: &mut Solved) {
    let Some(skirt) = &actor.skirt else { return };
    let n = skirt.panels.len();
    let thighs = SIDES.map(|s| pose.local[leg(s, Leg::Thigh)] * Vec3::NEG_Y);
    let pitch = thighs.map(|t| t.z.atan2((-t.y).max(0.05)));
    let spread = thighs.map(|t| t.x.atan2((-t.y).max(0.4)));
    for (k, joint) in skirt.panels.iter().enumerate() {
        let turn = k as f32 / n as f32 * TAU;
        let dir = vec3(turn.sin(), 0.0, turn.cos());
        let own = SIDES.map(|s| 1.0 + 0.9 * dir.x * rig::sign(s));
        let front = lead(pitch, own, 4.0);
        let front = if front < 0.0 { front * 0.4 } else { front };
        // The flare already stands off the thigh: a lap needs less than the full swing.
        let front = front - 0.24 * ease(0.8, 1.5, front);
        let back = lead(pitch, own, -4.0);
        let seated = ease(0.5, 1.3, back) * 0.8;
        let back = if back > 0.0 { back * seated } else { back };
        let swing = back + (front - back) * (0.5 + 0.5 * dir.z);
        let side = spread[usize::from(dir.x < 0.0)];
        let out = if side * dir.x > 0.0 { side * dir.x.abs() } else { 0.0 };
        pose.local[*joint] = Quat::from_rotation_z(out) * Quat::from_rotation_x(-swing);
    }
}

/// Returns the mean of both legs' angles, weighted towards the larger one for a positive `sharpness`.
fn lead(angles: [f32; 2], own: [f32; 2], sharpness: f32) -> f32 {
    let weights = SIDES.map(|s| own[s] * (angles[s] * sharpness).exp());
    (angles[0] * weights[0] + angles[1] * weights[1]) / (weights[0] + weights[1])
}

/// Simulates every strand over the whole clip; `speed` adds the head wind of walking.
pub fn strands(actor: &Actor, frames: &mut [Solved], seconds: f32, speed: f32, wraps: bool) {
    for strand in &actor.strands {
        swing(actor, strand, frames, seconds, speed, wraps);
    }
}

/// Simulates a damped point at each joint's far end, pulled to its rest position relative to the parent.
fn swing(actor: &Actor, s: &Strand, frames: &mut [Solved], seconds: f32, speed: f32, wraps: bool) {
    const STEPS: usize = 4;
    let dt = seconds / (frames.len() - 1) as f32 / STEPS as f32;
    let damping = 1.1 * s.stiffness.sqrt();
    for (k, joint) in s.joints.iter().enumerate() {
        let end = match s.joints.get(k + 1) {
            Some(next) => actor.rig.joints[*next].rest,
            None => s.tip,
        };
        let along = end - actor.rig.joints[*joint].rest;
        let parent = actor.rig.joints[*joint].parent.unwrap_or(rig::ROOT);
        let anchors: Vec<(Vec3, Quat)> = frames
            .iter()
            .map(|f| {
                let (at, rot) = actor.world(&f.local, f.hips);
                (at[*joint], rot[parent])
            })
            .collect();
        let rest_tip = |i: usize| anchors[i].0 + anchors[i].1 * along;
        let (mut tip, mut velocity) = (rest_tip(0), Vec3::ZERO);
        let wind = vec3(0.0, 0.0, -1.2 * speed);
        let loops = if wraps { 4 } else { 1 };
        for pass in 0..loops {
            for i in 0..frames.len() {
                let (base, rot) = anchors[i];
                let now = rot.inverse() * (tip - base);
                if pass + 1 == loops {
                    frames[i].local[*joint] = Quat::from_rotation_arc(along.normalize(), now.normalize());
                }
                if i + 1 == frames.len() {
                    break;
                }
                for step in 0..STEPS {
                    let t = (step + 1) as f32 / STEPS as f32;
                    let target = rest_tip(i).lerp(rest_tip(i + 1), t);
                    let pull = (target - tip) * s.stiffness + wind - velocity * damping;
                    velocity += pull * dt;
                    tip += velocity * dt;
                    let base = anchors[i].0.lerp(anchors[i + 1].0, t);
                    tip = base + (tip - base).normalize() * along.length();
                }
            }
        }
        close_seam(frames, *joint);
    }
}

/// Spreads the remaining difference between the first and last frame over the clip.
fn close_seam(frames: &mut [Solved], joint: usize) {
    let last = frames.len() - 1;
    let gap = frames[last].local[joint].inverse() * frames[0].local[joint];
    for (i, frame) in frames.iter_mut().enumerate() {
        let t = i as f32 / last as f32;
        frame.local[joint] *= Quat::IDENTITY.slerp(gap, t);
    }
}
