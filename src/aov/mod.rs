//! Pictures and what is in them, without a window: light, and for every pixel who is there, how far away,
//! and where it goes.
//!
//! ```text
//! Observer   an adapter, a scene, and what draws it
//! Moment     camera and time of a picture
//! Numbers    what passes told of every pixel
//! PassSet    which of them are wanted, and as which files
//! ```

mod aov_renderer;
mod boxes;
mod camera;
mod moment;
mod numbers;
mod opening;
mod passes;
mod pictures;

pub use aov_renderer::AovRenderer;
pub(crate) use aov_renderer::PendingNumbers;
pub use camera::camera_json;
pub use moment::Moment;
pub use numbers::{Layer, Numbers};
pub(crate) use opening::Opening;
pub(crate) use passes::beside;
pub use passes::{Encoding, PassSet};
pub use pictures::encode_pass;
