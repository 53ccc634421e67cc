//! Colour spaces of FLIP: opponent channels YCxCz for its filters, CIELAB for its distances. The white point is D65.

use glam::{Mat3, Vec3};

/// Matrix from linear sRGB to XYZ (IEC 61966-2-1), columns.
const XYZ_FROM_RGB: Mat3 = Mat3::from_cols(
    Vec3::new(0.412_386_56, 0.212_636_83, 0.019_330_62),
    Vec3::new(0.357_591_49, 0.715_182_98, 0.119_197_16),
    Vec3::new(0.180_450_49, 0.072_180_2, 0.950_372_6),
);
/// XYZ of the white point.
const WHITE: Vec3 = Vec3::new(0.950_428_5, 1.0, 1.088_900_4);
/// Exponent of colour distances: compresses large ones.
const DISTANCE_EXPONENT: f32 = 0.7;
/// Breakpoint of the error curve, as a share of the largest distance (p_c of the paper). Smaller distances map linearly
/// to errors below [`BREAKPOINT_ERROR`].
const BREAKPOINT_SHARE: f32 = 0.4;
/// Error at the breakpoint (p_t of the paper).
const BREAKPOINT_ERROR: f32 = 0.95;

/// Converts linear sRGB to opponent channels YCxCz, a linear CIELAB: luminance, red-green, blue-yellow.
pub(super) fn opponent(linear: Vec3) -> Vec3 {
    let v = XYZ_FROM_RGB * linear / WHITE;
    Vec3::new(116.0 * v.y - 16.0, 500.0 * (v.x - v.y), 200.0 * (v.y - v.z))
}

/// Converts opponent channels to linear sRGB, 0..1.
pub(super) fn from_opponent(channels: Vec3) -> Vec3 {
    let y = (channels.x + 16.0) / 116.0;
    let v = Vec3::new(y + channels.y / 500.0, y, y - channels.z / 200.0);
    (XYZ_FROM_RGB.inverse() * (v * WHITE)).clamp(Vec3::ZERO, Vec3::ONE)
}

/// Converts linear sRGB to CIELAB with chroma that fades in the dark (Hunt effect).
pub(super) fn hunt_lab(linear: Vec3) -> Vec3 {
    const DELTA: f32 = 6.0 / 29.0;
    let f = |t: f32| {
        if t > DELTA.powi(3) {
            t.cbrt()
        } else {
            t / (3.0 * DELTA * DELTA) + 4.0 / 29.0
        }
    };
    let v = (XYZ_FROM_RGB * linear / WHITE).to_array().map(f);
    let lightness = 116.0 * v[1] - 16.0;
    let chroma = 0.01 * lightness;
    Vec3::new(
        lightness,
        chroma * 500.0 * (v[0] - v[1]),
        chroma * 200.0 * (v[1] - v[2]),
    )
}

/// Error of two colours of [`hunt_lab`], 0..1: their HyAB distance (Abasi and others 2020), relative to the largest,
/// that of pure green and blue.
#[derive(Clone, Copy)]
pub(super) struct ColorError {
    largest: f32,
}

impl ColorError {
    pub(super) fn new() -> Self {
        let largest = distance(hunt_lab(Vec3::Y), hunt_lab(Vec3::Z));
        Self { largest }
    }

    pub(super) fn of(self, a: Vec3, b: Vec3) -> f32 {
        let (distance, breakpoint) = (distance(a, b), BREAKPOINT_SHARE * self.largest);
        if distance < breakpoint {
            return BREAKPOINT_ERROR / breakpoint * distance;
        }
        BREAKPOINT_ERROR + (distance - breakpoint) / (self.largest - breakpoint) * (1.0 - BREAKPOINT_ERROR)
    }
}

fn distance(a: Vec3, b: Vec3) -> f32 {
    let d = a - b;
    (d.x.abs() + d.y.hypot(d.z)).powf(DISTANCE_EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponent_channels_round_trip() {
        for color in [Vec3::new(0.2, 0.5, 0.9), Vec3::ONE, Vec3::new(0.0, 0.01, 0.0)] {
            assert!(from_opponent(opponent(color)).distance(color) < 1e-5);
        }
        // White is as light as it gets and has no colour.
        assert!(opponent(Vec3::ONE).distance(Vec3::new(100.0, 0.0, 0.0)) < 1e-2);
        assert!(hunt_lab(Vec3::ONE).distance(Vec3::new(100.0, 0.0, 0.0)) < 1e-2);
    }
}
