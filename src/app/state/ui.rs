//! Panel, overlays and size of the window.

use std::time::Instant;

use crate::app::{AppOptions, panel::WIDTHS, state::action::Tab};

/// Panel, overlays and size of the window.
pub(in crate::app) struct UiState {
    /// The panel is shown.
    pub panel: bool,
    /// Width of the panel (points).
    pub panel_width: f32,
    /// Selected tab of the panel.
    pub tab: Tab,
    /// The list of shortcuts is shown over the picture.
    pub keys: bool,
    /// Scale of the panel relative to the system's.
    pub zoom: f32,
    /// Size of the window when not full screen (px).
    pub windowed: (u32, u32),
    /// The frame of what F12 and films save is shown on request.
    pub shows_frame: bool,
    /// Time until which that frame is shown after a screenshot.
    pub frame_until: Option<Instant>,
}

impl UiState {
    /// State for these options.
    pub(super) fn new(options: &AppOptions) -> Self {
        let window = &options.config.window;
        Self {
            panel: window.panel,
            panel_width: *WIDTHS.start(),
            tab: Tab::default(),
            keys: false,
            zoom: 1.0,
            windowed: (window.width, window.height),
            shows_frame: false,
            frame_until: None,
        }
    }
}
