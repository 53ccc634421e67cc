//! Formats that store the three rows of a matrix, one texel each: `f32`, `f16` and `unorm8`.

use glam::{Affine3A, Vec3A};
use half::f16;
use rayon::prelude::*;

use crate::atlas::{
    Atlas,
    encode::pin,
    format::{FormatFacts, Texel},
};

/// Largest relative error of an f16.
const F16_HALF_STEP: f32 = 1.0 / 2048.0;

pub(crate) const F32: FormatFacts = FormatFacts {
    name: "f32",
    condition: "format_f32",
    matrix_texels: 3,
    texel: Texel::Float32,
    layout: "rows as float",
    holds_any_scale: true,
    promised_percent: None,
    limit_percent: 0.001,
    encode: |atlas, matrices, _| atlas.bytes = rows_to_bytes(matrices, f32::to_le_bytes).into(),
    decode: |_, bytes| {
        let (words, _) = bytes.as_chunks::<4>();
        from_rows(std::array::from_fn(|e| f32::from_le_bytes(words[e])))
    },
    is_finite: |bytes| {
        let (words, _) = bytes.as_chunks::<4>();
        words.iter().all(|&word| f32::from_le_bytes(word).is_finite())
    },
    displacement: |_, _| 0.0,
};

pub(crate) const F16: FormatFacts = FormatFacts {
    name: "f16",
    condition: "format_f16",
    matrix_texels: 3,
    texel: Texel::Float16,
    layout: "rows as half float",
    holds_any_scale: true,
    promised_percent: Some(0.1),
    limit_percent: 0.1,
    encode: encode_f16,
    decode: |_, bytes| {
        let (halves, _) = bytes.as_chunks::<2>();
        from_rows(std::array::from_fn(|e| f16::from_le_bytes(halves[e]).to_f32()))
    },
    is_finite: |bytes| {
        let (halves, _) = bytes.as_chunks::<2>();
        halves.iter().all(|&half| f16::from_le_bytes(half).is_finite())
    },
    // Four terms a row, of which only the translation is larger than about 1.
    displacement: |far, _| (3.0 + far) * F16_HALF_STEP,
};

pub(crate) const UNORM8: FormatFacts = FormatFacts {
    name: "unorm8",
    condition: "format_unorm8",
    matrix_texels: 3,
    texel: Texel::Unorm8,
    layout: "byte `q` of element `e` is `decodeMin[e] + q / 255 * decodeSize[e]`",
    holds_any_scale: true,
    promised_percent: None,
    limit_percent: 10.0,
    encode: encode_unorm8,
    decode: |atlas, bytes| {
        from_rows(std::array::from_fn(|e| {
            atlas.decode_min[e] + f32::from(bytes[e]) / 255.0 * atlas.decode_size[e]
        }))
    },
    is_finite: |_| true,
    // Half a step of 255 in every term; rest positions are within 1.
    displacement: |_, decode_size| {
        let rows = decode_size.chunks_exact(4).map(|row| row.iter().sum::<f32>() / 510.0);
        rows.fold(0.0, f32::max)
    },
};

fn encode_f16(atlas: &mut Atlas, matrices: &[Affine3A], pivots: &[Vec3A]) {
    let round = |m: Affine3A| map_linear(m, |_, x| f16::from_f32(x).to_f32());
    let pinned = pin(matrices, pivots, round);
    atlas.bytes = rows_to_bytes(&pinned, |x| f16::from_f32(x).to_le_bytes()).into();
}

fn encode_unorm8(atlas: &mut Atlas, matrices: &[Affine3A], pivots: &[Vec3A]) {
    set_ranges(atlas, matrices);
    let (min, size) = (atlas.decode_min, atlas.decode_size);
    let round = |m: Affine3A| {
        map_linear(m, |e, x| {
            min[e] + f32::from(unorm8(x, min[e], size[e])) / 255.0 * size[e]
        })
    };
    let pinned = pin(matrices, pivots, round);
    set_ranges(atlas, &pinned);
    // The 3x3 part keeps the ranges in which it was rounded.
    for e in (0..12).filter(|e| e % 4 != 3) {
        (atlas.decode_min[e], atlas.decode_size[e]) = (min[e], size[e]);
    }
    let (min, size) = (atlas.decode_min, atlas.decode_size);
    let encode = |m: &Affine3A| {
        let rows = to_rows(*m);
        std::array::from_fn::<u8, 12, _>(|e| unorm8(rows[e], min[e], size[e]))
    };
    atlas.bytes = pinned.par_iter().flat_map_iter(encode).collect::<Vec<u8>>().into();
}

/// Smallest and largest value of each element.
pub(super) fn set_ranges(atlas: &mut Atlas, matrices: &[Affine3A]) {
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
        atlas.decode_min[e] = if known { min[e] } else { 0.0 };
        atlas.decode_size[e] = if known { max[e] - min[e] } else { 0.0 };
    }
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
pub(super) fn map_linear(m: Affine3A, f: impl Fn(usize, f32) -> f32) -> Affine3A {
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
