//! Who stands where doing what: turns a scene's settings into instances, one list per character.

mod instance;
mod populate;
pub mod tints;
mod layout;

pub use instance::Instance;
pub use layout::{Layout, Placement, place};
pub use populate::{Cast, Crowd, populate};
