//! Rendering. [`CrowdRenderer`] draws a crowd into the passes of any host. [`Renderer`] adds ground, sky, shadows and
//! tone mapping for window, shot and bench.
//!
//! Bind groups: 0 = frame, 1 = character, 2 = crowd (its instances), 3 = probe output.

mod context;
pub mod crowd;
mod daylight;
mod frame;
pub mod heat;
pub mod heights;
mod layouts;
mod pass;
mod pass_set;
pub mod passes;
mod plan;
mod renderer;
pub mod resources;
mod source;
pub mod stats;
mod targets;
pub mod technique;

pub use context::RenderContext;
pub use crowd::{
    ACTOR_ROWS_WGSL, Actors, ActorsError, Amodal, AmodalBox, CharacterId, CrowdOptions, CrowdRenderer, Culling,
    DepthConvention, DepthTarget, DrawPath, FurtherView, FurtherViewError, Light, NextMoment, PosedHero,
    SURFACE_POINT_WGSL, SurfaceShader, SurfaceShaderError, SurfaceShaderFault, Targets, TimedView, View, ViewMode,
};
pub use daylight::{Daylight, DaylightUniforms};
pub use frame::{
    CULL_HIDDEN, CULL_OUTSIDE, DRAW_SPLATS, FREEZE_CULLING, FrameInput, FrameUniforms, GROUND_GRASS, GROUND_GRID,
    GROUND_PITCH, GROUND_PLAZA, GROUND_STUDIO, NEAR_ROWS, SHADOWS_IN_WORDS, SHOW_LODS, Sun,
};
pub use layouts::Layouts;
pub use pass::Pass;
pub use pass_set::PassSet;
pub use renderer::{AovView, RenderOptions, Renderer};
pub use source::{draws_lods, source_within_limits};
pub use technique::DrawMethod;
