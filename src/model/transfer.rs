//! sRGB transfer functions between linear light and display values (IEC 61966-2-1); shaders/shared/transfer.wgsl.

/// Linear light of a display value, both 0 to 1.
#[must_use]
pub fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// Display value of linear light, both 0 to 1; input is clamped.
#[must_use]
pub fn srgb_from_linear(light: f32) -> f32 {
    let light = light.clamp(0.0, 1.0);
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_bytes_round_trip() {
        for byte in 0..=255_u8 {
            let light = linear_from_srgb(f32::from(byte) / 255.0);
            assert_eq!((srgb_from_linear(light) * 255.0).round(), f32::from(byte));
        }
        assert_eq!(srgb_from_linear(-1.0), 0.0);
        assert!((srgb_from_linear(7.0) - 1.0).abs() < 1e-6);
        assert!((linear_from_srgb(0.5) - 0.214_04).abs() < 1e-5);
    }
}
