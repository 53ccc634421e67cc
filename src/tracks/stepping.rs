//! Gait of somebody whose trajectory consists of footsteps: legs begin to stand when footsteps begin.
//!
//! Steps take the time of footsteps, so that their length follows the speed. Feet stay planted if phases follow the way;
//! longer steps at a lower rate cover the same way. So a phase that is late is caught up by shorter steps, and one that
//! is early waits by longer ones: a phase-locked loop.

use std::ops::Range;

use super::{
    footsteps::Footsteps,
    gait::{Gait, MovingClip, Person, phases, stepping_speed, turning},
    motion::MotionState,
};

/// Least weight of the walk in the rate of steps.
const SHORTEST: f32 = 0.1;
/// Shortening of steps by turns: their length is divided by 1 plus this times the rate of turning (radians per second).
const TURNS_SHORTEN: f32 = 0.3;
/// Largest factor by which steps are longer or shorter.
const LONGER: f64 = 1.2;
/// Trials in which a factor is found.
const TRIALS: usize = 4;
/// Cycles in a footstep from which on somebody walks: others shuffle, and legs keep their own time.
const WALKS: f64 = 0.2;

/// Gaits at all states.
pub(super) struct Steps {
    pub(super) gaits: Vec<Gait>,
    /// Phase at the first state.
    pub(super) start: f64,
}

/// Steps of a person; `None` if the character has no walk.
pub(super) fn steps(person: &Person<'_>, footsteps: &Footsteps) -> Option<Steps> {
    let walk = person.gaits.walk?;
    let half = 0.5 * walk.cycle * person.stride;
    let weight = |(state, turning): (&MotionState, f32)| {
        let length = stepping_speed(state) * footsteps.interval as f32;
        length / (half * (1.0 + TURNS_SHORTEN * turning))
    };
    let mut loops = PhaseLoop {
        person,
        walk,
        weights: person.states.iter().zip(turning(person.states)).map(weight).collect(),
        times: &footsteps.times,
        factors: Vec::new(),
    };
    let [left, right] = person.gaits.stands_from();
    let first = if footsteps.is_left_first { left } else { right };
    let start = loops.lock(first);
    Some(Steps {
        gaits: loops.gaits(0..person.states.len()),
        start,
    })
}

/// Factors of the lengths of steps with which legs begin to stand at footsteps.
struct PhaseLoop<'a> {
    person: &'a Person<'a>,
    walk: MovingClip,
    /// Length of steps at each state over that of the walk.
    weights: Vec<f32>,
    /// Beginnings of footsteps (s).
    times: &'a [f64],
    /// Factors of footsteps so far.
    factors: Vec<f64>,
}

impl PhaseLoop<'_> {
    /// Finds one factor after another, from the phase at which the first footstep begins. Gives the phase at the first
    /// state.
    fn lock(&mut self, first: f64) -> f64 {
        let states = self.person.states;
        let at = |time: f64| states.partition_point(|state| state.time <= time).max(1) - 1;
        let begin = at(self.times[0]);
        let before = self.phases(0..(begin + 2).min(states.len()), 0.0);
        let start = first - at_phase(&states[..before.len()], &before, self.times[0]);
        let mut phase = start + before[begin.min(before.len() - 1)];
        for number in 1..self.times.len() {
            let (from, to) = (at(self.times[number - 1]), at(self.times[number]));
            let end = (to + 2).min(states.len());
            let factor = self.factor(from..end, phase, self.times[number]);
            self.factors.push(factor);
            phase = self.phases(from..end, phase)[to - from];
        }
        start
    }

    /// Factor with which a leg begins to stand at a time (s), for states of which the first has a phase.
    fn factor(&mut self, states: Range<usize>, phase: f64, time: f64) -> f64 {
        let stands = self.person.gaits.stands_from();
        let mut end_with = |factor: f64| {
            self.factors.push(factor);
            let phases = self.phases(states.clone(), phase);
            self.factors.pop();
            at_phase(&self.person.states[states.clone()], &phases, time)
        };
        let mut end = end_with(1.0);
        if end - phase < WALKS {
            return 1.0;
        }
        let wanted = nearest(stands, end);
        let mut factor = 1.0;
        for _ in 0..TRIALS {
            factor = (factor * (end - phase) / (wanted - phase).max(1e-3)).clamp(LONGER.recip(), LONGER);
            end = end_with(factor);
        }
        factor
    }

    fn phases(&self, states: Range<usize>, phase: f64) -> Vec<f64> {
        let part = Person {
            states: &self.person.states[states.clone()],
            ..*self.person
        };
        phases(&part, &self.gaits(states), phase)
    }

    fn gaits(&self, states: Range<usize>) -> Vec<Gait> {
        let own = self.person.states[states.clone()].iter().zip(&self.weights[states]);
        let weight =
            |(state, weight): (&MotionState, &f32)| weight * at_time(self.times, &self.factors, state.time) as f32;
        gaits(self.person, self.walk, &own.map(weight).collect::<Vec<_>>())
    }
}

