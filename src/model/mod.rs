//! A character in memory, independent of any file format.
//!
//! Units are metres (whatever the file's unit), with Y up, right-handed, facing +Z. Only `file` knows glTF.

mod chosen_frames;
mod clip;
pub mod clip_names;
mod digest;
mod expression;
mod human_bone;
mod lazy;
mod library;
mod material;
mod mesh;
mod rest;
mod skeleton;
mod tone;
mod transfer;

pub(crate) use digest::Digest;
pub(crate) use mesh::{influences, smooth_normals, triangle_normal};

pub use chosen_frames::{ChosenFrames, ChosenSegment};
pub use clip::{Channel, Clip, ClipEvent, Interpolation, Keys, Wrap};
pub use expression::{Expression, ExpressionTarget};
pub use human_bone::{HumanBone, HumanBones, Side};
pub use lazy::LazyList;
pub use library::AnimationLibrary;
pub use material::{AlphaMode, Image, MATERIAL_VARIANTS, Material, TextureKind, TextureRef, TextureWrap, TintRegion};
pub use mesh::{
    Bounds, InfluenceReduction, Lod, MOST_INFLUENCES, Mesh, Morph, MorphChannel, MorphDelta, NORMAL_BIAS_MAX,
    NORMAL_BIAS_STEPS, PackedInfluences, PackedMesh, PackedSurface, PackedVertex, USUAL_INFLUENCES, UnitSpace, Vertex,
    optimize, optimize_with_remap, pack_octahedral, padded, unpack_octahedral,
};
pub use skeleton::{Joint, PaletteSlot, Skeleton, Socket, Transform};
pub use tone::{LUMINANCE, display_luminance, display_of_grey, grey_of_display, pbr_neutral};
pub use transfer::{linear_from_srgb, srgb_from_linear};

/// One character: skeleton, merged mesh, materials and clips.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// File stem, or the name that the caller gives; shown in panels and reports.
    pub name: String,
    /// Joints, palette slots and sockets.
    pub skeleton: Skeleton,
    /// All meshes and primitives, merged into one indexed triangle list.
    pub mesh: Mesh,
    /// Flat shading, for files without normals: pixels take the normal of the posed triangle and ignore
    /// [`Vertex::normal`]. LODs keep their own normals.
    pub flat: bool,
    /// LODs, finest first: triangle counts and `max_sample_rows` descend. Empty until they are made.
    pub lods: Vec<Lod>,
    /// Vertices with fewer influences than in their file, from which baking estimates the error.
    pub reduced: Vec<InfluenceReduction>,
    /// Morph targets that clips animate.
    pub morphs: Vec<Morph>,
    /// Expressions of the file.
    pub expressions: Vec<Expression>,
    /// Materials, indexed by `Vertex::material`; 1 to 256.
    pub materials: Vec<Material>,
    /// Decoded images that materials refer to.
    pub images: Vec<Image>,
    /// Meshes and nodes that can be hidden, in file order; empty for baked files, where they are one.
    pub parts: Vec<Part>,
    /// Names of the file's material variants (`KHR_materials_variants`), in file order.
    pub variants: Vec<String>,
    /// Clips in file order; empty: drawn in the rest pose.
    pub clips: Vec<Clip>,
    /// Frames that the file brings for its clips, so that baking need not search for them.
    pub chosen_frames: Option<ChosenFrames>,
    /// True if a clip mirrors parts by a negative scale that the rest pose lacks. Their winding then does not tell
    /// front from back. Known after baking.
    pub mirrored: bool,
    /// Changes and assumptions of the import, one sentence each, for display.
    pub notes: Vec<String>,
    /// Unsupported parts of the file, one line each, for display.
    pub dropped: Vec<String>,
}

/// A mesh or a node with meshes below it, which can be left out when the file is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the node or the mesh.
    pub name: String,
    /// True if it is left out.
    pub hidden: bool,
}

impl Model {
    /// True if a part has this name, without regard to case.
    #[must_use]
    pub fn has_part(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.parts.iter().any(|part| part.name.to_lowercase() == name)
    }

    /// Notes and dropped parts as sentences.
    pub fn all_notes(&self) -> impl Iterator<Item = String> {
        let dropped = self.dropped.iter().map(|d| format!("not drawn: {d}"));
        self.notes.iter().cloned().chain(dropped)
    }

    /// True if some material has a normal map and the vertices have tangents.
    #[must_use]
    pub fn has_normal_maps(&self) -> bool {
        self.materials.iter().any(|m| m.normal_texture.is_some()) && self.mesh.has_tangents()
    }
}
