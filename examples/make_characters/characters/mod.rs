//! Cast: every character's rig, parts, materials and style of motion.

mod elder;
mod girl;
mod knight;
mod man;
mod woman;

use crate::actor::Actor;
use crate::parts::{Look, Part, Slot, Tints};
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

/// Returns the materials that all material variants share; the tintable ones come in the order skin, hair, cloth, trim.
fn looks(skin: Vec3, hair: Vec3, cloth: Vec3, trim: Vec3) -> Vec<Look> {
    vec![
        Look::new(Slot::Skin, skin, 0.6),
        Look::new(Slot::Hair, hair, 0.55),
        Look::new(Slot::Cloth, cloth, 0.85),
        Look::new(Slot::Trim, trim, 0.8),
        Look::new(Slot::Details, Vec3::ONE, 0.35),
    ]
}

/// Makes a material whose colour depends on the material variant; `color` is its own, and that of the first variant.
fn variant_look(slot: Slot, color: Vec3, tints: [&'static str; 8]) -> Look {
    Look {
        tints: Tints::ByMaterialVariant(tints),
        ..Look::new(slot, color, 0.8)
    }
}
