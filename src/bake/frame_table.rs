//! Table of frame times of a clip: it turns a time into two frames and a fraction.

use std::sync::Arc;

/// Duration of a clip in the units of [`FrameTable`]. Phases are cut to these units on their way to `f32`, so that
/// every time is a whole number of units.
pub const WHOLE: u32 = 1 << 24;

/// Times of a clip's frames, as shares of its duration in units of 1/[`WHOLE`]: ascending from 0 to [`WHOLE`]. A single
/// pose has one frame at 0. Two frames at one time are a jump, which shows the second one at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameTable {
    shares: Arc<[u32]>,
}

impl FrameTable {
    /// Table of frames at even steps, both ends included; one frame for a `count` of 0 or 1.
    #[must_use]
    pub fn even(count: u32) -> Self {
        let steps = u64::from(count.max(2) - 1);
        let share = |i: u32| ((u64::from(i) * u64::from(WHOLE) + steps / 2) / steps) as u32;
        Self {
            shares: (0..count.max(1)).map(share).collect(),
        }
    }

    /// Table of frames at ascending times of a clip of `duration` (s). The first one counts as the start, the last one
    /// as the end.
    #[must_use]
    pub fn at(seconds: &[f32], duration: f32) -> Self {
        if seconds.len() < 2 || duration <= 0.0 {
            return Self::even(1);
        }
        let whole = f64::from(WHOLE);
        let share = |time: &f32| {
            (f64::from(*time) / f64::from(duration) * whole)
                .round()
                .clamp(0.0, whole) as u32
        };
        let mut shares: Vec<u32> = seconds.iter().map(share).collect();
        let last = shares.len() - 1;
        (shares[0], shares[last]) = (0, WHOLE);
        // Times closer than a unit are moved apart: a table never has three frames at one time.
        for i in 2..last {
            shares[i] = shares[i].max(shares[i - 2] + 1);
        }
        Self { shares: shares.into() }
    }

    /// Table from a file; `None` unless it ascends from 0 to [`WHOLE`] with at most two frames at one time.
    #[must_use]
    pub fn from_shares(shares: &[u32]) -> Option<Self> {
        let ascends = shares.windows(2).all(|w| w[0] <= w[1]) && shares.windows(3).all(|w| w[0] < w[2]);
        let ends = match shares {
            [0] => true,
            [0, .., end] => *end == WHOLE,
            _ => false,
        };
        (ascends && ends).then(|| Self { shares: shares.into() })
    }

    /// Times of the frames (shares of the duration, in units of 1/[`WHOLE`]).
    #[must_use]
    pub fn shares(&self) -> &[u32] {
        &self.shares
    }

    /// Time of a frame, `0.0..=1.0` of the duration.
    #[must_use]
    pub fn position(&self, frame: u32) -> f32 {
        self.shares[frame as usize] as f32 / WHOLE as f32
    }

    /// Frames on both sides of a time (in units of 1/[`WHOLE`]) and the fraction between them. Twin of `clip_frames` in
    /// shaders/animate.wgsl.
    #[must_use]
    pub fn around(&self, share: u32) -> (u32, u32, f32) {
        let last = self.shares.len() - 1;
        let first = self.shares.partition_point(|&s| s <= share).saturating_sub(1);
        let second = (first + 1).min(last);
        let (from, to) = (self.shares[first], self.shares[second]);
        let between = (share.min(to) - from) as f32 / (to - from).max(1) as f32;
        (first as u32, second as u32, between)
    }

    /// Time in units of 1/[`WHOLE`] at a position, `0.0..=1.0` of the duration, rounded as in the shader.
    #[must_use]
    pub fn share(position: f32) -> u32 {
        ((position * WHOLE as f32) as u32).min(WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn even_tables_end_exactly() {
        assert_eq!(FrameTable::even(1).shares(), [0]);
        assert_eq!(FrameTable::even(2).shares(), [0, WHOLE]);
        assert_eq!(FrameTable::even(4).shares(), [0, 5_592_405, 11_184_811, WHOLE]);
        assert_eq!(FrameTable::even(1).around(77), (0, 0, 0.0));
    }

    #[test]
    fn a_jump_shows_its_second_frame() {
        let half = WHOLE / 2;
        let table = FrameTable::from_shares(&[0, half, half, WHOLE]).expect("sound");
        assert_eq!(table.around(half - 1).0, 0);
        assert!(table.around(half - 1).2 > 0.999_999);
        assert_eq!(table.around(half), (2, 3, 0.0));
        assert_eq!(table.around(WHOLE), (3, 3, 0.0));
    }

    #[test]
    fn damaged_tables_are_refused() {
        let bad: [&[u32]; 6] = [&[], &[1], &[0, 1], &[0, 9, 8, WHOLE], &[0, 5, 5, 5, WHOLE], &[1, WHOLE]];
        assert!(bad.into_iter().all(|shares| FrameTable::from_shares(shares).is_none()));
    }

    proptest! {
        #[test]
        fn every_moment_lies_between_its_frames(mut inner in prop::collection::vec(1..WHOLE, 0..40), share in 0..=WHOLE) {
            inner.extend([0, WHOLE]);
            inner.sort_unstable();
            inner.dedup();
            let table = FrameTable::from_shares(&inner).expect("ascends");
            let (first, second, between) = table.around(share);
            let (from, to) = (inner[first as usize], inner[second as usize]);
            prop_assert!(from <= share && share <= to && second - first <= 1);
            let back = f64::from(from) + f64::from(between) * f64::from(to - from);
            prop_assert!((back - f64::from(share)).abs() < 2.0);
        }

        #[test]
        fn positions_come_back(count in 1..3000_u32, share in 0..WHOLE) {
            let table = FrameTable::even(count);
            prop_assert_eq!(FrameTable::share(share as f32 / WHOLE as f32), share);
            for frame in [0, count / 2, count - 1] {
                prop_assert_eq!(FrameTable::share(table.position(frame)), table.shares()[frame as usize]);
            }
        }
    }
}
