//! Trajectories of people that other programs computed or recorded: readers of their formats, facts about a file, and
//! the motion of a crowd that follows it.
//!
//! [`Tracks::open`] recognises a format by content. Places are in metres as in the file: x to the right, y up on the
//! page; [`Tracks::origin`] keeps large map coordinates exact. Times are in seconds.

mod assemble;
mod density;
mod error;
mod flow;
mod footsteps;
mod gait;
mod ground_map;
mod ids;
pub mod live;
mod motion;
mod notes;
mod options;
mod presence;
mod read;
mod samples;
mod shades;
mod stepping;
mod summary;
mod track_numbers;
mod vehicle;
pub mod walls;
mod ways;

pub use density::DENSITY_RADIUS;
pub use error::{TextPlace, TrackError};
pub use flow::{Crossing, DirectedFlow, Flow, FlowLine, Side};
pub use gait::{GaitSet, KeyTolerance};
pub use ground_map::GroundMap;
pub use ids::Id;
pub use options::{LengthUnit, ReadOptions};
pub use presence::Presence;
pub use read::{Format, is_trajectories};
pub use samples::{Sample, SampleExtra, SampleRun};
pub use shades::{ColorScale, Quantity};
pub use summary::{Extent, Gap, Range, Summary, WallFacts};
pub use vehicle::VehicleClass;
pub use ways::{Body, DEFAULT_SMOOTH, WayOptions};

use std::{ops, path::Path};

use walls::Walls;

/// Kind of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentKind {
    /// A pedestrian.
    #[default]
    Person,
    /// A vehicle, drawn as a box.
    Vehicle(VehicleClass),
}

impl AgentKind {
    /// Class of a vehicle; `None` for people.
    #[must_use]
    pub const fn vehicle(self) -> Option<VehicleClass> {
        match self {
            Self::Person => None,
            Self::Vehicle(class) => Some(class),
        }
    }

    /// Fastest step from one sample to the next (m/s): beyond it, somebody appears elsewhere.
    const fn fastest(self) -> f64 {
        match self {
            Self::Person => 20.0,
            // Of trains.
            Self::Vehicle(_) => 120.0,
        }
    }
}

/// Somebody with a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Identity in the file.
    pub id: Id,
    /// Kind.
    pub kind: AgentKind,
    /// Samples in [`Tracks::samples`], ascending in time.
    pub samples: ops::Range<usize>,
}

/// Origin of a fact: the file, its user, or a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FactSource {
    /// The file states it.
    File,
    /// An option states it.
    Option,
    /// Derived from samples, or the format's usual value.
    Assumed,
}

/// Trajectories of one file.
#[derive(Clone, Debug)]
pub struct Tracks {
    /// Format of the file.
    pub format: Format,
    /// Agents, in the order of their first samples in the file.
    pub agents: Vec<Agent>,
    /// Samples, sorted by agent and time; no two of an agent at one time.
    pub samples: Vec<Sample>,
    /// Headings and values: one for each sample, or empty if the file states none.
    pub extras: Vec<SampleExtra>,
    /// Subtracted from all places (m).
    pub origin: [f64; 2],
    /// Samples per second; `None` if the file counts frames and states no rate.
    pub fps: Option<f64>,
    /// Origin of the rate.
    pub fps_source: FactSource,
    /// Unit of the file's places.
    pub unit: LengthUnit,
    /// Origin of the unit.
    pub unit_source: FactSource,
    /// True if z is the height of heads, else that of the floor.
    pub z_is_head: bool,
    /// Walls, if the file or one beside it has some.
    pub walls: Option<Walls>,
    /// Facts that a user should know: problems that were repaired.
    pub notes: Vec<String>,
}

impl Tracks {
    /// Reads a file of trajectories, and the walls beside it.
    ///
    /// # Errors
    /// A file that cannot be read or is no trajectory; a wrong line, with its number.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, TrackError> {
        read::open(path, options)
    }

    /// Reads trajectories from memory. Walls beside a file are not looked for.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Self, TrackError> {
        read::from_bytes(name, bytes, options)
    }

    /// Reads trajectories from a stream to its end, such as standard input.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_stream(
        name: &str,
        stream: impl std::io::Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, TrackError> {
        read::from_stream(name, Box::new(stream), options)
    }

    /// Samples of an agent, ascending in time.
    #[must_use]
    pub fn samples_of(&self, agent: &Agent) -> &[Sample] {
        self.samples.get(agent.samples.clone()).unwrap_or_default()
    }
}
