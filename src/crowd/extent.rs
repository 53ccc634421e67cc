//! The extent of a crowd, which cameras need to frame it.

use glam::Vec3;

use crate::model::Bounds;

/// Number of places in [`SamplePlaces`].
const PLACES: usize = 64;

/// Ground points (m) that stand for everybody's: those of people at equal steps of the layout's order, or of all people
/// in turn if they are fewer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplePlaces([Vec3; PLACES]);

impl SamplePlaces {
    /// Every person at the origin.
    pub(crate) const ORIGIN: Self = Self([Vec3::ZERO; PLACES]);

    /// The places.
    #[must_use]
    pub fn as_slice(&self) -> &[Vec3] {
        &self.0
    }

    /// The places moved by a vector (m).
    #[must_use]
    pub fn moved(self, by: Vec3) -> Self {
        Self(self.0.map(|place| place + by))
    }
}

/// Extent of a crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdExtent {
    /// Lowest corner of the box around all feet, world space (m).
    pub min: Vec3,
    /// Highest corner of the box around all feet, world space (m).
    pub max: Vec3,
    /// Height of the tallest character (m).
    pub height: f32,
    /// Horizontal size of the widest character (m); 0 for people of normal build.
    pub width: f32,
    /// Number of instances.
    pub count: u32,
    /// Where people stand.
    pub places: SamplePlaces,
    /// Ground point of the person that close views show, the first of the layout (m).
    pub subject: Vec3,
    /// Heading of that person (radians about +Y): 0 faces +Z.
    pub subject_yaw: f32,
    /// Additional turn of close views around that person (radians).
    pub close_turn: f32,
    /// Factor on the default distance of close views.
    pub close_distance: f32,
    /// Additional turn of street views around the crowd (radians).
    pub street_turn: f32,
    /// Elevation of the overview's camera (radians) if it is to show everybody at all times; none: as composed for
    /// crowds.
    pub elevation: Option<f32>,
    /// Bounds of a single person over its clip, relative to the ground point, before its heading (m). Empty in a crowd
    /// and if unknown.
    pub reach: Bounds,
}

impl CrowdExtent {
    /// Extent of people up to `height` tall (m). Each is given by the ground point between the feet (m) and the heading
    /// (radians). Close views show the first.
    #[must_use]
    pub fn new(people: impl IntoIterator<Item = (Vec3, f32)>, height: f32) -> Self {
        let mut people = people.into_iter();
        let Some((subject, subject_yaw)) = people.next() else {
            return Self::single(height);
        };
        let (mut min, mut max, mut count) = (subject, subject, 1);
        let mut places = EvenPlaces::beginning_with(subject);
        for (position, _) in people {
            (min, max, count) = (min.min(position), max.max(position), count + 1);
            places.add(position);
        }
        Self {
            min,
            max,
            height,
            width: 0.0,
            count,
            places: places.all(),
            subject,
            subject_yaw,
            close_turn: 0.0,
            close_distance: 1.0,
            street_turn: 0.0,
            elevation: None,
            reach: Bounds::EMPTY,
        }
    }

    /// One person at the origin, facing +Z.
    #[must_use]
    pub const fn single(height: f32) -> Self {
        Self {
            min: Vec3::ZERO,
            max: Vec3::ZERO,
            height,
            width: 0.0,
            count: 1,
            places: SamplePlaces::ORIGIN,
            subject: Vec3::ZERO,
            subject_yaw: 0.0,
            close_turn: 0.0,
            close_distance: 1.0,
            street_turn: 0.0,
            elevation: None,
            reach: Bounds::EMPTY,
        }
    }

    /// Centre of the ground under the crowd (m).
    #[must_use]
    pub fn centre(&self) -> Vec3 {
        (0.5 * (self.min + self.max)).with_y(self.min.y)
    }

    /// Half of the longer horizontal side (m).
    #[must_use]
    pub fn radius(&self) -> f32 {
        let half = 0.5 * (self.max - self.min);
        half.x.max(half.z)
    }

    /// Height from the lowest feet to the highest heads (m).
    #[must_use]
    pub fn full_height(&self) -> f32 {
        self.max.y - self.min.y + self.height
    }
}

/// Between [`PLACES`] and twice as many places at equal steps, or all; the step doubles when they become too many.
struct EvenPlaces {
    kept: Vec<Vec3>,
    step: usize,
    seen: usize,
}

impl EvenPlaces {
    fn beginning_with(first: Vec3) -> Self {
        Self {
            kept: vec![first],
            step: 1,
            seen: 1,
        }
    }

    fn add(&mut self, place: Vec3) {
        if self.seen.is_multiple_of(self.step) {
            self.kept.push(place);
        }
        self.seen += 1;
        if self.kept.len() == 2 * PLACES {
            let halved = self.kept.iter().step_by(2).copied().collect();
            self.kept = halved;
            self.step *= 2;
        }
    }

    fn all(self) -> SamplePlaces {
        let kept = self.kept.len();
        SamplePlaces(std::array::from_fn(|i| {
            if kept < PLACES {
                self.kept[i % kept]
            } else {
                self.kept[i * kept / PLACES]
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_people_at_equal_steps() {
        for count in [1, 2, 63, 64, 65, 127, 128, 200, 100_000] {
            let people = (0..count).map(|i| (Vec3::X * i as f32, 0.0));
            let places = CrowdExtent::new(people, 1.8).places;
            let places = places.as_slice();
            let mean = places.iter().map(|place| place.x).sum::<f32>() / PLACES as f32;
            let middle = 0.5 * (count - 1) as f32;
            assert!(
                (mean - middle).abs() <= 0.02 * count as f32,
                "{count}: {mean} of {middle}"
            );
            assert!(
                places
                    .iter()
                    .all(|place| place.x < count as f32 && place.x.fract() == 0.0)
            );
        }
    }
}
