//! Stress test: searches the largest crowd within a frame time. It raises the count until a frame takes longer, then
//! bisects.

use crate::{
    app::state::{AppState, COUNT},
    measure::median,
};

/// Factor between counts while raising.
const RAISE: f64 = 1.5;
/// Factor between the two bounds of the maximum at which the search ends.
const CLOSE: f64 = 1.05;
/// Number of frames dropped after a change of the count.
const WARM_UP: u32 = 3;
/// Number of frames measured per count.
const FRAMES: std::ops::RangeInclusive<usize> = 3..=40;
/// Measured time per count (ms) after which no further frame is needed.
const ENOUGH: f64 = 900.0;
/// Maximum number of frames to wait for the camera to stop.
const PATIENCE: u32 = 90;

/// Largest crowd within the target frame time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MaxCrowd {
    /// People.
    pub count: u32,
    /// Median frame time (ms).
    pub ms: f64,
    /// Throughput (million triangles per second).
    pub mtris: f64,
    /// Reason why the search ended.
    pub end: SearchEnd,
}

/// Measured count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CrowdSample {
    /// People.
    pub count: u32,
    /// Median frame time (ms).
    pub ms: f64,
}

/// Reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchEnd {
    /// A larger count exceeds the target frame time.
    Time,
    /// A larger count does not fit on the device.
    Room,
    /// The maximum count is reached.
    Most,
    /// A single person exceeds the target frame time.
    Least,
}

/// State of a running search.
#[derive(Clone, Debug)]
struct StressRun {
    vsync_before: bool,
    count_before: u32,
    /// View to restore afterwards; the camera does not follow it during the search.
    view_before: Option<String>,
    /// The scene with one person is measured first: what it costs without a crowd.
    begins: bool,
    count: u32,
    /// Smallest count that is too slow or does not fit.
    above: Option<(u32, SearchEnd)>,
    below: Option<MaxCrowd>,
    waited: u32,
    frames: Vec<f64>,
}

/// Stress test: target, running search and last result.
#[derive(Clone, Debug)]
pub(super) struct Stress {
    /// Target frame time (ms).
    pub target_ms: f64,
    /// Result of the last search.
    pub max_crowd: Option<MaxCrowd>,
    /// Counts measured by the running or last search, ascending.
    pub curve: Vec<CrowdSample>,
    /// Median frame time of the scene with one person (ms), once measured.
    pub empty_ms: Option<f64>,
    /// Show the curve.
    pub shows_curve: bool,
    run: Option<StressRun>,
}

impl Default for Stress {
    fn default() -> Self {
        Self {
            target_ms: 16.7,
            max_crowd: None,
            curve: Vec::new(),
            empty_ms: None,
            shows_curve: false,
            run: None,
        }
    }
}

impl Stress {
    /// Count being measured; `None` without a running search.
    #[must_use]
    pub(super) fn trying(&self) -> Option<u32> {
        self.run.as_ref().map(|r| r.count)
    }
}

impl StressRun {
    /// Adds a frame time (ms); returns the median of this count once complete.
    fn frame(&mut self, ms: f64, moving: bool) -> Option<f64> {
        self.waited += 1;
        if self.waited <= WARM_UP || (moving && self.waited < PATIENCE) {
            return None;
        }
        self.frames.push(ms);
        let long = self.frames.iter().sum::<f64>() >= ENOUGH && self.frames.len() >= *FRAMES.start();
        (long || self.frames.len() >= *FRAMES.end()).then(|| median(&std::mem::take(&mut self.frames)))
    }

    /// Next count to measure; after the scene with one person, that of the user's crowd.
    fn following(&mut self) -> Option<u32> {
        let is_user_count_next =
            std::mem::take(&mut self.begins) && self.above.is_none() && self.count_before > self.count;
        match is_user_count_next {
            true => Some(self.count_before),
            false => self.next(),
        }
    }

    /// Next count to measure; `None` once the maximum is found.
    fn next(&self) -> Option<u32> {
        let (least, most) = (*COUNT.start(), *COUNT.end());
        let below = self.below.map(|max_crowd| max_crowd.count);
        let wanted = match (below, self.above.map(|(count, _)| count)) {
            (None, None) => return Some(self.count),
            (Some(below), None) => (f64::from(below) * RAISE).ceil() as u32,
            (None, Some(above)) => above / 2,
            (Some(below), Some(above)) if f64::from(above) > f64::from(below) * CLOSE => below.midpoint(above),
            (Some(_), Some(_)) => return None,
        };
        let next = wanted.clamp(least, most);
        let known = below == Some(next) || self.above.is_some_and(|(above, _)| above == next);
        (!known).then_some(next)
    }
}

