//! Result of timing both rasterizers.

use crate::{config::Raster, measure::median};

/// Minimum noise level: relative differences below this are noise, however steady the frames were.
const LEAST_NOISE: f64 = 0.03;

/// Kind of the times: GPU or wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimingBasis {
    /// GPU time from the first pass of a frame to its last.
    Gpu,
    /// Wall time from the start of encoding until the device is idle, where timestamps do not cover every pass.
    Wall,
}

/// Times of both rasterizers, and the one chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AutotuneResult {
    /// Faster rasterizer: `Hardware` or `Compute`.
    pub chosen: Raster,
    /// Median times (ms) of hardware and software rasterizer.
    ms: [f64; 2],
    /// Relative spread around the median that contains half of the frames; the larger of both.
    noise: f64,
    /// Number of timed frames per rasterizer.
    frames: usize,
    basis: TimingBasis,
    /// Largest height (sample rows) of people that the software rasterizer draws.
    rows: u32,
}

impl AutotuneResult {
    /// Result from frame times (ms) of hardware and software rasterizer. `present` is in use and stays unless the other
    /// is faster by more than the noise.
    #[must_use]
    pub(super) fn of(present: Raster, times: [&[f64]; 2], basis: TimingBasis, rows: u32) -> Self {
        let ms = times.map(median);
        let noise = f64::max(spread(times[0], ms[0]), spread(times[1], ms[1]));
        let (own, other) = match present {
            Raster::Compute => (1, 0),
            Raster::Hardware | Raster::Auto => (0, 1),
        };
        let is_faster = ms[other] < ms[own] * (1.0 - noise.max(LEAST_NOISE));
        let used = if is_faster { other } else { own };
        Self {
            chosen: [Raster::Hardware, Raster::Compute][used],
            ms,
            noise,
            frames: times[0].len().min(times[1].len()),
            basis,
            rows,
        }
    }

    /// Times of the chosen rasterizer, then of the other.
    fn in_use_first(&self) -> [f64; 2] {
        match self.chosen {
            Raster::Compute => [self.ms[1], self.ms[0]],
            Raster::Hardware | Raster::Auto => self.ms,
        }
    }

    /// True if the two times differ by no more than the noise.
    fn is_noise(&self) -> bool {
        let [less, more] = [self.ms[0].min(self.ms[1]), self.ms[0].max(self.ms[1])];
        less >= more * (1.0 - self.noise.max(LEAST_NOISE))
    }

    /// `3.1 ms against 5.2 ms`.
    pub(super) fn short(&self) -> String {
        let [own, other] = self.in_use_first().map(digits);
        let noise = if self.is_noise() { " (noise)" } else { "" };
        format!("{own} ms against {other} ms{noise}")
    }

    /// Measurements and method as a sentence.
    pub(super) fn sentence(&self) -> String {
        let [hardware, compute] = self.ms.map(digits);
        let basis = match self.basis {
            TimingBasis::Gpu => "GPU time from the first pass to the last",
            TimingBasis::Wall => "submit to idle",
        };
        let kept = match self.is_noise() {
            true => "; the difference is within noise, so the rasterizer in use stays",
            false => "",
        };
        let times = match self.frames {
            1 => format!("one frame of each, {basis}"),
            frames => format!(
                "medians of {frames} frames of each, {basis}; half of the frames were within {:.1} % of them",
                100.0 * self.noise
            ),
        };
        format!(
            "a frame of this scene takes {hardware} ms with the hardware rasterizer and {compute} ms with the software \
             rasterizer (people up to {} rows){kept} ({times}). A rule derived from this decides when scene, count, \
             size, samples, shadows, detail or technique have changed",
            self.rows
        )
    }
}

/// Relative spread around a median that contains half of the values.
fn spread(values: &[f64], middle: f64) -> f64 {
    let away: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    median(&away) / middle.max(f64::MIN_POSITIVE)
}

/// Milliseconds with two significant digits, or without decimals.
pub(super) fn digits(ms: f64) -> String {
    match ms {
        ms if ms >= 9.95 => format!("{ms:.0}"),
        ms if ms >= 0.995 => format!("{ms:.1}"),
        ms => format!("{ms:.2}"),
    }
}
