//! Tests of LODs of characters with morph targets.

use std::sync::LazyLock;

use super::*;
use crate::{
    bake::{lods::poses::LodPose, skinning},
    model::{Morph, MorphChannel, MorphDelta},
};

/// Displacement by a target (m).
const FAR: f32 = 0.15;

/// Displacement of a vertex as a function of its position.
type Push = fn(Vec3) -> Vec3;

/// Bump on one side of the upper half, and a dent below it.
const PUSHES: [Push; 2] = [
    |at| Vec3::Z * FAR * near(at, Vec3::new(0.0, 1.4, 0.2)),
    |at| Vec3::new(0.5, -0.3, -0.8) * FAR * near(at, Vec3::new(0.0, 1.1, 0.2)),
];

/// Falloff: 1 at a position, 0 from 0.4 m on.
fn near(at: Vec3, place: Vec3) -> f32 {
    let share = (1.0 - at.distance(place) / 0.4).max(0.0);
    share * share * (3.0 - 2.0 * share)
}

fn target(mesh: &Mesh, push: Push) -> Vec<MorphDelta> {
    let delta = |(vertex, v): (u32, &Vertex)| MorphDelta {
        vertex,
        position: push(v.position),
        ..MorphDelta::default()
    };
    let deltas = (0..).zip(&mesh.vertices).map(delta);
    deltas.filter(|delta| delta.position != Vec3::ZERO).collect()
}

fn channel(morph: u32, values: &[f32]) -> MorphChannel {
    MorphChannel {
        morph,
        interpolation: Interpolation::Linear,
        times: (0..values.len()).map(|key| 0.5 * key as f32).collect(),
        values: values.to_vec(),
    }
}

/// Bending tube with a face of two targets; each of them reaches both ends while the other is at either.
fn face(cells: u32) -> Model {
    let mut model = character(tube(cells, cells));
    model.morphs = PUSHES
        .iter()
        .map(|&push| Morph {
            name: "push".into(),
            rest: 0.0,
            deltas: target(&model.mesh, push),
        })
        .collect();
    model.clips[0].morphs = vec![
        channel(0, &[0.0, 1.0, 1.0, 0.0, 0.0]),
        channel(1, &[0.0, 0.0, 1.0, 1.0, 0.0]),
    ];
    model
}

/// Model, its palettes and LODs.
static FACE: LazyLock<(Model, Palettes, Vec<Lod>)> = LazyLock::new(|| {
    let model = face(40);
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let lods = make(&model, LOW, &|_| ()).expect("fits");
    (model, palettes, lods)
});

/// Largest error of an LOD (mm) at a frame with given weights.
fn worst_mm(lod: &Shape, frame: usize, morphs: &[f32]) -> f32 {
    let (model, palettes, _) = &*FACE;
    let pose = [LodPose {
        palette: palettes.frame(frame).to_vec(),
        morphs: morphs.to_vec(),
        clip_start: 0,
    }];
    Reference::new(model, &pose, 32).deviation(lod).worst * 1000.0
}

fn without_deltas(lod: &Lod) -> Shape {
    Shape {
        morphs: vec![Vec::new(); lod.morphs.len()],
        ..Shape::from(lod)
    }
}

#[test]
fn no_lod_exceeds_its_stated_error() {
    let (_, palettes, lods) = &*FACE;
    for lod in lods {
        let shape = Shape::from(lod);
        for frame in 0..palettes.frame_count {
            let found = worst_mm(&shape, frame, palettes.frame_morphs(frame));
            let said = lod.worst_mm;
            assert!(found <= said, "{found} mm instead of {said} in frame {frame}");
        }
    }
}

#[test]
fn without_deltas_lods_are_off_by_what_targets_move() {
    let (model, palettes, lods) = &*FACE;
    assert!(lods.len() >= 2, "{} LODs", lods.len());
    for lod in lods {
        assert_eq!(lod.morphs.len(), 2);
        assert!(lod.worst_mm < 0.5 * FAR * 1000.0, "{} mm", lod.worst_mm);
        let still = without_deltas(lod);
        let found = worst_mm(&still, 0, &[1.0, 0.0]);
        assert!(found > lod.worst_mm + 0.3 * FAR * 1000.0, "{found} mm without deltas");
        assert_eq!(
            worst_mm(&still, 7, &[0.0; 2]),
            worst_mm(&Shape::from(lod), 7, &[0.0; 2]),
            "at rest"
        );
    }
    // Pictures show the difference as well.
    let finest = &lods[0];
    let both = [Shape::from(finest), without_deltas(finest)];
    let found = measured(model, palettes, &both, LOW, Extent::Whole, &|_| ());
    let [moving, still] = &found.lods[..] else {
        panic!("two LODs")
    };
    assert_eq!(moving.max_sample_rows, Some(finest.max_sample_rows));
    assert_eq!(moving.worst_mm, finest.worst_mm);
    assert!(
        still.max_sample_rows < moving.max_sample_rows,
        "{:?}",
        still.max_sample_rows
    );
}

