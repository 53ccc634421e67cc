//! Data sets of labelled pictures (domain randomization). Each picture follows from the set's seed and its own number,
//! so that any machine can draw any of them again, alone.
//!
//! ```text
//! Vary        names of the parameters that vary
//! Ranges      their ranges: a TOML file
//! SampleSpec  parameters of one picture: camera, count, light, time, seed, split
//! Variation   parameters that vary only if they are named: sky, haze, lens, clothes and others
//! effects     haze, backgrounds, blur and noise in a drawn picture
//! Splits      pictures for training and for validation
//! SetFiles    files of the set; which pictures exist and are complete
//! draw_set    draws the missing pictures
//! contact_sheet  small pictures of a set side by side
//! assemble    checks that nothing is missing; writes annotations of each split, index, checksums
//! ```

mod assemble;
mod checksum;
mod clear_view;
mod contact_sheet;
mod draw;
mod effects;
mod files;
mod prepare;
mod ranges;
mod sample;
mod splits;
mod variation;
mod vary;

pub use assemble::{AssembledSet, IncompleteSet, assemble};
pub use checksum::{sha256, sha256_of};
pub use contact_sheet::contact_sheet;
pub use draw::{SetPlan, draw_set};
pub use effects::backgrounds_in;
pub use files::SetFiles;
pub use ranges::{
    AirRanges, BackgroundRanges, CameraRanges, CastRanges, LensRanges, LightRanges, NightRanges, PlaceRanges, Ranges,
    RangesError,
};
pub use sample::SampleSpec;
pub use splits::Splits;
pub use variation::{SkyKind, Variation};
pub use vary::{Vary, VaryWhat};
