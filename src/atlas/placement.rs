//! Placement of a character's frames: at even steps, or as few frames as keep within an error bound. Frames get the
//! part of the error that the format leaves.

use std::{
    borrow::Cow,
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
};

use glam::Affine3A;
use rayon::prelude::*;

use crate::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeError, BakeOptions, Differences, FrameBound, Palettes, VertexGroups, memory, skinning},
    model::{Clip, Model, PackedMesh, UnitSpace, Vertex},
};

/// Default bound of the error of any vertex at any time (percent of the height): two millimetres for a person.
pub const DEFAULT_PERCENT: f32 = 0.1;
/// Rate (Hz) of the trial frames on which an encoding is measured.
const TRIAL_RATE: f32 = 10.0;
/// Limit of trial frames per clip.
const MAX_TRIAL_FRAMES: u64 = 601;
/// Number of trial frames that are measured vertex by vertex, and the margin on the result.
const MEASURED_FRAMES: usize = 100;
const COST_MARGIN: f32 = 1.1;
/// Trial frames take at most 1 / `TRIAL_PART` of the memory limit of a bake.
const TRIAL_PART: u64 = 8;

/// Method by which the frames of a character are placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FramePlacement {
    /// Frames at even steps, see [`BakeOptions`].
    Even {
        /// Frames per second.
        rate: f32,
    },
    /// Frames where the motion needs them.
    Within {
        /// Bound of the error of any vertex at any time (percent of the height).
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
    /// Frames where the motion needs them, for a format and the default error.
    #[must_use]
    pub fn by_motion(format: AtlasFormat) -> Self {
        Self::Within {
            percent: DEFAULT_PERCENT,
            format,
        }
    }

    /// Placement within a part of its error bound. Among several characters, the smallest has only this part of the
    /// largest height.
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

    /// Requested error bound (m), or the default one.
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
            // A percentage of no height is no bound.
            Self::Within { .. } if height(model) <= 0.0 => bake::bake(model, &BakeOptions::default(), progress),
            Self::Within { format, .. } => {
                memory::check_ends(model)?;
                let bound = frame_bound(model, format, self.largest_error(model));
                bake::bake_within(model, bound, progress)
            }
        }
    }
}

/// Error bound of frames (m) such that frames, encoding, packed vertices and omitted influences sum up to at most
/// `total`. Frames keep at least half of what the influences leave.
#[must_use]
pub fn frame_bound(model: &Model, format: AtlasFormat, total: f32) -> FrameBound {
    let total = (total - bake::influence_cost(model)).max(total * 0.5);
    let left = total - encoding_cost(model, format) - PackedMesh::max_packing_error(model.mesh.bounds());
    FrameBound {
        position: left.max(total * 0.5),
        optimized: true,
    }
}

/// Displacement of the worst vertex by a format's encoding (m). It is measured on trial frames and gets a margin,
/// because other frames may be worse.
fn encoding_cost(model: &Model, format: AtlasFormat) -> f32 {
    let trial = trial(model);
    let atlas = Atlas::encode(&trial, &UnitSpace::around(model.rest_bounds()), format);
    let step = trial.frame_count.div_ceil(MEASURED_FRAMES).max(1);
    let frames: Vec<usize> = (0..trial.frame_count).step_by(step).collect();
    let groups = VertexGroups::new(&model.mesh.vertices);
    // Largest displacement so far, as bits, which order like the numbers: what cannot exceed it is not measured.
    let largest = AtomicU32::new(0);
    let of_frame = |frame: usize| {
        let pairs = trial.frame(frame).iter().zip(atlas.model_palette(frame));
        let off: Vec<Affine3A> = pairs
            .map(|(&exact, coded)| skinning::add_scaled(coded, exact, -1.0))
            .collect();
        let vertices = skinning::morphed(model, trial.frame_morphs(frame));
        let moved = |v: &Vertex| skinning::blend(v, &off).transform_point3(v.position).length();
        let visit = |range: Range<usize>, limit: f32| {
            let lengths = vertices[range].iter().map(moved);
            // `f32::max` ignores not-a-number.
            let farthest = lengths.fold(0.0_f32, |a, b| if b.is_nan() { f32::INFINITY } else { a.max(b) });
            let before = largest.fetch_max(farthest.to_bits(), Ordering::Relaxed);
            limit.max(farthest).max(f32::from_bits(before))
        };
        match vertices {
            Cow::Borrowed(_) => {
                let limit = f32::from_bits(largest.load(Ordering::Relaxed));
                groups.each_beyond(&Differences::new(&off), limit, visit);
            }
            Cow::Owned(_) => {
                visit(0..vertices.len(), 0.0);
            }
        }
    };
    frames.into_par_iter().for_each(of_frame);
    f32::from_bits(largest.into_inner()) * COST_MARGIN
}

/// Upper bound of the displacement of any vertex by a format's encoding (m).
#[must_use]
pub fn encoding_bound(model: &Model, format: AtlasFormat) -> f32 {
    let trial = trial(model);
    Atlas::encode(&trial, &UnitSpace::around(model.rest_bounds()), format)
        .error(&trial)
        .worst
}

/// Trial frames, on which encodings are measured.
fn trial(model: &Model) -> Palettes {
    let most = memory::MAX_BAKE_BYTES / TRIAL_PART / memory::frame_bytes(model).max(1);
    let most = (most / model.clips.len().max(1) as u64).clamp(1, MAX_TRIAL_FRAMES) as u32;
    let count = |clip: &Clip| ((clip.duration * TRIAL_RATE).ceil() as u32).saturating_add(1).min(most);
    let counts: Vec<u32> = model.clips.iter().map(count).collect();
    bake::bake_frames(model, &counts, &|_| ())
}

/// [`Model::height`].
#[must_use]
pub fn height(model: &Model) -> f32 {
    model.height()
}
