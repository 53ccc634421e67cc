//! Parts of a scene that are lists or tables of their own in its file.

mod behaviour;
pub(super) mod camera_path;
mod group;
mod heroes;
mod layout;
mod paths;
mod trajectories;

pub use behaviour::{BehaviourConfig, StateConfig};
pub use camera_path::CameraKeyConfig;
pub use group::{Group, Phase};
pub use heroes::{HeroConfig, LayerConfig, LookTarget};
pub use layout::Layout;
pub use paths::{PathConfig, PathKind};
pub use trajectories::{TrajectoryColor, TrajectoryConfig, UnitConfig};
