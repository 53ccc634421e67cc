//! Where a character's frames stand: at even steps, or as few as keep within an error, of which the
//! frames take what the format leaves.

use glam::Affine3A;
use rayon::prelude::*;

use crate::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeError, BakeOptions, FrameBound, Palettes, memory, skinning},
    model::{Clip, Model, PackedMesh, UnitSpace},
};

/// Largest error of any vertex at any moment unless asked otherwise, percent of the height: two
/// millimetres for a person.
pub const DEFAULT_PERCENT: f32 = 0.1;
/// Rate of the frames that an encoding is tried on, Hz.
const TRIAL_RATE: f32 = 10.0;
/// Frames of a clip that an encoding is tried on, at most.
const MOST_TRIED: u64 = 601;
/// Frames on which its cost is measured vertex by vertex, and what is added to it.
const MEASURED: usize = 100;
const MORE: f32 = 1.1;
/// These take at most this part of the memory that a bake may take.
const TRIAL_PART: u64 = 8;

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

    /// Placement within a part of its error: of several characters, the smallest has only this part of the height of
    /// all.
    #[must_use]
    pub(crate) fn stricter(self, part: f32) -> Self {
        match self {
            Self::Within { percent, format } if part.is_normal() && part > 0.0 => Self::Within {
                percent: percent * part.min(1.0),
                format,
            },
            _ => self,
        }
    }

    /// The largest error that is asked for, or the usual one, metres.
    #[must_use]
    pub fn largest_error(self, model: &Model) -> f32 {
        let percent = match self {
            Self::Even { .. } => DEFAULT_PERCENT,
            Self::Within { percent, .. } => percent,
        };
        model.height() * percent / 100.0
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
            Self::Within { format, .. } => {
                memory::check_ends(model)?;
                let bound = frame_bound(model, format, self.largest_error(model));
                bake::bake_within(model, bound, progress)
            }
        }
    }
}

/// Bound of frames (m) such that they, the encoding, packed vertices and omitted influences together stay within
/// `total`. If the others leave less, half of what the influences leave.
#[must_use]
pub fn frame_bound(model: &Model, format: AtlasFormat, total: f32) -> FrameBound {
    let total = (total - bake::influence_cost(model)).max(total * 0.5);
    let left = total - encoding_cost(model, format) - PackedMesh::max_packing_error(model.mesh.bounds());
    FrameBound {
        position: left.max(total * 0.5),
        optimized: true,
    }
}

/// Displacement of the worst vertex by a format's encoding (m): measured on some frames, and a little more, because
/// others may be worse.
fn encoding_cost(model: &Model, format: AtlasFormat) -> f32 {
    let trial = trial(model);
    let atlas = Atlas::encode(&trial, &UnitSpace::around(model.mesh.bounds()), format);
    let step = trial.frame_count.div_ceil(MEASURED).max(1);
    let frames: Vec<usize> = (0..trial.frame_count).step_by(step).collect();
    let of_frame = |frame: usize| {
        let pairs = trial.frame(frame).iter().zip(atlas.model_palette(frame));
        let off: Vec<Affine3A> = pairs
            .map(|(&exact, coded)| skinning::add_scaled(coded, exact, -1.0))
            .collect();
        let vertices = skinning::morphed(model, trial.frame_morphs(frame));
        let moved = vertices
            .iter()
            .map(|v| skinning::blend(v, &off).transform_point3(v.position).length());
        // `f32::max` would pass over what is not a number.
        moved.fold(0.0_f32, |a, b| if b.is_nan() { f32::INFINITY } else { a.max(b) })
    };
    frames.into_par_iter().map(of_frame).reduce(|| 0.0, f32::max) * MORE
}

/// An upper bound of what a format's encoding moves any vertex, metres.
#[must_use]
pub fn encoding_bound(model: &Model, format: AtlasFormat) -> f32 {
    let trial = trial(model);
    Atlas::encode(&trial, &UnitSpace::around(model.mesh.bounds()), format)
        .error(&trial)
        .worst
}

/// Frames that encodings are tried on.
fn trial(model: &Model) -> Palettes {
    let most = memory::MAX_BAKE_BYTES / TRIAL_PART / memory::frame_bytes(model).max(1);
    let most = (most / model.clips.len().max(1) as u64).clamp(1, MOST_TRIED) as u32;
    let count = |clip: &Clip| ((clip.duration * TRIAL_RATE).ceil() as u32).saturating_add(1).min(most);
    let counts: Vec<u32> = model.clips.iter().map(count).collect();
    bake::bake_frames(model, &counts, &|_| ())
}

/// [`Model::height`].
#[must_use]
pub fn height(model: &Model) -> f32 {
    model.height()
}
