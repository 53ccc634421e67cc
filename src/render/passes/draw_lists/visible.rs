//! Visibility and size of bounding boxes in a view. CPU twin of shaders/shared/visible.wgsl, for tests and for use
//! without a GPU.

use glam::{Mat4, Vec3, Vec4};

use crate::{
    crowd::hash::{pcg, unit_fraction},
    render::resources::{BoundsRow, DrawLod},
};

/// Height (sample rows) of boxes that reach the eye or are unknown.
pub const ENDLESS_ROWS: f32 = 1e9;
/// Fraction of an LOD's range over which people switch to it, one by one.
pub const SWITCH_SPREAD: f32 = 0.05;

/// Sample rows that a texel of the shadow map counts as. Details finer than two texels are lost, since filtering blends
/// comparisons with neighbours.
pub const ROWS_PER_SHADOW_TEXEL: f32 = 0.5;

/// Oriented box in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldBox {
    /// Centre (m).
    pub centre: Vec3,
    /// Half of the first edge (m).
    pub x: Vec3,
    /// Half of the second edge (m).
    pub y: Vec3,
    /// Half of the third edge (m).
    pub z: Vec3,
    /// Fraction of each half edge that the full mesh needs; LODs are selected by it.
    pub own: Vec3,
    /// Length of the model's upright axis in world space.
    pub scale: f32,
    /// True if the bounds are unknown; such a box is never culled.
    pub unknown: bool,
}

impl WorldBox {
    /// Box of an instance at `position` (m) with heading `yaw` (rad about +Y), its axes scaled by `shape`.
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

/// Half extent of a box along a direction.
#[must_use]
pub fn extent_along(area: &WorldBox, direction: Vec3) -> f32 {
    extents_along(area, direction).element_sum()
}

/// True if a box lies entirely outside a plane.
#[must_use]
pub fn is_outside_plane(area: &WorldBox, plane: Vec4) -> bool {
    let direction = plane.truncate();
    direction.dot(area.centre) + plane.w < -extent_along(area, direction)
}

/// True if a box lies entirely outside the view frustum.
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

/// True unless a box lies entirely between the near and the far plane, in either depth convention.
#[must_use]
pub fn crosses_depth(area: &WorldBox, projection_from_world: &Mat4) -> bool {
    let [depth, w] = [2, 3].map(|number| projection_from_world.row(number));
    let within = |plane: Vec4| {
        let direction = plane.truncate();
        direction.dot(area.centre) + plane.w >= extent_along(area, direction)
    };
    !(within(depth) && within(w - depth))
}

/// Height (sample rows) of an instance at the nearest point of the part of its box that the full mesh needs.
/// `sample_rows` is the height of the picture, `height` that of the instance (m at scale 1).
#[must_use]
pub fn rows_of(area: &WorldBox, projection_from_world: &Mat4, sample_rows: f32, height: f32) -> f32 {
    let [up, away] = [1, 3].map(|number| projection_from_world.row(number));
    let nearest = away.truncate().dot(area.centre) + away.w - extents_along(area, away.truncate()).dot(area.own);
    if area.unknown || nearest.is_nan() || nearest <= 0.0 {
        return ENDLESS_ROWS;
    }
    0.5 * sample_rows * up.truncate().length() * height * area.scale / nearest
}

/// Height (sample rows) of a box seen from `eye` (m, world space), whichever way the camera looks. People behind the
/// camera still cast shadows into the view.
#[must_use]
pub fn rows_around(area: &WorldBox, eye: Vec3, projection_from_world: &Mat4, sample_rows: f32, height: f32) -> f32 {
    let corner = Vec3::new(area.x.length(), area.y.length(), area.z.length());
    let nearest = area.centre.distance(eye) - (corner * area.own).length();
    if area.unknown || nearest.is_nan() || nearest <= 0.0 {
        return ENDLESS_ROWS;
    }
    let up = projection_from_world.row(1).truncate().length();
    0.5 * sample_rows * up * height * area.scale / nearest
}

/// Coarsest LOD that looks like the full mesh at a height of `rows` (sample rows). `detail` scales the heights up to
/// which LODs are used. A hash of `index` lowers them by up to [`SWITCH_SPREAD`], so that people switch one by one.
#[must_use]
pub fn lod_of(lods: &[DrawLod], index: u32, rows: f32, detail: f32) -> u32 {
    let factor = detail * (1.0 - SWITCH_SPREAD * unit_fraction(pcg(index)));
    let suffices = |lod: &DrawLod| lod.max_sample_rows * factor >= rows.max(1e-6);
    lods.iter().rposition(suffices).unwrap_or(0) as u32
}
