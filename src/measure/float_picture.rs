//! Display-referred pictures in floating point.

use glam::Vec3;
use rayon::prelude::*;

use crate::model::{LUMINANCE, display_luminance, linear_from_srgb, pbr_neutral, srgb_from_linear};

/// Picture encoded with the sRGB transfer function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FloatPicture {
    /// Width and height (px).
    pub size: (u32, u32),
    /// Red, green and blue, 0..1, rows top to bottom.
    pub pixels: Vec<[f32; 3]>,
}

impl FloatPicture {
    /// Tone maps linear, scene-referred colours with Khronos PBR Neutral, then encodes them as sRGB. Equals
    /// `shaders/tonemap.wgsl` without its dither. `exposure` is a linear factor.
    #[must_use]
    pub fn of_radiance(radiance: &[[f32; 3]], exposure: f32, size: (u32, u32)) -> Self {
        let shown = |color: &[f32; 3]| {
            let mapped = pbr_neutral((Vec3::from(*color) * exposure).max(Vec3::ZERO));
            mapped.to_array().map(srgb_from_linear)
        };
        Self {
            size,
            pixels: radiance.par_iter().map(shown).collect(),
        }
    }

    /// Returns the luminance of every pixel as a display encodes it, 0..1.
    #[must_use]
    pub fn luminance(&self) -> Vec<f32> {
        let luminance = |color: &[f32; 3]| srgb_from_linear(Vec3::from(color.map(linear_from_srgb)).dot(LUMINANCE));
        self.pixels.par_iter().map(luminance).collect()
    }

    /// Returns the [`FloatPicture::luminance`] of a colour after [`FloatPicture::of_radiance`], with one power function
    /// instead of seven.
    #[must_use]
    pub fn luminance_of_radiance(color: [f32; 3], exposure: f32) -> f32 {
        display_luminance(Vec3::from(color) * exposure)
    }

    /// Returns RGBA8 in sRGB, rounded to the nearest.
    #[must_use]
    pub fn to_rgba8(&self) -> Vec<u8> {
        let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        let rgba = |color: &[f32; 3]| [byte(color[0]), byte(color[1]), byte(color[2]), 255];
        self.pixels.iter().flat_map(rgba).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_colours_stay_and_lights_never_clip() {
        // Between toe and shoulder, the tone mapper subtracts 0.04, which is what Fresnel adds.
        let picture = FloatPicture::of_radiance(&[[0.54, 0.34, 0.14], [90.0, 50.0, 10.0]], 1.0, (2, 1));
        let light = picture.pixels[0].map(linear_from_srgb);
        for (light, expected) in light.iter().zip([0.5, 0.3, 0.1]) {
            assert!((light - expected).abs() < 1e-5, "{light}");
        }
        assert!(picture.pixels[1].iter().all(|v| (0.9..1.0).contains(v)), "{picture:?}");
        let brighter = FloatPicture::of_radiance(&[[0.27, 0.17, 0.07]], 2.0, (1, 1));
        assert!((brighter.pixels[0][0] - picture.pixels[0][0]).abs() < 1e-6);
    }

    #[test]
    fn luminance_of_radiance_equals_that_of_the_picture() {
        let light = |number: u32| [1, 7, 31].map(|step: u32| (number * step % 97) as f32 / 24.0);
        let radiance: Vec<[f32; 3]> = (0..200).map(light).collect();
        let picture = FloatPicture::of_radiance(&radiance, 0.9, (200, 1));
        for (color, expected) in radiance.iter().zip(picture.luminance()) {
            let own = FloatPicture::luminance_of_radiance(*color, 0.9);
            assert!((own - expected).abs() < 1e-6, "{own} instead of {expected}");
        }
    }

    #[test]
    fn the_luminance_of_grey_is_grey() {
        let picture = FloatPicture {
            size: (2, 1),
            pixels: vec![[0.5; 3], [0.0, 1.0, 0.0]],
        };
        let luminance = picture.luminance();
        assert!((luminance[0] - 0.5).abs() < 1e-6);
        assert!((linear_from_srgb(luminance[1]) - 0.7152).abs() < 1e-5);
        assert_eq!(picture.to_rgba8()[..4], [128, 128, 128, 255]);
    }
}
