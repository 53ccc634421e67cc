//! Linear blend skinning on the CPU: the reference for every shader that skins, with the same formulas in the same
//! order.
//!
//! A vertex blends the matrices of its slots, then transforms once. Normals use the cofactor matrix of the blended 3x3
//! part, which is its inverse transpose times its determinant. It is right under non-uniform scale and defined where a
//! scale is zero. The determinant's sign is divided out, so that normals of mirrored joints still point outwards.
//! Between two frames the matrices are blended linearly, not the vertices; the result is the same for a given vertex.

use std::borrow::Cow;

use glam::{Affine3A, Mat3A, Vec3, Vec3A, Vec4};

use crate::{
    bake::{
        Palettes,
        pose::{self, Poser},
    },
    model::{Clip, Lod, Mesh, Model, MorphDelta, Vertex},
};

/// A vertex after skinning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkinnedVertex {
    /// Position in model space (m).
    pub position: Vec3,
    /// Normal of unit length, or zero where the matrix flattens space to a line.
    pub normal: Vec3,
    /// Tangent of unit length (or zero), and the sign of the bitangent; all zero for vertices without tangents.
    pub tangent: Vec4,
}

/// Weighted sum of a vertex's slot matrices.
#[must_use]
pub fn blend(vertex: &Vertex, palette: &[Affine3A]) -> Affine3A {
    let mut sum = Affine3A::ZERO;
    for (slot, weight) in vertex.influences() {
        sum = add_scaled(sum, palette[slot], weight);
    }
    sum
}

/// `a + b * factor`, element by element.
#[must_use]
pub fn add_scaled(a: Affine3A, b: Affine3A, factor: f32) -> Affine3A {
    Affine3A {
        matrix3: a.matrix3 + b.matrix3 * factor,
        translation: a.translation + b.translation * factor,
    }
}

/// Linear interpolation of matrices element by element, `a` at 0 and `b` at 1, as the shader does between two frames.
#[must_use]
pub fn lerp(a: Affine3A, b: Affine3A, fraction: f32) -> Affine3A {
    let scaled = add_scaled(Affine3A::ZERO, a, 1.0 - fraction);
    add_scaled(scaled, b, fraction)
}

/// `determinant(m) * transpose(inverse(m))`, defined for singular matrices too.
#[must_use]
pub fn cofactor(m: Mat3A) -> Mat3A {
    Mat3A::from_cols(
        m.y_axis.cross(m.z_axis),
        m.z_axis.cross(m.x_axis),
        m.x_axis.cross(m.y_axis),
    )
}

/// Transforms a normal by the inverse transpose of `m`, to unit length; zero if nothing is left of it.
#[must_use]
pub fn transform_normal(m: Mat3A, normal: Vec3) -> Vec3 {
    let side = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    (cofactor(m) * Vec3A::from(normal) * side).normalize_or_zero().into()
}

/// Transforms a tangent by `m` itself, since it lies in the surface. Unit length, or zero if nothing is left of it; a
/// mirroring matrix flips the sign of the bitangent.
#[must_use]
pub fn transform_tangent(m: Mat3A, tangent: Vec4) -> Vec4 {
    if tangent == Vec4::ZERO {
        return tangent;
    }
    let side = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let along = m * Vec3A::from(tangent.truncate());
    Vec3::from(along.normalize_or_zero()).extend(tangent.w * side)
}

/// Skins one vertex with a palette.
#[must_use]
pub fn skin_vertex(vertex: &Vertex, palette: &[Affine3A]) -> SkinnedVertex {
    transform(vertex, blend(vertex, palette))
}

/// Transforms one vertex by a blended matrix.
#[must_use]
pub fn transform(vertex: &Vertex, matrix: Affine3A) -> SkinnedVertex {
    SkinnedVertex {
        position: matrix.transform_point3(vertex.position),
        normal: transform_normal(matrix.matrix3, vertex.normal),
        tangent: transform_tangent(matrix.matrix3, vertex.tangent),
    }
}

/// Vertices of the mesh with weighted morph targets added, before skinning.
#[must_use]
pub fn morphed<'a>(model: &'a Model, weights: &[f32]) -> Cow<'a, [Vertex]> {
    let targets = model.morphs.iter().map(|morph| &morph.deltas);
    with_morphs(&model.mesh, targets, weights)
}

