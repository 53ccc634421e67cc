//! Who a view can see, and how large: CPU twin of shaders/shared/visible.wgsl, for tests and for
//! whoever wants to know without a GPU.

use glam::{Mat4, Vec3, Vec4};

use crate::{
    crowd::hash::{pcg, unit_fraction},
    render::resources::{BoundsRow, DrawLod},
};

/// Rows of what is too near to tell.
pub const ENDLESS_ROWS: f32 = 1e9;
/// Share of a level's range over which people change to it, one by one.
pub const SWITCH_SPREAD: f32 = 0.05;

/// Rows that a texel of the shadow map counts as: what is finer than two of them is lost where comparisons with
/// neighbours are blended.
pub const SUN_ROWS: f32 = 0.5;

/// A box in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldBox {
    /// Its middle, metres.
    pub centre: Vec3,
    /// Half of an edge, and below of the others, metres.
    pub x: Vec3,
    /// See `x`.
    pub y: Vec3,
    /// See `x`.
    pub z: Vec3,
    /// The part of each that full detail needs: levels are chosen by it.
    pub own: Vec3,
    /// Length of the model's upright axis in the world.
    pub scale: f32,
    /// Nothing is known of it: never culled.
    pub unknown: bool,
}

impl WorldBox {
    /// The box of someone at `position` with a heading (radians about +Y), whose axes are stretched by `shape`.
    #[must_use]
    pub fn placed(row: &BoundsRow, position: Vec3, yaw: f32, shape: Vec3) -> Self {
        let turn = glam::Quat::from_rotation_y(yaw);
        let extent = Vec3::from(row.extent) * shape;
        Self {
            centre: turn * (Vec3::from(row.centre) * shape) + position,
            x: turn * Vec3::X * extent.x,
            y: Vec3::Y * extent.y,
            z: turn * Vec3::Z * extent.z,
            own: own_part(row),
            scale: shape.y,
            unknown: row.unknown != 0,
        }
    }
}

fn own_part(row: &BoundsRow) -> Vec3 {
    1.0 - row.spare / Vec3::from(row.extent).max(Vec3::splat(row.spare + 1e-6))
}

fn extents_along(area: &WorldBox, direction: Vec3) -> Vec3 {
    Vec3::new(area.x.dot(direction), area.y.dot(direction), area.z.dot(direction)).abs()
}

/// How far a box reaches from its middle along a direction.
#[must_use]
pub fn extent_along(area: &WorldBox, direction: Vec3) -> f32 {
    extents_along(area, direction).element_sum()
}

/// Wholly on the far side of a plane.
#[must_use]
pub fn is_outside_plane(area: &WorldBox, plane: Vec4) -> bool {
    let direction = plane.truncate();
    direction.dot(area.centre) + plane.w < -extent_along(area, direction)
}

/// Wholly outside what a projection shows.
#[must_use]
pub fn is_outside(area: &WorldBox, projection_from_world: &Mat4) -> bool {
    let row = |number| projection_from_world.row(number);
    let planes = [
        row(3) + row(0),
        row(3) - row(0),
        row(3) + row(1),
        row(3) - row(1),
        row(2),
        row(3) - row(2),
    ];
    planes.into_iter().any(|plane| is_outside_plane(area, plane))
}

/// Not wholly between what a projection shows as nearest and as farthest, whichever depth that is.
#[must_use]
pub fn crosses_depth(area: &WorldBox, projection_from_world: &Mat4) -> bool {
    let [depth, w] = [2, 3].map(|number| projection_from_world.row(number));
    let within = |plane: Vec4| {
        let direction = plane.truncate();
        direction.dot(area.centre) + plane.w >= extent_along(area, direction)
    };
    !(within(depth) && within(w - depth))
}

/// Height in rows of a picture of so many rows, of someone so tall (metres at scale 1) who stands at
/// the nearest point of what full detail needs of the box.
#[must_use]
pub fn rows_of(area: &WorldBox, projection_from_world: &Mat4, sample_rows: f32, height: f32) -> f32 {
    let [up, away] = [1, 3].map(|number| projection_from_world.row(number));
    let nearest = away.truncate().dot(area.centre) + away.w - extents_along(area, away.truncate()).dot(area.own);
    if area.unknown || nearest.is_nan() || nearest <= 0.0 {
        return ENDLESS_ROWS;
    }
    0.5 * sample_rows * up.truncate().length() * height * area.scale / nearest
}

/// Height (sample rows) of a box from an eye (world, m), whichever way the eye looks: people behind it still cast
/// shadows into the view.
#[must_use]
pub fn rows_around(area: &WorldBox, eye: Vec3, projection_from_world: &Mat4, (sample_rows, height): (f32, f32)) -> f32 {
    let corner = Vec3::new(area.x.length(), area.y.length(), area.z.length());
    let nearest = area.centre.distance(eye) - (corner * area.own).length();
    if area.unknown || nearest.is_nan() || nearest <= 0.0 {
        return ENDLESS_ROWS;
    }
    let up = projection_from_world.row(1).truncate().length();
    0.5 * sample_rows * up * height * area.scale / nearest
}

/// The coarsest level that cannot be told from full detail at a height in rows, or up to `detail` times
/// that height; some change later than they could.
#[must_use]
pub fn lod_of(lods: &[DrawLod], index: u32, rows: f32, detail: f32) -> u32 {
    let factor = detail * (1.0 - SWITCH_SPREAD * unit_fraction(pcg(index)));
    let suffices = |lod: &DrawLod| lod.max_sample_rows * factor >= rows.max(1e-6);
    lods.iter().rposition(suffices).unwrap_or(0) as u32
}
