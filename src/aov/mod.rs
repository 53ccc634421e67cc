//! Pictures and what is in them, without a window: light, and for every pixel who is there, how far away,
//! and where it goes.
//!
//! ```text
//! Observer   an adapter, a scene, and what draws it
//! Moment     camera and time of a picture
//! Numbers    what passes told of every pixel
//! PassSet    which of them are wanted, and as which files
//! ```

mod aov_images;
mod aov_renderer;
mod boxes;
mod camera;
mod frame_parameters;
mod opening;
mod passes;
mod pictures;

pub use aov_images::{AovImages, AovValues};
pub use aov_renderer::AovRenderer;
pub(crate) use aov_renderer::PendingAovs;
pub use camera::camera_json;
pub use frame_parameters::FrameParameters;
pub(crate) use opening::Opening;
pub(crate) use passes::with_suffix;
pub use passes::{Encoding, PassSet};
pub use pictures::encode_pass;
