//! Comparison of two rest poses: positions and rotations of joints, and the ratio of sizes.

use std::collections::BTreeSet;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::{
    bake::retarget::{
        SAME_PLACE,
        bones::Roles,
        names::{Pairs, plain_name},
        reach,
    },
    model::{HumanBone, Joint, Skeleton},
};

/// Rest pose in model space, by joint.
pub(super) struct SkeletonRest {
    /// Rotation of everything, about +Y.
    base: DQuat,
    /// Rotation of each joint, without the effect of scales above it.
    pub turn: Vec<DQuat>,
    /// Transform `model_from_joint` of each joint.
    pub model_from_joint: Vec<DAffine3>,
}

impl SkeletonRest {
    /// Rest pose of joints below a node with the rotation `base`.
    pub(super) fn of(joints: &[Joint], base: DQuat) -> Self {
        let above = DAffine3::from_quat(base);
        let mut rest = Self {
            base,
            turn: Vec::with_capacity(joints.len()),
            model_from_joint: Vec::with_capacity(joints.len()),
        };
        for joint in joints {
            let own = joint.rest;
            let turn = own.rotation.as_dquat().normalize();
            let local =
                DAffine3::from_scale_rotation_translation(own.scale.as_dvec3(), turn, own.translation.as_dvec3());
            let (turn, local) = match joint.parent {
                Some(parent) => (
                    (rest.turn[parent as usize] * turn).normalize(),
                    rest.model_from_joint[parent as usize] * local,
                ),
                None if base == DQuat::IDENTITY => (turn, local),
                None => ((base * turn).normalize(), above * local),
            };
            rest.turn.push(turn);
            rest.model_from_joint.push(local);
        }
        rest
    }

    /// Rotation of a joint's parent.
    pub(super) fn above_turn(&self, joint: &Joint) -> DQuat {
        joint.parent.map_or(self.base, |parent| self.turn[parent as usize])
    }

    /// Rotation and scale of a joint's parent.
    pub(super) fn above_matrix(&self, joint: &Joint) -> DMat3 {
        let above = joint
            .parent
            .map(|parent| self.model_from_joint[parent as usize].matrix3);
        above.unwrap_or(DMat3::from_quat(self.base))
    }

    pub(super) fn place(&self, joint: u32) -> DVec3 {
        self.model_from_joint[joint as usize].translation
    }
}

/// Comparison of body and library.
pub(super) struct RestComparison {
    /// Ratio of lengths, body to library.
    pub scale: f64,
    /// True if both rests have one shape, up to that scale.
    pub alike: bool,
    /// Hips of the body and all joints above them: they take translations in any case.
    pub trunk: BTreeSet<u32>,
}

impl RestComparison {
    pub(super) fn find(
        body: &Skeleton,
        roles: &Roles,
        mine: &SkeletonRest,
        theirs: &SkeletonRest,
        pairs: &Pairs,
    ) -> Self {
        let matched = (0..body.joints.len() as u32).filter_map(|own| Some((own, pairs.library(own)?)));
        let matched: Vec<(u32, u32)> = matched.collect();
        let (own_hips, hips) = hips(body, roles, pairs)
            .or(matched.first().copied())
            .unwrap_or_default();
        let offsets = |rest: &SkeletonRest, joints: &mut dyn Iterator<Item = u32>, from: u32| -> Vec<DVec3> {
            joints.map(|joint| rest.place(joint) - rest.place(from)).collect()
        };
        let ours = offsets(mine, &mut matched.iter().map(|pair| pair.0), own_hips);
        let others = offsets(theirs, &mut matched.iter().map(|pair| pair.1), hips);
        let spread = |points: &[DVec3]| points.iter().map(|point| point.length_squared()).sum::<f64>().sqrt();
        let by_size = exact(ratio(spread(&ours), spread(&others)).unwrap_or(1.0));
        let near = SAME_PLACE * reach(&ours);
        let alike = ours.iter().zip(&others).all(|(a, b)| a.distance(*b * by_size) <= near);
        let above_feet = |points: &[DVec3]| -points.iter().map(|point| point.y).fold(0.0, f64::min);
        let by_hips = || {
            let (a, b) = (above_feet(&ours), above_feet(&others));
            // Skeletons whose hips are the lowest joint have no hip height.
            ratio(a, b).filter(|_| a > SAME_PLACE * reach(&ours) && b > SAME_PLACE * reach(&others))
        };
        Self {
            scale: if alike { by_size } else { by_hips().unwrap_or(by_size) },
            alike,
            trunk: std::iter::successors(Some(own_hips), |&own| body.joints.get(own as usize)?.parent).collect(),
        }
    }
}

fn ratio(a: f64, b: f64) -> Option<f64> {
    Some(a / b).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

/// Rounds a scale close to 1 to exactly 1: keys then stay as they are, to the bit.
fn exact(scale: f64) -> f64 {
    if (scale - 1.0).abs() < 1e-6 { 1.0 } else { scale }
}

/// Hips of the body and their counterpart: found by name, or else the first joint from which several matched limbs
/// branch.
fn hips(body: &Skeleton, roles: &Roles, pairs: &Pairs) -> Option<(u32, u32)> {
    let stated = HumanBone::of_vrm("hips").and_then(|bone| roles.joint(bone));
    if let Some(own) = stated.filter(|_| roles.are_stated)
        && let Some(joint) = pairs.library(own)
    {
        return Some((own, joint));
    }
    let matched = || (0..body.joints.len() as u32).filter_map(|own| Some((own, pairs.library(own)?)));
    let named = matched().find(|&(own, _)| {
        let name = plain_name(&body.joints[own as usize].name);
        name == "hip" || name.contains("hips") || name.contains("pelvis")
    });
    let mut leads = vec![false; body.joints.len()];
    let mut limbs = vec![0; body.joints.len()];
    for own in (0..body.joints.len()).rev() {
        leads[own] |= pairs.library(own as u32).is_some();
        if let (true, Some(parent)) = (leads[own], body.joints[own].parent) {
            leads[parent as usize] = true;
            limbs[parent as usize] += 1;
        }
    }
    named.or_else(|| matched().find(|&(own, _)| limbs[own as usize] > 1))
}
