//! The techniques: one row of one table each.
//!
//! A new technique is a variant of [`Technique`], a file here with its [`Facts`], a line in the
//! table below and the shader functions behind its condition. Whatever else depends on the
//! technique reads its row, so that the compiler asks for a fact instead of a default deciding.

mod animation_data;
mod draw_method;
mod live;
mod matrix;
mod naive;
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
    /// The matrix atlas, in any format, from a texture or a buffer.
    Atlas,
    /// Vertices baked in an encoding of their own, from a texture or a buffer.
    BakedVertices,
    /// Matrices in f32 from a buffer, without a choice.
    FullMatrices,
    /// A palette per instance, written anew for every frame.
    LivePalettes,
    /// Vertices that a compute pass has skinned for this frame.
    PosedVertices,
    /// Nothing: the rest pose.
    RestPose,
}

/// How vertices reach the vertex shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexInput {
    /// Packed, read from a storage buffer by index.
    Pulled,
    /// Unpacked attributes in a vertex buffer each.
    Attributes,
    /// Four attributes side by side in one vertex buffer.
    Interleaved,
}

/// Support for morph targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MorphTargets {
    /// The vertex shader adds them before skinning.
    Added,
    /// A compute pass adds them before it skins, and vertex shaders know none.
    AddedBefore,
    /// The animation data contains them.
    Baked,
    /// They are not drawn.
    LeftOut,
}

/// Reference for the vertices that a technique's drawing code reads back, to tell the error of its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorSource {
    /// The baked frames, in full precision.
    BakedFrames,
    /// Frames, also at moments between its steps: everyone is shown at the nearest of the time steps that they share.
    SteppedFrames,
    /// The exact keys: it poses at the very moment, from no frames.
    ExactPoses,
    /// Shows another pose on purpose.
    NotComparable,
}

/// Part in a comparison of techniques.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Draws no animation: the least that any technique can take.
    LowerBound,
    /// Subject of this crate.
    Subject,
    /// Another way to the same picture.
    Alternative,
}

/// All that the rest of the program knows of one technique.
#[derive(Debug)]
pub struct Facts {
    /// Name on the command line, in settings and in reports.
    pub name: &'static str,
    /// Condition of the shader sources that selects its functions.
    pub condition: &'static str,
    /// Its animation data.
    pub source: AnimationSource,
    /// How it gets vertices.
    pub vertices: VertexInput,
    /// Whether it adds morph targets.
    pub morphs: MorphTargets,
    /// It blends palettes: single people can be posed live within the same draw.
    pub heroes: bool,
    /// It draws LODs, of those whom the view shows: others draw everyone in full.
    pub lods: bool,
    /// The CPU poses every instance of every frame and sends the result.
    pub posed_on_cpu: bool,
    /// How its error is found.
    pub error: ErrorSource,
    /// Its part in comparisons.
    pub role: Role,
    /// sRGB in plots; colours that the colour-blind can tell apart (Okabe and Ito, "Color Universal Design").
    pub color: [u8; 3],
    /// Encodes and uploads the animation data of a character.
    pub(crate) upload: fn(&Gpu, &Character, AtlasFormat, AtlasSource) -> Result<AnimationData, GpuError>,
    /// Bytes that `upload` would send, without building them.
    pub(crate) bytes: fn(&Character, AtlasFormat) -> u64,
}

impl Facts {
    /// The format of the atlas matters.
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

    /// There is a choice between texture and buffer.
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

            /// Its row of the table.
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
    Naive => naive::FACTS,
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
