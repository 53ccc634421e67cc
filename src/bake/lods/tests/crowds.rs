//! Tests of the brightness of dense crowds of LODs.

use super::*;
use crate::bake::lods::photometric_fit::Order;
use crate::bake::lods::{
    crowd::{self, CrowdPictures},
    surface_color::SUNS,
};

/// Building poses of a model, and evaluation poses.
fn building_and_evaluation_poses(model: &Model, builders: usize) -> [Vec<poses::LodPose>; 2] {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ()).expect("fits");
    [
        poses::builders(&palettes, builders),
        poses::evaluation_poses(&palettes, 8),
    ]
}

/// LOD with its normals rotated by an angle (rad) and its colours scaled by a factor.
fn faulty(lod: &Shape, normal_bias: f32, factor: f32) -> Shape {
    let mut lod = lod.clone();
    for vertex in &mut lod.mesh.vertices {
        vertex.normal = Quat::from_rotation_x(normal_bias) * vertex.normal;
        let color = vertex.color.truncate() * factor;
        vertex.color = color.extend(vertex.color.w);
    }
    lod
}

#[test]
fn a_lod_that_is_brighter_or_lit_from_elsewhere_is_rejected_by_what_crowds_show() {
    let model = character(tube(40, 40));
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let full = Shape::full(&model);
    let faulty = [(0.0, 1.0), (0.0, 1.03), (0.0, 0.97), (0.15, 1.0)]
        .map(|(normal_bias, factor)| faulty(&full, normal_bias, factor));
    let found = measured(&model, &palettes, &faulty, LOW, Extent::Whole, &|_| ());
    let [same, faulty @ ..] = &found.lods[..] else {
        panic!("four LODs")
    };
    assert!(same.heights.iter().all(|h| h.passes() && h.crowd == 0.0));
    for lod in faulty {
        assert!(
            lod.max_sample_rows.is_none_or(|rows| rows < 16.0),
            "{:?}",
            lod.max_sample_rows
        );
        // Tiles of smaller people contain many in other poses.
        for height in lod.heights.iter().filter(|h| h.rows >= 16.0) {
            assert!(height.failed().any(|gate| gate == "crowd"), "{height:?}");
        }
    }
}

#[test]
fn a_faulty_lod_is_balanced_in_poses_and_from_sides_that_built_nothing() {
    let model = closed();
    let variants = VariantShaders::of(&model);
    let [building, evaluation] = building_and_evaluation_poses(&model, EvaluationEffort::FORMATION.photometric_poses());
    let built = CrowdPictures::new(&model, &variants, views(&building, 9, Order::Anyhow.elevations()));
    let evaluated = CrowdPictures::new(&model, &variants, views(&evaluation, 5, crowd::EVALUATION_ELEVATIONS));
    let full = Shape::full(&model);
    let lod = Collapsible::new(Cow::Borrowed(&full), &building, 1.0).collapse(600, SIMPLIFY_SETTINGS[0]);
    let off = |lod: &Shape| crowd::off(&evaluated.brightness_errors(lod.form(), |pose| pose.skinned(lod)), 32.0);
    assert_eq!(off(&full), 0.0);
    let small = [(0.0, 1.03), (0.1, 1.0), (0.1, 0.97)];
    let large = [(0.0, 1.1), (0.3, 1.0), (0.3, 0.9)];
    for (normal_bias, factor) in small.into_iter().chain(large) {
        let faulty = faulty(&lod, normal_bias, factor);
        let balanced = built.photometric_fit(faulty.clone(), &built.cover(&faulty), Order::Formation);
        let [before, after] = [&faulty, &balanced].map(|lod| 255.0 * off(lod));
        assert!(before > 1.5 && after < 0.4 * before, "{before} before, {after} after");
        let changed = balanced.mesh.vertices.iter().zip(&faulty.mesh.vertices);
        let kept = |(a, b): (&Vertex, &Vertex)| a.position == b.position && a.uv == b.uv && a.color.w == b.color.w;
        assert!({ changed }.all(kept), "more than normals and colours");
    }
}

