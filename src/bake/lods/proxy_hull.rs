//! Proxy hull: a closed surface around a mesh of loose or seamed parts, made by remeshing on a voxel grid. Unlike the
//! mesh it collapses well. Every point of it moves and looks like the nearest point of the mesh.

use std::{borrow::Cow, collections::HashMap, sync::OnceLock};

use glam::{Vec2, Vec3, Vec4};
use meshopt::RemeshOptions;

use crate::{
    bake::lods::{
        poses::LodPose,
        shape::Shape,
        simplify::Collapsible,
        surface::{Nearest, Surface},
    },
    model::{MOST_INFLUENCES, Mesh, USUAL_INFLUENCES, Vertex, optimize_with_remap},
};

/// Largest number of triangles of LODs made from coarse hulls, and cells of these along the longest edge.
const COARSE: (usize, u32) = (424, 48);
/// Cells of the other hulls along the longest edge.
const FINE: u32 = 96;

/// Proxy hulls around a mesh, made on demand.
pub(super) struct ProxyHulls<'a> {
    full: &'a Shape,
    poses: &'a [LodPose],
    posed_scale: f32,
    made: [OnceLock<Collapsible<'static>>; 2],
}

impl<'a> ProxyHulls<'a> {
    /// Hulls around a mesh; their collapse considers these poses. `posed_scale` is that of [`Collapsible::new`].
    pub(super) fn new(full: &'a Shape, poses: &'a [LodPose], posed_scale: f32) -> Self {
        Self {
            full,
            poses,
            posed_scale,
            made: Default::default(),
        }
    }

    /// Hull from which an LOD of `target` triangles is made; empty if there is none.
    pub(super) fn of(&self, target: usize) -> &Collapsible<'static> {
        let (made, cells) = if target <= COARSE.0 {
            (&self.made[0], COARSE.1)
        } else {
            (&self.made[1], FINE)
        };
        // Initialisation must not wait for threads of the pool, which may wait for this hull.
        made.get_or_init(|| Collapsible::new(Cow::Owned(proxy_hull(self.full, cells)), self.poses, self.posed_scale))
    }
}

fn proxy_hull(full: &Shape, cells: u32) -> Shape {
    let mesh = &full.mesh;
    let positions: Vec<[f32; 3]> = mesh.vertices.iter().map(|v| v.position.to_array()).collect();
    let corners = meshopt::remesh_decoder(&mesh.indices, &positions, cells, RemeshOptions::Solve);
    let source = HullSource::new(mesh);
    let mut known: HashMap<[u32; 3], Option<Nearest>> = HashMap::new();
    let mut vertices = Vec::with_capacity(corners.len());
    let mut places = Vec::with_capacity(corners.len());
    for triangle in corners.as_chunks::<3>().0 {
        let points = triangle.map(Vec3::from);
        if !points.iter().all(|p| p.is_finite()) {
            continue;
        }
        let nearest = points.map(|p| {
            let key = p.to_array().map(|x| (x + 0.0).to_bits());
            *known.entry(key).or_insert_with(|| source.surface.nearest(p, None))
        });
        let middle = source.surface.nearest(
            (points[0] + points[1] + points[2]) / 3.0,
            nearest[0].map(|n| n.triangle),
        );
        if let ([Some(a), Some(b), Some(c)], Some(middle)) = (nearest, middle) {
            let made = source.triangle(points, [a, b, c], middle);
            vertices.extend(made);
            places.extend([a, b, c]);
        }
    }
    let indices = (0..vertices.len() as u32).collect();
    let (mesh, remap) = optimize_with_remap(&Mesh { vertices, indices }, &[]);
    // Merged vertices have one position, and so the same nearest point.
    let mut nearest = vec![None; mesh.vertices.len()];
    for (place, vertex) in places.into_iter().zip(remap) {
        if let Some(vertex) = vertex {
            nearest[vertex as usize] = Some(place);
        }
    }
    Shape {
        morphs: full.morphs_at(&nearest),
        mesh,
        radii: Vec::new(),
        normal_bias: 0.0,
    }
}

/// Mesh around which a hull lies.
struct HullSource<'a> {
    mesh: &'a Mesh,
    surface: Surface,
    /// Chart of every triangle: triangles connected by shared vertices have one material and continuous texture
    /// coordinates.
    charts: Vec<u32>,
}

