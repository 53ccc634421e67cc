//! Picking: the GPU collects people whose boxes the ray enters, and the CPU chooses among them.

use crate::{
    character::Character,
    crowd::{Instance, InstancePose, clock::Clock},
    model::Bounds,
    scene::Scene,
    view::Ray,
};

pub(crate) use crate::scene::PersonRef;

/// A pending query: the ray through a pixel of a drawn frame, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PointerQuery {
    /// Ray in world space.
    pub ray: Ray,
    /// Time at which the crowd was posed.
    pub clock: Clock,
}

/// Picking queries of the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PickState {
    /// Query to send with the next frame.
    pub to_ask: Option<PointerQuery>,
    /// Query that was sent; its answer is pending.
    pub asked: Option<PointerQuery>,
    /// Line that clicks draw on the ground, in place of picking.
    pub line: LineDrawing,
}

/// Line across trajectories that two clicks draw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum LineDrawing {
    /// Clicks pick people.
    #[default]
    Off,
    /// The next click is the start.
    Start,
    /// The next click is the end; the start is known (m, axes of the file).
    End([f64; 2]),
}

/// Pose of a person at a time; `None` if the crowd no longer has them.
#[must_use]
pub(crate) fn pose_of(scene: &Scene, selected: PersonRef, clock: Clock) -> Option<(Instance, InstancePose)> {
    let instance = *scene
        .crowd
        .per_character
        .get(selected.character)?
        .get(selected.index as usize)?;
    let (cast, plan) = (
        scene.casts.get(selected.character)?,
        scene.plans.get(selected.character)?,
    );
    let pose = plan.pose(selected.index, &instance, &cast.clips, clock);
    Some((instance, pose))
}

/// Instance of a person in the clothes of a time; `None` if the crowd no longer has them.
#[must_use]
pub(crate) fn colored(scene: &Scene, person: PersonRef, clock: Clock) -> Option<Instance> {
    let all = scene.crowd.per_character.get(person.character)?;
    let instance = all.get(person.index as usize)?;
    let (cast, plan) = (scene.casts.get(person.character)?, scene.plans.get(person.character)?);
    Some(plan.colored(person.index, instance, &cast.clips, clock))
}

/// Bounding box of a character in a clip, model space (m).
#[must_use]
pub(crate) fn clip_box(character: &Character, clip: u32) -> Bounds {
    let bounds = character
        .palettes
        .clips
        .get(clip as usize)
        .map_or(Bounds::EMPTY, |c| c.bounds);
    if bounds.is_empty() {
        character.rest_bounds
    } else {
        bounds
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{config::Config, scene::StartupTimes};

    fn scene() -> Scene {
        let mut config = Config::scene("plaza").expect("the plaza");
        config.scene.count = 200;
        Scene::load(&config, &mut StartupTimes::default()).expect("a scene")
    }

    #[test]
    fn a_ray_from_above_picks_the_person_below() {
        let scene = scene();
        let clock = Clock::from_seconds(7.5);
        for character in 0..scene.characters.len() {
            for index in (0..scene.crowd.per_character[character].len() as u32).step_by(7) {
                let selected = PersonRef { character, index };
                let (_, pose) = pose_of(&scene, selected, clock).expect("in range");
                let origin = pose.position + Vec3::Y * 50.0;
                let found = scene
                    .pick(
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
    fn picking_the_sky_finds_nobody() {
        let ray = Ray {
            origin: Vec3::Y * 3.0,
            direction: Vec3::Y,
        };
        assert_eq!(scene().pick(ray, Clock::default()), None);
    }
}
