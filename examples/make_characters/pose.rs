//! Pose in an animator's terms, and its conversion to joint rotations.
//!
//! Poses are written in a reference stance: upright, arms hanging, every joint's rotation the
//! identity. Angles are radians; (pitch, yaw, roll) with pitch leaning forward, yaw turning
//! left, roll leaning right. Arms are written for the left side and mirrored for the right, in
//! (out, up, forward) coordinates.

use crate::actor::Actor;
use crate::ik::{frame, mirror, mirror_point, twist_y, two_bone};
use crate::rig::{self, Arm, Leg, SIDES, Side, arm, leg, sign};
use glam::{Quat, Vec3, vec3};

/// Origin and axes of an arm target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Space {
    /// The shoulder, along the chest's axes, in arm lengths.
    Shoulder,
    /// The chest joint on the midline, in body scale metres.
    Chest,
    /// The hips joint on the midline, in body scale metres.
    Hips,
}

#[derive(Clone, Copy, Debug)]
pub enum Reach {
    /// Angles: raise forward, raise sideways, turn inward, bend the elbow.
    Swing { fwd: f32, out: f32, twist: f32, elbow: f32 },
    /// Wrist position and the direction the elbow points to.
    To { space: Space, at: Vec3, elbow: Vec3 },
}

#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Angles: pronation (palm down), flexion towards the palm, tilt towards the thumb.
    pub pron: f32,
    pub flex: f32,
    pub tilt: f32,
    /// 0 flat, 1 fist.
    pub curl: f32,
    /// Directions of fingers and palm in chest axes, overriding the angles above.
    pub aim: Option<(Vec3, Vec3)>,
}

#[derive(Clone, Copy, Debug)]
pub struct ArmPose {
    pub reach: Reach,
    pub hand: Hand,
    /// Raise of the shoulder (rad).
    pub shrug: f32,
}

/// Pose of a foot; its position is that of the flat foot below its ankle.
#[derive(Clone, Copy, Debug, Default)]
pub struct FootPose {
    pub at: Vec3,
    pub yaw: f32,
    /// Pitch: positive lifts the toes about the heel, negative the heel about the ball.
    pub pitch: f32,
    /// Share of the heel's lift that the toes take back to stay flat, 0..1.
    pub toe_flat: f32,
}

#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Offset of the hips from their rest position (m).
    pub hips: Vec3,
    pub hips_rot: Vec3,
    /// Bend of the trunk relative to the hips.
    pub spine: Vec3,
    /// Orientation of the head in model space.
    pub head: Vec3,
    pub arms: [ArmPose; 2],
    pub feet: [FootPose; 2],
}

/// Rotations relative to the parent in reference space, and the position of the hips.
#[derive(Clone, Debug)]
pub struct Solved {
    pub local: Vec<Quat>,
    pub hips: Vec3,
}

pub fn euler(v: Vec3) -> Quat {
    Quat::from_rotation_y(v.y) * Quat::from_rotation_x(v.x) * Quat::from_rotation_z(v.z)
}

/// Converts the pose to rotations of the common joints.
pub fn solve(actor: &Actor, body: &Body) -> Solved {
    let mut out = Solved {
        local: vec![Quat::IDENTITY; actor.rig.joints.len()],
        hips: Vec3::ZERO,
    };
    let hips_rot = euler(body.hips_rot);
    let ankles = SIDES.map(|s| ankle(actor, &body.feet[s], s));
    out.hips = actor.rig.joints[rig::HIPS].rest + body.hips;
    out.hips.y -= drop_to_reach(actor, out.hips, hips_rot, &ankles);
    out.local[rig::HIPS] = hips_rot;
    for side in SIDES {
        solve_leg(actor, &mut out, body, side, ankles[side]);
    }
    let bend = body.spine + vec3(actor.style.stoop, 0.0, 0.0);
    out.local[rig::SPINE] = euler(bend * 0.45);
    out.local[rig::CHEST] = euler(bend * 0.55);
    let chest = hips_rot * out.local[rig::SPINE] * out.local[rig::CHEST];
    let head = euler(body.head + vec3(actor.style.head_drop, 0.0, 0.0));
    let neck = chest.slerp(head, 0.5);
    out.local[rig::NECK] = chest.inverse() * neck;
    out.local[rig::HEAD] = neck.inverse() * head;
    for side in SIDES {
        solve_arm(actor, &mut out, &body.arms[side], side);
    }
    out
}

