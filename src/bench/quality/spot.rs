//! Pictures of the worst tile of a scene, side by side.

use crate::{bench::quality::sums::TILE, measure::FloatPicture};

/// Margin around the tile (px).
const AROUND: usize = 16;
/// Enlargement of the pictures (px per pixel).
const ENLARGED: usize = 6;
/// Gap between pictures (px).
const GAP: usize = 6;

/// Tile where a method differs most, with its pictures.
#[derive(Clone, Debug)]
pub(super) struct WorstCrop {
    /// Mean difference of display luminance in the tile, 0..1.
    pub difference: f64,
    /// View.
    pub view: String,
    /// Scene time (s).
    pub time: f64,
    /// First column and row of the tile (px).
    pub corner: [usize; 2],
    /// Reference, full detail and the method.
    pub pictures: Vec<Crop>,
}

/// Part of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crop {
    size: [usize; 2],
    /// RGBA8.
    pixels: Vec<u8>,
}

impl Crop {
    /// Cuts a tile and its margin out of a picture.
    pub(super) fn around(picture: &FloatPicture, corner: [usize; 2]) -> Self {
        let (width, height) = (picture.size.0 as usize, picture.size.1 as usize);
        let range = |at: usize, most: usize| at.saturating_sub(AROUND)..(at + TILE + AROUND).min(most);
        let (columns, rows) = (range(corner[0], width), range(corner[1], height));
        let part = FloatPicture {
            size: (columns.len() as u32, rows.len() as u32),
            pixels: rows
                .flat_map(|row| picture.pixels[row * width + columns.start..row * width + columns.end].to_vec())
                .collect(),
        };
        Self {
            size: [part.size.0 as usize, part.size.1 as usize],
            pixels: part.to_rgba8(),
        }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        let at = 4 * (y * self.size[0] + x);
        self.pixels
            .get(at..at + 4)
            .and_then(|p| p.try_into().ok())
            .unwrap_or_default()
    }
}

/// Joins pictures side by side, enlarged; returns RGBA8 and its size (px).
pub(super) fn side_by_side(crops: &[Crop]) -> (Vec<u8>, (u32, u32)) {
    let Some(first) = crops.first() else {
        return (Vec::new(), (0, 0));
    };
    let [width, height] = first.size.map(|edge| edge * ENLARGED);
    let step = width + GAP;
    let whole = step * crops.len() - GAP;
    let mut pixels = Vec::with_capacity(4 * whole * height);
    for y in 0..height {
        for x in 0..whole {
            let (number, within) = (x / step, x % step);
            let color = match within < width {
                true => crops[number].pixel(within / ENLARGED, y / ENLARGED),
                false => [255; 4],
            };
            pixels.extend(color);
        }
    }
    (pixels, (whole as u32, height as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crop_at_the_edge_is_clipped_and_enlarged() {
        let picture = |value: f32| FloatPicture {
            size: (40, 20),
            pixels: (0..800).map(|at| [value, (at % 40) as f32 / 255.0, 0.0]).collect(),
        };
        let crops = [1.0, 0.0].map(|value| Crop::around(&picture(value), [32, 16]));
        assert_eq!(crops[0].size, [24, 20]);
        assert_eq!(crops[0].pixel(0, 19), [255, 16, 0, 255]);
        let (pixels, (width, height)) = side_by_side(&crops);
        assert_eq!((width, height), (2 * 24 * 6 + 6, 20 * 6));
        assert_eq!(pixels.len(), 4 * (width * height) as usize);
        let at = |x: usize| &pixels[4 * x..4 * x + 3];
        assert_eq!(
            (at(0), at(24 * 6), at(24 * 6 + 6)),
            (&[255, 16, 0][..], &[255; 3][..], &[0, 16, 0][..])
        );
        assert_eq!(side_by_side(&[]).1, (0, 0));
    }
}
