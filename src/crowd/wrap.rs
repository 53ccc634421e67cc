//! Position in a clip from turns, for every wrap mode and both directions.

use crate::{
    crowd::{
        CrowdClip, Instance,
        clock::{Clock, Turns, ahead, fraction, scale_rate, to_rate, turns},
    },
    model::Wrap,
};

/// Shader constant of [`Wrap::Loop`].
pub const WRAP_LOOP: u32 = 0;
/// Shader constant of [`Wrap::Once`].
pub const WRAP_ONCE: u32 = 1;
/// Shader constant of [`Wrap::PingPong`].
pub const WRAP_PING_PONG: u32 = 2;
/// Shader constant of [`Wrap::Clamp`].
pub const WRAP_CLAMP: u32 = 3;

/// Shader constant of a wrap mode.
#[must_use]
pub const fn wrap_code(wrap: Wrap) -> u32 {
    match wrap {
        Wrap::Loop => WRAP_LOOP,
        Wrap::Once => WRAP_ONCE,
        Wrap::PingPong => WRAP_PING_PONG,
        Wrap::Clamp => WRAP_CLAMP,
    }
}

/// True if clips of this mode never end, so that their phase does not depend on a start time.
#[must_use]
pub const fn is_endless(wrap: u32) -> bool {
    wrap == WRAP_LOOP || wrap == WRAP_PING_PONG
}

/// Position in a clip after `turns`, `0.0..=1.0` of its duration. If `reversed`, a loop runs from end to start, and
/// `once` does so, too, and holds its first frame. Reversed ping-pong begins at the end, and `clamp` stays at the first
/// frame.
#[must_use]
pub const fn clip_position(turns: Turns, wrap: u32, reversed: bool) -> f32 {
    let at = fraction(turns.phase);
    if wrap == WRAP_CLAMP && reversed {
        return 0.0;
    }
    let ended = turns.whole > 0;
    let forward = match wrap {
        WRAP_ONCE | WRAP_CLAMP if ended => 1.0,
        WRAP_PING_PONG if turns.whole & 1 == 1 => 1.0 - at,
        _ => at,
    };
    if reversed { 1.0 - forward } else { forward }
}

/// Endless playback of one clip by an instance without a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopPlayback {
    /// Clip of the character.
    pub clip: u32,
    /// Turns per second, times 2^24.
    pub rate: u32,
    /// Plays backwards.
    pub reversed: bool,
    /// Turns ahead of the scene's clock, times 2^32; turns late if reversed.
    pub phase: u32,
}

/// Loop of an instance; `None` for a character without clips.
#[must_use]
pub fn own_loop(instance: &Instance, clips: &[CrowdClip]) -> Option<LoopPlayback> {
    let index = usize::from(instance.clip()).min(clips.len().saturating_sub(1));
    let clip = clips.get(index)?;
    let cycles = if clip.duration > 0.0 {
        to_rate(1.0 / f64::from(clip.duration))
    } else {
        0
    };
    let speed = instance.speed();
    let ahead_by = ((instance.start.clamp(0.0, 0.999_999_94) * 16_777_216.0) as u32) << 8;
    let reversed = speed < 0.0;
    Some(LoopPlayback {
        clip: index as u32,
        rate: scale_rate(cycles, (speed.abs() * 65_536.0 + 0.5) as u32),
        reversed,
        phase: if reversed { ahead_by.wrapping_neg() } else { ahead_by },
    })
}

impl LoopPlayback {
    /// Position in the clip, `0.0..1.0`.
    #[must_use]
    pub const fn position(self, clock: Clock) -> f32 {
        let phase = ahead(turns(clock, self.rate), self.phase).phase;
        fraction(if self.reversed { phase.wrapping_neg() } else { phase })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_clips_loop_in_both_directions() {
        let clip = CrowdClip {
            duration: 2.0,
            ..CrowdClip::default()
        };
        let own = |speed| Instance::new(glam::Vec3::ZERO).with_clip(0, speed, 0.2);
        let of = |speed| own_loop(&own(speed), std::slice::from_ref(&clip)).expect("has a clip");
        let at = |speed, seconds| of(speed).position(Clock::from_seconds(seconds));
        assert!((at(1.0, 0.0) - 0.2).abs() < 1e-6);
        assert!((at(1.0, 1.0) - 0.7).abs() < 1e-6);
        assert!((at(-1.0, 1.0) - 0.7).abs() < 1e-6);
        assert!((at(0.5, 604_800.0) - 0.2).abs() < 1e-6);
        let still = own_loop(&own(1.0), &[CrowdClip::default()]).expect("has a clip");
        assert_eq!(still.rate, 0);
        assert_eq!(own_loop(&own(1.0), &[]), None);
    }

    fn at(turns: f64, wrap: Wrap, reversed: bool) -> f32 {
        let whole = turns.floor();
        let phase = ((turns - whole) * 4_294_967_296.0) as u32;
        clip_position(
            Turns {
                whole: whole as u32,
                phase,
            },
            wrap_code(wrap),
            reversed,
        )
    }

    #[test]
    fn wrap_modes_map_turns_to_positions() {
        let table = [
            (Wrap::Loop, false, [0.0, 0.25, 0.25, 0.5]),
            (Wrap::Loop, true, [1.0, 0.75, 0.75, 0.5]),
            (Wrap::Once, false, [0.0, 0.25, 1.0, 1.0]),
            (Wrap::Once, true, [1.0, 0.75, 0.0, 0.0]),
            (Wrap::PingPong, false, [0.0, 0.25, 0.75, 0.5]),
            (Wrap::PingPong, true, [1.0, 0.75, 0.25, 0.5]),
            (Wrap::Clamp, false, [0.0, 0.25, 1.0, 1.0]),
            (Wrap::Clamp, true, [0.0, 0.0, 0.0, 0.0]),
        ];
        for (wrap, reversed, expected) in table {
            let found = [0.0, 0.25, 1.25, 2.5].map(|turns| at(turns, wrap, reversed));
            assert_eq!(found, expected, "{wrap:?} {reversed}");
        }
    }
}
