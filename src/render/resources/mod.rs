//! What lives on the GPU between frames: characters, atlases, instances, tints.

pub(crate) mod atlas;
mod attributes;
mod bounds;
mod character;
pub(crate) mod instances;
pub mod layout;
mod levels;
mod morphs;
pub(crate) mod naive;
pub mod pose_cache;
pub mod pose_levels;
pub mod pose_steps;
pub(crate) mod textbook;
mod textures;
pub(crate) mod tints;

pub use atlas::AtlasSource;
pub(crate) use atlas::Resource;
pub use bounds::{BoundsRow, clip_bounds};
pub use character::{CharacterAssets, CharacterUniforms, GpuClip, GpuMaterial};
pub use instances::{CrowdInstances, GpuPosed};
pub use levels::{DrawLevel, MOST_LEVELS};
pub(crate) use levels::{Drawable, drawable};
pub use pose_cache::PoseCounts;
