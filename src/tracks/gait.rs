//! Gait of a moving person: idle, walk and run by speed, and the phase of steps by distance, so that feet stay planted.
//!
//! People who walk slowly take shorter steps, about as the square root of their speed. Blending the walk with the idle
//! pose scales steps so: `weight` of the walk scales each step, and the phase runs faster by the same factor.
//! In turns the outer leg has a longer way than the body, the inner one a shorter: the phase follows the leg that stands.

use crate::{
    bake::{STANCE_SHARES, StancePlace, stance_places},
    character::Character,
    crowd::{
        CrowdClip,
        trajectory::{GaitClip, TrajectoryKey},
    },
};

use super::{
    footsteps::Footsteps,
    motion::MotionState,
    stepping::{self, Steps},
};

/// Speeds (m/s) between which somebody begins to step.
const STEPS_FROM: f32 = 0.05;
const STEPS_FULLY: f32 = 0.2;
/// Speed above which people run, and that below which they walk again (m/s).
const RUNS_ABOVE: f32 = 2.4;
const WALKS_BELOW: f32 = 1.9;
/// Least length of steps in the phase's rate, over that of the walk: noise of people who stand makes no haste.
const SHORTEST: f32 = 0.1;
/// Weight of the walk from which on turns count fully in the phase.
const TURNS_COUNT_FROM: f32 = 0.2;
/// Most cycles per second.
const FASTEST: f32 = 2.0;
/// Shortening of steps by turns: their length is divided by 1 plus this times the rate of turning (radians per second).
const TURNS_SHORTEN: f32 = 0.6;
/// Time (s) over which turns are summed.
const TURN_WINDOW: f64 = 1.0;
/// Duration of the fade between walk and run (s).
const FADE: f64 = 0.4;

/// A clip in which somebody moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MovingClip {
    clip: u16,
    /// Ground covered in one cycle (m), at scale 1.
    pub(super) cycle: f32,
    /// Ground speed as authored (m/s), at scale 1.
    speed: f32,
}

/// Clips of a character for people who move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaitSet {
    idle: GaitClip,
    pub(super) walk: Option<MovingClip>,
    pub(super) run: Option<MovingClip>,
    /// Places of the leg that stands, at even shares of the walk.
    stances: [StancePlace; STANCE_SHARES],
}

impl GaitSet {
    /// Chooses clips of a character as [`Self::of`], and measures which leg stands when.
    #[must_use]
    pub fn of_character(character: &Character) -> Self {
        let own = Self::of(&CrowdClip::all_of(character));
        let palettes = &character.palettes;
        let baked = |clip: u16| palettes.clips.get(usize::from(clip));
        let walk = own.walk.and_then(|walk| baked(walk.clip)).zip(baked(own.idle.clip));
        let stances = walk.map(|(walk, idle)| stance_places(&character.model.skeleton, palettes, walk, idle));
        Self {
            stances: stances.unwrap_or_default(),
            ..own
        }
    }

    /// Place of the leg that stands at a phase of the walk.
    fn stance(&self, phase: f64) -> StancePlace {
        let share = phase.rem_euclid(1.0) * STANCE_SHARES as f64;
        let at = |share: usize| self.stances[share % STANCE_SHARES];
        let (a, b) = (at(share as usize), at(share as usize + 1));
        // Legs change at once.
        if (a.side > 0.0) != (b.side > 0.0) {
            return a;
        }
        let mix = |a: f32, b: f32| a + (b - a) * share.fract() as f32;
        StancePlace {
            side: mix(a.side, b.side),
            ahead: mix(a.ahead, b.ahead),
        }
    }

    /// Phases of the walk at which the left and the right leg begin to stand. Half a cycle apart from 0 where sides show
    /// no two legs.
    pub(super) fn stands_from(&self) -> [f64; 2] {
        let is_left = |share: usize| self.stances[share % STANCE_SHARES].side > 0.0;
        let begins = |left: bool| {
            let mut changes = (0..STANCE_SHARES).filter(|share| is_left(*share + 1) == left && is_left(*share) != left);
            let only = changes.next().filter(|_| changes.next().is_none())?;
            Some((only + 1) as f64 / STANCE_SHARES as f64)
        };
        match (begins(true), begins(false)) {
            (Some(left), Some(right)) => [left, right],
            _ => [0.0, 0.5],
        }
    }

