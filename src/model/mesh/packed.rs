//! Packed vertices that shaders pull. Two 16-byte loads are standard. Characters with normal maps, second texture
//! coordinates or transparent vertex colours have one more. Eight influences add another.
//!
//! ```text
//! word 0  x unorm16 | y unorm16 << 16      position in the mesh's rest bounds
//! word 1  z unorm16 | material u8 << 16 | red u8 << 24
//! word 2  octahedral normal, snorm16 x2
//! word 3  uv in the mesh's uv bounds, unorm16 x2
//! word 4  palette slots 0 | 1 << 16
//! word 5  palette slots 2 | 3 << 16
//! word 6  weight 0 unorm16 | weight 1 unorm16 << 16
//! word 7  weight 2 unorm16 | green u8 << 16 | blue u8 << 24     (weight 3 = 1 - others)
//! ```
//! The third load is [`PackedSurface`]:
//! ```text
//! word 8   octahedral tangent, snorm16 x2
//! word 9   0 no tangent, 1 right-handed (w = 1), 2 left-handed (w = -1) | alpha u8 << 8
//! word 10  second u, f32
//! word 11  second v, f32
//! ```
//! The last load is [`PackedInfluences`]:
//! ```text
//! word 0   palette slots 4 | 5 << 16
//! word 1   palette slots 6 | 7 << 16
//! word 2   weight 4 unorm16 | weight 5 unorm16 << 16
//! word 3   weight 6 unorm16 | weight 7 unorm16 << 16     (weight 3 = 1 - all others)
//! ```

use std::{borrow::Cow, collections::HashMap};

use bytemuck::{Pod, Zeroable};
use glam::{UVec4, Vec2, Vec3, Vec4};

use crate::model::{Bounds, MOST_INFLUENCES, Mesh, Vertex};

/// GPU vertex; bit layout in the module's documentation.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct PackedVertex {
    /// Words 0 to 7.
    pub words: [u32; 8],
}

/// The third load of characters that need it; bit layout in the module's documentation.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct PackedSurface {
    /// Words 8 to 11.
    pub words: [u32; 4],
}

/// The last load of characters with eight influences; bit layout in the module's documentation.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct PackedInfluences {
    /// Words 0 to 3 of the load.
    pub words: [u32; 4],
}

/// Unit space, the cube `[-1, 1]³` in which palettes are encoded: `model = unit * half_extent + centre`.
///
/// Palettes are relative to the character's own size and centre. Formats of 16 bits then have equal relative errors for
/// a 300 m dinosaur and a 2 cm figurine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitSpace {
    /// Centre of the bounds of the posed rest, model space (m).
    pub centre: Vec3,
    /// Half of the largest edge of the posed rest (m); positive.
    pub half_extent: f32,
}

impl UnitSpace {
    /// Unit space around the bounds of a character's posed rest.
    #[must_use]
    pub fn around(bounds: Bounds) -> Self {
        let half = bounds.size().max_element() * 0.5;
        Self {
            centre: bounds.centre(),
            half_extent: if half > 0.0 && half.is_finite() { half } else { 1.0 },
        }
    }
}

/// A mesh ready for upload.
#[derive(Clone, Debug)]
pub struct PackedMesh {
    /// First 32 bytes of every vertex.
    pub vertices: Vec<PackedVertex>,
    /// Third load of every vertex; empty if tangents, second texture coordinates and alpha are unused.
    pub surfaces: Vec<PackedSurface>,
    /// Last load of every vertex; empty if none has more than four influences.
    pub influences: Vec<PackedInfluences>,
    /// Triangle list; fits 16 bits when `vertices.len() <= 65536`.
    pub indices: Vec<u32>,
    /// Bounds of positions, which decode as `min + q / 65535 * size`, model space (m).
    pub bounds: Bounds,
    /// Lowest texture coordinates; they decode as `uv_min + q / 65535 * uv_size`.
    pub uv_min: Vec2,
    /// Extent of the texture coordinates; zero where they are constant.
    pub uv_size: Vec2,
}

