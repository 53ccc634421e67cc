//! Tone mapping on the CPU: Khronos PBR Neutral (KhronosGroup/ToneMapping), then the sRGB transfer;
//! shaders/shared/tone.wgsl without its dither.

use glam::Vec3;

use super::transfer::{linear_from_srgb, srgb_from_linear};

/// Luminance weights of red, green and blue (ITU-R BT.709).
pub const LUMINANCE: Vec3 = Vec3::new(0.2126, 0.7152, 0.0722);

/// Below this value the offset shrinks with the colour, so that black stays black.
const TOE: f32 = 0.08;
/// Offset that the curve subtracts: Fresnel reflection at normal incidence.
const OFFSET: f32 = 0.04;
/// Start of highlight compression, after the offset.
const SHOULDER: f32 = 0.8 - OFFSET;

/// Khronos PBR Neutral tone mapper.
#[must_use]
pub fn pbr_neutral(color: Vec3) -> Vec3 {
    const DESATURATION: f32 = 0.15;
    let color = color - offset(color.min_element());
    let peak = color.max_element();
    if peak < SHOULDER {
        return color;
    }
    let d = 1.0 - SHOULDER;
    let new_peak = 1.0 - d * d / (peak + d - SHOULDER);
    let kept = 1.0 / (DESATURATION * (peak - new_peak) + 1.0);
    (color * (new_peak / peak)).lerp(Vec3::splat(new_peak), 1.0 - kept)
}

fn offset(least: f32) -> f32 {
    if least < TOE {
        least - 6.25 * least * least
    } else {
        OFFSET
    }
}

/// Display-encoded luminance (0 to 1) of linear, scene-referred light.
#[must_use]
pub fn display_luminance(color: Vec3) -> f32 {
    let mapped = pbr_neutral(color.max(Vec3::ZERO));
    srgb_from_linear(mapped.clamp(Vec3::ZERO, Vec3::ONE).dot(LUMINANCE))
}

/// [`display_luminance`] of grey light.
#[must_use]
pub fn display_of_grey(light: f32) -> f32 {
    display_luminance(Vec3::splat(light))
}

/// Grey light whose [`display_luminance`] is this: inverse of [`display_of_grey`], clamped just below white.
#[must_use]
pub fn grey_of_display(luminance: f32) -> f32 {
    let mapped = linear_from_srgb(luminance.clamp(0.0, 0.999));
    let d = 1.0 - SHOULDER;
    if mapped < 6.25 * TOE * TOE {
        (mapped / 6.25).sqrt()
    } else if mapped < SHOULDER {
        mapped + OFFSET
    } else {
        d * d / (1.0 - mapped) - d + SHOULDER + OFFSET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_of_display_inverts_display_of_grey() {
        for step in 0..=200 {
            let light = step as f32 * 0.01;
            let display = display_of_grey(light);
            assert!(
                (grey_of_display(display) - light).abs() < 2e-4 * (1.0 + light),
                "{light}: {display}"
            );
        }
        assert!(grey_of_display(1.0).is_finite());
    }
}
