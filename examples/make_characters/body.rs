//! Building blocks of a body: head, face, hands, limbs and shoes as signed distance shapes around the joints.

use crate::parts::{Part, Skin, Slot, srgb};
use crate::rig::{self, Proportions};
use crate::sdf::{Ring, Shape, ball, block, cone, ellipsoid, ellipsoid_rot, half, loft, ring, tube};
use glam::{EulerRot, Mat3, Quat, Vec3, vec3};

/// Converts from head units: (0,0,0) is the skull's centre, 1 its half-extent per axis.
pub fn on_skull(p: &Proportions, x: f32, y: f32, z: f32) -> Vec3 {
    p.skull + p.skull_r * vec3(x, y, z)
}

/// Shape of a face, relative to the skull.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Width of the jaw and length of the chin, 1 is average.
    pub jaw: f32,
    pub chin: f32,
    pub nose: f32,
    pub cheeks: f32,
    pub neck: f32,
    pub eye: f32,
    /// Brow tilt (rad); positive looks worried, negative stern.
    pub brow_tilt: f32,
    pub brow_size: f32,
    /// Upturn of the mouth's corners (rad of pitch).
    pub smile: f32,
    /// How far up the lashes reach; 0 for none.
    pub lashes: f32,
    pub blush: f32,
    pub eye_color: Vec3,
}

pub const FACE: Face = Face {
    jaw: 1.0,
    chin: 1.0,
    nose: 1.0,
    cheeks: 1.0,
    neck: 1.0,
    eye: 1.0,
    brow_tilt: 0.0,
    brow_size: 1.0,
    smile: 0.07,
    lashes: 0.0,
    blush: 0.5,
    eye_color: Vec3::ZERO,
};

/// Head and neck, without features.
pub fn head_shape(p: &Proportions, face: &Face) -> Shape {
    let r = p.skull_r.x;
    let at = |x, y, z| on_skull(p, x, y, z);
    let size = |x: f32, y: f32, z: f32| p.skull_r * vec3(x, y, z);
    let neck = 0.42 * r * face.neck;
    Shape::new()
        .add(0.0, ellipsoid(at(0.0, 0.1, -0.06), size(0.99, 0.9, 0.97)))
        .add(
            0.3 * r,
            ellipsoid(at(0.0, -0.42, 0.16), size(0.74 * face.jaw, 0.55 * face.chin, 0.72)),
        )
        .add2(0.3 * r, ball(at(0.46, -0.34, 0.5), 0.36 * r * face.cheeks))
        .add(
            0.16 * r,
            ellipsoid(at(0.0, -0.2, 0.94), vec3(0.14, 0.13, 0.19) * r * face.nose),
        )
        .add2(
            0.1 * r,
            ellipsoid_rot(
                at(0.97, -0.12, -0.08),
                vec3(0.1, 0.27, 0.18) * r,
                Quat::from_euler(EulerRot::YXZ, -0.35, 0.0, -0.12),
            ),
        )
        .add(
            0.22 * r,
            cone(p.neck - Vec3::Y * 0.07, at(0.0, -0.35, -0.22), neck * 1.12, neck),
        )
}

/// Returns point and outward rotation on the head, seen from its centre; angles in radians.
pub fn on_face(p: &Proportions, head: &Shape, yaw: f32, pitch: f32) -> (Vec3, Quat) {
    let dir = Quat::from_euler(EulerRot::YXZ, yaw, -pitch, 0.0) * Vec3::Z;
    let hit = head.hit(p.skull + dir * 0.4, -dir).unwrap_or(p.skull);
    (hit, Quat::from_rotation_arc(Vec3::Z, head.normal(hit)))
}

/// Makes head, eyes, brows and mouth; `brows` is the slot that colours the brows.
pub fn head_parts(p: &Proportions, face: &Face, brows: Slot) -> Vec<Part> {
    let head = head_shape(p, face);
    let blush = face.blush;
    let cheeks = [on_face(p, &head, 0.62, -0.33).0, on_face(p, &head, -0.62, -0.33).0];
    let r = p.skull_r.x;
    let mut parts = features(p, face, &head, brows);
    let skin = move |q: Vec3| {
        let near = cheeks.iter().map(|c| (q - *c).length()).fold(1.0, f32::min);
        let t = (1.0 - near / (0.42 * r)).clamp(0.0, 1.0);
        Vec3::ONE.lerp(vec3(1.0, 0.62, 0.58), t * t * (3.0 - 2.0 * t) * blush)
    };
    parts.push(
        Part::new(head, Slot::Skin, Skin::Body)
            .grid(0.006)
            .detail(1.35)
            .paint(skin),
    );
    parts
}

