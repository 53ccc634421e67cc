//! One person of the crowd as drawn at a moment: place and palette, heroes included.

use glam::{Affine3A, Vec3};

use crate::{
    bake::skinning,
    character::Character,
    crowd::{Instance, InstancePose, clock::Clock, heroes::Hero},
    scene::{PersonRef, Scene},
};

/// A person at a moment.
pub struct PosedPerson<'a> {
    /// Character that is drawn.
    pub character: &'a Character,
    /// Instance data.
    pub instance: &'a Instance,
    /// Position, heading and clips at the moment.
    pub pose: InstancePose,
    /// Matrices of all slots, model space.
    pub palette: Vec<Affine3A>,
}

impl PosedPerson<'_> {
    /// Transform from model space to the world.
    #[must_use]
    pub fn world_from_model(&self) -> Affine3A {
        self.pose.world_from_model(self.instance)
    }

    /// World positions of all vertices (m), without morph targets.
    #[must_use]
    pub fn vertices(&self) -> Vec<Vec3> {
        let world = self.world_from_model();
        let skinned = skinning::skin(&self.character.model.mesh, &self.palette);
        skinned.iter().map(|v| world.transform_point3(v.position)).collect()
    }
}

impl Scene {
    /// A person at a moment, with the pose of `heroes` as seen from `eye` (m); `None` where there is no such person.
    #[must_use]
    pub fn posed(&self, who: PersonRef, clock: Clock, eye: Vec3, heroes: &[Hero]) -> Option<PosedPerson<'_>> {
        let character = self.characters.get(who.character)?;
        let instance = self.crowd.per_character.get(who.character)?.get(who.index as usize)?;
        let plan = self.plans.get(who.character)?;
        let pose = plan.pose(who.index, instance, &self.casts.get(who.character)?.clips, clock);
        let mut palette = character.palettes.blended(&pose.blend(&character.palettes));
        let is = |hero: &&Hero| (hero.character, hero.index) == (who.character, who.index);
        let hero = heroes.iter().find(is).and_then(|hero| self.hero_pose(hero, clock, eye));
        if let Some(hero) = hero.filter(|hero| hero.weight > 0.0) {
            for (matrix, own) in palette.iter_mut().zip(&hero.palette) {
                *matrix = skinning::lerp(*matrix, *own, hero.weight);
            }
        }
        Some(PosedPerson {
            character,
            instance,
            pose,
            palette,
        })
    }

    /// All people in the order of their numbers, character after character.
    pub fn everyone(&self) -> impl Iterator<Item = PersonRef> + '_ {
        let characters = self.crowd.per_character.iter().enumerate();
        characters.flat_map(|(character, instances)| {
            (0..instances.len() as u32).map(move |index| PersonRef { character, index })
        })
    }
}
