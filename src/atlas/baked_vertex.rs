//! Vertex animation texture: position and normal of every vertex in every baked frame, for the technique that needs no
//! matrices at draw time.
//!
//! Vertex `v` of frame `f` is the pair of words at `2 * (f * vertex_count + v)`:
//! ```text
//! word 0  x unorm16 | y unorm16 << 16                     in the clip's range, unit space
//! word 1  z unorm16 | octahedral u snorm8 << 16 | v snorm8 << 24
//! ```
//! A record has eight bytes. Its position error is half a step of the clip's box, 1/131070 of the box's edges; its
//! normal error stays below 1 degree. Twelve bytes would bring the normal error below 0.01 degrees for half as much
//! memory again. No shading here shows the difference.
//!
//! Characters with normal maps have records of four words; no GPU has texels of three. Their normals and tangents err
//! by less than 0.01 degrees:
//! ```text
//! word 0  x unorm16 | y unorm16 << 16
//! word 1  z unorm16 | left-handed << 16                   1 where the bitangent's sign is -1
//! word 2  octahedral normal, snorm16 x2
//! word 3  octahedral tangent, snorm16 x2
//! ```

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use crate::{
    atlas::unit,
    bake::{
        Palettes,
        memory::MAX_BAKE_BYTES,
        skinning::{self, SkinnedVertex},
    },
    model::{Bounds, LazyList, Model, UnitSpace, pack_octahedral, unpack_octahedral},
};

/// 32-bit words per vertex and frame.
pub const WORDS: usize = 2;
/// 32-bit words per vertex and frame with tangents.
pub const WORDS_WITH_TANGENTS: usize = 4;

/// 32-bit words per vertex and frame that a character's baked vertices take.
#[must_use]
pub fn words_per_vertex(model: &Model) -> usize {
    if model.has_normal_maps() {
        WORDS_WITH_TANGENTS
    } else {
        WORDS
    }
}

/// Range of a clip's positions (unit space): `min + q / 65535 * size`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexRange {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Extent; zero along axes on which nothing varies.
    pub size: Vec3,
}

/// Baked vertices of one character: every vertex in every frame.
#[derive(Clone, Debug)]
pub struct VertexAtlas {
    /// Vertices per frame, those of the model's mesh.
    pub vertex_count: u32,
    /// Frames of all clips, as in the palettes.
    pub frame_count: u32,
    /// One range per clip.
    pub ranges: Vec<VertexRange>,
    /// The space of the positions.
    pub unit: UnitSpace,
    /// [`WORDS`], or [`WORDS_WITH_TANGENTS`] for characters with normal maps.
    pub words_per_vertex: usize,
    /// `frame_count * vertex_count * words_per_vertex` words; layout in the module's documentation.
    pub words: LazyList<u32>,
}

/// Error: the baked vertices of a character would exceed [`MAX_BAKE_BYTES`].
#[derive(Debug, thiserror::Error)]
#[error(
    "{name}: baked vertices of {frames} frames and {vertices} vertices need {gib:.1} GiB, but the limit is {} GiB; bake \
     fewer clips, use a lower rate, or leave out --vertices",
    MAX_BAKE_BYTES >> 30
)]
pub struct TooManyVertices {
    name: String,
    vertices: usize,
    frames: usize,
    gib: f64,
}

impl VertexAtlas {
    /// Size (bytes) of the atlas that [`VertexAtlas::encode`] would make.
    #[must_use]
    pub fn byte_size(model: &Model, palettes: &Palettes) -> u64 {
        palettes.frame_count as u64 * model.mesh.vertices.len() as u64 * 4 * words_per_vertex(model) as u64
    }

    /// Rejects a character whose baked vertices would exceed [`MAX_BAKE_BYTES`].
    ///
    /// # Errors
    /// [`TooManyVertices`] states the size, the limit and what to change.
    pub fn check_size(model: &Model, palettes: &Palettes) -> Result<(), TooManyVertices> {
        let bytes = Self::byte_size(model, palettes);
        if bytes <= MAX_BAKE_BYTES {
            return Ok(());
        }
        Err(TooManyVertices {
            name: model.name.clone(),
            vertices: model.mesh.vertices.len(),
            frames: palettes.frame_count,
            gib: bytes as f64 / f64::from(1 << 30),
        })
    }

    /// Skins and packs every frame, in parallel over frames.
    #[must_use]
    pub fn encode(model: &Model, palettes: &Palettes) -> Self {
        let space = UnitSpace::around(model.rest_bounds());
        let vertex_count = model.mesh.vertices.len();
        let per_vertex = words_per_vertex(model);
        let mut words = vec![0; palettes.frame_count * vertex_count * per_vertex];
        let mut ranges = Vec::with_capacity(palettes.clips.len());
        let row = (vertex_count * per_vertex).max(1);
        for clip in &palettes.clips {
            let frames = clip.first_frame as usize..(clip.first_frame + clip.frame_count) as usize;
            let boxes = frames
                .clone()
                .into_par_iter()
                .map(|f| frame_bounds(model, palettes, &space, f));
            let range = VertexRange::of(boxes.reduce(|| Bounds::EMPTY, Bounds::union));
            let rows = words[frames.start * row..frames.end * row].par_chunks_mut(row);
            rows.zip(frames)
                .for_each(|(out, frame)| pack_frame(model, palettes, &space, range, frame, out));
            ranges.push(range);
        }
        Self {
            vertex_count: vertex_count as u32,
            frame_count: palettes.frame_count as u32,
            ranges,
            unit: space,
            words_per_vertex: per_vertex,
            words: words.into(),
        }
    }

