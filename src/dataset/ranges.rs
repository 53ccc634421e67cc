//! Ranges of the parameters that vary between pictures of a set: a TOML file with pairs of minimum and maximum.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::config::limits;

/// Error in a file of ranges.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct RangesError {
    file: String,
    why: String,
}

/// Minimum and maximum of every parameter that varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ranges {
    /// Number of people.
    pub count: [u32; 2],
    /// Scene time (s).
    pub time: [f64; 2],
    /// Camera.
    pub camera: CameraRanges,
    /// Sun and exposure.
    pub light: LightRanges,
}

/// Ranges of a camera that looks at a person of the crowd.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CameraRanges {
    /// Horizontal distance from the person (m).
    pub distance: [f64; 2],
    /// Height above the person's feet (m).
    pub height: [f64; 2],
    /// Direction from the person to the camera (degrees).
    pub heading: [f64; 2],
    /// Vertical field of view (degrees).
    pub fov: [f64; 2],
}

/// Ranges of sun and exposure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LightRanges {
    /// Elevation above the horizon (degrees).
    pub sun_elevation: [f64; 2],
    /// Azimuth clockwise from north (degrees).
    pub sun_azimuth: [f64; 2],
    /// Exposure (stops).
    pub exposure: [f64; 2],
}

impl Default for Ranges {
    fn default() -> Self {
        Self {
            count: [20, 400],
            time: [0.0, 600.0],
            camera: CameraRanges::default(),
            light: LightRanges::default(),
        }
    }
}

impl Default for CameraRanges {
    fn default() -> Self {
        Self {
            distance: [3.0, 25.0],
            height: [1.4, 8.0],
            heading: [0.0, 360.0],
            fov: [30.0, 60.0],
        }
    }
}

impl Default for LightRanges {
    fn default() -> Self {
        Self {
            sun_elevation: [12.0, 70.0],
            sun_azimuth: [0.0, 360.0],
            exposure: [-0.5, 0.5],
        }
    }
}

impl Ranges {
    /// Parses the text of a file; missing keys keep their defaults.
    ///
    /// # Errors
    /// Text that is not TOML, an unknown key, a range that is reversed or exceeds its limits.
    pub fn parse(file: &str, text: &str) -> Result<Self, RangesError> {
        let wrong = |why: String| RangesError {
            file: file.to_owned(),
            why,
        };
        let ranges: Self = toml::from_str(text).map_err(|error| wrong(error.message().replace('\n', ", ")))?;
        match ranges.validation_error() {
            Some(why) => Err(wrong(why)),
            None => Ok(ranges),
        }
    }

    fn validation_error(&self) -> Option<String> {
        let (camera, light) = (&self.camera, &self.light);
        let count = limits::COUNT;
        let count = f64::from(*count.start())..=f64::from(*count.end());
        let all: [(&str, [f64; 2], RangeInclusive<f64>); 9] = [
            ("count", self.count.map(f64::from), count),
            ("time", self.time, limits::TIME),
            ("camera.distance", camera.distance, 0.5..=1000.0),
            ("camera.height", camera.height, 0.1..=1000.0),
            ("camera.heading", camera.heading, -360.0..=360.0),
            ("camera.fov", camera.fov, limits::FIELD_OF_VIEW),
            ("light.sun_elevation", light.sun_elevation, limits::SUN_ELEVATION),
            ("light.sun_azimuth", light.sun_azimuth, limits::SUN_AZIMUTH),
            ("light.exposure", light.exposure, limits::EXPOSURE),
        ];
        let validation_error = |(key, [least, most], within): &(&str, [f64; 2], RangeInclusive<f64>)| {
            let fits = least <= most && within.contains(least) && within.contains(most);
            (!fits).then(|| {
                let (start, end) = (within.start(), within.end());
                format!("{key} is [{least}, {most}]; give [least, most] within {start} to {end}")
            })
        };
        all.iter().find_map(validation_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_override_ranges_and_errors_are_reported() {
        assert_eq!(Ranges::parse("r.toml", "").expect("empty"), Ranges::default());
        let text = "count = [5, 9]\n[camera]\nfov = [20, 30]\n[light]\nexposure = [0, 0]\n";
        let ranges = Ranges::parse("r.toml", text).expect("well-formed");
        assert_eq!((ranges.count, ranges.camera.fov), ([5, 9], [20.0, 30.0]));
        assert_eq!(ranges.camera.height, CameraRanges::default().height);
        for (wrong, why) in [
            ("count = [9, 5]", "count is [9, 5]"),
            ("count = [0, 5]", "within 1 to 10000000"),
            ("[light]\nsun_elevation = [0, 99]", "light.sun_elevation"),
            ("[camera]\nzoom = [0, 99]", "zoom"),
            ("time = 5", "r.toml"),
        ] {
            let error = Ranges::parse("r.toml", wrong).expect_err("wrong").to_string();
            assert!(error.contains(why) && error.lines().count() == 1, "{error}");
        }
    }
}
