//! Scene clock of the window: runs, pauses, steps and jumps.

use crate::app::state::playback::AtEnd;

/// Step of `.` and `,` (s).
pub(super) const STEP: f64 = 1.0 / 30.0;
/// Maximum real time (s) that a frame may advance, so that a stall does not skip scene time.
const LONGEST: f64 = 1.0;

/// Scene time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SceneClock {
    /// Seconds since the scene began.
    pub seconds: f64,
    /// Scene seconds per real second.
    pub scale: f64,
    /// True while paused.
    pub paused: bool,
    /// Behaviour of time at the last sample of trajectories.
    pub at_end: AtEnd,
}

impl SceneClock {
    /// Clock that runs at real speed from `seconds`.
    #[must_use]
    pub(crate) const fn starting_at(seconds: f64) -> Self {
        Self {
            seconds,
            scale: 1.0,
            paused: false,
            at_end: AtEnd::Repeat,
        }
    }

    /// Advances by `real` seconds of real time.
    pub(crate) fn advance(&mut self, real: f64) {
        if !self.paused {
            self.seconds += real.clamp(0.0, LONGEST) * self.scale;
        }
    }

    /// Pauses and moves by steps of [`STEP`], not before 0.
    pub(crate) fn step(&mut self, steps: i32) {
        self.paused = true;
        self.seconds = (self.seconds + f64::from(steps) * STEP).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pausing_stops_and_stepping_moves() {
        let mut clock = SceneClock::starting_at(2.0);
        clock.advance(0.5);
        assert_eq!(clock.seconds, 2.5);
        clock.step(-1);
        assert!(clock.paused && (clock.seconds - 2.5 + STEP).abs() < 1e-12);
        clock.advance(9.0);
        assert!((clock.seconds - 2.5 + STEP).abs() < 1e-12);
        clock.step(-1000);
        assert_eq!(clock.seconds, 0.0);
    }

    #[test]
    fn a_stall_does_not_skip_time() {
        let mut clock = SceneClock::starting_at(0.0);
        clock.advance(3600.0);
        assert_eq!(clock.seconds, LONGEST);
    }
}
