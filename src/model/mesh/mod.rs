//! The merged triangle mesh of a character, in full precision; its influences, morph targets and levels of
//! detail, and the packed form of it that shaders read.

pub(crate) mod influences;
mod lod;
mod morph;
mod optimize;
mod packed;
mod smooth;

pub(crate) use smooth::{smooth_normals, triangle_normal};

pub use influences::{Reduced, padded};
pub use lod::{Lod, NORMAL_BIAS_MAX, NORMAL_BIAS_STEPS};
pub use morph::{Morph, MorphChannel, MorphDelta};
pub use optimize::{optimize, optimize_with_remap};
pub use packed::{
    PackedInfluences, PackedMesh, PackedSurface, PackedVertex, UnitSpace, pack_octahedral, unpack_octahedral,
};

use std::borrow::Cow;

use glam::{BVec3, Vec2, Vec3, Vec4};

/// Influences that a vertex can have.
pub const MOST_INFLUENCES: usize = 8;

/// Influences that every vertex has room for; more are a wider vertex, which only characters have that need it.
pub const USUAL_INFLUENCES: usize = 4;

/// A vertex as imported: the CPU oracle skins these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Rest-pose model space (metres); the palette slots' inverse binds expect this space.
    pub position: Vec3,
    /// Unit length.
    pub normal: Vec3,
    /// Unit vector along the normal map's +x (xyz) and the sign of its +y (w, 1 or -1):
    /// `bitangent = cross(normal, tangent) * w`. All zero throughout meshes without normal maps.
    pub tangent: Vec4,
    /// Texture coordinates (0,0 = upper left), already through KHR_texture_transform.
    pub uv: Vec2,
    /// Second set, for textures whose [`TextureRef::second`](crate::model::TextureRef::second) is set.
    pub uv1: Vec2,
    /// Linear colour that multiplies the material's, white where the file has none; alpha is 1 where
    /// the material ignores it.
    pub color: Vec4,
    /// Index into `Model::materials`.
    pub material: u8,
    /// Palette slots, strongest first; an unused one repeats the first. As many as [`MOST_INFLUENCES`], which Rust
    /// 1.95 does not compile here in closures.
    pub joints: [u16; 8],
    /// Same order; non-negative, sums to 1.
    pub weights: [f32; 8],
}

impl Vertex {
    /// Slots and weights: four, used or not, and those beyond that are used.
    pub fn influences(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let count = if self.is_wide() {
            MOST_INFLUENCES
        } else {
            USUAL_INFLUENCES
        };
        let all = self.joints.iter().zip(self.weights).take(count);
        all.map(|(&slot, weight)| (usize::from(slot), weight))
    }

    /// True where it has more than four influences.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.weights[USUAL_INFLUENCES] > 0.0
    }

    /// Influences reduced to the strongest four, or kept at eight.
    #[must_use]
    pub fn narrowed(self) -> Self {
        if !self.is_wide() {
            return self;
        }
        let found = self.influences().take(USUAL_INFLUENCES);
        let (joints, weights) = influences::entries(found.map(|(slot, weight)| (slot as u16, weight)));
        Self {
            joints,
            weights,
            ..self
        }
    }
}

/// Axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Bounds {
    /// Contains nothing; the identity of [`Bounds::union`].
    pub const EMPTY: Self = Self {
        min: Vec3::INFINITY,
        max: Vec3::NEG_INFINITY,
    };

    /// Smallest box around the points; [`Bounds::EMPTY`] for none.
    #[must_use]
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// Smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// True where no point was added.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.min.x > self.max.x
    }

    /// The eight corners.
    #[must_use]
    pub fn corners(self) -> [Vec3; 8] {
        std::array::from_fn(|i| Vec3::select(BVec3::new(i & 1 != 0, i & 2 != 0, i & 4 != 0), self.max, self.min))
    }

    /// Edge lengths; zero for an empty box.
    #[must_use]
    pub fn size(self) -> Vec3 {
        if self.is_empty() {
            Vec3::ZERO
        } else {
            self.max - self.min
        }
    }

    /// Middle; the origin for an empty box.
    #[must_use]
    pub fn centre(self) -> Vec3 {
        if self.is_empty() {
            Vec3::ZERO
        } else {
            (self.min + self.max) * 0.5
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Indexed triangle list, counter-clockwise front faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// In meshoptimizer fetch order.
    pub vertices: Vec<Vertex>,
    /// Three per triangle, in meshoptimizer cache order.
    pub indices: Vec<u32>,
}

impl Mesh {
    /// Box of the stored positions (the rest pose).
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds::of(self.vertices.iter().map(|v| v.position))
    }

    /// True where vertices have tangents: all of them, or none.
    #[must_use]
    pub fn has_tangents(&self) -> bool {
        self.vertices.iter().any(|v| v.tangent != Vec4::ZERO)
    }

    /// True where some vertex has more than four influences.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.vertices.iter().any(Vertex::is_wide)
    }

    /// Mesh with four influences for every vertex.
    #[must_use]
    pub fn narrowed(&self) -> Cow<'_, Self> {
        if !self.is_wide() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            vertices: self.vertices.iter().map(|v| v.narrowed()).collect(),
            indices: self.indices.clone(),
        })
    }

    /// True where the alpha of vertex colours changes anything.
    #[must_use]
    pub fn has_alpha(&self) -> bool {
        self.vertices.iter().any(|v| v.color.w < 1.0)
    }

    /// Number of triangles.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.indices.len() / 3
    }
}
