//! The passes of a frame, one file and one shader of the same name each.

pub(crate) mod animate;
pub(crate) mod attachments;
pub(crate) mod backdrop;
pub(crate) mod crowd;
mod difference;
mod events;
pub(crate) mod heroes;
pub(crate) mod live;
pub(crate) mod pick;
pub mod probe;
pub(crate) mod shadow;
pub(crate) mod tonemap;

pub use animate::WORKGROUP_SIZE;
pub use attachments::AttachmentCounts;
pub use crowd::{DrawVariant, HOST_LIGHT};
pub use difference::{Difference, DifferenceUniforms};
pub use events::{EventHead, EventPass, EventRow, GpuEvent, GpuEvents, MarkRow};
pub use heroes::HeroRow;
pub use heroes::PosedHero;
pub use live::LiveCounts;
pub use pick::{PickAnswer, PickHead, PickQuery, PickedRow};
pub use probe::{HeroedCrowd, Probe, Probed};
