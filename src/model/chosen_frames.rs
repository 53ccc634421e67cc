//! Frames that a search chose for the clips of a character. A raw file may bring them, so that baking need not search.

/// Frames of all clips within one error bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChosenFrames {
    /// Error bound of the search (m).
    pub bound: f32,
    /// Frames of every segment in which nothing jumps, in the order of clips and times.
    pub segments: Vec<ChosenSegment>,
}

/// Frames of a segment of a clip. A search samples the segment as densely as it moves, and picks samples for frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChosenSegment {
    /// Index of the clip.
    pub clip: usize,
    /// Clip time at which the segment starts (s).
    pub start: f32,
    /// Samples at which frames stand, ascending from the first to the last sample.
    pub frames: Vec<u32>,
    /// Weight of every sample in the fit of the frames' values; empty if frames lie on the motion.
    pub weights: Vec<f32>,
}

impl ChosenFrames {
    /// Frames of a segment of a clip, if they were chosen for this start (s).
    #[must_use]
    pub fn segment(&self, clip: usize, start: f32) -> Option<&ChosenSegment> {
        self.segments
            .iter()
            .find(|segment| segment.clip == clip && segment.start == start)
    }
}
