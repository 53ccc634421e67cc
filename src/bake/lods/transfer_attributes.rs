//! Attribute transfer: every vertex takes the colour and normal with which its triangles are closest to the full
//! surface, by least squares. The attributes of the one vertex that remained there could be those of a crease or a hem.

use glam::{Vec3, Vec4};

use crate::{
    bake::lods::surface::{Nearest, Surface},
    model::Mesh,
};

/// Iterations towards the least squares; each about halves the remaining error.
const STEPS: usize = 6;
/// Sample points of a triangle of the full mesh (barycentric coordinates).
const POINTS: [Vec3; 4] = [
    Vec3::splat(1.0 / 3.0),
    Vec3::new(2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0),
    Vec3::new(1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0),
    Vec3::new(1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0),
];

/// Point of the full mesh, and the place of the LOD that shows it.
struct SurfaceSample {
    corners: [usize; 3],
    shares: Vec3,
    area: f32,
    color: Vec4,
    normal: Vec3,
}

/// Transfers colours and normals of the full mesh to an LOD.
pub(super) fn transfer_attributes(full: &Mesh, mut lod: Mesh) -> Mesh {
    let samples = samples(full, &lod);
    let mut weights = vec![0.0_f32; lod.vertices.len()];
    for sample in &samples {
        for (&corner, share) in sample.corners.iter().zip(sample.shares.to_array()) {
            weights[corner] += sample.area * share;
        }
    }
    let mut optimized: Vec<(Vec4, Vec3)> = lod.vertices.iter().map(|v| (v.color, v.normal)).collect();
    for _ in 0..STEPS {
        let mut steps = vec![(Vec4::ZERO, Vec3::ZERO); optimized.len()];
        for sample in &samples {
            let parts = || sample.corners.into_iter().zip(sample.shares.to_array());
            let color: Vec4 = parts().map(|(corner, share)| optimized[corner].0 * share).sum();
            let normal: Vec3 = parts().map(|(corner, share)| optimized[corner].1 * share).sum();
            for (corner, share) in parts() {
                let weight = sample.area * share;
                steps[corner].0 += (sample.color - color) * weight;
                steps[corner].1 += (sample.normal - normal) * weight;
            }
        }
        for ((value, step), &weight) in optimized.iter_mut().zip(steps).zip(&weights) {
            if weight > 0.0 {
                value.0 += step.0 / weight;
                value.1 += step.1 / weight;
            }
        }
    }
    for (vertex, (color, normal)) in lod.vertices.iter_mut().zip(optimized) {
        vertex.color = color.clamp(Vec4::ZERO, Vec4::ONE);
        vertex.normal = normal.normalize_or(vertex.normal);
    }
    lod
}

/// Sample points of the full mesh at the nearest triangles of the LOD in the same material, if these face the same way.
fn samples(full: &Mesh, lod: &Mesh) -> Vec<SurfaceSample> {
    let of_material = |mesh: &Mesh, material: u8| -> Vec<u32> {
        let (triangles, _) = mesh.indices.as_chunks::<3>();
        let is_of_it = |t: &&[u32; 3]| mesh.vertices[t[0] as usize].material == material;
        triangles.iter().filter(is_of_it).flatten().copied().collect()
    };
    let positions: Vec<Vec3> = lod.vertices.iter().map(|v| v.position).collect();
    let mut materials: Vec<u8> = lod.vertices.iter().map(|v| v.material).collect();
    materials.sort_unstable();
    materials.dedup();
    let mut samples = Vec::with_capacity(full.indices.len() / 3 * POINTS.len());
    for material in materials {
        let indices = of_material(lod, material);
        let surface = Surface::new(&indices, &positions);
        for triangle in of_material(full, material).as_chunks::<3>().0 {
            let corners = triangle.map(|i| &full.vertices[i as usize]);
            let [a, b, c] = corners.map(|v| v.position);
            let area = (b - a).cross(c - a).length();
            for shares in POINTS {
                let mix = |value: [Vec3; 3]| value[0] * shares.x + value[1] * shares.y + value[2] * shares.z;
                let normal = mix(corners.map(|v| v.normal)).normalize_or_zero();
                let Some(nearest) = surface.nearest(mix([a, b, c]), None) else {
                    continue;
                };
                let first = 3 * nearest.triangle as usize;
                let shown_by = [0, 1, 2].map(|k| indices[first + k] as usize);
                if faces(&positions, shown_by).dot(normal) <= 0.0 {
                    continue;
                }
                let [x, y, z] = corners.map(|v| v.color);
                samples.push(sample(
                    shown_by,
                    nearest,
                    area,
                    x * shares.x + y * shares.y + z * shares.z,
                    normal,
                ));
            }
        }
    }
    samples
}

fn sample(corners: [usize; 3], nearest: Nearest, area: f32, color: Vec4, normal: Vec3) -> SurfaceSample {
    SurfaceSample {
        corners,
        shares: nearest.shares,
        area,
        color,
        normal,
    }
}

fn faces(positions: &[Vec3], triangle: [usize; 3]) -> Vec3 {
    let [a, b, c] = triangle;
    (positions[b] - positions[a]).cross(positions[c] - positions[a])
}
