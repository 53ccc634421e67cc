//! Autotune key: the settings that decide which rasterizer is faster, and the timer until they have settled.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    app::state::AppState,
    config::{Layout, Raster, RenderConfig},
    render::resources::AtlasSource,
};

/// Time without a change after which settings count as settled: no slider or window is being dragged.
const SETTLED: Duration = Duration::from_millis(1500);
/// Factor between counts up to which a result stays valid.
const ALIKE: f64 = 1.5;

/// Scene and settings for which both rasterizers are timed. The camera is left out: it moves all the time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AutotuneKey {
    /// Name of the scene, characters and layout.
    scene: (String, Vec<PathBuf>, Layout),
    /// Number of people on the screen.
    people: usize,
    /// Size of the picture (px).
    size: (u32, u32),
    /// Render settings: technique, format, samples, detail, culling.
    render: RenderConfig,
    /// Where the atlas is read from.
    source: AtlasSource,
    /// Shadows are on.
    shadows: bool,
}

impl AutotuneKey {
    /// Key of the scene shown; `None` before one is loaded.
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

    /// True if a result for one key holds for the other.
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

/// Current key, and the time since which it has not changed.
#[derive(Debug, Default)]
pub(super) struct SettleTimer(Option<(AutotuneKey, Instant)>);

impl SettleTimer {
    /// Updates the key at a time; true once it has stayed unchanged for long enough.
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
