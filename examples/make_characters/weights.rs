//! Skin weights from the rest pose.
//!
//! Every joint takes over from its parent across a soft plane at the joint, and only within its own limb. Arms are
//! separated from the trunk by distance, legs from each other by side. Weights stay local (no leaking between limbs)
//! and smooth (no creases), unlike a falloff by distance.

use crate::parts::{Skin, SkirtSkin};
use crate::rig::{self, Arm, Leg, Proportions, Rig, SIDES, Side, arm, leg, side_of, sign};
use glam::{Vec3, vec3};

/// Up to four joints with weights that sum to one, largest first.
pub type Influences = [(usize, f32); 4];

/// Weight of every joint at a point; small because limbs touch few joints.
struct Field(Vec<f32>);

impl Field {
    fn rooted(rig: &Rig, joint: usize) -> Self {
        let mut w = vec![0.0; rig.joints.len()];
        w[joint] = 1.0;
        Self(w)
    }

    /// Gives the fraction `t` of what `from` holds to `to`.
    fn hand_over(&mut self, from: usize, to: usize, t: f32) {
        let moved = self.0[from] * t;
        self.0[from] -= moved;
        self.0[to] += moved;
    }

    fn top_four(&self) -> Influences {
        let mut all: Vec<(usize, f32)> = self.0.iter().copied().enumerate().collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut best = [all[0], all[1], all[2], all[3]];
        let sum: f32 = best.iter().map(|w| w.1).sum();
        for w in &mut best {
            w.1 /= sum;
            if w.1 <= 0.0 {
                *w = (0, 0.0);
            }
        }
        best
    }
}

/// Influences of the point `p` of a part skinned by `skin`.
pub fn influences(rig: &Rig, skin: &Skin, p: Vec3) -> Influences {
    let field = match skin {
        Skin::Rigid(joint) => Field::rooted(rig, *joint),
        Skin::Body => body(rig, p, true),
        Skin::Trunk => body(rig, p, false),
        Skin::Skirt(skirt) => skirt_field(rig, skirt, p),
        Skin::Chain { joints, points } => chain(rig, joints, points, p),
    };
    field.top_four()
}

