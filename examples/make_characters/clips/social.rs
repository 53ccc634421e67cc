//! Conversation: talking and listening.

use super::{Clip, aimed, breathe, reach, shift_weight, stand};
use crate::actor::Actor;
use crate::pose::{Body, Hand, Space};
use crate::spline::{cyc, cyc3, wave};
use glam::vec3;

pub fn talk(actor: &Actor) -> Clip<'_> {
    let seconds = 4.0 * actor.style.tempo;
    Clip::new("talk", seconds, move |t| talk_pose(actor, t)).calm()
}

/// Talks: the right hand gestures, the left one joins in half-way.
fn talk_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let (e, s) = (actor.style.energy, actor.scale());
    shift_weight(&mut body, 0.02 * actor.style.sway * s * wave(t, 1.0, 0.1));
    breathe(&mut body, wave(t, 2.0, 0.0));
    let beat = cyc(
        &[
            (0.0, 0.0),
            (0.08, 1.0),
            (0.16, 0.2),
            (0.25, 0.9),
            (0.4, 0.1),
            (0.58, 1.0),
            (0.7, 0.3),
            (0.8, 0.8),
            (0.9, 0.0),
        ],
        t,
    );
    body.spine.y += 0.08 * e * wave(t, 1.0, 0.05);
    body.spine.x += 0.03 * beat * e;
    let turn = cyc(&[(0.0, 0.08), (0.3, -0.1), (0.5, 0.05), (0.75, 0.15)], t);
    body.head = vec3(
        0.03 + 0.07 * beat,
        turn,
        cyc(&[(0.0, 0.05), (0.35, -0.08), (0.7, 0.06)], t),
    );
    let lift = 0.05 * e * beat;
    let right = cyc3(
        &[
            (0.0, [0.14, -0.5, 0.42]),
            (0.12, [0.2, -0.38, 0.52]),
            (0.25, [0.06, -0.4, 0.55]),
            (0.42, [0.26, -0.42, 0.44]),
            (0.6, [0.42, -0.34, 0.4]),
            (0.8, [0.2, -0.46, 0.48]),
        ],
        t,
    ) + vec3(0.0, lift, 0.0);
    let open = cyc(&[(0.0, 0.2), (0.2, -0.3), (0.45, 0.5), (0.62, 1.0), (0.85, 0.2)], t);
    let hand = aimed(
        [-0.1 + 0.5 * open, 0.25 + 0.25 * beat, 1.0],
        [-0.9, 0.3 + 0.7 * open, -0.1],
        0.18,
    );
    body.arms[1] = reach(Space::Shoulder, right.to_array(), [0.45, -1.0, -0.45], hand);
    let join = cyc(&[(0.0, 0.0), (0.38, 0.0), (0.58, 1.0), (0.76, 0.9), (0.95, 0.0)], t);
    let left = vec3(0.16, -0.78, 0.2).lerp(vec3(0.4, -0.38, 0.4), join);
    let relaxed = Hand {
        pron: 0.3 - 1.3 * join,
        curl: 0.3 - 0.15 * join,
        ..super::RELAXED
    };
    body.arms[0] = reach(Space::Shoulder, left.to_array(), [0.45, -0.9, -0.6], relaxed);
    body
}

pub fn listen(actor: &Actor) -> Clip<'_> {
    let seconds = 4.0 * actor.style.tempo;
    Clip::new("listen", seconds, move |t| listen_pose(actor, t)).calm()
}

/// Listens: left hand on the hip, weight on the right leg, nodding now and then.
fn listen_pose(actor: &Actor, t: f32) -> Body {
    let mut body = stand(actor);
    let s = actor.scale();
    shift_weight(&mut body, -0.022 * s * (1.0 + 0.25 * wave(t, 1.0, 0.0)));
    breathe(&mut body, wave(t, 2.0, 0.1));
    let nod = cyc(
        &[
            (0.0, 0.0),
            (0.08, 1.0),
            (0.16, 0.1),
            (0.24, 0.8),
            (0.34, 0.0),
            (0.6, 0.0),
            (0.68, 0.9),
            (0.78, 0.0),
        ],
        t,
    );
    let tilt = cyc(&[(0.0, 0.06), (0.4, 0.1), (0.55, -0.06), (0.9, -0.02)], t);
    body.head = vec3(0.02 + 0.13 * nod, 0.06 * wave(t, 1.0, 0.3), tilt);
    body.spine.y -= 0.06;
    let waist = actor.waist / s;
    let hand = aimed([-0.55, -0.5, 0.75], [-0.85, -0.2, -0.5], 0.25);
    body.arms[0] = reach(Space::Hips, [waist + 0.035, 0.1, -0.005], [1.0, 0.0, -0.45], hand);
    body.arms[0].shrug = 0.04;
    body
}
