//! Who is under the pointer: a ray against the boxes of everyone, at the moment shown.

use glam::{Quat, Vec3};
use rayon::prelude::*;

use super::skeleton::{bones, joints};
use crate::{
    camera::Ray,
    crowd::{Cast, Clock, Instance, Pose, Script},
    model::Bounds,
    scene::{Character, Scene},
};

/// One person of the crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Index of the character.
    pub character: usize,
    /// Index among the character's instances.
    pub index: u32,
}

/// Candidates looked at closely, at most.
const CLOSE_LOOKS: usize = 64;
/// Half the thickness of a limb, of the character's height.
const LIMB: f32 = 0.09;

/// Finds the nearest person that the ray meets: first by boxes, then by limbs, since the box of
/// someone near covers much that is not them. Where no limb is met, whose is missed least.
#[must_use]
pub fn pick(scene: &Scene, ray: Ray, clock: Clock) -> Option<Selected> {
    let mut boxes: Vec<(f32, Selected)> = (0..scene.characters.len())
        .flat_map(|c| box_hits(scene, c, ray, clock))
        .collect();
    boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
    boxes.truncate(CLOSE_LOOKS);
    let missed: Vec<(f32, Selected)> = boxes
        .iter()
        .map(|&(_, s)| (missed_by(scene, s, ray, clock), s))
        .collect();
    let met = missed.iter().find(|(by, _)| *by <= 1.0);
    let found = met.or_else(|| missed.iter().min_by(|a, b| a.0.total_cmp(&b.0)));
    found.map(|(_, selected)| *selected)
}

fn box_hits(scene: &Scene, character: usize, ray: Ray, clock: Clock) -> Vec<(f32, Selected)> {
    let (Some(target), Some(instances)) = (Target::new(scene, character), scene.crowd.per_character.get(character))
    else {
        return Vec::new();
    };
    let hit = |(index, instance): (usize, &Instance)| {
        let index = index as u32;
        Some((target.hit(index, instance, ray, clock)?, Selected { character, index }))
    };
    instances.par_iter().enumerate().filter_map(hit).collect()
}

/// Distance from the ray to the nearest limb, in half thicknesses of limbs.
fn missed_by(scene: &Scene, selected: Selected, ray: Ray, clock: Clock) -> f32 {
    let Some((instance, pose)) = pose_of(scene, selected, clock) else {
        return f32::MAX;
    };
    let character = &scene.characters[selected.character];
    let lines = bones(character, &joints(character, &instance, &pose));
    if lines.is_empty() {
        return 0.0;
    }
    let height = character.packed.bounds.size().max_element() * instance.scale();
    let nearest = lines
        .iter()
        .map(|line| line_distance(ray, *line))
        .fold(f32::MAX, f32::min);
    nearest / (LIMB * height)
}

/// Smallest distance of a ray from points along a line.
fn line_distance(ray: Ray, [a, b]: [Vec3; 2]) -> f32 {
    let points = (0..=4).map(|i| a.lerp(b, i as f32 / 4.0));
    let distance = |p: Vec3| {
        let along = (p - ray.origin).dot(ray.direction).max(0.0);
        (ray.origin + ray.direction * along).distance(p)
    };
    points.map(distance).fold(f32::MAX, f32::min)
}

/// What a person does at a moment; `None` once the crowd has become smaller.
#[must_use]
pub fn pose_of(scene: &Scene, selected: Selected, clock: Clock) -> Option<(Instance, Pose)> {
    let instance = *scene
        .crowd
        .per_character
        .get(selected.character)?
        .get(selected.index as usize)?;
    let (character, script) = (
        scene.characters.get(selected.character)?,
        scene.scripts.get(selected.character)?,
    );
    let pose = script.pose(selected.index, &instance, &character.cast().clips, clock);
    Some((instance, pose))
}

/// Box of a character while it plays a clip, model space.
#[must_use]
pub fn clip_box(character: &Character, clip: u32) -> Bounds {
    let bounds = character
        .palettes
        .clips
        .get(clip as usize)
        .map_or(Bounds::EMPTY, |c| c.bounds);
    if bounds.is_empty() {
        character.packed.bounds
    } else {
        bounds
    }
}