/// Returns ankle position and foot rotation of a foot that rolls over its heel or ball.
fn ankle(actor: &Actor, foot: &FootPose, side: Side) -> (Vec3, Quat) {
    let p = &actor.rig.props;
    let turn = Quat::from_rotation_y(foot.yaw * sign(side));
    let heel = vec3(0.0, 0.0, p.heel_z * 0.75 - p.ankle.z);
    let ball = vec3(0.0, p.ball_y(), p.ball_z - p.ankle.z);
    let pivot = if foot.pitch > 0.0 { heel } else { ball };
    let roll = Quat::from_rotation_x(-foot.pitch);
    let from_pivot = vec3(0.0, p.ankle.y, 0.0) - pivot;
    (foot.at + turn * (pivot + roll * from_pivot), turn * roll)
}

/// Returns the distance by which the hips must be lowered so that no leg is fully straight (m).
fn drop_to_reach(actor: &Actor, hips: Vec3, rot: Quat, ankles: &[(Vec3, Quat); 2]) -> f32 {
    const SOFT: f32 = 0.006;
    let longest = actor.leg_len() * 0.992;
    let need = |side: Side| {
        let joint = hips + rot * actor.offset(leg(side, Leg::Thigh));
        let to = joint - ankles[side].0;
        let flat = to.x * to.x + to.z * to.z;
        to.y - (longest * longest - flat).max(0.0).sqrt()
    };
    let soft = |x: f32| SOFT * (1.0 + (x / SOFT).min(40.0).exp()).ln().max(x / SOFT);
    soft(need(0)) + soft(need(1) - soft(need(0)))
}

fn solve_leg(actor: &Actor, out: &mut Solved, body: &Body, side: Side, ankle: (Vec3, Quat)) {
    let hips = out.local[rig::HIPS];
    let joint = |part| leg(side, part);
    let root = out.hips + hips * actor.offset(joint(Leg::Thigh));
    let (l1, l2) = actor.leg_bones();
    let foot_yaw = body.feet[side].yaw * sign(side);
    let facing = Quat::from_rotation_y(0.35 * body.hips_rot.y + 0.65 * foot_yaw) * Vec3::Z;
    let pole = facing + vec3(0.08 * sign(side), 0.0, 0.0);
    let bend = two_bone(root, ankle.0, l1, l2, pole);
    // Bones do not hang exactly along -Y at rest.
    let straighten = |part| {
        let bone = actor.offset(joint(part)).normalize();
        Quat::from_rotation_arc(bone, Vec3::NEG_Y)
    };
    let thigh = frame(bend.mid - root, bend.side) * straighten(Leg::Shin);
    let shin = frame(bend.end - bend.mid, bend.side) * straighten(Leg::Foot);
    out.local[joint(Leg::Thigh)] = hips.inverse() * thigh;
    out.local[joint(Leg::Shin)] = thigh.inverse() * shin;
    out.local[joint(Leg::Foot)] = shin.inverse() * ankle.1;
    let foot = &body.feet[side];
    let toe = foot.pitch.min(0.0) * foot.toe_flat;
    out.local[joint(Leg::Toe)] = Quat::from_rotation_x(toe);
}

