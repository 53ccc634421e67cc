//! Waving, cheering, clapping, and playing an instrument.

use super::{Clip, FIST, aimed, breathe, reach, shift_weight, stand};
use crate::actor::Actor;
use crate::pose::{Body, Hand, Space};
use crate::rig::SIDES;
use crate::spline::{cyc, wave};
use glam::vec3;

pub fn waving(actor: &Actor) -> Clip<'_> {
    Clip::new("wave", 1.8 * actor.style.tempo, move |t| wave_pose(actor, t))
}

/// Waves the right arm three times per loop; the body follows it.
fn wave_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let e = actor.style.energy;
    shift_weight(&mut body, 0.02 * wave(t, 1.0, 0.0) * actor.style.sway * actor.scale());
    breathe(&mut body, wave(t, 1.0, 0.0));
    let swing = wave(t, 3.0, 0.0);
    let late = wave(t, 3.0, 0.11);
    let at = [0.42 + 0.13 * e * swing, 0.5 + 0.06 * e, 0.3];
    let hand = Hand {
        curl: 0.04,
        ..aimed([0.12 + 0.42 * e * late, 1.0, 0.12], [0.0, -0.1, 1.0], 0.0)
    };
    body.arms[1] = reach(Space::Shoulder, at, [0.75, -0.75, 0.05], hand);
    body.arms[1].shrug = 0.16 + 0.03 * swing;
    body.spine += vec3(-0.02, 0.06, 0.06 + 0.025 * late * e);
    body.head = vec3(-0.06, -0.05, 0.09 + 0.03 * wave(t, 1.0, 0.2));
    body
}

pub fn cheer(actor: &Actor) -> Clip<'_> {
    let clip = Clip::new("cheer", 1.4 * actor.style.tempo, move |t| cheer_pose(actor, t));
    clip.event("cheer", 0.25).event("cheer", 0.75)
}

/// Pumps both fists twice; the knees give and the chest opens.
fn cheer_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let (e, s) = (actor.style.energy, actor.scale());
    let pump = 0.5 - 0.5 * (t * 2.0 * std::f32::consts::TAU).cos();
    let late = 0.5 - 0.5 * ((t - 0.04) * 2.0 * std::f32::consts::TAU).cos();
    body.hips.y -= (0.055 - 0.05 * pump) * e * s;
    shift_weight(&mut body, 0.018 * wave(t, 1.0, 0.0) * s * e);
    body.spine.x = 0.03 - 0.13 * late * e;
    body.spine.y += 0.08 * wave(t, 1.0, 0.05);
    body.head = vec3(
        -0.04 - 0.16 * late * e,
        0.12 * wave(t, 1.0, 0.1),
        0.05 * wave(t, 1.0, 0.2),
    );
    for side in SIDES {
        let skew = 0.05 * wave(t, 1.0, 0.5 * side as f32);
        let up = 0.46 + (0.38 * late + skew) * e.min(1.15);
        let at = [0.56 - 0.1 * late, up, 0.26 - 0.1 * late];
        body.arms[side] = reach(Space::Shoulder, at, [0.9, -0.35, 0.1], Hand { pron: 0.3, ..FIST });
        body.arms[side].shrug = 0.16 + 0.14 * late;
    }
    body
}

pub fn clap(actor: &Actor) -> Clip<'_> {
    let clip = Clip::new("clap", 0.96 * actor.style.tempo, move |t| clap_pose(actor, t));
    clip.event("clap", 0.25).event("clap", 0.75)
}

/// Claps twice per loop, palms meeting in front of the chest.
fn clap_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let (e, s) = (actor.style.energy, actor.scale());
    shift_weight(&mut body, 0.012 * wave(t, 1.0, 0.0) * s);
    let open = cyc(
        &[
            (0.0, 1.0),
            (0.25, 0.0),
            (0.29, 0.04),
            (0.5, 0.92),
            (0.75, 0.0),
            (0.79, 0.04),
        ],
        t,
    );
    body.hips.y -= 0.008 * (1.0 - open) * s;
    body.spine.x += 0.03 - 0.03 * open;
    body.head = vec3(0.04 - 0.07 * open, 0.05 * wave(t, 1.0, 0.2), 0.06 * wave(t, 1.0, 0.0));
    let palm = 0.115 * actor.rig.props.hand / s;
    for side in SIDES {
        let above = if side == 0 { 0.0 } else { 0.012 };
        let out = palm * 1.15 + 0.13 * open * e;
        let at = [out, 0.055 + above + 0.02 * open, 0.265 - 0.02 * open];
        let fingers = [-0.12 + 0.3 * open, 0.75, 0.72];
        let hand = aimed(fingers, [-1.0, 0.1 * open, 0.35 * open], 0.06);
        body.arms[side] = reach(Space::Chest, at, [0.75, -0.8, -0.25], hand);
        body.arms[side].shrug = 0.04;
    }
    body
}

pub fn play(actor: &Actor) -> Clip<'_> {
    let clip = Clip::new("play", 2.0 * actor.style.tempo, move |t| play_pose(actor, t));
    (0..4).fold(clip, |c, k| c.event("strum", 0.125 + 0.25 * k as f32))
}

/// Plays a guitar held across the body: the left hand frets, the right hand strums four times.
fn play_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let s = actor.scale();
    shift_weight(&mut body, 0.03 * wave(t, 1.0, 0.0) * actor.style.sway * s);
    body.hips.y -= 0.012 * (0.5 + 0.5 * wave(t, 4.0, 0.1)) * s;
    body.hips_rot.y += 0.06 * wave(t, 1.0, 0.0);
    body.spine.x += 0.06;
    body.spine.y += 0.06 * wave(t, 1.0, 0.1);
    body.head = vec3(
        0.16 + 0.05 * wave(t, 4.0, 0.15),
        0.22 + 0.12 * wave(t, 1.0, 0.1),
        0.08 * wave(t, 2.0, 0.1),
    );
    let fret = cyc(
        &[
            (0.0, 0.0),
            (0.22, 0.0),
            (0.28, 1.0),
            (0.47, 1.0),
            (0.53, 0.4),
            (0.72, 0.4),
            (0.78, -0.3),
            (0.94, -0.3),
        ],
        t,
    );
    // The strings are in front of the chest by the depth of the guitar.
    let strings = (actor.chest + 0.085) / s;
    let at = [0.3 - 0.03 * fret, -0.01 - 0.014 * fret, strings - 0.02];
    body.arms[0] = reach(
        Space::Chest,
        at,
        [0.8, -0.8, 0.1],
        aimed([-0.55, 0.35, 0.55], [-0.25, 0.65, -0.6], 0.5),
    );
    let strum = wave(t, 4.0, 0.0);
    let at = [0.115 + 0.01 * strum, -0.085 + 0.035 * strum, strings + 0.012];
    let hand = aimed([-0.85, -0.5 + 0.35 * strum, 0.2], [-0.1, -0.25, -1.0], 0.35);
    body.arms[1] = reach(Space::Chest, at, [1.0, -0.1, -0.2], hand);
    body.arms[1].shrug = 0.06;
    body
}
