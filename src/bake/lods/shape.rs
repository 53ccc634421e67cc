//! Intermediate shape of an LOD: a mesh or splats, with the deltas of morph targets.
//!
//! A vertex that remains from the full mesh keeps its deltas. A new vertex takes those of the point of the full surface
//! that it stands for. They are interpolated between the corners of a triangle, as its position is.

use std::{borrow::Cow, collections::HashMap};

use glam::Vec3;

use crate::{
    bake::{
        lods::{
            raster::Form,
            surface::{Nearest, Surface},
        },
        skinning,
    },
    model::{Lod, Mesh, Model, MorphDelta, Vertex, optimize, optimize_with_remap, triangle_normal},
};

/// Iterations of brightness correction.
const RELIGHTS: usize = 2;

/// Mesh or splats, and the deltas of morph targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shape {
    pub mesh: Mesh,
    /// Deltas of each morph target, as [`Lod::morphs`]: ascending vertices, none twice.
    pub morphs: Vec<Vec<MorphDelta>>,
    /// Radius of each splat (m), as [`Lod::radii`].
    pub radii: Vec<f32>,
    /// Normal bias, as [`Lod::normal_bias`].
    pub normal_bias: f32,
}

impl From<&Lod> for Shape {
    fn from(lod: &Lod) -> Self {
        Self {
            mesh: lod.mesh.clone(),
            morphs: lod.morphs.clone(),
            radii: lod.radii.clone(),
            normal_bias: lod.normal_bias,
        }
    }
}

impl Shape {
    /// Scales the colour of every vertex, up to white, by a factor per vertex index.
    pub(super) fn scale_colors(&mut self, factor: impl Fn(usize) -> Vec3) {
        for (number, vertex) in self.mesh.vertices.iter_mut().enumerate() {
            let color = vertex.color.truncate() * factor(number);
            vertex.color = color.min(Vec3::ONE).extend(vertex.color.w);
        }
    }

    /// Scales the colours of every material by the factor that a measurement returns, until all factors are within
    /// `near` of 1. It repeats once, since colours that are already white cannot follow.
    pub(super) fn relit<F: Fn(usize) -> f32>(mut self, near: f32, factors: impl Fn(&Self) -> F) -> Self {
        for _ in 0..RELIGHTS {
            let measured = factors(&self);
            let factors: Vec<f32> = (self.mesh.vertices.iter())
                .map(|vertex| measured(usize::from(vertex.material)))
                .map(|factor| {
                    if factor.is_finite() {
                        factor.clamp(0.5, 2.0)
                    } else {
                        1.0
                    }
                })
                .collect();
            if factors.iter().all(|factor| (factor - 1.0).abs() <= near) {
                break;
            }
            self.scale_colors(|vertex| Vec3::splat(factors[vertex]));
        }
        self
    }

