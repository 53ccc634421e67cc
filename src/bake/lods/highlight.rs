//! Specular highlight of a sun on a surface, and its derivative by the normal.

use std::f32::consts::PI;

use glam::Vec3;

use crate::bake::lods::surface_color::{HEAD_ON, SUNLIGHT};

/// Specular reflection of a sun by a dielectric surface, equal for every channel, and its derivative by the normal. The
/// model is GGX (Walter 2007) with the visibility term of Smith and Schlick (`shade` of shaders/shared/light.wgsl). It
/// matters most in dark clothes under a low sun.
pub(super) fn highlight([normal, towards]: [Vec3; 2], roughness: Option<f32>, sun: Vec3) -> (f32, Vec3) {
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
    pub(super) fn on(&self, normal: Vec3, roughness: Option<f32>) -> (f32, Vec3) {
        let Self { towards, sun, halfway } = *self;
        let n_l = normal.dot(sun);
        match roughness.filter(|_| n_l > 0.0) {
            Some(roughness) => {
                let halfway = halfway.unwrap_or_else(|| (normal, fresnel(towards, normal)));
                mirrored([normal, towards, sun], halfway, (n_l, roughness))
            }
            None => (0.0, Vec3::ZERO),
        }
    }
}

/// Fresnel reflectance (Schlick 1994).
fn fresnel(towards: Vec3, halfway: Vec3) -> f32 {
    HEAD_ON + (1.0 - HEAD_ON) * (1.0 - towards.dot(halfway).max(0.0)).powi(5)
}

fn mirrored(
    [normal, towards, sun]: [Vec3; 3],
    (halfway, fresnel): (Vec3, f32),
    (n_l, roughness): (f32, f32),
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
                let (light, slope) = highlight([normal, towards], Some(roughness), sun);
                assert!(light >= 0.0 && slope.dot(normal).abs() <= 1e-4 * (1.0 + slope.length()));
                for axis in [
                    normal.any_orthonormal_vector(),
                    normal.cross(normal.any_orthonormal_vector()),
                ] {
                    let turned = |by: f32| (normal + axis * by).normalize();
                    let at = |by: f32| highlight([turned(by), towards], Some(roughness), sun).0;
                    let gained = (at(1e-3) - at(-1e-3)) / 2e-3;
                    let off = (gained - slope.dot(axis)).abs();
                    assert!(
                        off <= 0.01 * slope.length() + 1e-3,
                        "{sun} {roughness}: {gained} {slope}"
                    );
                }
            }
        }
        assert_eq!(highlight([Vec3::Y, Vec3::Y], Some(0.5), Vec3::NEG_Y), (0.0, Vec3::ZERO));
        assert_eq!(highlight([Vec3::Y, Vec3::Y], None, Vec3::Y), (0.0, Vec3::ZERO));
    }
}
