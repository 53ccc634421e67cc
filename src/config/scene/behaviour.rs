//! `[scene.groups.NAME.behaviour]`: actions of people of a group, and their durations.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{config::validate::ValidationError, model::Wrap};

/// State machine of a group. Time is cut into blocks; each begins in a `home` state and goes on by the transitions of
/// the states, see [`crate::crowd::schedule`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BehaviourConfig {
    /// Shortest and longest length of a block (s), 1..=120; each person has one length.
    pub block: [f32; 2],
    /// States by name.
    pub states: BTreeMap<String, StateConfig>,
}

/// `[scene.groups.NAME.behaviour.states.STATE]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateConfig {
    /// Clip to play; empty: the clip named like the state.
    pub clip: String,
    /// Weight of starting a block in this state, 0..=1000; 0: never.
    pub home: f32,
    /// Slowest and fastest playback speed, -8..=8, both of one sign.
    pub speed: [f32; 2],
    /// Behaviour past the end of the clip; none: loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrap: Option<Wrap>,
    /// Shortest and longest stay (s), 0.2..=120. The last stay of a block may be longer.
    pub dwell: [f32; 2],
    /// Duration of the fade into this state (s), 0..=5, at most the shortest stay.
    pub fade: f32,
    /// Weights of the next states by name, 0..=1000. Every state may also go to a home state, where a block ends.
    pub next: BTreeMap<String, f32>,
    /// Durations of fades out of this state (s), by the next state, where they differ from that state's `fade`.
    pub fades: BTreeMap<String, f32>,
}

impl Default for BehaviourConfig {
    fn default() -> Self {
        Self {
            block: [20.0, 40.0],
            states: BTreeMap::new(),
        }
    }
}

impl Default for StateConfig {
    fn default() -> Self {
        Self {
            clip: String::new(),
            home: 0.0,
            speed: [1.0, 1.0],
            wrap: None,
            dwell: [3.0, 8.0],
            fade: 0.3,
            next: BTreeMap::new(),
            fades: BTreeMap::new(),
        }
    }
}

impl BehaviourConfig {
    /// First contradiction, if any.
    pub(crate) fn validation_error(&self) -> Option<ValidationError> {
        if !self.states.values().any(|state| state.home > 0.0) {
            let expected = "states, at least one with `home` above 0";
            return Some(ValidationError::new("states", "without a home state", expected));
        }
        let of_states = self
            .states
            .iter()
            .find_map(|(name, state)| self.state_error(name, state));
        of_states.or_else(|| self.reach_error())
    }

    /// Error: a state that is no home and that no transition leads to.
    fn reach_error(&self) -> Option<ValidationError> {
        let homes = self.states.iter().filter(|(_, state)| state.home > 0.0);
        let mut ahead: Vec<&String> = homes.map(|(name, _)| name).collect();
        let mut reached = BTreeSet::new();
        while let Some(name) = ahead.pop() {
            if reached.insert(name) {
                // A transition of weight 0 is off, but counts as a way to reach a state: somebody wrote it on purpose.
                ahead.extend(self.states.get(name).into_iter().flat_map(|state| state.next.keys()));
            }
        }
        let lost = self.states.keys().find(|name| !reached.contains(name))?;
        let expected = "`home` above 0, or its name in the `next` of a state that is reached";
        Some(ValidationError::new(
            format!("states.{lost}"),
            "a state that nobody reaches",
            expected,
        ))
    }

    fn state_error(&self, name: &str, state: &StateConfig) -> Option<ValidationError> {
        let validation_error = |key: &str, value: String, expected: &str| {
            Some(ValidationError::new(key, value, expected).below(&format!("states.{name}")))
        };
        for (key, targets) in [("next", &state.next), ("fades", &state.fades)] {
            if let Some(target) = targets.keys().find(|target| !self.states.contains_key(*target)) {
                return validation_error(key, format!("\"{target}\""), "states of this behaviour");
            }
        }
        if state.speed[0] * state.speed[1] < 0.0 {
            return validation_error("speed", format!("{:?}", state.speed), "two speeds of the same sign");
        }
        if state.fade > state.dwell[0] {
            return validation_error("fade", state.fade.to_string(), "at most the shortest dwell");
        }
        let too_long = |(target, fade): (&String, &f32)| *fade > self.states[target].dwell[0];
        if state.fades.iter().any(too_long) {
            return validation_error(
                "fades",
                format!("{:?}", state.fades),
                "at most the shortest dwell of the next state",
            );
        }
        if state.dwell[0] > self.block[0] {
            return validation_error("dwell", format!("{:?}", state.dwell), "shorter than a block");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(home: f32, next: &[(&str, f32)]) -> StateConfig {
        StateConfig {
            home,
            next: next.iter().map(|&(name, weight)| (name.to_owned(), weight)).collect(),
            ..StateConfig::default()
        }
    }

    fn validation_error(states: &[(&str, StateConfig)]) -> Option<String> {
        let states = states.iter().map(|(name, state)| ((*name).to_owned(), state.clone()));
        let behaviour = BehaviourConfig {
            states: states.collect(),
            ..BehaviourConfig::default()
        };
        behaviour
            .validation_error()
            .map(|validation_error| format!("{} is {}", validation_error.key, validation_error.value))
    }

    #[test]
    fn every_state_is_reached_from_a_home() {
        let (walk, sit) = (state(1.0, &[("stand", 1.0)]), state(0.0, &[("stand", 1.0)]));
        let stand = state(0.0, &[("walk", 1.0), ("sit", 0.0)]);
        let all = [("walk", walk.clone()), ("stand", stand), ("sit", sit.clone())];
        assert_eq!(validation_error(&all), None, "a way of weight 0 is one that is closed");
        // These states lead to each other, but no other state leads to them.
        let apart = [
            ("walk", state(1.0, &[])),
            ("stand", state(0.0, &[("sit", 1.0)])),
            ("sit", sit),
        ];
        let told = "states.sit is a state that nobody reaches";
        assert_eq!(validation_error(&apart).as_deref(), Some(told));
        assert_eq!(
            validation_error(&[("walk", state(0.0, &[("walk", 1.0)]))]).as_deref(),
            Some("states is without a home state")
        );
        assert_eq!(
            validation_error(&[("walk", walk)]).as_deref(),
            Some("states.walk.next is \"stand\"")
        );
    }
}
