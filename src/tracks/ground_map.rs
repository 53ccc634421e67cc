//! From places of a file to the world: x stays X, y up the page becomes -Z, and heights begin at the ground.

use glam::{DVec2, Vec3};

use super::{Sample, Tracks};

/// Distance (m) from the world's origin from which on trajectories are moved to it.
const FAR: f64 = 200.0;

/// Map of places and times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundMap {
    /// Subtracted from relative places of samples (m, axes of the file).
    shift: DVec2,
    /// Subtracted from absolute places (m, axes of the file).
    centre: DVec2,
    /// Height of the lowest floor (m); absent if heights are none of floors.
    floor: Option<f32>,
    /// First time of the file (s).
    start: f64,
}

impl GroundMap {
    /// Map of trajectories: the scene's time begins with the first sample; the world's origin is that of the file, or
    /// near its middle where the file's is far away.
    #[must_use]
    pub fn of(tracks: &Tracks) -> Self {
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let (mut floor, mut start) = (f32::INFINITY, f64::INFINITY);
        for sample in &tracks.samples {
            let place = DVec2::new(f64::from(sample.x), f64::from(sample.y));
            (low, high) = (low.min(place), high.max(place));
            floor = floor.min(sample.z);
            start = start.min(sample.time);
        }
        let origin = DVec2::from(tracks.origin);
        let middle = (0.5 * (low + high) + origin).round();
        let centre = if middle.is_finite() && middle.length() > FAR {
            middle
        } else {
            DVec2::ZERO
        };
        Self {
            shift: centre - origin,
            centre,
            floor: (floor.is_finite() && !tracks.z_is_head).then_some(floor),
            start: if start.is_finite() { start } else { 0.0 },
        }
    }

    /// Ground point of a sample, X and Z (m).
    pub(super) fn ground(&self, sample: &Sample) -> DVec2 {
        let place = DVec2::new(f64::from(sample.x), f64::from(sample.y)) - self.shift;
        DVec2::new(place.x, -place.y)
    }

    /// Place of a sample in the world (m).
    #[must_use]
    pub fn world(&self, sample: &Sample) -> Vec3 {
        let ground = self.ground(sample).as_vec2();
        Vec3::new(ground.x, self.height(sample), ground.y)
    }

    /// Ground point of an absolute place of the file, X and Z (m).
    #[must_use]
    pub fn absolute(&self, place: [f64; 2]) -> DVec2 {
        let place = DVec2::from(place) - self.centre;
        DVec2::new(place.x, -place.y)
    }

    /// Absolute place of the file at a ground point, X and Z (m): inverse of [`GroundMap::absolute`].
    #[must_use]
    pub fn place(&self, ground: DVec2) -> [f64; 2] {
        (DVec2::new(ground.x, -ground.y) + self.centre).to_array()
    }

    /// Height of the floor under a sample (m).
    pub(super) fn height(&self, sample: &Sample) -> f32 {
        match self.floor {
            Some(floor) if sample.z.is_finite() => sample.z - floor,
            _ => 0.0,
        }
    }

    /// Time of the file at scene time 0 (s).
    #[must_use]
    pub fn first_time(&self) -> f64 {
        self.start
    }

    /// Scene time of a time of the file (s).
    #[must_use]
    pub fn time(&self, time: f64) -> f64 {
        time - self.start
    }
}
