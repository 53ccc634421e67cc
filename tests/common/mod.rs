//! Helpers shared by the test binaries; each includes the ones it needs.

#![allow(dead_code, unused_imports)]

mod allocator;
pub mod bodies;
pub mod builder;
pub mod extents;
pub mod faces;
pub mod fbx;
mod files;
pub mod glb;
pub mod gpu;
pub mod picture;
mod samples;
mod skip;
pub mod surfaces;
pub mod tube;
pub mod worse;

pub use files::files;
pub use samples::{LOADABLE, load, samples};
pub use skip::{Need, skip};
