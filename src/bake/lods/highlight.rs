//! Specular highlight of a sun on a surface, and its derivative by the normal.

use std::f32::consts::PI;

use glam::{BVec4A, Vec3, Vec4};

use crate::bake::lods::surface_color::{HEAD_ON, SUNLIGHT};

/// Specular reflection of a sun by a dielectric surface, equal for every channel, and its derivative by the normal. The
/// model is GGX (Walter 2007) with the visibility term of Smith and Schlick (`shade` of shaders/shared/light.wgsl). It
/// matters most in dark clothes under a low sun.
pub(super) fn highlight(normal: Vec3, towards: Vec3, roughness: Option<f32>, sun: Vec3) -> (f32, Vec3) {
    Highlights::new(towards, sun).on(normal, roughness)
}

/// Specular reflection of one sun towards one viewer.
#[derive(Clone, Copy)]
pub(super) struct Highlights {
    towards: Vec3,
    sun: Vec3,
    /// Halfway direction and the Fresnel reflectance there; `None` if viewer and sun are opposite.
    halfway: Option<(Vec3, f32)>,
}

impl Highlights {
    pub(super) fn new(towards: Vec3, sun: Vec3) -> Self {
        let halfway = (towards + sun).try_normalize();
        Self {
            towards,
            sun,
            halfway: halfway.map(|halfway| (halfway, fresnel(towards, halfway))),
        }
    }

    /// Highlight on a surface with this normal, see [`highlight`].
    // Inlined, so that callers who need no derivative do not pay for it.
    #[inline]
    pub(super) fn on(&self, normal: Vec3, roughness: Option<f32>) -> (f32, Vec3) {
        let Self { towards, sun, halfway } = *self;
        let n_l = normal.dot(sun);
        match roughness.filter(|_| n_l > 0.0) {
            Some(roughness) => {
                let (halfway, fresnel) = halfway.unwrap_or_else(|| (normal, fresnel(towards, normal)));
                mirrored(normal, towards, sun, halfway, fresnel, n_l, roughness)
            }
            None => (0.0, Vec3::ZERO),
        }
    }
}

impl Highlights {
    /// Highlights on four surfaces, one in each lane, as [`Self::on`] computes them one by one. `shines` marks those
    /// that have any.
    pub(super) fn on_four(&self, normal: &[Vec4; 3], roughness: Vec4, shines: BVec4A) -> (Vec4, [Vec4; 3]) {
        let n_l = dot(normal, self.sun);
        let lit = n_l.cmpgt(Vec4::ZERO) & shines;
        if !lit.any() {
            return (Vec4::ZERO, [Vec4::ZERO; 3]);
        }
        let (halfway, fresnel) = self.halfway_of_four(normal);
        let n_h = sum_of_products(normal, &halfway).max(Vec4::ZERO);
        let n_v = dot(normal, self.towards).max(Vec4::splat(1e-3));
        let alpha = (roughness * roughness).max(Vec4::splat(0.02));
        let squared = alpha * alpha;
        let spread = n_h * n_h * (squared - 1.0) + 1.0;
        let distribution = squared / (PI * spread * spread);
        let k = 0.5 * alpha;
        let [masked_l, masked_v] = [n_l, n_v].map(|cosine| cosine * (1.0 - k) + k);
        let light = fresnel * distribution * 0.25 / (masked_l * masked_v) * n_l * PI * SUNLIGHT;
        let [of_halfway, of_sun, of_viewer] = [
            4.0 * n_h * (1.0 - squared) / spread,
            1.0 / n_l - (1.0 - k) / masked_l,
            (1.0 - k) / masked_v,
        ];
        let (sun, towards) = (self.sun.to_array(), self.towards.to_array());
        let along: [Vec4; 3] =
            std::array::from_fn(|i| halfway[i] * of_halfway + sun[i] * of_sun - towards[i] * of_viewer);
        let outward = sum_of_products(normal, &along);
        let slope = std::array::from_fn(|i| Vec4::select(lit, (along[i] - normal[i] * outward) * light, Vec4::ZERO));
        (Vec4::select(lit, light, Vec4::ZERO), slope)
    }

