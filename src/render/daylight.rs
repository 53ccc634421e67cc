//! Daylight by the height of the sun on a clear day: sky, sun, ambient light, exposure.
//!
//! It is not simulated: colours at a few heights are blended. They were set by eye after photographs and after a sky
//! model: Hosek and Wilkie, "An Analytic Model for Full Spectral Sky-Dome Radiance", 2012. The key at 38 degrees is the
//! late morning in which all other colours were tuned.

use glam::Vec3;

/// Colours of a moment of the day; linear, scene-referred, in the units of [`Sun::irradiance`](super::Sun::irradiance).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Daylight {
    /// Radiance of the sky straight above.
    pub zenith: Vec3,
    /// Radiance of the sky at the horizon.
    pub horizon: Vec3,
    /// Radiance added at the horizon below the sun.
    pub haze: Vec3,
    /// Exponent of the cosine from the sun with which the haze falls off.
    pub haze_falloff: f32,
    /// Tint and strength of the sun; zero once it has set.
    pub sun_color: Vec3,
    /// Radiance on a surface that faces up.
    pub ambient_above: Vec3,
    /// Radiance on a surface that faces down.
    pub ambient_below: Vec3,
    /// Exposure (stops) added by an eye that has adapted to the light.
    pub adaptation: f32,
}

/// Keys: degrees of the sun above the horizon, and the light then.
const KEYS: [(f32, Daylight); 8] = [
    (
        -6.0,
        of(
            [0.010, 0.018, 0.050],
            [0.060, 0.060, 0.095],
            [0.300, 0.110, 0.060],
            2.0,
            [0.0; 3],
            [0.034, 0.044, 0.082],
            [0.022, 0.022, 0.030],
            1.7,
        ),
    ),
    (
        -1.0,
        of(
            [0.030, 0.062, 0.155],
            [0.200, 0.170, 0.200],
            [0.750, 0.280, 0.110],
            2.5,
            [0.0; 3],
            [0.100, 0.118, 0.190],
            [0.062, 0.056, 0.062],
            1.2,
        ),
    ),
    (
        0.0,
        of(
            [0.036, 0.078, 0.190],
            [0.250, 0.212, 0.230],
            [0.840, 0.330, 0.125],
            2.8,
            [0.0; 3],
            [0.120, 0.142, 0.226],
            [0.076, 0.068, 0.072],
            1.0,
        ),
    ),
    (
        2.5,
        of(
            [0.050, 0.115, 0.280],
            [0.370, 0.330, 0.320],
            [0.950, 0.420, 0.160],
            3.2,
            [0.500, 0.210, 0.075],
            [0.170, 0.200, 0.310],
            [0.112, 0.096, 0.090],
            0.7,
        ),
    ),
    (
        8.0,
        of(
            [0.075, 0.180, 0.430],
            [0.500, 0.530, 0.560],
            [0.800, 0.490, 0.250],
            4.0,
            [0.820, 0.530, 0.300],
            [0.290, 0.350, 0.500],
            [0.200, 0.170, 0.145],
            0.35,
        ),
    ),
    (
        20.0,
        of(
            [0.090, 0.225, 0.530],
            [0.590, 0.690, 0.790],
            [0.520, 0.400, 0.270],
            5.2,
            [0.960, 0.820, 0.640],
            [0.410, 0.500, 0.650],
            [0.275, 0.238, 0.205],
            0.08,
        ),
    ),
    (
        38.0,
        of(
            [0.100, 0.250, 0.580],
            [0.620, 0.740, 0.860],
            [0.322, 0.273, 0.203],
            6.0,
            [1.000, 0.930, 0.820],
            [0.460, 0.560, 0.720],
            [0.300, 0.260, 0.220],
            0.0,
        ),
    ),
    (
        90.0,
        of(
            [0.100, 0.260, 0.610],
            [0.600, 0.750, 0.900],
            [0.240, 0.230, 0.210],
            6.0,
            [1.000, 0.965, 0.900],
            [0.480, 0.580, 0.750],
            [0.330, 0.290, 0.250],
            -0.05,
        ),
    ),
];

#[expect(clippy::too_many_arguments, reason = "one argument for each column of the table")]
const fn of(
    zenith: [f32; 3],
    horizon: [f32; 3],
    haze: [f32; 3],
    haze_falloff: f32,
    sun_color: [f32; 3],
    ambient_above: [f32; 3],
    ambient_below: [f32; 3],
    adaptation: f32,
) -> Daylight {
    Daylight {
        zenith: Vec3::from_array(zenith),
        horizon: Vec3::from_array(horizon),
        haze: Vec3::from_array(haze),
        haze_falloff,
        sun_color: Vec3::from_array(sun_color),
        ambient_above: Vec3::from_array(ambient_above),
        ambient_below: Vec3::from_array(ambient_below),
        adaptation,
    }
}

