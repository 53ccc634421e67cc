//! Who is under the pointer: a ray against the boxes of everyone, at the moment shown.

use glam::{Quat, Vec3};
use rayon::prelude::*;

use crate::{
    camera::Ray,
    crowd::{Cast, Clock, Group, Instance, Pose, Script},
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

/// Finds the nearest person that the ray meets.
#[must_use]
pub fn pick(scene: &Scene, ray: Ray, clock: Clock) -> Option<Selected> {
    let of = |character: usize| {
        let target = Target::new(scene, character)?;
        let instances = scene.crowd.per_character.get(character)?.par_iter().enumerate();
        let hits =
            instances.filter_map(|(index, instance)| Some((target.hit(index as u32, instance, ray, clock)?, index)));
        let (distance, index) = hits.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((
            distance,
            Selected {
                character,
                index: index as u32,
            },
        ))
    };
    let nearest = (0..scene.characters.len())
        .filter_map(of)
        .min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, selected)| selected)
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
        let walks = instance.group_id() == Group::Walkers as u16;
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
