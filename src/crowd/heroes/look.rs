//! Look-at constraint: turns neck and head towards a point, on top of the clips.

use glam::{Affine3A, Quat, Vec3};

use crate::{
    bake::pose::model_from_joints,
    crowd::heroes::{FadeSpan, find_joint, mask},
    model::{Skeleton, Transform},
};

/// Share of the turn that the neck takes; the head takes the rest.
const NECK: f32 = 0.4;

/// Target of a look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gaze {
    /// The camera.
    Eye,
    /// A point in the world (m).
    Point(Vec3),
}

/// A turn of neck and head to a target over a span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadTurn {
    /// Target.
    pub gaze: Gaze,
    /// Limits of the turn from the chest's direction: to either side, and up or down (radians). Targets beyond them
    /// hold the head at the limit; for targets at the rear the head returns to the clip.
    pub limits: [f32; 2],
    /// Span of time, with fades.
    pub span: FadeSpan,
}

impl HeadTurn {
    /// A look within 70° to the sides and 35° up and down.
    #[must_use]
    pub const fn new(gaze: Gaze, span: FadeSpan) -> Self {
        Self {
            gaze,
            limits: [70.0_f32.to_radians(), 35.0_f32.to_radians()],
            span,
        }
    }
}

/// Joints of a skeleton that a look turns. Their forward direction is that of the rest pose, in which a character faces
/// +Z.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    head: usize,
    /// Joint, share of the turn, and mask of its subtree; the head alone if there is no neck.
    chain: Vec<(usize, f32, Vec<bool>)>,
    /// Parent of the neck, which limits are measured from.
    chest: Option<usize>,
    /// +Z of the rest pose in the head's space.
    forward: Vec3,
    /// Inverse of the chest's rest rotation.
    chest_from_rest: Quat,
}

impl Head {
    /// Finds the head by role, else by name; `None` without one.
    pub(crate) fn of(skeleton: &Skeleton) -> Option<Self> {
        let head = skeleton.role("head").or_else(|| find_joint(skeleton, "head"))?;
        let locals: Vec<Transform> = skeleton.joints.iter().map(|joint| joint.rest).collect();
        let mut rest = Vec::new();
        model_from_joints(skeleton, &locals, &mut rest);
        let parent = |joint: usize| skeleton.joints[joint].parent.map(|p| p as usize);
        let neck = parent(head).filter(|&p| skeleton.joints[p].name.to_lowercase().contains("neck"));
        let chest = neck.map_or_else(|| parent(head), parent);
        let links = neck.map(|neck| (neck, NECK)).into_iter().chain([(head, 1.0)]);
        Some(Self {
            head,
            chain: links
                .map(|(joint, share)| (joint, share, mask(skeleton, joint)))
                .collect(),
            chest,
            forward: rotation(&rest[head]).inverse() * Vec3::Z,
            chest_from_rest: chest.map_or(Quat::IDENTITY, |chest| rotation(&rest[chest]).inverse()),
        })
    }

    /// Position and unit forward direction of the head, model space.
    pub(crate) fn ray(&self, joints: &[Affine3A]) -> (Vec3, Vec3) {
        let head = &joints[self.head];
        (head.translation.into(), rotation(head) * self.forward)
    }

    /// Turns neck and head towards `target` (model space) by `weight`.
    pub(crate) fn turn(&self, joints: &mut [Affine3A], target: Vec3, limits: [f32; 2], weight: f32) {
        let body = self
            .chest
            .map_or(Quat::IDENTITY, |chest| rotation(&joints[chest]) * self.chest_from_rest);
        for (joint, share, below) in &self.chain {
            let (place, forward) = self.ray(joints);
            let Some((wanted, willing)) = within(body, target - place, limits) else {
                return;
            };
            let full = Quat::from_rotation_arc(forward, wanted);
            let turn = Quat::IDENTITY.slerp(full, share * weight * willing);
            rotate(joints, *joint, below, turn);
        }
    }
}

/// Nearest direction to `way` within limits about the forward of `body`, and its weight. The limits are angles to the
/// side and up (rad). The weight falls to 0 at the rear. Otherwise the head would snap from one shoulder to the other.
fn within(body: Quat, way: Vec3, limits: [f32; 2]) -> Option<(Vec3, f32)> {
    let [aside, up] = limits;
    let local = body.inverse() * way.try_normalize()?;
    let (yaw, pitch) = (local.x.atan2(local.z), local.y.clamp(-1.0, 1.0).asin());
    let rear = (std::f32::consts::PI - aside).max(1e-3);
    let past = ((yaw.abs() - aside) / rear).clamp(0.0, 1.0);
    let willing = 1.0 - past * past * (3.0 - 2.0 * past);
    let (yaw, pitch) = (yaw.clamp(-aside, aside), pitch.clamp(-up, up));
    let flat = Vec3::new(yaw.sin(), 0.0, yaw.cos()) * pitch.cos();
    Some((body * (flat + Vec3::Y * pitch.sin()), willing))
}

/// Rotates a joint's subtree about the joint, model space.
fn rotate(joints: &mut [Affine3A], joint: usize, below: &[bool], turn: Quat) {
    let pivot = Vec3::from(joints[joint].translation);
    let about = Affine3A::from_translation(pivot) * Affine3A::from_quat(turn) * Affine3A::from_translation(-pivot);
    for (matrix, _) in joints.iter_mut().zip(below).filter(|(_, below)| **below) {
        *matrix = about * *matrix;
    }
}

/// Rotation of a matrix that may be scaled; identity where it is singular.
fn rotation(matrix: &Affine3A) -> Quat {
    let turn = matrix.to_scale_rotation_translation().1;
    if turn.is_finite() && turn.length_squared() > 0.5 {
        turn.normalize()
    } else {
        Quat::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_stay_within_their_limits() {
        let limits = [1.2, 0.6];
        for yaw in -31..=31 {
            for pitch in -15..=15 {
                let (yaw, pitch) = (yaw as f32 * 0.1, pitch as f32 * 0.1);
                let way = Vec3::new(yaw.sin() * pitch.cos(), pitch.sin(), yaw.cos() * pitch.cos());
                let (found, willing) = within(Quat::IDENTITY, way * 3.0, limits).expect("a direction");
                let free = yaw.abs() <= limits[0] && pitch.abs() <= limits[1];
                assert!(!free || (found.distance(way) < 1e-5 && willing == 1.0), "{yaw} {pitch}");
                assert!(found.x.atan2(found.z).abs() < limits[0] + 1e-5 && found.y.asin().abs() < limits[1] + 1e-5);
                assert!((0.0..=1.0).contains(&willing));
            }
        }
        assert_eq!(within(Quat::IDENTITY, Vec3::ZERO, limits), None);
    }
}
