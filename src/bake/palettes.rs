//! All clips of a character as evenly spaced palettes, in full precision.
//!
//! A clip of duration `D` is cut into `N = max(1, round(D * rate))` equal intervals (`rate` being
//! the one asked for, or within a quarter of it the one that meets the clip's keys) and stored as
//! `N + 1` frames at `i * D / N`, both ends included. Interpolation between frame `i` and `i + 1`
//! therefore never reaches across the loop seam, whatever the clip's length, and `once` clips end
//! exactly on their last pose. A zero-length clip is one frame.

use glam::Affine3A;

use crate::bake::memory::MAX_BAKE_BYTES;
use crate::model::{Bounds, ClipEvent, Later, Wrap};

/// What to bake and how finely.
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
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BakedClip {
    /// Name in the model.
    pub name: String,
    /// Index of the first frame in the atlas.
    pub first_frame: u32,
    /// Number of frames: intervals + 1.
    pub frame_count: u32,
    /// Seconds.
    pub duration: f32,
    /// Frames per second actually baked; 0 for a single pose.
    pub rate: f32,
    /// Past the end.
    pub wrap: Wrap,
    /// Ground speed, metres per second.
    pub speed: f32,
    /// Turn that goes with it, radians per second.
    #[serde(default)]
    pub turn: f32,
    /// Sorted by time.
    pub events: Vec<ClipEvent>,
    /// Box of all skinned vertices over all frames, model space.
    #[serde(skip)]
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
    pub matrices: Later<Affine3A>,
    /// Per slot, the rest-space box of the vertices it moves (empty for slots that only carry
    /// sockets): encoders place their rounding errors away from it.
    pub slot_bounds: Vec<Bounds>,
    /// `frame_count * morph_count` weights of the model's morph targets.
    pub morph_weights: Vec<f32>,
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
        let last = self.frame_count.saturating_sub(1);
        let position = (seconds * self.rate).clamp(0.0, last as f32);
        let frame = (position as u32).min(last.saturating_sub(1));
        let next = (frame + 1).min(last);
        let first = self.first_frame;
        (
            (first + frame) as usize,
            (first + next) as usize,
            position - frame as f32,
        )
    }
}

/// Why a character cannot be baked.
#[derive(Debug, thiserror::Error)]
pub enum BakeError {
    /// More frames than an instance can address.
    #[error(
        "{name}: {frames} frames at {rate} Hz, but an atlas holds at most 65536; {}",
        way_out(*.fits)
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
    /// More memory than the frames of one character may take.
    #[error(
        "{name}: {frames} frames of {slots} joint matrices and {morphs} morph weights need {:.1} GiB, but the limit is \
         {} GiB; {}",
        *bytes as f64 / f64::from(1 << 30),
        MAX_BAKE_BYTES >> 30,
        way_out(*.fits)
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

fn way_out(fits: Option<f32>) -> String {
    match fits {
        Some(rate) => format!("bake fewer clips or use a rate of {rate:.1} Hz"),
        None => "shorten or omit clips".into(),
    }
}
