//! Joint transforms and palettes of a clip at a time.

use glam::{Affine3A, Quat, Vec3};

use crate::model::{Channel, Clip, Interpolation, Keys, Model, MorphChannel, Skeleton, Transform};

/// Samples the local transform of every joint at `time` (s), clamped to each channel's keys (glTF 2.0, section 3.11).
/// Joints without channels are at rest. `out` has one entry per joint.
pub fn sample(skeleton: &Skeleton, clip: &Clip, time: f32, out: &mut [Transform]) {
    for (local, joint) in out.iter_mut().zip(&skeleton.joints) {
        *local = joint.rest;
    }
    for channel in &clip.channels {
        let Some(local) = out.get_mut(channel.joint as usize) else {
            continue;
        };
        match &channel.keys {
            Keys::Translation(values) => local.translation = vector(channel, values, time),
            Keys::Scale(values) => local.scale = vector(channel, values, time),
            Keys::Rotation(values) => local.rotation = rotation(channel, values, time),
        }
    }
}

/// Accumulates local transforms down the hierarchy: `model_from_joint` of every joint.
pub fn model_from_joints(skeleton: &Skeleton, locals: &[Transform], out: &mut Vec<Affine3A>) {
    out.clear();
    for (joint, local) in skeleton.joints.iter().zip(locals) {
        let local = local.to_affine();
        let parent = joint.parent.and_then(|p| out.get(p as usize)).copied();
        out.push(parent.map_or(local, |p| p * local));
    }
}

/// `model_from_joint * inverse_bind` of every palette slot. `out` has one entry per slot.
pub fn palette(skeleton: &Skeleton, model_from_joints: &[Affine3A], out: &mut [Affine3A]) {
    for (matrix, slot) in out.iter_mut().zip(&skeleton.slots) {
        let joint = model_from_joints
            .get(slot.joint as usize)
            .copied()
            .unwrap_or(Affine3A::IDENTITY);
        *matrix = joint * Affine3A::from_mat4(slot.inverse_bind);
    }
}

/// Buffers for repeated posing without allocation.
#[derive(Debug, Default)]
pub struct Poser {
    locals: Vec<Transform>,
    joints: Vec<Affine3A>,
}

impl Poser {
    /// Palette of a clip at `time` (s); `None` poses the rest pose. `out` has one entry per slot.
    pub fn palette(&mut self, skeleton: &Skeleton, clip: Option<&Clip>, time: f32, out: &mut [Affine3A]) {
        self.pose(skeleton, clip, time);
        palette(skeleton, &self.joints, out);
    }

    /// `model_from_joint` of every joint, for drawing the skeleton and for attachments.
    pub fn pose(&mut self, skeleton: &Skeleton, clip: Option<&Clip>, time: f32) -> &[Affine3A] {
        self.locals.resize(skeleton.joints.len(), Transform::IDENTITY);
        let rest = Clip::default();
        sample(skeleton, clip.unwrap_or(&rest), time, &mut self.locals);
        model_from_joints(skeleton, &self.locals, &mut self.joints);
        &self.joints
    }
}

/// Samples the weight of every morph target at `time` (s). `out` has one entry per target of the model.
pub fn morph_weights(model: &Model, clip: Option<&Clip>, time: f32, out: &mut [f32]) {
    for (weight, morph) in out.iter_mut().zip(&model.morphs) {
        *weight = morph.rest;
    }
    for channel in clip.iter().flat_map(|c| &c.morphs) {
        if let Some(weight) = out.get_mut(channel.morph as usize) {
            *weight = morph_weight(channel, time);
        }
    }
}

/// Weight of a channel at `time` (s).
#[must_use]
pub fn morph_weight(channel: &MorphChannel, time: f32) -> f32 {
    let values = &channel.values;
    match (channel.interpolation, place(&channel.times, time)) {
        (Interpolation::CubicSpline, KeyPlace::At(k)) => values[3 * k + 1],
        (Interpolation::CubicSpline, KeyPlace::Between(k, s, interval)) => {
            let [a, b, c, d] = hermite(s, interval);
            values[3 * k + 1] * a + values[3 * k + 2] * b + values[3 * k + 4] * c + values[3 * k + 3] * d
        }
        (Interpolation::Linear, KeyPlace::Between(k, s, _)) => values[k] + (values[k + 1] - values[k]) * s,
        (_, KeyPlace::At(k) | KeyPlace::Between(k, ..)) => values[k],
    }
}

/// Position of a time among a channel's keys.
enum KeyPlace {
    /// The time is at a key, or beyond the first or last one.
    At(usize),
    /// The time is between keys `k` and `k + 1`: fraction in `(0, 1)` and interval (s).
    Between(usize, f32, f32),
}

fn place(times: &[f32], time: f32) -> KeyPlace {
    // Rounding may put a computed time just before its key, where a step would not be taken yet.
    let latest = time + 4.0 * f32::EPSILON * time.abs();
    let after = times.partition_point(|&t| t <= latest);
    if after == 0 {
        return KeyPlace::At(0);
    }
    let key = after - 1;
    match times.get(after) {
        Some(&next) if time > times[key] => {
            let interval = next - times[key];
            KeyPlace::Between(key, (time - times[key]) / interval, interval)
        }
        _ => KeyPlace::At(key),
    }
}

fn vector(channel: &Channel, values: &[Vec3], time: f32) -> Vec3 {
    match (channel.interpolation, place(&channel.times, time)) {
        (Interpolation::CubicSpline, KeyPlace::At(k)) => values[3 * k + 1],
        (Interpolation::CubicSpline, KeyPlace::Between(k, s, interval)) => {
            let [a, b, c, d] = hermite(s, interval);
            values[3 * k + 1] * a + values[3 * k + 2] * b + values[3 * k + 4] * c + values[3 * k + 3] * d
        }
        (Interpolation::Linear, KeyPlace::Between(k, s, _)) => values[k].lerp(values[k + 1], s),
        (_, KeyPlace::At(k) | KeyPlace::Between(k, ..)) => values[k],
    }
}

fn rotation(channel: &Channel, values: &[Quat], time: f32) -> Quat {
    match (channel.interpolation, place(&channel.times, time)) {
        (Interpolation::CubicSpline, KeyPlace::At(k)) => values[3 * k + 1],
        (Interpolation::CubicSpline, KeyPlace::Between(k, s, interval)) => {
            let [a, b, c, d] = hermite(s, interval);
            let sum = values[3 * k + 1] * a + values[3 * k + 2] * b + values[3 * k + 4] * c + values[3 * k + 3] * d;
            let length = sum.length();
            if length > 0.0 { sum / length } else { values[3 * k + 1] }
        }
        // `slerp` takes the shorter arc.
        (Interpolation::Linear, KeyPlace::Between(k, s, _)) => values[k].slerp(values[k + 1], s).normalize(),
        (_, KeyPlace::At(k) | KeyPlace::Between(k, ..)) => values[k],
    }
}

/// Cubic Hermite factors of value, out-tangent, next value and next in-tangent (glTF 2.0, appendix C.5).
fn hermite(s: f32, interval: f32) -> [f32; 4] {
    let (s2, s3) = (s * s, s * s * s);
    [
        2.0 * s3 - 3.0 * s2 + 1.0,
        interval * (s3 - 2.0 * s2 + s),
        3.0 * s2 - 2.0 * s3,
        interval * (s3 - s2),
    ]
}
