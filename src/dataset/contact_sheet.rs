//! Contact sheet of a set: small pictures side by side, to look a set through.

use anyhow::{Context, Result};
use image::{RgbaImage, imageops};
use rayon::prelude::*;

use crate::{
    dataset::{SetFiles, files::SPLITS},
    label::read_json,
};

/// Most pictures on a sheet; of larger sets, so many are chosen evenly.
const MOST: u64 = 400;
/// Width of a small picture, and space between them (px).
const WIDTH: u32 = 192;
const GAP: u32 = 4;

/// Returns a sheet of the pictures of a set in the order of their numbers, and the number of pictures on it.
///
/// # Errors
/// A picture that is missing or cannot be read; a set whose pictures have no colours.
pub fn contact_sheet(files: &SetFiles) -> Result<(RgbaImage, u64)> {
    let set = read_json(&files.folder().join("dataset.throng.json"))?;
    let pictures = set["pictures"]
        .as_u64()
        .context("the record of the set has no number of pictures")?;
    let count = pictures.min(MOST);
    let small: Vec<RgbaImage> = (0..count)
        .into_par_iter()
        .map(|place| small_picture(files, place * pictures / count))
        .collect::<Result<_>>()?;
    let height = small.iter().map(RgbaImage::height).max().unwrap_or(1);
    // As wide as high, roughly.
    let columns = (f64::from(height) * count as f64 / f64::from(WIDTH))
        .sqrt()
        .ceil()
        .max(1.0) as u32;
    let rows = (count as u32).div_ceil(columns);
    let size = [(columns, WIDTH), (rows, height)].map(|(number, edge)| number * (edge + GAP) + GAP);
    let mut sheet = RgbaImage::from_pixel(size[0], size[1], image::Rgba([255; 4]));
    for (place, picture) in (0_u32..).zip(&small) {
        let [x, y] = [(place % columns, WIDTH), (place / columns, height)].map(|(at, edge)| GAP + at * (edge + GAP));
        imageops::replace(&mut sheet, picture, x.into(), y.into());
    }
    Ok((sheet, count))
}

fn small_picture(files: &SetFiles, number: u64) -> Result<RgbaImage> {
    let paths = SPLITS.map(|split| files.stem_in(split, number).with_extension("png"));
    let path = paths.iter().find(|path| path.is_file()).with_context(|| {
        let [first, _] = &paths;
        format!(
            "{} is missing: the set has no colours, or is not complete",
            first.display()
        )
    })?;
    let picture = image::open(path).with_context(|| format!("reading {}", path.display()))?;
    let height = (u64::from(WIDTH) * u64::from(picture.height()) / u64::from(picture.width())).max(1) as u32;
    Ok(picture
        .resize_exact(WIDTH, height, imageops::FilterType::Triangle)
        .into_rgba8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheet_has_every_picture_in_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("images/train")).expect("made");
        std::fs::create_dir_all(folder.path().join("images/val")).expect("made");
        std::fs::write(folder.path().join("dataset.throng.json"), r#"{"pictures": 5}"#).expect("written");
        let (files, _) = SetFiles::of(folder.path()).expect("a set");
        for number in 0..5_u8 {
            let split = if number == 3 { "val" } else { "train" };
            let picture = RgbaImage::from_pixel(96, 96, image::Rgba([50 * number, 0, 0, 255]));
            let path = files.stem_in(split, number.into()).with_extension("png");
            picture.save(path).expect("written");
        }
        let (sheet, count) = contact_sheet(&files).expect("made");
        assert_eq!((count, sheet.dimensions()), (5, (3 * 196 + 4, 2 * 196 + 4)));
        let reds: Vec<u8> = (0..5)
            .map(|place| sheet.get_pixel(100 + 196 * (place % 3), 100 + 196 * (place / 3)).0[0])
            .collect();
        assert_eq!(reds, [0, 50, 100, 150, 200]);
        std::fs::remove_file(files.stem_in("val", 3).with_extension("png")).expect("there");
        assert!(contact_sheet(&files).is_err_and(|error| error.to_string().contains("000003")));
    }
}
