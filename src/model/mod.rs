//! A character as the rest of the crate sees it, free of any file format.
//!
//! Everything is in metres (whatever the file calls one unit), Y up, right-handed, facing +Z.
//! Only `file` knows glTF.

mod clip;
pub mod clip_names;
mod digest;
mod lazy;
mod library;
mod material;
mod mesh;
mod skeleton;
mod tone;
mod transfer;

pub(crate) use digest::Digest;
pub(crate) use mesh::{influences, smooth_normals, triangle_normal};

pub use clip::{Channel, Clip, ClipEvent, Interpolation, Keys, Wrap};
pub use lazy::Later;
pub use library::AnimationLibrary;
pub use material::{AlphaMode, Image, MATERIAL_VARIANTS, Material, TextureKind, TextureRef, TextureWrap, TintRegion};
pub use mesh::{
    Bounds, Lod, MOST_INFLUENCES, Mesh, Morph, MorphChannel, MorphDelta, NORMAL_BIAS_MAX, NORMAL_BIAS_STEPS,
    PackedInfluences, PackedMesh, PackedSurface, PackedVertex, Reduced, USUAL_INFLUENCES, UnitSpace, Vertex, optimize,
    optimize_with_remap, pack_octahedral, padded, unpack_octahedral,
};
pub use skeleton::{Joint, PaletteSlot, Skeleton, Socket, Transform};
pub use tone::{LUMINANCE, display_luminance, display_of_grey, grey_of_display, pbr_neutral};
pub use transfer::{linear_from_srgb, srgb_from_linear};

/// One character: skeleton, merged mesh, materials and clips.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// File stem or the name given by the caller; used in panels and reports.
    pub name: String,
    /// Joints, palette slots and sockets.
    pub skeleton: Skeleton,
    /// All meshes and primitives of the character merged into one indexed triangle list.
    pub mesh: Mesh,
    /// Shaded by triangle, as files without normals ask for: pixels take the normal of the triangle that they show, as
    /// it is posed, whatever [`Vertex::normal`] says. LODs are shaded by their own normals all the same.
    pub flat: bool,
    /// Coarser meshes, the finest first: triangles and `max_sample_rows` descend. Empty until they are made.
    pub lods: Vec<Lod>,
    /// Vertices that have fewer influences than in their file, so that baking can tell what this costs.
    pub reduced: Vec<Reduced>,
    /// Morph targets whose weights clips change.
    pub morphs: Vec<Morph>,
    /// Materials that `Vertex::material` indexes; at least one, at most 256.
    pub materials: Vec<Material>,
    /// Decoded images that materials refer to.
    pub images: Vec<Image>,
    /// Clips in file order; may be empty (drawn in the rest pose).
    pub clips: Vec<Clip>,
    /// A clip mirrors parts, by a negative scale that the rest pose does not have: which side of their
    /// triangles is outside does not follow from the order of the corners. Known once baked.
    pub mirrored: bool,
    /// Changes and assumptions of the import, one sentence each, for people.
    pub notes: Vec<String>,
    /// Parts of the file that nothing here draws, one line each, for people.
    pub dropped: Vec<String>,
}

impl Model {
    /// Notes, and what is dropped, as sentences.
    pub fn all_notes(&self) -> impl Iterator<Item = String> {
        let dropped = self.dropped.iter().map(|d| format!("not drawn: {d}"));
        self.notes.iter().cloned().chain(dropped)
    }

    /// Extent of the rest pose along y, or the largest where that is flat, metres: what errors are relative to.
    #[must_use]
    pub fn height(&self) -> f32 {
        let size = self.mesh.bounds().size();
        if size.y > 0.0 { size.y } else { size.max_element() }
    }

    /// True where some material has a normal map and the vertices have the tangents to apply it.
    #[must_use]
    pub fn has_normal_maps(&self) -> bool {
        self.materials.iter().any(|m| m.normal_texture.is_some()) && self.mesh.has_tangents()
    }
}