/// Starts a search, or stops the running one.
pub(super) fn toggle(state: &mut AppState) {
    if abort(state) {
        return;
    }
    let (window, count) = (&mut state.config.window, state.config.scene.count);
    state.stress.max_crowd = None;
    state.stress.curve.clear();
    (state.stress.empty_ms, state.stress.shows_curve) = (None, true);
    let first = *COUNT.start();
    state.config.scene.count = first;
    state.stress.run = Some(StressRun {
        vsync_before: std::mem::replace(&mut window.vsync, false),
        count_before: count,
        view_before: state.view.take(),
        begins: true,
        count: first,
        above: None,
        below: None,
        waited: 0,
        frames: Vec::new(),
    });
}

/// Stops the running search and restores the count; false if there is none.
pub(super) fn abort(state: &mut AppState) -> bool {
    let Some(run) = state.stress.run.take() else {
        return false;
    };
    state.config.window.vsync = run.vsync_before;
    state.restore_crowd(run.count_before);
    state.view = state.view.take().or(run.view_before);
    state.notices.tell("stress test stopped; the crowd is restored");
    true
}

/// Adds the newest frame: its time (ms) and its triangles.
pub(super) fn advance(state: &mut AppState, ms: f64, triangles: u64) {
    let Some(run) = &mut state.stress.run else { return };
    let shown = state.shown.scene.as_ref().map_or(0, |s| s.crowd.count() as u32);
    if state.config.scene.count != run.count {
        // The settings returned to a count that fits.
        run.above = Some((run.count, SearchEnd::Room));
    } else if shown != run.count {
        return;
    } else if let Some(median) = run.frame(ms, !state.rig.at_rest()) {
        let max_crowd = MaxCrowd {
            count: run.count,
            ms: median,
            mtris: triangles as f64 / median / 1e3,
            end: SearchEnd::Most,
        };
        let place = state.stress.curve.partition_point(|trial| trial.count < run.count);
        let trial = CrowdSample {
            count: run.count,
            ms: median,
        };
        state.stress.curve.insert(place, trial);
        if run.begins {
            state.stress.empty_ms = Some(median);
        }
        if median <= state.stress.target_ms {
            run.below = Some(max_crowd);
        } else if run.count == *COUNT.start() {
            run.below = Some(max_crowd);
            run.above = Some((run.count, SearchEnd::Least));
        } else {
            run.above = Some((run.count, SearchEnd::Time));
        }
    } else {
        return;
    }
    match run.following() {
        Some(next) => {
            (run.count, run.waited) = (next, 0);
            run.frames.clear();
            state.config.scene.count = next;
        }
        None => finish(state),
    }
}

fn finish(state: &mut AppState) {
    let Some(run) = state.stress.run.take() else { return };
    state.config.window.vsync = run.vsync_before;
    let end = run.above.map_or(SearchEnd::Most, |(_, end)| end);
    let found = run.below.filter(|_| end != SearchEnd::Least);
    match found {
        Some(max_crowd) => state.config.scene.count = max_crowd.count,
        None => state.restore_crowd(run.count_before),
    }
    if found.is_none() {
        state.view = state.view.take().or(run.view_before);
    }
    let Some(below) = run.below else { return };
    let max_crowd = MaxCrowd { end, ..below };
    state.stress.max_crowd = Some(max_crowd);
    state.notices.tell(max_crowd.sentence(state.stress.target_ms));
}

