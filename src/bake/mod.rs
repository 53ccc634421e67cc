//! Bakes a [`Model`](crate::model::Model) into palettes: samples every clip where it moves or at even steps, traverses
//! the hierarchy, multiplies by the inverse binds. Plain CPU code; also the reference for the GPU.

mod blend;
mod bounds;
mod foot_speed;
mod frame_table;
mod frame_times;
mod ground;
mod influences;
pub mod lods;
mod max_vertex_speed;
pub mod memory;
mod palettes;
pub mod pose;
mod recipe;
pub mod retarget;
mod root_motion;
mod run;
pub mod skinning;
mod vertex_groups;
mod within;

pub use blend::{FrameBlend, FramePair};
pub use bounds::slot_bounds;
pub use foot_speed::{
    FootSlide, STANCE_SHARES, StancePlace, foot_slide, ground_speed, stance_places, state_ground_speeds,
};
pub use frame_table::{FrameTable, WHOLE};
pub use frame_times::{FrameBound, TimedFrame, choose_frames, timed_frames};
pub use ground::Stance;
pub use influences::{all_influences, influence_cost};
pub use lods::{make_lods, make_lods_for_formations, make_quick_lods};
pub use palettes::{BakeError, BakeOptions, BakedClip, Palettes};
pub use recipe::{bake_in_place, prepare};
pub use root_motion::extract_root_motion;
pub use run::{MAX_FRAMES, RATES, bake, bake_frames, frame_count, largest_rate};
pub(crate) use vertex_groups::{Differences, VertexGroups};
pub use within::bake_within;