fn features(p: &Proportions, face: &Face, head: &Shape, brows: Slot) -> Vec<Part> {
    let (r, skin) = (p.skull_r.x, Skin::Rigid(rig::HEAD));
    let (eye_yaw, eye_pitch) = (0.41, -0.05);
    let mut eyes = Shape::new();
    let mut glints = Shape::new();
    let mut brow_shape = Shape::new();
    for s in [1.0, -1.0] {
        let (at, rot) = on_face(p, head, eye_yaw * s, eye_pitch);
        let size = vec3(0.125, 0.19, 0.065) * r * face.eye;
        eyes = eyes.add(0.0, ellipsoid_rot(at - rot * Vec3::Z * 0.02 * r, size, rot));
        let glint = at + rot * (vec3(0.035, 0.075, 0.042) * r * face.eye);
        glints = glints.add(0.0, ball(glint, 0.042 * r * face.eye));
        if face.lashes > 0.0 {
            let point = |yaw: f32, pitch: f32| on_face(p, head, (eye_yaw + yaw) * s, eye_pitch + pitch).0;
            let (a, b) = (point(0.02, 0.175 * face.eye), point(0.2, 0.12 * face.eye + face.lashes));
            eyes = eyes.add(0.0, cone(a, b, 0.035 * r, 0.018 * r));
        }
        brow_shape = brow(p, face, head, s, brow_shape);
    }
    let dark = face.eye_color.max(srgb(0x1c1512));
    let mouth = mouth(p, face, head);
    vec![
        Part::new(eyes, Slot::Details, skin.clone())
            .grid(0.003)
            .detail(1.7)
            .color(dark),
        Part::new(glints, Slot::Details, skin.clone()).grid(0.0018).detail(1.8),
        Part::new(brow_shape, brows, skin.clone())
            .grid(0.003)
            .detail(1.3)
            .color(Vec3::splat(0.8)),
        Part::new(mouth, Slot::Details, skin)
            .grid(0.0025)
            .detail(2.2)
            .color(srgb(0x8c3a34)),
    ]
}

fn brow(p: &Proportions, face: &Face, head: &Shape, s: f32, shape: Shape) -> Shape {
    let r = p.skull_r.x * face.brow_size;
    let tilt = face.brow_tilt;
    let at = |yaw: f32, pitch: f32| on_face(p, head, yaw * s, pitch).0;
    let (a, b, c) = (at(0.24, 0.27 + tilt), at(0.42, 0.325), at(0.6, 0.27 - tilt));
    shape
        .add(0.0, cone(a, b, 0.042 * r, 0.05 * r))
        .add(0.0, cone(b, c, 0.05 * r, 0.03 * r))
}

fn mouth(p: &Proportions, face: &Face, head: &Shape) -> Shape {
    let r = p.skull_r.x;
    let at = |yaw: f32| {
        let bend = (yaw / 0.24) * (yaw / 0.24) * face.smile;
        on_face(p, head, yaw, -0.56 + bend).0
    };
    let yaws = [-0.24, -0.13, 0.0, 0.13, 0.24];
    yaws.windows(2).fold(Shape::new(), |shape, w| {
        shape.add(0.0, cone(at(w[0]), at(w[1]), 0.028 * r, 0.028 * r))
    })
}

/// A hand with three fingers and a thumb, left side.
fn hand_shape(p: &Proportions) -> Shape {
    let (h, dir, back) = (p.hand, p.arm_dir(0), p.back_of_hand(0));
    let base = p.wrist(0);
    let rot = Quat::from_mat3(&Mat3::from_cols(-back, dir, Vec3::Z));
    let at = |along: f32, out: f32, z: f32| base + (dir * along + back * out + Vec3::Z * z) * h;
    let palm = block(at(0.27, 0.0, 0.0), vec3(0.115, 0.27, 0.22) * h, 0.1 * h, rot);
    let mut shape = Shape::new().add(0.0, palm);
    for (z, reach, r) in [(-0.14, 0.84, 0.088), (0.0, 0.95, 0.096), (0.14, 0.88, 0.092)] {
        let (knuckle, tip) = (at(0.48, 0.0, z), at(reach, -0.07, z * 1.08));
        shape = shape.add(0.045 * h, cone(knuckle, tip, r * h, r * 0.85 * h));
    }
    let thumb = at(0.14, -0.02, 0.14);
    let tip = thumb + (dir * 0.62 + Vec3::Z * 0.78).normalize() * 0.37 * h - back * 0.06 * h;
    shape.add(0.08 * h, cone(thumb, tip, 0.1 * h, 0.08 * h))
}