/// Vertices of an LOD with weighted morph targets added, before skinning.
#[must_use]
pub fn morphed_lod<'a>(lod: &'a Lod, weights: &[f32]) -> Cow<'a, [Vertex]> {
    with_morphs(&lod.mesh, &lod.morphs, weights)
}

/// Vertices of a mesh with weighted morph targets added.
pub(crate) fn with_morphs<'a, 'd>(
    mesh: &'a Mesh,
    targets: impl IntoIterator<Item = &'d Vec<MorphDelta>>,
    weights: &[f32],
) -> Cow<'a, [Vertex]> {
    let mut vertices = Cow::Borrowed(&mesh.vertices[..]);
    if weights.iter().any(|&w| w != 0.0) {
        add_deltas(vertices.to_mut(), targets, weights);
    }
    vertices
}

/// Adds weighted morph targets to vertices in the mesh's order.
pub fn add_morphs(vertices: &mut [Vertex], model: &Model, weights: &[f32]) {
    add_deltas(vertices, model.morphs.iter().map(|morph| &morph.deltas), weights);
}

/// Adds weighted deltas; deltas of unknown vertices are ignored.
fn add_deltas<'d>(vertices: &mut [Vertex], targets: impl IntoIterator<Item = &'d Vec<MorphDelta>>, weights: &[f32]) {
    for (deltas, &weight) in targets.into_iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        for delta in deltas {
            if let Some(vertex) = vertices.get_mut(delta.vertex as usize) {
                vertex.position += delta.position * weight;
                vertex.normal += delta.normal * weight;
                vertex.tangent += (delta.tangent * weight).extend(0.0);
            }
        }
    }
}

/// Skins every vertex of a baked frame, after its morph targets.
#[must_use]
pub fn skin_frame(model: &Model, palettes: &Palettes, frame: usize) -> Vec<SkinnedVertex> {
    let vertices = morphed(model, palettes.frame_morphs(frame));
    skin_vertices(&vertices, palettes.frame(frame))
}

/// Morph weights between two baked frames.
#[must_use]
pub fn morphs_between(palettes: &Palettes, frame: usize, next: usize, fraction: f32) -> Vec<f32> {
    let pairs = palettes.frame_morphs(frame).iter().zip(palettes.frame_morphs(next));
    pairs.map(|(a, b)| a * (1.0 - fraction) + b * fraction).collect()
}

/// Skins every vertex of the mesh with one palette, without morph targets.
#[must_use]
pub fn skin(mesh: &Mesh, palette: &[Affine3A]) -> Vec<SkinnedVertex> {
    skin_vertices(&mesh.vertices, palette)
}

/// Skins every vertex of a list with one palette.
#[must_use]
pub fn skin_vertices(vertices: &[Vertex], palette: &[Affine3A]) -> Vec<SkinnedVertex> {
    vertices.iter().map(|v| skin_vertex(v, palette)).collect()
}

/// Palette between two baked frames.
#[must_use]
pub fn palette_between(palettes: &Palettes, frame: usize, next: usize, fraction: f32) -> Vec<Affine3A> {
    let pairs = palettes.frame(frame).iter().zip(palettes.frame(next));
    pairs.map(|(&a, &b)| lerp(a, b, fraction)).collect()
}

/// Palette of a clip (or of the rest pose) at a time (s), clamped to the clip. It is sampled from the keys, not from
/// baked frames.
#[must_use]
pub fn exact_palette(model: &Model, clip: Option<&Clip>, time: f32) -> Vec<Affine3A> {
    let mut palette = vec![Affine3A::IDENTITY; model.skeleton.slots.len()];
    Poser::default().palette(&model.skeleton, clip, time, &mut palette);
    palette
}

/// Morph weights of a clip (or of the rest pose) at a time (s), sampled from the keys.
#[must_use]
pub fn exact_morphs(model: &Model, clip: Option<&Clip>, time: f32) -> Vec<f32> {
    let mut weights = vec![0.0; model.morphs.len()];
    pose::morph_weights(model, clip, time, &mut weights);
    weights
}

/// Skins every vertex at a time of a clip (s), sampled from the keys: the reference for errors of baking.
#[must_use]
pub fn skin_exact(model: &Model, clip: Option<&Clip>, time: f32) -> Vec<SkinnedVertex> {
    let vertices = morphed(model, &exact_morphs(model, clip, time));
    skin_vertices(&vertices, &exact_palette(model, clip, time))
}
