//! Kinds of people in a scene: groups, characters of people, vehicles.

use std::sync::Arc;

use rayon::prelude::*;

use crate::{
    character::Character,
    config::Group,
    crowd::Instance,
    scene::{PersonRef, Scene},
};

impl Scene {
    /// Characters of people: all but vehicles.
    #[must_use]
    pub fn people_characters(&self) -> &[Arc<Character>] {
        &self.characters[..self.characters.len().saturating_sub(self.vehicle_kinds)]
    }

    /// True if a person is a vehicle of a file of trajectories.
    #[must_use]
    pub fn is_vehicle(&self, who: PersonRef) -> bool {
        who.character >= self.people_characters().len()
    }

    /// Groups that people of the crowd belong to, and the number of people in each, in the order of [`Group::ALL`].
    #[must_use]
    pub fn groups(&self) -> Vec<(Group, usize)> {
        let count = |people: &[Instance]| {
            let mut counts = [0; Group::COUNT];
            for group in people.iter().map(|one| usize::from(one.group_id())) {
                counts[group.min(Group::COUNT - 1)] += 1;
            }
            counts
        };
        let characters = self.crowd.per_character.par_iter();
        let parts = characters.flat_map(|people| people.par_chunks(4096)).map(count);
        let sum = |a: [usize; Group::COUNT], b: [usize; Group::COUNT]| std::array::from_fn(|group| a[group] + b[group]);
        let counts = parts.reduce(|| [0; Group::COUNT], sum);
        Group::ALL
            .into_iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .collect()
    }
}