impl PackedMesh {
    /// Quantises a mesh; the position error is at most half a step, `size / 131070` per axis.
    #[must_use]
    pub fn new(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        let uv_min = mesh.vertices.iter().fold(Vec2::INFINITY, |m, v| m.min(v.uv));
        let uv_max = mesh.vertices.iter().fold(Vec2::NEG_INFINITY, |m, v| m.max(v.uv));
        let uv_size = (uv_max - uv_min).max(Vec2::ZERO);
        let pack = |v: &Vertex| pack_vertex(v, bounds, uv_min, uv_size);
        let wide = mesh.has_tangents() || mesh.has_alpha() || mesh.vertices.iter().any(|v| v.uv1 != Vec2::ZERO);
        let surfaces = mesh.vertices.iter().filter(|_| wide).map(pack_surface);
        let eight = mesh.is_wide();
        let influences = mesh.vertices.iter().filter(|_| eight).map(pack_influences);
        Self {
            vertices: mesh.vertices.iter().map(pack).collect(),
            surfaces: surfaces.collect(),
            influences: influences.collect(),
            indices: mesh.indices.clone(),
            bounds,
            uv_min,
            uv_size,
        }
    }

    /// For every vertex the first with equal position and influences. At seams several vertices share a position, one
    /// for each side.
    #[must_use]
    pub fn first_at_position(&self) -> Vec<u32> {
        let mut first = HashMap::with_capacity(self.vertices.len());
        let places = self.vertices.iter().enumerate().map(|(number, vertex)| {
            let [xy, z, _, _, slots_a, slots_b, weights_a, weights_b] = vertex.words;
            let more = self.influences.get(number).copied().unwrap_or_default();
            let key = (
                [xy, z & 0xffff, slots_a, slots_b, weights_a, weights_b & 0xffff],
                more.words,
            );
            *first.entry(key).or_insert(number as u32)
        });
        places.collect()
    }

    /// Largest distance that packing moves a vertex (m).
    #[must_use]
    pub fn max_packing_error(bounds: Bounds) -> f32 {
        bounds.size().length() / 131_070.0
    }

    /// Packs LOD meshes for the same shaders, one after another; indices count from the first. Positions share one box
    /// of their own. Texture coordinates and vertex size are those of `self`.
    #[must_use]
    pub fn coarser<'a>(&self, meshes: impl Iterator<Item = &'a Mesh> + Clone) -> Self {
        let bounds = meshes.clone().fold(Bounds::EMPTY, |all, mesh| all.union(mesh.bounds()));
        let vertices = meshes.clone().flat_map(|mesh| &mesh.vertices);
        let wide = vertices.clone().filter(|_| self.is_extended());
        let eight = vertices.clone().filter(|_| self.has_eight_influences());
        let mut first = 0;
        let mut indices = Vec::new();
        for mesh in meshes {
            indices.extend(mesh.indices.iter().map(|index| index + first));
            first += mesh.vertices.len() as u32;
        }
        Self {
            vertices: vertices
                .map(|v| pack_vertex(v, bounds, self.uv_min, self.uv_size))
                .collect(),
            surfaces: wide.map(pack_surface).collect(),
            influences: eight.map(pack_influences).collect(),
            indices,
            bounds,
            uv_min: self.uv_min,
            uv_size: self.uv_size,
        }
    }

    /// Vertex `index` as shaders unpack it.
    #[must_use]
    pub fn vertex(&self, index: usize) -> Vertex {
        let w = self.vertices[index].words;
        let unorm = |bits: u32| (bits & 0xffff) as f32 / 65535.0;
        let byte = |bits: u32| (bits & 0xff) as f32 / 255.0;
        let position = Vec3::new(unorm(w[0]), unorm(w[0] >> 16), unorm(w[1]));
        let (joints, weights) = self.influences_of(index);
        let surface = self.surfaces.get(index);
        Vertex {
            position: self.bounds.min + position * self.bounds.size(),
            normal: unpack_octahedral(w[2]),
            tangent: surface.map_or(Vec4::ZERO, |s| unpack_tangent(s.words)),
            uv: self.uv_min + Vec2::new(unorm(w[3]), unorm(w[3] >> 16)) * self.uv_size,
            uv1: surface.map_or(Vec2::ZERO, |s| {
                Vec2::new(f32::from_bits(s.words[2]), f32::from_bits(s.words[3]))
            }),
            color: Vec4::new(
                byte(w[1] >> 24),
                byte(w[7] >> 16),
                byte(w[7] >> 24),
                surface.map_or(1.0, |s| byte(s.words[1] >> 8)),
            ),
            material: (w[1] >> 16) as u8,
            joints,
            weights,
        }
    }

    /// Slots and weights of vertex `index`; unused ones past the fourth repeat the first slot.
    fn influences_of(&self, index: usize) -> ([u16; MOST_INFLUENCES], [f32; MOST_INFLUENCES]) {
        let w = self.vertices[index].words;
        let first = w[4] & 0xffff;
        let none = [first | first << 16, first | first << 16, 0, 0];
        let more = self.influences.get(index).map_or(none, |more| more.words);
        let halves = |words: [u32; 4]| words.map(|word| [word as u16, (word >> 16) as u16]);
        let (joints, rest) = (
            halves([w[4], w[5], more[0], more[1]]),
            halves([w[6], w[7], more[2], more[3]]),
        );
        let mut weights = std::array::from_fn(|i| f32::from(rest.as_flattened()[i]) / 65535.0);
        // The fourth weight's bits hold a colour; the weight is implied.
        weights[3] = 0.0;
        weights[3] = 1.0 - weights.iter().sum::<f32>();
        (std::array::from_fn(|i| joints.as_flattened()[i]), weights)
    }

    /// Mesh as shaders see it.
    #[must_use]
    pub fn unpacked(&self) -> Mesh {
        Mesh {
            vertices: (0..self.vertices.len()).map(|index| self.vertex(index)).collect(),
            indices: self.indices.clone(),
        }
    }

    /// True if vertices take three loads (48 bytes) instead of two.
    #[must_use]
    pub fn is_extended(&self) -> bool {
        !self.surfaces.is_empty()
    }

    /// True if vertices have a load of further influences.
    #[must_use]
    pub fn has_eight_influences(&self) -> bool {
        !self.influences.is_empty()
    }

    /// Content of the storage buffer: vertices of 32 bytes, each followed by its surface and further influences, if
    /// present.
    #[must_use]
    pub fn vertex_bytes(&self) -> Cow<'_, [u8]> {
        if !self.is_extended() && !self.has_eight_influences() {
            return Cow::Borrowed(bytemuck::cast_slice(&self.vertices));
        }
        let mut bytes = Vec::with_capacity(64 * self.vertices.len());
        for (index, vertex) in self.vertices.iter().enumerate() {
            let surface = self.surfaces.get(index).map(bytemuck::bytes_of);
            let influences = self.influences.get(index).map(bytemuck::bytes_of);
            let loads = [Some(bytemuck::bytes_of(vertex)), surface, influences];
            loads
                .into_iter()
                .flatten()
                .for_each(|load| bytes.extend_from_slice(load));
        }
        Cow::Owned(bytes)
    }

    /// True if 16-bit indices can address every vertex.
    #[must_use]
    pub fn fits_u16(&self) -> bool {
        self.vertices.len() <= 1 << 16
    }
}

