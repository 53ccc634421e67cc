//! Ranges that the keys of a file, the command line and the panel share.

use std::ops::RangeInclusive;

/// Number of instances of a scene.
pub const COUNT: RangeInclusive<u32> = 1..=10_000_000;
/// Default number of people for each of several opened characters: enough to see each of them.
pub const PEOPLE_EACH: u32 = 8;

/// Default number of people for `characters` that are drawn without a scene: one for a lone character.
#[must_use]
pub const fn people_of(characters: usize) -> u32 {
    if characters == 1 {
        1
    } else {
        PEOPLE_EACH * characters as u32
    }
}

/// Maximum height of people for the software rasterizer, in sample rows.
pub const SW_RASTER_MAX_ROWS: RangeInclusive<u32> = 1..=4096;
/// Width or height of a picture or window (px).
pub const EDGE: RangeInclusive<u32> = 16..=16384;
/// Distance between neighbours (m).
pub const SPACING: RangeInclusive<f64> = 0.3..=100.0;
/// Scene time (s): a year.
pub const TIME: RangeInclusive<f64> = 0.0..=31_536_000.0;
/// Elevation of the sun above the horizon (degrees); below 0, dusk.
pub const SUN_ELEVATION: RangeInclusive<f64> = -6.0..=90.0;
/// Azimuth of the sun, clockwise from north (degrees).
pub const SUN_AZIMUTH: RangeInclusive<f64> = 0.0..=360.0;
/// Exposure compensation (stops).
pub const EXPOSURE: RangeInclusive<f64> = -4.0..=4.0;
/// Vertical field of view (degrees).
pub const FIELD_OF_VIEW: RangeInclusive<f64> = 1.0..=120.0;
/// Aspect ratio (width / height) below which pictures keep their horizontal field of view.
pub const MIN_ASPECT: RangeInclusive<f64> = 0.0..=4.0;

/// Weight of a clip, a character, a state or a transition between states.
pub const WEIGHT: RangeInclusive<f64> = 0.0..=1000.0;
/// Share of a group that carries an attachment.
pub const SHARE: RangeInclusive<f64> = 0.0..=1.0;
/// Coordinates of any point (m), or rotation of an attachment (degrees).
pub const COORDINATE: RangeInclusive<f64> = -1e6..=1e6;
/// Length of a behaviour's block (s).
pub const BLOCK: RangeInclusive<f64> = 1.0..=120.0;
/// Time in a state (s).
pub const DWELL: RangeInclusive<f64> = 0.2..=120.0;
/// Duration of a cross-fade (s).
pub const FADE: RangeInclusive<f64> = 0.0..=5.0;
/// Playback speed, relative to the speed as authored.
pub const PLAYBACK: RangeInclusive<f64> = -8.0..=8.0;

/// Range for a single-precision setting.
#[must_use]
pub fn single(range: &RangeInclusive<f64>) -> RangeInclusive<f32> {
    *range.start() as f32..=*range.end() as f32
}
/// Factor on the height up to which a LOD is used; 0: full detail only.
pub const DETAIL: RangeInclusive<f64> = 0.0..=16.0;
