//! What `--quality` looks at: scenes, their views, moments, and how a pixel is sampled finely.

use anyhow::Result;
use glam::Vec2;

use crate::{
    bench::{
        BenchArgs, BenchPlan, SceneView,
        scenes::plan::{GRID, config},
    },
    config::Config,
};

/// Samples per pixel of what pictures are compared with.
pub(super) const FINE: u32 = 64;
/// How far full detail is moved, in pixels: what nobody sees. As far apart are those samples, so that all but one
/// column or row of a moved picture's are the other's.
pub(super) const MOVED: f32 = 0.125;
/// Scenes are evaluated with at most so many people: full detail of more takes minutes a picture.
const MOST_PEOPLE: u32 = 50_000;
/// Views and moments of scenes that have more.
const MOST_OF_LARGE: usize = 3;
/// `--quick`: people.
const QUICK_PEOPLE: u32 = 300;
/// Scene time of the first moment and between moments, seconds: no period of any behaviour.
const FIRST: f64 = 4.0;
/// See [`FIRST`].
const BETWEEN: f64 = 9.7;

/// A scene, and from where and when it is looked at.
#[derive(Clone, Debug)]
pub(super) struct QualityScene {
    pub place: SceneView,
    pub config: Config,
    pub views: Vec<String>,
    /// Scene times, seconds.
    pub moments: Vec<f64>,
    /// Frames of the camera's way towards the scene.
    pub dolly: usize,
}

impl QualityScene {
    /// A place as the arguments have it, with so many people or as many as it has.
    ///
    /// # Errors
    /// A bad scene.
    pub(super) fn new((args, plan): (&BenchArgs, &BenchPlan), place: &SceneView, count: Option<u32>) -> Result<Self> {
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

    /// Steps of progress.
    pub(super) fn steps(&self) -> usize {
        self.views.len() * (self.moments.len() + super::control::PLANTED_FAULTS.len()) + self.dolly
    }
}

/// The scene's own views, the one that it starts with first, then street and overview; a given one alone.
fn views(config: &Config, place: &SceneView) -> Vec<String> {
    if let Some(view) = &place.view {
        return vec![view.clone()];
    }
    let own = config.camera.views.keys().cloned();
    let start = (place.scene != GRID).then(|| config.camera.start.clone());
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

/// Where a picture is moved, in pixels, so that pictures with so many samples have [`FINE`] together. With four
/// samples, each stands for a square of a quarter of a pixel, which is what they are moved within: their mean is over
/// the same pixel as before, not over a larger one.
pub(super) fn shifts(samples: u32) -> Vec<Vec2> {
    let side = (FINE / samples.max(1)).isqrt();
    let cell = 1.0 / samples.max(1) as f32;
    let along = |index: u32| ((index as f32 + 0.5) / side as f32 - 0.5) * cell;
    let shift = |index: u32| Vec2::new(along(index % side), along(index / side));
    (0..side * side).map(shift).collect()
}

/// Where a picture is moved, in pixels, and to which of several sums it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubpixelShift<const N: usize> {
    pub by: Vec2,
    pub of: [bool; N],
}

/// Shifts of pictures with one sample, three at a time: a picture with [`FINE`] samples, and one moved by [`MOVED`]
/// to the right and down. 80 pictures instead of 192. Each has its samples in the order of [`shifts`].
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
            // Across, as down: every sixteenth, or eighth, of the pixel has the same number.
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
