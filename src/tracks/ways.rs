//! Ways of all agents as keys of trajectories.

use rayon::prelude::*;

use crate::crowd::trajectory::TrajectoryKey;

use super::{
    Agent, AgentKind, Sample, Tracks,
    gait::{self, GaitSet, KeyTolerance},
    ground_map::GroundMap,
    motion,
};

/// Default width of the filter for places (s), at half maximum.
pub const DEFAULT_SMOOTH: f64 = 0.5;
/// Shortest step (m) that is a jump if it is too fast: somebody appears elsewhere.
const SHORTEST_JUMP: f64 = 2.0;

/// Body of an agent: clips of its character, and the length of its steps over those of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Clips.
    pub gaits: GaitSet,
    /// Scale of steps.
    pub stride: f32,
}

/// Choices for all agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WayOptions<'a> {
    /// Width of the filter for places (s), at half maximum; 0 keeps every sample. Wider where samples are footsteps.
    pub smooth: f64,
    /// Tolerance of keys.
    pub tolerance: KeyTolerance,
    /// Shade of every sample, 0..=1, in the order of [`Tracks::samples`], if clothes change their colour.
    pub shades: Option<&'a [f32]>,
}

impl Default for WayOptions<'_> {
    fn default() -> Self {
        Self {
            smooth: DEFAULT_SMOOTH,
            tolerance: KeyTolerance::new(0.004),
            shades: None,
        }
    }
}

/// True if somebody is absent between two samples: after a pause (s), or where they appear elsewhere.
pub(super) fn is_apart(kind: AgentKind, a: &Sample, b: &Sample, pause: f64) -> bool {
    let seconds = b.time - a.time;
    let way = f64::from(b.x - a.x).hypot(f64::from(b.y - a.y));
    seconds > pause + 1e-9 || (way > SHORTEST_JUMP && way > kind.fastest() * seconds)
}

impl Tracks {
    /// Keys of some agents, each with its body. Nobody's keys depend on others.
    #[must_use]
    pub fn ways(
        &self,
        agents: &[(&Agent, Body)],
        map: &GroundMap,
        options: &WayOptions<'_>,
    ) -> Vec<Vec<TrajectoryKey>> {
        let pause = self.gap_after();
        agents
            .par_iter()
            .map(|(agent, body)| self.way(agent, body, map, options, pause))
            .collect()
    }

    fn way(
        &self,
        agent: &Agent,
        body: &Body,
        map: &GroundMap,
        options: &WayOptions<'_>,
        pause: f64,
    ) -> Vec<TrajectoryKey> {
        let mut keys: Vec<TrajectoryKey> = Vec::new();
        let mut first = agent.samples.start;
        let kind = agent.kind;
        for run in self.run_of(agent).split(move |a, b| is_apart(kind, a, b, pause)) {
            let smooth = match agent.kind {
                AgentKind::Person => options.smooth,
                // Computed, not measured.
                AgentKind::Vehicle(_) => 0.0,
            };
            let motion::Motion { mut states, footsteps } = motion::motion(run, map, smooth);
            // Somebody seen once stands there for one frame.
            if let [only] = states[..] {
                states.push(motion::MotionState {
                    time: only.time + 1.0 / self.fps.unwrap_or(25.0),
                    ..only
                });
            }
            if let Some(last) = keys.last_mut() {
                last.is_gap = true;
            }
            let own = options.shades.and_then(|all| all.get(first..first + run.samples.len()));
            let shades = own.map(|own| shades_of(&states, run.samples, own, map));
            first += run.samples.len();
            let person = gait::Person {
                states: &states,
                shades: shades.as_deref(),
                footsteps: footsteps.as_ref(),
                gaits: &body.gaits,
                stride: body.stride,
            };
            keys.extend(gait::keys(&person, &options.tolerance));
        }
        keys
    }
}

/// Shades at states, linear in time between those of samples.
fn shades_of(states: &[motion::MotionState], samples: &[Sample], shades: &[f32], map: &GroundMap) -> Vec<f32> {
    let mut next = 0;
    let at = |state: &motion::MotionState| {
        while next < samples.len() && map.time(samples[next].time) <= state.time {
            next += 1;
        }
        let last = samples.len() - 1;
        let (a, b) = (next.saturating_sub(1), next.min(last));
        let seconds = samples[b].time - samples[a].time;
        let share = (state.time - map.time(samples[a].time)) / seconds;
        let share = if seconds > 0.0 {
            share.clamp(0.0, 1.0) as f32
        } else {
            0.0
        };
        shades[a] + (shades[b] - shades[a]) * share
    };
    states.iter().map(at).collect()
}
