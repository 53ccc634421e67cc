//! Parts in which rows of actors are sent.

use glam::Vec4;

use crate::crowd::{
    Instance,
    actors::{
        dirty_rows::SentRow,
        rows::{MotionRow, PlayRow},
    },
};

/// Both keys, then times and mark: people who are moved at one time by one step share these.
impl SentRow for MotionRow {
    type Own = [Vec4; 2];
    type Shared = [u32; 4];
}

impl SentRow for PlayRow {
    type Own = Self;
    type Shared = [u32; 0];
}

impl SentRow for Instance {
    type Own = Self;
    type Shared = [u32; 0];
}