    /// Mesh or splats without a pose.
    pub(super) fn form(&self) -> Form<'_> {
        Form {
            mesh: &self.mesh,
            radii: &self.radii,
            normal_bias: self.normal_bias,
        }
    }

    /// Full mesh with explicit normals, even if the file is shaded by triangle: LODs always have normals.
    pub(super) fn full(model: &Model) -> Self {
        let morphs = model.morphs.iter().map(|morph| tidy(&morph.deltas)).collect();
        if !model.flat {
            return Self {
                mesh: model.mesh.clone(),
                morphs,
                radii: Vec::new(),
                normal_bias: 0.0,
            };
        }
        let mut mesh = Mesh::default();
        for triangle in model.mesh.indices.as_chunks::<3>().0 {
            let corners = triangle.map(|i| model.mesh.vertices[i as usize]);
            let normal = triangle_normal(corners.map(|v| v.position)).normalize_or(Vec3::Y);
            mesh.vertices.extend(corners.map(|v| Vertex { normal, ..v }));
        }
        mesh.indices = (0..mesh.vertices.len() as u32).collect();
        let mut shape = Self::ordered(&mesh, &model.mesh.indices, &morphs);
        for target in &mut shape.morphs {
            *target = with_normals(&shape.mesh, target);
        }
        shape
    }

    /// Mesh ordered for the GPU; vertex `i` takes the deltas of vertex `sources[i]` in `morphs`.
    pub(super) fn ordered(mesh: &Mesh, sources: &[u32], morphs: &[Vec<MorphDelta>]) -> Self {
        if morphs.is_empty() {
            return Self {
                mesh: optimize(mesh),
                ..Self::default()
            };
        }
        // Vertices with different deltas must not be merged.
        let mut places: HashMap<u32, Vec<u32>> = morphs
            .iter()
            .flatten()
            .map(|delta| (delta.vertex, Vec::new()))
            .collect();
        let mark = |source: &u32| if places.contains_key(source) { source + 1 } else { 0 };
        let apart: Vec<u32> = sources.iter().map(mark).collect();
        let (mesh, remap) = optimize_with_remap(mesh, &apart);
        for (source, place) in sources.iter().zip(remap) {
            if let (Some(places), Some(place)) = (places.get_mut(source), place)
                && !places.contains(&place)
            {
                places.push(place);
            }
        }
        let moved = |deltas: &Vec<MorphDelta>| {
            let copies = |delta: &MorphDelta| {
                let delta = *delta;
                let places = places.get(&delta.vertex).map_or(&[][..], Vec::as_slice);
                places.iter().map(move |&vertex| MorphDelta { vertex, ..delta })
            };
            let mut deltas: Vec<MorphDelta> = deltas.iter().flat_map(copies).collect();
            deltas.sort_by_key(|delta| delta.vertex);
            deltas
        };
        Self {
            morphs: morphs.iter().map(moved).collect(),
            mesh,
            radii: Vec::new(),
            normal_bias: 0.0,
        }
    }

    /// Vertices with weighted morph targets added.
    pub(super) fn vertices(&self, weights: &[f32]) -> Cow<'_, [Vertex]> {
        skinning::with_morphs(&self.mesh, &self.morphs, weights)
    }

    /// Morph deltas at points of the surface: vertex `i` gets those at point `i`.
    pub(super) fn morphs_at(&self, points: &[Option<Nearest>]) -> Vec<Vec<MorphDelta>> {
        let mut by_vertex = vec![MorphDelta::default(); self.mesh.vertices.len()];
        let of_target = |deltas: &Vec<MorphDelta>| {
            deltas.iter().for_each(|d| by_vertex[d.vertex as usize] = *d);
            let at = |(vertex, point): (usize, &Option<Nearest>)| {
                let delta = self.mixed(&by_vertex, (*point)?, vertex as u32);
                delta.adds_something().then_some(delta)
            };
            let found: Vec<MorphDelta> = points.iter().enumerate().filter_map(at).collect();
            deltas
                .iter()
                .for_each(|d| by_vertex[d.vertex as usize] = MorphDelta::default());
            found
        };
        self.morphs.iter().map(of_target).collect()
    }

    /// Delta of a point of the surface.
    fn mixed(&self, by_vertex: &[MorphDelta], at: Nearest, vertex: u32) -> MorphDelta {
        let first = 3 * at.triangle as usize;
        let corners = [0, 1, 2].map(|k| by_vertex[self.mesh.indices[first + k] as usize]);
        let shares = at.shares.to_array();
        let sum = |part: fn(&MorphDelta) -> Vec3| -> Vec3 {
            let parts = corners.iter().zip(shares);
            parts.map(|(delta, share)| part(delta) * share).sum()
        };
        MorphDelta {
            vertex,
            position: sum(|d| d.position),
            normal: sum(|d| d.normal),
            tangent: sum(|d| d.tangent),
        }
    }

    /// Shape whose vertices take the deltas of the nearest points of `full`.
    pub(super) fn moved_as(&self, full: &Self, surface: &Surface) -> Self {
        let nearest = |vertex: &Vertex| surface.nearest(vertex.position, None);
        let points: Vec<Option<Nearest>> = self.mesh.vertices.iter().map(nearest).collect();
        Self {
            morphs: full.morphs_at(&points),
            ..self.clone()
        }
    }
}

/// Deltas sorted by vertex; several of one vertex are added up.
fn tidy(deltas: &[MorphDelta]) -> Vec<MorphDelta> {
    let mut sorted = deltas.to_vec();
    sorted.sort_by_key(|delta| delta.vertex);
    let mut tidy: Vec<MorphDelta> = Vec::with_capacity(sorted.len());
    for delta in sorted {
        match tidy.last_mut().filter(|last| last.vertex == delta.vertex) {
            Some(last) => {
                last.position += delta.position;
                last.normal += delta.normal;
                last.tangent += delta.tangent;
            }
            None => tidy.push(delta),
        }
    }
    tidy.retain(MorphDelta::adds_something);
    tidy
}