/// Returns the radius of an arm at `t` (0 shoulder, 1 elbow, 2 wrist) (m).
fn arm_radius(p: &Proportions, girth: f32, t: f32) -> f32 {
    let g = girth * p.hips_y / Proportions::ADULT.hips_y;
    (0.046 - 0.0075 * t.min(1.0) - 0.0105 * (t - 1.0).max(0.0)) * g
}

/// A left arm from `from` (0 shoulder, 1 elbow, 2 wrist) to `wrist`, where it is `girth` times as thick as above.
fn arm_shape(p: &Proportions, from: f32, (girth, at_wrist): (f32, f32), wrist: Vec3, shape: Shape) -> Shape {
    let point = |t: f32| match t {
        t if t < 1.0 => p.along_arm(0, p.upper_arm * t),
        t => p.along_arm(0, p.upper_arm + p.forearm * (t - 1.0)),
    };
    let radius = |t: f32| arm_radius(p, girth, t);
    let mut shape = shape;
    if from < 1.0 {
        shape = shape.add(0.02, cone(point(from), point(1.0), radius(from), radius(1.0)));
    }
    let low = from.max(1.0);
    let bulge = point((low + 0.35).min(1.9));
    shape
        .add(0.02, cone(point(low), bulge, radius(low), radius(1.2)))
        .add(0.02, cone(bulge, wrist, radius(1.2), radius(2.0) * at_wrist))
}

/// Both hands with bare arms from `from` (0 shoulder, 1 elbow, 2 wrist) down.
pub fn bare_arms(p: &Proportions, from: f32, girth: f32) -> Part {
    let wrist = p.wrist(0) + p.arm_dir(0) * p.hand * 0.08;
    let shape = arm_shape(p, from, (girth, 1.0), wrist, hand_shape(p));
    both_sides(shape, Slot::Skin, Skin::Body).grid(0.005).detail(1.15)
}

/// Makes hands and arms as separate parts, so that the arms can be in sleeves. Hands have a piece of the wrist, and
/// arms reach over it.
pub fn hands_and_arms(p: &Proportions, from: f32, girth: f32) -> [Part; 2] {
    let palm = p.wrist(0) + p.arm_dir(0) * p.hand * 0.08;
    let above = p.wrist(0) - p.arm_dir(0) * p.forearm * 0.1;
    let thick = arm_radius(p, girth, 2.0);
    let hand = hand_shape(p).add(0.02, cone(above, palm, thick, thick));
    let sleeve_end = p.wrist(0) - p.arm_dir(0) * p.forearm * 0.02;
    let arm = arm_shape(p, from, (girth, 1.07), sleeve_end, Shape::new());
    [
        both_sides(hand, Slot::Skin, Skin::Body).grid(0.005).detail(1.15),
        both_sides(arm, Slot::Arms, Skin::Body).grid(0.006),
    ]
}

/// A part made of a left-side shape and its mirror image.
pub fn both_sides(left: Shape, slot: Slot, skin: Skin) -> Part {
    Part::new(left.and_mirror(), slot, skin)
}

/// Makes sleeves from the shoulder to `to` (1 elbow, 2 wrist) with radii at both ends (m).
pub fn sleeve(p: &Proportions, to: f32, r_top: f32, r_end: f32) -> Shape {
    let reach = match to {
        t if t < 1.0 => p.upper_arm * t,
        t => p.upper_arm + p.forearm * (t - 1.0),
    };
    let end = p.along_arm(0, reach);
    let start = p.along_arm(0, -0.01);
    let mid = p.along_arm(0, reach * 0.5);
    let r_mid = r_top * 0.42 + r_end * 0.52;
    Shape::new()
        .add(0.0, cone(start, mid, r_top, r_mid))
        .add(0.02, tube(mid, end, &[r_mid, r_mid * 0.5 + r_end * 0.5, r_end], 0.008))
}

/// Bare legs from mid-thigh (`from` in 0 hip .. 1 knee) to the ankle.
pub fn bare_legs(p: &Proportions, from: f32, girth: f32, slot: Slot) -> Part {
    let g = girth * p.hips_y / Proportions::ADULT.hips_y;
    let top = p.thigh.lerp(p.knee, from);
    let calf = p.knee.lerp(p.ankle, 0.3) + vec3(0.0, 0.0, -0.014 * g);
    let shape = Shape::new()
        .add(0.0, cone(top, p.knee, (0.074 - 0.022 * from) * g, 0.05 * g))
        .add(0.03 * g, cone(p.knee, calf, 0.046 * g, 0.05 * g))
        .add(0.03 * g, cone(calf, p.ankle - Vec3::Y * 0.01, 0.05 * g, 0.034 * g));
    both_sides(shape, slot, Skin::Body)
}

