//! Requested scene: progress, cost and checks until it is shown.

use crate::{
    app::{
        AppOptions,
        invalid_setting::Check,
        state::{expensive::ExpensiveScene, shown::Loading},
    },
    config::LookConfig,
};

/// Requested scene: progress, cost and checks until it is shown.
#[derive(Default)]
pub(in crate::app) struct LoadState {
    /// Progress of the scene being loaded.
    pub loading: Option<Loading>,
    /// Progress of LODs being built, 0 to 1.
    pub lods_share: Option<f32>,
    /// Expensive crowd that needs the user's agreement.
    pub expensive: Option<ExpensiveScene>,
    /// Requested count that waits until few people have measured the cost.
    pub deferred: Option<u32>,
    /// Largest count that the user agreed to.
    pub agreed: u32,
    /// Light and ground of the scene shown, while another one is being built.
    pub held_look: Option<LookConfig>,
    /// Neither scene, count nor character was given; a CPU adapter may start with fewer people.
    pub is_default_scene: bool,
    /// Notice to show with the first picture.
    pub start_notice: Option<String>,
    /// Validation of the requested scene.
    pub check: Check,
}

impl LoadState {
    /// State for these options.
    pub(super) fn new(options: &AppOptions) -> Self {
        Self {
            is_default_scene: options.is_default_scene,
            ..Self::default()
        }
    }
}
