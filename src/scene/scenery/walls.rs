//! Walls around people on trajectories: lines of a plan, raised to a height.

use glam::{DVec2, Vec3, Vec4};

use crate::{
    model::Model,
    scene::scenery::solid::{Solid, SolidStance, material},
};

/// Thickness of a wall (m).
const THICKNESS: f32 = 0.08;
/// Linear colour.
const COLOR: Vec3 = Vec3::new(0.52, 0.54, 0.56);
/// Most pieces; a plan with more is drawn as far as that.
const MOST_PIECES: usize = 200_000;

/// Model of walls along lines on the ground, X and Z (m).
pub(super) fn model(lines: impl Iterator<Item = Vec<DVec2>>, height: f32) -> Model {
    let mut solid = Solid::default();
    let mut pieces = 0;
    for line in lines {
        for pair in line.windows(2) {
            let (from, to) = (pair[0].as_vec2(), pair[1].as_vec2());
            let way = to - from;
            if way.length() < 1e-3 || pieces >= MOST_PIECES {
                continue;
            }
            pieces += 1;
            // Z runs along the wall; ends overlap, so that corners are closed.
            let stance = SolidStance::new(from, way.x.atan2(way.y));
            let half = 0.5 * THICKNESS;
            let corners = [
                Vec3::new(-half, 0.0, -half),
                Vec3::new(half, height, way.length() + half),
            ];
            solid.block(&stance, corners, COLOR, 0);
        }
    }
    solid.model("walls", vec![material("wall", Vec4::ONE, 0.9)])
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;

    #[test]
    fn walls_stand_along_their_lines() {
        let corner = vec![
            DVec2::new(1.0, 2.0),
            DVec2::new(5.0, 2.0),
            DVec2::new(5.0, 2.0),
            DVec2::new(5.0, 9.0),
        ];
        let model = model(std::iter::once(corner), 2.5);
        assert_eq!(model.mesh.indices.len(), 2 * 5 * 6);
        let places = || model.mesh.vertices.iter().map(|vertex| vertex.position);
        let (low, high) = places().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(a, b), p| (a.min(p), b.max(p)));
        assert!((low - Vec3::new(0.96, 0.0, 1.96)).length() < 1e-5, "{low}");
        assert!((high - Vec3::new(5.04, 2.5, 9.04)).length() < 1e-5, "{high}");
        let far = |place: Vec3| {
            let ground = Vec2::new(place.x, place.z);
            let first = (ground.y - 2.0).abs().max(0.0);
            first.min((ground.x - 5.0).abs())
        };
        assert!(places().all(|place| far(place) < THICKNESS));
    }
}
