//! Confirmation of expensive crowds: if a frame would take seconds, the user must agree first.

use std::path::PathBuf;

use crate::{
    app::{
        panel::widgets::style::grouped,
        state::{AppState, profile::HistorySummary},
    },
    config::{Layout, SceneConfig},
    render::Pass,
};

/// Estimated frame time (s) from which the user must agree.
const LONG: f64 = 3.0;

/// Measured cost of the present crowd, used to estimate that of another count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    people: u32,
    /// GPU memory of the people (bytes).
    bytes: u64,
    /// Frame time proportional to the number of people (ms).
    growing: f64,
    /// Constant rest of the frame time (ms).
    rest: f64,
}

impl Cost {
    /// Cost from the medians of a crowd of `people` with GPU memory `bytes`; `None` before a frame was measured.
    pub(crate) fn of(summary: &HistorySummary, people: u32, bytes: u64) -> Option<Self> {
        let frame = summary.frame.median;
        if frame <= 0.0 || people == 0 {
            return None;
        }
        let pass = |pass| summary.gpu.get(&pass).map_or(0.0, |summary| summary.median);
        let of_people = [
            Pass::Animate,
            Pass::Crowd,
            Pass::OcclusionCull,
            Pass::Far,
            Pass::Preskin,
            Pass::SwRaster,
            Pass::Select,
            Pass::Shadow,
            Pass::TriangleCull,
            Pass::TriangleCullFar,
            Pass::SwShadow,
        ];
        let growing = match summary.gpu.is_empty() {
            true => frame,
            false => of_people.into_iter().map(pass).sum(),
        };
        let rest = (frame - growing).max(0.0);
        Some(Self {
            people,
            bytes,
            growing,
            rest,
        })
    }

    /// Estimated frame time of `count` people (s).
    #[must_use]
    fn seconds(&self, count: u32) -> f64 {
        let times = f64::from(count) / f64::from(self.people);
        (self.rest + self.growing * times) * 1e-3
    }

    /// Estimated GPU memory of `count` people (bytes).
    #[must_use]
    fn memory(&self, count: u32) -> u64 {
        self.bytes / u64::from(self.people) * u64::from(count)
    }
}

/// Settings that the cost of a person depends on, but for the technique.
#[derive(Clone, Debug, PartialEq)]
struct SceneKind {
    name: String,
    layout: Layout,
    characters: Vec<PathBuf>,
    weights: Vec<f32>,
}

impl SceneKind {
    fn of(scene: &SceneConfig) -> Self {
        Self {
            name: scene.name.clone(),
            layout: scene.layout,
            characters: scene.characters.clone(),
            weights: scene.weights.clone(),
        }
    }
}

/// Cost measured in the frames of one scene.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SceneCost {
    cost: Cost,
    scene: SceneKind,
}

impl SceneCost {
    /// True if the cost was measured in this scene, with any number of people.
    fn is_of(&self, scene: &SceneConfig) -> bool {
        self.scene == SceneKind::of(scene)
    }
}

/// Number of people that measure the cost of a large start.
const FIRST: u32 = 300;
/// Count from which a start on a CPU adapter is measured first.
const MANY: u32 = 5000;

/// Requested crowd that needs the user's agreement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExpensiveScene {
    /// Number of people.
    pub count: u32,
    /// Estimated frame time (s).
    pub seconds: f64,
    /// Estimated GPU memory (bytes).
    pub bytes: u64,
}

impl AppState {
    /// True if the requested crowd may be built: its frames are quick enough, or the user agreed. False for invalid
    /// settings.
    pub(in crate::app) fn may_build(&mut self) -> bool {
        self.resume_deferred();
        self.check_scene();
        if self.invalid_setting().is_some() {
            self.load.expensive = None;
            return false;
        }
        let count = self.config.scene.count;
        let shown = self
            .shown
            .scene
            .as_ref()
            .map_or(u32::MAX, |scene| scene.crowd.count() as u32);
        let measured = self.shown.cost.as_ref();
        let seconds = measured.map_or(0.0, |measured| measured.cost.seconds(count));
        let fine = count <= shown.max(self.load.agreed) || seconds < LONG || self.stress.trying().is_some();
        let bytes = measured.map_or(0, |measured| measured.cost.memory(count));
        let is_own = measured.is_none_or(|measured| measured.is_of(&self.config.scene));
        self.load.expensive = (!fine && is_own).then_some(ExpensiveScene { count, seconds, bytes });
        if !fine && !is_own {
            self.measure_first(count);
        }
        fine || !is_own
    }

    /// Requests few people of another scene, whose own frames then tell the cost of `count`.
    fn measure_first(&mut self, count: u32) {
        let first = FIRST.min(count);
        if first < count {
            self.load.deferred = Some(count);
            self.config.scene.count = first;
            self.notices.tell(format!(
                "{first} people first, to estimate the cost of {}",
                grouped(count.into())
            ));
        }
    }

    /// Stores the cost of the scene on the screen. The viewer's single person says nothing about a crowd.
    pub(in crate::app) fn note_cost(&mut self, cost: Cost) {
        if self.character.viewer.is_on() {
            return;
        }
        let scene = { self.shown.made_of.as_ref() }.map_or(&self.config.scene, |(scene, _)| scene);
        let scene = SceneKind::of(scene);
        self.shown.cost = Some(SceneCost { cost, scene });
    }

