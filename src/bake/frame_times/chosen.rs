//! Frames that a file brings from an earlier search. They are used only where they keep the bound, which is checked as
//! after a search.

use crate::{
    bake::frame_times::{
        FrameBound, check,
        fit::Values,
        motion::{ClipSegment, Motion, PoseSource},
        search::{self, Choice},
    },
    model::{ChosenFrames, ChosenSegment},
};

/// Relative difference of two bounds that is rounding: other processors have other sines.
const SAME_BOUND: f32 = 1e-4;

/// True if frames were chosen for this bound.
pub(super) fn are_for(chosen: &ChosenFrames, bound: FrameBound) -> bool {
    bound.optimized && (chosen.bound - bound.position).abs() <= SAME_BOUND * bound.position
}

impl Choice {
    /// Choice that a file brings, if it is one of these samples.
    fn of(chosen: &ChosenSegment, motion: &Motion) -> Option<Self> {
        let weights = &chosen.weights;
        let ends = chosen.frames.first() == Some(&0)
            && chosen.frames.last().map(|&last| last as usize + 1) == Some(motion.count());
        let ascend = chosen.frames.windows(2).all(|pair| pair[0] < pair[1]);
        let sound = weights.is_empty()
            || (weights.len() == motion.count() && weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0));
        (ends && ascend && sound).then(|| Self {
            frames: chosen.frames.iter().map(|&frame| frame as usize).collect(),
            weights: (!weights.is_empty()).then(|| weights.clone()),
        })
    }

    /// Choice as files bring it.
    pub(super) fn chosen(self, clip: usize, segment: ClipSegment) -> ChosenSegment {
        ChosenSegment {
            clip,
            start: segment.start,
            frames: self.frames.into_iter().map(|frame| frame as u32).collect(),
            weights: self.weights.unwrap_or_default(),
        }
    }
}

/// Choice and values of a file's frames, if every vertex stays within `bound` (m).
pub(super) fn checked(
    source: &PoseSource<'_>,
    motion: &Motion,
    chosen: &ChosenSegment,
    bound: f32,
) -> Option<(Choice, Values)> {
    let choice = Choice::of(chosen, motion)?;
    let values = choice.values(motion, source.displacements);
    let errors = search::errors(motion, &choice.frames, &values);
    // Comparisons with what is not a number would pass.
    let keeps = values.palettes.are_finite()
        && errors.iter().all(|&error| error <= bound)
        && check::offenders(source, motion, &choice, &values, &errors, bound).is_empty();
    keeps.then_some((choice, values))
}
