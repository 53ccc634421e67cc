//! Parts of a character: each is a shape with a material slot and a skinning method.

use crate::sdf::Shape;
use glam::{Vec3, vec3};

/// Material of a part; see [`Look::tints`] for the colours of an instance that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    Skin,
    Hair,
    Cloth,
    Trim,
    /// Eyes, mouth, metal, leather: coloured by its vertices, never tinted.
    Details,
    /// Bare, or in sleeves.
    Arms,
    /// Bare, or in stockings.
    Legs,
    /// Clothes above the belt, below it, on the head, around the neck and over the shoulders, if these differ.
    Top,
    Bottom,
    Hat,
    Scarf,
    Straps,
    /// Bare metal, smooth enough to shine.
    Steel,
}

pub const SLOTS: [Slot; 13] = [
    Slot::Skin,
    Slot::Hair,
    Slot::Cloth,
    Slot::Trim,
    Slot::Details,
    Slot::Arms,
    Slot::Legs,
    Slot::Top,
    Slot::Bottom,
    Slot::Hat,
    Slot::Scarf,
    Slot::Straps,
    Slot::Steel,
];

impl Slot {
    pub fn name(self) -> &'static str {
        match self {
            Slot::Skin => "skin",
            Slot::Hair => "hair",
            Slot::Cloth => "cloth",
            Slot::Trim => "trim",
            Slot::Details => "details",
            Slot::Arms => "arms",
            Slot::Legs => "legs",
            Slot::Top => "top",
            Slot::Bottom => "bottom",
            Slot::Hat => "hat",
            Slot::Scarf => "scarf",
            Slot::Straps => "straps",
            Slot::Steel => "steel",
        }
    }
}

/// Skinning method of a part.
#[derive(Clone, Debug)]
pub enum Skin {
    Rigid(usize),
    /// Trunk, head, arms and legs by the planes between the joints.
    Body,
    /// As `Body` without the arms, for garments whose hem may touch a hanging arm.
    Trunk,
    /// A ring of hinged panels below the waist.
    Skirt(SkirtSkin),
    /// A strand: `joints[i]` takes over from `joints[i - 1]` at `points[i]`.
    Chain {
        joints: Vec<usize>,
        points: Vec<Vec3>,
    },
}

/// Panel joints in order around the body, starting in front (+Z) and turning to the left (+X).
#[derive(Clone, Debug)]
pub struct SkirtSkin {
    pub panels: Vec<usize>,
    /// Height where the panels begin to take over from the hips, and the depth of that blend.
    pub top: f32,
    pub blend: f32,
}

/// Linear colour multiplied into the vertex colours, by rest position.
pub type Paint = Box<dyn Fn(Vec3) -> Vec3>;

pub struct Part {
    pub shape: Shape,
    pub slot: Slot,
    pub skin: Skin,
    /// Grid spacing of the polygonization (m).
    pub grid: f32,
    /// Weight of this part in the simplifier; 1 is average.
    pub detail: f32,
    /// True if triangles of other parts inside this one are dropped.
    pub hides_inner: bool,
    pub paint: Paint,
}

impl Part {
    pub fn new(shape: Shape, slot: Slot, skin: Skin) -> Self {
        let paint = Box::new(|_| Vec3::ONE);
        Self {
            shape,
            slot,
            skin,
            grid: 0.008,
            detail: 1.0,
            hides_inner: false,
            paint,
        }
    }

    pub fn grid(mut self, grid: f32) -> Self {
        self.grid = grid;
        self
    }

    pub fn detail(mut self, detail: f32) -> Self {
        self.detail = detail;
        self
    }

    pub fn hides_inner(mut self) -> Self {
        self.hides_inner = true;
        self
    }

    pub fn color(self, c: Vec3) -> Self {
        self.paint(move |_| c)
    }

    pub fn paint(mut self, paint: impl Fn(Vec3) -> Vec3 + 'static) -> Self {
        self.paint = Box::new(paint);
        self
    }
}

/// Converts a `0xRRGGBB` sRGB code to a linear colour.
pub fn srgb(code: u32) -> Vec3 {
    let channel = |shift: u32| {
        let c = ((code >> shift) & 255) as f32 / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    };
    vec3(channel(16), channel(8), channel(0))
}

/// Choice of the instance colour that a material takes.
#[derive(Clone, Copy, Debug)]
pub enum Tints {
    /// Colour of the material itself.
    None,
    /// One colour in all material variants: skin, hair, cloth or trim.
    One(&'static str),
    /// Colour by material variant, of eight; "none" for the material's own.
    ByMaterialVariant([&'static str; 8]),
}

/// Base colour and roughness of one material.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub slot: Slot,
    pub color: Vec3,
    pub roughness: f32,
    pub tints: Tints,
}

impl Look {
    /// Makes a look that all material variants share. Skin, hair, cloth and trim take a colour of the instance; other
    /// slots keep their own.
    pub fn new(slot: Slot, color: Vec3, roughness: f32) -> Self {
        let tints = match slot {
            Slot::Skin | Slot::Hair | Slot::Cloth | Slot::Trim => Tints::One(slot.name()),
            _ => Tints::None,
        };
        Self {
            slot,
            color,
            roughness,
            tints,
        }
    }
}
