//! What timing both rasterisers has come to.

use crate::{config::Raster, measure::median};

/// Differences below this share are noise, however quiet the frames were.
const LEAST_NOISE: f64 = 0.03;

/// Kind of the times: GPU or wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimingBasis {
    /// From the first pass of a frame to its last, by the GPU's clock.
    Gpu,
    /// From the start of encoding until the device is idle: where timestamps do not cover everything.
    Wall,
}

/// Both rasterisers' times, and the one chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AutotuneResult {
    /// `Hardware` or `Compute`.
    pub chosen: Raster,
    /// Medians of the hardware rasterizer and of compute, milliseconds.
    ms: [f64; 2],
    /// Share of the median within which half of the frames lay; the larger of both candidates.
    noise: f64,
    /// Timed frames of each.
    frames: usize,
    basis: TimingBasis,
    /// Rows up to which people are drawn by the software rasterizer.
    rows: u32,
}

impl AutotuneResult {
    /// From milliseconds of frames by the hardware rasterizer and in compute, of which `present` is in use: it stays
    /// where the other is not faster by more than the noise.
    #[must_use]
    pub(super) fn of(present: Raster, times: [&[f64]; 2], (basis, rows): (TimingBasis, u32)) -> Self {
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

    /// Times of the candidate in use, then of the other.
    fn in_use_first(&self) -> [f64; 2] {
        match self.chosen {
            Raster::Compute => [self.ms[1], self.ms[0]],
            Raster::Hardware | Raster::Auto => self.ms,
        }
    }

    /// Whether the two cannot be told apart.
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
            true => "; no more apart than noise, so the one in use stays",
            false => "",
        };
        let times = match self.frames {
            1 => format!("one frame of each, {basis}"),
            frames => format!(
                "medians of {frames} frames of each in turns, {basis}; half of the frames were within {:.1} % of them",
                100.0 * self.noise
            ),
        };
        format!(
            "a frame of this scene takes {hardware} ms by the graphics pipe and {compute} ms with people of at most {} \
             rows in compute{kept} ({times}). Measured again when scene, count, size, samples, shadows, detail or \
             technique change for good",
            self.rows
        )
    }
}

/// The share of a median within which half of the values lie.
fn spread(values: &[f64], middle: f64) -> f64 {
    let away: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    median(&away) / middle.max(f64::MIN_POSITIVE)
}

/// Two digits that matter, or all before the point.
fn digits(ms: f64) -> String {
    match ms {
        ms if ms >= 9.95 => format!("{ms:.0}"),
        ms if ms >= 0.995 => format!("{ms:.1}"),
        ms => format!("{ms:.2}"),
    }
}
