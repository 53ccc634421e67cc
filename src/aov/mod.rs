//! Pictures and AOVs (arbitrary output variables) without a window: colours, ids, depth, normals, motion, texture
//! coordinates, albedo.
//!
//! ```text
//! AovRenderer      an adapter, a scene and its renderer
//! FrameParameters  camera and time of a picture
//! AovImages        AOVs of every pixel
//! PassSet          requested AOVs, and their file formats
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
