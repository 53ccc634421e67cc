//! `[[camera.path]]`: keys of a moving camera, for films.

use serde::{Deserialize, Serialize};

use crate::config::validate::ValidationError;

/// One key of the camera's path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraKeyConfig {
    /// Scene time (s); ascending from key to key.
    pub time: f32,
    /// World position (m).
    pub eye: [f32; 3],
    /// World position (m).
    pub target: [f32; 3],
}

/// First contradiction of a path, if any.
pub(crate) fn validation_error(path: &[CameraKeyConfig]) -> Option<ValidationError> {
    let late = path.windows(2).position(|pair| pair[1].time <= pair[0].time);
    if let Some(before) = late {
        let (key, time) = (format!("camera.path.{}.time", before + 1), path[before + 1].time);
        let expected = format!("later than {} s, the key before", path[before].time);
        return Some(ValidationError::new(key, time.to_string(), expected));
    }
    let (number, key) = path.iter().enumerate().find(|(_, key)| key.eye == key.target)?;
    let place = format!("camera.path.{number}.target");
    Some(ValidationError::new(
        place,
        format!("{:?}", key.target),
        "a point other than `eye`",
    ))
}
