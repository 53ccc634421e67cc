//! Standing and sitting.

use super::{Clip, breathe, reach, shift_weight, stand};
use crate::actor::Actor;
use crate::pose::{Body, Space};
use crate::rig::{SIDES, sign};
use crate::spline::{cyc, wave};
use glam::vec3;

/// Height of the bench that `sit` sits on (m).
const SEAT: f32 = 0.45;

pub fn idle(actor: &Actor) -> Clip<'_> {
    let seconds = 4.0 * actor.style.tempo;
    Clip::new("idle", seconds, move |t| idle_pose(actor, t)).calm()
}

fn idle_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let style = &actor.style;
    let shift = cyc(&[(0.0, 0.7), (0.32, 1.0), (0.5, -0.6), (0.82, -1.0)], t);
    shift_weight(&mut body, 0.022 * style.sway * actor.scale() * shift);
    body.hips_rot.y += 0.03 * wave(t, 1.0, 0.1);
    body.spine.y -= 0.04 * wave(t, 1.0, 0.16);
    breathe(&mut body, wave(t, 2.0, 0.0));
    let look = cyc(
        &[
            (0.0, 0.0),
            (0.14, 0.02),
            (0.24, 0.34),
            (0.42, 0.3),
            (0.55, -0.26),
            (0.74, -0.22),
            (0.88, 0.0),
        ],
        t,
    );
    body.head += vec3(0.02 * wave(t, 2.0, 0.2) - 0.03 * look.abs(), look, 0.1 * look);
    body.spine.y += 0.12 * look;
    body
}

pub fn sit(actor: &Actor) -> Clip<'_> {
    let seconds = 4.0 * actor.style.tempo;
    Clip::new("sit", seconds, move |t| sit_pose(actor, t)).calm()
}

fn sit_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let s = actor.scale();
    let p = &actor.rig.props;
    let thigh_y = SEAT + 0.075 * s;
    let hips_y = thigh_y + (p.hips_y - p.thigh.y);
    let thigh_len = p.thigh.y - p.knee.y;
    body.hips = vec3(0.0, hips_y - p.hips_y, -thigh_len * 0.8);
    body.hips_rot.x = -0.06;
    body.spine.x = 0.12 + 0.02 * wave(t, 2.0, 0.0);
    let look = cyc(&[(0.0, -0.05), (0.2, 0.28), (0.4, 0.24), (0.6, -0.3), (0.8, -0.25)], t);
    body.head = vec3(0.05 - 0.04 * wave(t, 1.0, 0.3), look, 0.12 * look);
    body.spine.y = 0.15 * look;
    // Short legs dangle: the feet stay a shin below the knee and swing.
    let above_knee = thigh_y - p.knee.y;
    let dangle = if above_knee > 0.13 { 1.0 } else { 0.0 };
    let lift = dangle * (above_knee - 0.04);
    for side in SIDES {
        let kick = 0.07 * dangle * wave(t, 3.0, 0.5 * side as f32);
        let foot = &mut body.feet[side];
        foot.at = vec3(foot.at.x, lift + 0.25 * kick.abs(), 0.04 * s + kick);
        foot.pitch = kick * 1.5 - 0.2 * dangle;
        let at = [0.085, 0.085, 0.235 + 0.012 * sign(side)];
        let hand = super::aimed([-0.35, -0.3, 1.0], [-0.1, -1.0, -0.25], 0.2);
        body.arms[side] = reach(Space::Hips, at, [0.75, -0.35, -0.6], hand);
        body.arms[side].shrug = 0.015 * wave(t, 2.0, 0.05);
    }
    body
}
