//! Tests that distances which are only bounded change nothing.

use super::*;

/// Every distance of an LOD's vertices and the full mesh's from the other surface, pose by pose, each searched for.
fn all_distances(model: &Model, poses: &[poses::LodPose], lod: &Shape) -> Vec<Vec<f32>> {
    let in_pose = |pose: &poses::LodPose| {
        let (full_at, lod_at) = (pose.full_positions(model), pose.positions(lod));
        let full = Surface::new(&model.mesh.indices, &full_at);
        let coarse = Surface::new(&lod.mesh.indices, &lod_at);
        let from = |surface: &Surface, point: &Vec3| {
            let nearest = surface.nearest(*point, None).expect("there are triangles");
            nearest.squared.sqrt()
        };
        let of_full = full_at.iter().map(|point| from(&coarse, point));
        of_full.chain(lod_at.iter().map(|point| from(&full, point))).collect()
    };
    poses.iter().map(in_pose).collect()
}

/// Largest distance of all, and the distance that 95 % keep within in every `every`-th pose.
fn deviation_of(distances: &[Vec<f32>], every: usize) -> Deviation {
    let mut kept: Vec<f32> = distances.iter().step_by(every).flatten().copied().collect();
    kept.sort_by(f32::total_cmp);
    Deviation {
        worst: distances.iter().flatten().copied().fold(0.0, f32::max),
        p95: kept[kept.len() * 95 / 100],
    }
}

#[test]
fn bounded_distances_of_meshes_give_the_same_percentile_as_exact_ones() {
    let model = closed();
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let poses = poses::all(&palettes, 24);
    let full = Shape::full(&model);
    let lods = quick(model.mesh.clone());
    let mut shapes: Vec<Shape> = lods.iter().filter(|lod| !lod.is_splats()).map(Shape::from).collect();
    // Equal to full detail but for one vertex: nearly all distances are zero.
    let mut dented = full.clone();
    dented.mesh.vertices[7].position *= 0.5;
    // Beyond the bounds of triangles that are nearest at rest.
    let mut pushed = full.clone();
    for (number, vertex) in pushed.mesh.vertices.iter_mut().enumerate() {
        vertex.position += vertex.normal * (0.02 * (number as f32).sin());
    }
    shapes.extend([dented, pushed]);
    for (number, lod) in shapes.iter().enumerate() {
        let distances = all_distances(&model, &poses, lod);
        for kept in [1, 7, poses.len()] {
            let found = Reference::new(&model, &poses, kept).deviation(lod);
            let every = poses.len() / kept;
            assert_eq!(found, deviation_of(&distances, every), "shape {number}, {kept} poses");
        }
    }
}

#[test]
fn bounded_distances_of_splats_give_the_same_worst_one_as_exact_ones() {
    let model = closed();
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let poses = poses::all(&palettes, 24);
    let lods = quick(model.mesh.clone());
    let splats: Vec<Shape> = lods.iter().filter(|lod| lod.is_splats()).map(Shape::from).collect();
    assert!(!splats.is_empty(), "a tube gets splats");
    for splats in &splats {
        // All distances are exact if those of every pose are kept.
        let [all, few] = [poses.len(), 1].map(|kept| Reference::new(&model, &poses, kept).deviation(splats));
        assert_eq!(all.worst, few.worst);
        assert!(few.worst > few.p95 && few.p95 > 0.0, "{few:?}");
    }
}
