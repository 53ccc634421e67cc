//! Layouts: where people stand and which way they face.
//!
//! Every layout is a pure function of settings and index. People come in a fixed order, from the middle or the front
//! outwards: a higher count adds people and moves nobody.

mod lanes;
mod open;
mod plaza;
mod ranks;
mod roadside;
mod stadium;
pub(crate) mod waypoints;

pub(super) use plaza::radius as plaza_radius;
pub(super) use roadside::{Course, Side};
pub(super) use stadium::{StandRow, stadium_scale, stands};

use glam::Vec3;

use rayon::prelude::*;

use crate::{
    config::{Group, Layout, SceneConfig},
    crowd::paths::Path,
};

/// Place of one person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Ground point between the feet, world space (m).
    pub position: Vec3,
    /// Heading about +Y (radians): 0 faces +Z, positive turns towards +X.
    pub yaw: f32,
    /// Part played in the layout.
    pub group: Group,
    /// Place along the layout's wave, `0.0..1.0` of a cycle, for [`Phase::Wave`](crate::config::Phase::Wave).
    pub phase: f32,
    /// Number in [`paths`] of the path that this person walks along; `None`: stands.
    pub path: Option<u32>,
}

impl Placement {
    /// Ground point and heading (radians), as [`CrowdExtent::new`](crate::crowd::CrowdExtent::new) takes them.
    #[must_use]
    pub const fn spot(&self) -> (Vec3, f32) {
        (self.position, self.yaw)
    }

    /// Places a member of `group` on the ground at (`x`, `z`) (m), with phase 0 and without a path.
    #[must_use]
    pub const fn on_ground(x: f32, z: f32, yaw: f32, group: Group) -> Self {
        Self {
            position: Vec3::new(x, 0.0, z),
            yaw,
            group,
            phase: 0.0,
            path: None,
        }
    }
}

/// Places the first `scene.count` people of the scene's layout. Equal scenes give equal people; a higher count keeps
/// those of a lower one. A single person stands at the origin and faces +Z.
#[must_use]
pub fn place(scene: &SceneConfig) -> Vec<Placement> {
    let mut people = waypoints::walkers(scene);
    let others = place_in_layout(scene, scene.count as usize - people.len());
    let first = waypoints::path_count(scene);
    people.extend(others.into_iter().map(|person| Placement {
        path: person.path.map(|path| path + first),
        ..person
    }));
    if scene.count == 1 {
        // A lone character is found at the origin, whatever its layout and camera are.
        for person in people.iter_mut().filter(|person| person.path.is_none()) {
            (person.position, person.yaw) = (Vec3::ZERO, 0.0);
        }
    }
    people
}

/// Number of people whom the layout itself places: all but those on the scene's own paths.
#[must_use]
pub fn count_in_layout(scene: &SceneConfig) -> u32 {
    scene.count - waypoints::walkers(scene).len() as u32
}

/// Places the first `count` people of the layout itself.
fn place_in_layout(scene: &SceneConfig, count: usize) -> Vec<Placement> {
    match scene.layout {
        Layout::Plaza => plaza::place(count, scene.spacing, scene.seed),
        Layout::Grid => open::grid(count, scene.spacing),
        Layout::Ring => open::ring(count, scene.spacing),
        Layout::Ranks => ranks::place(count, scene.spacing, scene.seed),
        Layout::Stadium => stadium::place(count, scene.spacing, scene.seed),
        Layout::Scatter => open::scatter(count, scene.spacing, scene.seed),
        Layout::Roadside => roadside::place(scene, count),
    }
}

/// Paths that `people` of the scene's layout walk along, in the order of [`Placement::path`].
#[must_use]
pub fn paths(scene: &SceneConfig, people: &[Placement]) -> Vec<Path> {
    let drawn = waypoints::path_count(scene);
    let last = people.par_iter().filter_map(|person| person.path).max();
    let own = last.map_or(0, |last| (last + 1).saturating_sub(drawn));
    let own = match scene.layout {
        Layout::Plaza => plaza::paths(own, scene.spacing, scene.seed, scene.speed),
        _ => Vec::new(),
    };
    let (mut paths, legs) = waypoints::paths(scene, own.len() as u32);
    paths.extend(own);
    paths.extend(legs);
    paths
}

/// Heading (radians) that looks from one ground point to another.
#[must_use]
pub(crate) fn facing(from: Vec3, to: Vec3) -> f32 {
    (to.x - from.x).atan2(to.z - from.z)
}

/// Low-discrepancy order of the numbers `0..count` (steps of the golden ratio). Every prefix is spread evenly, so that
/// a partly filled ring or row has no empty side.
pub(crate) fn spread(count: u32) -> impl Iterator<Item = u32> + Clone {
    let golden = (f64::from(count) * 0.618_034).round() as u32;
    let step = (golden.max(1)..).find(|&step| gcd(step, count) == 1).unwrap_or(1);
    (0..count).map(move |i| ((u64::from(i) * u64::from(step)) % u64::from(count)) as u32)
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_visits_everything_once() {
        for count in [0, 1, 2, 3, 6, 10, 97, 1000] {
            let mut seen: Vec<u32> = spread(count).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn headings_follow_the_convention() {
        let turn = std::f32::consts::FRAC_PI_2;
        assert_eq!(facing(Vec3::ZERO, Vec3::Z), 0.0);
        assert!((facing(Vec3::ZERO, Vec3::X) - turn).abs() < 1e-6);
    }
}