    /// Starts a large crowd of unknown cost with few people to measure first. Returns their number.
    pub(in crate::app) fn defer_large_count(&mut self) -> Option<u32> {
        if self.config.scene.count < MANY || self.shown.scene.is_some() {
            return None;
        }
        self.load.deferred = Some(std::mem::replace(&mut self.config.scene.count, FIRST));
        Some(FIRST)
    }

    /// Requests the deferred count once a frame was measured, unless the count was changed meanwhile.
    fn resume_deferred(&mut self) {
        if self.config.scene.count != FIRST {
            self.load.deferred = None;
        }
        let is_measured = |measured: &SceneCost| measured.is_of(&self.config.scene);
        if self.shown.cost.as_ref().is_some_and(is_measured)
            && let Some(count) = self.load.deferred.take()
        {
            self.config.scene.count = count;
        }
    }

    /// Agrees to the expensive crowd.
    pub(in crate::app) fn agree(&mut self) {
        self.load.agreed = self
            .load
            .expensive
            .take()
            .map_or(self.load.agreed, |expensive| expensive.count);
    }

    /// Requests a count that was shown before, which needs no agreement.
    pub(in crate::app) fn restore_crowd(&mut self, count: u32) {
        self.load.agreed = self.load.agreed.max(count);
        self.config.scene.count = count;
    }

    /// Keeps the crowd shown; false if no agreement was pending.
    pub(in crate::app) fn decline(&mut self) -> bool {
        let Some(scene) = self.load.expensive.take().and(self.shown.scene.as_ref()) else {
            return false;
        };
        self.config.scene.count = scene.crowd.count() as u32;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        app::AppOptions,
        config::Config,
        measure::Summary,
        scene::{Scene, StartupTimes},
    };

    fn summary(frame: f64, passes: &[(Pass, f64)]) -> HistorySummary {
        let of = |median| Summary {
            median,
            ..Summary::default()
        };
        HistorySummary {
            frame: of(frame),
            gpu: passes.iter().map(|(pass, ms)| (*pass, of(*ms))).collect(),
            ..HistorySummary::default()
        }
    }

    #[test]
    fn estimated_costs_grow_with_people_not_with_pixels() {
        let passes = [(Pass::Crowd, 20.0), (Pass::Shadow, 10.0), (Pass::Background, 60.0)];
        let cost = Cost::of(&summary(100.0, &passes), 100, 6400).expect("measured");
        assert!((cost.seconds(1000) - 0.37).abs() < 1e-9);
        assert!((cost.seconds(1_000_000) - 300.07).abs() < 1e-6, "shadows, too");
        assert_eq!(cost.memory(1_000_000), 64_000_000);
        assert_eq!(Cost::of(&summary(0.0, &[]), 100, 6400), None);
    }

    #[test]
    fn expensive_crowds_need_confirmation() {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 5;
        let mut state = AppState::showing(config);
        state.note_cost(Cost::of(&summary(100.0, &[]), 5, 5 * 64).expect("measured"));
        state.config.scene.count = 100;
        assert!(state.may_build() && state.load.expensive.is_none());
        state.config.scene.count = 1_000_000;
        assert!(!state.may_build());
        assert!(
            state
                .load
                .expensive
                .is_some_and(|expensive| (expensive.seconds - 20_000.0).abs() < 1.0)
        );
        assert!(state.decline() && !state.decline());
        assert_eq!(state.config.scene.count, 5);
        state.config.scene.count = 1_000_000;
        assert!(!state.may_build());
        state.agree();
        assert!(state.may_build() && state.load.expensive.is_none());
        state.config.scene.count = 2_000_000;
        assert!(!state.may_build());
        state.restore_crowd(2_000_000);
        assert!(
            state.may_build() && state.load.expensive.is_none(),
            "it was shown before"
        );
    }

    #[test]
    fn a_large_start_measures_a_small_crowd_first() {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 1_000_000;
        let mut state = AppState::new(&AppOptions::of(config.clone()));
        assert_eq!(state.defer_large_count(), Some(FIRST));
        assert!(state.may_build() && state.config.scene.count == FIRST);
        config.scene.count = FIRST;
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
        state.show(Arc::new(scene), false);
        assert!(state.may_build() && state.config.scene.count == FIRST, "not measured");
        state.note_cost(Cost::of(&summary(300.0, &[]), FIRST, 64).expect("measured"));
        assert!(!state.may_build() && state.config.scene.count == 1_000_000);
        assert!(state.load.expensive.is_some_and(|expensive| expensive.seconds > 900.0));
        assert!(state.decline() && state.may_build());
        assert_eq!((state.config.scene.count, state.defer_large_count()), (FIRST, None));
    }

    #[test]
    fn another_scene_is_measured_by_its_own_frames() {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 5;
        let mut state = AppState::showing(config);
        state.note_cost(Cost::of(&summary(1000.0, &[]), 5, 5 * 64).expect("measured"));
        (state.config.scene.layout, state.config.scene.count) = (Layout::Grid, 2000);
        assert!(
            state.may_build() && state.load.expensive.is_none(),
            "no question by the frames of another scene"
        );
        assert_eq!((state.config.scene.count, state.load.deferred), (FIRST, Some(2000)));
        assert!(
            state.may_build() && state.config.scene.count == FIRST,
            "not measured yet"
        );
        state.note_cost(Cost::of(&summary(30.0, &[]), FIRST, 64).expect("measured"));
        assert!(state.may_build() && state.load.expensive.is_none());
        assert_eq!((state.config.scene.count, state.load.deferred), (2000, None));
    }
}