fn pack_vertex(v: &Vertex, bounds: Bounds, uv_min: Vec2, uv_size: Vec2) -> PackedVertex {
    let size = bounds.size();
    let q = |value: f32, min: f32, extent: f32| -> u32 {
        if extent > 0.0 {
            unorm16((value - min) / extent)
        } else {
            0
        }
    };
    let x = q(v.position.x, bounds.min.x, size.x);
    let y = q(v.position.y, bounds.min.y, size.y);
    let z = q(v.position.z, bounds.min.z, size.z);
    let uv = [q(v.uv.x, uv_min.x, uv_size.x), q(v.uv.y, uv_min.y, uv_size.y)];
    let rgb = bytes(v.color);
    let weights = quantise_weights(v.weights);
    let j = v.joints.map(u32::from);
    PackedVertex {
        words: [
            x | y << 16,
            z | u32::from(v.material) << 16 | rgb.x << 24,
            pack_octahedral(v.normal),
            uv[0] | uv[1] << 16,
            j[0] | j[1] << 16,
            j[2] | j[3] << 16,
            weights[0] | weights[1] << 16,
            weights[2] | rgb.y << 16 | rgb.z << 24,
        ],
    }
}

fn pack_influences(v: &Vertex) -> PackedInfluences {
    let (j, weights) = (v.joints.map(u32::from), quantise_weights(v.weights));
    PackedInfluences {
        words: [
            j[4] | j[5] << 16,
            j[6] | j[7] << 16,
            weights[4] | weights[5] << 16,
            weights[6] | weights[7] << 16,
        ],
    }
}

fn pack_surface(v: &Vertex) -> PackedSurface {
    let [u, w] = v.uv1.to_array().map(f32::to_bits);
    let hand = match v.tangent.w {
        w if w > 0.0 => 1,
        w if w < 0.0 => 2,
        _ => 0,
    };
    PackedSurface {
        words: [
            pack_octahedral(v.tangent.truncate()),
            hand | bytes(v.color).w << 8,
            u,
            w,
        ],
    }
}

fn bytes(color: Vec4) -> UVec4 {
    (color.clamp(Vec4::ZERO, Vec4::ONE) * 255.0 + 0.5).as_uvec4()
}

