//! Effects in a drawn picture: backgrounds, night, haze, blur of the lens, noise of the sensor. They change colours alone, so
//! labels stay exact.

mod backgrounds;
mod haze;
mod lens;
mod night;

use std::{path::PathBuf, sync::LazyLock};

use anyhow::Result;

pub use backgrounds::backgrounds_in;

use crate::{
    dataset::{SampleSpec, SetPlan},
    label::RecordedPicture,
    model::{linear_from_srgb, srgb_from_linear},
    scene::Scene,
};

/// Effects of one picture, in the order in which they are applied.
pub(super) struct PictureEffects {
    /// Picture or panorama behind the people.
    background: Option<PathBuf>,
    /// Lamps and lit windows of a night.
    night: Option<night::Night>,
    /// Visibility in haze (m).
    visibility: Option<f32>,
    /// Standard deviation of the blur (px).
    blur: Option<f32>,
    /// Noise of the sensor.
    noise: Option<lens::Noise>,
}

impl PictureEffects {
    /// Returns the effects that are sampled for a picture.
    pub(super) fn of(plan: &SetPlan, sample: &SampleSpec) -> Self {
        let own = &sample.variation;
        let named = |file: &&PathBuf| {
            let name = file.file_name().map(|name| name.to_string_lossy());
            name.as_deref() == own.background.as_deref()
        };
        Self {
            background: own
                .background
                .as_ref()
                .and_then(|_| plan.backgrounds.iter().find(named).cloned()),
            night: own.lamps.zip(own.lit_windows).map(|(lamps, windows)| night::Night {
                lamps,
                windows,
                seed: plan.seed,
                picture: sample.number as u32,
            }),
            visibility: own.haze,
            blur: own.blur,
            noise: own.noise.map(|deviation| lens::Noise {
                deviation,
                seed: plan.seed,
                picture: sample.number as u32,
            }),
        }
    }

    /// Applies the effects to the colours of a picture.
    ///
    /// # Errors
    /// A background that cannot be read.
    pub(super) fn apply(&self, mut picture: RecordedPicture, scene: &Scene) -> Result<RecordedPicture> {
        let (Some(mut color), Some(aovs)) = (picture.color.take(), &picture.numbers) else {
            return Ok(picture);
        };
        if let Some(file) = &self.background {
            backgrounds::replace_background(&mut color, file, &picture.moment, aovs)?;
        }
        if let Some(night) = self.night {
            night.apply(&mut color, scene, &picture.moment, aovs);
        }
        if let Some(visibility) = self.visibility {
            haze::add(&mut color, visibility, &picture.moment, aovs);
        }
        if let Some(deviation) = self.blur {
            lens::blur(&mut color, aovs.size, deviation);
        }
        if let Some(noise) = self.noise {
            noise.add(&mut color);
        }
        picture.color = Some(color);
        Ok(picture)
    }
}

/// Linear light of each sRGB byte.
static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0)));

/// Returns the linear light of an sRGB byte.
fn linear(byte: u8) -> f32 {
    LINEAR[usize::from(byte)]
}

/// Returns the nearest sRGB byte of linear light, 0..=1.
fn encoded(light: f32) -> u8 {
    (srgb_from_linear(light.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8
}
