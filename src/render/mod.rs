//! Drawing: one renderer for window, shot and bench.
//!
//! Bind groups: 0 = frame, 1 = character, 2 = crowd (its instances), 3 = probe output.

mod ahead;
mod animate;
mod animation;
mod assets;
mod atlas_upload;
mod backdrop;
mod crowd;
mod difference;
mod events;
mod frame;
mod held;
mod heroes;
mod instances;
mod layouts;
mod live;
mod morphs;
mod naive;
mod pick;
mod probe;
mod renderer;
mod shadow;
mod source;
mod targets;
mod textures;
mod tints;
mod tonemap;

pub use animate::WORKGROUP_SIZE;
pub use animation::animation_bytes;
pub use assets::{CharacterAssets, CharacterUniforms, GpuClip, GpuMaterial};
pub use atlas_upload::AtlasSource;
pub use crowd::DrawVariant;
pub use difference::{Difference, DifferenceUniforms};
pub use events::{EventHead, EventPass, EventRow, GpuEvent, GpuEvents, MarkRow};
pub use frame::{FrameInput, FrameUniforms, GROUND_GRASS, GROUND_GRID, GROUND_PLAZA, Sun};
pub use held::HeldCounts;
pub use heroes::HeroRow;
pub use instances::{CrowdInstances, GpuPosed};
pub use layouts::Layouts;
pub use live::LiveCounts;
pub use pick::{PickAnswer, PickHead, PickQuery, PickedRow};
pub use probe::{HeroedCrowd, Probe, Probed};
pub use renderer::{RenderOptions, Renderer};
pub use source::{faster_source, fitting_source};
