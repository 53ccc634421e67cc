//! Optical flow from a picture to the next: KITTI's 16-bit PNG, and Middlebury's `.flo`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

use crate::{
    aov::with_suffix,
    label::formats::{LabelWriter, LabelledPicture, write_file},
    render::passes::AovKind,
};

/// Writer of optical flow.
pub(super) enum FlowWriter {
    /// `(u, v) * 64 + 2^15` in red and green, 1 in blue where the flow is known.
    Kitti,
    /// Pairs of 32-bit floats after a header; 1e9 and more: unknown.
    Middlebury,
}

/// First bytes of a `.flo` file: the float 202021.25.
const TAG: &[u8; 4] = b"PIEH";
/// Flow of pixels for which it is not known.
const UNKNOWN: f32 = 1e10;

impl LabelWriter for FlowWriter {
    fn aovs(&self) -> &'static [AovKind] {
        &[AovKind::Motion]
    }

    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        let ending = match self {
            Self::Kitti => "flow.png",
            Self::Middlebury => "flo",
        };
        vec![with_suffix(stem, ending)]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        let motion = picture.aovs.floats(AovKind::Motion);
        let bytes = match self {
            Self::Kitti => kitti(picture.aovs.size, motion)?,
            Self::Middlebury => middlebury(picture.aovs.size, motion),
        };
        self.files(picture.stem)
            .iter()
            .try_for_each(|path| write_file(path, &bytes))
    }
}

/// Encodes pairs of motion (px); pixels that move beyond 512 px have no flow.
fn kitti(size: (u32, u32), motion: &[f32]) -> Result<Vec<u8>> {
    let (width, height) = size;
    let triple = |pair: &[f32]| -> [u16; 3] {
        let word = |pixels: f32| (pixels * 64.0 + 32768.0).round();
        let [u, v] = [word(pair[0]), word(pair[1])];
        let fits = |word: f32| (0.0..=65535.0).contains(&word);
        if fits(u) && fits(v) {
            [u as u16, v as u16, 1]
        } else {
            [0, 0, 0]
        }
    };
    let words: Vec<u16> = motion.chunks_exact(2).flat_map(triple).collect();
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(bytemuck::cast_slice(&words), width, height, ExtendedColorType::Rgb16)?;
    Ok(png)
}

fn middlebury(size: (u32, u32), motion: &[f32]) -> Vec<u8> {
    let (width, height) = size;
    let mut bytes = Vec::with_capacity(12 + 4 * motion.len());
    bytes.extend(TAG);
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    for pair in motion.chunks_exact(2) {
        let is_known = pair.iter().all(|pixels| pixels.is_finite());
        for &pixels in pair {
            bytes.extend((if is_known { pixels } else { UNKNOWN }).to_le_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_comes_back_from_both_formats() {
        let motion = [1.5, -2.25, f32::NAN, f32::NAN, 600.0, 0.0];
        let png = image::load_from_memory(&kitti((3, 1), &motion).expect("fits")).expect("PNG");
        let words = png.into_rgb16().into_raw();
        assert_eq!(words[..3], [32768 + 96, 32768 - 144, 1]);
        assert_eq!(words[3..], [0; 6]);
        let bytes = middlebury((3, 1), &motion);
        assert_eq!(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), 202_021.25);
        let floats: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes[12..]);
        assert_eq!(floats, [1.5, -2.25, UNKNOWN, UNKNOWN, 600.0, 0.0]);
    }
}
