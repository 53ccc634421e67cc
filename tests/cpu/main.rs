//! CPU computations: baking, atlases, crowds, configuration. Needs no adapter.

mod actor_lists;
mod actors;
mod atlas;
mod bake;
#[path = "../common/mod.rs"]
mod common;
mod config;
mod crowd;
mod culling_bounds;
mod feet;
mod frame_times;
mod framing;
mod influences;
mod mint;
mod root_motion;
mod shared_atlas;
mod stance;
#[cfg(feature = "tracks")]
mod trajectories;
