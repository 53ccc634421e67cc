//! Plan of a film: frames and their times, everything that a machine needs to draw any of them.

use std::{fmt, ops::Range, str::FromStr};

use crate::film::MotionBlur;

/// Frame rate (frames per second) as a fraction, so that 30000/1001 is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRate {
    /// Numerator: frames, at least 1.
    pub frames: u32,
    /// Denominator: seconds, at least 1.
    pub seconds: u32,
}

impl FrameRate {
    /// Makes a rate of whole frames per second, at least one.
    #[must_use]
    pub fn whole(frames: u32) -> Self {
        Self {
            frames: frames.max(1),
            seconds: 1,
        }
    }

    /// Returns the time of a frame from the start of a film (s).
    #[must_use]
    pub fn seconds(self, frame: u64) -> f64 {
        frame as f64 * f64::from(self.seconds) / f64::from(self.frames)
    }
}

impl fmt::Display for FrameRate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds {
            1 => write!(out, "{}", self.frames),
            seconds => write!(out, "{}/{seconds}", self.frames),
        }
    }
}

/// Parses `30`, `23.976` or `30000/1001`, from 1 to 1000 frames per second.
impl FromStr for FrameRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("{text:?} is not a frame rate; use 1 to 1000, such as 30, 23.976 or 30000/1001");
        let rate = match text.split_once('/') {
            Some((frames, seconds)) => Self {
                frames: frames.parse().map_err(|_| wrong())?,
                seconds: seconds.parse().map_err(|_| wrong())?,
            },
            None => {
                let thousandths = text.parse::<f64>().map_err(|_| wrong())? * 1000.0;
                if thousandths.fract() != 0.0 || !(0.0..=1e6).contains(&thousandths) {
                    return Err(wrong());
                }
                reduced(thousandths as u32, 1000)
            }
        };
        let per_second = f64::from(rate.frames) / f64::from(rate.seconds.max(1));
        let usable = rate.seconds > 0 && (1.0..=1000.0).contains(&per_second);
        usable.then_some(rate).ok_or_else(wrong)
    }
}

fn reduced(frames: u32, seconds: u32) -> FrameRate {
    let (mut a, mut b) = (frames.max(1), seconds);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    FrameRate {
        frames: frames / a,
        seconds: seconds / a,
    }
}

/// Part of a film that several machines draw: every `of`-th frame, starting with the `part`-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, 1 to `of`.
    pub part: u64,
    /// Number of parts, at least 1.
    pub of: u64,
}

impl Shard {
    /// Single part: the whole film.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// True if the `index`-th frame of a film (from 0) belongs to this part. Neighbours go to different machines, so
    /// that all get an equal share of expensive scenes.
    #[must_use]
    pub fn has(self, index: u64) -> bool {
        index % self.of == self.part - 1
    }
}

/// Parses `2/8`: the second of eight parts.
impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('/').and_then(|(part, of)| {
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            (part >= 1 && part <= of).then_some(Self { part, of })
        });
        parsed.ok_or_else(|| format!("{text:?} is not a part of a film; use K/N with K from 1 to N, such as 1/8"))
    }
}

/// Plan of a film, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmPlan {
    /// Numbers of the frames; the end is exclusive.
    pub frames: Range<u64>,
    /// Frames per second.
    pub rate: FrameRate,
    /// Scene time of frame 0 (s).
    pub start: f64,
    /// Motion blur.
    pub blur: MotionBlur,
    /// Part of the frames that is drawn here.
    pub shard: Shard,
}

impl FilmPlan {
    /// Returns the scene time at which the shutter of a frame opens (s).
    #[must_use]
    pub fn time(&self, frame: u64) -> f64 {
        self.start + self.rate.seconds(frame)
    }

    /// Returns the scene times of the subframes of a frame (s).
    pub fn moments(&self, frame: u64) -> impl Iterator<Item = f64> {
        let (opened, interval) = (self.time(frame), self.rate.seconds(1));
        self.blur.shares().map(move |share| opened + share * interval)
    }

    /// Returns the frames of this part, ascending.
    pub fn own_frames(&self) -> impl Iterator<Item = u64> {
        let (shard, first) = (self.shard, self.frames.start);
        self.frames.clone().filter(move |frame| shard.has(frame - first))
    }
}

/// Parses `0..240`: frames from 0 to 239.
///
/// # Errors
/// Text that is no range, or an empty or reversed one.
pub fn parse_frames(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("{text:?} is not a range of frames; use FIRST..END, such as 0..240 for 240 frames");
    let (first, end) = text.split_once("..").ok_or_else(wrong)?;
    let (first, end): (u64, u64) = (first.parse().map_err(|_| wrong())?, end.parse().map_err(|_| wrong())?);
    if first >= end || end > u64::from(u32::MAX) {
        return Err(format!(
            "{text:?} has no frames: the end is not drawn, and must come after the first"
        ));
    }
    Ok(first..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_exact_fractions() {
        let rate = |text: &str| text.parse::<FrameRate>();
        assert_eq!(rate("30").map(|r| r.to_string()), Ok("30".into()));
        assert_eq!(rate("29.97").map(|r| r.to_string()), Ok("2997/100".into()));
        assert_eq!(rate("30000/1001").map(|r| r.seconds(30000)), Ok(1001.0));
        for wrong in ["0", "-1", "nan", "1/0", "0.5", "1e9", "fast", "1/2/3"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shards_share_all_frames_out() {
        let plan = |part| FilmPlan {
            frames: 100..117,
            rate: FrameRate::whole(25),
            start: 2.0,
            blur: MotionBlur::OFF,
            shard: Shard { part, of: 3 },
        };
        let mut all: Vec<u64> = (1..=3)
            .flat_map(|part| plan(part).own_frames().collect::<Vec<_>>())
            .collect();
        all.sort_unstable();
        assert_eq!(all, (100..117).collect::<Vec<_>>());
        assert_eq!(plan(2).own_frames().next(), Some(101));
        assert_eq!(plan(1).time(100), 6.0);
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_exclude_their_end_and_have_frames() {
        assert_eq!(parse_frames("0..48"), Ok(0..48));
        for wrong in ["5..5", "9..3", "..4", "4..", "4", "-1..3", "0..99999999999"] {
            assert!(parse_frames(wrong).is_err(), "{wrong}");
        }
    }
}
