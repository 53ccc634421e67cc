//! Haze by distance (Koschmieder 1924): contrast falls to 2 % at the visibility.

use glam::{Vec2, Vec3};

use crate::{
    aov::{AovImages, FrameParameters},
    dataset::effects::{encoded, linear},
    render::passes::AovKind,
};

/// Optical depth at the visibility: the contrast is 2 % there.
const AT_VISIBILITY: f32 = 3.912;
/// Height of the layer of haze (m), which bounds its depth in front of the sky.
const LAYER: f32 = 400.0;
/// Light of haze in pictures without sky, linear.
const USUAL: Vec3 = Vec3::new(0.32, 0.36, 0.41);

/// Adds haze of a visibility (m) to a picture (RGBA8 in sRGB).
pub(super) fn add(color: &mut [u8], visibility: f32, moment: &FrameParameters, aovs: &AovImages) {
    let depth = aovs.floats(AovKind::Depth);
    let light = light_of(color, depth);
    let density = AT_VISIBILITY / visibility.max(1e-3);
    let (width, height) = aovs.size;
    let pixels = color.chunks_exact_mut(4).zip(depth);
    for (place, (pixel, &depth)) in (0_u32..).zip(pixels) {
        let at = Vec2::new((place % width) as f32 + 0.5, (place / width) as f32 + 0.5);
        let ray = moment.ray(at, (width, height));
        let distance = if depth.is_finite() {
            depth / ray.dot(moment.camera.forward()).max(1e-3)
        } else {
            LAYER / ray.y.max(1e-3)
        };
        let kept = (-density * distance).exp();
        for (byte, own) in pixel.iter_mut().zip(light.to_array()) {
            *byte = encoded(own + (linear(*byte) - own) * kept);
        }
    }
}

/// Returns the mean light of the sky, or the usual one where the picture shows hardly any.
fn light_of(color: &[u8], depth: &[f32]) -> Vec3 {
    let sky = color
        .chunks_exact(4)
        .zip(depth)
        .filter(|(_, depth)| depth.is_infinite());
    let (sum, count) = sky.fold((Vec3::ZERO, 0_u32), |(sum, count), (pixel, _)| {
        let own = Vec3::new(linear(pixel[0]), linear(pixel[1]), linear(pixel[2]));
        (sum + own, count + 1)
    });
    if (count as usize) * 200 < depth.len() {
        return USUAL;
    }
    sum / count as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{aov::AovValues, config::Config, view::Camera};

    #[test]
    fn contrast_falls_to_two_percent_at_the_visibility() {
        let mut config = Config::default();
        (config.window.width, config.window.height) = (4, 1);
        let camera = Camera {
            eye: Vec3::ZERO,
            target: Vec3::NEG_Z,
            fov: 0.01,
        };
        let moment = FrameParameters::seen_by(&config, camera, 0.0);
        let mut aovs = AovImages {
            size: (4, 1),
            ..AovImages::default()
        };
        let depth = vec![1e-3, 50.0, 100.0, f32::INFINITY];
        aovs.layers.insert(AovKind::Depth, AovValues::F32(depth));
        let mut color = [[0, 0, 0, 255], [0, 0, 0, 255], [0, 0, 0, 255], [188, 188, 188, 255]].concat();
        add(&mut color, 100.0, &moment, &aovs);
        let light = |at: usize| linear(color[4 * at]);
        assert!(light(0) < 0.002, "nothing before the lens");
        assert!((light(2) / linear(188) - 0.98).abs() < 0.01, "{}", light(2));
        assert!(light(1) > 0.8 * light(2) && light(1) < light(2));
        assert_eq!(color[3], 255);
    }
}
