//! Pictures and AOVs (arbitrary output variables) without a window: colours, ids, depth, normals, motion, texture
//! coordinates, albedo.
//!
//! ```text
//! AovRenderer      an adapter, a scene and its renderer
//! Populator        makes the scenes that it shows, on any thread
//! FrameParameters  camera and time of a picture
//! AovImages        AOVs of every pixel
//! PassSet          requested AOVs, and their file formats
//! ```

mod aov_images;
mod aov_renderer;
mod boxes;
mod camera;
mod frame_parameters;
mod lens_warp;
mod opening;
mod passes;
mod pictures;
mod populator;

pub use aov_images::{AovImages, AovValues};
pub use aov_renderer::AovRenderer;
pub(crate) use aov_renderer::PendingAovs;
pub use camera::camera_json;
pub use frame_parameters::{DistortedLens, FrameParameters};
pub(crate) use lens_warp::LensWarp;
pub(crate) use opening::Opening;
pub(crate) use passes::with_suffix;
pub use passes::{Encoding, PassSet};
pub use pictures::encode_pass;
pub use populator::Populator;
