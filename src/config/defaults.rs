//! Defaults of settings, but for those of sections that declare theirs: the plaza scene. `config/default.toml` documents
//! them with units and ranges.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    atlas::placement::DEFAULT_PERCENT,
    config::{
        AttachmentConfig, BakeConfig, CameraConfig, GroundContact, Layout, SceneConfig, TintConfig, TrajectoryConfig,
        WindowConfig,
    },
};

impl Default for SceneConfig {
    fn default() -> Self {
        Self {
            name: "plaza".to_owned(),
            caption: "A late morning on the square.".to_owned(),
            characters: Vec::new(),
            weights: Vec::new(),
            animations: Vec::new(),
            joint_map: PathBuf::new(),
            hide: Vec::new(),
            joint_roles: BTreeMap::new(),
            turn: None,
            count: 2000,
            seed: 1,
            layout: Layout::Plaza,
            spacing: 1.6,
            ground_contact: GroundContact::Feet,
            speed: 1.0,
            speed_spread: 0.1,
            scale_spread: 0.06,
            width_scale_spread: 0.12,
            clips: BTreeMap::new(),
            groups: BTreeMap::new(),
            tints: TintConfig::default(),
            trajectories: TrajectoryConfig::default(),
            heroes: Vec::new(),
            paths: Vec::new(),
        }
    }
}

impl Default for AttachmentConfig {
    fn default() -> Self {
        Self {
            mesh: "flag".to_owned(),
            socket: "hand_r".to_owned(),
            share: 1.0,
            turn: [0.0; 3],
            shift: [0.0; 3],
        }
    }
}

impl Default for CameraConfig {
    fn default() -> Self {
        Self {
            start: "overview".to_owned(),
            fov: 45.0,
            min_aspect: 0.0,
            views: BTreeMap::new(),
            path: Vec::new(),
        }
    }
}

impl Default for BakeConfig {
    fn default() -> Self {
        Self {
            rate: 0.0,
            max_error: DEFAULT_PERCENT,
        }
    }
}

impl Default for WindowConfig {
    fn default() -> Self {
        Self {
            width: 1600,
            height: 900,
            vsync: true,
            panel: true,
        }
    }
}