struct Target<'a> {
    character: &'a Character,
    script: &'a Script,
    cast: Cast,
    /// Farthest that any vertex comes from the ground point.
    reach: f32,
}

impl<'a> Target<'a> {
    fn new(scene: &'a Scene, index: usize) -> Option<Self> {
        let (character, script) = (scene.characters.get(index)?, scene.scripts.get(index)?);
        let boxes = (0..character.palettes.clips.len()).map(|clip| clip_box(character, clip as u32));
        let all = boxes.fold(character.packed.bounds, Bounds::union);
        Some(Self {
            reach: all.min.abs().max(all.max.abs()).length(),
            cast: character.cast(),
            character,
            script,
        })
    }

    /// Distance along the ray to the box of an instance.
    fn hit(&self, index: u32, instance: &Instance, ray: Ray, clock: Clock) -> Option<f32> {
        let walks = self.script.moves(instance);
        let reach = self.reach * instance.scale();
        if !walks && !near(ray, Vec3::from(instance.position), reach) {
            return None;
        }
        let pose = self.script.pose(index, instance, &self.cast.clips, clock);
        if !near(ray, pose.position, reach) {
            return None;
        }
        let back = Quat::from_rotation_y(-pose.yaw);
        let local = Ray {
            origin: back * (ray.origin - pose.position) / instance.scale(),
            direction: back * ray.direction,
        };
        let distance = enter(local, clip_box(self.character, pose.moment.to.clip))?;
        Some(distance * instance.scale())
    }
}

/// Whether the ray passes within `reach` of a point.
fn near(ray: Ray, point: Vec3, reach: f32) -> bool {
    let along = (point - ray.origin).dot(ray.direction).max(0.0);
    (ray.origin + ray.direction * along).distance_squared(point) <= reach * reach
}

/// Where a ray enters a box.
fn enter(ray: Ray, bounds: Bounds) -> Option<f32> {
    let inverse = ray.direction.recip();
    let (a, b) = ((bounds.min - ray.origin) * inverse, (bounds.max - ray.origin) * inverse);
    let (enter, leave) = (a.min(b).max_element().max(0.0), a.max(b).min_element());
    (enter <= leave).then_some(enter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, stats::StartupTimes};

    fn scene() -> Scene {
        let mut config = Config::scene("plaza").expect("the plaza");
        config.scene.count = 200;
        Scene::load(&config, &mut StartupTimes::default()).expect("a scene")
    }

    #[test]
    fn whoever_is_aimed_at_from_above_is_picked() {
        let scene = scene();
        let clock = Clock::from_seconds(7.5);
        for character in 0..scene.characters.len() {
            for index in (0..scene.crowd.per_character[character].len() as u32).step_by(7) {
                let selected = Selected { character, index };
                let (_, pose) = pose_of(&scene, selected, clock).expect("in range");
                let origin = pose.position + Vec3::Y * 50.0;
                let found = pick(
                    &scene,
                    Ray {
                        origin,
                        direction: Vec3::NEG_Y,
                    },
                    clock,
                )
                .expect("someone");
                let (_, other) = pose_of(&scene, found, clock).expect("in range");
                assert!(other.position.distance(pose.position) < 1.5, "{selected:?} {found:?}");
            }
        }
    }

    #[test]
    fn the_sky_is_nobody() {
        let ray = Ray {
            origin: Vec3::Y * 3.0,
            direction: Vec3::Y,
        };
        assert_eq!(pick(&scene(), ray, Clock::default()), None);
    }

    #[test]
    fn boxes_are_entered_from_outside_and_inside() {
        let unit = Bounds {
            min: -Vec3::ONE,
            max: Vec3::ONE,
        };
        let ray = |origin, direction| Ray { origin, direction };
        assert_eq!(enter(ray(Vec3::Z * 5.0, Vec3::NEG_Z), unit), Some(4.0));
        assert_eq!(enter(ray(Vec3::ZERO, Vec3::X), unit), Some(0.0));
        assert_eq!(enter(ray(Vec3::Z * 5.0, Vec3::Z), unit), None);
        assert_eq!(enter(ray(Vec3::new(3.0, 0.0, 5.0), Vec3::NEG_Z), unit), None);
    }
}
