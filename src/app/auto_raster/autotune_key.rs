//! What decides which rasteriser is faster, and when it has changed for good.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    app::state::AppState,
    config::{Layout, Raster, RenderConfig},
    render::resources::AtlasSource,
};

/// Time without a change after which no slider or window is being dragged.
const SETTLED: Duration = Duration::from_millis(1500);
/// Crowds whose counts are within this factor are alike.
const ALIKE: f64 = 1.5;

/// Scene and settings for which both rasterizers are timed. The camera is left out: it moves all the time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AutotuneKey {
    /// The scene's name, its characters and where they stand.
    scene: (String, Vec<PathBuf>, Layout),
    /// On the screen.
    people: usize,
    /// Pixels.
    size: (u32, u32),
    /// Technique, format, samples, detail, culling.
    render: RenderConfig,
    /// Where the atlas is read from.
    source: AtlasSource,
    /// The shadow pass is wanted.
    shadows: bool,
}

impl AutotuneKey {
    /// Key of the scene that is shown; `None` before there is one.
    pub(super) fn of(state: &AppState) -> Option<Self> {
        let shown = state.shown.scene.as_ref()?;
        let scene = state
            .shown
            .made_of
            .as_ref()
            .map_or(&state.config.scene, |(scene, _)| scene);
        let window = &state.config.window;
        Some(Self {
            scene: (scene.name.clone(), scene.characters.clone(), scene.layout),
            people: shown.crowd.count(),
            size: (window.width, window.height),
            render: RenderConfig {
                raster: Raster::Auto,
                interpolate: true,
                ..state.config.render.clone()
            },
            source: state.source,
            shadows: state.look().shadows,
        })
    }

    /// Whether what was found out for one holds for the other.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let counts = [self.people, other.people].map(|people| people.max(1) as f64);
        let alike = counts[0].max(counts[1]) <= ALIKE * counts[0].min(counts[1]);
        let same = Self {
            people: other.people,
            ..self.clone()
        };
        alike && same == *other
    }
}

/// Since when nothing has changed.
#[derive(Debug, Default)]
pub(super) struct SettleTimer(Option<(AutotuneKey, Instant)>);

impl SettleTimer {
    /// Looks at a moment; whether it has stayed so for long enough.
    pub(super) fn follow(&mut self, now: &AutotuneKey, at: Instant) -> bool {
        match &self.0 {
            Some((before, since)) if before == now => at.duration_since(*since) >= SETTLED,
            _ => {
                self.0 = Some((now.clone(), at));
                false
            }
        }
    }
}