    /// Chooses clips by name: `idle`, `walk`, `run`. Clips that move over the ground stand in for missing ones.
    #[must_use]
    pub fn of(clips: &[CrowdClip]) -> Self {
        let indexed = || (0_u16..).zip(clips);
        let named = |name: &str| {
            let exact = indexed().find(|(_, clip)| clip.name.eq_ignore_ascii_case(name));
            exact.or_else(|| indexed().find(|(_, clip)| clip.name.to_lowercase().contains(name)))
        };
        let moving = |found: Option<(u16, &CrowdClip)>| {
            let (clip, own) = found.filter(|(_, own)| own.speed > 0.05 && own.duration > 0.0)?;
            Some(MovingClip {
                clip,
                cycle: own.speed * own.duration,
                speed: own.speed,
            })
        };
        let walk = moving(named("walk")).or_else(|| moving(indexed().find(|(_, clip)| clip.speed > 0.05)));
        let idle = named("idle").or_else(|| named("stand")).map_or(0, |(clip, _)| clip);
        Self {
            idle: GaitClip {
                clip: idle,
                is_timed: true,
            },
            walk,
            run: moving(named("run")),
            stances: [StancePlace::default(); STANCE_SHARES],
        }
    }
}

/// Gait at one sample.
#[derive(Clone, Copy)]
pub(super) struct Gait {
    /// Weight of the walk over the idle pose.
    pub(super) walk: f32,
    /// Weight of the run over the walk.
    pub(super) run: f32,
    /// Ground covered in one cycle (m).
    pub(super) cycle: f32,
}

/// Largest differences between a curve of keys and the samples that it replaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyTolerance {
    /// Place (m).
    pub place: f32,
    /// Heading (radians).
    yaw: f32,
    /// Weight of a clip.
    weight: f32,
    /// Phase of steps (cycles).
    phase: f64,
    /// Shade of clothes.
    shade: f32,
}

impl KeyTolerance {
    /// Tolerance with a distance (m); headings, weights and phases in proportion.
    #[must_use]
    pub fn new(place: f32) -> Self {
        let factor = place / 0.004;
        Self {
            place,
            yaw: 0.035 * factor,
            weight: 0.03 * factor,
            phase: 0.003 * f64::from(factor),
            shade: 0.04 * factor,
        }
    }
}

/// Motion and body of somebody.
#[derive(Clone, Copy)]
pub(super) struct Person<'a> {
    /// States that follow one another without a gap.
    pub(super) states: &'a [MotionState],
    /// Shade of clothes at each state, 0..=1, if it changes.
    pub(super) shades: Option<&'a [f32]>,
    /// Footsteps of which the trajectory consists.
    pub(super) footsteps: Option<&'a Footsteps>,
    /// Clips of the character.
    pub(super) gaits: &'a GaitSet,
    /// Length of steps over those of the character's file.
    pub(super) stride: f32,
}

/// Keys of a person.
pub(super) fn keys(person: &Person<'_>, tolerance: &KeyTolerance) -> Vec<TrajectoryKey> {
    let Person {
        states, gaits, stride, ..
    } = *person;
    let footsteps = person.footsteps.filter(|own| !own.times.is_empty() && states.len() > 1);
    let Steps { gaits: walking, start } = footsteps
        .and_then(|own| stepping::steps(person, own))
        .unwrap_or_else(|| Steps {
            gaits: walking(states, gaits, stride),
            start: 0.0,
        });
    let phases = phases(person, &walking, start);
    let rates = rates(states, &phases);
    let person = GaitState {
        states,
        shades: person.shades,
        gaits,
        walking: &walking,
        phases: &phases,
        rates: &rates,
    };
    let mut keys = Vec::new();
    let mut at = 0;
    while at + 1 < states.len() {
        let next = [32, 16, 8, 4, 2]
            .into_iter()
            .map(|step| at + step)
            .find(|end| person.fits(at, *end, tolerance));
        let next = next.unwrap_or(at + 1);
        keys.push(person.key(at, next));
        at = next;
    }
    keys.push(person.key(at, at));
    keys
}

