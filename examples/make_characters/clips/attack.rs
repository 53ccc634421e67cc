//! Attack: one diagonal cut with the right hand: wind up, strike, follow through, recover.

use super::{Clip, hanging, stand};
use crate::actor::Actor;
use crate::anim::Wrap;
use crate::pose::{ArmPose, Body, Hand, Reach, Space};
use crate::spline::{cyc, cyc3, ease};
use glam::vec3;
use std::f32::consts::PI;

pub fn attack(actor: &Actor) -> Clip<'_> {
    let clip = Clip::new("attack", 1.3 * actor.style.tempo.sqrt(), move |t| pose(actor, t));
    let mut clip = clip.event("swing", 0.36).event("hit", 0.46);
    clip.wrap = Wrap::Once;
    clip.planted = false;
    clip
}

/// Returns the phase of the stroke: -1 fully wound up, 1 fully followed through.
fn drive(t: f32) -> f32 {
    cyc(
        &[
            (0.0, 0.0),
            (0.24, -0.92),
            (0.34, -1.0),
            (0.47, 0.75),
            (0.56, 1.0),
            (0.68, 0.9),
            (0.95, 0.0),
        ],
        t,
    )
}

fn pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let (e, s) = (actor.style.energy, actor.scale());
    let (lead, lag) = (drive(t + 0.02), drive(t - 0.02));
    let effort = ease(0.0, 0.2, t) * (1.0 - ease(0.72, 1.0, t));
    let out = ease(0.26, 0.42, t);
    let home = ease(0.74, 0.94, t);
    // The left foot steps into the blow and back.
    let lift = (PI * out).sin().powi(2) + 0.8 * (PI * home).sin().powi(2);
    let step = 0.24 * s * (out - home);
    body.feet[0].at += vec3(0.02 * (out - home), 0.06 * s * lift, step);
    body.feet[0].pitch = -0.25 * lift;
    body.hips += vec3(-0.02 * (1.0 - lead) * effort, -0.045 * effort, 0.0) * s;
    body.hips.z += s * (0.5 * step / s - 0.05 * effort * (-lead).max(0.0));
    body.hips_rot.y += 0.32 * lead * e;
    body.hips_rot.x += 0.08 * lead.max(0.0);
    body.spine = vec3(
        0.24 * lag.max(0.0) - 0.12 * (-lag).max(0.0),
        0.36 * lag * e,
        -0.08 * lag * effort,
    );
    body.head = vec3(0.08 * effort * lag, -0.1 * lag, 0.0);
    body.arms[1] = sword_arm(actor, t);
    body.arms[0] = guard_arm(actor, effort, lag);
    body
}

fn sword_arm(actor: &Actor, t: f32) -> ArmPose {
    let t = t.min(0.999);
    let out = actor.style.arm_out;
    let rest = [0.1 + 0.5 * out, -0.93, 0.16];
    let path = [
        (0.0, rest),
        (0.14, [0.45, -0.35, 0.35]),
        (0.26, [0.52, 0.42, -0.02]),
        (0.34, [0.5, 0.5, -0.14]),
        (0.42, [0.34, 0.4, 0.55]),
        (0.47, [-0.1, -0.2, 0.82]),
        (0.55, [-0.5, -0.62, 0.45]),
        (0.66, [-0.48, -0.62, 0.4]),
        (0.82, [0.05, -0.75, 0.45]),
    ];
    let at = cyc3(&path, t);
    let raised = cyc(&[(0.0, 0.0), (0.24, 1.0), (0.38, 1.0), (0.55, 0.0)], t);
    let elbow = vec3(0.5, -0.3, -0.9).lerp(vec3(0.75, -0.65, 0.1), raised);
    let grip = cyc(&[(0.0, 0.0), (0.12, 1.0), (0.86, 1.0)], t);
    let hand = Hand {
        curl: 0.28 + 0.67 * grip,
        ..blade_hand(t)
    };
    let reach = Reach::To {
        space: Space::Shoulder,
        at,
        elbow,
    };
    ArmPose {
        reach,
        hand,
        shrug: 0.18 * raised,
    }
}

/// Returns the orientation of the sword hand: directions of knuckles and blade, in chest axes.
fn blade_hand(t: f32) -> Hand {
    let knuckles = [
        (0.0, [0.05, -0.97, 0.2]),
        (0.14, [0.2, -0.1, 0.95]),
        (0.27, [-0.1, 0.8, 0.5]),
        (0.34, [-0.15, 0.85, 0.4]),
        (0.42, [-0.1, -0.35, 0.93]),
        (0.48, [-0.25, -0.8, 0.55]),
        (0.56, [-0.45, -0.85, 0.1]),
        (0.66, [-0.45, -0.85, 0.1]),
        (0.84, [0.0, -0.75, 0.65]),
    ];
    let blade = [
        (0.0, [-0.4, 0.1, 0.9]),
        (0.14, [0.0, 0.9, 0.1]),
        (0.27, [0.45, 0.45, -0.75]),
        (0.34, [0.4, 0.25, -0.88]),
        (0.42, [0.1, 0.9, 0.4]),
        (0.48, [-0.3, 0.25, 0.92]),
        (0.56, [-0.85, 0.1, 0.45]),
        (0.66, [-0.8, 0.15, 0.5]),
        (0.84, [-0.3, 0.6, 0.75]),
    ];
    let (fingers, blade) = (cyc3(&knuckles, t), cyc3(&blade, t));
    Hand {
        aim: Some((fingers, fingers.cross(blade))),
        ..super::RELAXED
    }
}

/// Poses the other arm, which rises as a counterweight and is pulled back by the blow.
fn guard_arm(actor: &Actor, effort: f32, lag: f32) -> ArmPose {
    let mut pose = hanging(actor);
    if let Reach::Swing { fwd, out, twist, elbow } = &mut pose.reach {
        *fwd += effort * (0.25 - 0.75 * lag);
        *out += effort * 0.35;
        *twist += effort * 0.2;
        *elbow += effort * 1.1;
    }
    pose.hand.curl += 0.6 * effort;
    pose
}
