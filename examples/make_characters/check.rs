//! Measures of a finished character, and their limits.

use crate::anim::{Baked, Wrap};
use crate::characters::Character;
use crate::clips::Clip;
use crate::mesh::Primitive;
use crate::rig::{self, Leg, Rig, SIDES, leg};
use glam::{Quat, Vec3, vec3};

/// Limits (m), and the ranges of counts of a character.
const SLIDE: f32 = 0.002;
const STANCE: f32 = 0.01;
const SEAM: f32 = 1e-4;
const TRIANGLES: std::ops::RangeInclusive<usize> = 2000..=4000;
const JOINTS: std::ops::RangeInclusive<usize> = 24..=60;
const BYTES: usize = 400_000;

/// Measured values, and violations of limits.
#[derive(Default)]
pub struct Report {
    pub lines: Vec<String>,
    pub faults: Vec<String>,
}

impl Report {
    fn expect(&mut self, ok: bool, fault: String) {
        if !ok {
            self.faults.push(fault);
        }
    }
}

pub fn character(c: &Character, primitives: &[Primitive], clips: &[(Clip, Baked)], bytes: usize) -> Report {
    let mut r = Report::default();
    let triangles = primitives.iter().map(|p| p.indices.len() / 3).sum::<usize>();
    let vertices = primitives.iter().map(|p| p.vertices.len()).sum::<usize>();
    let joints = c.actor.rig.joints.len();
    let (lo, hi) = crate::mesh::bounds(primitives);
    r.lines.push(format!(
        "{}: {triangles} triangles, {vertices} vertices, {joints} joints, {:.2} m tall, {bytes} bytes",
        c.name, hi.y
    ));
    r.expect(
        TRIANGLES.contains(&triangles),
        format!("{}: {triangles} triangles", c.name),
    );
    r.expect(JOINTS.contains(&joints), format!("{}: {joints} joints", c.name));
    r.expect(bytes < BYTES, format!("{}: {bytes} bytes", c.name));
    r.expect(lo.y.abs() < 0.006, format!("{}: soles at {} m", c.name, lo.y));
    for v in primitives.iter().flat_map(|p| &p.vertices) {
        let sum: f32 = v.influences.iter().map(|w| w.1).sum();
        r.expect((sum - 1.0).abs() < 1e-4, format!("{}: weights sum to {sum}", c.name));
    }
    for (clip, baked) in clips {
        check_clip(&mut r, c, clip, baked);
    }
    r
}

fn check_clip(r: &mut Report, c: &Character, clip: &Clip, baked: &Baked) {
    let rig = &c.actor.rig;
    let name = format!("{}/{}", c.name, clip.name);
    let seam = seam_error(baked);
    let mut line = format!("  {:7} {:.2} s, seam {seam:.0e}", clip.name, clip.seconds);
    r.expect(seam < SEAM, format!("{name}: seam error {seam}"));
    if clip.planted {
        let slide = planted_slide(rig, baked);
        line += &format!(", feet slide {:.2} mm", slide * 1e3);
        r.expect(
            slide < SLIDE || clip.name == "sit",
            format!("{name}: feet slide {slide} m"),
        );
    }
    if clip.speed > 0.0 {
        let gait = if clip.name == "walk" {
            &c.actor.style.walk
        } else {
            &c.actor.style.run
        };
        let drift = stance_drift(rig, baked, gait.duty);
        line += &format!(", {:.2} m/s, stance drift {:.2} mm", clip.speed, drift * 1e3);
        r.expect(drift < STANCE, format!("{name}: stance drift {drift} m"));
    }
    let knee = knee_jerk(baked);
    line += &format!(", knee step {knee:.1} deg");
    if baked.wrap == Wrap::Loop {
        line += &format!(", seam speed {:.2} rad/s", seam_speed(baked));
    }
    r.lines.push(line);
}