fn walking(states: &[MotionState], gaits: &GaitSet, stride: f32) -> Vec<Gait> {
    let mut is_running = false;
    let mut run = 0.0_f32;
    let mut last = states.first().map_or(0.0, |state| state.time);
    let turning = turning(states);
    let gait = |(state, turning): (&MotionState, f32)| {
        let Some(walk) = gaits.walk else {
            return Gait {
                walk: 0.0,
                run: 0.0,
                cycle: f32::INFINITY,
            };
        };
        is_running = gaits.run.is_some() && state.speed > if is_running { WALKS_BELOW } else { RUNS_ABOVE };
        let step = ((state.time - last) / FADE) as f32;
        run = if is_running {
            (run + step).min(1.0)
        } else {
            (run - step).max(0.0)
        };
        if last == state.time && is_running {
            run = 1.0;
        }
        last = state.time;
        let weight = (stepping_speed(state) / (walk.speed * stride)).sqrt().min(1.0) / (1.0 + TURNS_SHORTEN * turning);
        let cycle = match gaits.run.filter(|_| run > 0.0) {
            Some(fast) => walk.cycle + (fast.cycle - walk.cycle) * run,
            None => weight.max(SHORTEST) * walk.cycle,
        };
        Gait {
            walk: weight,
            run,
            cycle: cycle * stride,
        }
    };
    states.iter().zip(turning).map(gait).collect()
}

/// Speed of steps (m/s): none of somebody who hardly moves.
pub(super) fn stepping_speed(state: &MotionState) -> f32 {
    let start = ((state.speed - STEPS_FROM) / (STEPS_FULLY - STEPS_FROM)).clamp(0.0, 1.0);
    state.speed * start * start * (3.0 - 2.0 * start)
}

/// Rate of turning at each state (radians per second): all turns to both sides over [`TURN_WINDOW`].
pub(super) fn turning(states: &[MotionState]) -> Vec<f32> {
    let mut turned = 0.0;
    let mut sums = vec![turned; states.len()];
    for (at, pair) in states.windows(2).enumerate() {
        turned += (pair[1].yaw - pair[0].yaw).abs();
        sums[at + 1] = turned;
    }
    let (mut first, mut last) = (0, 0);
    let rate = |state: &MotionState| {
        while states[first].time < state.time - 0.5 * TURN_WINDOW {
            first += 1;
        }
        while last + 1 < states.len() && states[last + 1].time <= state.time + 0.5 * TURN_WINDOW {
            last += 1;
        }
        (sums[last] - sums[first]) / TURN_WINDOW as f32
    };
    states.iter().map(rate).collect()
}

/// Part of a way or velocity (X and Z) that steps cover: along the heading, at least half of it.
fn along(state: &MotionState, way: [f32; 2]) -> f32 {
    let ahead = way[0] * state.yaw.sin() + way[1] * state.yaw.cos();
    ahead.max(0.5 * way[0].hypot(way[1]))
}

/// Phase at each sample, from one at the first: the way of the leg that stands over the length of a cycle.
pub(super) fn phases(person: &Person<'_>, walking: &[Gait], start: f64) -> Vec<f64> {
    let Person {
        states,
        gaits: set,
        stride,
        ..
    } = *person;
    let mut phase = start;
    let mut all = Vec::with_capacity(states.len());
    all.push(phase);
    for (states, gaits) in states.windows(2).zip(walking.windows(2)) {
        let way = states[1].position - states[0].position;
        let turn = states[1].yaw - states[0].yaw;
        let counts = (gaits[0].walk / TURNS_COUNT_FROM).min(1.0);
        let stance = if gaits[0].run > 0.0 {
            StancePlace::default()
        } else {
            set.stance(phase)
        };
        // Longer steps put the leg that stands further away from its place of rest.
        let longer = (gaits[1].walk - gaits[0].walk) * stance.ahead;
        let own = along(&states[0], [way.x, way.z]) + (longer - stance.side * turn * counts) * stride;
        let way = own.max(0.0);
        let cycles = way * 0.5 * (gaits[0].cycle.recip() + gaits[1].cycle.recip());
        let most = FASTEST * (states[1].time - states[0].time) as f32;
        phase += f64::from(cycles.min(most));
        all.push(phase);
    }
    all
}

/// Rate of the phase at each sample (cycles per second): the mean of both sides, but at most twice the lower, so that
/// the phase between samples is monotone (Steffen 1990).
fn rates(states: &[MotionState], phases: &[f64]) -> Vec<f32> {
    let seconds = states.windows(2).map(|pair| pair[1].time - pair[0].time);
    let advances = phases.windows(2).map(|pair| pair[1] - pair[0]);
    let slopes: Vec<f64> = advances
        .zip(seconds)
        .map(|(advance, seconds)| advance / seconds)
        .collect();
    let (first, last) = (slopes.first().copied(), slopes.last().copied());
    let between = slopes
        .windows(2)
        .map(|pair| (0.5 * (pair[0] + pair[1])).min(2.0 * pair[0].min(pair[1])));
    let all = first.into_iter().chain(between).chain(last);
    all.map(|rate| rate as f32).collect()
}

