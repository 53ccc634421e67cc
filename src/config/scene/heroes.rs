//! `[[scene.heroes]]`: people of the crowd who are posed live from the start.

use serde::{Deserialize, Serialize};

/// One entry: the people nearest to a point, and the layers of motion added to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeroConfig {
    /// Point (m); the people nearest to it at the time `from` are selected.
    pub at: [f32; 3],
    /// Number of people, 1..=1000.
    pub count: u32,
    /// Group that people are selected from; empty: any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Time (s) at which the hero takes over from the baked crowd, 0..=1000000.
    pub from: f64,
    /// Time (s) at which the baked crowd takes over again; none: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Duration of each of both fades (s), 0..=5.
    pub fade: f32,
    /// Target of their heads.
    pub look: LookTarget,
    /// World position (m), for [`LookTarget::Point`].
    pub look_at: [f32; 3],
    /// Clips that play on parts of the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerConfig>,
}

/// Target that a head turns to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LookTarget {
    /// No target: as animated.
    #[default]
    Ahead,
    /// The camera.
    Camera,
    /// The point `look_at`.
    Point,
}

/// One of `layers` of a hero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LayerConfig {
    /// Clip; a character that lacks it ignores the layer.
    pub clip: String,
    /// Root joint of the subtree that the layer moves; empty: the upper body.
    pub joint: String,
    /// Weight of the layer, 0..=1.
    pub weight: f32,
    /// Playback speed, -8..=8.
    pub speed: f32,
    /// Start time in the clip (s), 0..=1000000; none: a random one for each person in endless clips, else 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f32>,
    /// Time at which the layer begins (s); none: with the hero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Time at which the layer ends (s); none: with the hero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

impl Default for HeroConfig {
    fn default() -> Self {
        Self {
            at: [0.0; 3],
            count: 1,
            group: String::new(),
            from: 0.0,
            until: None,
            fade: 0.5,
            look: LookTarget::Ahead,
            look_at: [0.0; 3],
            layers: Vec::new(),
        }
    }
}

impl Default for LayerConfig {
    fn default() -> Self {
        Self {
            clip: "wave".to_owned(),
            joint: String::new(),
            weight: 1.0,
            speed: 1.0,
            start: None,
            from: None,
            until: None,
        }
    }
}
