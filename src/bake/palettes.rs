//! All clips of a character as palettes, in full precision.
//!
//! Where frames stand follows the motion ([`bake_within`](crate::bake::bake_within)) or is even: a
//! clip of duration `D` is then cut into `N = max(1, round(D * rate))` equal intervals (`rate` being
//! the one asked for, or within a quarter of it the one that meets the clip's keys) and stored as
//! `N + 1` frames at `i * D / N`, both ends included. Interpolation between frame `i` and `i + 1`
//! therefore never reaches across the loop seam, whatever the clip's length, and `once` clips end
//! exactly on their last pose. A zero-length clip is one frame.

use glam::Affine3A;

use crate::{
    bake::{FrameBound, FrameTable, WHOLE, memory::MAX_BAKE_BYTES},
    model::{Bounds, ClipEvent, LazyList, Wrap},
};

/// Clips to bake, and how finely.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeOptions {
    /// Frames per second asked for (Hz, 1..=240); each clip's own rate is one close to it
    /// that meets the clip's keys (24 for a clip keyed at 24 Hz where 30 is asked for), else the
    /// nearest that cuts its duration evenly.
    pub rate: f32,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self { rate: 30.0 }
    }
}

/// Where a clip lies among the frames of its character, and how it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    /// Name in the model.
    pub name: String,
    /// Index of the first frame in the atlas.
    pub first_frame: u32,
    /// Number of frames: intervals + 1.
    pub frame_count: u32,
    /// Seconds.
    pub duration: f32,
    /// Frames per second actually baked, on average; 0 for a single pose.
    pub rate: f32,
    /// When each frame is shown.
    pub times: FrameTable,
    /// Past the end.
    pub wrap: Wrap,
    /// Ground speed, metres per second.
    pub speed: f32,
    /// Turn that goes with it, radians per second.
    pub turn: f32,
    /// Sorted by time.
    pub events: Vec<ClipEvent>,
    /// Box of all skinned vertices over all frames, model space.
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
    /// Per slot, the rest-space box of the vertices it moves (empty for slots that only carry
    /// sockets): encoders place their rounding errors away from it.
    pub slot_bounds: Vec<Bounds>,
    /// `frame_count * morph_count` weights of the model's morph targets.
    pub morph_weights: Vec<f32>,
    /// Bound that frames were chosen to keep within; none for even steps.
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
    /// Atlas frames around a time and the fraction between them. `seconds` is clip time, clamped
    /// to the clip; [`Wrap::local_time`] maps running time to it.
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

    /// Clip time of one of its frames, seconds; `frame` counts from the clip's first.
    #[must_use]
    pub fn time_of(&self, frame: u32) -> f32 {
        (f64::from(self.times.shares()[frame as usize]) / f64::from(WHOLE) * f64::from(self.duration)) as f32
    }
}

/// Why a character cannot be baked.
#[derive(Debug, thiserror::Error)]
pub enum BakeError {
    /// More frames than an instance can address.
    #[error(
        "{name}: {frames} frames at {rate} Hz, but an atlas holds at most 65536; {}",
        hint(*.fits)
    )]
    TooManyFrames {
        /// Character.
        name: String,
        /// Frames needed.
        frames: u64,
        /// Requested rate.
        rate: f32,
        /// Largest valid rate that fits.
        fits: Option<f32>,
    },
    /// Clips so long that the search for frames would not end.
    #[error("{name}: clips of {seconds} seconds are too long to search for frames; cut clips, or bake at even steps")]
    TooLong {
        /// Character.
        name: String,
        /// Seconds of all clips.
        seconds: f32,
    },
    /// The error asked for takes more frames than an instance can address.
    #[error(
        "{name}: more than {frames} frames keep within {bound_mm:.3} mm, but an atlas holds at most 65536; allow more"
    )]
    TooFine {
        /// Character.
        name: String,
        /// Frames found when the search gave up.
        frames: u64,
        /// Error asked for, millimetres.
        bound_mm: f32,
    },
    /// More memory than the frames of one character may take.
    #[error(
        "{name}: {frames} frames of {slots} joint matrices and {morphs} morph weights need {:.1} GiB, but the limit is \
         {} GiB; {}",
        *bytes as f64 / f64::from(1 << 30),
        MAX_BAKE_BYTES >> 30,
        hint(*.fits)
    )]
    TooLarge {
        /// Character.
        name: String,
        /// Frames needed.
        frames: u64,
        /// Matrices of a frame.
        slots: usize,
        /// Morph targets.
        morphs: usize,
        /// Bytes of all of them in full precision.
        bytes: u64,
        /// Largest rate that fits, of those that can be asked for.
        fits: Option<f32>,
    },
}

fn hint(fits: Option<f32>) -> String {
    match fits {
        Some(rate) => format!("bake fewer clips or use a rate of {rate:.1} Hz"),
        None => "shorten or omit clips".into(),
    }
}
