//! Animation clips: keyed channels on joints.

use glam::{Quat, Vec3};

use crate::model::{Later, MorphChannel};

/// Behaviour past the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wrap {
    /// Start again.
    #[default]
    Loop,
    /// Play once and hold the last frame.
    Once,
    /// Forward, backward, forward...
    PingPong,
    /// Clamp to the ends (for negative speeds too).
    Clamp,
}

impl Wrap {
    /// True where a clip goes on for ever: it may be started anywhere.
    #[must_use]
    pub const fn is_endless(self) -> bool {
        matches!(self, Self::Loop | Self::PingPong)
    }

    /// Time inside a clip of `duration` seconds after `seconds` of playing.
    #[must_use]
    pub fn local_time(self, seconds: f32, duration: f32) -> f32 {
        if duration <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Loop => seconds.rem_euclid(duration),
            Self::Once | Self::Clamp => seconds.clamp(0.0, duration),
            Self::PingPong => {
                let there_and_back = seconds.rem_euclid(2.0 * duration);
                there_and_back.min(2.0 * duration - there_and_back)
            }
        }
    }
}

/// How a channel goes from one key to the next (glTF 2.0, section 3.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Hold the previous key.
    Step,
    /// Straight line; shortest arc (slerp) for rotations.
    Linear,
    /// Hermite spline with in- and out-tangents (glTF appendix C.5).
    CubicSpline,
}

/// Values of a channel; for [`Interpolation::CubicSpline`] three per key
/// (in-tangent, value, out-tangent), else one per key.
#[derive(Clone, Debug, PartialEq)]
pub enum Keys {
    /// Local translation, metres.
    Translation(Vec<Vec3>),
    /// Local rotation; tangents are not unit length.
    Rotation(Vec<Quat>),
    /// Local scale.
    Scale(Vec<Vec3>),
}

/// One animated property of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Index into `Skeleton::joints`.
    pub joint: u32,
    /// How keys are joined.
    pub interpolation: Interpolation,
    /// Key times in seconds since the clip's start, strictly increasing, at least one.
    pub times: Vec<f32>,
    /// Key values.
    pub keys: Keys,
}

/// Something that happens at a moment of a clip (a footstep, a clap, a hit).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ClipEvent {
    /// Name of the event.
    pub name: String,
    /// Seconds since the clip's start, in `[0, duration)`.
    pub time: f32,
}

impl ClipEvent {
    /// Events as a clip of `duration` seconds has them: those outside it left out, sorted by time.
    pub(crate) fn in_order(mut events: Vec<Self>, duration: f32) -> Vec<Self> {
        events.retain(|e| e.time >= 0.0 && (e.time < duration || e.time == 0.0));
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        events
    }
}

/// A named animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Name in the file, or `clip N`.
    pub name: String,
    /// Seconds; 0 for a single pose.
    pub duration: f32,
    /// Seconds by which the file's keys were shifted so that the clip starts at 0.
    pub file_start: f32,
    /// Only animated joints have channels; others keep their rest transform.
    pub channels: Later<Channel>,
    /// Animated morph weights; others keep their rest weight.
    pub morphs: Vec<MorphChannel>,
    /// From the file's extras, else [`Wrap::Loop`].
    pub wrap: Wrap,
    /// Ground speed in metres per second that keeps the feet planted; 0 for clips in place.
    pub speed: f32,
    /// Turn that goes with the speed, radians per second about Y, positive from +Z towards +X; taken
    /// out of the keys like it.
    pub turn: f32,
    /// Sorted by time.
    pub events: Vec<ClipEvent>,
}

impl Clip {
    /// The smallest whole rate up to 120 Hz on whose grid the clip's end and all keys of moving
    /// channels lie (to a fiftieth of a frame): baking at it, or at a multiple, meets every key.
    #[must_use]
    pub fn key_rate(&self) -> Option<f32> {
        let moving = self.channels.iter().filter(|c| c.keys.vary());
        let mut times: Vec<f32> = moving.flat_map(|c| c.times.iter().copied()).collect();
        times.extend(self.morphs.iter().flat_map(|m| &m.times));
        if times.is_empty() || self.duration <= 0.0 {
            return None;
        }
        times.push(self.duration);
        times.sort_by(f32::total_cmp);
        times.dedup();
        let on_grid = |rate: &f32| {
            let off = |t: &f32| (t * rate - (t * rate).round()).abs();
            times.iter().all(|t| off(t) < 0.02)
        };
        (1..=120).map(|r| r as f32).find(on_grid)
    }
}

impl Keys {
    /// True where some two values differ.
    #[must_use]
    pub fn vary(&self) -> bool {
        match self {
            Self::Translation(v) | Self::Scale(v) => v.windows(2).any(|w| w[0] != w[1]),
            Self::Rotation(q) => q.windows(2).any(|w| w[0] != w[1]),
        }
    }

    /// Values that differ from the one before them, by index.
    pub fn changes(&self) -> impl Iterator<Item = usize> {
        let differs = move |i: &usize| match self {
            Self::Translation(v) | Self::Scale(v) => v[*i] != v[*i - 1],
            Self::Rotation(q) => q[*i] != q[*i - 1],
        };
        (1..self.len()).filter(differs)
    }

    /// Number of values.
    fn len(&self) -> usize {
        match self {
            Self::Translation(v) | Self::Scale(v) => v.len(),
            Self::Rotation(q) => q.len(),
        }
    }
}
