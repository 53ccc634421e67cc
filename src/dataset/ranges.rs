//! Ranges of the parameters that vary between pictures of a set: a TOML file with pairs of minimum and maximum.

use std::{ops::RangeInclusive, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    config::{Ground, Layout, limits},
    dataset::SkyKind,
};

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
    /// Sky, clouds and haze. This range and those below are recorded only where they differ: older sets have none.
    #[serde(skip_serializing_if = "is_usual")]
    pub air: AirRanges,
    /// Lamps and windows at night.
    #[serde(skip_serializing_if = "is_usual")]
    pub night: NightRanges,
    /// Layouts and grounds.
    #[serde(skip_serializing_if = "is_usual")]
    pub place: PlaceRanges,
    /// Pictures behind the people.
    #[serde(skip_serializing_if = "is_usual")]
    pub background: BackgroundRanges,
    /// Roll, distortion, blur and noise.
    #[serde(skip_serializing_if = "is_usual")]
    pub lens: LensRanges,
    /// Characters.
    #[serde(skip_serializing_if = "is_usual")]
    pub cast: CastRanges,
}

fn is_usual<T: Default + PartialEq>(ranges: &T) -> bool {
    *ranges == T::default()
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

/// Ranges of sky, clouds and haze.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AirRanges {
    /// Kinds of light, one of which each picture has.
    pub skies: Vec<SkyKind>,
    /// Share of the sky that clouds cover, 0..=1.
    pub clouds: [f64; 2],
    /// Visibility in haze (m).
    pub visibility: [f64; 2],
}

/// Ranges of the lights of a night.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NightRanges {
    /// Brightness of lamps: 1 is that of a street lamp.
    pub lamps: [f64; 2],
    /// Share of the windows that are lit, 0..=1.
    pub windows: [f64; 2],
}

/// Places, one of which each picture has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlaceRanges {
    /// Layouts of the people.
    pub layouts: Vec<Layout>,
    /// Patterns of the ground.
    pub grounds: Vec<Ground>,
}

/// Pictures behind the people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackgroundRanges {
    /// Folder of pictures (.png, .jpg, .webp) and panoramas (.exr, all around); empty: none.
    pub folder: PathBuf,
}

/// Ranges of lens and sensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LensRanges {
    /// Turn of the picture's content, clockwise (degrees).
    pub roll: [f64; 2],
    /// Distortion: share by which the picture's corners move away from its middle. Negative: barrel.
    pub distortion: [f64; 2],
    /// Standard deviation of the blur (px).
    pub blur: [f64; 2],
    /// Standard deviation of the noise (levels of 8 bits).
    pub noise: [f64; 2],
}

/// Ranges of the characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CastRanges {
    /// Share of each character against the others.
    pub share: [f64; 2],
}

impl Default for AirRanges {
    fn default() -> Self {
        Self {
            skies: vec![
                SkyKind::Day,
                SkyKind::LowSun,
                SkyKind::Overcast,
                SkyKind::Dusk,
                SkyKind::Night,
            ],
            clouds: [0.0, 1.0],
            visibility: [60.0, 1500.0],
        }
    }
}

impl Default for NightRanges {
    fn default() -> Self {
        Self {
            lamps: [0.6, 1.6],
            windows: [0.1, 0.6],
        }
    }
}

impl Default for PlaceRanges {
    fn default() -> Self {
        Self {
            layouts: vec![Layout::Plaza, Layout::Grid, Layout::Ring, Layout::Scatter],
            grounds: vec![Ground::Plaza, Ground::Grass, Ground::Grid],
        }
    }
}

impl Default for LensRanges {
    fn default() -> Self {
        Self {
            roll: [-8.0, 8.0],
            distortion: [-0.1, 0.03],
            blur: [0.0, 1.2],
            noise: [0.0, 6.0],
        }
    }
}

impl Default for CastRanges {
    fn default() -> Self {
        Self { share: [0.1, 1.0] }
    }
}

impl Default for Ranges {
    fn default() -> Self {
        Self {
            count: [20, 400],
            time: [0.0, 600.0],
            camera: CameraRanges::default(),
            light: LightRanges::default(),
            air: AirRanges::default(),
            night: NightRanges::default(),
            place: PlaceRanges::default(),
            background: BackgroundRanges::default(),
            lens: LensRanges::default(),
            cast: CastRanges::default(),
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
        let all: [(&str, [f64; 2], RangeInclusive<f64>); 18] = [
            ("count", self.count.map(f64::from), count),
            ("time", self.time, limits::TIME),
            ("camera.distance", camera.distance, 0.5..=1000.0),
            ("camera.height", camera.height, 0.1..=1000.0),
            ("camera.heading", camera.heading, -360.0..=360.0),
            ("camera.fov", camera.fov, limits::FIELD_OF_VIEW),
            ("light.sun_elevation", light.sun_elevation, limits::SUN_ELEVATION),
            ("light.sun_azimuth", light.sun_azimuth, limits::SUN_AZIMUTH),
            ("light.exposure", light.exposure, limits::EXPOSURE),
            ("air.clouds", self.air.clouds, 0.0..=1.0),
            ("air.visibility", self.air.visibility, 5.0..=100_000.0),
            ("night.lamps", self.night.lamps, 0.0..=10.0),
            ("night.windows", self.night.windows, 0.0..=1.0),
            ("lens.roll", self.lens.roll, -180.0..=180.0),
            ("lens.distortion", self.lens.distortion, -0.12..=0.3),
            ("lens.blur", self.lens.blur, 0.0..=50.0),
            ("lens.noise", self.lens.noise, 0.0..=128.0),
            ("cast.share", self.cast.share, 0.001..=1000.0),
        ];
        let empty = [
            ("air.skies", self.air.skies.is_empty()),
            ("place.layouts", self.place.layouts.is_empty()),
            ("place.grounds", self.place.grounds.is_empty()),
        ];
        if let Some((key, _)) = empty.iter().find(|(_, is_empty)| *is_empty) {
            return Some(format!("{key} is empty; name one at least"));
        }
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
        // Records of older sets have these keys alone.
        let recorded = serde_json::to_value(Ranges::default()).expect("JSON");
        let keys: Vec<&String> = recorded.as_object().expect("a table").keys().collect();
        assert_eq!(keys, ["count", "time", "camera", "light"]);
        for (wrong, why) in [
            ("count = [9, 5]", "count is [9, 5]"),
            ("count = [0, 5]", "within 1 to 10000000"),
            ("[light]\nsun_elevation = [0, 99]", "light.sun_elevation"),
            ("[camera]\nzoom = [0, 99]", "zoom"),
            ("time = 5", "r.toml"),
            ("[lens]\nblur = [2, 1]", "lens.blur"),
            ("[air]\nskies = []", "air.skies is empty"),
            ("[air]\nskies = [\"storm\"]", "storm"),
        ] {
            let error = Ranges::parse("r.toml", wrong).expect_err("wrong").to_string();
            assert!(error.contains(why) && error.lines().count() == 1, "{error}");
        }
    }
}
