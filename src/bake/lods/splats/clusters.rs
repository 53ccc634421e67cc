//! Clusters the posed surface into patches, one per splat. Points on visible parts of the full mesh are clustered by
//! k-means over all poses, so that parts that move together stay together.

use glam::{Vec2, Vec3};

use crate::{
    bake::lods::{poses::LodPose, proxy_hull::influences, shape::Shape, surface_color::Shader},
    model::{Mesh, Vertex},
};

/// Approximate number of points on the surface.
const POINTS: usize = 3000;
/// Rounds of k-means.
const ROUNDS: usize = 12;
/// Weights of normals and colours against positions (in units of the extent).
const NORMAL: f32 = 0.03;
const COLOR: f32 = 0.2;
/// Smallest visible share of a material with splats, relative to the mean share of one splat.
const TOO_LITTLE: f32 = 0.25;

/// Point on the surface.
struct ClusterPoint {
    vertex: Vertex,
    /// Visible linear base colour.
    shown: Vec3,
    /// Base colour for a white vertex colour: material times texture.
    texel: Vec3,
    /// Positions in the poses, normal and colour (in units of the extent).
    features: Vec<f32>,
}

/// Makes `count` splats, one for each patch of the full mesh; `seen` gives the visible samples of every triangle, `extent`
/// the largest edge of the posed rest (m).
/// `None` if there are too few points.
pub(super) fn cluster(
    full: &Shape,
    shader: &Shader<'_>,
    poses: &[LodPose],
    seen: &[u32],
    extent: f32,
    count: usize,
) -> Option<Shape> {
    let points = points(full, shader, poses, seen, extent, count);
    let mut centres = starts(&points, count);
    if centres.len() < count {
        return None;
    }
    let mut members = assign(&points, &centres);
    for _ in 0..ROUNDS {
        for (centre, members) in centres.iter_mut().zip(&members) {
            centre.move_to(&points, members);
        }
        let next = assign(&points, &centres);
        if next == members {
            break;
        }
        members = next;
    }
    members.retain(|members| !members.is_empty());
    let splats: Vec<(Vertex, f32)> = members.iter().map(|m| splat(&points, m, poses.len(), extent)).collect();
    Some(Shape {
        mesh: Mesh {
            indices: (0..splats.len() as u32).flat_map(|vertex| [vertex; 3]).collect(),
            vertices: splats.iter().map(|splat| splat.0).collect(),
        },
        morphs: Vec::new(),
        radii: splats.iter().map(|splat| splat.1).collect(),
        normal_bias: 0.0,
    })
}

/// Points on the visible surface, evenly spread over its samples.
fn points(
    full: &Shape,
    shader: &Shader<'_>,
    poses: &[LodPose],
    seen: &[u32],
    extent: f32,
    splats: usize,
) -> Vec<ClusterPoint> {
    let mesh = &full.mesh;
    let (triangles, _) = mesh.indices.as_chunks::<3>();
    let material = |triangle: &[u32; 3]| usize::from(mesh.vertices[triangle[0] as usize].material);
    let mut by_material = vec![0_u64; 256];
    for (triangle, &seen) in triangles.iter().zip(seen) {
        by_material[material(triangle)] += u64::from(seen);
    }
    let total: u64 = by_material.iter().sum();
    let enough = f64::from(TOO_LITTLE) * total as f64 / splats as f64;
    let posed: Vec<Vec<Vec3>> = poses.iter().map(|pose| pose.positions(full)).collect();
    let step = (total as f64 / POINTS as f64).max(1.0);
    let (mut gone, mut given) = (0.0, 0_usize);
    let mut points = Vec::with_capacity(POINTS + 1);
    for (triangle, &seen) in triangles.iter().zip(seen) {
        if (by_material[material(triangle)] as f64) < enough {
            continue;
        }
        gone += f64::from(seen);
        while gone >= step {
            gone -= step;
            given += 1;
            let shares = shares(given);
            if shader.is_hole(mesh, triangle, shares) {
                continue;
            }
            points.push(point(mesh, shader, triangle, shares, &posed, extent));
        }
    }
    points
}

/// Barycentric coordinates, evenly spread over a triangle from one number to the next (R2 sequence).
fn shares(number: usize) -> Vec3 {
    let along = |ratio: f64| (number as f64 * ratio).fract() as f32;
    let [mut u, mut v] = [0.754_877_666_246_693, 0.569_840_290_998_053].map(along);
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    Vec3::new(1.0 - u - v, u, v)
}

