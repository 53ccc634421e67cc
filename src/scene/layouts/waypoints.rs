//! Walkers on ways that a scene file draws: closed lines through waypoints, their corners rounded.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Vec2, Vec3, vec2};

use crate::{
    config::{Group, PathConfig, SceneConfig},
    crowd::paths::{PATH_LEG, PATH_WAYPOINTS, Path, Spot, path_spot},
    scene::{Placement, layouts::spread},
};

/// People on one path keep at least this distance, metres.
const APART: f32 = 0.8;

/// The paths of a scene, in the order of the file, and all their legs. In the table that they are
/// put into, `between` other paths stand between the two.
#[must_use]
pub(crate) fn paths(scene: &SceneConfig, between: u32) -> (Vec<Path>, Vec<Path>) {
    let (mut paths, mut legs) = (Vec::new(), Vec::new());
    let first = scene.paths.len() as u32 + between;
    for config in &scene.paths {
        let own = rounded(config);
        let length = own.last().map_or(0.0, |leg| leg.along + leg_metres(leg));
        let path = Path {
            kind: PATH_WAYPOINTS,
            length,
            first: first + legs.len() as u32,
            count: own.len() as u32,
            ..Path::default()
        };
        paths.push(path.at_speed(config.speed * scene.speed.abs()));
        legs.extend(own);
    }
    (paths, legs)
}

/// Everyone on the paths of a scene, evenly along each; none for a single character.
#[must_use]
pub(crate) fn walkers(scene: &SceneConfig) -> Vec<Placement> {
    if scene.count == 1 {
        return Vec::new();
    }
    let (paths, legs) = paths(scene, 0);
    let table: Vec<Path> = paths.iter().chain(&legs).copied().collect();
    let on = |(number, config): (usize, &PathConfig)| {
        let path = paths[number];
        let seats = config.people.min((path.length / APART) as u32);
        let table = &table;
        spread(seats).map(move |seat| {
            // As an instance holds it: 1/65536 of a round.
            let phase = (f64::from(seat) / f64::from(seats) * 65_536.0).round() as u32 & 0xffff;
            let Spot { ground, yaw } = path_spot(table, &path, phase << 16);
            Placement {
                position: Vec3::new(ground.x, 0.0, ground.y),
                yaw: yaw.rem_euclid(TAU),
                group: Group::Walkers,
                phase: phase as f32 / 65_536.0,
                path: u32::try_from(number).ok(),
            }
        })
    };
    let mut people: Vec<Placement> = scene.paths.iter().enumerate().flat_map(on).collect();
    people.truncate(scene.count as usize);
    people
}

/// Straight metres and those of the bend after them.
fn leg_metres(leg: &Path) -> f32 {
    leg.length + leg.radius * leg.direction.abs()
}

/// The legs of a closed line whose corners are rounded as widely as asked for, and as their sides
/// have room for.
fn rounded(config: &PathConfig) -> Vec<Path> {
    let points: Vec<Vec2> = config.points.iter().map(|&p| Vec2::from(p)).collect();
    let count = points.len();
    let side = |i: usize| points[(i + 1) % count] - points[i % count];
    let heading = |i: usize| side(i).x.atan2(side(i).y);
    // The corner at the end of side `i`: its turn, radius, and what it takes of both sides.
    let corner = |i: usize| {
        let turn = (heading(i + 1) - heading(i) + PI).rem_euclid(TAU) - PI;
        // Straight back, in f32, lies beyond where the tangent changes its sign.
        let half = (0.5 * turn.abs()).min(FRAC_PI_2 - 1e-3).tan().max(1e-6);
        let room = 0.5 * side(i).length().min(side(i + 1).length());
        let radius = config.radius.min(room / half);
        (turn, radius, radius * half)
    };
    let mut along = 0.0;
    let legs = (0..count).map(|i| {
        let (turn, radius, taken) = corner(i);
        let before = corner(i + count - 1).2;
        let line = vec2(heading(i).sin(), heading(i).cos());
        let start = points[i] + line * before;
        let leg = Path {
            kind: PATH_LEG,
            length: (side(i).length() - before - taken).max(0.0),
            radius,
            inner: start.x,
            outer: start.y,
            heading: heading(i),
            direction: turn,
            along,
            ..Path::default()
        };
        along += leg_metres(&leg);
        leg
    });
    legs.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crowd::clock::{Clock, turns};

    fn scene(points: Vec<[f32; 2]>, radius: f32) -> SceneConfig {
        let path = PathConfig {
            points,
            radius,
            people: 12,
            ..PathConfig::default()
        };
        SceneConfig {
            paths: vec![path],
            ..SceneConfig::default()
        }
    }

    fn table(scene: &SceneConfig) -> Vec<Path> {
        let (paths, legs) = paths(scene, 0);
        paths.into_iter().chain(legs).collect()
    }

    #[test]
    fn a_square_has_four_straights_and_four_quarter_turns() {
        let scene = scene(vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]], 2.0);
        let table = table(&scene);
        assert!((table[0].length - (4.0 * 6.0 + TAU * 2.0)).abs() < 1e-3);
        assert_eq!(table.len(), 5);
        assert_eq!((table[0].first, table[0].count), (1, 4));
        let people = walkers(&scene);
        assert_eq!(people.len(), 12);
        assert!(people.iter().all(|p| p.position.x > -0.01 && p.position.x < 10.01));
    }

    #[test]
    fn a_line_there_and_back_is_kept_to() {
        for (x, z) in [(10.0, 0.0), (3.0, 8.0), (-6.2, 1.7)] {
            let scene = scene(vec![[-x, -z], [0.0, 0.0], [x, z]], 1.5);
            let table = table(&scene);
            let across = vec2(z, -x).normalize();
            for at in 0..64_u32 {
                let spot = path_spot(&table, &table[0], at << 26);
                assert!(spot.ground.dot(across).abs() < 0.01, "{at}: {}", spot.ground);
                assert!(spot.ground.length() < vec2(x, z).length() + 0.01);
            }
        }
    }

    proptest! {
        #[test]
        fn people_go_where_they_look_without_a_jump(
            corners in prop::collection::vec((0.3..1.0_f32, 3.0..40.0_f32), 3..9), radius in 0.0..6.0_f32, ticks in 0..9_000_000_u64,
        ) {
            // Around the origin in order: a line that does not turn back on itself.
            let total: f32 = corners.iter().map(|c| c.0).sum();
            let mut angle = 0.0;
            let points = corners.iter().map(|(step, far)| {
                angle += step / total * TAU;
                [angle.sin() * far, angle.cos() * far]
            });
            let scene = scene(points.collect(), radius);
            let table = table(&scene);
            let path = &table[0];
            let at = |ticks: u64| path_spot(&table, path, turns(Clock::from_count(ticks), path.rate).phase);
            let step = 256;
            let (a, b) = (at(ticks), at(ticks + step));
            let way = b.ground - a.ground;
            let metres = path.speed() * step as f32 / 65_536.0;
            prop_assert!(way.length() < 1.02 * metres + 1e-3, "{} {metres}", way.length());
            let look = vec2(a.yaw.sin(), a.yaw.cos());
            let bends = (b.yaw - a.yaw).rem_euclid(TAU).min((a.yaw - b.yaw).rem_euclid(TAU));
            if bends < 0.1 {
                prop_assert!(way.dot(look) > 0.97 * metres - 1e-3, "{way} {look} {metres}");
            }
        }
    }
}
