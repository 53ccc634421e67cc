//! Values of samples that colour people over time, and the scale on which they lie.

use rayon::prelude::*;

use super::{SampleRun, Tracks};

/// Width (s) of the window over which a speed is taken: a stride of a walking person lasts about as long.
const SPEED_WINDOW: f64 = 0.7;
/// Share of values above a scale's end: a few outliers leave colours to the others.
const OUTSIDE: f32 = 0.05;
/// Most values that a scale is taken from.
const MOST_VALUES: usize = 100_000;

/// Quantity of a sample that chooses a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Speed over the ground (m/s).
    Speed,
    /// Density around the person (people per m²), see [`Tracks::densities`].
    Density,
    /// Value of the column that [`ReadOptions::value`](super::ReadOptions::value) names.
    Column,
}

/// Values at the two ends of a scale of colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColorScale {
    /// Value of the first colour.
    pub from: f32,
    /// Value of the last colour; above `from`.
    pub to: f32,
}

impl ColorScale {
    /// Scale with round ends that holds all but the outermost values; from zero where no value is negative and the least
    /// is below half of the largest. NaNs are left out; without values, from 0 to 1.
    #[must_use]
    pub fn around(values: &[f32]) -> Self {
        let every = (values.len() / MOST_VALUES).max(1);
        let mut some: Vec<f32> = values
            .iter()
            .step_by(every)
            .copied()
            .filter(|v| v.is_finite())
            .collect();
        some.sort_by(f32::total_cmp);
        let at = |share: f32| some.get(((some.len() as f32 - 1.0) * share).round() as usize).copied();
        let (Some(low), Some(high)) = (at(OUTSIDE), at(1.0 - OUTSIDE)) else {
            return Self { from: 0.0, to: 1.0 };
        };
        let low = if low >= 0.0 && low < 0.5 * high { 0.0 } else { low };
        let step = round_step(0.2 * (high - low).max(1e-3 * high.abs()).max(1e-6));
        let from = (low / step + 1e-3).floor() * step;
        let to = (high / step - 1e-3).ceil() * step;
        Self {
            from,
            to: to.max(from + step),
        }
    }

