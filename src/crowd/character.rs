//! Facts about characters that a crowd needs: clips with their lengths and ground speeds, and size.

use crate::character::Character;

/// A character as the crowd sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdCharacter {
    /// Name, for messages.
    pub name: String,
    /// Clips in the order of the atlas.
    pub clips: Vec<CrowdClip>,
    /// Scale of the character in the crowd, over that of its file.
    pub fit: f32,
}

/// A clip as the crowd sees it: time alone, independent of the number of baked frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrowdClip {
    /// Name; compared without regard to case.
    pub name: String,
    /// Duration (s).
    pub duration: f32,
    /// Ground speed that keeps the feet planted (m/s); 0 for clips in place.
    pub speed: f32,
}

impl CrowdCharacter {
    /// Facts about a character for a crowd of `count` people.
    #[must_use]
    pub fn of(character: &Character, count: u32) -> Self {
        Self {
            name: character.model.name.clone(),
            clips: CrowdClip::all_of(character),
            fit: character.crowd_scale(count),
        }
    }
}

impl CrowdClip {
    /// The clips of a character, in the order of its atlas.
    #[must_use]
    pub fn all_of(character: &Character) -> Vec<Self> {
        let clips = character.palettes.clips.iter().map(|clip| Self {
            name: clip.name.clone(),
            duration: clip.duration,
            speed: clip.speed,
        });
        clips.collect()
    }
}
