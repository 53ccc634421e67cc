//! `[[scene.heroes]]`: people of the crowd who are posed live from the start.

use serde::{Deserialize, Serialize};

/// One entry: the people nearest to a point, and what they do in addition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeroConfig {
    /// Point (m) whose nearest people are chosen at the moment `from`.
    pub at: [f32; 3],
    /// How many, 1..=1000.
    pub count: u32,
    /// Only members of this group; empty: of any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Seconds at which they are taken over, 0..=1000000.
    pub from: f64,
    /// Seconds at which they are handed back to the baked crowd; none: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Seconds that taking over and handing back last each, 0..=5.
    pub fade: f32,
    /// Target of their heads.
    pub look: LookTarget,
    /// For [`LookTarget::Point`]: metres.
    pub look_at: [f32; 3],
    /// Clips over parts of the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerConfig>,
}

/// Target that a head turns to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LookTarget {
    /// As animated.
    #[default]
    Ahead,
    /// The camera.
    Camera,
    /// `look_at`.
    Point,
}

/// One of `layers` of a hero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LayerConfig {
    /// Clip; a character that lacks it ignores the layer.
    pub clip: String,
    /// The joint whose subtree it moves; empty: the upper body.
    pub joint: String,
    /// Share, 0..=1.
    pub weight: f32,
    /// Playback, -8..=8.
    pub speed: f32,
    /// Seconds into the clip at which it begins, 0..=1000000; none: endless clips anywhere, each person elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f32>,
    /// Seconds at which it begins; none: with the hero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Seconds at which it ends; none: with the hero.
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
