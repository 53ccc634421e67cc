//! Atlas formats, one entry of one table each.
//!
//! A new format needs a variant of [`AtlasFormat`], its [`FormatFacts`] with encoder and decoder, and a line in the
//! table below. The shader's decoder goes under its `@if` condition.

mod rows;
pub(super) mod trs;

use glam::{Affine3A, Vec3A};

use crate::{
    atlas::placement::DEFAULT_PERCENT,
    bake::{BakedClip, FrameBound},
    model::{LazyList, UnitSpace},
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
    /// Three RGBA8 texels in ranges of the atlas, 12 bytes per matrix. For devices without float textures; errors are
    /// visible.
    Unorm8,
    /// Quaternion, translation and uniform scale in 16 bytes, read with one 128-bit load.
    Trs16,
}

/// Texel of an atlas: four components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Texel {
    /// RGBA32F.
    Float32,
    /// RGBA16F.
    Float16,
    /// RGBA8, unsigned, normalised.
    Unorm8,
    /// RGBA32UI.
    Uint32,
}

impl Texel {
    /// Size (bytes) of its four components.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Float32 | Self::Uint32 => 16,
            Self::Float16 => 8,
            Self::Unorm8 => 4,
        }
    }

    /// Name as tables of documents have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float32 => "RGBA32F",
            Self::Float16 => "RGBA16F",
            Self::Unorm8 => "RGBA8",
            Self::Uint32 => "RGBA32UI",
        }
    }
}

/// Properties of one format: all that the rest of the program, its tests and its documents need to know.
#[derive(Debug)]
pub struct FormatFacts {
    /// Name on the command line, in settings and in reports.
    pub name: &'static str,
    /// WESL condition of the shader sources that selects the decoder.
    pub condition: &'static str,
    /// Texels per matrix.
    pub matrix_texels: usize,
    /// Type of each texel.
    pub texel: Texel,
    /// Contents of a record, for the table of documents.
    pub layout: &'static str,
    /// True if the format stores any scale and shear. Other formats are checked against a character before they draw
    /// it.
    pub holds_any_scale: bool,
    /// Largest error (percent of the height) that the format promises for a character that it fits.
    pub promised_percent: Option<f64>,
    /// Largest error (percent of the longest edge) of any sample character. Tests hold encoder and shader to it.
    pub limit_percent: f32,
    /// Encodes unit-space matrices into an atlas, each exact at its slot's pivot.
    pub(crate) encode: fn(&mut Atlas, &[Affine3A], &[Vec3A]),
    /// Decodes the unit-space matrix of a record of `matrix_bytes`.
    pub(crate) decode: fn(&Atlas, &[u8]) -> Affine3A,
    /// True if the record, of `matrix_bytes`, has neither infinite values nor NaN. Ranges of the atlas are finite.
    pub(crate) is_finite: fn(&[u8]) -> bool,
    /// Largest displacement by encoding along an axis, of a point as far from the centre as given, for culling. Both
    /// are in half extents of the character. The array is [`Atlas::decode_size`].
    pub(crate) displacement: fn(f32, &[f32; 12]) -> f32,
}

macro_rules! formats {
    ($($format:ident => $row:path),* $(,)?) => {
        impl AtlasFormat {
            /// Every format, finest first.
            pub const ALL: [Self; [$(stringify!($format)),*].len()] = [$(Self::$format),*];

            /// Entry of the table.
            #[must_use]
            pub const fn facts(self) -> &'static FormatFacts {
                match self {
                    $(Self::$format => &$row,)*
                }
            }
        }
    };
}

formats! {
    F32 => rows::F32,
    F16 => rows::F16,
    Trs16 => trs::FACTS,
    Unorm8 => rows::UNORM8,
}

impl AtlasFormat {
    /// Bytes per matrix.
    #[must_use]
    pub const fn matrix_bytes(self) -> usize {
        self.facts().matrix_texels * self.facts().texel.bytes()
    }

    /// Texels per matrix.
    #[must_use]
    pub const fn matrix_texels(self) -> usize {
        self.facts().matrix_texels
    }

    /// Name as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Formats that promise an error for characters that they fit.
    pub fn with_promise() -> impl Iterator<Item = Self> {
        let promises = |format: &Self| format.facts().promised_percent.is_some();
        Self::ALL.into_iter().filter(promises)
    }

    /// Formats whose error no one sees: at most [`DEFAULT_PERCENT`] of the longest edge.
    pub fn precise() -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(|format| format.facts().limit_percent <= DEFAULT_PERCENT)
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
    /// Offset of element `e` of a matrix (row-major 3x4): a stored value `q` decodes as
    /// `decode_min[e] + q * decode_size[e]`. It is 0, with a size of 1, except for [`AtlasFormat::Unorm8`] (elements
    /// 0..12) and [`AtlasFormat::Trs16`] (0..3 translation, 3..6 scale).
    pub decode_min: [f32; 12],
    /// Range of each element, see `decode_min`.
    pub decode_size: [f32; 12],
    /// `frame_count * slot_count * format.matrix_bytes()` bytes, little-endian, no padding.
    pub bytes: LazyList<u8>,
    /// `frame_count * morph_count` weights of the model's morph targets, stored in full precision.
    pub morph_weights: Vec<f32>,
    /// Error bound of frames placed by the motion; `None` for even steps.
    pub bound: Option<FrameBound>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_conditions_are_distinct_and_as_settings_spell_them() {
        let mut seen = std::collections::BTreeSet::new();
        for format in AtlasFormat::ALL {
            let written = serde_json::to_string(&format).expect("a word");
            assert_eq!(written, format!("\"{}\"", format.name()));
            assert!(seen.insert(format.facts().condition), "{format:?}");
            assert!(seen.insert(format.name()), "{format:?}");
        }
    }

    /// Bytes, texels and limit of formats that files have: these never change.
    const KNOWN: [(AtlasFormat, usize, usize, f32); 4] = [
        (AtlasFormat::F32, 48, 3, 0.001),
        (AtlasFormat::F16, 24, 3, 0.1),
        (AtlasFormat::Trs16, 16, 1, 0.1),
        (AtlasFormat::Unorm8, 12, 3, 10.0),
    ];

    #[test]
    fn known_formats_keep_their_size_and_limit() {
        for (format, bytes, texels, percent) in KNOWN {
            assert_eq!(
                (format.matrix_bytes(), format.matrix_texels()),
                (bytes, texels),
                "{format:?}"
            );
            let (limit, promised) = (format.facts().limit_percent, format.facts().promised_percent);
            assert!(limit <= percent, "{format:?}: {limit} %");
            let promises = matches!(format, AtlasFormat::F16 | AtlasFormat::Trs16);
            assert_eq!(promised, promises.then_some(0.1), "{format:?}");
        }
        let precise: Vec<AtlasFormat> = AtlasFormat::precise().collect();
        for (format, ..) in &KNOWN[..3] {
            assert!(precise.contains(format), "{format:?}");
        }
    }

    #[test]
    fn a_format_promises_no_more_than_tests_hold() {
        for format in AtlasFormat::ALL {
            let facts = format.facts();
            let limit = f64::from(facts.limit_percent);
            assert!(
                facts.promised_percent.is_none_or(|promised| limit <= promised + 1e-6),
                "{format:?}"
            );
        }
    }
}
