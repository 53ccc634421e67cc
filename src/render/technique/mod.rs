//! Animation techniques: one row of a table each.
//!
//! A new technique takes a variant of [`Technique`], a file here with its [`Facts`], and a line in the table below. Its
//! shader functions stand under its condition. All code that depends on the technique reads its row, so that the
//! compiler asks for missing facts.

mod animation_data;
mod draw_method;
mod live;
mod matrix;
mod preskinned;
mod rest_pose;
mod textbook;
mod vertex;

pub(crate) use animation_data::AnimationData;
pub use draw_method::DrawMethod;

use crate::{
    atlas::AtlasFormat,
    character::Character,
    config::Technique,
    gpu::{Gpu, GpuError},
    render::resources::AtlasSource,
};

/// Source of poses in the vertex shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnimationSource {
    /// Matrix atlas, in any format, from a texture or a buffer.
    Atlas,
    /// Vertices baked in an encoding of their own, from a texture or a buffer.
    BakedVertices,
    /// Matrices in f32 from a buffer, without a choice.
    FullMatrices,
    /// A palette per instance, written anew for every frame.
    LivePalettes,
    /// Vertices that a compute pass has skinned for this frame.
    PosedVertices,
    /// No animation data: the rest pose.
    RestPose,
}

/// How vertices reach the vertex shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexInput {
    /// Packed, read from a storage buffer by index.
    Pulled,
    /// Four attributes side by side in one vertex buffer.
    Interleaved,
}

/// Support for morph targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MorphTargets {
    /// The vertex shader adds morph targets before skinning.
    Added,
    /// A compute pass adds morph targets before it skins; vertex shaders have none.
    AddedBefore,
    /// The animation data contains morph targets.
    Baked,
    /// Morph targets are not drawn.
    LeftOut,
}

/// Reference for the vertices that a technique's drawing code reads back, to measure the error of its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorSource {
    /// Baked frames in full precision.
    BakedFrames,
    /// Baked frames, and moments between time steps: people are shown at the nearest of shared time steps.
    SteppedFrames,
    /// Exact keys of the clips: the technique poses at the exact moment, without baked frames.
    ExactPoses,
    /// No reference: the technique shows another pose on purpose.
    NotComparable,
}

/// Part in a comparison of techniques.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Draws no animation: the least that any technique can take.
    LowerBound,
    /// Subject of this crate.
    Subject,
    /// Alternative technique for the same picture.
    Alternative,
}

/// Facts about one technique: all that the rest of the program knows of it.
#[derive(Debug)]
pub struct Facts {
    /// Name on the command line, in settings and in reports.
    pub name: &'static str,
    /// Condition of the shader sources that selects its functions.
    pub condition: &'static str,
    /// Source of its animation data.
    pub source: AnimationSource,
    /// Way in which it gets vertices.
    pub vertices: VertexInput,
    /// Support for morph targets.
    pub morphs: MorphTargets,
    /// True if it blends palettes, so that heroes can be posed live within the same draw.
    pub heroes: bool,
    /// True if it draws people from draw lists at their LODs; other techniques draw everyone at full detail.
    pub lods: bool,
    /// True if the CPU poses every instance for every frame and uploads the result.
    pub posed_on_cpu: bool,
    /// Reference for its error.
    pub error: ErrorSource,
    /// Part in comparisons.
    pub role: Role,
    /// Colour in plots (sRGB), from a palette that the colour-blind can tell apart (Okabe and Ito, "Color Universal
    /// Design").
    pub color: [u8; 3],
    /// Encodes and uploads the animation data of a character.
    pub(crate) upload: fn(&Gpu, &Character, AtlasFormat, AtlasSource) -> Result<AnimationData, GpuError>,
    /// Bytes that `upload` would send, computed without building them.
    pub(crate) bytes: fn(&Character, AtlasFormat) -> u64,
}

impl Facts {
    /// True if the technique reads the atlas in its format.
    #[must_use]
    pub fn reads_format(&self) -> bool {
        match self.source {
            AnimationSource::Atlas => true,
            AnimationSource::BakedVertices
            | AnimationSource::FullMatrices
            | AnimationSource::LivePalettes
            | AnimationSource::PosedVertices
            | AnimationSource::RestPose => false,
        }
    }

    /// True if the data can come from a texture or a buffer.
    #[must_use]
    pub fn has_source(&self) -> bool {
        match self.source {
            AnimationSource::Atlas | AnimationSource::BakedVertices => true,
            AnimationSource::FullMatrices
            | AnimationSource::LivePalettes
            | AnimationSource::PosedVertices
            | AnimationSource::RestPose => false,
        }
    }
}

macro_rules! techniques {
    ($($technique:ident => $row:path),* $(,)?) => {
        impl Technique {
            /// Every technique in the order of reports: what draws no animation comes first.
            pub const ALL: &'static [Self] = &[$(Self::$technique),*];

            /// Facts of the technique.
            #[must_use]
            pub const fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$technique => &$row,)*
                }
            }
        }
    };
}

techniques! {
    Static => rest_pose::FACTS,
    Matrix => matrix::FACTS,
    Vertex => vertex::FACTS,
    Live => live::FACTS,
    Textbook => textbook::FACTS,
    Preskinned => preskinned::FACTS,
}

impl Technique {
    /// Name as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_conditions_are_distinct_and_as_settings_spell_them() {
        let mut seen = std::collections::BTreeSet::new();
        for technique in Technique::ALL {
            let written = serde_json::to_string(technique).expect("a word");
            assert_eq!(written, format!("\"{}\"", technique.name()));
            assert!(seen.insert(technique.facts().condition), "{technique:?}");
            assert!(seen.insert(technique.name()), "{technique:?}");
        }
    }
}
