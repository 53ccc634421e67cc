//! Clips of every character as functions from phase to pose, and their sampling.

mod attack;
mod dance;
mod gait;
mod gestures;
mod social;
mod standing;

use crate::actor::Actor;
use crate::anim::{Baked, Event, Wrap};
use crate::pose::{ArmPose, Body, FootPose, Hand, Reach, Solved, Space, solve};
use crate::rig::{SIDES, sign};
use crate::secondary;
use glam::{Quat, Vec3, vec3};

/// A clip before sampling.
pub struct Clip<'a> {
    pub name: &'static str,
    pub seconds: f32,
    /// Keys per second; calm clips need few.
    pub rate: f32,
    pub wrap: Wrap,
    pub speed: f32,
    pub events: Vec<Event>,
    /// Pose at phase 0..1.
    pub pose: Box<dyn Fn(f32) -> Body + 'a>,
    /// True if the feet never leave their place.
    pub planted: bool,
}

impl<'a> Clip<'a> {
    fn new(name: &'static str, seconds: f32, pose: impl Fn(f32) -> Body + 'a) -> Self {
        let pose = Box::new(pose);
        let (rate, wrap) = (30.0, Wrap::Loop);
        Self {
            name,
            seconds,
            rate,
            wrap,
            speed: 0.0,
            events: Vec::new(),
            pose,
            planted: true,
        }
    }

    fn calm(mut self) -> Self {
        self.rate = 15.0;
        self
    }

    fn event(mut self, name: &'static str, phase: f32) -> Self {
        self.events.push(Event {
            name,
            time: phase * self.seconds,
            foot: None,
        });
        self
    }

    fn footstep(mut self, side: usize, phase: f32) -> Self {
        let foot = Some(["l", "r"][side]);
        self.events.push(Event {
            name: "footstep",
            time: phase * self.seconds,
            foot,
        });
        self
    }
}

/// Returns all clips in the order in which they are written.
pub fn all(actor: &Actor) -> Vec<Clip<'_>> {
    vec![
        standing::idle(actor),
        gait::walk(actor),
        gait::run(actor),
        gestures::waving(actor),
        gestures::cheer(actor),
        gestures::clap(actor),
        dance::dance(actor),
        attack::attack(actor),
        social::talk(actor),
        social::listen(actor),
        standing::sit(actor),
        gestures::play(actor),
    ]
}

/// Samples a clip; the last key repeats the first exactly.
pub fn bake(actor: &Actor, clip: &Clip) -> Baked {
    let frames = solve_frames(actor, clip);
    let steps = frames.len() - 1;
    let times = (0..=steps).map(|i| clip.seconds * i as f32 / steps as f32).collect();
    let keys = |joint: usize| {
        let mut before = Quat::IDENTITY;
        let node = frames.iter().map(|f| {
            let q = actor.node_rotation(joint, f.local[joint]).normalize();
            before = if q.dot(before) < 0.0 { -q } else { q };
            before
        });
        node.collect::<Vec<Quat>>()
    };
    Baked {
        name: clip.name,
        wrap: clip.wrap,
        speed: clip.speed,
        events: clip.events.clone(),
        times,
        rotations: (0..actor.rig.joints.len()).map(keys).collect(),
        hips: frames.iter().map(|f| f.hips).collect(),
    }
}

/// Returns poses in reference space at every key of the clip.
pub fn solve_frames(actor: &Actor, clip: &Clip) -> Vec<Solved> {
    // A multiple of four lets the writer drop every second key twice.
    let steps = (clip.seconds * clip.rate / 4.0).round().max(1.0) as usize * 4;
    let mut frames: Vec<Solved> = (0..steps)
        .map(|i| {
            let mut solved = solve(actor, &(clip.pose)(i as f32 / steps as f32));
            secondary::skirt(actor, &mut solved);
            solved
        })
        .collect();
    frames.push(frames[0].clone());
    let wraps = clip.wrap == Wrap::Loop;
    secondary::strands(actor, &mut frames, clip.seconds, clip.speed, wraps);
    let first = frames[0].clone();
    frames[steps] = first;
    frames
}

/// Relaxed hand: slightly curled, turned a little towards the thigh.
const RELAXED: Hand = Hand {
    pron: 0.35,
    flex: 0.08,
    tilt: 0.0,
    curl: 0.28,
    aim: None,
};
const FIST: Hand = Hand {
    pron: 0.0,
    flex: 0.0,
    tilt: 0.0,
    curl: 0.95,
    aim: None,
};

fn hanging(actor: &Actor) -> ArmPose {
    let out = actor.style.arm_out;
    let reach = Reach::Swing {
        fwd: 0.04,
        out,
        twist: 0.12,
        elbow: 0.24,
    };
    ArmPose {
        reach,
        hand: RELAXED,
        shrug: 0.0,
    }
}

fn reach(space: Space, at: [f32; 3], elbow: [f32; 3], hand: Hand) -> ArmPose {
    let reach = Reach::To {
        space,
        at: Vec3::from(at),
        elbow: Vec3::from(elbow),
    };
    ArmPose {
        reach,
        hand,
        shrug: 0.0,
    }
}

fn aimed(fingers: [f32; 3], palm: [f32; 3], curl: f32) -> Hand {
    Hand {
        aim: Some((Vec3::from(fingers), Vec3::from(palm))),
        curl,
        ..RELAXED
    }
}

/// Returns the pose that every standing clip starts with: upright, feet side by side, arms hanging.
fn stand(actor: &Actor) -> Body {
    let style = &actor.style;
    let foot = |side: usize| FootPose {
        at: vec3((actor.rig.props.ankle.x + style.stance) * sign(side), 0.0, 0.0),
        yaw: style.toe_out,
        pitch: 0.0,
        toe_flat: 1.0,
    };
    Body {
        hips: vec3(0.0, -style.crouch, -0.25 * style.stoop * actor.scale()),
        hips_rot: vec3(style.stoop * 0.2, 0.0, 0.0),
        spine: Vec3::ZERO,
        head: Vec3::ZERO,
        arms: SIDES.map(|_| hanging(actor)),
        feet: SIDES.map(foot),
    }
}

/// Shifts the weight sideways by `x` metres: hips tilt, the trunk bends back over the feet.
fn shift_weight(body: &mut Body, x: f32) {
    body.hips.x += x;
    body.hips_rot.z += x * 1.6;
    body.spine.z -= x * 2.2;
    body.hips.y -= x.abs() * 0.12;
}

/// Adds one breath: the chest lifts, the arms drift out.
fn breathe(body: &mut Body, amount: f32) {
    body.spine.x -= 0.018 * amount;
    body.hips.y += 0.002 * amount;
    for arm in &mut body.arms {
        arm.shrug += 0.018 * amount;
        if let Reach::Swing { out, .. } = &mut arm.reach {
            *out += 0.012 * amount;
        }
    }
}
