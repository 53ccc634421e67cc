//! Changes of the clips that an actor plays. A play out of the middle of a fade adds a third playback; one out of the
//! middle of that waits until the first fade is over, since a pose blends three clips.

use std::array;

use crate::crowd::{
    actors::{
        actor_state::{first_playback, playback_position},
        rows::{FadeRow, MOST_PLAYBACKS, PLAYS_ONCE, PlayRow, PlaybackRow},
    },
    clock::{Clock, later},
};

/// Clips that a pose blends at most.
const MOST_BLENDED: usize = 3;

/// Largest phase that a playback can hold: that of a clip that has ended.
const LAST_PHASE: u32 = 0xffff_ff00;

/// Phase of a position in a clip, `0.0..=1.0`.
#[must_use]
pub(super) fn phase_at(position: f32) -> u32 {
    let steps = (position * 16_777_216.0) as u32;
    steps.min(LAST_PHASE >> 8) << 8
}

impl PlayRow {
    /// Row that plays one clip.
    #[must_use]
    pub fn single(playback: PlaybackRow) -> Self {
        let mut row = Self {
            count: 1,
            ..Self::default()
        };
        row.playbacks[0] = playback;
        row
    }

    /// Fades to a clip from whatever plays at a time, within `span` units of
    /// [`FADE_UNIT`](super::rows::FADE_UNIT); 0 cuts. A fade that has not begun is replaced.
    #[inline]
    pub fn play(&mut self, mut playback: PlaybackRow, at: Clock, span: u16) {
        self.drop_oldest(first_playback(self, at));
        while self.count > 1 && self.fades[self.count as usize - 2].start() >= at {
            self.count -= 1;
        }
        let count = self.count as usize;
        let start = if count < MOST_BLENDED || span == 0 {
            at
        } else {
            self.room_at().max(at)
        };
        playback.set_anchor(start);
        self.playbacks[count] = playback;
        self.fades[count - 1] = FadeRow::new(start, span);
        self.count += 1;
    }

    /// Changes the speed of the newest clip from a time on; its phase goes on from where it is then.
    pub fn set_speed(&mut self, speed: f32, cycles: u32, at: Clock) {
        let newest = &mut self.playbacks[self.count as usize - 1];
        let before = newest.speed(true);
        if at < newest.anchor() {
            newest.set_speeds(speed, speed);
            return;
        }
        let position = playback_position(newest, cycles, at);
        let has_ended = newest.phase & PLAYS_ONCE != 0 && (position <= 0.0 || position >= 1.0);
        newest.phase = phase_at(position) | newest.phase & PLAYS_ONCE;
        newest.set_anchor(at);
        newest.set_speeds(if has_ended { 0.0 } else { before }, speed);
    }

    /// Time from which on at most two of three playbacks show.
    fn room_at(&self) -> Clock {
        let end = |fade: &FadeRow| later(fade.start(), fade.ticks());
        end(&self.fades[0]).min(end(&self.fades[1]))
    }

    /// Drops the oldest playbacks.
    fn drop_oldest(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        // Written out: `rotate_left` by a number that is not known is a call of a general function.
        let (playbacks, fades) = (self.playbacks, self.fades);
        self.playbacks = array::from_fn(|playback| playbacks[(playback + count) % MOST_PLAYBACKS]);
        self.fades = array::from_fn(|fade| fades[(fade + count) % (MOST_PLAYBACKS - 1)]);
        self.count -= count as u32;
    }
}
