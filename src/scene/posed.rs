//! One person of the crowd as they are drawn at a moment: place, palette, heroes included.

use glam::{Affine3A, Vec3};

use crate::{
    bake::skinning,
    character::Character,
    crowd::{Instance, InstancePose, clock::Clock, heroes::Hero},
    scene::{PersonRef, Scene},
};

/// Somebody at a moment.
pub struct PosedPerson<'a> {
    /// As what they are drawn.
    pub character: &'a Character,
    /// How they came into the crowd.
    pub instance: &'a Instance,
    /// Where they are and what they play.
    pub pose: InstancePose,
    /// Matrices of all slots, model space.
    pub palette: Vec<Affine3A>,
}

impl PosedPerson<'_> {
    /// From model space to the world.
    #[must_use]
    pub fn world_from_model(&self) -> Affine3A {
        self.pose.world_from_model(self.instance)
    }

    /// Every vertex in the world, metres, without morph targets.
    #[must_use]
    pub fn vertices(&self) -> Vec<Vec3> {
        let world = self.world_from_model();
        let skinned = skinning::skin(&self.character.model.mesh, &self.palette);
        skinned.iter().map(|v| world.transform_point3(v.position)).collect()
    }
}

impl Scene {
    /// Someone at a moment, of `heroes` as `eye` (metres) sees them; `None` where there is no such person.
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

    /// Everyone, in the order of their numbers: characters one after another.
    pub fn everyone(&self) -> impl Iterator<Item = PersonRef> + '_ {
        let characters = self.crowd.per_character.iter().enumerate();
        characters.flat_map(|(character, instances)| {
            (0..instances.len() as u32).map(move |index| PersonRef { character, index })
        })
    }
}
