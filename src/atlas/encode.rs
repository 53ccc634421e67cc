//! Encoding of palettes.
//!
//! Rounding the 3x3 part of a matrix turns and stretches everything about the origin, so a finger
//! far from it would shake. Every encoder therefore rounds the 3x3 part first and then chooses the
//! translation that is exact at the middle of the vertices which the slot moves (its pivot): what
//! remains grows only with the size of that part of the body.

use glam::{Affine3A, Vec3A};
use half::f16;
use rayon::prelude::*;

use crate::{
    atlas::{Atlas, AtlasFormat, trs, unit},
    bake::Palettes,
    model::{Later, UnitSpace},
};

impl Atlas {
    /// Encodes all palettes. Parallel; the error is reported by [`Atlas::error`].
    #[must_use]
    pub fn encode(palettes: &Palettes, space: &UnitSpace, format: AtlasFormat) -> Self {
        let matrices: Vec<Affine3A> = palettes
            .matrices
            .par_iter()
            .map(|&m| unit::from_model(space, m))
            .collect();
        let pivots: Vec<Vec3A> = palettes
            .slot_bounds
            .iter()
            .map(|b| unit::point(space, b.centre()))
            .collect();
        let mut atlas = Self {
            format,
            slot_count: palettes.slot_count as u32,
            frame_count: palettes.frame_count as u32,
            clips: palettes.clips.clone(),
            unit: *space,
            decode_min: [0.0; 12],
            decode_size: [1.0; 12],
            bytes: Later::default(),
            morph_weights: palettes.morph_weights.clone(),
        };
        match format {
            AtlasFormat::F32 => atlas.bytes = rows_to_bytes(&matrices, f32::to_le_bytes).into(),
            AtlasFormat::F16 => {
                let round = |m: Affine3A| map_linear(m, |_, x| f16::from_f32(x).to_f32());
                let pinned = pin(&matrices, &pivots, round);
                atlas.bytes = rows_to_bytes(&pinned, |x| f16::from_f32(x).to_le_bytes()).into();
            }
            AtlasFormat::Unorm8 => atlas.encode_unorm8(&matrices, &pivots),
            AtlasFormat::Trs16 => trs::encode(&mut atlas, &matrices, &pivots),
        }
        atlas
    }

    fn encode_unorm8(&mut self, matrices: &[Affine3A], pivots: &[Vec3A]) {
        self.set_ranges(matrices);
        let (min, size) = (self.decode_min, self.decode_size);
        let round = |m: Affine3A| {
            map_linear(m, |e, x| {
                min[e] + f32::from(unorm8(x, min[e], size[e])) / 255.0 * size[e]
            })
        };
        let pinned = pin(matrices, pivots, round);
        self.set_ranges(&pinned);
        // The 3x3 part keeps the ranges it was rounded in.
        for e in (0..12).filter(|e| e % 4 != 3) {
            (self.decode_min[e], self.decode_size[e]) = (min[e], size[e]);
        }
        let (min, size) = (self.decode_min, self.decode_size);
        let encode = |m: &Affine3A| {
            let rows = to_rows(*m);
            std::array::from_fn::<u8, 12, _>(|e| unorm8(rows[e], min[e], size[e]))
        };
        self.bytes = pinned.par_iter().flat_map_iter(encode).collect::<Vec<u8>>().into();
    }

    /// Smallest and largest value of each element.
    fn set_ranges(&mut self, matrices: &[Affine3A]) {
        let mut max = [f32::NEG_INFINITY; 12];
        let mut min = [f32::INFINITY; 12];
        for rows in matrices.iter().map(|&m| to_rows(m)) {
            for e in 0..12 {
                min[e] = min[e].min(rows[e]);
                max[e] = max[e].max(rows[e]);
            }
        }
        for e in 0..12 {
            let known = min[e] <= max[e];
            self.decode_min[e] = if known { min[e] } else { 0.0 };
            self.decode_size[e] = if known { max[e] - min[e] } else { 0.0 };
        }
    }
}

/// Rounds each matrix and moves it so that its slot's pivot stays where it was.
pub(crate) fn pin(
    matrices: &[Affine3A],
    pivots: &[Vec3A],
    round: impl Fn(Affine3A) -> Affine3A + Sync,
) -> Vec<Affine3A> {
    let pinned = |(i, &exact): (usize, &Affine3A)| {
        let pivot = pivots[i % pivots.len()];
        let rounded = round(exact);
        Affine3A {
            matrix3: rounded.matrix3,
            translation: exact.transform_point3a(pivot) - rounded.matrix3 * pivot,
        }
    };
    matrices.par_iter().enumerate().map(pinned).collect()
}

/// Elements in the order of the atlas: three rows of (r0, r1, r2, t).
pub(crate) fn to_rows(m: Affine3A) -> [f32; 12] {
    let [x, y, z, t] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation];
    [x.x, y.x, z.x, t.x, x.y, y.y, z.y, t.y, x.z, y.z, z.z, t.z]
}

/// Inverse of [`to_rows`].
pub(crate) fn from_rows(r: [f32; 12]) -> Affine3A {
    Affine3A {
        matrix3: glam::Mat3A::from_cols(
            Vec3A::new(r[0], r[4], r[8]),
            Vec3A::new(r[1], r[5], r[9]),
            Vec3A::new(r[2], r[6], r[10]),
        ),
        translation: Vec3A::new(r[3], r[7], r[11]),
    }
}

/// Applies `f(element, value)` to the 3x3 part.
fn map_linear(m: Affine3A, f: impl Fn(usize, f32) -> f32) -> Affine3A {
    let mut rows = to_rows(m);
    for e in (0..12).filter(|e| e % 4 != 3) {
        rows[e] = f(e, rows[e]);
    }
    from_rows(rows)
}

fn rows_to_bytes<const N: usize>(matrices: &[Affine3A], to_bytes: impl Fn(f32) -> [u8; N] + Sync) -> Vec<u8> {
    let encode = |m: &Affine3A| to_rows(*m).map(&to_bytes).into_iter().flatten();
    matrices.par_iter().flat_map_iter(encode).collect()
}

fn unorm8(x: f32, min: f32, size: f32) -> u8 {
    if size > 0.0 {
        ((x - min) / size * 255.0).round() as u8
    } else {
        0
    }
}
