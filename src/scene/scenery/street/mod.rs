//! Streets along a path through a city: road with kerbs and barriers, a gate at its start, houses, trees and lamps.

pub(super) mod houses;
mod road;

use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::{
    atlas::FramePlacement,
    character::Character,
    config::SceneConfig,
    crowd::{Instance, hash::Draws},
    model::linear_from_srgb,
    scene::{
        PlacedScenery, SceneError,
        layouts::{Course, Side},
        open_model,
        scenery::standing,
    },
};

/// Hash salt of the random numbers of this folder.
const SALT: u32 = 0x57_4ee7;
/// Radius of the square (m).
const SQUARE: f32 = 36.0;
/// Distance from tree to tree (m).
const TREES: f32 = 23.0;

/// Makes the scenery along the path of a scene.
///
/// # Errors
/// A defect of an embedded asset.
pub(super) fn street(scene: &SceneConfig) -> Result<Vec<PlacedScenery>, SceneError> {
    let course = Course::of(scene);
    let houses = houses::place_houses(&course, scene.seed);
    let (trees, lamps) = alleys(&course, scene.seed);
    let placed = |name: &str, instances| -> Result<PlacedScenery, SceneError> {
        let character = Arc::new(Character::from_opened(open_model(name)?, FramePlacement::default())?);
        Ok(PlacedScenery { character, instances })
    };
    Ok(vec![
        standing(road::model(&course))?,
        standing(houses::model(&houses, scene.seed))?,
        placed("tree", trees)?,
        placed("lamp", lamps)?,
    ])
}

/// True if a square and its trees lie clear of the path and its houses.
pub(super) fn holds_square(scene: &SceneConfig) -> bool {
    let course = Course::of(scene);
    course.distance(Vec2::ZERO) > course.pavement() + houses::ROOM + SQUARE
}

/// Alternating trees and lamps along the outer edges of pavements.
fn alleys(course: &Course, seed: u64) -> (Vec<Instance>, Vec<Instance>) {
    let (mut trees, mut lamps) = (Vec::new(), Vec::new());
    for side in Side::ALL {
        let offset = course.pavement() + 0.4;
        let line = course.line(side.sign() * offset);
        let count = (line.length / TREES) as u32;
        for i in 0..2 * count {
            let spot = line.at((i as f32 + 0.5) * 0.5 * line.length / count as f32);
            // Inside bends the offset line comes too near to the path.
            if course.distance(spot.ground) < offset - 0.3 {
                continue;
            }
            let draws = Draws::new(seed, SALT ^ side as u32, i);
            let place = Instance::new(ground(spot.ground));
            if i % 2 == 0 {
                trees.push(place.with_yaw_scale(draws.unit(0) * std::f32::consts::TAU, 0.9 + 0.35 * draws.unit(1)));
            } else {
                // Lamps face across the path.
                lamps.push(place.with_yaw_scale(spot.yaw - side.sign() * std::f32::consts::FRAC_PI_2, 1.0));
            }
        }
    }
    (trees, lamps)
}

fn ground(point: Vec2) -> Vec3 {
    Vec3::new(point.x, 0.0, point.y)
}

/// Converts an 8-bit sRGB colour to linear.
fn linear(red: u8, green: u8, blue: u8) -> Vec3 {
    let channel = |value: u8| linear_from_srgb(f32::from(value) / 255.0);
    Vec3::new(channel(red), channel(green), channel(blue))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn nothing_stands_where_people_go_or_stand() {
        let scene = Config::scene("marathon").expect("embedded").scene;
        let course = Course::of(&scene);
        let (trees, lamps) = alleys(&course, scene.seed);
        assert!(trees.len() > 40 && lamps.len() > 40);
        for thing in trees.iter().chain(&lamps) {
            let [x, _, z] = thing.position;
            assert!(course.distance(Vec2::new(x, z)) > course.pavement());
        }
        for house in houses::place_houses(&course, scene.seed) {
            for corner in house.corners() {
                assert!(course.distance(corner) > course.pavement() + 1.0, "{corner}");
            }
        }
    }
}
