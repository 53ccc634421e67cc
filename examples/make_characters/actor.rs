//! Rig with a style of motion: reference stance, measures and personal habits.

use crate::parts::SkirtSkin;
use crate::rig::{self, Arm, Leg, Rig, arm, hang_rotation, leg};
use glam::{Quat, Vec3};

/// One gait, walking or running.
#[derive(Clone, Copy, Debug)]
pub struct Gait {
    /// Ground speed (m/s).
    pub speed: f32,
    /// Duration of two steps (s).
    pub cycle: f32,
    /// Duty factor: fraction of the cycle in which a foot is on the ground.
    pub duty: f32,
    /// Height of the swinging foot (m).
    pub lift: f32,
    /// Foot pitch at heel strike and at toe-off (rad).
    pub strike: f32,
    pub toe_off: f32,
    /// Distances by which the hips are lowered, and by which they bob (m).
    pub crouch: f32,
    pub bounce: f32,
    /// Sideways travel of the hips (m).
    pub sway: f32,
    /// Turn and tilt of the pelvis (rad).
    pub twist: f32,
    pub tilt: f32,
    /// Forward pitch of the trunk (rad).
    pub lean: f32,
    /// Arm swing, its centre, and the elbow's bend.
    pub arm: f32,
    pub arm_mid: f32,
    pub elbow: f32,
}

/// Habits that colour every clip.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Factor of clip durations.
    pub tempo: f32,
    /// Size of gestures.
    pub energy: f32,
    /// Forward bend of the trunk and of the head (rad).
    pub stoop: f32,
    pub head_drop: f32,
    /// Distance by which the hips are lowered when standing (m).
    pub crouch: f32,
    /// Distance of each foot beyond the width of the hips (m).
    pub stance: f32,
    pub toe_out: f32,
    /// Angle of the arms off the body (rad).
    pub arm_out: f32,
    pub shrug: f32,
    /// Sideways swing of the hips, 1 is average.
    pub sway: f32,
    pub walk: Gait,
    pub run: Gait,
}

/// Strand of hair or cloth with secondary motion.
#[derive(Clone, Debug)]
pub struct Strand {
    pub joints: Vec<usize>,
    /// End of the last joint's segment in rest space (m).
    pub tip: Vec3,
    /// Spring stiffness towards the rest shape (1/s²).
    pub stiffness: f32,
}

/// Additions of clothes and hair to the body.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    pub skirt: Option<SkirtSkin>,
    pub strands: Vec<Strand>,
    pub waist: f32,
    pub chest: f32,
}

/// A brisk adult walk.
pub const WALK: Gait = Gait {
    speed: 1.25,
    cycle: 1.0,
    duty: 0.6,
    lift: 0.07,
    strike: 0.34,
    toe_off: 0.62,
    crouch: 0.03,
    bounce: 0.018,
    sway: 0.02,
    twist: 0.11,
    tilt: 0.05,
    lean: 0.05,
    arm: 0.5,
    arm_mid: 0.02,
    elbow: 0.32,
};

/// An easy adult run.
pub const RUN: Gait = Gait {
    speed: 3.1,
    cycle: 0.66,
    duty: 0.36,
    lift: 0.2,
    strike: 0.12,
    toe_off: 0.75,
    crouch: 0.06,
    bounce: 0.035,
    sway: 0.012,
    twist: 0.14,
    tilt: 0.05,
    lean: 0.24,
    arm: 0.8,
    arm_mid: 0.05,
    elbow: 1.45,
};

/// A relaxed adult.
pub const STYLE: Style = Style {
    tempo: 1.0,
    energy: 1.0,
    stoop: 0.0,
    head_drop: 0.0,
    crouch: 0.008,
    stance: 0.01,
    toe_out: 0.14,
    arm_out: 0.14,
    shrug: 0.0,
    sway: 1.0,
    walk: WALK,
    run: RUN,
};

pub struct Actor {
    pub rig: Rig,
    pub style: Style,
    pub skirt: Option<SkirtSkin>,
    pub strands: Vec<Strand>,
    /// Half-width of the clothed waist (m): where a hand on the hip rests.
    pub waist: f32,
    /// Front of the clothed chest before the chest joint (m): where a guitar touches it.
    pub chest: f32,
    /// Rest-to-reference rotation per joint, and offsets in the reference stance.
    gref: Vec<Quat>,
    offsets: Vec<Vec3>,
}

impl Actor {
    pub fn new(rig: Rig, style: Style, extra: Extras) -> Self {
        let mut gref = vec![Quat::IDENTITY; rig.joints.len()];
        for side in rig::SIDES {
            for part in [Arm::Upper, Arm::Lower, Arm::Twist, Arm::Hand] {
                gref[arm(side, part)] = hang_rotation(&rig.props, side);
            }
            for part in [Arm::Fingers, Arm::Tips, Arm::Thumb] {
                gref[arm(side, part)] = hang_rotation(&rig.props, side);
            }
        }
        let parent_ref = |i: usize| rig.joints[i].parent.map_or(Quat::IDENTITY, |p| gref[p]);
        let offsets = (0..rig.joints.len()).map(|i| parent_ref(i) * rig.offset(i)).collect();
        let Extras {
            skirt,
            strands,
            waist,
            chest,
        } = extra;
        let mut rig = rig;
        rig.add_chest_socket(chest);
        Self {
            rig,
            style,
            skirt,
            strands,
            waist,
            chest,
            gref,
            offsets,
        }
    }

    /// Offset from the parent in the reference stance.
    pub fn offset(&self, joint: usize) -> Vec3 {
        self.offsets[joint]
    }

    /// Body size relative to the standard adult.
    pub fn scale(&self) -> f32 {
        self.rig.props.hips_y / rig::Proportions::ADULT.hips_y
    }

    pub fn leg_bones(&self) -> (f32, f32) {
        (
            self.offset(leg(0, Leg::Shin)).length(),
            self.offset(leg(0, Leg::Foot)).length(),
        )
    }

    pub fn leg_len(&self) -> f32 {
        let (a, b) = self.leg_bones();
        a + b
    }

    pub fn arm_bones(&self) -> (f32, f32) {
        (self.rig.props.upper_arm, self.rig.props.forearm)
    }

    /// Rotation of a joint node in the file from its reference-stance rotation.
    pub fn node_rotation(&self, joint: usize, local: Quat) -> Quat {
        let parent = self.rig.joints[joint].parent.map_or(Quat::IDENTITY, |p| self.gref[p]);
        parent.inverse() * local * self.gref[joint]
    }

    /// Positions and rotations of all joints in model space, reference stance rotations.
    pub fn world(&self, local: &[Quat], hips: Vec3) -> (Vec<Vec3>, Vec<Quat>) {
        let mut at = vec![Vec3::ZERO; local.len()];
        let mut rot = vec![Quat::IDENTITY; local.len()];
        for (i, joint) in self.rig.joints.iter().enumerate() {
            let Some(p) = joint.parent else { continue };
            at[i] = if i == rig::HIPS {
                hips
            } else {
                at[p] + rot[p] * self.offsets[i]
            };
            rot[i] = rot[p] * local[i];
        }
        (at, rot)
    }
}
