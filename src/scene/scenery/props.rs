//! Props on the plaza: positions of its fountain, trees, lamps and benches.

use std::f32::consts::TAU;

use glam::Vec3;

/// Kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prop {
    /// Basin and column in the middle, 3.2 m in radius.
    Fountain,
    /// A tree in its ring of earth.
    Tree,
    /// A street lamp.
    Lamp,
    /// A bench; its yaw is the heading of people who sit on it.
    Bench,
}

impl Prop {
    /// Radius around the middle of the object that people keep clear (m).
    #[must_use]
    pub const fn clearance(self) -> f32 {
        match self {
            Self::Fountain => 3.2,
            Self::Tree => 0.9,
            Self::Lamp => 0.6,
            // Includes the people who sit on the bench.
            Self::Bench => 1.6,
        }
    }
}

/// Place of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PropPlacement {
    /// Kind of prop.
    pub kind: Prop,
    /// Middle of its foot, world space (m).
    pub position: Vec3,
    /// Heading about +Y (radians): 0 faces +Z.
    pub yaw: f32,
}

/// Rings of objects around the fountain: kind, count, distance (m), offset as a share of one step.
const RINGS: [(Prop, u32, f32, f32); 4] = [
    (Prop::Bench, 8, 9.4, 0.5),
    (Prop::Lamp, 8, 9.4, 0.75),
    (Prop::Tree, 12, 19.0, 0.25),
    (Prop::Tree, 20, 34.0, 0.25),
];

/// Every object on the plaza, the fountain first.
#[must_use]
pub fn props() -> Vec<PropPlacement> {
    let fountain = PropPlacement {
        kind: Prop::Fountain,
        position: Vec3::ZERO,
        yaw: 0.0,
    };
    let ring = |(kind, count, radius, offset): (Prop, u32, f32, f32)| {
        (0..count).map(move |i| {
            let turn = (i as f32 + offset) / count as f32 * TAU;
            let position = Vec3::new(turn.sin(), 0.0, turn.cos()) * radius;
            // Objects of a ring face the fountain.
            let yaw = turn + std::f32::consts::PI;
            PropPlacement { kind, position, yaw }
        })
    };
    let rings = RINGS.into_iter().flat_map(ring);
    std::iter::once(fountain)
        .chain(rings.filter(|prop| !blocks_view(prop)))
        .collect()
}

/// True if an object would hide much of the first view, whose camera is on the side of +Z.
fn blocks_view(prop: &PropPlacement) -> bool {
    prop.kind == Prop::Tree && prop.position.z > 1.2 * prop.position.x.abs()
}
