//! Passes of a frame. Each has a file and a shader of the same name.

pub(crate) mod animate;
pub(crate) mod aov;
pub(crate) mod attachments;
pub(crate) mod background;
pub(crate) mod background_compute;
pub(crate) mod crowd;
pub(crate) mod crowd_shadow;
mod difference;
mod difference_sums;
pub(crate) mod display;
pub mod draw_lists;
mod events;
pub(crate) mod heroes;
pub(crate) mod live;
pub(crate) mod pick;
mod picture_sums;
pub(crate) mod preskin;
pub mod probe;
pub mod raster;
pub(crate) mod shadow;
pub mod triangle_cull;

pub use animate::WORKGROUP_SIZE;
pub use aov::{AOV_BACKGROUND, AovKind, AovUniforms, EVERYBODY, ID_ATTACHMENT, ID_SCENERY, NOWHERE};
pub use attachments::AttachmentCounts;
pub use crowd::{DrawVariant, HOST_LIGHT, SHOW_HEIGHTS, SHOW_OVERDRAW, SIMPLE};
pub use crowd_shadow::{CROWD_SHADOW_CELL_SIZE, CROWD_SHADOW_CELLS};
pub use difference::{Difference, DifferenceUniforms};
pub use difference_sums::{DifferenceSums, PendingDifference, PictureSteps};
pub use events::{EventHead, EventPass, EventRow, GpuEvent, GpuEvents, MarkRow};
pub use heroes::HeroRow;
pub use heroes::PosedHero;
pub use live::LiveCounts;
pub use pick::{PickAnswer, PickHead, PickQuery, PickedRow};
pub use picture_sums::{PictureSum, PictureSums, SumSource};
pub use probe::{CrowdWithHeroes, Probe, ProbeVertex};
pub use shadow::{CONSTANT_BIAS, SLOPE_BIAS};
