//! `[camera]`: the first view, and named views.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::{CameraKeyConfig, Kind, keys::number, limits, section::section};

section! {
    /// `[camera]`.
    ["camera"] CameraConfig

    /// Initial view: one of [camera.views], or "overview", "street", "close", "top" or "plan".
    start: String = "overview".to_owned(), Kind::Text, "";

    /// Vertical field of view.
    fov: f32 = 45.0, number(&limits::FIELD_OF_VIEW), "degrees";

    /// Ratio of width to height that views are composed for. Narrower pictures have a wider lens, and show as much
    /// from left to right as one of this shape. Windows narrower than 1.4 do so anyway, and the scenes that they save.
    min_aspect: f32 = 0.0, number(&limits::MIN_ASPECT), "";

    tables {
        /// Named views of this scene; they override built-in views of the same name.
        views: BTreeMap<String, ViewConfig>;
        /// Keys of the view [`CAMERA_PATH`], which moves with the scene's time; empty: there is no such view.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        path: Vec<CameraKeyConfig>;
    }
}

/// Name of the view that follows `[[camera.path]]`.
pub const CAMERA_PATH: &str = "path";

/// `[camera.views.NAME]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewConfig {
    /// World position (m).
    pub eye: [f32; 3],
    /// World position (m).
    pub target: [f32; 3],
    /// Scene time (s) of pictures that start with this view: [`limits::TIME`]; none: as the command says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}
