//! `[scene]`, and its parts that are lists or tables of their own in a file.

mod behaviour;
pub(super) mod camera_path;
mod group;
mod heroes;
mod layout;
mod paths;
mod settings;
mod tints;
mod trajectories;

pub use behaviour::{BehaviourConfig, StateConfig};
pub use camera_path::CameraKeyConfig;
pub use group::{Group, Phase};
pub use heroes::{HeroConfig, LayerConfig, LookTarget};
pub use layout::Layout;
pub use paths::{PathConfig, PathKind};
pub use settings::SceneConfig;
pub use tints::TintConfig;
pub use trajectories::{TrajectoryColor, TrajectoryConfig, UnitConfig};