fn point(
    mesh: &Mesh,
    shader: &Shader<'_>,
    triangle: &[u32; 3],
    shares: Vec3,
    posed: &[Vec<Vec3>],
    extent: f32,
) -> ClusterPoint {
    let corners = triangle.map(|i| &mesh.vertices[i as usize]);
    let parts = || corners.into_iter().zip(shares.to_array());
    let (joints, weights) = influences(parts());
    let vertex = Vertex {
        position: parts().map(|(v, share)| v.position * share).sum(),
        normal: parts()
            .map(|(v, share)| v.normal * share)
            .sum::<Vec3>()
            .normalize_or(corners[0].normal),
        uv: parts().map(|(v, share)| v.uv * share).sum::<Vec2>(),
        uv1: parts().map(|(v, share)| v.uv1 * share).sum::<Vec2>(),
        color: parts().map(|(v, share)| v.color * share).sum(),
        joints,
        weights,
        ..*corners[0]
    };
    let shown = shader.base_at(mesh, triangle, shares);
    let color = vertex.color.truncate();
    let places = posed.iter().flat_map(|placed| {
        let at: Vec3 = triangle
            .iter()
            .zip(shares.to_array())
            .map(|(&i, share)| placed[i as usize] * share)
            .sum();
        (at / extent).to_array()
    });
    // All poses together weigh as much as one.
    let per_pose = 1.0 / (posed.len().max(1) as f32).sqrt();
    let looks = (vertex.normal * NORMAL)
        .to_array()
        .into_iter()
        .chain((shown * COLOR).to_array());
    let features = places.map(|x| x * per_pose).chain(looks).collect();
    ClusterPoint {
        texel: shown / color.max(Vec3::splat(1e-3)),
        vertex,
        shown,
        features,
    }
}

/// Centre of a cluster in feature space, with its only material.
struct Centre {
    features: Vec<f32>,
    material: u8,
}

impl Centre {
    fn at(point: &ClusterPoint) -> Self {
        Self {
            features: point.features.clone(),
            material: point.vertex.material,
        }
    }

    /// Squared distance in feature space; infinite from other materials.
    fn distance(&self, point: &ClusterPoint) -> f32 {
        if self.material != point.vertex.material {
            return f32::INFINITY;
        }
        let pairs = self.features.iter().zip(&point.features);
        pairs.map(|(a, b)| (a - b) * (a - b)).sum()
    }

    fn move_to(&mut self, points: &[ClusterPoint], members: &[usize]) {
        if members.is_empty() {
            return;
        }
        self.features.fill(0.0);
        for &member in members {
            let pairs = self.features.iter_mut().zip(&points[member].features);
            pairs.for_each(|(sum, x)| *sum += x);
        }
        let count = members.len() as f32;
        self.features.iter_mut().for_each(|x| *x /= count);
    }
}

/// Farthest-point initialisation: the first point, then repeatedly the point farthest from all chosen ones. Points of a
/// new material are infinitely far, so every material gets a centre.
fn starts(points: &[ClusterPoint], count: usize) -> Vec<Centre> {
    let mut nearest = vec![f32::INFINITY; points.len()];
    let mut centres = Vec::with_capacity(count);
    while centres.len() < count {
        let farthest = (0..points.len()).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a)));
        let Some(next) = farthest.filter(|&next| nearest[next] > 0.0) else {
            break;
        };
        let centre = Centre::at(&points[next]);
        for (near, point) in nearest.iter_mut().zip(points) {
            *near = near.min(centre.distance(point));
        }
        nearest[next] = 0.0;
        centres.push(centre);
    }
    centres
}

/// Assigns each point to its nearest centre.
fn assign(points: &[ClusterPoint], centres: &[Centre]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); centres.len()];
    for (index, point) in points.iter().enumerate() {
        let distances = centres.iter().map(|centre| centre.distance(point));
        let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((centre, _)) = nearest.filter(|(_, distance)| distance.is_finite()) {
            members[centre].push(index);
        }
    }
    members
}

/// Vertex at the centre of a patch, and a radius from the spread of its points over all poses.
fn splat(points: &[ClusterPoint], members: &[usize], poses: usize, extent: f32) -> (Vertex, f32) {
    let of = || members.iter().map(|&member| &points[member]);
    let share = 1.0 / members.len() as f32;
    let shown = of().map(|p| p.shown * share).sum::<Vec3>();
    // The texel must be at least as bright as the visible colour, and of the same hue.
    let off = |p: &ClusterPoint| (color(shown, p.texel) * p.texel).distance_squared(shown);
    let first = &points[members[0]];
    let like = of().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(first);
    let (joints, weights) = influences(of().map(|p| (&p.vertex, share)));
    let vertex = Vertex {
        position: of().map(|p| p.vertex.position * share).sum(),
        normal: of()
            .map(|p| p.vertex.normal)
            .sum::<Vec3>()
            .normalize_or(like.vertex.normal),
        tangent: glam::Vec4::ZERO,
        color: color(shown, like.texel).extend(1.0),
        joints,
        weights,
        ..like.vertex
    };
    let places = 3 * poses;
    let mut means = vec![0.0_f32; places];
    for point in of() {
        means
            .iter_mut()
            .zip(&point.features)
            .for_each(|(sum, x)| *sum += x * share);
    }
    let spread = |p: &ClusterPoint| -> f32 { means.iter().zip(&p.features).map(|(a, b)| (a - b) * (a - b)).sum() };
    let variance: f32 = of().map(|p| spread(p) * share).sum();
    // The root mean square distance of points on a circle is 0.71 of its radius.
    let radius = extent * (2.0 * variance).sqrt();
    (vertex, radius.max(LEAST * extent))
}

/// Smallest radius (share of the extent), so that every splat is visible.
const LEAST: f32 = 0.002;

/// Vertex colour with which a texel shows a colour, as closely as possible.
fn color(shown: Vec3, texel: Vec3) -> Vec3 {
    (shown / texel.max(Vec3::splat(1e-4))).clamp(Vec3::ZERO, Vec3::ONE)
}
