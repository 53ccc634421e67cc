//! What is on the screen, and what is about to be.

use std::sync::Arc;

use crate::{
    app::state::{expensive::Cost, profile::HistorySummary, view::PictureView},
    config::{BakeConfig, Group, SceneConfig},
    render::stats::FrameStats,
    scene::Scene,
};

/// State of the screen, for the panel.
#[derive(Default)]
pub(in crate::app) struct ScreenState {
    /// The scene drawn; none before the first has been loaded.
    pub scene: Option<Arc<Scene>>,
    /// The settings that it was made of.
    pub made_of: Option<(SceneConfig, BakeConfig)>,
    /// Names of all clips of all characters, each once.
    pub clips: Vec<String>,
    /// Names of all sockets of all characters, each once.
    pub sockets: Vec<String>,
    /// The groups that people belong to, and how many each has.
    pub groups: Vec<(Group, usize)>,
    /// The account of a frame drawn lately.
    pub stats: FrameStats,
    /// Medians and percentiles of the frames drawn lately.
    pub summary: HistorySummary,
    /// Cost of a frame.
    pub cost: Option<Cost>,
    /// How the newest frame was projected.
    pub picture: Option<PictureView>,
    /// Why vsync cannot be switched off, if it cannot.
    pub vsync_fixed: Option<String>,
}

/// Switches for looking at what detail and culling decide, and at what is shaded.
#[derive(Clone, Copy, Debug)]
pub(in crate::app) struct Inspect {
    /// Leave out those outside the view.
    pub outside: bool,
    /// Leave out those behind others.
    pub hidden: bool,
    /// Let the hardware rasterizer see triangles that it need not see.
    pub whole: bool,
    /// Colour people by LOD.
    pub lods: bool,
    /// Show how often every pixel is shaded.
    pub overdraw: bool,
    /// Keep who is drawn.
    pub frozen: bool,
}

impl Default for Inspect {
    fn default() -> Self {
        Self {
            outside: true,
            hidden: true,
            whole: false,
            lods: false,
            overdraw: false,
            frozen: false,
        }
    }
}

/// State of the loader.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) struct Loading {
    /// People or characters.
    pub what: String,
    /// Share of the people that have their places, once they are being placed.
    pub share: Option<f32>,
}
