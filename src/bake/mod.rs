//! From a [`Model`](crate::model::Model) to palettes: sample every clip at even steps, walk the
//! hierarchy, multiply by the inverse binds. Plain CPU code; also the oracle for the GPU.

mod blend;
mod bounds;
mod foot_speed;
mod ground;
pub mod memory;
mod palettes;
pub mod pose;
mod root_motion;
mod run;
pub mod skinning;

pub use blend::{FrameBlend, FramePair};
pub use bounds::slot_bounds;
pub use foot_speed::{FootSlide, foot_slide, ground_speed, state_ground_speeds};
pub use ground::Stance;
pub use palettes::{BakeError, BakeOptions, BakedClip, Palettes};
pub use root_motion::extract_root_motion;
pub use run::{MAX_FRAMES, bake, bake_frames, frame_count};
