//! Direction that a skeleton at rest faces, from its left and right sides and its toes.

use std::{collections::HashMap, f64::consts::PI};

use glam::{DQuat, DVec3};

use crate::{
    bake::retarget::{bones::Roles, names::plain_name, rest::SkeletonRest},
    model::{HumanBone, Joint, Side},
};

/// Largest difference between two directions that counts as one (rad): exporters use quarter and half turns.
const SAME: f64 = PI / 4.0;
/// Distance from a multiple of a quarter turn within which a turn becomes that multiple (rad).
const NEAR_QUARTER: f64 = PI / 9.0;
/// Number of pairs of left and right joints from which sides alone are certain.
const ENOUGH_PAIRS: usize = 3;
/// Share of the distances of the sides that must point one way.
const AGREEING: f64 = 0.7;

/// Direction that a skeleton faces, as an angle about +Y from +Z (rad).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Facing {
    /// No joint of the skeleton states a direction.
    Unknown,
    /// Few joints state a direction, or they contradict each other.
    Doubtful(f64),
    /// Sides and toes agree.
    Certain(f64),
}

impl Facing {
    /// Estimates the direction of a rest pose.
    pub(super) fn of(joints: &[Joint], rest: &SkeletonRest, roles: &Roles) -> Self {
        let sides = sides(joints, rest, roles);
        let toes = toes(joints, rest, roles);
        match (sides, toes) {
            (Some((sides, _)), Some(toes)) if wrapped(sides - toes).abs() < SAME => Self::Certain(sides),
            (Some((sides, _)), Some(_)) => Self::Doubtful(sides),
            (Some((sides, pairs)), None) if pairs >= ENOUGH_PAIRS => Self::Certain(sides),
            (Some((sides, _)), None) => Self::Doubtful(sides),
            (None, Some(toes)) => Self::Doubtful(toes),
            (None, None) => Self::Unknown,
        }
    }

    fn angle(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Doubtful(angle) | Self::Certain(angle) => Some(angle),
        }
    }
}

/// Turn of a library about +Y (rad) that makes it face as a body does; the error is a turn of which the skeletons
/// leave doubt.
pub(super) fn turn_between(body: Facing, library: Facing) -> Result<f64, f64> {
    let (Some(to), Some(from)) = (body.angle(), library.angle()) else {
        return Ok(0.0);
    };
    let turn = wrapped(to - from);
    if turn.abs() < SAME {
        return Ok(0.0);
    }
    let quarter = (turn / (PI / 2.0)).round() * (PI / 2.0);
    let turn = if (turn - quarter).abs() < NEAR_QUARTER {
        quarter
    } else {
        turn
    };
    match (body, library) {
        (Facing::Certain(_), Facing::Certain(_)) => Ok(turn),
        _ => Err(turn),
    }
}

/// Rotation about +Y.
pub(super) fn about_y(turn: f64) -> DQuat {
    if turn == 0.0 {
        DQuat::IDENTITY
    } else {
        DQuat::from_rotation_y(turn)
    }
}

fn wrapped(angle: f64) -> f64 {
    let angle = angle.rem_euclid(2.0 * PI);
    if angle > PI { angle - 2.0 * PI } else { angle }
}

fn angle_of(direction: DVec3) -> f64 {
    direction.x.atan2(direction.z)
}

fn horizontal(v: DVec3) -> DVec3 {
    DVec3::new(v.x, 0.0, v.z)
}

/// Direction to which left and right joints point, and the number of their pairs.
fn sides(joints: &[Joint], rest: &SkeletonRest, roles: &Roles) -> Option<(f64, usize)> {
    let mut pairs: HashMap<String, [Option<u32>; 2]> = HashMap::new();
    for (index, joint) in (0..).zip(joints) {
        let bone = roles.bone(index);
        let of_bone = bone.and_then(|bone| {
            let side = bone.side()?;
            let left = if side == Side::Left { bone } else { bone.mirrored() };
            Some((side, left.name()))
        });
        let plain = plain_name(&joint.name);
        let of_name = || HumanBone::side_of(&plain).map(|(side, rest)| (side, format!("{rest} of a side")));
        if let Some((side, key)) = of_bone.or_else(of_name) {
            pairs.entry(key).or_default()[usize::from(side == Side::Right)].get_or_insert(index);
        }
    }
    let whole = pairs.into_values().filter_map(|[left, right]| Some((left?, right?)));
    let apart: Vec<DVec3> = whole
        .map(|(left, right)| horizontal(rest.place(left) - rest.place(right)))
        .collect();
    let sum: DVec3 = apart.iter().sum();
    let all: f64 = apart.iter().map(|v| v.length()).sum();
    // Left is +X of a skeleton that faces +Z with +Y up.
    (all > 0.0 && sum.length() > AGREEING * all).then(|| (angle_of(sum.cross(DVec3::Y)), apart.len()))
}

/// Direction to which toes point from their feet.
fn toes(joints: &[Joint], rest: &SkeletonRest, roles: &Roles) -> Option<f64> {
    let mut sum = DVec3::ZERO;
    let mut all = 0.0;
    for (index, joint) in (0..).zip(joints) {
        if let (Some(foot), true) = (joint.parent, roles.bone(index).is_some_and(HumanBone::is_toes)) {
            let ahead = rest.place(index) - rest.place(foot);
            sum += horizontal(ahead);
            all += ahead.length();
        }
    }
    (all > 0.0 && sum.length() > 0.3 * all).then(|| angle_of(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_needs_certainty_on_both_sides() {
        use Facing::{Certain, Doubtful, Unknown};
        let near = |a: Result<f64, f64>, b: f64| a.is_ok_and(|a| (a - b).abs() < 1e-9);
        assert!(near(turn_between(Certain(0.3), Certain(0.0)), 0.0));
        assert!(
            near(turn_between(Certain(PI), Certain(0.1)), PI) || near(turn_between(Certain(PI), Certain(0.1)), -PI)
        );
        assert!(near(turn_between(Certain(PI / 2.0), Certain(0.0)), PI / 2.0));
        assert!(near(turn_between(Certain(1.0), Certain(0.0)), 1.0));
        assert!(near(turn_between(Unknown, Certain(2.0)), 0.0));
        assert!(near(turn_between(Doubtful(0.5), Certain(0.0)), 0.0));
        assert!(turn_between(Doubtful(PI), Certain(0.0)).is_err());
    }
}
