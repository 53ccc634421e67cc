//! From a [`Model`](crate::model::Model) to palettes: sample every clip at even steps, walk the
//! hierarchy, multiply by the inverse binds. Plain CPU code; also the oracle for the GPU.

mod palettes;
pub mod pose;
mod run;
pub mod skinning;

pub use palettes::{BakeError, BakeOptions, BakedClip, Palettes};
pub use run::{MAX_FRAMES, bake, frame_count, slot_bounds};
