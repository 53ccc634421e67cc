//! Picking: people under a ray.

use glam::Vec3;

use crate::{character::Character, model::Bounds};

/// One person of the crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PersonRef {
    /// Index of the character.
    pub character: usize,
    /// Index among the character's instances.
    pub index: u32,
}

/// Person whose box a ray enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickCandidate {
    /// Distance along the ray to the box (m).
    pub distance: f32,
    /// Person whose box it is.
    pub who: PersonRef,
}

/// Relative margin of boxes: packing for the GPU rounds positions.
const ROOM: f32 = 0.01;

/// Bounding box of a character over all clips, with a small margin, model space.
#[must_use]
pub fn all_clips_bounds(character: &Character) -> Bounds {
    let clips = character.palettes.clips.iter().map(|clip| clip.bounds);
    let all = clips.fold(character.rest_bounds, Bounds::union);
    let room = Vec3::splat(all.size().max_element() * ROOM);
    Bounds {
        min: all.min - room,
        max: all.max + room,
    }
}