/// Phase at a time (s) between states.
fn at_phase(states: &[MotionState], phases: &[f64], time: f64) -> f64 {
    if states.len() < 2 {
        return phases[0];
    }
    let at = states
        .partition_point(|state| state.time < time)
        .clamp(1, states.len() - 1);
    let (a, b) = (states[at - 1].time, states[at].time);
    phases[at - 1] + (phases[at] - phases[at - 1]) * ((time - a) / (b - a)).clamp(0.0, 1.0)
}

/// Gaits of steps, whose length is a weight times that of the walk: shorter ones blend the walk with the idle pose,
/// longer ones with the run.
fn gaits(person: &Person<'_>, walk: MovingClip, weights: &[f32]) -> Vec<Gait> {
    let run = person.gaits.run.filter(|run| run.cycle > walk.cycle);
    let is_long = |at: usize| weights.get(at).is_none_or(|weight| *weight >= 1.0);
    let gait = |(at, weight): (usize, &f32)| {
        // A segment blends two clips: idle and walk, or walk and run.
        let run = run.filter(|_| is_long(at) && is_long(at + 1) && at.checked_sub(1).is_none_or(is_long));
        let share = run.map_or(0.0, |run| {
            ((weight - 1.0) * walk.cycle / (run.cycle - walk.cycle)).min(1.0)
        });
        let longer = run.map_or(0.0, |run| (run.cycle - walk.cycle) * share);
        Gait {
            walk: weight.min(1.0),
            run: share,
            cycle: (weight.clamp(SHORTEST, 1.0) * walk.cycle + longer) * person.stride,
        }
    };
    weights.iter().enumerate().map(gait).collect()
}

/// Phase nearest to another at which one of the legs begins to stand.
fn nearest(stands: [f64; 2], phase: f64) -> f64 {
    let of = |stand: f64| stand + (phase - stand).round();
    let [a, b] = stands.map(of);
    if (a - phase).abs() < (b - phase).abs() { a } else { b }
}

/// Factor at a time (s): from that of the footstep before to its own between 10 and 60 % of a footstep. Around a third the
/// leg that stands passes its place of rest, and a change of its steps moves it least.
fn at_time(times: &[f64], factors: &[f64], time: f64) -> f64 {
    let number = times.partition_point(|own| *own <= time);
    let Some(number) = number.checked_sub(1) else {
        return 1.0;
    };
    let Some(own) = factors.get(number) else {
        return factors.last().copied().unwrap_or(1.0);
    };
    let before = number.checked_sub(1).map_or(1.0, |before| factors[before]);
    let share = (time - times[number]) / (times[number + 1] - times[number]);
    before + (own - before) * (2.0 * share - 0.2).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_beginning_is_of_either_leg() {
        for (phase, wanted) in [
            (0.0, 0.1),
            (0.34, 0.1),
            (0.36, 0.6),
            (0.84, 0.6),
            (0.86, 1.1),
            (7.5, 7.6),
        ] {
            assert!((nearest([0.1, 0.6], phase) - wanted).abs() < 1e-9, "{phase}");
        }
    }

    #[test]
    fn factors_change_while_the_leg_that_stands_passes_its_place() {
        let (times, factors) = ([1.0, 2.0, 3.0], [1.2, 0.8]);
        for (time, wanted) in [
            (0.5, 1.0),
            (1.35, 1.1),
            (1.6, 1.2),
            (2.0, 1.2),
            (2.35, 1.0),
            (2.9, 0.8),
            (9.0, 0.8),
        ] {
            assert!((at_time(&times, &factors, time) - wanted).abs() < 1e-9, "{time}");
        }
    }
}
