//! Differences of a picture from the reference, as sums over the pixels of people by height band. Sums of several
//! pictures add up.

use std::ops::Range;

use rayon::prelude::*;

use crate::{
    bench::quality::studio::Heights,
    measure::{FloatPicture, flip::FlipReference},
    render::heights::HEIGHT_BANDS,
};

/// Number of height bands.
pub(super) const BANDS: usize = HEIGHT_BANDS as usize;
/// Edge length of a tile (px).
pub(super) const TILE: usize = 16;
/// Difference of a tile's mean display luminance that counts.
const TILE_DIFFERS: f64 = 1.0 / 255.0;

/// Full detail at one scene time: the reference of all pictures of that time.
pub(super) struct ReferenceView {
    /// Picture with 64 samples per pixel.
    pub fine: FloatPicture,
    /// Single picture with the samples of the scene.
    pub sharp: FloatPicture,
    /// Heights of people at those 64 samples.
    pub heights: Heights,
    luminance: Vec<f32>,
    seen: FlipReference,
    /// Error of the single picture, in luminance and in FLIP.
    error: [Vec<f32>; 2],
    /// Difference from the picture moved by 1/8 px.
    moved: Vec<f32>,
}

/// Pictures of a method at the same scene time.
pub(super) struct ComparedPictures {
    /// As in [`ReferenceView`].
    pub fine: FloatPicture,
    /// As in [`ReferenceView`].
    pub sharp: FloatPicture,
    /// As in [`ReferenceView`].
    pub heights: Heights,
}

/// Sums over the pixels of people of one height band.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct QualitySums {
    /// Number of pixels of people.
    pub pixels: u64,
    /// Error in luminance: that of the method, and that of full detail at the same samples.
    pub luminance: [f64; 2],
    /// Error in FLIP, of the method and of full detail.
    pub flip: [f64; 2],
    /// Covered area (px), of the method and of full detail.
    pub covered: [f64; 2],
    /// Difference at 64 samples: the method from full detail, and moved full detail from full detail.
    pub fine: [f64; 2],
    /// Number of tiles of people of this band, and of those whose mean is off.
    pub tiles: [u64; 2],
    /// Sum over those tiles of the excess brightness of the method (display luminance, -1..1 each).
    pub brighter: f64,
    /// Largest difference of a tile's mean display luminance, 0..1.
    pub worst_tile: f64,
}

/// Sums by band.
pub(super) type BandSums = [QualitySums; BANDS];

impl ReferenceView {
    /// Makes the reference; `moved` is full detail at 64 samples, moved to the right and down by 1/8 px.
    pub(super) fn new(fine: FloatPicture, sharp: FloatPicture, moved: [&FloatPicture; 2], heights: Heights) -> Self {
        let luminance = fine.luminance();
        let [right, down] = moved.map(|moved| differences(&luminance, &moved.luminance()));
        let seen = FlipReference::new(&fine);
        Self {
            error: [differences(&luminance, &sharp.luminance()), seen.error_of(&sharp)],
            seen,
            moved: right
                .iter()
                .zip(down)
                .map(|(right, down)| 0.5 * (right + down))
                .collect(),
            luminance,
            fine,
            sharp,
            heights,
        }
    }

    /// Compares the pictures of a method.
    pub(super) fn compare(&self, subject: &ComparedPictures) -> BandSums {
        let own = [
            differences(&self.luminance, &subject.sharp.luminance()),
            self.seen.error_of(&subject.sharp),
        ];
        let fine = subject.fine.luminance();
        let strip = |rows: Range<usize>| {
            let mut sums = BandSums::default();
            self.compare_pixels(subject, &fine, &own, rows.clone(), &mut sums);
            self.compare_tiles(subject, &fine, rows, &mut sums);
            sums
        };
        let mut all = BandSums::default();
        let strips: Vec<BandSums> = strips(self.fine.size.1).into_par_iter().map(strip).collect();
        strips.iter().for_each(|strip| add(&mut all, strip));
        all
    }

