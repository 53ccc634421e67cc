//! Pixel-wise comparison of two pictures of a person, in sums that add up over pictures.

use glam::{Vec4, Vec4Swizzles};

use crate::{
    bake::lods::{
        crowd::GROUND,
        gates::Height,
        raster::{Frame, PIXEL, SampledPicture},
    },
    model::display_luminance,
};

/// Pixels along the edge of a tile.
const TILE: usize = 16;

/// Sums over the pixels of a picture, at one height.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    /// Coverage and colour of full detail.
    full: [f64; 2],
    /// Coverage of the subject.
    subject: f64,
    /// Differences of coverage and colour between full detail and itself, moved; below those of the subject.
    moved: [f64; 2],
    differs: [f64; 2],
    /// Number of tiles that show something, and of those that are off.
    tiles: [f64; 2],
}

/// Compares pixels of `edge` samples; the pixel grid has another phase in every picture.
pub(super) fn sums(
    reference: &SampledPicture,
    picture: &SampledPicture,
    frame: &Frame,
    index: usize,
    edge: usize,
) -> Sums {
    let mut sums = Sums::default();
    let step = edge as isize;
    let phase = |ratio: f32| -((index as f32 * ratio).fract() * edge as f32) as isize;
    let start = [phase(0.569_840_3), phase(0.754_877_7)];
    let count = [0, 1].map(|axis| (frame.size[axis] as isize - start[axis]).max(0) as usize / edge + 1);
    let across = count[0].div_ceil(TILE);
    let mut tiles = vec![[0.0_f64; 3]; across * count[1].div_ceil(TILE)];
    for y in 0..count[1] {
        for x in 0..count[0] {
            let at = [start[0] + x as isize * step, start[1] + y as isize * step];
            let [full, subject] = [reference, picture].map(|p| p.over(at, step));
            let tile = &mut tiles[y / TILE * across + x / TILE];
            tile[0] += f64::from(full.x + subject.x);
            tile[1] += display(full, edge);
            tile[2] += display(subject, edge);
            sums.add_pixel(
                full,
                subject,
                [1, 0].map(|k| {
                    let shift = step / PIXEL as isize;
                    reference.over([at[0] + shift * k, at[1] + shift * (1 - k)], step)
                }),
            );
        }
    }
    for [shown, full, subject] in tiles {
        let is_off = (full - subject).abs() > (TILE * TILE) as f64 / 255.0;
        sums.tiles[0] += f64::from(u8::from(shown > 0.0));
        sums.tiles[1] += f64::from(u8::from(is_off));
    }
    sums
}

/// Display luminance of a pixel over an even ground.
fn display(sums: Vec4, edge: usize) -> f64 {
    let area = (edge * edge) as f32;
    f64::from(display_luminance((sums.yzw() + GROUND * (area - sums.x)) / area))
}

impl Sums {
    fn add_pixel(&mut self, full: Vec4, subject: Vec4, moved: [Vec4; 2]) {
        let colors = |a: Vec4, b: Vec4| f64::from((a - b).abs().dot(Vec4::new(0.0, 1.0, 1.0, 1.0)));
        let coverage = |a: Vec4, b: Vec4| f64::from((a.x - b.x).abs());
        self.full[0] += f64::from(full.x);
        self.full[1] += colors(full, Vec4::ZERO);
        self.subject += f64::from(subject.x);
        for moved in moved {
            self.moved[0] += 0.5 * coverage(full, moved);
            self.moved[1] += 0.5 * colors(full, moved);
        }
        self.differs[0] += coverage(full, subject);
        self.differs[1] += colors(full, subject);
    }

    pub(super) fn plus(self, other: Self) -> Self {
        fn add<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
            std::array::from_fn(|i| a[i] + b[i])
        }
        Self {
            full: add(self.full, other.full),
            subject: self.subject + other.subject,
            moved: add(self.moved, other.moved),
            differs: add(self.differs, other.differs),
            tiles: add(self.tiles, other.tiles),
        }
    }

    /// Measurements at a height, as shares, from the sums of all poses and of each.
    pub(super) fn height(self, rows: f32, poses: impl Iterator<Item = Self>) -> Height {
        let [area, color] = self.full;
        // Nothing visible has no bias, and black cannot be too dark.
        let of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Height {
            rows,
            coverage_bias: of(self.subject - area, area),
            tiles: of(self.tiles[1], self.tiles[0]),
            coverage: of(self.differs[0], area),
            coverage_allowed: of(self.moved[0], area),
            color: of(self.differs[1], color),
            color_allowed: of(self.moved[1], color),
            crowd: 0.0,
            crowd_allowed: f64::INFINITY,
            worst_pose: poses.map(|pose| of(pose.differs[0], pose.moved[0])).fold(0.0, f64::max),
        }
    }
}
