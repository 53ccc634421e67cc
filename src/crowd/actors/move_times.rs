//! Times of moves.

use std::ops::Range;

use glam::Vec4;

use crate::crowd::{
    actors::{
        ActorError, MotionRow,
        actor_state::{place_after, short_turn},
        rows::ACTOR_ALIVE,
    },
    clock::{Clock, TICKS},
};

/// Longest way between two keys (s).
const LONGEST_MOVE: u64 = 65_534;

/// Times of the two keys of a move.
pub(super) struct MoveTimes {
    start: Clock,
    /// Ticks between the keys.
    span: u32,
}

impl MoveTimes {
    /// Times of a move.
    ///
    /// # Errors
    /// [`ActorError::Backwards`] if they run backwards, [`ActorError::Number`] for more than 18 hours.
    #[inline]
    pub(super) fn of(times: Range<Clock>) -> Result<Self, ActorError> {
        let (start, end) = (normal(times.start), normal(times.end));
        let Some(span) = end.count().checked_sub(start.count()) else {
            return Err(backwards(end, start));
        };
        if span > LONGEST_MOVE * u64::from(TICKS) {
            return Err(ActorError::Number {
                what: "time of the move",
            });
        }
        let span = span as u32;
        Ok(Self { start, span })
    }

    /// Both keys of a way from where a row is at the first one to `target` at the second one.
    // Always inlined: keys in a result go through memory.
    #[inline(always)]
    pub(super) fn lead(&self, row: &MotionRow, target: Vec4) -> Result<[Vec4; 2], ActorError> {
        let Some(elapsed) = self.start.count().checked_sub(row.start().count()) else {
            return Err(backwards(self.start, row.start()));
        };
        let mut place = place_after(row, elapsed.min(u64::from(u32::MAX)) as u32);
        place.w = short_turn(place.w);
        Ok([place, target])
    }

    /// Words after the keys, in the row of everybody who moves at these times.
    #[inline]
    pub(super) const fn words(&self) -> [u32; 4] {
        [self.start.seconds, self.start.ticks, self.span, ACTOR_ALIVE]
    }
}

/// Clock with less than a second of ticks.
pub(super) const fn normal(clock: Clock) -> Clock {
    Clock::from_count(((clock.seconds as u64) << 16) + clock.ticks as u64)
}

/// Error of a time before an earlier one.
pub(super) const fn backwards(at: Clock, last: Clock) -> ActorError {
    ActorError::Backwards {
        at: at.seconds,
        last: last.seconds,
    }
}