impl<'a> HullSource<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let positions: Vec<Vec3> = mesh.vertices.iter().map(|v| v.position).collect();
        Self {
            mesh,
            surface: Surface::new(&mesh.indices, &positions),
            charts: charts(mesh),
        }
    }

    /// Triangle of the hull. Its corners take texture coordinates and tangents of their nearest points if these share
    /// the chart of the point nearest to its centre. Otherwise all take those of the centre, so that no texture is torn
    /// across it.
    fn triangle(&self, points: [Vec3; 3], nearest: [Nearest; 3], middle: Nearest) -> [Vertex; 3] {
        let chart = |n: &Nearest| self.charts[n.triangle as usize];
        let is_whole = nearest.iter().all(|n| chart(n) == chart(&middle));
        let material = self.corners(middle.triangle)[0].material;
        std::array::from_fn(|k| {
            let moves = self.mixed(nearest[k]);
            let looks = if is_whole { moves } else { self.mixed(middle) };
            Vertex {
                position: points[k],
                material,
                uv: looks.uv,
                uv1: looks.uv1,
                tangent: looks.tangent,
                color: moves.color,
                ..moves
            }
        })
    }

    fn corners(&self, triangle: u32) -> [&Vertex; 3] {
        let first = 3 * triangle as usize;
        [0, 1, 2].map(|k| &self.mesh.vertices[self.mesh.indices[first + k] as usize])
    }

    /// Vertex interpolated at a point of the mesh.
    fn mixed(&self, at: Nearest) -> Vertex {
        let corners = self.corners(at.triangle);
        let shares = at.shares.to_array();
        let nearest = corners[at.shares.max_position()];
        let parts = || corners.into_iter().zip(shares);
        let (joints, weights) = influences(parts());
        let tangent: Vec4 = parts().map(|(v, share)| v.tangent * share).sum();
        Vertex {
            normal: parts()
                .map(|(v, s)| v.normal * s)
                .sum::<Vec3>()
                .normalize_or(nearest.normal),
            tangent: tangent.truncate().normalize_or_zero().extend(nearest.tangent.w),
            uv: parts().map(|(v, share)| v.uv * share).sum::<Vec2>(),
            uv1: parts().map(|(v, share)| v.uv1 * share).sum::<Vec2>(),
            color: parts().map(|(v, share)| v.color * share).sum(),
            joints,
            weights,
            ..*nearest
        }
    }
}

/// The four strongest influences of a weighted sum of vertices, the strongest first.
pub(super) fn influences<'v>(
    parts: impl Iterator<Item = (&'v Vertex, f32)>,
) -> ([u16; MOST_INFLUENCES], [f32; MOST_INFLUENCES]) {
    let mut sums: Vec<(u16, f32)> = Vec::with_capacity(12);
    for (vertex, share) in parts {
        for (&joint, &weight) in vertex.joints.iter().zip(&vertex.weights) {
            match sums.iter_mut().find(|(j, _)| *j == joint) {
                Some((_, sum)) => *sum += weight * share,
                None => sums.push((joint, weight * share)),
            }
        }
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sums.truncate(USUAL_INFLUENCES);
    sums.resize(MOST_INFLUENCES, (sums.first().map_or(0, |s| s.0), 0.0));
    let total: f32 = sums.iter().map(|s| s.1).sum();
    let share = |weight: f32| if total > 0.0 { weight / total } else { 0.0 };
    (
        std::array::from_fn(|i| sums[i].0),
        std::array::from_fn(|i| share(sums[i].1)),
    )
}

/// Number of the connected component of every triangle (union-find over shared vertices).
fn charts(mesh: &Mesh) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    let (triangles, _) = mesh.indices.as_chunks::<3>();
    for &[a, b, c] in triangles {
        for other in [b, c] {
            let (one, two) = (root(&mut parent, a), root(&mut parent, other));
            parent[one.max(two) as usize] = one.min(two);
        }
    }
    triangles.iter().map(|t| root(&mut parent, t[0])).collect()
}

fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        let next = parent[parent[vertex as usize] as usize];
        parent[vertex as usize] = next;
        vertex = next;
    }
    vertex
}