#[test]
fn of_two_ways_to_move_a_lod_the_one_that_is_less_off_is_kept() {
    let (model, palettes, _) = &*FACE;
    let full = Shape::full(model);
    let poses = poses::builders(palettes, 8);
    let choosing = Reference::new(model, &poses, 32);
    let lod = Collapsible::new(Cow::Borrowed(&full), &[], 1.0).collapse(600, SIMPLIFY_SETTINGS[2]);
    let kept = Morphing::of(&full).best(lod.clone(), &choosing);
    let worst = |shape: &Shape| choosing.deviation(shape).worst;
    assert!(worst(&kept) <= worst(&lod));
    let still = Shape {
        morphs: vec![Vec::new(); 2],
        mesh: lod.mesh.clone(),
        radii: Vec::new(),
        normal_bias: 0.0,
    };
    let mended = Morphing::of(&full).best(still.clone(), &choosing);
    assert!(worst(&mended) < 0.5 * worst(&still), "the surface knows better");
    assert_eq!(mended.mesh, lod.mesh);
}

#[test]
fn poses_for_building_and_evaluation_include_moving_faces() {
    let mut model = face(8);
    model.clips[0].duration = 20.0;
    // Blink of 0.2 s between evenly spread frames.
    let blink = |at: f32| MorphChannel {
        times: vec![0.0, at, at + 0.1, at + 0.2],
        ..channel(0, &[0.0, 0.0, 1.0, 0.0])
    };
    // One in a run that builds, one in a run that evaluates.
    for (start, evaluation_poses) in [(9.7, false), (9.4, true)] {
        model.clips[0].morphs = vec![blink(start)];
        let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
        let most = |poses: &[LodPose]| poses.iter().map(|p| p.morphs[0]).fold(0.0, f32::max);
        assert!(most(&poses::all(&palettes, 16)) > 0.9);
        let (built, evaluated) = (poses::builders(&palettes, 8), poses::evaluation_poses(&palettes, 8));
        assert!(built.len() <= 8 && evaluated.len() <= 8);
        let seen = if evaluation_poses {
            most(&evaluated)
        } else {
            most(&built)
        };
        assert!(seen > 0.6, "{seen} at {start} s");
    }
}

#[test]
fn characters_moved_by_morph_targets_alone_get_lods() {
    let mut model = face(28);
    model.clips[0].channels = Vec::new().into();
    for flat in [false, true] {
        model.flat = flat;
        let lods = make(&model, LOW, &|_| ()).expect("fits");
        assert!(!lods.is_empty(), "flat: {flat}");
        for lod in &lods {
            assert!(lod.worst_mm < 0.5 * FAR * 1000.0, "{} mm", lod.worst_mm);
            let turned = lod.morphs.iter().flatten().any(|delta| delta.normal != Vec3::ZERO);
            assert_eq!(turned, flat, "normals follow triangles where they are shaded by them");
        }
    }
}

#[test]
fn invalid_morph_targets_give_no_lods_or_finite_ones() {
    type MorphChange = (&'static str, fn(&mut Model), bool);
    let changes: [MorphChange; 6] = [
        ("no number", |m| m.morphs[0].deltas[3].position.x = f32::NAN, true),
        ("infinite", |m| m.morphs[1].deltas[3].normal.y = f32::INFINITY, true),
        ("an unknown vertex", |m| m.morphs[0].deltas[3].vertex = 1 << 20, true),
        (
            "a weight that is none",
            |m| m.clips[0].morphs[0].values[1] = f32::NAN,
            true,
        ),
        ("huge", |m| m.morphs[0].deltas[3].position = Vec3::splat(1e30), false),
        (
            "as large as can be",
            |m| m.morphs[0].deltas.iter_mut().for_each(|d| d.position = Vec3::MAX),
            false,
        ),
    ];
    let effort = MakingEffort::careful(EvaluationEffort {
        reports_crowds: true,
        moments: 1,
        samples: 64,
        formation: true,
        ..EvaluationEffort::FULL
    });
    for (what, change, none) in changes {
        let mut model = face(20);
        change(&mut model);
        let lods = make(&model, effort, &|_| ()).expect("fits");
        assert!(!none || lods.is_empty(), "{what}");
        for lod in lods {
            let deltas = lod.morphs.iter().flatten();
            let vertices = lod.mesh.vertices.len();
            let is_sound = |d: &MorphDelta| d.position.is_finite() && (d.vertex as usize) < vertices;
            assert!(deltas.into_iter().all(is_sound) && lod.worst_mm.is_finite(), "{what}");
            assert!(lod.mesh.vertices.iter().all(|v| v.position.is_finite()), "{what}");
        }
    }
}

/// CPU reference for the shaders.
#[test]
fn a_lod_is_posed_as_its_vertices_are_moved() {
    let (_, palettes, lods) = &*FACE;
    let lod = &lods[0];
    let moved = skinning::morphed_lod(lod, &[0.25, -1.0]);
    for (index, (vertex, rest)) in (0..).zip(moved.iter().zip(&lod.mesh.vertices)) {
        let of = |target: usize| {
            let delta = lod.morphs[target].iter().find(|delta| delta.vertex == index);
            delta.map_or(Vec3::ZERO, |delta| delta.position)
        };
        let expected = rest.position + 0.25 * of(0) - of(1);
        assert!(vertex.position.distance(expected) < 1e-6);
    }
    let posed = LodPose {
        palette: palettes.frame(20).to_vec(),
        morphs: vec![0.25, -1.0],
        clip_start: 0,
    };
    let shape = Shape::from(lod);
    let (skinned, positions) = (posed.skinned(&shape), posed.positions(&shape));
    assert!(skinned.iter().map(|v| v.position).eq(positions));
    assert_eq!(skinned, skinning::skin_vertices(&moved, palettes.frame(20)));
}
