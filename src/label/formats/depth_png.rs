//! Depth as KITTI's 16-bit PNG: metres along the camera's axis times 256, rounded; 0: sky, and beyond 255.9 m.

use std::path::{Path, PathBuf};

use anyhow::Result;
use image::ExtendedColorType;

use crate::{
    aov::with_suffix,
    file::output::png_16bit,
    label::formats::{LabelWriter, LabelledPicture, write_file},
    render::passes::AovKind,
};

/// Writer of depth.
pub(super) struct DepthPngWriter;

/// Steps per metre.
const STEPS: f32 = 256.0;

impl LabelWriter for DepthPngWriter {
    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        vec![with_suffix(stem, "depth.png")]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        let png = encode(picture.aovs.size, picture.aovs.floats(AovKind::Depth))?;
        write_file(&with_suffix(picture.stem, "depth.png"), &png)
    }
}

fn encode(size: (u32, u32), depth: &[f32]) -> Result<Vec<u8>> {
    let word = |metres: &f32| {
        let steps = (metres * STEPS).round();
        // Zero means unknown; nothing is nearer than a step.
        if steps <= 65535.0 { steps.max(1.0) as u16 } else { 0 }
    };
    let words: Vec<u16> = depth.iter().map(word).collect();
    png_16bit(&words, size, ExtendedColorType::L16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_has_256_steps_per_metre_and_no_sky() {
        let png = encode((4, 1), &[1.5, 0.0001, 300.0, f32::INFINITY]).expect("fits");
        let words = image::load_from_memory(&png).expect("PNG").into_luma16().into_raw();
        assert_eq!(words, [384, 1, 0, 0]);
    }
}
