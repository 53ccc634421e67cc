//! Animation clips: keyed channels on joints.

use glam::{Quat, Vec3};

use crate::model::{LazyList, MorphChannel};

/// Behaviour past the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wrap {
    /// Start again.
    #[default]
    Loop,
    /// Play once and hold the last frame; backwards, hold the first.
    Once,
    /// Forward, backward, forward...
    PingPong,
    /// Clamp to the ends, for negative speeds, too.
    Clamp,
}

impl Wrap {
    /// True if a clip never ends, so that it may start at any phase.
    #[must_use]
    pub const fn is_endless(self) -> bool {
        matches!(self, Self::Loop | Self::PingPong)
    }

    /// Time within a clip of `duration` after playing for `seconds` (s).
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

/// Interpolation of a channel between keys (glTF 2.0, section 3.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Hold the previous key.
    Step,
    /// Linear; shortest arc (slerp) for rotations.
    Linear,
    /// Hermite spline with in- and out-tangents (glTF appendix C.5).
    CubicSpline,
}

/// Key values of a channel: one per key, or three (in-tangent, value, out-tangent) for [`Interpolation::CubicSpline`].
#[derive(Clone, Debug, PartialEq)]
pub enum Keys {
    /// Local translation (m).
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
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times since the clip's start (s), strictly increasing, at least one.
    pub times: Vec<f32>,
    /// Key values.
    pub keys: Keys,
}

/// An event of a clip (a footstep, a clap, a hit).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ClipEvent {
    /// Name of the event.
    pub name: String,
    /// Time since the clip's start (s), in `[0, duration)`.
    pub time: f32,
}

impl ClipEvent {
    /// Events within a clip of `duration` (s), sorted by time; those outside are dropped.
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
    /// Duration (s); 0 for a single pose.
    pub duration: f32,
    /// Shift of the file's keys so that the clip starts at 0 (s).
    pub file_start: f32,
    /// Channels of animated joints; others keep their rest transform.
    pub channels: LazyList<Channel>,
    /// Animated morph weights; others keep their rest weight.
    pub morphs: Vec<MorphChannel>,
    /// Wrap mode from the file's extras, else [`Wrap::Loop`].
    pub wrap: Wrap,
    /// Ground speed that keeps the feet planted (m/s); 0 for clips in place.
    pub speed: f32,
    /// Turning rate of the root motion (radians/s about Y, positive from +Z towards +X). Removed from the keys, like
    /// the speed.
    pub turn: f32,
    /// Events sorted by time.
    pub events: Vec<ClipEvent>,
}

impl Clip {
    /// Smallest integer rate up to 120 Hz whose grid holds the clip's end and all keys of moving channels. The
    /// tolerance is 1/50 of a frame. Baking at this rate, or at a multiple, hits every key.
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

    /// Indices of values that differ from the one before them.
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