/// Deltas of a mesh that is shaded by triangle, with changes of normals. Each vertex gets the mean change of its
/// triangles' normals at full weight.
fn with_normals(mesh: &Mesh, deltas: &[MorphDelta]) -> Vec<MorphDelta> {
    let mut of_vertex: Vec<MorphDelta> = (0..mesh.vertices.len() as u32)
        .map(|vertex| MorphDelta {
            vertex,
            ..MorphDelta::default()
        })
        .collect();
    for delta in deltas {
        of_vertex[delta.vertex as usize] = MorphDelta {
            normal: Vec3::ZERO,
            ..*delta
        };
    }
    let mut triangles = vec![0_u32; mesh.vertices.len()];
    for corners in mesh.indices.as_chunks::<3>().0 {
        let corners = corners.map(|i| i as usize);
        let rest = corners.map(|i| mesh.vertices[i].position);
        let moved = corners.map(|i| mesh.vertices[i].position + of_vertex[i].position);
        let turned = if rest == moved {
            Vec3::ZERO
        } else {
            triangle_normal(moved) - triangle_normal(rest)
        };
        for i in corners {
            of_vertex[i].normal += turned;
            triangles[i] += 1;
        }
    }
    for (delta, count) in of_vertex.iter_mut().zip(triangles) {
        delta.normal /= count.max(1) as f32;
    }
    of_vertex.retain(MorphDelta::adds_something);
    of_vertex
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Morph;

    /// Square of two triangles, and a target that lifts one corner.
    fn square(flat: bool) -> Model {
        let corner = |x: f32, z: f32| Vertex {
            position: Vec3::new(x, 0.0, z),
            normal: Vec3::Y,
            ..Vertex::default()
        };
        let lift = |vertex, height| MorphDelta {
            vertex,
            position: Vec3::Y * height,
            ..MorphDelta::default()
        };
        Model {
            flat,
            mesh: Mesh {
                vertices: vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 0.0), corner(1.0, 1.0)],
                indices: vec![0, 1, 2, 2, 1, 3],
            },
            morphs: vec![Morph {
                name: "lift".into(),
                rest: 0.0,
                deltas: vec![lift(3, 0.5), lift(0, 0.0), lift(3, 0.5)],
            }],
            ..Model::default()
        }
    }

    #[test]
    fn deltas_of_a_point_are_straight_between_those_of_its_corners() {
        let full = Shape::full(&square(false));
        assert_eq!(full.morphs[0].len(), 1, "one vertex, once: {:?}", full.morphs);
        let positions: Vec<Vec3> = full.mesh.vertices.iter().map(|v| v.position).collect();
        let surface = Surface::new(&full.mesh.indices, &positions);
        let asked = [
            (Vec3::new(1.0, 0.3, 1.0), 1.0),
            (Vec3::new(0.75, 0.0, 0.75), 0.5),
            (Vec3::new(0.25, 0.0, 0.25), 0.0),
        ];
        let points: Vec<Option<Nearest>> = asked.iter().map(|(p, _)| surface.nearest(*p, None)).collect();
        let found = full.morphs_at(&[&points[..], &[None]].concat());
        let expected: Vec<(u32, f32)> = vec![(0, 1.0), (1, 0.5)];
        let heights: Vec<(u32, f32)> = found[0].iter().map(|d| (d.vertex, d.position.y)).collect();
        assert_eq!(heights, expected, "vertices that nothing moves are not listed");
    }

    #[test]
    fn copies_of_a_vertex_are_moved_alike_and_what_is_moved_otherwise_is_not_merged() {
        let model = square(false);
        let vertices = &model.mesh.vertices;
        // The lifted corner twice, once in another material, and a still vertex at its position.
        let copy = Vertex {
            material: 1,
            ..vertices[3]
        };
        let mesh = Mesh {
            vertices: [&vertices[..], &[copy, vertices[3]]].concat(),
            indices: vec![0, 1, 2, 2, 1, 3, 2, 1, 5, 0, 1, 4],
        };
        let morphs = vec![model.morphs[0].deltas[..1].to_vec(), Vec::new()];
        let shape = Shape::ordered(&mesh, &[0, 1, 2, 3, 3, 1], &morphs);
        assert_eq!((shape.mesh.vertices.len(), shape.morphs.len()), (6, 2));
        let mut lifted: Vec<u8> = shape.morphs[0]
            .iter()
            .map(|d| shape.mesh.vertices[d.vertex as usize].material)
            .collect();
        lifted.sort_unstable();
        assert_eq!((lifted, shape.morphs[1].len()), (vec![0, 1], 0));
        let moved = shape.vertices(&[1.0, 9.0]);
        let heights: f32 = moved.iter().map(|v| v.position.y).sum();
        assert_eq!(heights, 1.0, "half a metre for each copy");
    }

    #[test]
    fn normals_of_what_is_shaded_by_triangle_follow_its_triangles() {
        let full = Shape::full(&square(true));
        let at_rest = full.vertices(&[0.0]);
        assert!(at_rest.iter().all(|v| v.normal.distance(Vec3::Y) < 1e-6));
        for vertex in full.vertices(&[1.0]).iter() {
            // The far triangle tilts: its corners are at 0, 0 and 1 m.
            let tilted = Vec3::new(-1.0, 1.0, -1.0).normalize();
            let near = vertex.normal.distance(Vec3::Y) < 1e-6;
            let far = vertex.normal.distance(tilted) < 1e-6;
            let between = vertex.normal.distance((Vec3::Y + tilted) / 2.0) < 1e-6;
            assert!(near || far || between, "{vertex:?}");
            assert!(far == (vertex.position.y > 0.5), "{vertex:?}");
        }
    }
}
