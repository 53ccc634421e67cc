//! The crowd at run time: instances, paths, schedules, events and heroes, as pure functions of time.

pub mod actors;
mod attachment;
mod character;
pub mod clock;
mod contents;
pub mod events;
mod extent;
pub mod hash;
pub mod heroes;
mod instance;
mod marks;
mod motion_plan;
pub mod paths;
mod pick;
pub mod schedule;
pub mod sockets;
pub mod tints;
pub mod trajectory;
pub mod wrap;

pub use attachment::Attachment;
pub use character::{CrowdCharacter, CrowdClip};
pub use clock::Clock;
pub use contents::{AttachmentKind, PlacedScenery, SceneContents};
pub use extent::{CrowdExtent, SamplePlaces};
pub use instance::{Instance, WIDTH_SCALE_STEP};
pub use marks::EventMarks;
pub use motion_plan::{InstancePose, MotionPlan};
pub use pick::{PersonRef, PickCandidate, all_clips_bounds};
