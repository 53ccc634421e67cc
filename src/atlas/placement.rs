//! Where a character's frames stand: at even steps, or as few as keep within an error, of which the
//! frames take what the format leaves.

use crate::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeError, BakeOptions, FrameBound, Palettes},
    model::{Model, UnitSpace},
};

/// Largest error of any vertex at any moment unless asked otherwise, percent of the height: two
/// millimetres for a person.
pub const DEFAULT_PERCENT: f32 = 0.1;
/// Rate of the frames that an encoding is tried on, Hz.
const TRIAL_RATE: f32 = 10.0;

/// How the frames of a character are placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FramePlacement {
    /// At even steps, see [`BakeOptions`].
    Even {
        /// Frames per second.
        rate: f32,
    },
    /// Where the motion needs them.
    Within {
        /// Largest error of any vertex at any moment, percent of the height.
        percent: f32,
        /// The format whose error counts towards it.
        format: AtlasFormat,
    },
}

impl Default for FramePlacement {
    fn default() -> Self {
        Self::by_motion(AtlasFormat::default())
    }
}

impl From<&BakeOptions> for FramePlacement {
    fn from(options: &BakeOptions) -> Self {
        Self::Even { rate: options.rate }
    }
}

impl FramePlacement {
    /// Where the motion needs them, for a format and the usual error.
    #[must_use]
    pub fn by_motion(format: AtlasFormat) -> Self {
        Self::Within {
            percent: DEFAULT_PERCENT,
            format,
        }
    }

    /// Bakes all clips; `progress` is called with values in `0..=1` from any thread.
    ///
    /// # Errors
    /// More frames than an atlas can hold.
    pub fn bake(self, model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Palettes, BakeError> {
        match self {
            Self::Even { rate } => bake::bake(model, &BakeOptions { rate }, progress),
            // Nothing to be relative to.
            Self::Within { .. } if height(model) <= 0.0 => bake::bake(model, &BakeOptions::default(), progress),
            Self::Within { percent, format } => {
                let bound = frame_bound(model, format, height(model) * percent / 100.0);
                bake::bake_within(model, bound, progress)
            }
        }
    }
}

/// What frames may cost so that they and a format's encoding together stay within `total`, metres;
/// half of it where the format leaves less.
#[must_use]
pub fn frame_bound(model: &Model, format: AtlasFormat, total: f32) -> FrameBound {
    let left = total - encoding_bound(model, format);
    FrameBound {
        position: left.max(total * 0.5),
        fitted: may_fit(format),
    }
}

/// Whether frames in a format may leave the motion: `trs16` holds nothing but rotations and scales.
#[must_use]
pub fn may_fit(format: AtlasFormat) -> bool {
    format != AtlasFormat::Trs16
}

/// An upper bound of what a format's encoding moves any vertex, metres.
#[must_use]
pub fn encoding_bound(model: &Model, format: AtlasFormat) -> f32 {
    let count = |clip: &crate::model::Clip| ((clip.duration * TRIAL_RATE).ceil().clamp(0.0, 600.0)) as u32 + 1;
    let counts: Vec<u32> = model.clips.iter().map(count).collect();
    let trial = bake::bake_frames(model, &counts, &|_| ());
    let space = UnitSpace::around(model.mesh.bounds());
    Atlas::encode(&trial, &space, format).error(&trial).worst
}

/// Extent of the rest pose along y, or the largest where that is flat, metres.
#[must_use]
pub fn height(model: &Model) -> f32 {
    let size = model.mesh.bounds().size();
    if size.y > 0.0 { size.y } else { size.max_element() }
}