/// Everything known of a person.
struct GaitState<'a> {
    states: &'a [MotionState],
    shades: Option<&'a [f32]>,
    gaits: &'a GaitSet,
    walking: &'a [Gait],
    phases: &'a [f64],
    /// Cycles per second.
    rates: &'a [f32],
}

impl GaitState<'_> {
    fn runs(&self, from: usize, to: usize) -> bool {
        self.walking[from].run > 0.0 || self.walking[to].run > 0.0
    }

    /// Weight of the second clip at a sample.
    fn weight(&self, at: usize, runs: bool) -> f32 {
        if runs {
            self.walking[at].run
        } else {
            self.walking[at].walk
        }
    }

    fn slopes(&self, from: usize, to: usize) -> [f32; 2] {
        let advance = (self.phases[to] - self.phases[from]) as f32;
        let seconds = (self.states[to].time - self.states[from].time) as f32;
        let slope = |at: usize| {
            if advance > 1e-9 {
                (self.rates[at] * seconds / advance).min(3.0)
            } else {
                0.0
            }
        };
        [slope(from), slope(to)]
    }

    fn key(&self, from: usize, to: usize) -> TrajectoryKey {
        let state = &self.states[from];
        let runs = self.runs(from, to);
        let planted = |clip: MovingClip| GaitClip {
            clip: clip.clip,
            is_timed: false,
        };
        let walk = self.gaits.walk.map_or(self.gaits.idle, planted);
        let clips = if runs {
            [walk, self.gaits.run.map_or(walk, planted)]
        } else {
            [self.gaits.idle, walk]
        };
        TrajectoryKey {
            time: state.time,
            position: state.position,
            velocity: state.velocity,
            yaw: state.yaw,
            clips,
            weights: [self.weight(from, runs), self.weight(to, runs)],
            phase: self.phases[from],
            advance: (self.phases[to] - self.phases[from]) as f32,
            slopes: self.slopes(from, to),
            is_gap: false,
            shade: self.shades.map(|shades| shades[from]),
        }
    }

    /// True if one segment replaces all samples between two within the tolerance.
    fn fits(&self, from: usize, to: usize, tolerance: &KeyTolerance) -> bool {
        if to >= self.states.len() {
            return false;
        }
        let (a, b) = (&self.states[from], &self.states[to]);
        let seconds = (b.time - a.time) as f32;
        let runs = self.runs(from, to);
        let advance = self.phases[to] - self.phases[from];
        let slopes = self.slopes(from, to).map(|slope| f64::from(slope) * advance);
        (from..to).all(|at| self.runs(at, at + 1) == runs)
            && (from + 1..to).all(|at| {
                let state = &self.states[at];
                let u = (state.time - a.time) as f32 / seconds;
                let mix = |a: f32, b: f32| a + (b - a) * u;
                let axis = |a: f32, b: f32, v: f32, w: f32, own: f32| {
                    (hermite(
                        u.into(),
                        [a.into(), b.into()],
                        [(v * seconds).into(), (w * seconds).into()],
                    ) as f32
                        - own)
                        .abs()
                };
                let x = axis(
                    a.position.x,
                    b.position.x,
                    a.velocity[0],
                    b.velocity[0],
                    state.position.x,
                );
                let z = axis(
                    a.position.z,
                    b.position.z,
                    a.velocity[1],
                    b.velocity[1],
                    state.position.z,
                );
                let phase = hermite(u.into(), [self.phases[from], self.phases[to]], slopes);
                x.hypot(z) <= tolerance.place
                    && (mix(a.position.y, b.position.y) - state.position.y).abs() <= tolerance.place
                    && (mix(a.yaw, b.yaw) - state.yaw).abs() <= tolerance.yaw
                    && (mix(self.weight(from, runs), self.weight(to, runs)) - self.weight(at, runs)).abs()
                        <= tolerance.weight
                    && (phase - self.phases[at]).abs() <= tolerance.phase
                    && self
                        .shades
                        .is_none_or(|shades| (mix(shades[from], shades[to]) - shades[at]).abs() <= tolerance.shade)
            })
    }
}

fn hermite(u: f64, ends: [f64; 2], slopes: [f64; 2]) -> f64 {
    let v = 1.0 - u;
    ends[0] + (ends[1] - ends[0]) * u * u * (3.0 - 2.0 * u) + u * v * (slopes[0] * v - slopes[1] * u)
}