fn unpack_tangent(words: [u32; 4]) -> Vec4 {
    match words[1] & 0xff {
        0 => Vec4::ZERO,
        hand => unpack_octahedral(words[0]).extend(if hand == 2 { -1.0 } else { 1.0 }),
    }
}

fn unorm16(x: f32) -> u32 {
    (x.clamp(0.0, 1.0) * 65535.0 + 0.5) as u32
}

/// Rounds to 1/65535 so that the implied fourth weight is never negative; its entry is 0.
fn quantise_weights(weights: [f32; MOST_INFLUENCES]) -> [u32; MOST_INFLUENCES] {
    let mut q = weights.map(unorm16);
    q[3] = 0;
    let excess = q.iter().sum::<u32>().saturating_sub(65535);
    q[0] -= excess.min(q[0]);
    q
}

/// Octahedral encoding of a unit vector in two snorm16 (Cigolle et al. 2014, "A Survey of Efficient Representations for
/// Independent Unit Vectors", oct32). The largest error is about 0.003 degrees.
#[must_use]
pub fn pack_octahedral(n: Vec3) -> u32 {
    let sum = n.x.abs() + n.y.abs() + n.z.abs();
    let p = if sum > 0.0 { n / sum } else { Vec3::Y };
    let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
    let folded = if p.z < 0.0 {
        Vec2::new((1.0 - p.y.abs()) * sign(p.x), (1.0 - p.x.abs()) * sign(p.y))
    } else {
        Vec2::new(p.x, p.y)
    };
    let q = (folded.clamp(Vec2::NEG_ONE, Vec2::ONE) * 32767.0).round();
    (q.x as i16 as u16 as u32) | (q.y as i16 as u16 as u32) << 16
}

/// Inverse of [`pack_octahedral`].
#[must_use]
pub fn unpack_octahedral(bits: u32) -> Vec3 {
    let snorm = |bits: u32| (f32::from(bits as u16 as i16) / 32767.0).max(-1.0);
    let p = Vec2::new(snorm(bits), snorm(bits >> 16));
    let z = 1.0 - p.x.abs() - p.y.abs();
    let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
    let (x, y) = if z < 0.0 {
        ((1.0 - p.y.abs()) * sign(p.x), (1.0 - p.x.abs()) * sign(p.y))
    } else {
        (p.x, p.y)
    };
    Vec3::new(x, y, z).normalize_or(Vec3::Y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octahedral_directions_come_back() {
        let steps = 90;
        for (row, column) in (0..=steps).flat_map(|row| (0..2 * steps).map(move |column| (row, column))) {
            let radians = |step: i32| step as f32 / steps as f32 * std::f32::consts::PI;
            let direction = Vec3::Y.rotate_x(radians(row)).rotate_z(radians(column));
            let back = unpack_octahedral(pack_octahedral(direction));
            // At most half a step of both coordinates at the centre of a face: sqrt(6) / 65534 at a distance of 1 / sqrt(3).
            let angle = direction.cross(back).length();
            assert!(angle < 6.5e-5, "{direction} came back as {back}, {angle} rad off");
            assert!(direction.dot(back) > 0.0, "{direction} came back as {back}");
        }
    }

    #[test]
    fn seam_vertices_share_a_position_unless_influences_differ() {
        let vertex = |x: f32, change: &dyn Fn(&mut Vertex)| {
            let mut vertex = Vertex {
                position: Vec3::new(x, 2.0 * x, -x),
                weights: [0.75, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                joints: [1, 2, 0, 0, 0, 0, 0, 0],
                ..Vertex::default()
            };
            change(&mut vertex);
            vertex
        };
        let vertices = vec![
            vertex(0.0, &|_| ()),
            vertex(1.0, &|_| ()),
            // Another uv, normal, colour, material: the same place.
            vertex(1.0, &|v| v.uv = Vec2::new(0.5, 0.25)),
            vertex(1.0, &|v| (v.normal, v.material) = (Vec3::NEG_Y, 3)),
            vertex(1.0, &|v| v.color = Vec4::new(0.1, 0.2, 0.3, 1.0)),
            // Others.
            vertex(1.0, &|v| v.joints[1] = 4),
            vertex(1.0, &|v| (v.weights[0], v.weights[1]) = (0.5, 0.5)),
            vertex(1.0, &|v| (v.weights[1], v.weights[5]) = (0.15, 0.1)),
            vertex(0.5, &|_| ()),
        ];
        let mesh = Mesh {
            indices: (0..vertices.len() as u32).collect(),
            vertices,
        };
        assert_eq!(PackedMesh::new(&mesh).first_at_position(), [0, 1, 1, 1, 1, 5, 6, 7, 8]);
    }
}
