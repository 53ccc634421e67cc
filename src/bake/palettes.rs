//! Palettes of all clips of a character, in full precision.
//!
//! Frames stand where the motion needs them ([`bake_within`](crate::bake::bake_within)) or at even steps. With even
//! steps, a clip of duration `D` is cut into `N = max(1, round(D * rate))` equal intervals. The `rate` is the requested
//! one, or one within a quarter of it that hits the clip's keys. The `N + 1` frames stand at `i * D / N`, both ends
//! included. Interpolation between frames `i` and `i + 1` therefore never crosses the loop seam, whatever the clip's
//! length. Clips that play once end exactly on their last pose. A clip of zero length is one frame.

use glam::Affine3A;

use crate::{
    bake::{FrameBound, FrameTable, WHOLE, memory::MAX_BAKE_BYTES},
    model::{Bounds, ClipEvent, LazyList, Wrap},
};

/// Options of baking at even steps.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeOptions {
    /// Requested rate (Hz, 1..=240). Each clip uses a rate close to it that hits the clip's keys: 24 Hz where keys are
    /// at 24 Hz and 30 Hz is requested. Otherwise it uses the nearest rate that cuts its duration evenly.
    pub rate: f32,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self { rate: 30.0 }
    }
}

/// Position of a clip among the frames of its character, and how it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    /// Name in the model.
    pub name: String,
    /// Index of the first frame in the atlas.
    pub first_frame: u32,
    /// Number of frames: intervals + 1.
    pub frame_count: u32,
    /// Duration (s).
    pub duration: f32,
    /// Mean rate of the baked frames (Hz); 0 for a single pose.
    pub rate: f32,
    /// Time of each frame.
    pub times: FrameTable,
    /// Behaviour past the end.
    pub wrap: Wrap,
    /// Ground speed (m/s).
    pub speed: f32,
    /// Turn rate of the root motion (rad/s).
    pub turn: f32,
    /// Events, sorted by time.
    pub events: Vec<ClipEvent>,
    /// Bounding box of all skinned vertices over all frames (model space).
    pub bounds: Bounds,
}

/// Palettes of all clips: `matrices[frame * slot_count + slot]` is
/// `model_from_joint * inverse_bind`. A model without clips has one clip named `rest`.
#[derive(Clone, Debug)]
pub struct Palettes {
    /// Matrices per frame.
    pub slot_count: usize,
    /// Frames of all clips.
    pub frame_count: usize,
    /// Clips in model order.
    pub clips: Vec<BakedClip>,
    /// `frame_count * slot_count` matrices, model space.
    pub matrices: LazyList<Affine3A>,
    /// Rest-space box of the vertices that each slot moves; empty for slots that only carry sockets. Encoders keep
    /// their rounding errors away from it.
    pub slot_bounds: Vec<Bounds>,
    /// `frame_count * morph_count` weights of the model's morph targets.
    pub morph_weights: Vec<f32>,
    /// Error bound of frames placed by the motion; `None` for even steps.
    pub bound: Option<FrameBound>,
}

impl Palettes {
    /// Morph weights of one frame.
    #[must_use]
    pub fn frame_morphs(&self, frame: usize) -> &[f32] {
        let count = self.morph_weights.len() / self.frame_count.max(1);
        &self.morph_weights[frame * count..(frame + 1) * count]
    }

    /// Matrices of one frame.
    #[must_use]
    pub fn frame(&self, frame: usize) -> &[Affine3A] {
        &self.matrices[frame * self.slot_count..(frame + 1) * self.slot_count]
    }
}

impl BakedClip {
    /// Atlas frames around a time, and the fraction between them. `seconds` is clip time, clamped to the clip;
    /// [`Wrap::local_time`] maps running time to it.
    #[must_use]
    pub fn frames_at(&self, seconds: f32) -> (usize, usize, f32) {
        let whole = f64::from(WHOLE);
        let share = if self.duration > 0.0 {
            (f64::from(seconds) / f64::from(self.duration) * whole)
                .round()
                .clamp(0.0, whole)
        } else {
            0.0
        };
        let (first, second, between) = self.times.around(share as u32);
        (
            (self.first_frame + first) as usize,
            (self.first_frame + second) as usize,
            between,
        )
    }

    /// Clip time of one of its frames (s); `frame` counts from the clip's first.
    #[must_use]
    pub fn time_of(&self, frame: u32) -> f32 {
        (f64::from(self.times.shares()[frame as usize]) / f64::from(WHOLE) * f64::from(self.duration)) as f32
    }
}

/// Error: a character cannot be baked.
#[derive(Debug, thiserror::Error)]
pub enum BakeError {
    /// Frames exceed the range of an instance.
    #[error(
        "{name}: {frames} frames at {rate} Hz, but an atlas holds at most 65536; {}",
        hint(*.fits)
    )]
    TooManyFrames {
        /// Name of the character.
        name: String,
        /// Required number of frames.
        frames: u64,
        /// Requested rate (Hz).
        rate: f32,
        /// Largest valid rate that fits (Hz).
        fits: Option<f32>,
    },
    /// Clips are too long for the search for frames.
    #[error(
        "{name}: the clips last {seconds} s in total, too long for the search for frames; shorten clips, or bake at even \
         steps"
    )]
    TooLong {
        /// Name of the character.
        name: String,
        /// Length of all clips (s).
        seconds: f32,
    },
    /// The requested error bound takes more frames than an instance can address.
    #[error(
        "{name}: more than {frames} frames keep within {bound_mm:.3} mm, but an atlas holds at most 65536; allow a larger \
         error"
    )]
    TooFine {
        /// Name of the character.
        name: String,
        /// Number of frames when the search stopped.
        frames: u64,
        /// Requested error bound (mm).
        bound_mm: f32,
    },
    /// The frames need more memory than the limit.
    #[error(
        "{name}: {frames} frames of {slots} joint matrices and {morphs} morph weights need {:.1} GiB, but the limit is \
         {} GiB; {}",
        *bytes as f64 / f64::from(1 << 30),
        MAX_BAKE_BYTES >> 30,
        hint(*.fits)
    )]
    TooLarge {
        /// Name of the character.
        name: String,
        /// Required number of frames.
        frames: u64,
        /// Matrices per frame.
        slots: usize,
        /// Morph targets.
        morphs: usize,
        /// Size of the frames in full precision (bytes).
        bytes: u64,
        /// Largest rate that fits (Hz), among the valid ones.
        fits: Option<f32>,
    },
}

fn hint(fits: Option<f32>) -> String {
    match fits {
        Some(rate) => format!("bake fewer clips or use a rate of {rate:.1} Hz"),
        None => "shorten or omit clips".into(),
    }
}