    /// Returns the tile of people where a method differs most from full detail at 64 samples. The result is the mean
    /// difference of its pixels, 0..1, and its first column and row.
    pub(super) fn worst_spot(&self, subject: &ComparedPictures) -> (f64, [usize; 2]) {
        let difference = differences(&self.luminance, &subject.fine.luminance());
        let worst = |rows: Range<usize>| {
            let mut worst = (0.0, [0, 0]);
            for (corner, pixels) in tiles(self.fine.size.0, rows) {
                let shown = pixels
                    .iter()
                    .any(|&at| band_of(&self.heights[at], &subject.heights[at]).is_some());
                let mean = pixels.iter().map(|&at| f64::from(difference[at])).sum::<f64>() / pixels.len() as f64;
                if shown && mean > worst.0 {
                    worst = (mean, corner);
                }
            }
            worst
        };
        let strips: Vec<(f64, [usize; 2])> = strips(self.fine.size.1).into_par_iter().map(worst).collect();
        let larger = |worst: (f64, [usize; 2]), own: (f64, [usize; 2])| if own.0 > worst.0 { own } else { worst };
        strips.into_iter().fold((0.0, [0, 0]), larger)
    }

    fn compare_pixels(
        &self,
        subject: &ComparedPictures,
        fine: &[f32],
        own: &[Vec<f32>; 2],
        rows: Range<usize>,
        all: &mut BandSums,
    ) {
        let width = self.fine.size.0 as usize;
        let mut covered = [[0_u64; 2]; BANDS];
        for index in rows.start * width..rows.end * width {
            let (full, other) = (&self.heights[index], &subject.heights[index]);
            let Some(band) = band_of(full, other) else { continue };
            for (covered, pair) in covered.iter_mut().zip(other.iter().zip(full)) {
                covered[0] += u64::from(*pair.0);
                covered[1] += u64::from(*pair.1);
            }
            let sums = &mut all[band];
            sums.pixels += 1;
            for (kind, pair) in [&mut sums.luminance, &mut sums.flip].into_iter().enumerate() {
                pair[0] += f64::from(own[kind][index]);
                pair[1] += f64::from(self.error[kind][index]);
            }
            sums.fine[0] += f64::from((fine[index] - self.luminance[index]).abs());
            sums.fine[1] += f64::from(self.moved[index]);
        }
        for (sums, covered) in all.iter_mut().zip(covered) {
            sums.covered = covered.map(|samples| samples as f64 / f64::from(super::plan::FINE));
        }
    }

    fn compare_tiles(&self, subject: &ComparedPictures, fine: &[f32], rows: Range<usize>, all: &mut BandSums) {
        for (_, pixels) in tiles(self.fine.size.0, rows) {
            let mut people = [0_u8; BANDS].map(u32::from);
            let mut sum = 0.0;
            for &at in &pixels {
                for (band, people) in people.iter_mut().enumerate() {
                    *people += u32::from(self.heights[at][band]) + u32::from(subject.heights[at][band]);
                }
                sum += f64::from(fine[at] - self.luminance[at]);
            }
            let Some(band) = largest(&people) else { continue };
            let brighter = sum / pixels.len() as f64;
            let off = brighter.abs();
            all[band].brighter += brighter;
            all[band].tiles[0] += 1;
            all[band].tiles[1] += u64::from(off > TILE_DIFFERS);
            all[band].worst_tile = all[band].worst_tile.max(off);
        }
    }
}

impl QualitySums {
    /// Adds two sums.
    pub(super) fn plus(self, other: Self) -> Self {
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        Self {
            pixels: self.pixels + other.pixels,
            luminance: add(self.luminance, other.luminance),
            flip: add(self.flip, other.flip),
            covered: add(self.covered, other.covered),
            fine: add(self.fine, other.fine),
            tiles: [self.tiles[0] + other.tiles[0], self.tiles[1] + other.tiles[1]],
            brighter: self.brighter + other.brighter,
            worst_tile: self.worst_tile.max(other.worst_tile),
        }
    }
}

/// Adds sums band by band.
pub(super) fn add(all: &mut BandSums, more: &BandSums) {
    all.iter_mut()
        .zip(more)
        .for_each(|(sums, more)| *sums = sums.plus(*more));
}

/// Returns absolute differences.
pub(super) fn differences(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.par_iter().zip(b).map(|(a, b)| (a - b).abs()).collect()
}

/// Returns the band of most samples of a pixel in both pictures; `None` if nobody is in either.
fn band_of(full: &[u8; BANDS], other: &[u8; BANDS]) -> Option<usize> {
    let counts: [u32; BANDS] = std::array::from_fn(|band| u32::from(full[band]) + u32::from(other[band]));
    largest(&counts)
}