fn smooth(lo: f32, hi: f32, x: f32) -> f32 {
    let t = ((x - lo) / (hi - lo)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Returns 0 on the inner side of the plane at `at` with normal `n` and 1 on the outer side, blended over `half_width`
/// (m).
fn past(p: Vec3, at: Vec3, n: Vec3, half_width: f32) -> f32 {
    smooth(-half_width, half_width, (p - at).dot(n.normalize()))
}

fn body(rig: &Rig, p: Vec3, arms: bool) -> Field {
    let props = &rig.props;
    let mut f = Field::rooted(rig, rig::HIPS);
    trunk(&mut f, props, p);
    if arms {
        for side in SIDES {
            arm_chain(&mut f, props, side, p);
        }
    }
    legs(&mut f, props, p);
    f
}

fn trunk(f: &mut Field, props: &Proportions, p: Vec3) {
    let s = props.hips_y / Proportions::ADULT.hips_y;
    let up = |y: f32| vec3(0.0, y, 0.0);
    f.hand_over(rig::HIPS, rig::SPINE, past(p, up(props.spine_y), Vec3::Y, 0.07 * s));
    f.hand_over(rig::SPINE, rig::CHEST, past(p, up(props.chest_y), Vec3::Y, 0.07 * s));
    f.hand_over(rig::CHEST, rig::NECK, past(p, props.neck, Vec3::Y, 0.03 * s));
    let jaw = vec3(0.0, 0.8, 0.6);
    f.hand_over(rig::NECK, rig::HEAD, past(p, props.head, jaw, 0.035 * s));
}

fn segment_distance(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    let ab = b - a;
    let t = ((p - a).dot(ab) / ab.length_squared()).clamp(0.0, 1.0);
    (p - a - ab * t).length()
}

/// Returns how much `p` belongs to the arm rather than to the trunk, 0..1.
fn arm_mask(props: &Proportions, side: Side, p: Vec3) -> f32 {
    let s = props.hips_y / Proportions::ADULT.hips_y;
    let shoulder = side_of(props.shoulder, side);
    let tip = props.along_arm(side, props.arm_len() + props.hand);
    let d_arm = segment_distance(p, shoulder, tip) - 0.05 * s;
    let inner = shoulder.x.abs() - 0.055 * s;
    let top = vec3(0.0, shoulder.y - 0.05 * s, 0.0);
    let flat = vec3(p.x, p.y, p.z * 1.2);
    let d_trunk = segment_distance(flat, top, vec3(0.0, props.hips_y, 0.0)) - inner;
    smooth(-0.035 * s, 0.035 * s, d_trunk - d_arm)
}

fn arm_chain(f: &mut Field, props: &Proportions, side: Side, p: Vec3) {
    let s = props.hips_y / Proportions::ADULT.hips_y;
    let dir = props.arm_dir(side);
    let shoulder = side_of(props.shoulder, side);
    let j = |part| arm(side, part);
    let x = p.x * sign(side);
    let near_clavicle = smooth(0.25, 0.95, x / props.shoulder.x) * smooth(-0.14 * s, -0.01 * s, p.y - props.shoulder.y);
    f.hand_over(rig::CHEST, j(Arm::Clavicle), near_clavicle);

    let across = vec3(sign(side), 0.0, 0.0) * 0.6 + dir * 0.4;
    let is_arm = arm_mask(props, side, p) * past(p, shoulder, across, 0.075 * s);
    for from in [rig::HIPS, rig::SPINE, rig::CHEST, j(Arm::Clavicle)] {
        f.hand_over(from, j(Arm::Upper), is_arm);
    }
    let along = (p - shoulder).dot(dir);
    let at = |centre: f32, half_width: f32| smooth(centre - half_width, centre + half_width, along);
    let wrist = props.arm_len();
    f.hand_over(j(Arm::Upper), j(Arm::Lower), at(props.upper_arm, 0.045 * s));
    f.hand_over(
        j(Arm::Lower),
        j(Arm::Twist),
        at(props.upper_arm + props.forearm * 0.5, 0.08 * s),
    );
    f.hand_over(j(Arm::Twist), j(Arm::Hand), at(wrist, 0.022 * s));
    hand_chain(f, props, side, p);
}

fn hand_chain(f: &mut Field, props: &Proportions, side: Side, p: Vec3) {
    let dir = props.arm_dir(side);
    let j = |part| arm(side, part);
    let base = props.wrist(side);
    let along = (p - base).dot(dir) / props.hand;
    let thumb_root = base + dir * props.hand * 0.16 + Vec3::Z * props.hand * 0.14;
    let thumb_dir = (dir * 0.62 + Vec3::Z * 0.78).normalize();
    let out = (p - thumb_root).dot(thumb_dir) / props.hand;
    let in_front = p.z / props.hand;
    let thumb = smooth(0.02, 0.16, out) * smooth(0.19, 0.27, in_front) * smooth(0.9, 0.6, along);
    f.hand_over(j(Arm::Hand), j(Arm::Thumb), thumb);
    f.hand_over(j(Arm::Hand), j(Arm::Fingers), smooth(0.38, 0.58, along));
    f.hand_over(j(Arm::Fingers), j(Arm::Tips), smooth(0.64, 0.8, along));
}

/// Hands the hips' share below the hip joints to the two thighs, then runs down each leg.
fn legs(f: &mut Field, props: &Proportions, p: Vec3) {
    let s = props.hips_y / Proportions::ADULT.hips_y;
    let held = f.0[rig::HIPS];
    for side in SIDES {
        let own_side = smooth(-0.035 * s, 0.035 * s, p.x * sign(side));
        let hip = side_of(props.thigh, side) - Vec3::Y * 0.02 * s;
        let outward = vec3(0.25 * sign(side), -1.0, 0.0);
        let share = held * own_side * past(p, hip, outward, 0.085 * s);
        f.0[rig::HIPS] -= share;
        f.0[leg(side, Leg::Thigh)] += share;
        leg_chain(f, props, side, p);
    }
}

fn leg_chain(f: &mut Field, props: &Proportions, side: Side, p: Vec3) {
    let s = props.hips_y / Proportions::ADULT.hips_y;
    let j = |part| leg(side, part);
    let knee = past(p, side_of(props.knee, side), -Vec3::Y, 0.06 * s);
    f.hand_over(j(Leg::Thigh), j(Leg::Shin), knee);
    let ankle = side_of(props.ankle, side);
    f.hand_over(
        j(Leg::Shin),
        j(Leg::Foot),
        past(p, ankle, vec3(0.0, -1.0, 0.35), 0.03 * s),
    );
    let ball = vec3(ankle.x, props.ball_y(), props.ball_z);
    f.hand_over(j(Leg::Foot), j(Leg::Toe), past(p, ball, Vec3::Z, 0.03 * s));
}

fn skirt_field(rig: &Rig, skirt: &SkirtSkin, p: Vec3) -> Field {
    let mut f = Field::rooted(rig, rig::HIPS);
    trunk(&mut f, &rig.props, p);
    for side in SIDES {
        arm_chain(&mut f, &rig.props, side, p);
    }
    let n = skirt.panels.len();
    let turn = p.x.atan2(p.z) / std::f32::consts::TAU * n as f32;
    let turn = turn.rem_euclid(n as f32);
    let (i, t) = (turn.floor() as usize % n, smooth(0.0, 1.0, turn.fract()));
    let below = smooth(skirt.top, skirt.top - skirt.blend, p.y);
    let from = rig::HIPS;
    let share = f.0[from] * below;
    f.0[from] -= share;
    f.0[skirt.panels[i]] += share * (1.0 - t);
    f.0[skirt.panels[(i + 1) % n]] += share * t;
    f
}

/// Hands over from joint to joint along the strand; before `points[0]` it is all `joints[0]`.
fn chain(rig: &Rig, joints: &[usize], points: &[Vec3], p: Vec3) -> Field {
    let mut f = Field::rooted(rig, joints[0]);
    for i in 1..joints.len() {
        let before = points[i - 1];
        let dir = points[i] - before;
        let half_width = dir.length() * 0.35;
        f.hand_over(joints[i - 1], joints[i], past(p, points[i], dir, half_width));
    }
    f
}
