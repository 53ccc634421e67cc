//! Negative controls: pictures with planted faults. A gate that accepts one of them proves nothing.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use crate::{
    bake::Palettes,
    character::Character,
    crowd::Instance,
    scene::{AttachmentKind, Scene},
};

/// Planted fault of a negative control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PlantedFault {
    /// The scene has no people.
    Empty,
    /// People are scaled by a factor; they stand where they stood.
    Scaled(f32),
    /// Everyone stays in the first pose of their clip.
    Frozen,
}

/// Every planted fault and its name.
pub(super) const PLANTED_FAULTS: [(&str, PlantedFault); 4] = [
    ("empty", PlantedFault::Empty),
    ("scaled by 0.9", PlantedFault::Scaled(0.9)),
    ("scaled by 0.7", PlantedFault::Scaled(0.7)),
    ("frozen", PlantedFault::Frozen),
];

/// Parts of a scene that a planted fault replaced.
pub(super) struct ReplacedParts {
    characters: Vec<Arc<Character>>,
    people: Vec<Vec<Instance>>,
    attachments: Vec<AttachmentKind>,
}

impl PlantedFault {
    /// Applies the fault to a scene and returns the parts that it replaced.
    pub(super) fn apply(self, scene: &mut Scene) -> ReplacedParts {
        let before = ReplacedParts {
            characters: scene.characters.clone(),
            people: scene.crowd.per_character.clone(),
            attachments: scene.attachments.clone(),
        };
        if self == Self::Empty {
            scene.crowd.per_character.iter_mut().for_each(Vec::clear);
            scene.attachments.clear();
            return before;
        }
        for character in &mut scene.characters {
            let matrices = self.matrices(&character.palettes);
            *character = Arc::new(character.with_matrices(matrices));
        }
        if let Self::Scaled(factor) = self {
            let carriers = scene.attachments.iter_mut().flat_map(|kind| &mut kind.carriers);
            carriers.flatten().for_each(|carried| carried.size *= factor);
        }
        before
    }

    fn matrices(self, palettes: &Palettes) -> Vec<Affine3A> {
        match self {
            Self::Scaled(factor) => {
                let scale = Affine3A::from_scale(Vec3::splat(factor));
                palettes.matrices.iter().map(|m| scale * *m).collect()
            }
            Self::Frozen => (0..palettes.frame_count)
                .flat_map(|frame| palettes.frame(first_frame(palettes, frame)).to_vec())
                .collect(),
            Self::Empty => palettes.matrices.to_vec(),
        }
    }
}

impl ReplacedParts {
    /// Restores the scene.
    pub(super) fn restore(self, scene: &mut Scene) {
        scene.characters = self.characters;
        scene.crowd.per_character = self.people;
        scene.attachments = self.attachments;
    }
}

/// Returns the first frame of the clip that a frame belongs to.
fn first_frame(palettes: &Palettes, frame: usize) -> usize {
    let firsts = palettes.clips.iter().map(|clip| clip.first_frame as usize);
    firsts.filter(|first| *first <= frame).max().unwrap_or(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, scene::StartupTimes};

    #[test]
    fn planted_faults_change_the_scene_and_are_undone() {
        let mut config = Config::scene("army").expect("embedded");
        config.scene.count = 8;
        let mut scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
        let own = scene.characters[0].palettes.matrices.to_vec();
        let people = scene.crowd.per_character.clone();
        let size = scene.attachments[0].carriers[0][0].size;
        for (name, control) in PLANTED_FAULTS {
            let before = control.apply(&mut scene);
            let palettes = &scene.characters[0].palettes;
            match control {
                PlantedFault::Empty => assert_eq!(scene.crowd.count() + scene.attachments.len(), 0),
                PlantedFault::Scaled(factor) => {
                    assert!((palettes.matrices[5].translation - own[5].translation * factor).length() < 1e-6);
                    assert_eq!(scene.attachments[0].carriers[0][0].size, size * factor);
                }
                PlantedFault::Frozen => {
                    let last = palettes.clips[0].first_frame as usize + palettes.clips[0].frame_count as usize - 1;
                    assert_eq!(palettes.frame(0), palettes.frame(last));
                    assert!(palettes.matrices[..] != own[..], "{name}");
                }
            }
            before.restore(&mut scene);
            assert_eq!(scene.characters[0].palettes.matrices[..], own[..], "{name}");
            assert_eq!(scene.crowd.per_character, people);
            assert_eq!(scene.attachments[0].carriers[0][0].size, size);
        }
    }
}
