//! Atlas formats and their sizes.

use crate::{
    bake::BakedClip,
    model::{Later, UnitSpace},
};

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum AtlasFormat {
    /// Three RGBA32F texels, 48 bytes per matrix.
    F32,
    /// Three RGBA16F texels, 24 bytes per matrix.
    #[default]
    F16,
    /// Three RGBA8 texels in per-atlas ranges: 12 bytes a matrix. For devices without float
    /// textures; visibly coarse.
    Unorm8,
    /// Quaternion, translation and scale in 16 bytes, one 128-bit load.
    Trs16,
}

impl AtlasFormat {
    /// Every format, finest first.
    pub const ALL: [Self; 4] = [Self::F32, Self::F16, Self::Trs16, Self::Unorm8];

    /// Bytes per matrix.
    #[must_use]
    pub fn matrix_bytes(self) -> usize {
        match self {
            Self::F32 => 48,
            Self::F16 => 24,
            Self::Unorm8 => 12,
            Self::Trs16 => 16,
        }
    }

    /// Texels per matrix.
    #[must_use]
    pub fn matrix_texels(self) -> usize {
        match self {
            Self::Trs16 => 1,
            _ => 3,
        }
    }

    /// Name as on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Unorm8 => "unorm8",
            Self::Trs16 => "trs16",
        }
    }
}

/// The encoded atlas of one character.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// Encoding of `bytes`.
    pub format: AtlasFormat,
    /// Matrices per frame.
    pub slot_count: u32,
    /// Frames of all clips.
    pub frame_count: u32,
    /// Clips in model order, at least one.
    pub clips: Vec<BakedClip>,
    /// The space in which matrices are stored.
    pub unit: UnitSpace,
    /// Per matrix element `e` (row-major 3x4), a stored value `q` decodes as
    /// `decode_min[e] + q * decode_size[e]`; 0 and 1 except for [`AtlasFormat::Unorm8`]
    /// (elements 0..12) and [`AtlasFormat::Trs16`] (0..3 translation, 3..6 scale).
    pub decode_min: [f32; 12],
    /// See `decode_min`.
    pub decode_size: [f32; 12],
    /// `frame_count * slot_count * format.matrix_bytes()` bytes, little-endian, no padding.
    pub bytes: Later<u8>,
    /// `frame_count * morph_count` weights of the model's morph targets, never quantised.
    pub morph_weights: Vec<f32>,
}
