//! State of the screen: the scene shown and the one being loaded.

use std::sync::Arc;

use crate::{
    app::state::{expensive::SceneCost, profile::HistorySummary, view::PictureView},
    config::{BakeConfig, Group, SceneConfig},
    render::{Culling, stats::FrameStats},
    scene::Scene,
};

/// State of the screen, for the panel.
#[derive(Default)]
pub(in crate::app) struct ScreenState {
    /// Scene drawn; `None` before the first is loaded.
    pub scene: Option<Arc<Scene>>,
    /// Settings of the scene drawn.
    pub made_of: Option<(SceneConfig, BakeConfig)>,
    /// Distinct clip names of all characters.
    pub clips: Vec<String>,
    /// Distinct socket names of all characters.
    pub sockets: Vec<String>,
    /// Groups with their number of people.
    pub groups: Vec<(Group, usize)>,
    /// Statistics of a recent frame.
    pub stats: FrameStats,
    /// Medians and percentiles of recent frames.
    pub summary: HistorySummary,
    /// Measured cost of a frame, for estimates.
    pub cost: Option<SceneCost>,
    /// Projection of the newest frame.
    pub picture: Option<PictureView>,
    /// Reason why vsync cannot be switched off; `None` if it can.
    pub vsync_fixed: Option<String>,
}

/// Switches for inspecting LODs, culling and overdraw.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::app) struct Inspect {
    /// Kinds of culling that stay on.
    pub culling: Culling,
    /// Colour people by LOD.
    pub lods: bool,
    /// Show the overdraw map: how often every pixel is shaded.
    pub overdraw: bool,
    /// Freeze culling: keep the draw lists of now.
    pub frozen: bool,
}

/// Progress of the loader.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) struct Loading {
    /// Text about what is loading: people or characters.
    pub what: String,
    /// Share of people placed so far, 0 to 1; `None` before placement begins.
    pub share: Option<f32>,
}
