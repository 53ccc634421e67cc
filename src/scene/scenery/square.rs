//! Houses around a square, with streets between them where its avenues end.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use glam::Vec2;

use crate::{
    config::SceneConfig,
    crowd::hash::Draws,
    model::Model,
    scene::{
        layouts::plaza_radius,
        scenery::street::houses::{self, House, WIDTH},
    },
};

/// Hash salt of the random numbers of this module.
const SALT: u32 = 0x5_04a2e;
/// Distance from the edge of the crowd to the house fronts: metres, and a share of the radius, since the edge is an
/// estimate.
const PAVEMENT: f32 = 11.0;
const ROOM: f32 = 0.04;
/// Minimum distance of house fronts from the fountain (m): trees need that much.
const NEAREST: u32 = 48;
/// Maximum distance of house fronts (m); a larger crowd has no square.
const FARTHEST: u32 = 190;
/// Step of radii (m): a few more people move no house.
const STEP: u32 = 6;
/// Width of a street (m).
const STREET: f32 = 13.0;

/// Distance of the house fronts from the middle (m). `None` around a crowd that is too large for a square, and where
/// the scene has paths, which may lead anywhere.
pub(super) fn radius(scene: &SceneConfig) -> Option<u32> {
    if !scene.paths.is_empty() {
        return None;
    }
    let needed = (plaza_radius(scene.count as usize, scene.spacing) * (1.0 + ROOM) + PAVEMENT).ceil() as u32;
    let radius = needed.max(NEAREST).next_multiple_of(STEP);
    (radius <= FARTHEST).then_some(radius)
}

/// Model of all houses.
pub(super) fn model(radius: u32, seed: u64) -> Model {
    houses::model(&place_houses(radius, seed), seed)
}

/// Four rows of houses, each from street to street without a gap; their fronts face the middle.
fn place_houses(radius: u32, seed: u64) -> Vec<House> {
    let radius = radius as f32;
    let row = FRAC_PI_2 - STREET / radius;
    let mut all = Vec::new();
    for quarter in 0..4 {
        let widths = widths(row * radius, Draws::new(seed, SALT, quarter));
        let whole: f32 = widths.iter().sum();
        let mut angle = quarter as f32 * FRAC_PI_2 - FRAC_PI_4 + 0.5 * STREET / radius;
        for width in widths {
            let turn = row * width / whole;
            // The front of a house is a chord of the circle.
            let (sin, cos) = (angle + 0.5 * turn).sin_cos();
            let middle = Vec2::new(sin, cos) * radius * (0.5 * turn).cos();
            let front = 2.0 * radius * (0.5 * turn).sin();
            let yaw = angle + 0.5 * turn + PI;
            all.push(House::new(all.len() as u32, middle, yaw, front));
            angle += turn;
        }
    }
    all
}

/// Widths of houses that about fill a row of a length (m), before they are scaled to fill it exactly.
fn widths(length: f32, draws: Draws) -> Vec<f32> {
    let [least, most] = WIDTH;
    let count = (length / (0.5 * (least + most))).round().max(1.0) as u32;
    (0..count).map(|i| least + (most - least) * draws.unit(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn nobody_stands_in_a_house_and_a_great_crowd_has_none() {
        let mut scene = Config::scene("plaza").expect("embedded").scene;
        for count in [2, 300, 2000, 9000] {
            scene.count = count;
            let radius = radius(&scene).expect("a square");
            let people = crate::scene::layouts::place(&scene);
            let farthest = people.iter().map(|p| p.position.length()).fold(0.0, f32::max);
            let houses = place_houses(radius, scene.seed);
            assert!(houses.len() >= 16, "{}", houses.len());
            for corner in houses.iter().flat_map(House::corners) {
                assert!(corner.length() > farthest + 4.0, "{count}: {corner} and {farthest}");
            }
        }
        scene.count = 200_000;
        assert_eq!(radius(&scene), None);
    }

    #[test]
    fn rows_have_no_gap_and_leave_four_streets() {
        let radius = 60.0;
        let houses = place_houses(60, 7);
        let gaps = (houses.iter().zip(houses.iter().cycle().skip(1))).map(|(a, b)| {
            // The front's right corner, and the next one's left.
            a.corners()[1]
                .distance(b.corners()[0])
                .min(a.corners()[0].distance(b.corners()[1]))
        });
        let gaps: Vec<f32> = gaps.collect();
        let streets = gaps.iter().filter(|gap| **gap > 10.0).count();
        assert_eq!(streets, 4, "{gaps:?}");
        assert!(gaps.iter().all(|gap| *gap < 0.01 || *gap > 10.0), "{gaps:?}");
        for house in &houses {
            let [left, right, ..] = house.corners();
            assert!((left.length() - radius).abs() < 0.01 && (right.length() - radius).abs() < 0.01);
        }
    }
}
