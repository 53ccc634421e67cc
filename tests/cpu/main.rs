//! What the processor computes: baking, atlases, crowds, configuration. Needs no adapter.

mod atlas;
mod bake;
#[path = "../common/mod.rs"]
mod common;
mod config;
mod crowd;
mod feet;
mod framing;
mod root_motion;
mod stance;