/// Radii of a trouser leg (m).
#[derive(Clone, Copy, Debug)]
pub struct Trousers {
    pub hip: f32,
    pub knee: f32,
    pub hem: f32,
    /// Height of the hem above the ground (m).
    pub hem_y: f32,
    /// Half-widths of the seat and its depth.
    pub seat: (f32, f32),
}

pub fn trousers(p: &Proportions, t: &Trousers, slot: Slot) -> Part {
    let along = (p.knee.y - t.hem_y) / (p.knee.y - p.ankle.y);
    let hem = p.knee.lerp(p.ankle, along);
    let top = p.thigh + vec3(0.0, -0.01, 0.0);
    let mid = hem.lerp(p.knee, 0.4) - Vec3::Z * 0.006;
    let mut leg_shape = Shape::new().add(0.0, cone(top, p.knee, t.hip, t.knee));
    if t.hem_y < p.knee.y - 0.05 {
        let radii = [t.knee, t.knee * 0.45 + t.hem * 0.6, t.hem];
        leg_shape = leg_shape.add(0.03, cone(p.knee, mid, t.knee, radii[1])).add(
            0.02,
            tube(mid, hem, &[radii[1], radii[1] * 0.5 + t.hem * 0.5, t.hem], 0.006),
        );
    } else {
        leg_shape = leg_shape.keep(0.008, half(hem, vec3(0.0, -1.0, 0.0)));
    }
    let (w, d) = t.seat;
    let seat = loft(
        vec![
            ring(p.thigh.y - 0.07, w * 0.8, d * 0.85, -0.008),
            ring(p.thigh.y, w, d, -0.012),
            ring(p.hips_y + 0.05, w * 0.96, d * 0.92, -0.006),
            ring(p.spine_y, w * 0.88, d * 0.82, 0.0),
        ],
        0.03,
    );
    let shape = leg_shape.and_mirror_blend(0.025).add(0.05, seat);
    Part::new(shape, slot, Skin::Trunk).hides_inner()
}

/// Low shoes; `size` widens them, `boot` is the height of the shaft above the ankle.
pub fn shoes(p: &Proportions, size: f32, boot: f32, slot: Slot, color: Vec3, sole: Vec3) -> Part {
    let (x, r) = (p.ankle.x, 0.044 * size);
    let heel = vec3(x, r * 0.95, p.heel_z + r);
    let ball_at = vec3(x + 0.004, r * 0.9, p.ball_z - 0.02);
    let toe = vec3(x + 0.003, r * 0.72, p.toe_z - r * 1.2);
    let ankle = p.ankle + Vec3::Y * boot;
    let shape = Shape::new()
        .add(0.0, cone(heel, ball_at, r, r * 1.02))
        .add(0.03, ellipsoid(toe, vec3(r * 1.1, r * 0.86, r * 1.25)))
        .add(
            0.03,
            cone(p.ankle - Vec3::Y * 0.02, ankle, r * 0.98, r * (0.86 + boot * 2.0)),
        )
        .keep(0.004, half(ankle + Vec3::Y * 0.012, Vec3::Y))
        .keep(0.006, half(Vec3::Y * 0.001, Vec3::NEG_Y));
    let line = 0.019 * size;
    let paint = move |q: Vec3| if q.y < line { sole } else { color };
    both_sides(shape, slot, Skin::Body).grid(0.006).paint(paint)
}

/// Torso from the hem ring up to the base of the neck; rings come from the character.
pub fn torso(p: &Proportions, rings: Vec<Ring>, shoulder_r: f32, cap: f32) -> Shape {
    let inner = vec3(0.02, p.shoulder.y - 0.012, p.shoulder.z);
    Shape::new()
        .add(0.0, loft(rings, cap))
        .add2(0.05, cone(inner, p.shoulder, shoulder_r * 1.05, shoulder_r))
}

/// Joints for a ring of skirt panels, hinged around the hips.
pub fn skirt_joints(rig: &mut crate::rig::Rig, count: usize, y: f32, radius: f32) -> Vec<usize> {
    let add = |k: usize| {
        let turn = k as f32 / count as f32 * std::f32::consts::TAU;
        let at = vec3(turn.sin() * radius, y, turn.cos() * radius * 0.75);
        rig.add(&format!("skirt_{k}"), rig::HIPS, at)
    };
    (0..count).map(add).collect()
}
