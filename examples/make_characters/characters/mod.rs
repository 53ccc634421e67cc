//! The cast: every character's rig, parts, materials and style of moving.

mod elder;
mod girl;
mod knight;
mod man;
mod woman;

use crate::actor::Actor;
use crate::parts::{Look, Part, Slot};
use glam::Vec3;

/// Everything needed to build one character.
pub struct Character {
    pub name: &'static str,
    pub actor: Actor,
    pub parts: Vec<Part>,
    pub looks: Vec<Look>,
    pub triangles: usize,
}

pub fn cast() -> Vec<Character> {
    vec![
        woman::build(),
        man::build(),
        girl::build(),
        elder::build(),
        knight::build(),
    ]
}

/// Brown leather, sRGB.
const LEATHER: u32 = 0x6e4a33;

/// Materials with the tintable slots in the order skin, hair, cloth, trim.
fn looks(skin: Vec3, hair: Vec3, cloth: Vec3, trim: Vec3) -> Vec<Look> {
    let look = |slot, color, roughness| Look { slot, color, roughness };
    vec![
        look(Slot::Skin, skin, 0.6),
        look(Slot::Hair, hair, 0.55),
        look(Slot::Cloth, cloth, 0.85),
        look(Slot::Trim, trim, 0.8),
        look(Slot::Details, Vec3::ONE, 0.35),
    ]
}
