//! Walking and running: the feet are placed first, and everything else follows them.

use super::{Clip, FIST, stand};
use crate::actor::{Actor, Gait};
use crate::pose::{ArmPose, Body, FootPose, Hand, Reach};
use crate::rig::{SIDES, sign};
use crate::spline::{cyc, wave};
use glam::vec3;
use std::f32::consts::TAU;

pub fn walk(actor: &Actor) -> Clip<'_> {
    gait_clip(actor, "walk", &actor.style.walk, false)
}

pub fn run(actor: &Actor) -> Clip<'_> {
    gait_clip(actor, "run", &actor.style.run, true)
}

fn gait_clip<'a>(actor: &'a Actor, name: &'static str, g: &'a Gait, runs: bool) -> Clip<'a> {
    let clip = Clip::new(name, g.cycle, move |t| pose(actor, g, runs, t));
    let mut clip = clip.footstep(0, 0.0).footstep(1, 0.5);
    clip.speed = g.speed;
    clip.planted = false;
    clip
}

/// Poses a gait: the left foot strikes at phase 0, the right one half a cycle later.
fn pose(actor: &Actor, g: &Gait, runs: bool, t: f32) -> Body {
    let mut body = stand(actor);
    let mid_stance = g.duty * 0.5;
    let over_left = ((t - mid_stance) * TAU).cos();
    // Walking is an inverted pendulum over the standing leg; running sinks into it.
    let rise = ((t - mid_stance) * 2.0 * TAU).cos() * if runs { -1.0 } else { 1.0 };
    body.hips += vec3(g.sway * over_left, g.bounce * rise - g.crouch, 0.0);
    let reach = (t * TAU).cos();
    body.hips_rot += vec3(g.lean * 0.45, -g.twist * reach, g.tilt * over_left);
    let lagged = ((t - 0.03) * TAU).cos();
    let nod = wave(t, 2.0, if runs { 0.2 } else { 0.1 });
    body.spine = vec3(
        g.lean * 0.55 + 0.02 * nod,
        g.twist * 1.9 * lagged,
        -g.tilt * 1.3 * over_left,
    );
    body.head = vec3(
        -0.25 * g.lean - 0.015 * nod,
        g.twist * 0.15 * lagged,
        0.25 * g.tilt * over_left,
    );
    for side in SIDES {
        let phase = t + 0.5 * side as f32;
        body.feet[side] = foot(actor, g, runs, side, phase);
        body.arms[side] = arm(actor, g, runs, phase);
    }
    body
}

fn foot(actor: &Actor, g: &Gait, runs: bool, side: usize, phase: f32) -> FootPose {
    let t = phase.rem_euclid(1.0);
    let stride = g.speed * g.cycle;
    let front = stride * g.duty * if runs { 0.42 } else { 0.5 };
    let back = front - stride * g.duty;
    let (z, y) = if t < g.duty {
        (front - stride * t, 0.0)
    } else {
        swing(g, (t - g.duty) / (1.0 - g.duty), back, front)
    };
    let narrow = if runs { 0.45 } else { 0.7 };
    let x = (actor.rig.props.ankle.x * narrow + actor.style.stance * 0.5) * sign(side);
    let pitch = foot_pitch(g, runs, t);
    FootPose {
        at: vec3(x, y, z),
        yaw: actor.style.toe_out * 0.6,
        pitch,
        toe_flat: toe_flat(g, t),
    }
}

/// Flight of the foot from toe-off to heel strike; leaves and arrives at ground speed.
fn swing(g: &Gait, u: f32, back: f32, front: f32) -> (f32, f32) {
    let slope = -g.speed * g.cycle * (1.0 - g.duty);
    let (u2, u3) = (u * u, u * u * u);
    let z = back * (2.0 * u3 - 3.0 * u2 + 1.0)
        + slope * (u3 - 2.0 * u2 + u)
        + front * (3.0 * u2 - 2.0 * u3)
        + slope * (u3 - u2);
    // Skewed so that the foot is highest early, while the knee passes under the body.
    let arch = (std::f32::consts::PI * u.powf(0.8)).sin();
    (z, g.lift * arch * arch)
}

fn foot_pitch(g: &Gait, runs: bool, t: f32) -> f32 {
    let d = g.duty;
    let swing = |u: f32| d + (1.0 - d) * u;
    if runs {
        let keys = [
            (0.0, g.strike),
            (d * 0.2, 0.0),
            (d * 0.5, 0.0),
            (d, -g.toe_off),
            (swing(0.3), -g.toe_off * 1.25),
            (swing(0.75), 0.05),
        ];
        return cyc(&keys, t);
    }
    let keys = [
        (0.0, g.strike),
        (d * 0.17, 0.0),
        (d * 0.58, 0.0),
        (d * 0.85, -g.toe_off * 0.55),
        (d, -g.toe_off),
        (swing(0.3), -g.toe_off * 0.8),
        (swing(0.72), g.strike * 0.75),
    ];
    cyc(&keys, t)
}

/// Bends the toes: flat while they carry weight, relaxed in the air.
fn toe_flat(g: &Gait, t: f32) -> f32 {
    let d = g.duty;
    cyc(&[(0.0, 1.0), (d, 1.0), (d + (1.0 - d) * 0.4, 0.25), (0.97, 1.0)], t)
}

/// Swings the arm of the side whose foot strikes at phase 0: it is then furthest back.
fn arm(actor: &Actor, g: &Gait, runs: bool, phase: f32) -> ArmPose {
    let swing = -((phase - 0.04) * TAU).cos();
    let late = -((phase - 0.1) * TAU).cos();
    let fwd = g.arm_mid + g.arm * swing;
    let elbow = g.elbow + (0.35 * late + 0.1) * g.arm;
    let out = actor.style.arm_out + if runs { 0.1 } else { 0.02 };
    let twist = 0.15 + if runs { 0.1 + 0.08 * swing } else { 0.08 * swing };
    let hand = if runs {
        Hand {
            curl: 0.8,
            pron: 0.15,
            ..FIST
        }
    } else {
        Hand {
            flex: 0.08 - 0.1 * late,
            ..super::RELAXED
        }
    };
    let reach = Reach::Swing { fwd, out, twist, elbow };
    ArmPose {
        reach,
        hand,
        shrug: if runs { 0.06 } else { 0.0 },
    }
}
