//! Resources that stay on the GPU between frames: characters, atlases, instances, tints.

pub(crate) mod actors;
pub(crate) mod atlas;
mod attributes;
mod bounds;
mod character;
mod draw;
mod draw_flags;
pub(crate) mod instances;
pub mod layout;
mod lods;
mod morphs;
pub mod pose_cache;
pub mod pose_lods;
pub mod pose_steps;
pub(crate) mod textbook;
mod textures;
mod tints;

pub use atlas::AtlasSource;
pub(crate) use atlas::Resource;
pub use bounds::{BoundsRow, clip_bounds};
pub(crate) use character::draw_flags;
pub use character::{CharacterAssets, CharacterUniforms, GpuClip, GpuMaterial};
pub(crate) use draw::{DrawId, DrawMap, DrawParts};
pub use draw_flags::DrawFlags;
pub use instances::{CrowdInstances, GpuPosed};
pub use lods::{DrawLod, MOST_LODS};
pub(crate) use lods::{Drawable, drawable};
pub use pose_cache::PoseCounts;
pub use tints::TintTexture;