/// Solves an arm as a left one; the right arm is solved mirrored.
fn solve_arm(actor: &Actor, out: &mut Solved, pose: &ArmPose, side: Side) {
    let (spine, chest) = (out.local[rig::SPINE], out.local[rig::CHEST]);
    let to_left = |q: Quat| if side == 0 { q } else { mirror(q) };
    let point = |p: Vec3| if side == 0 { p } else { mirror_point(p) };
    let hips_q = out.local[rig::HIPS];
    let spine_at = out.hips + hips_q * actor.offset(rig::SPINE);
    let chest_at = spine_at + hips_q * spine * actor.offset(rig::CHEST);
    let trunk = Trunk {
        hips: (point(out.hips), to_left(hips_q)),
        chest: (point(chest_at), to_left(hips_q * spine * chest)),
    };
    let parts = arm_rotations(actor, &trunk, pose);
    for (part, q) in parts {
        out.local[arm(side, part)] = to_left(q);
    }
}

/// Position and rotation of the trunk's ends, mirrored for the right arm.
struct Trunk {
    hips: (Vec3, Quat),
    chest: (Vec3, Quat),
}

fn arm_rotations(actor: &Actor, trunk: &Trunk, pose: &ArmPose) -> [(Arm, Quat); 8] {
    let (chest_at, chest) = trunk.chest;
    let shrug = pose.shrug + actor.style.shrug;
    let clavicle = chest * Quat::from_rotation_z(shrug);
    let root = chest_at + chest * actor.offset(arm(0, Arm::Clavicle)) + clavicle * actor.offset(arm(0, Arm::Upper));
    let (upper, lower) = match pose.reach {
        Reach::Swing { fwd, out, twist, elbow } => {
            let raise = Quat::from_rotation_z(out) * Quat::from_rotation_x(-fwd);
            let upper = chest * raise * Quat::from_rotation_y(-twist);
            (upper, upper * Quat::from_rotation_x(-elbow))
        }
        Reach::To { space, at, elbow } => {
            let target = target_point(actor, trunk, space, at);
            let (l1, l2) = actor.arm_bones();
            let bend = two_bone(root, target, l1, l2, chest * elbow);
            (
                frame(bend.mid - root, -bend.side),
                frame(bend.end - bend.mid, -bend.side),
            )
        }
    };
    let hand = hand_rotation(&pose.hand, chest, lower);
    let half_turn = Quat::from_rotation_y(twist_y(hand) * 0.5);
    let c = pose.hand.curl;
    [
        (Arm::Clavicle, chest.inverse() * clavicle),
        (Arm::Upper, clavicle.inverse() * upper),
        (Arm::Lower, upper.inverse() * lower),
        (Arm::Twist, half_turn),
        (Arm::Hand, half_turn.inverse() * hand),
        (Arm::Fingers, Quat::from_rotation_z(-1.45 * c)),
        (Arm::Tips, Quat::from_rotation_z(-1.5 * c)),
        (
            Arm::Thumb,
            Quat::from_rotation_y(-0.75 * c) * Quat::from_rotation_x(0.35 * c),
        ),
    ]
}

fn target_point(actor: &Actor, trunk: &Trunk, space: Space, at: Vec3) -> Vec3 {
    let (chest_at, chest) = trunk.chest;
    match space {
        Space::Shoulder => {
            let rest = actor.offset(arm(0, Arm::Clavicle)) + actor.offset(arm(0, Arm::Upper));
            chest_at + chest * (rest + at * actor.rig.props.arm_len())
        }
        Space::Chest => chest_at + chest * (at * actor.scale()),
        Space::Hips => trunk.hips.0 + trunk.hips.1 * (at * actor.scale()),
    }
}

/// Rotation of the hand relative to the forearm.
fn hand_rotation(hand: &Hand, chest: Quat, lower: Quat) -> Quat {
    match hand.aim {
        Some((fingers, palm)) => {
            let y = -fingers.normalize();
            let front = (-palm).cross(y);
            lower.inverse() * chest * frame(-y, front)
        }
        None => {
            Quat::from_rotation_y(-hand.pron) * Quat::from_rotation_z(-hand.flex) * Quat::from_rotation_x(-hand.tilt)
        }
    }
}
