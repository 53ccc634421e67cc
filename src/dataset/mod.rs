//! Data sets of labelled pictures (domain randomization). Each picture follows from the set's seed and its own number,
//! so that any machine can draw any of them again, alone.
//!
//! ```text
//! Ranges      parameters that vary between pictures, and their ranges: a TOML file
//! SampleSpec  parameters of one picture: camera, count, light, time, seed, split
//! Splits      pictures for training and for validation
//! SetFiles    files of the set; which pictures exist and are complete
//! draw_set    draws the missing pictures
//! assemble    checks that nothing is missing; writes annotations of each split, index, checksums
//! ```

mod assemble;
mod checksum;
mod draw;
mod files;
mod ranges;
mod sample;
mod splits;

pub use assemble::{AssembledSet, IncompleteSet, assemble};
pub use checksum::{sha256, sha256_of};
pub use draw::{SetPlan, draw_set};
pub use files::SetFiles;
pub use ranges::{CameraRanges, LightRanges, Ranges, RangesError};
pub use sample::{SampleSpec, Vary, VaryWhat};
pub use splits::Splits;