/// Returns the index of the largest count, the first of equals; `None` if all are zero.
fn largest(counts: &[u32; BANDS]) -> Option<usize> {
    let most = *counts.iter().max().filter(|most| **most > 0)?;
    counts.iter().position(|count| *count == most)
}

/// Returns the rows of every strip of tiles; the last may be lower.
fn strips(height: u32) -> Vec<Range<usize>> {
    let height = height as usize;
    (0..height).step_by(TILE).map(|y| y..(y + TILE).min(height)).collect()
}

/// Returns corner and pixels of every tile of a strip; the one at the right edge may be narrower.
fn tiles(width: u32, rows: Range<usize>) -> impl Iterator<Item = ([usize; 2], Vec<usize>)> {
    let width = width as usize;
    (0..width).step_by(TILE).map(move |x| {
        let columns = x..(x + TILE).min(width);
        let pixels = rows
            .clone()
            .flat_map(|row| columns.clone().map(move |column| row * width + column));
        ([x, rows.start], pixels.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (u32, u32) = (32, 16);

    /// Pictures of a person of `pixels` pixels in band 4, in the left tile, of a given brightness on grey.
    fn subject(pixels: usize, value: f32) -> ComparedPictures {
        let person = |at: usize| at % 32 < 4 && at / 32 < pixels / 4;
        let color = |at: usize| if person(at) { [value; 3] } else { [0.5; 3] };
        let picture = FloatPicture {
            size: SIZE,
            pixels: (0..512).map(color).collect(),
        };
        let counts = |at: usize| std::array::from_fn(|band| if band == 4 && person(at) { 64 } else { 0 });
        ComparedPictures {
            fine: picture.clone(),
            sharp: picture,
            heights: (0..512).map(counts).collect(),
        }
    }

    /// Full detail whose single picture is slightly too bright.
    fn reference_view() -> ReferenceView {
        let full = subject(16, 0.1);
        let sharp = subject(16, 0.12).sharp;
        let moved = subject(16, 0.11).fine;
        ReferenceView::new(full.fine, sharp, [&moved, &moved], full.heights)
    }

    #[test]
    fn equal_pictures_have_no_difference() {
        let reference_view = reference_view();
        let mut same = subject(16, 0.1);
        same.sharp = reference_view.sharp.clone();
        let all = reference_view.compare(&same);
        let sums = all[4];
        assert_eq!((sums.pixels, sums.covered, sums.tiles), (16, [16.0, 16.0], [1, 0]));
        assert!((sums.luminance[0] - 16.0 * 0.02).abs() < 1e-5, "{sums:?}");
        assert_eq!(sums.luminance[0], sums.luminance[1]);
        assert_eq!(sums.flip[0], sums.flip[1]);
        assert!(sums.flip[0] > 0.0);
        assert_eq!((sums.fine[0], sums.worst_tile), (0.0, 0.0));
        assert!((sums.fine[1] - 16.0 * 0.01).abs() < 1e-5, "{sums:?}");
        assert_eq!(all[3], QualitySums::default());
        assert_eq!(reference_view.worst_spot(&same).0, 0.0);
    }

    #[test]
    fn people_that_are_too_small_or_too_bright_are_found() {
        let reference_view = reference_view();
        let small = reference_view.compare(&subject(12, 0.1))[4];
        assert_eq!((small.pixels, small.covered), (16, [12.0, 16.0]));
        // Four of 256 pixels are 0.4 brighter.
        assert!((small.worst_tile - 4.0 * 0.4 / 256.0).abs() < 1e-5, "{small:?}");
        assert_eq!((small.tiles, small.brighter), ([1, 1], small.worst_tile));
        assert!(small.fine[0] > small.fine[1]);
        let bright = subject(16, 0.3);
        let sums = reference_view.compare(&bright)[4];
        assert!(sums.luminance[0] > 5.0 * sums.luminance[1] && sums.flip[0] > 1.05 * sums.flip[1]);
        assert_eq!(reference_view.worst_spot(&bright).1, [0, 0]);
        let twice = sums.plus(small);
        assert_eq!((twice.pixels, twice.tiles), (32, [2, 2]));
    }

    #[test]
    fn tiles_hold_every_pixel_once() {
        let tiles = |rows| tiles(37, rows);
        let strips = strips(21).into_iter();
        let mut seen: Vec<usize> = strips.flat_map(tiles).flat_map(|(_, pixels)| pixels).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..37 * 21).collect::<Vec<_>>());
    }
}
