//! More than four influences: kept where four would be visibly wrong, dropped elsewhere, and reported in notes.

use glam::{Affine3A, Vec3};
use throng::{
    atlas::{AtlasFormat, FramePlacement, VerifyOptions, verify},
    bake::{self, skinning},
    character::Character,
    model::{Model, PackedMesh},
};

use crate::common::{self, tube};

/// Largest distance (m) between vertices skinned with all influences of the file and with those of the model.
fn lost(model: &Model) -> f32 {
    let slot_of = |joint: usize| {
        let slots = model.skeleton.slots.iter();
        let name = format!("j{joint}");
        slots
            .map(|slot| &model.skeleton.joints[slot.joint as usize].name)
            .position(|found| *found == name)
            .expect("every joint moves something")
    };
    let slots: Vec<usize> = (0..tube::JOINTS).map(slot_of).collect();
    let mut worst = 0.0_f32;
    for step in 0..=120 {
        let time = step as f32 / 60.0;
        let palette = skinning::exact_palette(model, model.clips.first(), time);
        for vertex in &model.mesh.vertices {
            let all = tube::weights(vertex.position.y);
            let whole = slots.iter().zip(all).fold(Affine3A::ZERO, |sum, (&slot, weight)| {
                skinning::add_scaled(sum, palette[slot], weight)
            });
            let shown: Vec3 = skinning::skin_vertex(vertex, &palette).position;
            worst = worst.max(shown.distance(whole.transform_point3(vertex.position)));
        }
    }
    worst
}

#[test]
fn eight_influences_are_kept_where_four_are_visibly_wrong() {
    let imported = tube::model();
    assert!(!imported.mesh.is_wide() && !imported.reduced.is_empty());
    let four = lost(&imported);
    assert!(four > 0.02, "{four} m: the error of four influences is not visible");
    let told = bake::influence_cost(&imported);
    assert!((told - four).abs() < 1e-4, "{told} m told, {four} m found");
    let character = Character::bake(imported, FramePlacement::default()).expect("bakes");
    let model = &character.model;
    assert!(model.mesh.is_wide() && model.reduced.is_empty());
    assert!(lost(model) < 1e-5, "{} m", lost(model));
    let cost = format!("would cost up to {:.2} mm", four * 1000.0);
    assert!(
        model
            .notes
            .iter()
            .any(|n| n.contains(&cost) && n.contains("up to eight are kept")),
        "{:?}",
        model.notes
    );
    for format in AtlasFormat::precise() {
        let palettes = FramePlacement::by_motion(format).bake(model, &|_| ()).expect("bakes");
        let report = verify(model, &palettes, &[format], &VerifyOptions::default());
        let worst = report.formats[0].worst_percent();
        println!("{}: {worst:.4} % with {} frames", format.name(), palettes.frame_count);
        assert!(worst <= 0.1, "{}: {worst} %", format.name());
    }
}

#[test]
fn four_influences_suffice_where_a_larger_error_is_allowed() {
    let placement = FramePlacement::Within {
        percent: 30.0,
        format: AtlasFormat::F16,
    };
    let imported = tube::model();
    let character = Character::bake(imported.clone(), placement).expect("bakes");
    assert!(character.model.mesh == imported.mesh && !character.packed.has_eight_influences());
    let four = lost(&character.model);
    let cost = format!("which costs at most {:.2} mm", four * 1000.0);
    let notes = &character.model.notes;
    assert!(notes.iter().any(|n| n.contains(&cost)), "{notes:?}");
    // The error of dropped influences counts towards the requested bound.
    let kept = character.palettes.bound.expect("by motion").position;
    let height = imported.height();
    assert!(kept <= height * 0.3 - four, "{kept} of {height}, {four} lost");
}

/// In the rest pose, all influences give the same place.
#[test]
fn four_influences_suffice_where_nothing_moves() {
    let mut still = tube::model();
    still.clips.clear();
    assert_eq!(bake::influence_cost(&still), 0.0);
    let character = Character::bake(still, FramePlacement::default()).expect("bakes");
    assert!(!character.model.mesh.is_wide());
}

#[test]
fn packed_influences_come_back_and_only_wide_vertices_have_them() {
    let mut model = tube::model();
    let narrow = PackedMesh::new(&model.mesh);
    assert_eq!(narrow.vertex_bytes().len(), 32 * model.mesh.vertices.len());
    bake::prepare(&mut model, 0.0);
    let packed = PackedMesh::new(&model.mesh);
    assert_eq!(packed.vertex_bytes().len(), 48 * model.mesh.vertices.len());
    for (index, vertex) in model.mesh.vertices.iter().enumerate() {
        let back = packed.vertex(index);
        assert!((back.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        for (k, (&found, &weight)) in back.weights.iter().zip(&vertex.weights).enumerate() {
            // Half a step of rounding each; the fourth weight is the remainder.
            let steps = if k == 3 { 4.0 } else { 1.0 };
            assert!(found >= 0.0 && (found - weight).abs() <= steps / 65535.0, "{index} {k}");
            assert!(weight == 0.0 || back.joints[k] == vertex.joints[k], "{index} {k}");
        }
    }
    assert!(packed.unpacked().is_wide());
    // A reduced vertex has its four strongest influences, normalised.
    for vertex in &model.mesh.vertices {
        let narrowed = vertex.narrowed();
        assert!(!narrowed.is_wide() && narrowed.joints[..4] == vertex.joints[..4]);
        let ratio = narrowed.weights[1] / narrowed.weights[0];
        assert!((ratio - vertex.weights[1] / vertex.weights[0]).abs() < 1e-5);
        assert!((narrowed.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

/// No sample and no embedded character has more than four influences: their vertices keep the small size.
#[test]
fn characters_with_four_influences_need_no_wide_vertices() {
    let Some(folder) = common::samples() else { return };
    for file in common::LOADABLE {
        let mut model = common::load(&folder, file);
        bake::prepare(&mut model, 0.0);
        let packed = PackedMesh::new(&model.mesh);
        let size = if packed.is_extended() { 48 } else { 32 };
        assert_eq!(packed.vertex_bytes().len(), size * packed.vertices.len(), "{file}");
    }
}
