//! The passes of a frame, one file and one shader of the same name each.

pub(crate) mod animate;
pub(crate) mod attachments;
pub(crate) mod backdrop;
pub(crate) mod behind;
pub mod bins;
pub(crate) mod crowd;
pub(crate) mod density;
mod difference;
mod difference_sums;
pub(crate) mod display;
mod events;
pub(crate) mod heroes;
pub(crate) mod live;
pub(crate) mod pick;
mod picture_sums;
pub(crate) mod preskin;
pub mod probe;
pub mod raster;
pub(crate) mod shadow;
pub mod sift;
pub(crate) mod truth;

pub use animate::WORKGROUP_SIZE;
pub use attachments::AttachmentCounts;
pub use crowd::{DrawVariant, HOST_LIGHT, SHOW_HEIGHTS, SHOW_OVERDRAW};
pub use density::{DENSITY_CELLS, DENSITY_METRES};
pub use difference::{Difference, DifferenceUniforms};
pub use difference_sums::{DifferenceSums, PendingDifference, PictureSteps};
pub use events::{EventHead, EventPass, EventRow, GpuEvent, GpuEvents, MarkRow};
pub use heroes::HeroRow;
pub use heroes::PosedHero;
pub use live::LiveCounts;
pub use pick::{PickAnswer, PickHead, PickQuery, PickedRow};
pub use picture_sums::{PictureSum, PictureSums, Summed};
pub use probe::{HeroedCrowd, Probe, Probed};
pub use shadow::{CONSTANT_BIAS, SLOPE_BIAS};
pub use truth::{EVERYBODY, ID_ATTACHMENT, ID_SCENERY, NOWHERE, SURROUNDINGS, TruthKind, TruthUniforms};
