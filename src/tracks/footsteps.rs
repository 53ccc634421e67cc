//! Footsteps that samples show: models that place one footstep after another state each, or sample the straight lines
//! from one to the next.

use glam::DVec2;

/// Time (s) between samples from which on they are sparse.
pub(super) const SPARSE: f64 = 0.3;
/// Times (s) between footsteps of people.
const USUAL: std::ops::RangeInclusive<f64> = 0.3..=0.7;
/// Shortest time (s) between two footsteps.
const SHORTEST: f64 = 0.2;
/// Second differences (m) of samples that are on a straight line at constant speed, and of those that are not.
const STRAIGHT: f64 = 1e-4;
const KINK: f64 = 1e-3;

/// Footsteps of one person.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Footsteps {
    /// Usual time between two (s): the lower quartile, since who stands takes no steps.
    pub(super) interval: f64,
    /// Times at which a foot begins to stand (s), ascending. Empty where samples are sparse: their rate may be that of a
    /// camera.
    pub(super) times: Vec<f64>,
    /// True if the left foot begins to stand at the first of [`Self::times`].
    pub(super) is_left_first: bool,
}

impl Footsteps {
    /// Finds the footsteps of samples.
    pub(super) fn find(times: &[f64], places: &[DVec2]) -> Option<Self> {
        let is_sparse = (times.last()? - times.first()?) / times.len() as f64 > SPARSE;
        let found = if is_sparse {
            times.to_vec()
        } else {
            kinks(times, places)?
        };
        let mut intervals: Vec<f64> = found.windows(2).map(|pair| pair[1] - pair[0]).collect();
        intervals.sort_by(f64::total_cmp);
        let interval = *intervals.get(intervals.len() / 4)?;
        let times = if is_sparse {
            Vec::new()
        } else {
            complete(&found, interval)
        };
        (intervals.len() >= 2 && USUAL.contains(&interval)).then_some(Self {
            interval,
            times,
            is_left_first: true,
        })
    }

    /// Decides which foot is first: footsteps lie to its side of the smoothed way.
    pub(super) fn find_side(&mut self, times: &[f64], raw: &[DVec2], smoothed: &[DVec2]) {
        let mut left = 0.0;
        for (number, time) in self.times.iter().enumerate() {
            let at = times.partition_point(|own| own < time).clamp(1, times.len() - 1);
            let (ahead, aside) = (smoothed[at] - smoothed[at - 1], raw[at] - smoothed[at]);
            // Ground plane: X to the right, Z towards the viewer, so that left of +X is -Z.
            let to_left = ahead.normalize_or_zero().dot(DVec2::new(-aside.y, aside.x));
            left += if number % 2 == 0 { to_left } else { -to_left };
        }
        self.is_left_first = left >= 0.0;
    }
}

/// Times at which straight lines between samples bend; `None` if the samples lie on no such lines.
fn kinks(times: &[f64], places: &[DVec2]) -> Option<Vec<f64>> {
    let bends = places.windows(3).map(|own| (own[2] - 2.0 * own[1] + own[0]).length());
    let bends: Vec<f64> = bends.collect();
    let straight = bends.iter().filter(|bend| **bend < STRAIGHT).count();
    if 2 * straight < bends.len() {
        return None;
    }
    let begins = |at: &usize| bends[*at] > KINK && (*at == 0 || bends[*at - 1] <= KINK);
    // A footstep between two samples bends at both, at each by its distance in time from the other one.
    let time = |at: usize| {
        let after = bends.get(at + 1).copied().unwrap_or_default();
        let share = after / (bends[at] + after);
        times[at + 1] + share * (times[at + 2] - times[at + 1])
    };
    Some((0..bends.len()).filter(begins).map(time).collect())
}

