//! The skeleton shared by every character: joint numbering, proportions, rest positions.
//!
//! Facing +Z with +Y up puts the left side at +X. Every joint's rest rotation is the identity;
//! the rest pose is an "A": arms hang [`REST_ARM_ANGLE`] away from the body.

use glam::{Quat, Vec3, vec3};

pub const ROOT: usize = 0;
pub const HIPS: usize = 1;
pub const SPINE: usize = 2;
pub const CHEST: usize = 3;
pub const NECK: usize = 4;
pub const HEAD: usize = 5;
const ARM_L: usize = 6;
const ARM_LEN: usize = 8;
const LEG_L: usize = ARM_L + 2 * ARM_LEN;
const LEG_LEN: usize = 4;
/// Number of joints every character has; extra joints (hair, skirt) follow.
const COMMON: usize = LEG_L + 2 * LEG_LEN;

/// Angle of the rest-pose arm from straight down (rad).
pub const REST_ARM_ANGLE: f32 = 0.75;

/// Index of a side: 0 is left (+X), 1 is right (-X).
pub type Side = usize;
pub const SIDES: [Side; 2] = [0, 1];

/// +1 for left, -1 for right.
pub fn sign(side: Side) -> f32 {
    if side == 0 { 1.0 } else { -1.0 }
}

#[derive(Clone, Copy)]
pub enum Arm {
    Clavicle,
    Upper,
    Lower,
    /// Joint half-way down the forearm; carries half of the wrist's twist.
    Twist,
    Hand,
    Fingers,
    Tips,
    Thumb,
}

#[derive(Clone, Copy)]
pub enum Leg {
    Thigh,
    Shin,
    Foot,
    Toe,
}

pub fn arm(side: Side, part: Arm) -> usize {
    ARM_L + side * ARM_LEN + part as usize
}

pub fn leg(side: Side, part: Leg) -> usize {
    LEG_L + side * LEG_LEN + part as usize
}

/// Indices of all leg joints.
pub fn legs() -> std::ops::Range<usize> {
    LEG_L..COMMON
}

/// Measures of a body (m); X values are half-widths on the left side.
#[derive(Clone, Copy, Debug)]
pub struct Proportions {
    pub hips_y: f32,
    pub thigh: Vec3,
    pub knee: Vec3,
    pub ankle: Vec3,
    /// Ball of the foot (toe joint), toe tip and heel along Z, ball relative to the model.
    pub ball_z: f32,
    pub toe_z: f32,
    pub heel_z: f32,
    pub spine_y: f32,
    pub chest_y: f32,
    pub neck: Vec3,
    pub head: Vec3,
    /// Centre and half-extents of the cranium.
    pub skull: Vec3,
    pub skull_r: Vec3,
    pub clavicle: Vec3,
    pub shoulder: Vec3,
    pub upper_arm: f32,
    pub forearm: f32,
    /// Wrist to fingertip.
    pub hand: f32,
}

impl Proportions {
    /// An adult about 1.7 m tall with a slightly large head.
    pub const ADULT: Self = Self {
        hips_y: 0.92,
        thigh: vec3(0.088, 0.86, 0.0),
        knee: vec3(0.092, 0.465, 0.008),
        ankle: vec3(0.095, 0.085, -0.012),
        ball_z: 0.105,
        toe_z: 0.185,
        heel_z: -0.065,
        spine_y: 1.02,
        chest_y: 1.16,
        neck: vec3(0.0, 1.385, -0.012),
        head: vec3(0.0, 1.45, -0.002),
        skull: vec3(0.0, 1.565, 0.012),
        skull_r: vec3(0.118, 0.138, 0.13),
        clavicle: vec3(0.035, 1.34, 0.0),
        shoulder: vec3(0.158, 1.345, -0.008),
        upper_arm: 0.262,
        forearm: 0.232,
        hand: 0.165,
    };