    fn halfway_of_four(&self, normal: &[Vec4; 3]) -> ([Vec4; 3], Vec4) {
        if let Some((halfway, fresnel)) = self.halfway {
            return (halfway.to_array().map(Vec4::splat), Vec4::splat(fresnel));
        }
        let of_lane = |i: usize| fresnel(self.towards, Vec3::new(normal[0][i], normal[1][i], normal[2][i]));
        (*normal, Vec4::from_array(std::array::from_fn(of_lane)))
    }
}

/// Scalar products of four vectors with one.
pub(super) fn dot(vectors: &[Vec4; 3], other: Vec3) -> Vec4 {
    vectors[0] * other.x + vectors[1] * other.y + vectors[2] * other.z
}

/// Scalar products of four pairs of vectors.
pub(super) fn sum_of_products(a: &[Vec4; 3], b: &[Vec4; 3]) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Fresnel reflectance (Schlick 1994).
fn fresnel(towards: Vec3, halfway: Vec3) -> f32 {
    HEAD_ON + (1.0 - HEAD_ON) * (1.0 - towards.dot(halfway).max(0.0)).powi(5)
}

#[inline]
fn mirrored(
    normal: Vec3,
    towards: Vec3,
    sun: Vec3,
    halfway: Vec3,
    fresnel: f32,
    n_l: f32,
    roughness: f32,
) -> (f32, Vec3) {
    let n_h = normal.dot(halfway).max(0.0);
    let n_v = normal.dot(towards).max(1e-3);
    let alpha = (roughness * roughness).max(0.02);
    let squared = alpha * alpha;
    let spread = n_h * n_h * (squared - 1.0) + 1.0;
    let distribution = squared / (PI * spread * spread);
    let k = 0.5 * alpha;
    let [masked_l, masked_v] = [n_l, n_v].map(|cosine| cosine * (1.0 - k) + k);
    // A white surface reflects `SUNLIGHT` in all directions, which is the sun's irradiance over pi.
    let light = fresnel * distribution * 0.25 / (masked_l * masked_v) * n_l * PI * SUNLIGHT;
    // Logarithmic derivative of each factor.
    let along = halfway * (4.0 * n_h * (1.0 - squared) / spread) + sun * (1.0 / n_l - (1.0 - k) / masked_l)
        - towards * ((1.0 - k) / masked_v);
    (light, (along - normal * normal.dot(along)) * light)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::lods::surface_color::suns;

    #[test]
    fn the_slope_of_a_highlight_is_what_it_gains_as_the_normal_turns() {
        let towards = Vec3::new(0.2, 0.4, 0.9).normalize();
        for sun in suns(0.3, None) {
            for roughness in [0.3, 0.5, 0.9] {
                let normal = (towards + sun * 0.6 + Vec3::X * 0.2).normalize();
                let (light, slope) = highlight(normal, towards, Some(roughness), sun);
                assert!(light >= 0.0 && slope.dot(normal).abs() <= 1e-4 * (1.0 + slope.length()));
                for axis in [
                    normal.any_orthonormal_vector(),
                    normal.cross(normal.any_orthonormal_vector()),
                ] {
                    let turned = |by: f32| (normal + axis * by).normalize();
                    let at = |by: f32| highlight(turned(by), towards, Some(roughness), sun).0;
                    let gained = (at(1e-3) - at(-1e-3)) / 2e-3;
                    let off = (gained - slope.dot(axis)).abs();
                    assert!(
                        off <= 0.01 * slope.length() + 1e-3,
                        "{sun} {roughness}: {gained} {slope}"
                    );
                }
            }
        }
        assert_eq!(highlight(Vec3::Y, Vec3::Y, Some(0.5), Vec3::NEG_Y), (0.0, Vec3::ZERO));
        assert_eq!(highlight(Vec3::Y, Vec3::Y, None, Vec3::Y), (0.0, Vec3::ZERO));
    }
}
