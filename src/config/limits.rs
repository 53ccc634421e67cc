//! Ranges that several doors share: the keys of a file, the command line, the panel.

use std::ops::RangeInclusive;

/// Instances of a scene.
pub const COUNT: RangeInclusive<u32> = 1..=10_000_000;
/// People for each of several characters that are opened, where nobody says how many: each is likely to be seen.
pub const PEOPLE_EACH: u32 = 8;

/// People of so many characters that are drawn without a scene: a character alone is one.
#[must_use]
pub const fn people_of(characters: usize) -> u32 {
    if characters == 1 {
        1
    } else {
        PEOPLE_EACH * characters as u32
    }
}

/// Rows up to which people are drawn by the software rasterizer.
pub const SW_RASTER_MAX_ROWS: RangeInclusive<u32> = 1..=4096;
/// Edge of a picture or window, pixels.
pub const EDGE: RangeInclusive<u32> = 16..=16384;
/// Metres between neighbours.
pub const SPACING: RangeInclusive<f64> = 0.3..=100.0;
/// Scene time (s): a year.
pub const TIME: RangeInclusive<f64> = 0.0..=31_536_000.0;
/// Degrees of the sun above the horizon; below it, dusk.
pub const SUN_ELEVATION: RangeInclusive<f64> = -6.0..=90.0;
/// Degrees of the sun clockwise from north.
pub const SUN_AZIMUTH: RangeInclusive<f64> = 0.0..=360.0;
/// Exposure compensation, stops.
pub const EXPOSURE: RangeInclusive<f64> = -4.0..=4.0;
/// Share of the sky that clouds cover.
pub const CLOUDS: RangeInclusive<f64> = 0.0..=1.0;
/// Vertical field of view (degrees).
pub const FIELD_OF_VIEW: RangeInclusive<f64> = 10.0..=120.0;
/// Width to height below which pictures keep what they show from left to right.
pub const MIN_ASPECT: RangeInclusive<f64> = 0.0..=4.0;

/// Weight of a clip, a character, a state or a way between states.
pub const WEIGHT: RangeInclusive<f64> = 0.0..=1000.0;
/// Share of a group that has a prop.
pub const SHARE: RangeInclusive<f64> = 0.0..=1.0;
/// Absolute coordinate of any point: metres, or degrees of a prop's turn.
pub const COORDINATE: RangeInclusive<f64> = -1e6..=1e6;
/// Seconds of a behaviour's block.
pub const BLOCK: RangeInclusive<f64> = 1.0..=120.0;
/// Seconds in a state.
pub const DWELL: RangeInclusive<f64> = 0.2..=120.0;
/// Seconds of a cross-fade.
pub const FADE: RangeInclusive<f64> = 0.0..=5.0;
/// Playback speed, times as authored.
pub const PLAYBACK: RangeInclusive<f64> = -8.0..=8.0;

/// Range for a single-precision setting.
#[must_use]
pub fn single(range: &RangeInclusive<f64>) -> RangeInclusive<f32> {
    *range.start() as f32..=*range.end() as f32
}
/// Factor on the height up to which LODs serve; 0: full detail only.
pub const DETAIL: RangeInclusive<f64> = 0.0..=16.0;
