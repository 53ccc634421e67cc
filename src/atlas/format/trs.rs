//! [`AtlasFormat::Trs16`](super::AtlasFormat): rotation, translation and uniform scale in 16 bytes.
//!
//! ```text
//! word 0  quaternion x snorm16 | y << 16        w is never negative
//! word 1  quaternion z snorm16 | w << 16        normalise after decoding
//! word 2  translation x unorm16 | y << 16       decode_min/size[0..3]
//! word 3  translation z unorm16 | scale << 16   decode_min/size[3] (repeated in 4 and 5)
//! ```
//! The matrix is `scale * rotation` plus the translation; a mirrored matrix has a negative scale. Non-uniform scale and
//! shear are replaced by the nearest uniform scale. [`Atlas::error`](super::Atlas::error) includes that error.

use glam::{Affine3A, Mat3A, Quat, Vec3A};
use rayon::prelude::*;

use crate::atlas::{
    Atlas,
    encode::pin,
    format::{FormatFacts, Texel},
};

pub(crate) const FACTS: FormatFacts = FormatFacts {
    name: "trs16",
    condition: "format_trs16",
    matrix_texels: 1,
    texel: Texel::Uint32,
    layout: "see below",
    // The record has one scale for all axes.
    holds_any_scale: false,
    promised_percent: Some(0.1),
    limit_percent: 0.1,
    encode,
    decode: |atlas, bytes| {
        let (words, _) = bytes.as_chunks::<4>();
        let words = std::array::from_fn(|w| u32::from_le_bytes(words[w]));
        matrix(words, &atlas.decode_min, &atlas.decode_size)
    },
    is_finite: |_| true,
    // Half a step of 65,535 in its range; rotations are as fine.
    displacement: |far, _| (3.0 + far) / 32768.0,
};

/// Encodes unit-space matrices into `atlas`.
fn encode(atlas: &mut Atlas, matrices: &[Affine3A], pivots: &[Vec3A]) {
    let parts: Vec<(Quat, f32)> = matrices.par_iter().map(|m| rotation_scale(m.matrix3)).collect();
    let (low, high) = parts
        .iter()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), &(_, s)| {
            (l.min(s), h.max(s))
        });
    let (min, size) = if low <= high { (low, high - low) } else { (1.0, 0.0) };
    atlas.decode_min[3..6].fill(min);
    atlas.decode_size[3..6].fill(size);
    let round = |m: Affine3A| {
        let (rotation, scale) = rotation_scale(m.matrix3);
        linear(
            unpack_quat(pack_quat(rotation)),
            decode(unorm16(scale, min, size), min, size),
        )
    };
    let pinned = pin(matrices, pivots, round);
    for axis in 0..3 {
        let values = || pinned.iter().map(|m| m.translation[axis]);
        let min = values().fold(f32::INFINITY, f32::min);
        let max = values().fold(f32::NEG_INFINITY, f32::max);
        atlas.decode_min[axis] = if min <= max { min } else { 0.0 };
        atlas.decode_size[axis] = if min <= max { max - min } else { 0.0 };
    }
    let (min, size) = (atlas.decode_min, atlas.decode_size);
    let record = |(m, &(rotation, scale)): (&Affine3A, &(Quat, f32))| {
        let [q0, q1] = pack_quat(rotation);
        let [x, y, z] = [0, 1, 2].map(|a| unorm16(m.translation[a], min[a], size[a]));
        let words = [q0, q1, x | y << 16, z | unorm16(scale, min[3], size[3]) << 16];
        words.map(u32::to_le_bytes).into_iter().flatten()
    };
    atlas.bytes = pinned
        .par_iter()
        .zip(&parts)
        .flat_map_iter(record)
        .collect::<Vec<u8>>()
        .into();
}

/// Matrix of a record; twin of the shader's decoder.
pub(crate) fn matrix(words: [u32; 4], min: &[f32; 12], size: &[f32; 12]) -> Affine3A {
    let [x, y] = [words[2] & 0xffff, words[2] >> 16];
    let [z, s] = [words[3] & 0xffff, words[3] >> 16];
    let scale = decode(s, min[3], size[3]);
    let mut m = linear(unpack_quat([words[0], words[1]]), scale);
    m.translation = Vec3A::new(
        decode(x, min[0], size[0]),
        decode(y, min[1], size[1]),
        decode(z, min[2], size[2]),
    );
    m
}

/// Nearest rotation (Higham's iteration for the polar decomposition) and its best uniform scale, negative for mirrored
/// matrices.
fn rotation_scale(m: Mat3A) -> (Quat, f32) {
    let size = m.to_cols_array().iter().map(|x| x * x).sum::<f32>().sqrt();
    let sign = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let mut r = m * (sign * 3.0_f32.sqrt() / size.max(f32::MIN_POSITIVE));
    if r.determinant().abs() < 1e-6 {
        return (flat_rotation(r), size / 3.0_f32.sqrt());
    }
    for _ in 0..12 {
        let next = (r + r.inverse().transpose()) * 0.5;
        let change = (next - r).to_cols_array().iter().fold(0.0_f32, |a, x| a.max(x.abs()));
        r = next;
        if change < 1e-7 {
            break;
        }
    }
    let dots = m.x_axis.dot(r.x_axis) + m.y_axis.dot(r.y_axis) + m.z_axis.dot(r.z_axis);
    (Quat::from_mat3a(&r).normalize(), dots / 3.0)
}

/// Share of a matrix's norm outside its nearest rotation with one scale; 0 for uniform scale.
pub(crate) fn non_uniformity(m: Mat3A) -> f32 {
    let norm = |m: Mat3A| m.to_cols_array().iter().map(|x| x * x).sum::<f32>().sqrt();
    let (rotation, scale) = rotation_scale(m);
    let size = norm(m);
    if size > 0.0 {
        norm(m - linear(rotation, scale).matrix3) / size
    } else {
        0.0
    }
}

/// Rotation for a matrix that flattens space to a plane or a line. No uniform scale represents it well.
fn flat_rotation(m: Mat3A) -> Quat {
    let x = m.x_axis.normalize_or(Vec3A::X);
    let z = x
        .cross(m.y_axis)
        .normalize_or(Vec3A::from(glam::Vec3::from(x).any_orthonormal_vector()));
    Quat::from_mat3a(&Mat3A::from_cols(x, z.cross(x), z)).normalize()
}

fn linear(rotation: Quat, scale: f32) -> Affine3A {
    Affine3A {
        matrix3: Mat3A::from_quat(rotation) * scale,
        translation: Vec3A::ZERO,
    }
}

fn pack_quat(q: Quat) -> [u32; 2] {
    let q = if q.w < 0.0 { -q } else { q };
    let [x, y, z, w] = q.to_array().map(|c| u32::from((c * 32767.0).round() as i16 as u16));
    [x | y << 16, z | w << 16]
}

fn unpack_quat(words: [u32; 2]) -> Quat {
    let snorm = |bits: u32| (f32::from(bits as u16 as i16) / 32767.0).max(-1.0);
    let q = Quat::from_xyzw(
        snorm(words[0]),
        snorm(words[0] >> 16),
        snorm(words[1]),
        snorm(words[1] >> 16),
    );
    if q.length_squared() > 0.0 {
        q.normalize()
    } else {
        Quat::IDENTITY
    }
}

fn unorm16(x: f32, min: f32, size: f32) -> u32 {
    if size > 0.0 {
        u32::from(((x - min) / size * 65535.0).round() as u16)
    } else {
        0
    }
}

fn decode(q: u32, min: f32, size: f32) -> f32 {
    min + q as f32 / 65535.0 * size
}
