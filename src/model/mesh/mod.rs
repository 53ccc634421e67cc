//! Merged triangle mesh of a character in full precision, with influences, morph targets, LODs and the packed form that
//! shaders read.

pub(crate) mod influences;
mod lod;
mod morph;
mod optimize;
mod packed;
mod smooth;

pub(crate) use smooth::{smooth_normals, triangle_normal};

pub use influences::{InfluenceReduction, padded};
pub use lod::{Lod, NORMAL_BIAS_MAX, NORMAL_BIAS_STEPS};
pub use morph::{Morph, MorphChannel, MorphDelta};
pub use optimize::{optimize, optimize_with_remap};
pub use packed::{
    PackedInfluences, PackedMesh, PackedSurface, PackedVertex, UnitSpace, pack_octahedral, unpack_octahedral,
};

use std::borrow::Cow;

use glam::{BVec3, Vec2, Vec3, Vec4};

/// Maximum number of influences per vertex.
pub const MOST_INFLUENCES: usize = 8;

/// Influences of a standard vertex; only characters that need more have wider vertices.
pub const USUAL_INFLUENCES: usize = 4;

/// A vertex as imported; the CPU reference skins these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Position in mesh space (m), which inverse bind matrices expect: model space at rest, for the joint that carries
    /// most of the skin.
    pub position: Vec3,
    /// Unit normal.
    pub normal: Vec3,
    /// Unit vector along the normal map's +x (xyz) and the sign of its +y (w, 1 or -1):
    /// `bitangent = cross(normal, tangent) * w`. All zero throughout meshes without normal maps.
    pub tangent: Vec4,
    /// Texture coordinates (0,0 = upper left), KHR_texture_transform applied.
    pub uv: Vec2,
    /// Second texture coordinates, for textures with [`TextureRef::second`](crate::model::TextureRef::second).
    pub uv1: Vec2,
    /// Linear colour that multiplies the material's; white if the file has none. Alpha is 1 where the material ignores
    /// it.
    pub color: Vec4,
    /// Index into `Model::materials`.
    pub material: u8,
    /// Palette slots, strongest first; unused ones repeat the first. The length is [`MOST_INFLUENCES`], which Rust 1.95
    /// does not compile here in closures.
    pub joints: [u16; 8],
    /// Weights in the same order; non-negative, with a sum of 1.
    pub weights: [f32; 8],
}

impl Vertex {
    /// Slots and weights: always four, or all eight of wide vertices.
    pub fn influences(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let count = if self.is_wide() {
            MOST_INFLUENCES
        } else {
            USUAL_INFLUENCES
        };
        let all = self.joints.iter().zip(self.weights).take(count);
        all.map(|(&slot, weight)| (usize::from(slot), weight))
    }

    /// True if it has more than four influences.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.weights[USUAL_INFLUENCES] > 0.0
    }

    /// Vertex with its four strongest influences only.
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
    /// Empty box; the identity of [`Bounds::union`].
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

    /// True if the box contains no point.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.min.x > self.max.x
    }

    /// The eight corners.
    #[must_use]
    pub fn corners(self) -> [Vec3; 8] {
        std::array::from_fn(|i| Vec3::select(BVec3::new(i & 1 != 0, i & 2 != 0, i & 4 != 0), self.max, self.min))
    }

    /// Edge lengths; 0 for an empty box.
    #[must_use]
    pub fn size(self) -> Vec3 {
        if self.is_empty() {
            Vec3::ZERO
        } else {
            self.max - self.min
        }
    }

    /// Centre; the origin for an empty box.
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
    /// Vertices in meshoptimizer fetch order.
    pub vertices: Vec<Vertex>,
    /// Three indices per triangle, in meshoptimizer cache order.
    pub indices: Vec<u32>,
}

impl Mesh {
    /// Bounding box of the stored positions; that of the posed rest is
    /// [`Model::rest_bounds`](crate::model::Model::rest_bounds).
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds::of(self.vertices.iter().map(|v| v.position))
    }

    /// True if vertices have tangents: all of them, or none.
    #[must_use]
    pub fn has_tangents(&self) -> bool {
        self.vertices.iter().any(|v| v.tangent != Vec4::ZERO)
    }

    /// True if some vertex has more than four influences.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.vertices.iter().any(Vertex::is_wide)
    }

    /// Mesh reduced to four influences per vertex.
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

    /// True if some vertex colour has an alpha below 1.
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
