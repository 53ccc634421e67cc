//! Simplification by edge collapse with quadric error metrics (Garland & Heckbert 1997; meshoptimizer), with and
//! without regard to poses.
//!
//! The positional error of meshoptimizer considers one pose. Positions in further poses are added as vertex attributes,
//! so that the error includes bending. Normals, colours and texture coordinates are attributes as well, for what is
//! visible.

use std::{borrow::Cow, collections::HashMap};

use glam::{Vec2, Vec3};
use meshopt::{SimplifyOptions, SimplifyVertex};

use crate::{
    bake::lods::{poses::LodPose, shape::Shape},
    model::{Mesh, Vertex},
};

/// Largest number of poses beside the other attributes: the simplifier accepts 32 numbers.
pub(super) const POSES: usize = 8;

/// Settings of a collapse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SimplifySettings {
    /// Weight of a pose against the rest pose; 0 leaves all poses out.
    pub poses: f32,
    /// True if edges between materials and texture charts are protected.
    pub seams: bool,
    /// True to favour triangles of regular size and shape over accuracy.
    pub regular: bool,
}

/// All poses count as much as the rest pose, and seams are protected.
const POSED: SimplifySettings = SimplifySettings {
    poses: 1.0,
    seams: true,
    regular: false,
};
/// The rest pose alone counts, and triangles stay regular.
const REST: SimplifySettings = SimplifySettings {
    poses: 0.0,
    seams: true,
    regular: true,
};

/// All settings that are tried, in order of preference.
pub(super) const SIMPLIFY_SETTINGS: [SimplifySettings; 5] = [
    POSED,
    SimplifySettings { poses: 0.25, ..POSED },
    REST,
    SimplifySettings { seams: false, ..POSED },
    SimplifySettings { seams: false, ..REST },
];

/// Settings of quick LODs.
pub(super) const QUICK_SETTINGS: [SimplifySettings; 2] = [SIMPLIFY_SETTINGS[0], SIMPLIFY_SETTINGS[1]];

/// Weight of normals, colours and texture coordinates against positions.
const NORMAL: f32 = 0.1;
const COLOR: f32 = 0.2;
const UV: f32 = 0.2;

/// Mesh with its positions in several poses, ready for collapse to any number of triangles.
pub(super) struct Collapsible<'a> {
    shape: Cow<'a, Shape>,
    /// Positions in the poses (in units of the extent), one row of poses per vertex.
    posed: Vec<Vec3>,
    poses: usize,
    seams: Vec<SimplifyVertex>,
}

impl<'a> Collapsible<'a> {
    /// Prepares a mesh; at most [`POSES`] poses count. `posed_scale` is the size of the posed rest relative to the mesh's.
    pub(super) fn new(shape: Cow<'a, Shape>, poses: &[LodPose], posed_scale: f32) -> Self {
        let poses = &poses[..poses.len().min(POSES)];
        let mesh = &shape.mesh;
        let extent = (posed_scale * mesh.bounds().size().max_element()).max(f32::MIN_POSITIVE);
        let placed = poses.iter().map(|p| p.positions(&shape));
        // Extreme morph weights may make a pose infinite.
        let placed: Vec<Vec<Vec3>> = placed.filter(|pose| pose.iter().all(|p| p.is_finite())).collect();
        let row = |v: usize| placed.iter().map(move |pose| pose[v] / extent);
        Self {
            posed: (0..mesh.vertices.len()).flat_map(row).collect(),
            poses: placed.len(),
            seams: seams(&mesh.vertices),
            shape,
        }
    }