    /// Scales everything but the head, then lifts the head to keep it on the neck.
    pub fn scaled(mut self, s: f32, head: f32) -> Self {
        for v in [
            &mut self.thigh,
            &mut self.knee,
            &mut self.ankle,
            &mut self.neck,
            &mut self.head,
            &mut self.clavicle,
            &mut self.shoulder,
        ] {
            *v *= s;
        }
        for v in [
            &mut self.hips_y,
            &mut self.ball_z,
            &mut self.toe_z,
            &mut self.heel_z,
            &mut self.spine_y,
            &mut self.chest_y,
            &mut self.upper_arm,
            &mut self.forearm,
            &mut self.hand,
        ] {
            *v *= s;
        }
        let skull_offset = self.skull - Self::ADULT.head;
        self.skull = self.head + skull_offset * head;
        self.skull_r *= head;
        self
    }

    /// Unit direction of the rest-pose arm.
    pub fn arm_dir(&self, side: Side) -> Vec3 {
        vec3(sign(side) * REST_ARM_ANGLE.sin(), -REST_ARM_ANGLE.cos(), 0.0)
    }

    /// Unit vector across the rest-pose palm, out of its back.
    pub fn back_of_hand(&self, side: Side) -> Vec3 {
        vec3(sign(side) * REST_ARM_ANGLE.cos(), REST_ARM_ANGLE.sin(), 0.0)
    }

    /// Returns the point on the arm's axis at a distance from the shoulder (m).
    pub fn along_arm(&self, side: Side, s: f32) -> Vec3 {
        side_of(self.shoulder, side) + self.arm_dir(side) * s
    }

    pub fn elbow(&self, side: Side) -> Vec3 {
        self.along_arm(side, self.upper_arm)
    }

    pub fn wrist(&self, side: Side) -> Vec3 {
        self.along_arm(side, self.upper_arm + self.forearm)
    }

    pub fn arm_len(&self) -> f32 {
        self.upper_arm + self.forearm
    }

    /// Returns the height of the ball-of-foot joint (m).
    pub fn ball_y(&self) -> f32 {
        self.ankle.y * 0.36
    }
}

/// Converts a point of the left side to `side`.
pub fn side_of(p: Vec3, side: Side) -> Vec3 {
    vec3(p.x * sign(side), p.y, p.z)
}

#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    /// Rest position in model space.
    pub rest: Vec3,
}

/// Node attached to a joint that deforms nothing.
#[derive(Clone, Debug)]
pub struct Socket {
    pub name: &'static str,
    pub parent: usize,
    pub offset: Vec3,
    pub rot: Quat,
}

#[derive(Clone, Debug)]
pub struct Rig {
    pub props: Proportions,
    pub joints: Vec<Joint>,
    pub sockets: Vec<Socket>,
}

impl Rig {
    pub fn new(props: Proportions) -> Self {
        let mut rig = Self {
            props,
            joints: Vec::new(),
            sockets: Vec::new(),
        };
        rig.add_trunk();
        for side in SIDES {
            rig.add_arm(side);
        }
        for side in SIDES {
            rig.add_leg(side);
        }
        rig.add_sockets();
        rig
    }

    /// Appends a joint and returns its index.
    pub fn add(&mut self, name: &str, parent: usize, rest: Vec3) -> usize {
        self.joints.push(Joint {
            name: name.to_owned(),
            parent: Some(parent),
            rest,
        });
        self.joints.len() - 1
    }

    fn add_trunk(&mut self) {
        let p = self.props;
        let root = Joint {
            name: "root".to_owned(),
            parent: None,
            rest: Vec3::ZERO,
        };
        self.joints.push(root);
        self.add("hips", ROOT, vec3(0.0, p.hips_y, 0.0));
        self.add("spine", HIPS, vec3(0.0, p.spine_y, -0.005));
        self.add("chest", SPINE, vec3(0.0, p.chest_y, -0.01));
        self.add("neck", CHEST, p.neck);
        self.add("head", NECK, p.head);
    }

