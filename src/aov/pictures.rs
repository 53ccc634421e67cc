//! AOVs as files: OpenEXR, or 16-bit PNG where 16 bits suffice.

use anyhow::{Context, Result};
use half::f16;
use image::ExtendedColorType;

use crate::{
    aov::{AovImages, AovValues, PassSet},
    file::{
        exr::{self, CameraMatrices, ExrChannel, ExrSamples},
        output::png_16bit,
    },
    render::passes::{AovKind, ID_ATTACHMENT, ID_SCENERY},
};

/// Encodes an AOV in the file format of the set.
///
/// # Errors
/// AOVs that were not requested; more people than 16-bit ids.
pub fn encode_pass(numbers: &AovImages, set: &PassSet, kind: AovKind, camera: CameraMatrices) -> Result<Vec<u8>> {
    let layer = numbers.layers.get(&kind).context("this pass was not drawn")?;
    match set.ending(kind) {
        "png" => encode_png(numbers.size, kind, layer),
        _ => exr::encode(numbers.size, channels(kind, layer), Some(camera)),
    }
}

/// Returns channels with the names that compositing programs use.
fn channels(kind: AovKind, layer: &AovValues) -> Vec<ExrChannel> {
    let names: &[&str] = match kind {
        AovKind::Ids => &["id"],
        AovKind::Depth => &["Z"],
        AovKind::Normal => &["normal.X", "normal.Y", "normal.Z"],
        AovKind::Motion => &["motion.X", "motion.Y"],
        AovKind::Uv => &["uv.U", "uv.V"],
        AovKind::Albedo => &["R", "G", "B"],
    };
    let channel = |(place, name): (usize, &&str)| {
        let samples = match layer {
            AovValues::U32(all) => ExrSamples::U32(every(all, place, 1)),
            AovValues::F32(all) => ExrSamples::F32(every(all, place, names.len())),
            // The texture has four channels; the last is unused.
            AovValues::F16(all) => ExrSamples::F16(every(all, place, 4)),
        };
        ExrChannel::new(name, samples)
    };
    names.iter().enumerate().map(channel).collect()
}

fn every<T: Copy>(all: &[T], first: usize, step: usize) -> Vec<T> {
    all.iter().skip(first).step_by(step).copied().collect()
}

/// Encodes with 16 bits per channel: ids unchanged (people only), normals from -1..1, colours and coordinates from
/// 0..1.
fn encode_png(size: (u32, u32), kind: AovKind, layer: &AovValues) -> Result<Vec<u8>> {
    let unit = |value: f32| (value.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16;
    let (color, words): (_, Vec<u16>) = match layer {
        AovValues::U32(ids) => {
            let person = |&id: &u32| {
                let other = id & (ID_ATTACHMENT | ID_SCENERY) != 0;
                if other { Ok(0) } else { u16::try_from(id) }
            };
            let ids = ids.iter().map(person).collect::<Result<_, _>>();
            let ids = ids.context("16-bit ids end at 65535 people; write .exr instead")?;
            (ExtendedColorType::L16, ids)
        }
        AovValues::F32(pairs) => {
            let triple = |pair: &[f32]| [unit(pair[0].rem_euclid(1.0)), unit(pair[1].rem_euclid(1.0)), 0];
            (
                ExtendedColorType::Rgb16,
                pairs.chunks_exact(2).flat_map(triple).collect(),
            )
        }
        AovValues::F16(colors) => {
            let number = |value: f16| match kind {
                AovKind::Normal => unit(value.to_f32() * 0.5 + 0.5),
                _ => unit(value.to_f32()),
            };
            let triple = |pixel: &[f16]| [number(pixel[0]), number(pixel[1]), number(pixel[2])];
            (
                ExtendedColorType::Rgb16,
                colors.chunks_exact(4).flat_map(triple).collect(),
            )
        }
    };
    png_16bit(&words, size, color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn png_passes_have_16_bits() {
        let png = |kind, layer: AovValues| {
            let bytes = encode_png((2, 1), kind, &layer)?;
            anyhow::Ok(image::load_from_memory(&bytes)?)
        };
        let ids = png(AovKind::Ids, AovValues::U32(vec![65_535, ID_SCENERY | 3])).expect("fits");
        assert_eq!(ids.into_luma16().into_raw(), [65_535, 0]);
        assert!(png(AovKind::Ids, AovValues::U32(vec![65_536, 0])).is_err());
        let normal = [0.0, 1.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0].map(f16::from_f32).to_vec();
        let normal = png(AovKind::Normal, AovValues::F16(normal)).expect("fits");
        assert_eq!(normal.into_rgb16().into_raw(), [32768, 65535, 0, 32768, 32768, 32768]);
        let uv = png(AovKind::Uv, AovValues::F32(vec![0.25, 1.0, -0.25, 2.5])).expect("fits");
        assert_eq!(uv.into_rgb16().into_raw(), [16384, 0, 0, 49151, 32768, 0]);
    }
}
