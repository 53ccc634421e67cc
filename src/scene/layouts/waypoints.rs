//! Walkers on paths that a scene file describes, in lanes side by side.

use std::f32::consts::TAU;

use glam::Vec3;

use crate::{
    config::{Group, PathConfig, SceneConfig},
    crowd::{
        hash::Draws,
        paths::{PATH_WAYPOINTS, Path, Spot, path_spot},
    },
    scene::{
        Placement,
        layouts::{
            lanes::{leg_metres, rounded},
            spread,
        },
    },
};

/// Minimum distance between people in one lane (m).
const APART: f32 = 0.8;
/// Hash salt of the random numbers of this file.
const SALT: u32 = 0x1a_9e5;
/// Maximum deviation of people side by side from even places, as a share of the distance to the next.
const LOOSE: f32 = 0.3;

/// Number of paths of the scene's own: one for each lane.
#[must_use]
pub(crate) fn path_count(scene: &SceneConfig) -> u32 {
    scene.paths.iter().map(|config| config.lanes).sum()
}

/// Paths of a scene, in the order of the file and from right to left, and all their legs.
/// In the final table, `between` other paths stand between these paths and their legs.
#[must_use]
pub(crate) fn paths(scene: &SceneConfig, between: u32) -> (Vec<Path>, Vec<Path>) {
    let (mut paths, mut legs) = (Vec::new(), Vec::new());
    let first = path_count(scene) + between;
    for (config, lane) in lanes_of(scene) {
        let own = rounded(config, config.lane_offset(lane));
        let length = own.last().map_or(0.0, |leg| leg.along + leg_metres(leg));
        let path = Path {
            kind: PATH_WAYPOINTS,
            length,
            first: first + legs.len() as u32,
            count: own.len() as u32,
            ..Path::default()
        };
        paths.push(path.at_speed(config.lane_speed(lane) * scene.speed.abs()));
        legs.extend(own);
    }
    (paths, legs)
}

/// All lanes of all paths, each with its number in the path.
fn lanes_of(scene: &SceneConfig) -> impl Iterator<Item = (&PathConfig, u32)> {
    let lanes = |config: &'_ PathConfig| 0..config.lanes;
    scene
        .paths
        .iter()
        .flat_map(move |config| lanes(config).map(move |lane| (config, lane)))
}

/// People on the paths of a scene, evenly along each and over its lanes; none for a single character.
#[must_use]
pub(crate) fn walkers(scene: &SceneConfig) -> Vec<Placement> {
    if scene.count == 1 {
        return Vec::new();
    }
    let (paths, legs) = paths(scene, 0);
    let table: Vec<Path> = paths.iter().chain(&legs).copied().collect();
    let mut first = 0;
    let mut people = Vec::new();
    for config in &scene.paths {
        let lanes = first..first + config.lanes;
        let queues = lanes.clone().map(|number| {
            // The first lanes take the remainder of the division.
            let lane = number - first;
            let seats = (config.people + config.lanes - 1 - lane) / config.lanes;
            let seats = seats.min((paths[number as usize].length / APART) as u32);
            let loose = if config.lanes > 1 { LOOSE } else { 0.0 };
            seat_phases(scene.seed, number, seats, loose)
        });
        let queues: Vec<Vec<u32>> = queues.collect();
        // One person of each lane in turn, so that a part of the people is spread over all lanes.
        let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
        for turn in 0..longest {
            let next = queues.iter().zip(lanes.clone());
            let next = next.filter_map(|(queue, number)| Some((*queue.get(turn)?, number)));
            people.extend(next.map(|(phase, number)| walker(&table, number, phase)));
        }
        first += config.lanes;
    }
    people.truncate(scene.count as usize);
    people
}

/// Phases of people on a lane, in 65536ths of a round as instances hold them, in the order in which people are added.
fn seat_phases(seed: u64, lane: u32, seats: u32, loose: f32) -> Vec<u32> {
    let phase = |seat: u32| {
        let shift = f64::from(loose * Draws::new(seed, SALT ^ lane, seat).signed(0));
        ((f64::from(seat) + shift) / f64::from(seats) * 65_536.0).round() as i64 as u32 & 0xffff
    };
    spread(seats).map(phase).collect()
}

/// Walker on a path, at `phase` of it.
fn walker(table: &[Path], number: u32, phase: u32) -> Placement {
    let Spot { ground, yaw } = path_spot(table, &table[number as usize], phase << 16);
    Placement {
        position: Vec3::new(ground.x, 0.0, ground.y),
        yaw: yaw.rem_euclid(TAU),
        group: Group::Walkers,
        phase: phase as f32 / 65_536.0,
        path: Some(number),
    }
}

#[cfg(test)]
mod tests {
    use glam::vec2;
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

    #[test]
    fn lanes_keep_their_distance_and_people_their_lane() {
        let mut scene = scene(
            vec![[-60.0, -30.0], [50.0, -30.0], [60.0, 20.0], [0.0, 5.0], [-60.0, 40.0]],
            12.0,
        );
        (scene.paths[0].lanes, scene.paths[0].people, scene.paths[0].lane_spread) = (5, 103, 0.2);
        (scene.count, scene.seed) = (200, 3);
        assert_eq!(path_count(&scene), 5);
        let table = table(&scene);
        let people = walkers(&scene);
        assert_eq!(people.len(), 103);
        for lane in 0..5 {
            let own = people.iter().filter(|p| p.path == Some(lane)).count();
            assert!(own == 20 || own == 21, "{own} in lane {lane}");
        }
        assert!(
            (0..4).all(|lane| table[lane].speed() < table[lane + 1].speed()),
            "the left is faster"
        );
        for seconds in [0.0, 31.7, 4_000.0] {
            let spots: Vec<_> = people
                .iter()
                .map(|person| {
                    let path = &table[person.path.expect("a lane") as usize];
                    let made = turns(Clock::from_seconds(seconds), path.rate).phase;
                    let phase = (person.phase * 65_536.0) as u32;
                    path_spot(&table, path, made.wrapping_add(phase << 16)).ground
                })
                .collect();
            for (i, spot) in spots.iter().enumerate() {
                let least = spots[..i]
                    .iter()
                    .map(|other| other.distance(*spot))
                    .fold(f32::MAX, f32::min);
                assert!(least > 0.9, "{seconds} s: {least} m");
            }
        }
        let few = SceneConfig { count: 10, ..scene };
        assert_eq!(walkers(&few), people[..10], "fewer are some of them");
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
