//! Model space to [`UnitSpace`] and back: `m_unit = U⁻¹ · m_model · U` with
//! `U = translate(centre) · scale(half_extent)`.

use glam::{Affine3A, Vec3, Vec3A};

use crate::model::UnitSpace;

/// Converts a matrix from model space to unit space. The 3x3 part does not change.
#[must_use]
pub fn from_model(space: &UnitSpace, m: Affine3A) -> Affine3A {
    let centre = Vec3A::from(space.centre);
    Affine3A {
        matrix3: m.matrix3,
        translation: (m.matrix3 * centre + m.translation - centre) / space.half_extent,
    }
}

/// Converts a matrix from unit space to model space.
#[must_use]
pub fn to_model(space: &UnitSpace, m: Affine3A) -> Affine3A {
    let centre = Vec3A::from(space.centre);
    Affine3A {
        matrix3: m.matrix3,
        translation: m.translation * space.half_extent + centre - m.matrix3 * centre,
    }
}

/// Converts a point from model space to unit space.
#[must_use]
pub fn point(space: &UnitSpace, p: Vec3) -> Vec3A {
    Vec3A::from(p - space.centre) / space.half_extent
}
