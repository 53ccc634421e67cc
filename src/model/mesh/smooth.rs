//! Smooth normals for flat-shaded meshes: shading does not use them, but other steps need normals, such as the test for
//! the outside.

use std::collections::HashMap;

use glam::Vec3;

use crate::model::Mesh;

/// Sets each vertex normal to the angle-weighted mean of all triangles at its position (Thürmer and Wüthrich 1998).
/// Equal meshes get bitwise equal normals.
pub(crate) fn smooth_normals(mesh: &mut Mesh) {
    let mut known: HashMap<[u32; 3], usize> = HashMap::with_capacity(mesh.vertices.len());
    let mut sums: Vec<Vec3> = Vec::new();
    let mut places = Vec::with_capacity(mesh.vertices.len());
    for vertex in &mesh.vertices {
        // -0 and 0 are one position.
        let key = vertex.position.to_array().map(|x| (x + 0.0).to_bits());
        let place = *known.entry(key).or_insert(sums.len());
        if place == sums.len() {
            sums.push(Vec3::ZERO);
        }
        places.push(place);
    }
    for triangle in mesh.indices.as_chunks::<3>().0 {
        let corners = triangle.map(|i| mesh.vertices[i as usize].position);
        let normal = triangle_normal(corners);
        for k in 0..3 {
            let [here, next, last] = [k, (k + 1) % 3, (k + 2) % 3].map(|n| corners[n]);
            let angle = (next - here).angle_between(last - here);
            if angle.is_finite() {
                sums[places[triangle[k] as usize]] += normal * angle;
            }
        }
    }
    for (vertex, place) in mesh.vertices.iter_mut().zip(places) {
        vertex.normal = sums[place].normalize_or(Vec3::Y);
    }
}

/// Unit normal of a triangle, zero where it has no area.
pub(crate) fn triangle_normal(triangle: [Vec3; 3]) -> Vec3 {
    let [a, b, c] = triangle;
    (b - a)
        .normalize_or_zero()
        .cross((c - a).normalize_or_zero())
        .normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Vertex;

    #[test]
    fn smooth_normals_of_a_cube_point_outwards() {
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
        let quads = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let corners = quads.iter().flat_map(|q| [q[0], q[1], q[2], q[0], q[2], q[3]]);
        let mut mesh = Mesh {
            vertices: corners
                .map(|i| Vertex {
                    position: corner(i),
                    ..Vertex::default()
                })
                .collect(),
            indices: (0..36).collect(),
        };
        smooth_normals(&mut mesh);
        for vertex in &mesh.vertices {
            let outward = (vertex.position - Vec3::splat(0.5)).normalize();
            assert!(vertex.normal.distance(outward) < 1e-5, "{vertex:?}");
        }
        let mut flat = Mesh {
            vertices: vec![Vertex::default(); 3],
            indices: vec![0, 1, 2],
        };
        smooth_normals(&mut flat);
        assert_eq!(flat.vertices[0].normal, Vec3::Y, "no area, some normal");
    }
}