/// Returns positions of all joints at key `k` plus a fraction `t` of the interval to the next.
fn joint_positions(rig: &Rig, baked: &Baked, k: usize, t: f32) -> Vec<Vec3> {
    let next = (k + 1).min(baked.times.len() - 1);
    let mut at = vec![Vec3::ZERO; rig.joints.len()];
    let mut rot = vec![Quat::IDENTITY; rig.joints.len()];
    for (i, joint) in rig.joints.iter().enumerate() {
        let local = baked.rotations[i][k].slerp(baked.rotations[i][next], t);
        let Some(p) = joint.parent else { continue };
        let offset = if i == rig::HIPS {
            baked.hips[k].lerp(baked.hips[next], t)
        } else {
            rig.offset(i)
        };
        at[i] = at[p] + rot[p] * offset;
        rot[i] = rot[p] * local;
    }
    at
}

/// Returns the largest difference between the first and last key: metres or quaternion length.
fn seam_error(baked: &Baked) -> f32 {
    let last = baked.times.len() - 1;
    let turns = baked
        .rotations
        .iter()
        .map(|r| (r[0] - r[last]).length().min((r[0] + r[last]).length()));
    turns.fold(baked.hips[0].distance(baked.hips[last]), f32::max)
}

/// Returns the largest jump in angular velocity across the seam beyond those inside the clip (rad/s).
fn seam_speed(baked: &Baked) -> f32 {
    let last = baked.times.len() - 1;
    let dt = baked.times[1] - baked.times[0];
    let turn = |a: Quat, b: Quat| (b * a.inverse()).to_scaled_axis() / dt;
    let jump = |keys: &Vec<Quat>| (turn(keys[0], keys[1]) - turn(keys[last - 1], keys[last])).length();
    let usual = |keys: &Vec<Quat>| {
        let inner = keys.windows(3).map(|w| (turn(w[1], w[2]) - turn(w[0], w[1])).length());
        inner.fold(0.0, f32::max)
    };
    baked.rotations.iter().map(|k| jump(k) - usual(k)).fold(0.0, f32::max)
}

/// Returns the largest distance of an ankle or ball from its start, at and between keys (m).
fn planted_slide(rig: &Rig, baked: &Baked) -> f32 {
    let feet = SIDES.iter().flat_map(|s| [leg(*s, Leg::Foot), leg(*s, Leg::Toe)]);
    let feet: Vec<usize> = feet.collect();
    let start = joint_positions(rig, baked, 0, 0.0);
    let mut worst = 0.0_f32;
    for k in 0..baked.times.len() - 1 {
        for t in [0.0, 0.5] {
            let now = joint_positions(rig, baked, k, t);
            worst = feet.iter().map(|f| now[*f].distance(start[*f])).fold(worst, f32::max);
        }
    }
    worst
}

/// Returns how far the left ball slides on the ground while it carries weight and the body advances (m).
fn stance_drift(rig: &Rig, baked: &Baked, duty: f32) -> f32 {
    let seconds = baked.times[baked.times.len() - 1];
    let ball = leg(0, Leg::Toe);
    let mut lo = Vec3::MAX;
    let mut hi = Vec3::MIN;
    for (k, time) in baked.times.iter().enumerate() {
        let phase = time / seconds;
        if phase > duty * 0.22 && phase < duty * 0.99 {
            let p = joint_positions(rig, baked, k, 0.0)[ball];
            let ground = p + vec3(0.0, 0.0, baked.speed * time);
            lo = lo.min(ground);
            hi = hi.max(ground);
        }
    }
    (hi - lo).max_element().max(0.0)
}

/// Returns the largest turn of a knee between two keys (degrees).
fn knee_jerk(baked: &Baked) -> f32 {
    let knees = SIDES.map(|s| &baked.rotations[leg(s, Leg::Shin)]);
    let turns = knees.into_iter().flat_map(|k| k.windows(2));
    turns.map(|w| w[0].angle_between(w[1]).to_degrees()).fold(0.0, f32::max)
}
