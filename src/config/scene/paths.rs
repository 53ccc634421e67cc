//! `[[scene.paths]]`: paths along which people walk.

use serde::{Deserialize, Serialize};

use crate::config::validate::ValidationError;

/// Closed line through waypoints, with rounded corners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PathConfig {
    /// Kind of path.
    pub kind: PathKind,
    /// Waypoints, X and Z (m), 3 to 64 of them; the last is joined to the first.
    pub points: Vec<[f32; 2]>,
    /// Corner radius (m), 0..=100; smaller where the sides are too short.
    pub radius: f32,
    /// Number of people on the path, 1..=100000; they come first of the scene's count.
    pub people: u32,
    /// Walking speed of people without a behaviour (m/s), 0.1..=8.
    pub speed: f32,
    /// Number of lanes side by side, 1..=32.
    pub lanes: u32,
    /// Width of a lane (m), 0.5..=10.
    pub lane_width: f32,
    /// Spread of the speed over lanes, 0..=0.9: the leftmost lane is faster by this share, the rightmost one slower.
    pub lane_spread: f32,
}

/// Kinds of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum PathKind {
    /// Closed line through points.
    #[default]
    Waypoints,
}

impl Default for PathConfig {
    fn default() -> Self {
        Self {
            kind: PathKind::Waypoints,
            points: Vec::new(),
            radius: 1.5,
            people: 20,
            speed: 1.3,
            lanes: 1,
            lane_width: 1.2,
            lane_spread: 0.0,
        }
    }
}

impl PathConfig {
    /// First contradiction, if any.
    pub(crate) fn validation_error(&self) -> Option<ValidationError> {
        let validation_error = |expected| ValidationError::new("points", format!("{:?}", self.points), expected);
        let next = self.points.iter().cycle().skip(1);
        if self.points.len() < 3 {
            return Some(validation_error("at least three points [x, z]"));
        }
        let apart = |(a, b): (&[f32; 2], &[f32; 2])| glam::Vec2::from(*a).distance(glam::Vec2::from(*b)) >= 0.1;
        let all_apart = self.points.iter().zip(next).all(apart);
        (!all_apart).then(|| validation_error("consecutive points at least 0.1 m apart"))
    }
}