impl MaxCrowd {
    /// Sentence for a notice, and for the panel if the target was not met.
    #[must_use]
    pub(super) fn sentence(&self, target_ms: f64) -> String {
        let found = format!(
            "{} in {:.1} ms, {:.0} million triangles per second",
            super::panel::widgets::style::people(self.count.into()),
            self.ms,
            self.mtris
        );
        match self.end {
            SearchEnd::Time => format!("{found}: more would exceed {target_ms:.1} ms"),
            SearchEnd::Room => format!("{found}: more do not fit on this device"),
            SearchEnd::Most => format!("{found}: the maximum count"),
            SearchEnd::Least => format!(
                "the scene with a single person takes {:.1} ms, more than {target_ms:.1} ms",
                self.ms
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search on a simulated machine whose frames take `cost(count)` milliseconds.
    fn search(start: u32, cost: impl Fn(u32) -> f64) -> (StressRun, usize) {
        let mut run = StressRun {
            vsync_before: true,
            count_before: start,
            view_before: Some("street".into()),
            begins: false,
            count: start,
            above: None,
            below: None,
            waited: 0,
            frames: Vec::new(),
        };
        for trial in 1..100 {
            let (count, ms) = (run.count, cost(run.count));
            if ms <= 16.7 {
                run.below = Some(MaxCrowd {
                    count,
                    ms,
                    mtris: 0.0,
                    end: SearchEnd::Time,
                });
            } else {
                run.above = Some((count, SearchEnd::Time));
            }
            match run.next() {
                Some(next) => run.count = next,
                None => return (run, trial),
            }
        }
        panic!("no end");
    }

    #[test]
    fn the_max_crowd_is_found_from_below_and_from_above() {
        for start in [1, 100, 50_000, 10_000_000] {
            let (run, trials) = search(start, |count| 1.0 + f64::from(count) / 1000.0);
            let max_crowd = run.below.expect("a maximum").count;
            assert!((14_900..=15_700).contains(&max_crowd), "from {start}: {max_crowd}");
            assert!(trials < 40, "{trials} trials");
        }
    }

    #[test]
    fn a_fast_machine_ends_at_the_largest_count() {
        let (run, _) = search(2000, |_| 1.0);
        assert_eq!((run.below.map(|k| k.count), run.above), (Some(10_000_000), None));
    }

    #[test]
    fn a_search_that_finds_nothing_restores_the_crowd() {
        let mut state = AppState::new(&crate::app::AppOptions::of(
            crate::config::Config::scene("plaza").expect("embedded"),
        ));
        let before = state.config.scene.count;
        for (below, above) in [
            (Some((1, SearchEnd::Least)), Some((1, SearchEnd::Least))),
            (None, Some((1, SearchEnd::Room))),
        ] {
            let (mut run, _) = search(before, |_| 1.0);
            run.below = below.map(|(count, end)| MaxCrowd {
                count,
                ms: 20.0,
                mtris: 0.0,
                end,
            });
            run.above = above;
            (state.config.scene.count, state.stress.run) = (1, Some(run));
            state.view = None;
            finish(&mut state);
            assert_eq!(
                (state.config.scene.count, state.view.as_deref()),
                (before, Some("street"))
            );
        }
    }

    #[test]
    fn the_camera_stands_still_until_the_crowd_is_restored() {
        let mut state = AppState::new(&crate::app::AppOptions::of(
            crate::config::Config::scene("plaza").expect("embedded"),
        ));
        let before = state.view.clone();
        toggle(&mut state);
        assert!(before.is_some() && state.view.is_none() && state.stress.trying().is_some());
        assert!(abort(&mut state));
        assert_eq!(state.view, before);
    }

    #[test]
    fn the_scene_with_one_person_is_measured_first() {
        let start = |ms: f64| {
            let mut config = crate::config::Config::default();
            (config.scene.characters, config.scene.count) = (vec!["knight".into()], 1);
            let mut state = AppState::showing(config);
            state.config.scene.count = 500;
            toggle(&mut state);
            assert_eq!(state.stress.trying(), Some(1));
            // Frames count once the camera rests.
            (0..=PATIENCE + *FRAMES.end() as u32).for_each(|_| {
                if state.stress.empty_ms.is_none() {
                    advance(&mut state, ms, 1000);
                }
            });
            assert_eq!(state.stress.empty_ms, Some(ms));
            state
        };
        let quick = start(2.0);
        assert_eq!((quick.stress.trying(), quick.config.scene.count), (Some(500), 500));
        let slow = start(640.0);
        assert_eq!(
            (slow.stress.trying(), slow.config.scene.count),
            (None, 500),
            "no crowd can be quicker"
        );
        let end = slow.stress.max_crowd.map(|found| (found.end, found.ms));
        assert_eq!(end, Some((SearchEnd::Least, 640.0)));
    }

    #[test]
    fn warm_up_frames_do_not_count() {
        let (mut run, _) = search(10, |_| 1.0);
        (run.waited, run.frames) = (0, Vec::new());
        (0..WARM_UP).for_each(|_| assert_eq!(run.frame(500.0, false), None));
        let median = (0..50).find_map(|_| run.frame(2.0, false));
        assert_eq!(median, Some(2.0));
    }
}
