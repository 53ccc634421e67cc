//! Plain layouts: grid, rings, scattered disc.

use std::{
    cmp::Ordering,
    f32::consts::{PI, TAU},
};

use glam::{Vec2, Vec3, vec2};
use rayon::prelude::*;

use crate::{
    config::Group,
    crowd::hash::Draws,
    scene::{
        Placement,
        layouts::{facing, spread},
    },
};

/// Hash salt of the random numbers of this file.
const SALT: u32 = 0x0_9e4;

/// Side of the blue-noise tile, in spacings; it holds one point for each square spacing on average.
const TILE: f32 = 48.0;
/// Minimum distance between scattered people, in spacings.
const APART: f32 = 0.8;

/// Places people on a square grid in spiral order around the origin, facing +Z.
pub(crate) fn grid(count: usize, spacing: f32) -> Vec<Placement> {
    let place = |i| {
        let (x, z) = spiral(i);
        Placement::on_ground(x as f32 * spacing, z as f32 * spacing, 0.0, Group::Crowd)
    };
    (0..count as u32).into_par_iter().map(place).collect()
}

/// Cell `index` of a square spiral: 0 is the origin; each lap is one cell wider than the last.
pub(crate) fn spiral(index: u32) -> (i32, i32) {
    if index == 0 {
        return (0, 0);
    }
    let lap = index.isqrt().div_ceil(2);
    let side = 2 * lap;
    let along = index - (side - 1).pow(2);
    let (edge, step) = (along / side, (along % side) as i32 + 1);
    let lap = lap as i32;
    match edge {
        0 => (lap, step - lap),
        1 => (lap - step, lap),
        2 => (-lap, lap - step),
        _ => (step - lap, -lap),
    }
}

/// Places people on rings one spacing apart, facing the centre; each ring fills evenly all around.
pub(crate) fn ring(count: usize, spacing: f32) -> Vec<Placement> {
    let mut placements = Vec::with_capacity(count);
    let mut lap = 2;
    while placements.len() < count {
        let radius = lap as f32 * spacing;
        let slots = (TAU * radius / spacing) as u32;
        let left = count - placements.len();
        placements.extend(spread(slots).take(left).map(|slot| {
            let turn = (slot as f32 + 0.5 * (lap % 2) as f32) / slots as f32;
            let (sin, cos) = (turn * TAU).sin_cos();
            let position = Vec3::new(sin * radius, 0.0, cos * radius);
            Placement {
                position,
                yaw: facing(position, Vec3::ZERO),
                group: Group::Crowd,
                phase: turn.fract(),
                path: None,
            }
        }));
        lap += 1;
    }
    placements
}

/// Scatters people as blue noise: one tile of random points that keep their distance, repeated without a seam and
/// filled from the middle outwards.
pub(crate) fn scatter(count: usize, spacing: f32, seed: u64) -> Vec<Placement> {
    let tile = poisson_tile(seed);
    let density = tile.len() as f32 / (TILE * TILE);
    // Radius of a disc that surely holds everyone, in spacings.
    let radius = (count as f32 * 1.02 / (density * PI)).sqrt() + 4.0;
    let reach = (radius / TILE).ceil() as i32;
    let tiles = (-reach..reach).flat_map(|x| (-reach..reach).map(move |z| vec2(x as f32, z as f32) * TILE));
    let tiles: Vec<_> = tiles.collect();
    let points = tiles
        .par_iter()
        .flat_map_iter(|&corner| tile.iter().map(move |&point| corner + point));
    let mut points: Vec<Vec2> = points
        .filter(|point| point.length_squared() <= radius * radius)
        .collect();
    points.par_sort_unstable_by(outwards);
    points.truncate(count);
    let place = |(index, point): (usize, &Vec2)| {
        let yaw = Draws::new(seed, SALT, index as u32).unit(0) * TAU;
        Placement::on_ground(point.x * spacing, point.y * spacing, yaw, Group::Crowd)
    };
    points.par_iter().enumerate().map(place).collect()
}

fn outwards(a: &Vec2, b: &Vec2) -> Ordering {
    let near = a.length_squared().total_cmp(&b.length_squared());
    near.then(a.x.total_cmp(&b.x)).then(a.y.total_cmp(&b.y))
}

/// Poisson-disc samples in a square of side [`TILE`] (spacings), by dart throwing until hardly any dart finds room.
/// No point is nearer than [`APART`] to another, across the edges of the tile too.
fn poisson_tile(seed: u64) -> Vec<Vec2> {
    const CELLS: i32 = TILE as i32;
    let mut cells = vec![Vec::<Vec2>::new(); (CELLS * CELLS) as usize];
    let cell = |x: i32, y: i32| (x.rem_euclid(CELLS) + y.rem_euclid(CELLS) * CELLS) as usize;
    let mut points = Vec::new();
    for dart in 0..(CELLS * CELLS * 24) as u32 {
        let draws = Draws::new(seed, SALT ^ 1, dart);
        let point = vec2(draws.unit(0), draws.unit(1)) * TILE;
        let (x, y) = (point.x as i32, point.y as i32);
        let near = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
        let free = |(x, y)| {
            cells[cell(x, y)].iter().all(|&other: &Vec2| {
                let apart = (point - other).abs();
                let apart = apart.min(Vec2::splat(TILE) - apart);
                apart.length_squared() >= APART * APART
            })
        };
        if near.into_iter().all(free) {
            cells[cell(x, y)].push(point);
            points.push(point);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_spiral_fills_squares_without_gaps() {
        let cells: HashSet<_> = (0..121).map(spiral).collect();
        assert_eq!(cells.len(), 121);
        assert!(cells.iter().all(|&(x, z)| x.abs() <= 5 && z.abs() <= 5));
        assert_eq!(spiral(1_002_000).0.abs().max(spiral(1_002_000).1.abs()), 500);
    }

    #[test]
    fn a_tile_holds_about_one_point_per_spacing() {
        let density = poisson_tile(1).len() as f32 / (TILE * TILE);
        assert!((0.9..1.1).contains(&density), "{density}");
    }

    #[test]
    fn one_person_stands_at_the_origin() {
        assert_eq!(grid(1, 1.6)[0].position, Vec3::ZERO);
    }
}
