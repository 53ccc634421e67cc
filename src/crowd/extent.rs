//! The extent of a crowd, which cameras need to frame it.

use glam::Vec3;

use crate::model::Bounds;

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
        let (min, max, count) = people.fold((subject, subject, 1), |(min, max, count), (position, _)| {
            (min.min(position), max.max(position), count + 1)
        });
        Self {
            min,
            max,
            height,
            width: 0.0,
            count,
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
