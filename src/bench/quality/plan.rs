//! Plan of `--quality`: scenes, their views, scene times, and sample positions within a pixel.

use anyhow::Result;
use glam::Vec2;

use crate::{
    bench::{
        BenchArgs, BenchPlan, SceneView,
        scenes::{SceneSource, plan::config},
    },
    config::Config,
};

/// Samples per pixel of the reference picture.
pub(super) const FINE: u32 = 64;
/// Distance by which full detail is moved (px): invisible to people. It is also the distance between samples, so that a
/// moved picture shares all but one column or row of them.
pub(super) const MOVED: f32 = 0.125;
/// Largest number of people for which a scene is evaluated: full detail of more takes minutes per picture.
const MOST_PEOPLE: u32 = 50_000;
/// Number of views and of scene times of scenes that have more people.
const MOST_OF_LARGE: usize = 3;
/// Number of people with `--quick`.
const QUICK_PEOPLE: u32 = 300;
/// First scene time (s).
const FIRST: f64 = 4.0;
/// Interval between scene times (s): no period of any behaviour.
const BETWEEN: f64 = 9.7;

/// Scene, with its views and scene times.
#[derive(Clone, Debug)]
pub(super) struct QualityScene {
    pub place: SceneView,
    pub config: Config,
    pub views: Vec<String>,
    /// Scene times (s).
    pub moments: Vec<f64>,
    /// Number of frames of the camera move towards the scene.
    pub dolly: usize,
}

impl QualityScene {
    /// Makes the scene of a scene view with `count` people, or with the number of the scene.
    ///
    /// # Errors
    /// A bad scene.
    pub(super) fn new(args: &BenchArgs, plan: &BenchPlan, place: &SceneView, count: Option<u32>) -> Result<Self> {
        let whole = config(args, plan, place, count)?;
        let large = count.is_none() && whole.scene.count > MOST_PEOPLE;
        let most = if args.quick { QUICK_PEOPLE } else { MOST_PEOPLE };
        let count = count.unwrap_or(whole.scene.count.min(most));
        let mut config = config(args, plan, place, Some(count))?;
        config.scene.seed = args.seed;
        let mut views = views(&config, place);
        let mut moments = args.moments.unwrap_or(if args.quick { 1 } else { 5 }) as usize;
        if large {
            views.truncate(MOST_OF_LARGE);
            moments = moments.min(MOST_OF_LARGE);
        }
        if args.quick {
            views.truncate(1);
        }
        Ok(Self {
            place: place.clone(),
            config,
            views,
            moments: (0..moments).map(|n| FIRST + n as f64 * BETWEEN).collect(),
            dolly: if args.quick { 16 } else { 240 },
        })
    }

    /// Returns the number of progress steps.
    pub(super) fn steps(&self) -> usize {
        self.views.len() * (self.moments.len() + super::control::PLANTED_FAULTS.len()) + self.dolly
    }
}

/// Returns the views of a scene: the start view first, then its others, street and overview. A given view is the only
/// one.
fn views(config: &Config, place: &SceneView) -> Vec<String> {
    if let Some(view) = &place.view {
        return vec![view.clone()];
    }
    let own = config.camera.views.keys().cloned();
    let start = (place.scene != SceneSource::Grid).then(|| config.camera.start.clone());
    let all = start
        .into_iter()
        .chain(own)
        .chain(["street", "overview"].map(str::to_owned));
    let mut views: Vec<String> = Vec::new();
    for view in all {
        if !views.contains(&view) {
            views.push(view);
        }
    }
    views
}

/// Returns the offsets (px) of pictures that have [`FINE`] samples per pixel together. With four samples per pixel,
/// each stands for a square of a quarter pixel, and offsets stay within it. The mean therefore covers the same pixel,
/// not a larger one.
pub(super) fn shifts(samples: u32) -> Vec<Vec2> {
    let side = (FINE / samples.max(1)).isqrt();
    let cell = 1.0 / samples.max(1) as f32;
    let along = |index: u32| ((index as f32 + 0.5) / side as f32 - 0.5) * cell;
    let shift = |index: u32| Vec2::new(along(index % side), along(index / side));
    (0..side * side).map(shift).collect()
}

/// Offset of a picture (px), and the sums that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubpixelShift<const N: usize> {
    pub by: Vec2,
    pub of: [bool; N],
}

/// Returns offsets of pictures with one sample, for three sums. One sum has [`FINE`] samples per pixel; two are the
/// same moved by [`MOVED`] to the right and down. They share samples: 80 pictures instead of 192. Each sum has its
/// samples in the order of [`shifts`].
pub(super) fn moved_shifts() -> Vec<SubpixelShift<3>> {
    let side = FINE.isqrt();
    let along = |index: u32| (index as f32 + 0.5) * MOVED - 0.5;
    let places = (0..=side).flat_map(|y| (0..=side).map(move |x| (x, y)));
    let shift = |(x, y): (u32, u32)| SubpixelShift {
        by: Vec2::new(along(x), along(y)),
        of: [x < side && y < side, x > 0 && y < side, x < side && y > 0],
    };
    places.map(shift).filter(|shift| shift.of.contains(&true)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_fill_the_pixel_and_never_leave_it() {
        for (samples, middles) in [(1, vec![0.0]), (4, vec![-0.375, -0.125, 0.125, 0.375])] {
            let shifts = shifts(samples);
            assert_eq!(shifts.len() as u32 * samples, FINE);
            // Across, as down, every sixteenth or eighth of the pixel has the same number of samples.
            let mut across: Vec<f32> = middles
                .iter()
                .flat_map(|middle| shifts.iter().map(move |shift| middle + shift.x))
                .collect();
            across.sort_by(f32::total_cmp);
            assert!(across[0] > -0.5 && across[across.len() - 1] < 0.5);
            across.dedup();
            let steps: Vec<f32> = across.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(steps.iter().all(|step| (step - steps[0]).abs() < 1e-6), "{steps:?}");
            let mean = shifts.iter().copied().sum::<Vec2>();
            assert!(mean.length() < 1e-5);
        }
    }

    #[test]
    fn moved_pictures_share_their_samples() {
        let all = moved_shifts();
        assert_eq!(all.len(), 80);
        for (number, moved) in [Vec2::ZERO, Vec2::X * MOVED, Vec2::Y * MOVED].into_iter().enumerate() {
            let own: Vec<Vec2> = all
                .iter()
                .filter(|shift| shift.of[number])
                .map(|shift| shift.by)
                .collect();
            let expected: Vec<Vec2> = shifts(1).iter().map(|shift| *shift + moved).collect();
            assert_eq!(own, expected, "sums of sixteenths are exact");
        }
    }

    #[test]
    fn a_scene_is_seen_from_its_own_views_first() {
        let plaza = Config::scene("plaza").expect("embedded");
        let place = |text: &str| text.parse::<SceneView>().expect("a place");
        let all = views(&plaza, &place("plaza"));
        assert!(all.len() >= 6 && all.iter().any(|view| view == "balcony"), "{all:?}");
        assert_eq!(all.iter().filter(|view| *view == "overview").count(), 1);
        assert_eq!(views(&plaza, &place("plaza@street")), ["street"]);
    }
}