    /// Place of a value on the scale, 0..=1.
    #[must_use]
    pub fn share(&self, value: f32) -> f32 {
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

/// Smallest of 1, 2 and 5 times a power of ten that is at least a number.
fn round_step(number: f32) -> f32 {
    let power = 10.0_f32.powf(number.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps
        .into_iter()
        .find(|step| *step >= 0.999 * number)
        .unwrap_or(10.0 * power)
}

impl Tracks {
    /// Value of every sample, in the order of [`Tracks::samples`]. A value that the file lacks is that of the sample
    /// before, else of the next one of the same agent; NaN if an agent has none.
    #[must_use]
    pub fn values(&self, quantity: Quantity) -> Vec<f32> {
        match quantity {
            Quantity::Density => self.densities(),
            Quantity::Speed => self.of_agents(speeds),
            Quantity::Column => self.of_agents(column),
        }
    }

    fn of_agents(&self, values: impl Fn(SampleRun<'_>) -> Vec<f32> + Sync) -> Vec<f32> {
        let own = |agent| values(self.run_of(agent));
        self.agents.par_iter().flat_map_iter(own).collect()
    }
}

/// Speed (m/s) at each sample of one agent: the way over a window around it.
fn speeds(run: SampleRun<'_>) -> Vec<f32> {
    let samples = run.samples;
    let mut ways = vec![0.0_f64; samples.len()];
    for (at, pair) in samples.windows(2).enumerate() {
        ways[at + 1] = ways[at] + f64::from(pair[1].x - pair[0].x).hypot(f64::from(pair[1].y - pair[0].y));
    }
    let half = 0.5 * SPEED_WINDOW + 1e-6;
    let speed = |at: usize| {
        let now = samples[at].time;
        let first = samples[..at].partition_point(|sample| sample.time < now - half);
        let last = at + samples[at..].partition_point(|sample| sample.time <= now + half) - 1;
        // Sparse samples have their neighbours.
        let (first, last) = (
            first.min(at.saturating_sub(1)),
            last.max((at + 1).min(samples.len() - 1)),
        );
        let seconds = samples[last].time - samples[first].time;
        if seconds > 0.0 {
            ((ways[last] - ways[first]) / seconds) as f32
        } else {
            0.0
        }
    };
    (0..samples.len()).map(speed).collect()
}

/// Values of one agent's column without holes.
fn column(run: SampleRun<'_>) -> Vec<f32> {
    let values = (0..run.samples.len()).map(|at| run.extra(at).value);
    let mut last = values.clone().find(|value| value.is_finite()).unwrap_or(f32::NAN);
    let held = values.map(|value| {
        if value.is_finite() {
            last = value;
        }
        last
    });
    held.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracks::ReadOptions;

    fn tracks(text: &str) -> Tracks {
        let options = ReadOptions {
            value: text.contains("stress").then(|| "stress".to_owned()),
            ..ReadOptions::default()
        };
        Tracks::from_bytes("rows.csv", text.as_bytes(), &options).expect("reads")
    }

    #[test]
    fn speeds_follow_the_person_and_ignore_one_sample() {
        let mut text = "id,t,x,y\n".to_owned();
        for step in 0..80 {
            let time = f64::from(step) * 0.1;
            let x = if time < 4.0 {
                0.5 * time
            } else {
                2.0 + 1.5 * (time - 4.0)
            };
            text += &format!("1,{time},{x},0\n");
        }
        let speeds = tracks(&text).values(Quantity::Speed);
        assert!(
            (speeds[10] - 0.5).abs() < 1e-3 && (speeds[70] - 1.5).abs() < 1e-3,
            "{speeds:?}"
        );
        assert!(speeds.windows(2).all(|pair| pair[1] - pair[0] > -1e-3), "{speeds:?}");
        assert_eq!(tracks("id,t,x,y\n1,0,0,0\n").values(Quantity::Speed), [0.0]);
        let sparse = tracks("id,t,x,y\n1,0,0,0\n1,2,3,4\n1,4,3,4\n").values(Quantity::Speed);
        assert_eq!(sparse, [2.5, 1.25, 0.0]);
    }

    #[test]
    fn values_of_a_column_are_held_where_they_are_missing() {
        let text = "id,t,x,y,stress\n1,0,0,0,\n1,1,0,1,0.5\n1,2,0,2,\n2,0,9,0,\n2,1,9,1,\n";
        let values = tracks(text).values(Quantity::Column);
        assert_eq!(values[..3], [0.5; 3]);
        assert!(values[3..].iter().all(|value| value.is_nan()));
    }

    #[test]
    fn scales_have_round_ends_around_the_values() {
        let even =
            |from: f32, to: f32| -> Vec<f32> { (0..=1000).map(|i| from + (to - from) * i as f32 / 1000.0).collect() };
        for (values, from, to) in [
            (even(0.0, 1.55), 0.0_f32, 1.5_f32),
            (even(0.3, 4.9), 0.0, 5.0),
            (even(-3.0, 3.0), -4.0, 4.0),
            (even(291.0, 299.0), 290.0, 300.0),
            (vec![7.0; 9], 7.0, 7.002),
            (vec![f32::NAN], 0.0, 1.0),
            (vec![0.0; 3], 0.0, 1e-6),
        ] {
            let scale = ColorScale::around(&values);
            let near = |a: f32, b: f32| (a - b).abs() <= 2e-3 + 0.1 * (to - from).abs();
            assert!(
                near(scale.from, from) && near(scale.to, to) && scale.to > scale.from,
                "{scale:?} {from} {to}"
            );
        }
        let scale = ColorScale { from: 1.0, to: 3.0 };
        assert_eq!([0.0, 2.0, 9.0].map(|value| scale.share(value)), [0.0, 0.5, 1.0]);
    }
}