/// Largest brightness error (of 255) of crowds of an LOD, averaged over all sides, under any sun from any elevation.
fn off_anyhow(crowd: &CrowdPictures<'_>, lod: &Shape) -> f32 {
    let brightness_errors = crowd.brightness_errors(lod.form(), |pose| pose.skinned(lod));
    let mut sums = vec![[0.0_f32; SUNS]; crowd::EVALUATION_ELEVATIONS.len()];
    let mut counts = vec![0_u16; sums.len()];
    for (picture, brightness_errors) in crowd.pictures.iter().zip(brightness_errors.chunks(SUNS)) {
        counts[picture.elevation] += 1;
        let sums = sums[picture.elevation].iter_mut().zip(brightness_errors);
        sums.for_each(|(sum, brightness_errors)| *sum += brightness_errors);
    }
    let means = sums
        .iter()
        .zip(&counts)
        .flat_map(|(sums, &count)| sums.map(|sum| sum / f32::from(count)));
    255.0 * means.fold(0.0, |most: f32, mean| most.max(mean.abs()))
}

#[test]
fn crowds_facing_any_way_share_one_photometric_fit_and_bend_less() {
    let model = closed();
    let variants = VariantShaders::of(&model);
    let [building, evaluation] = building_and_evaluation_poses(&model, 8);
    let built = CrowdPictures::new(&model, &variants, views(&building, 9, Order::Anyhow.elevations()));
    let evaluated = CrowdPictures::new(&model, &variants, views(&evaluation, 8, crowd::EVALUATION_ELEVATIONS));
    let full = Shape::full(&model);
    let lod = Collapsible::new(Cow::Borrowed(&full), &building, 1.0).collapse(600, SIMPLIFY_SETTINGS[0]);
    let faulty = faulty(&lod, 0.1, 0.97);
    let coverage = built.cover(&faulty);
    let [anyhow, formation] =
        [Order::Anyhow, Order::Formation].map(|order| built.photometric_fit(faulty.clone(), &coverage, order));
    let [before, after] = [&faulty, &anyhow].map(|lod| off_anyhow(&evaluated, lod));
    assert!(before > 1.5 && after < 0.25 * before, "{before} before, {after} after");
    let bent = |lod: &Shape| -> f32 {
        let pairs = lod.mesh.vertices.iter().zip(&faulty.mesh.vertices);
        pairs.map(|(a, b)| a.normal.distance_squared(b.normal)).sum()
    };
    assert!(
        bent(&anyhow) < bent(&formation),
        "{} against {}",
        bent(&anyhow),
        bent(&formation)
    );
    let carried = built.photometric_fit(faulty.clone(), &coverage, Order::Carried);
    assert_eq!(carried.mesh, faulty.mesh, "what is carried stays as it is");
}

#[test]
fn each_sun_keeps_its_side_of_the_viewer_in_one_photometric_fit() {
    let model = character(tube(8, 8));
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let variants = VariantShaders::of(&model);
    let poses = poses::evaluation_poses(&palettes, 2);
    let views = CrowdViews {
        turns: true,
        ..views(&poses, 5, crowd::EVALUATION_ELEVATIONS)
    };
    let crowd = CrowdPictures::new(&model, &variants, views);
    let seen = |picture: &crowd::CrowdPicture| {
        let [right, _, towards] = picture.frame.axes;
        let lod = Vec3::new(towards.x, 0.0, towards.z).normalize();
        picture.suns.map(|sun| Vec3::new(sun.dot(right), sun.y, sun.dot(lod)))
    };
    let firsts = [0, 1].map(|turn| {
        let first = crowd.pictures.iter().find(|picture| picture.turn == turn);
        seen(first.expect("pictures take turns"))
    });
    for picture in &crowd.pictures {
        for (sun, first) in seen(picture).into_iter().zip(firsts[picture.turn]) {
            assert!(sun.distance(first) < 1e-5, "{sun} is not {first}");
        }
    }
    // One arrangement has low suns where the other has high ones.
    let suns = || firsts[0].into_iter().zip(firsts[1]);
    assert!(
        suns().take(SUNS - 1).all(|(a, b)| (a.y - b.y).abs() > 0.2),
        "{firsts:?}"
    );
}