    /// Collapses the mesh to at most `triangles`, if the settings reach that; the result is ordered for the GPU.
    pub(super) fn collapse(&self, triangles: usize, recipe: SimplifySettings) -> Shape {
        let vertices = &self.shape.mesh.vertices;
        if self.shape.mesh.indices.is_empty() {
            return Shape::default();
        }
        let mut positions: Vec<[f32; 3]> = vertices.iter().map(|v| v.position.to_array()).collect();
        let weights = self.weights(recipe);
        let mut attributes: Vec<f32> = (0..vertices.len()).flat_map(|v| self.attributes(v)).collect();
        let mut indices = self.shape.mesh.indices.clone();
        let none = vec![SimplifyVertex::None; vertices.len()];
        let regular = if recipe.regular {
            SimplifyOptions::Regularize
        } else {
            SimplifyOptions::RegularizeLight
        };
        let left = meshopt::simplify_with_update(
            &mut indices,
            &mut positions,
            &mut attributes,
            &weights,
            weights.len() * size_of::<f32>(),
            Some(if recipe.seams { &self.seams } else { &none }),
            triangles * 3,
            f32::MAX,
            SimplifyOptions::Permissive | SimplifyOptions::Prune | regular,
            None,
        );
        indices.truncate(left);
        let rows = attributes.chunks_exact(weights.len());
        let moved = vertices.iter().zip(positions).zip(rows);
        let vertices = moved.map(|((vertex, position), row)| Vertex {
            position: position.into(),
            ..self.updated(vertex, row)
        });
        let (mesh, sources) = one_material_each(Mesh {
            vertices: vertices.collect(),
            indices,
        });
        Shape::ordered(&mesh, &sources, &self.shape.morphs)
    }

    fn weights(&self, recipe: SimplifySettings) -> Vec<f32> {
        let mut weights = vec![recipe.poses; 3 * self.poses];
        weights.extend([NORMAL; 3]);
        weights.extend([COLOR; 3]);
        weights.extend([UV; 2]);
        weights
    }

    fn attributes(&self, vertex: usize) -> impl Iterator<Item = f32> {
        let v = &self.shape.mesh.vertices[vertex];
        let posed = &self.posed[vertex * self.poses..(vertex + 1) * self.poses];
        let shown = v.normal.to_array().into_iter().chain(v.color.truncate().to_array());
        posed
            .iter()
            .flat_map(|p| p.to_array())
            .chain(shown)
            .chain(v.uv.to_array())
    }

    /// Vertex with normal, colour and texture coordinates after the collapse.
    fn updated(&self, vertex: &Vertex, row: &[f32]) -> Vertex {
        let row = &row[3 * self.poses..];
        let color = Vec3::from_slice(&row[3..6]).clamp(Vec3::ZERO, Vec3::ONE);
        Vertex {
            normal: Vec3::from_slice(row).normalize_or(vertex.normal),
            color: color.extend(vertex.color.w),
            uv: Vec2::from_slice(&row[6..8]),
            ..*vertex
        }
    }
}

/// Marks vertices where materials or texture charts meet.
fn seams(vertices: &[Vertex]) -> Vec<SimplifyVertex> {
    let place = |v: &Vertex| v.position.to_array().map(|x| (x + 0.0).to_bits());
    let mut first: HashMap<[u32; 3], usize> = HashMap::with_capacity(vertices.len());
    let mut marks = vec![SimplifyVertex::None; vertices.len()];
    let mut shared_places = HashMap::new();
    for (index, vertex) in vertices.iter().enumerate() {
        let other = &vertices[*first.entry(place(vertex)).or_insert(index)];
        if other.material != vertex.material || other.uv != vertex.uv || other.uv1 != vertex.uv1 {
            shared_places.insert(place(vertex), ());
        }
    }
    for (mark, vertex) in marks.iter_mut().zip(vertices) {
        if shared_places.contains_key(&place(vertex)) {
            *mark = SimplifyVertex::Protect;
        }
    }
    marks
}

/// Gives every triangle the material of most of its corners: these may differ where a seam collapsed. Returns also the
/// vertex that each one is, or is a copy of.
fn one_material_each(mut mesh: Mesh) -> (Mesh, Vec<u32>) {
    let mut sources: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    let mut copies: HashMap<(u32, u8), u32> = HashMap::new();
    for triangle in mesh.indices.as_chunks_mut::<3>().0 {
        let [a, b, c] = triangle.map(|i| mesh.vertices[i as usize].material);
        if a == b && b == c {
            continue;
        }
        let material = if b == c { b } else { a };
        for index in triangle {
            if mesh.vertices[*index as usize].material != material {
                *index = *copies.entry((*index, material)).or_insert_with(|| {
                    let vertex = mesh.vertices[*index as usize];
                    mesh.vertices.push(Vertex { material, ..vertex });
                    sources.push(*index);
                    mesh.vertices.len() as u32 - 1
                });
            }
        }
    }
    (mesh, sources)
}
