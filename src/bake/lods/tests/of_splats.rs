//! Splats of a bending tube with closed ends.

use super::*;
use crate::{
    bake::lods::{evaluate::Subject, splats::SPLATS},
    model::{MATERIAL_VARIANTS, MorphDelta, TintRegion},
};

/// Distance (m) outside of all splats that 95 % of the vertices of a tube of 1.8 m keep within.
const MAX_P95_DISTANCE: f32 = 0.035;

fn splats_of(model: &Model) -> (Palettes, Vec<Shape>) {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ()).expect("the clip fits an atlas");
    let building = poses::far_apart(model, &palettes, POSES);
    let effort = SplatEffort { poses: 12, steps: 64 };
    let made = splats::make(model, &Shape::full(model), &palettes, &building, effort);
    (palettes, made)
}

#[test]
fn splats_keep_materials_apart_and_stand_for_all_of_the_surface() {
    let model = closed();
    let (_, made) = splats_of(&model);
    assert_eq!(made.iter().map(|d| d.radii.len()).collect::<Vec<_>>(), SPLATS);
    for splats in &made {
        let Mesh { vertices, indices } = &splats.mesh;
        let expected: Vec<u32> = (0..splats.radii.len() as u32).flat_map(|v| [v; 3]).collect();
        assert_eq!((indices, vertices.len()), (&expected, splats.radii.len()));
        for (vertex, &radius) in vertices.iter().zip(&splats.radii) {
            assert!(radius > 0.003 && radius < 0.4, "{radius} m");
            assert!((vertex.weights.iter().sum::<f32>() - 1.0).abs() < 1e-3);
            let height = vertex.position.y;
            assert!(
                if vertex.material == 1 {
                    height > 0.7
                } else {
                    height < 1.1
                },
                "{height} m"
            );
        }
        let outside = |vertex: &Vertex| {
            let balls = vertices.iter().zip(&splats.radii);
            let of_material = balls.filter(|(v, _)| v.material == vertex.material);
            let distances = of_material.map(|(v, radius)| v.position.distance(vertex.position) - radius);
            distances.fold(f32::INFINITY, f32::min)
        };
        let mut off: Vec<f32> = model.mesh.vertices.iter().map(outside).collect();
        off.sort_by(f32::total_cmp);
        let [most, worst] = [off[off.len() * 95 / 100], off[off.len() - 1]];
        println!(
            "{} splats: 95 % within {most} m, the worst {worst} m",
            splats.radii.len()
        );
        assert!(worst < 0.11, "a vertex is {worst} m outside of all splats");
        assert!(most < MAX_P95_DISTANCE, "95 % of the vertices are within {most} m");
    }
    assert!(made == splats_of(&model).1, "made again");
}

#[test]
fn splats_pass_and_smaller_ones_are_rejected_at_every_height() {
    let model = closed();
    let (palettes, made) = splats_of(&model);
    let smaller = made.iter().map(|splats| Shape {
        radii: splats.radii.iter().map(|radius| radius * 0.8).collect(),
        ..splats.clone()
    });
    let smaller: Vec<Shape> = smaller.collect();
    let subjects: Vec<Subject<'_>> = made.iter().chain(&smaller).map(Subject::Lod).collect();
    let heights = Evaluator::new(&model, &palettes, LOW.evaluation).evaluate(&subjects, &|_, _| f32::INFINITY, &|_| ());
    for (number, heights) in heights.iter().enumerate() {
        let passed = heights.iter().filter(|h| h.passes()).count();
        assert_eq!(passed > 0, number < made.len(), "subject {number}: {heights:#?}");
    }
}

/// Black in the file says nothing about the brightness of a person in other clothes.
#[test]
fn crowds_of_splats_in_other_colors_are_as_bright() {
    let mut model = closed();
    for (material, tint) in model.materials.iter_mut().zip([TintRegion::Cloth, TintRegion::Hair]) {
        material.tints = [tint; MATERIAL_VARIANTS];
        material.base_color = Vec3::splat(0.01).extend(1.0);
    }
    let (palettes, made) = splats_of(&model);
    let variants = VariantShaders::of(&model);
    let crowd = CrowdPictures::new(
        &model,
        &variants,
        views(&poses::evaluation_poses(&palettes, 4), 7, crowd::EVALUATION_ELEVATIONS),
    );
    for splats in &made {
        let brightness_errors = crowd.brightness_errors(splats.form(), |pose| pose.skinned(splats));
        let mean = 255.0 * brightness_errors.iter().sum::<f32>() / brightness_errors.len() as f32;
        let squares: f32 = brightness_errors.iter().map(|x| x * x).sum();
        let rms = 255.0 * (squares / brightness_errors.len() as f32).sqrt();
        println!("{} splats: {mean:+.2}, {rms:.2} of 255", splats.radii.len());
        assert!(mean.abs() < 1.5 && rms < 6.0, "{mean} {rms}");
    }
}

#[test]
fn distances_of_splats_are_those_of_balls() {
    let model = closed();
    let (palettes, made) = splats_of(&model);
    let poses = poses::all(&palettes, 8);
    let reference = Reference::new(&model, &poses, 32);
    let found = made
        .iter()
        .map(|splats| reference.deviation(splats))
        .collect::<Vec<_>>();
    assert!(found[0].p95 < found[2].p95 && found[0].p95 > 0.0, "{found:?}");
    let mut thin = made[0].clone();
    thin.radii.fill(0.001);
    let thin = reference.deviation(&thin);
    assert!(thin.p95 > found[0].p95 + 0.01, "{thin:?}");
    let mut thick = made[0].clone();
    thick.radii[0] = 1.0;
    let worst = reference.deviation(&thick).worst;
    assert!(worst > 0.75 && worst < 1.1, "{worst}");
    thick.mesh.vertices[0].position.x = f32::NAN;
    assert_eq!(reference.deviation(&thick).worst, f32::INFINITY);
}

#[test]
fn characters_with_morph_targets_or_few_triangles_get_no_splats() {
    assert_eq!(splats_of(&character(tube(9, 9))).1, []);
    let mut model = closed();
    let delta = MorphDelta {
        position: Vec3::Y,
        ..MorphDelta::default()
    };
    model.morphs = vec![crate::model::Morph {
        deltas: vec![delta],
        ..crate::model::Morph::default()
    }];
    assert_eq!(splats_of(&model).1, []);
}