    fn add_arm(&mut self, side: Side) {
        let p = self.props;
        let name = |part: &str| format!("{part}_{}", ["l", "r"][side]);
        let wrist = p.upper_arm + p.forearm;
        let thumb = p.along_arm(side, wrist + p.hand * 0.16) + vec3(0.0, 0.0, p.hand * 0.14);
        let clavicle = self.add(&name("clavicle"), CHEST, side_of(p.clavicle, side));
        let upper = self.add(&name("upper_arm"), clavicle, side_of(p.shoulder, side));
        let lower = self.add(&name("lower_arm"), upper, p.elbow(side));
        let mid = p.along_arm(side, p.upper_arm + p.forearm * 0.5);
        let twist = self.add(&name("forearm_twist"), lower, mid);
        let hand = self.add(&name("hand"), twist, p.wrist(side));
        let fingers = self.add(&name("fingers"), hand, p.along_arm(side, wrist + p.hand * 0.48));
        self.add(&name("fingertips"), fingers, p.along_arm(side, wrist + p.hand * 0.72));
        self.add(&name("thumb"), hand, thumb);
    }

    fn add_leg(&mut self, side: Side) {
        let p = self.props;
        let name = |part: &str| format!("{part}_{}", ["l", "r"][side]);
        let thigh = self.add(&name("thigh"), HIPS, side_of(p.thigh, side));
        let shin = self.add(&name("shin"), thigh, side_of(p.knee, side));
        let foot = self.add(&name("foot"), shin, side_of(p.ankle, side));
        let ball = vec3(p.ankle.x, p.ball_y(), p.ball_z);
        self.add(&name("toe"), foot, side_of(ball, side));
    }

    fn add_sockets(&mut self) {
        let p = self.props;
        for side in SIDES {
            let grip = p.arm_dir(side) * p.hand * 0.5 - p.back_of_hand(side) * p.hand * 0.16;
            // Grip axis = thumb side (+Z of a hanging hand), knuckles = along the arm.
            let hang = hang_rotation(&p, side);
            self.sockets.push(Socket {
                name: ["socket_hand_l", "socket_hand_r"][side],
                parent: arm(side, Arm::Hand),
                offset: grip,
                rot: hang.inverse() * Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
            });
        }
        let chest = self.joints[CHEST].rest;
        let back = vec3(0.0, p.shoulder.y - 0.1, -0.13) - chest;
        let crown = p.skull + Vec3::Y * p.skull_r.y - self.joints[HEAD].rest;
        self.sockets.push(socket("socket_back", CHEST, back));
        self.sockets.push(socket("socket_head", HEAD, crown));
    }

    /// Adds the socket for an instrument: `depth` (m) before the chest joint, +Y along its neck.
    pub fn add_chest_socket(&mut self, depth: f32) {
        let s = self.props.hips_y / Proportions::ADULT.hips_y;
        let offset = vec3(-0.05 * s, -0.12 * s, depth);
        let rot = Quat::from_rotation_z(-1.137);
        self.sockets.push(Socket {
            name: "socket_chest",
            parent: CHEST,
            offset,
            rot,
        });
    }

    /// Rest offset of a joint from its parent.
    pub fn offset(&self, joint: usize) -> Vec3 {
        let j = &self.joints[joint];
        j.rest - j.parent.map_or(Vec3::ZERO, |p| self.joints[p].rest)
    }
}

fn socket(name: &'static str, parent: usize, offset: Vec3) -> Socket {
    Socket {
        name,
        parent,
        offset,
        rot: Quat::IDENTITY,
    }
}

/// Returns the rotation from the rest-pose arm to one that hangs straight down.
pub fn hang_rotation(p: &Proportions, side: Side) -> Quat {
    Quat::from_rotation_arc(p.arm_dir(side), Vec3::NEG_Y)
}
