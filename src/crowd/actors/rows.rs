//! Rows of an actor as the GPU reads them: the layout that a compute pass of a host writes, version 1. One buffer holds
//! the motion rows of all slots, and after them the play rows of all slots. Shader twin: shaders/shared/actor_state.wgsl.
//!
//! ```text
//! motion row, 48 bytes, at 48 * slot
//! word 0..3  place at the first key x, y, z   f32 (m)
//! word 3     heading there                    f32 (rad about +Y, 0 faces +Z)
//! word 4..7  place at the second key          f32 (m)
//! word 7     heading there                    f32 (rad)
//! word 8     time of the first key: whole seconds
//! word 9     and ticks (1/65536 s)
//! word 10    ticks from the first key to the second one; 0: at the second one at once
//! word 11    ACTOR_ALIVE; any other value leaves the person out
//!
//! play row, 96 bytes, at 48 * capacity + 96 * slot
//! words 4i   playback i of four: clip u16 | ticks of the anchor u16 << 16
//!            phase at the anchor, a turn is 2^32; bit 0: play once and hold the last frame
//!            whole seconds of the anchor
//!            speed before the anchor f16 | speed after it f16 << 16
//! words 16.. three fades, each to the playback after it: whole seconds of its start,
//!            then ticks of its start u16 | length u16 << 16, in 1/1024 s
//! word 22    number of playbacks, 1 to 4
//! word 23    unused
//! ```

use glam::{Vec3, Vec4};
use half::f16;

use crate::crowd::clock::Clock;

/// Last word of the motion row of a living actor: a mark, and the version of the layout in its low byte.
pub const ACTOR_ALIVE: u32 = 0xac70_7201;
/// Largest coordinate (m) and thus the limit of the world; a row beyond it leaves the person out.
pub const FARTHEST: f32 = 1e6;
/// Largest heading (rad) in a row; a row beyond it leaves the person out.
pub const LARGEST_YAW: f32 = 64.0;
/// Playbacks in a play row.
pub const MOST_PLAYBACKS: usize = 4;
/// Ticks (1/65536 s) in a unit of a fade's length.
pub const FADE_UNIT: u32 = 64;
/// Bit of [`PlaybackRow::phase`]: the clip plays once and holds its last frame.
pub const PLAYS_ONCE: u32 = 1;

shader_struct!(MotionRow);

shader_struct!(PlaybackRow);

shader_struct!(FadeRow);

shader_struct!(PlayRow);

impl MotionRow {
    /// Row of somebody who stands still.
    #[must_use]
    pub fn still(position: [f32; 3], yaw: f32) -> Self {
        Self {
            start_position: position,
            start_yaw: yaw,
            end_position: position,
            end_yaw: yaw,
            mark: ACTOR_ALIVE,
            ..Self::default()
        }
    }

    /// Both keys: place (m) and, in `w`, heading (rad).
    #[inline]
    pub(super) fn keys(&self) -> [Vec4; 2] {
        [
            Vec3::from(self.start_position).extend(self.start_yaw),
            Vec3::from(self.end_position).extend(self.end_yaw),
        ]
    }

    /// Row of both keys, as [`MotionRow::keys`] returns them, and of the words after them.
    // A cast stores a key in one piece; field by field it is four.
    #[inline]
    pub(super) fn of_words(keys: [Vec4; 2], words: [u32; 4]) -> Self {
        let [start, end] = keys.map(|key| key.to_array().map(f32::to_bits));
        bytemuck::cast([start, end, words])
    }

    /// Time of the first key.
    #[must_use]
    pub const fn start(&self) -> Clock {
        Clock {
            seconds: self.seconds,
            ticks: self.ticks & 0xffff,
        }
    }
}

impl PlaybackRow {
    /// Clip of the character.
    #[must_use]
    pub const fn clip(&self) -> u32 {
        self.clip_ticks & 0xffff
    }

    /// Time at which the speed changes and the phase is known.
    #[must_use]
    pub const fn anchor(&self) -> Clock {
        Clock {
            seconds: self.seconds,
            ticks: self.clip_ticks >> 16,
        }
    }

    /// Moves the anchor to a time.
    pub const fn set_anchor(&mut self, at: Clock) {
        self.clip_ticks = self.clip_ticks & 0xffff | at.ticks << 16;
        self.seconds = at.seconds;
    }

    /// Speed before the anchor, or after it; 1 as authored, negative backwards.
    #[must_use]
    pub fn speed(&self, is_after: bool) -> f32 {
        f16::from_bits((if is_after { self.speeds >> 16 } else { self.speeds }) as u16).to_f32()
    }

    /// Sets the speed before the anchor, and after it.
    pub fn set_speeds(&mut self, before: f32, after: f32) {
        let bits = |speed| u32::from(f16::from_f32(speed).to_bits());
        self.speeds = bits(before) | bits(after) << 16;
    }
}

impl FadeRow {
    /// Fade of `span` units of [`FADE_UNIT`].
    #[must_use]
    pub const fn new(start: Clock, span: u16) -> Self {
        Self {
            seconds: start.seconds,
            ticks_span: start.ticks | (span as u32) << 16,
        }
    }

    /// Start time.
    #[must_use]
    pub const fn start(&self) -> Clock {
        Clock {
            seconds: self.seconds,
            ticks: self.ticks_span & 0xffff,
        }
    }

    /// Length (ticks).
    #[must_use]
    pub const fn ticks(&self) -> u32 {
        (self.ticks_span >> 16) * FADE_UNIT
    }
}
