//! Variation of light, air, place, lens and people: sampled for a picture if it is requested.

use serde::{Deserialize, Serialize};

use crate::{
    config::{Config, Ground, Layout},
    crowd::hash::Draws,
    dataset::{Ranges, SetPlan, VaryWhat},
};

/// Salt of the random numbers of this file.
const SALT: u32 = 0xda_7b;
/// Number of colours that are sampled for each region of clothes.
const COLOURS: u32 = 12;

/// Streams of random numbers, one per parameter.
mod stream {
    pub(super) const SKY: u32 = 0;
    pub(super) const ELEVATION: u32 = 1;
    pub(super) const CLOUDS: u32 = 2;
    pub(super) const HAZE: u32 = 3;
    pub(super) const LAYOUT: u32 = 4;
    pub(super) const GROUND: u32 = 5;
    pub(super) const BACKGROUND: u32 = 6;
    pub(super) const ROLL: u32 = 7;
    pub(super) const BLUR: u32 = 8;
    pub(super) const NOISE: u32 = 9;
    pub(super) const CLOTHES: u32 = 10;
    pub(super) const DISTORTION: u32 = 11;
    pub(super) const LAMPS: u32 = 12;
    pub(super) const LIT_WINDOWS: u32 = 13;
    /// First stream of the characters' shares.
    pub(super) const CAST: u32 = 64;
}

/// Kind of the light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkyKind {
    /// Sun as in the scene, or as it varies.
    Day,
    /// Sun 2 to 10 degrees above the horizon.
    LowSun,
    /// Closed clouds: no shadows of the sun.
    Overcast,
    /// Sun below the horizon, by up to 6 degrees.
    Dusk,
    /// Night, with lamps and lit windows.
    Night,
}

/// Parameters that vary only if they are named; those that do not vary are not recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Variation {
    /// Kind of the light.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sky: Option<SkyKind>,
    /// Brightness of lamps at night: 1 is that of a street lamp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lamps: Option<f32>,
    /// Share of the windows that are lit at night, 0..=1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lit_windows: Option<f32>,
    /// Elevation of the sun (degrees) that the kind of the light demands.
    #[serde(skip)]
    pub elevation: Option<f32>,
    /// Share of the sky that clouds cover, 0..=1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clouds: Option<f32>,
    /// Visibility (m): distance at which haze leaves 2 % of the contrast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub haze: Option<f32>,
    /// Layout of the people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Pattern of the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground: Option<Ground>,
    /// File name of the picture behind the people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// Turn of the picture's content, clockwise (degrees).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roll: Option<f32>,
    /// Share by which the lens moves the picture's corners away from its middle; negative: barrel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distortion: Option<f32>,
    /// Standard deviation of the lens' blur (px).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blur: Option<f32>,
    /// Standard deviation of the sensor's noise (levels of 8 bits).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f32>,
    /// Seed of the colours of clothes and hair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clothes: Option<u32>,
    /// Share of each character against the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cast: Option<Vec<f32>>,
}

/// Range of a parameter: minimum and maximum.
type Span = [f64; 2];

/// Random numbers of one picture.
struct Sampler {
    draws: Draws,
}

impl Sampler {
    fn between(&self, stream: u32, span: Span) -> f32 {
        let [least, most] = span;
        (least + (most - least) * f64::from(self.draws.unit(stream))) as f32
    }

    fn one_of<T: Clone>(&self, stream: u32, all: &[T]) -> Option<T> {
        all.get(self.draws.below(stream, all.len() as u32) as usize).cloned()
    }
}

impl Variation {
    /// Samples the parameters of a picture of a set, by its number.
    pub(super) fn new(plan: &SetPlan, number: u64) -> Self {
        let sampler = Sampler {
            draws: Draws::new(plan.seed, SALT, number as u32),
        };
        let ranges = &plan.ranges;
        let span =
            |what: VaryWhat, stream: u32, range: Span| plan.vary.has(what).then(|| sampler.between(stream, range));
        let mut own = Self {
            clouds: span(VaryWhat::Clouds, stream::CLOUDS, ranges.air.clouds),
            haze: span(VaryWhat::Haze, stream::HAZE, ranges.air.visibility),
            roll: span(VaryWhat::Roll, stream::ROLL, ranges.lens.roll),
            distortion: span(VaryWhat::Distortion, stream::DISTORTION, ranges.lens.distortion),
            blur: span(VaryWhat::Blur, stream::BLUR, ranges.lens.blur),
            noise: span(VaryWhat::Noise, stream::NOISE, ranges.lens.noise),
            ..Self::default()
        };
        if plan.vary.has(VaryWhat::Sky) {
            own.sample_sky(&sampler, ranges);
        }
        if plan.vary.has(VaryWhat::Layout) {
            own.layout = sampler.one_of(stream::LAYOUT, &ranges.place.layouts);
            own.ground = sampler.one_of(stream::GROUND, &ranges.place.grounds);
        }
        if plan.vary.has(VaryWhat::Background) {
            let file = sampler.one_of(stream::BACKGROUND, &plan.backgrounds);
            let name = file.as_deref().and_then(|file| file.file_name());
            own.background = name.map(|name| name.to_string_lossy().into_owned());
        }
        if plan.vary.has(VaryWhat::Clothes) {
            own.clothes = Some(sampler.draws.below(stream::CLOTHES, u32::MAX));
        }
        if plan.vary.has(VaryWhat::Cast) {
            // The scene without characters has those of the town.
            let count = match plan.base.scene.characters.len() {
                0 => crate::scene::embedded::TOWNSFOLK.len(),
                count => count,
            };
            let share = |index: usize| sampler.between(stream::CAST + index as u32, ranges.cast.share);
            own.cast = Some((0..count).map(share).collect());
        }
        own
    }

