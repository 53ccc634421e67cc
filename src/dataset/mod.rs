//! Sets of labelled pictures: each follows from the set's seed and its own number, so that any of them can
//! be made alone, on any machine, again.
//!
//! ```text
//! Ranges     from what a set's pictures differ: a TOML file
//! Dealt      what one of them is: camera, count, light, time, seed, split
//! SetFiles   where things lie; which pictures are there and whole
//! draw_set   makes those that are missing
//! assemble   checks that nothing is missing: annotations of each split, index, checksums
//! ```

mod assemble;
mod checksum;
mod draw;
mod files;
mod ranges;
mod sample;

pub use assemble::{AssembledSet, IncompleteSet, assemble};
pub use checksum::{sha256, sha256_of};
pub use draw::{SetPlan, draw_set};
pub use files::SetFiles;
pub use ranges::{CameraRanges, LightRanges, Ranges, RangesError};
pub use sample::{SampleSpec, Vary, VaryWhat};
