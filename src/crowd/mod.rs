//! Who stands where doing what: turns a scene's settings into instances, one list per character.

pub mod behaviour;
pub mod clock;
pub mod events;
mod extent;
mod group;
pub mod hash;
mod held;
pub mod heroes;
mod instance;
mod layout;
mod marks;
mod open;
pub mod paths;
mod plaza;
mod populate;
mod props;
mod ranks;
mod routes;
mod script;
pub mod sockets;
mod stadium;
mod stands;
pub mod tints;
pub mod wrap;

pub use clock::Clock;
pub use extent::CrowdExtent;
pub use group::{Group, Phase};
pub use held::{deal, held_kinds};
pub use instance::Instance;
pub use layout::{Layout, Placement, paths as layout_paths, place, seated};
pub use marks::EventMarks;
pub use populate::{Cast, CastClip, Crowd, populate};
pub use props::{Prop, PropPlacement, props};
pub use script::{Pose, Script};
pub use stadium::{StandRow, stands};
pub use stands::stand_model;
