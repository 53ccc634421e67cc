//! Bake skeletal animation into matrix-texture atlases and draw huge crowds from them.
//!
//! Layers, lowest first: [`model`] → [`bake`] → [`atlas`] → [`crowd`] → [`render`] → front-ends
//! ([`app`], [`shot`]). Nothing below `render` mentions wgpu.

pub mod app;
pub mod assets;
pub mod atlas;
pub mod bake;
pub mod bench;
pub mod camera;
pub mod cli;
pub mod commands;
pub mod config;
pub mod crowd;
pub mod dressing;
pub mod film;
pub mod gpu;
pub mod model;
pub mod output;
pub mod render;
pub mod scene;
pub mod shot;
pub mod stats;
