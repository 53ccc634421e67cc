//! What lives on the GPU between frames: characters, atlases, instances, tints.

pub(crate) mod atlas;
mod character;
pub(crate) mod instances;
pub mod layout;
mod morphs;
pub(crate) mod naive;
mod textures;
pub(crate) mod tints;

pub use atlas::AtlasSource;
pub(crate) use atlas::Resource;
pub use character::{CharacterAssets, CharacterUniforms, GpuClip, GpuMaterial};
pub use instances::{CrowdInstances, GpuPosed};