    fn sample_sky(&mut self, sampler: &Sampler, ranges: &Ranges) {
        self.sky = sampler.one_of(stream::SKY, &ranges.air.skies);
        let elevation = |span: Span| Some(sampler.between(stream::ELEVATION, span));
        match self.sky {
            Some(SkyKind::LowSun) => self.elevation = elevation([2.0, 10.0]),
            Some(SkyKind::Overcast) => {
                self.elevation = elevation([30.0, 60.0]);
                self.clouds = Some(1.0);
            }
            Some(SkyKind::Dusk) => self.elevation = elevation([-6.0, -0.5]),
            Some(SkyKind::Night) => {
                self.elevation = elevation([-6.0, -5.0]);
                self.lamps = Some(sampler.between(stream::LAMPS, ranges.night.lamps));
                self.lit_windows = Some(sampler.between(stream::LIT_WINDOWS, ranges.night.windows));
            }
            Some(SkyKind::Day) | None => {}
        }
    }

    /// Changes the settings of the picture's scene.
    pub(super) fn apply(&self, config: &mut Config) {
        if let Some(clouds) = self.clouds {
            config.look.clouds = clouds;
        }
        if self.sky == Some(SkyKind::Overcast) {
            config.look.shadows = false;
        }
        if let Some(layout) = self.layout {
            config.scene.layout = layout;
        }
        if let Some(ground) = self.ground {
            config.look.ground = ground;
        }
        if let Some(cast) = &self.cast {
            config.scene.weights.clone_from(cast);
        }
        if let Some(seed) = self.clothes {
            let tints = &mut config.scene.tints;
            let draws = Draws::new(u64::from(seed), SALT, 0);
            tints.cloth = colours(draws, 0, garment);
            tints.trim = colours(draws, 1, garment);
            tints.hair = colours(draws, 2, hair);
        }
    }
}

fn colours(draws: Draws, region: u32, colour: impl Fn([f32; 3]) -> [f32; 3]) -> Vec<String> {
    let one = |index: u32| {
        let first = (region * COLOURS + index) * 3;
        let [r, g, b] = colour([0, 1, 2].map(|part| draws.unit(first + part))).map(|v| (v * 255.0) as u8);
        format!("#{r:02x}{g:02x}{b:02x}")
    };
    (0..COLOURS).map(one).collect()
}

/// Any hue; garments are seldom as strong and bright as paint.
fn garment(hsv: [f32; 3]) -> [f32; 3] {
    let [hue, saturation, value] = hsv;
    from_hsv([hue, saturation * saturation * 0.85, 0.08 + 0.85 * value])
}

/// Hair from black over brown to blond and grey.
fn hair(hsv: [f32; 3]) -> [f32; 3] {
    let [hue, saturation, value] = hsv;
    from_hsv([0.03 + 0.09 * hue, 0.7 * saturation, 0.06 + 0.75 * value * value])
}

fn from_hsv(hsv: [f32; 3]) -> [f32; 3] {
    let [hue, saturation, value] = hsv;
    let channel = |shift: f32| {
        let place = (shift + hue * 6.0).rem_euclid(6.0);
        value - value * saturation * place.min(4.0 - place).clamp(0.0, 1.0)
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hues_are_those_of_the_wheel() {
        assert_eq!(from_hsv([0.0, 1.0, 1.0]), [1.0, 0.0, 0.0]);
        let green = from_hsv([1.0 / 3.0, 1.0, 0.5]);
        assert!(
            (green[1] - 0.5).abs() < 1e-5 && green[0] < 1e-5 && green[2] < 1e-5,
            "{green:?}"
        );
        assert_eq!(from_hsv([0.7, 0.0, 0.25]), [0.25; 3]);
    }
}