impl Daylight {
    /// Daylight with the sun at `elevation` degrees; -6 and 90 are the ends.
    #[must_use]
    pub fn at(elevation: f32) -> Self {
        let next = KEYS.partition_point(|(degrees, _)| *degrees <= elevation);
        if next == 0 || next == KEYS.len() {
            return KEYS[next.min(KEYS.len() - 1)].1;
        }
        let ((low, a), (high, b)) = (KEYS[next - 1], KEYS[next]);
        a.blend(b, (elevation - low) / (high - low))
    }

    fn blend(self, to: Self, share: f32) -> Self {
        // Exact at both ends.
        let number = |a: f32, b: f32| a * (1.0 - share) + b * share;
        let color = |a: Vec3, b: Vec3| a * (1.0 - share) + b * share;
        Self {
            zenith: color(self.zenith, to.zenith),
            horizon: color(self.horizon, to.horizon),
            haze: color(self.haze, to.haze),
            haze_falloff: number(self.haze_falloff, to.haze_falloff),
            sun_color: color(self.sun_color, to.sun_color),
            ambient_above: color(self.ambient_above, to.ambient_above),
            ambient_below: color(self.ambient_below, to.ambient_below),
            adaptation: number(self.adaptation, to.adaptation),
        }
    }

    /// Light on far land, as a factor on its colours in the late morning. It sums ambient light from above and the
    /// sun's light on level ground at this height.
    fn land(&self, sine: f32) -> Vec3 {
        let arriving = |day: &Self, sine: f32| day.ambient_above + day.sun_color * (sine.max(0.0) * 0.8);
        arriving(self, sine) / arriving(&Self::default(), 38.0_f32.to_radians().sin())
    }

    /// Uniforms for shaders. `sine` is the sine of the sun's elevation, `clouds` the covered share of the sky.
    #[must_use]
    pub fn uniforms(&self, sine: f32, clouds: f32) -> DaylightUniforms {
        DaylightUniforms {
            zenith: self.zenith.to_array(),
            haze_falloff: self.haze_falloff,
            horizon: self.horizon.to_array(),
            clouds,
            haze: self.haze.to_array(),
            pad_a: 0,
            sun_color: self.sun_color.to_array(),
            pad_b: 0,
            ambient_above: self.ambient_above.to_array(),
            pad_c: 0,
            ambient_below: self.ambient_below.to_array(),
            pad_d: 0,
            land: self.land(sine).to_array(),
            pad_e: 0,
        }
    }
}

/// Default: a late morning.
impl Default for Daylight {
    fn default() -> Self {
        Self::at(38.0)
    }
}

shader_struct!(DaylightUniforms);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn colors(day: &Daylight) -> [Vec3; 6] {
        [
            day.zenith,
            day.horizon,
            day.haze,
            day.sun_color,
            day.ambient_above,
            day.ambient_below,
        ]
    }

    proptest! {
        #[test]
        fn the_day_changes_without_steps(elevation in -8.0..92.0_f32) {
            let (here, next) = (Daylight::at(elevation), Daylight::at(elevation + 0.01));
            for (a, b) in colors(&here).into_iter().zip(colors(&next)) {
                prop_assert!(a.is_finite() && a.min_element() >= 0.0);
                prop_assert!(a.distance(b) < 5e-3, "{elevation}: {a} {b}");
            }
            prop_assert!((here.adaptation - next.adaptation).abs() < 5e-3);
        }
    }

    #[test]
    fn daylight_passes_its_keys_and_holds_its_ends() {
        for (degrees, day) in KEYS {
            assert_eq!(Daylight::at(degrees), day);
        }
        assert_eq!(Daylight::at(-90.0), KEYS[0].1);
        assert_eq!(Daylight::at(95.0), KEYS[7].1);
        assert!(KEYS.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn dusk_is_dark_and_red_and_has_no_sun() {
        let (morning, low, set) = (Daylight::at(38.0), Daylight::at(2.5), Daylight::at(-1.0));
        assert_eq!(set.sun_color, Vec3::ZERO);
        let redness = |color: Vec3| color.x / color.z;
        assert!(redness(low.sun_color) > 4.0 * redness(morning.sun_color));
        assert!(set.ambient_above.length() < 0.3 * morning.ambient_above.length());
        // Adaptation does not turn night into day.
        assert!(set.ambient_above.length() * set.adaptation.exp2() < morning.ambient_above.length());
        assert!(morning.land(38.0_f32.to_radians().sin()).abs_diff_eq(Vec3::ONE, 1e-6));
        assert!(set.land(-0.02).max_element() < 0.3);
    }
}