/// Footsteps with those between that lie on one line with their neighbours, without any too soon after another.
fn complete(found: &[f64], interval: f64) -> Vec<f64> {
    let mut all: Vec<f64> = Vec::with_capacity(found.len());
    for time in found.iter().copied() {
        let Some(last) = all.last().copied() else {
            all.push(time);
            continue;
        };
        let seconds = time - last;
        if seconds < SHORTEST {
            continue;
        }
        let count = (seconds / interval).round().max(1.0);
        all.extend((1..count as u32).map(|step| last + seconds * f64::from(step) / count));
        all.push(time);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times and places of a way along X.
    struct Way {
        times: Vec<f64>,
        places: Vec<DVec2>,
    }

    impl Way {
        /// Eight seconds of samples at a rate.
        fn new(rate: f64, place: impl Fn(f64) -> DVec2) -> Self {
            let times: Vec<f64> = (0..(8.0 * rate) as u32).map(|at| f64::from(at) / rate).collect();
            let places = times.iter().map(|time| place(*time)).collect();
            Self { times, places }
        }

        /// Footsteps of 0.7 m, each turned by an angle (radians) to the left and the next one to the right.
        fn of_footsteps(rate: f64, seconds: f64, turn: f64) -> Self {
            let place = |number: f64| {
                let side = if (number as u32).is_multiple_of(2) {
                    0.0
                } else {
                    -0.7 * turn.sin()
                };
                DVec2::new(0.7 * turn.cos() * number, side)
            };
            Self::new(rate, |time| {
                let number = (time / seconds).floor();
                place(number).lerp(place(number + 1.0), (time / seconds).fract())
            })
        }

        fn footsteps(&self) -> Option<Footsteps> {
            Footsteps::find(&self.times, &self.places)
        }
    }

    #[test]
    fn footsteps_are_found_in_samples_of_straight_lines() {
        let found = Way::of_footsteps(24.0, 0.55, 0.4).footsteps().expect("footsteps");
        assert!((found.interval - 0.55).abs() < 1e-6, "{found:?}");
        assert_eq!(found.times.len(), 14);
        for (number, time) in (1..).zip(&found.times) {
            assert!((time - 0.55 * f64::from(number)).abs() < 1e-6, "{found:?}");
        }
        assert_eq!(Way::of_footsteps(24.0, 0.55, 0.0).footsteps(), None, "a straight way");
        let slow = Way::of_footsteps(2.0, 0.5, 0.4)
            .footsteps()
            .expect("one sample a footstep");
        assert!((slow.interval - 0.5).abs() < 1e-9 && slow.times.is_empty());
        assert_eq!(
            Way::of_footsteps(1.0, 1.0, 0.4).footsteps(),
            None,
            "one sample a second"
        );
        let swaying = Way::new(25.0, |time| DVec2::new(time, (time * 6.25).sin() * 0.05));
        assert_eq!(swaying.footsteps(), None, "measured");
    }

    #[test]
    fn feet_stand_on_the_side_of_their_footstep() {
        let way = Way::of_footsteps(24.0, 0.5, 0.2);
        let mut found = way.footsteps().expect("footsteps");
        let middle = -0.35 * 0.2_f64.sin();
        let smoothed: Vec<DVec2> = way.places.iter().map(|place| DVec2::new(place.x, middle)).collect();
        // The first bend is at the second footstep, which lies at -Z: to the left of +X.
        found.find_side(&way.times, &way.places, &smoothed);
        assert!(found.is_left_first);
        let mirrored: Vec<DVec2> = way.places.iter().map(|place| DVec2::new(place.x, -place.y)).collect();
        let smoothed: Vec<DVec2> = smoothed.iter().map(|place| DVec2::new(place.x, -place.y)).collect();
        found.find_side(&way.times, &mirrored, &smoothed);
        assert!(!found.is_left_first);
    }

    #[test]
    fn footsteps_on_one_line_are_completed() {
        let all = complete(&[0.0, 0.5, 2.0, 2.1, 2.6], 0.5);
        assert_eq!(all, [0.0, 0.5, 1.0, 1.5, 2.0, 2.6]);
    }
}
