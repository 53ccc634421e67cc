//! Two bars of step-touch: low swinging arms in the first, hands in the air in the second.

use super::{Clip, FIST, reach, shift_weight, stand};
use crate::actor::Actor;
use crate::pose::{Body, Hand, Space};
use crate::rig::SIDES;
use crate::spline::{cyc, ease, wave};
use glam::vec3;
use std::f32::consts::{PI, TAU};

const BEATS: f32 = 8.0;
/// Foot moves: side, beat it lifts at, from, to (in step widths, left positive).
const STEPS: [(usize, f32, f32, f32); 8] = [
    (1, 0.0, 0.0, -1.0),
    (0, 1.0, 0.0, -1.0),
    (0, 2.0, -1.0, 0.0),
    (1, 3.0, -1.0, 0.0),
    (0, 4.0, 0.0, 1.0),
    (1, 5.0, 0.0, 1.0),
    (1, 6.0, 1.0, 0.0),
    (0, 7.0, 1.0, 0.0),
];

pub fn dance(actor: &Actor) -> Clip<'_> {
    let clip = Clip::new("dance", 4.0 * actor.style.tempo, move |t| pose(actor, t));
    let mut clip = STEPS.iter().fold(clip, |c, s| c.footstep(s.0, (s.1 + 0.8) / BEATS));
    clip.planted = false;
    clip
}

/// Sideways place (step widths) and lift (0..1) of a foot at `beat`.
fn step(side: usize, beat: f32) -> (f32, f32) {
    let mut x = 0.0;
    let mut lift = 0.0;
    for (_, start, from, to) in STEPS.iter().filter(|s| s.0 == side) {
        if beat >= *start {
            let u = ((beat - start - 0.05) / 0.75).clamp(0.0, 1.0);
            x = from + (to - from) * ease(0.0, 1.0, u);
            lift = (PI * u).sin().powi(2);
        }
    }
    (x, lift)
}

fn pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let (e, s) = (actor.style.energy, actor.scale());
    let width = 0.17 * s * e.min(1.1);
    let beat = t * BEATS;
    for side in SIDES {
        let (x, lift) = step(side, beat);
        body.feet[side].at += vec3(x * width, lift * 0.06 * s * e, 0.0);
        body.feet[side].pitch = -0.35 * lift;
    }
    let travel = [
        (0.0, -0.15),
        (0.1, -0.75),
        (0.2, -1.0),
        (0.3, -0.6),
        (0.45, -0.1),
        (0.6, 0.75),
        (0.7, 1.0),
        (0.82, 0.55),
        (0.93, 0.1),
    ];
    body.hips.x += width * cyc(&travel, t);
    // Down on the beat, up between.
    let dip = 0.5 + 0.5 * (beat * TAU).cos();
    body.hips.y -= (0.012 + 0.032 * dip * e) * s;
    let groove = wave(t, 2.0, 0.0);
    let late = wave(t, 2.0, 0.05);
    shift_weight(&mut body, 0.02 * s * groove * actor.style.sway);
    body.hips_rot.y += 0.2 * e * wave(t, 2.0, 0.06);
    body.spine += vec3(0.05 + 0.05 * dip, -0.3 * e * wave(t, 2.0, 0.1), 0.1 * e * late);
    body.head = vec3(
        0.05 + 0.09 * (0.5 + 0.5 * ((beat - 0.15) * TAU).cos()),
        -0.12 * late,
        -0.1 * late * e,
    );
    for side in SIDES {
        body.arms[side] = arm(actor, side, t);
    }
    body
}

fn arm(actor: &Actor, side: usize, t: f32) -> crate::pose::ArmPose {
    let e = actor.style.energy;
    let swing = wave(t, 2.0, 0.08 + 0.5 * side as f32);
    let pump = 0.5 + 0.5 * ((t * BEATS - 0.1) * TAU).cos();
    let low = vec3(
        0.3 + 0.1 * swing,
        -0.5 + 0.1 * swing * e + 0.04 * pump,
        0.42 + 0.22 * swing * e,
    );
    let high = vec3(0.56 + 0.16 * swing, 0.5 + 0.12 * swing * e - 0.1 * pump, 0.24);
    let up = cyc(&[(0.0, 0.0), (0.42, 0.0), (0.54, 1.0), (0.88, 1.0)], t);
    // Hands move outwards in between, so that they pass beside the face and not through it.
    let at = low.lerp(high, up) + vec3(0.3 * (up * PI).sin(), 0.0, 0.1 * (up * PI).sin());
    let hand = Hand {
        pron: 0.5 * up,
        curl: 0.8 - 0.65 * up,
        flex: 0.15 * swing,
        ..FIST
    };
    let mut pose = reach(Space::Shoulder, at.to_array(), [0.85, -0.6, -0.25], hand);
    pose.shrug = 0.03 + 0.16 * up;
    pose
}
