//! Bake skeletal animation into matrix-texture atlases and draw huge crowds from them.
//!
//! Layers, lowest first: [`model`] → [`bake`] → [`atlas`] → [`crowd`] → `render` → front-ends.
//! Nothing below `render` mentions wgpu.

pub mod atlas;
pub mod bake;
pub mod camera;
pub mod config;
pub mod crowd;
pub mod model;
