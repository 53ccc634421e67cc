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
pub struct WayOptions {
    /// Width of the filter for places (s), at half maximum; 0 keeps every sample. Wider where samples are footsteps.
    pub smooth: f64,
    /// Tolerance of keys.
    pub tolerance: KeyTolerance,
}

impl Default for WayOptions {
    fn default() -> Self {
        Self {
            smooth: DEFAULT_SMOOTH,
            tolerance: KeyTolerance::new(0.004),
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
    pub fn ways(&self, agents: &[(&Agent, Body)], map: &GroundMap, options: &WayOptions) -> Vec<Vec<TrajectoryKey>> {
        let pause = self.gap_after();
        agents
            .par_iter()
            .map(|(agent, body)| self.way(agent, body, map, options, pause))
            .collect()
    }

    fn way(&self, agent: &Agent, body: &Body, map: &GroundMap, options: &WayOptions, pause: f64) -> Vec<TrajectoryKey> {
        let mut keys: Vec<TrajectoryKey> = Vec::new();
        for run in self
            .samples_of(agent)
            .chunk_by(|a, b| !is_apart(agent.kind, a, b, pause))
        {
            let smooth = match agent.kind {
                AgentKind::Person => options.smooth,
                // Computed, not measured.
                AgentKind::Vehicle(_) => 0.0,
            };
            let mut states = motion::states(run, map, smooth);
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
            keys.extend(gait::keys(&states, &body.gaits, body.stride, &options.tolerance));
        }
        keys
    }
}