    /// Decoded vertex of a clip's frame, its position in unit space; `frame` counts over the whole atlas.
    #[must_use]
    pub fn vertex(&self, clip: usize, frame: usize, vertex: usize) -> SkinnedVertex {
        let at = self.words_per_vertex * (frame * self.vertex_count as usize + vertex);
        let record = &self.words[at..at + self.words_per_vertex];
        let [a, b] = [record[0], record[1]];
        let range = self.ranges[clip];
        let q = Vec3::new((a & 0xffff) as f32, (a >> 16) as f32, (b & 0xffff) as f32);
        let position = range.min + q / 65535.0 * range.size;
        if let [_, _, normal, tangent] = *record {
            let hand = if b & 0x10000 == 0 { 1.0 } else { -1.0 };
            return SkinnedVertex {
                position,
                normal: unpack_octahedral(normal),
                tangent: unpack_octahedral(tangent).extend(hand),
            };
        }
        SkinnedVertex {
            position,
            normal: octahedral_decode8(b),
            tangent: Vec4::ZERO,
        }
    }
}

impl VertexRange {
    fn of(bounds: Bounds) -> Self {
        if bounds.is_empty() {
            return Self::default();
        }
        Self {
            min: bounds.min,
            size: bounds.size(),
        }
    }
}

fn frame_bounds(model: &Model, palettes: &Palettes, space: &UnitSpace, frame: usize) -> Bounds {
    let skinned = skinning::skin_frame(model, palettes, frame);
    Bounds::of(skinned.iter().map(|v| unit::point(space, v.position).into()))
}

fn pack_frame(
    model: &Model,
    palettes: &Palettes,
    space: &UnitSpace,
    range: VertexRange,
    frame: usize,
    out: &mut [u32],
) {
    let skinned = skinning::skin_frame(model, palettes, frame);
    for (words, skinned) in out.chunks_exact_mut(words_per_vertex(model)).zip(&skinned) {
        let p = Vec3::from(unit::point(space, skinned.position)) - range.min;
        let q = |axis: usize| match range.size[axis] {
            size if size > 0.0 => u32::from((p[axis] / size * 65535.0).round() as u16),
            _ => 0,
        };
        words[0] = q(0) | q(1) << 16;
        if let [_, depth, normal, tangent] = words {
            *depth = q(2) | u32::from(skinned.tangent.w < 0.0) << 16;
            *normal = pack_octahedral(skinned.normal);
            *tangent = pack_octahedral(skinned.tangent.truncate());
        } else {
            let [u, v] = octahedral_encode8(skinned.normal);
            words[1] = q(2) | u << 16 | v << 24;
        }
    }
}

/// Two snorm8 whose decoded direction is nearest to `n`, chosen among the four around the exact point (Cigolle et al.
/// 2014, "A Survey of Efficient Representations for Independent Unit Vectors").
fn octahedral_encode8(n: Vec3) -> [u32; 2] {
    let sum = n.x.abs() + n.y.abs() + n.z.abs();
    let p = if sum > 0.0 { n / sum } else { Vec3::Y };
    let exact = if p.z < 0.0 {
        fold(Vec2::new(p.x, p.y))
    } else {
        Vec2::new(p.x, p.y)
    } * 127.0;
    let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
    let candidates =
        corners.map(|(x, y)| (exact.floor() + Vec2::new(x, y)).clamp(Vec2::splat(-127.0), Vec2::splat(127.0)));
    let score = |q: Vec2| octahedral_direction(q / 127.0).dot(n);
    let best = candidates
        .into_iter()
        .fold(candidates[0], |a, b| if score(b) > score(a) { b } else { a });
    best.to_array().map(|c| u32::from(c as i8 as u8))
}

/// Unit vector of two snorm8 in the upper half of a word.
fn octahedral_decode8(packed: u32) -> Vec3 {
    let snorm = |bits: u32| (f32::from(bits as u8 as i8) / 127.0).max(-1.0);
    octahedral_direction(Vec2::new(snorm(packed >> 16), snorm(packed >> 24)))
}

/// Unit vector of an octahedral point in `[-1, 1]²`.
fn octahedral_direction(p: Vec2) -> Vec3 {
    let z = 1.0 - p.x.abs() - p.y.abs();
    let xy = if z < 0.0 { fold(p) } else { p };
    Vec3::new(xy.x, xy.y, z).normalize_or(Vec3::Y)
}

/// Folds the lower half of the octahedron outwards, and back.
fn fold(p: Vec2) -> Vec2 {
    let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
    Vec2::new((1.0 - p.y.abs()) * sign(p.x), (1.0 - p.x.abs()) * sign(p.y))
}
