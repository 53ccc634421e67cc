use std::f32::consts::TAU;

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use proptest::prelude::*;

use super::*;
use crate::bake::lods::{
    crowd::{CrowdPictures, CrowdViews},
    effort::SplatEffort,
    mesh_maker::FEWEST_TRIANGLES,
    simplify::SIMPLIFY_SETTINGS,
    surface::Surface,
};
use crate::model::{
    Channel, Clip, Interpolation, Joint, Keys, Material, Mesh, PackedMesh, PaletteSlot, Skeleton, Transform, Vertex,
    padded,
};

mod crowds;
mod distances;
mod morphs;
mod of_splats;

/// Low effort: tests check what passes, not exactly up to which height.
const LOW: MakingEffort = MakingEffort::careful(EvaluationEffort {
    moments: 3,
    samples: 256,
    formation: true,
    reports_crowds: true,
    ..EvaluationEffort::FULL
});

/// Views of crowds with as many points as those that evaluate.
pub(super) fn views<'a>(poses: &'a [poses::LodPose], sides: usize, elevations: &'a [f32]) -> CrowdViews<'a> {
    CrowdViews {
        poses,
        sides,
        elevations,
        points: crowd::EVALUATION_POINTS,
        samples: crowd::EVALUATION_SAMPLES,
        turns: false,
    }
}

/// Two joints, the second one half-way up, and a clip that bends there.
fn skeleton_and_clip() -> (Skeleton, Clip) {
    let joint = |name: &str, parent, height: f32| Joint {
        name: name.into(),
        parent,
        rest: Transform {
            translation: Vec3::Y * height,
            ..Transform::IDENTITY
        },
    };
    let slot = |joint: u32, height: f32| PaletteSlot {
        joint,
        inverse_bind: Mat4::from_translation(Vec3::Y * -height),
    };
    let skeleton = Skeleton {
        joints: vec![joint("low", None, 0.0), joint("high", Some(0), 0.9)],
        slots: vec![slot(0, 0.0), slot(1, 0.9)],
        ..Skeleton::default()
    };
    let bend = Channel {
        joint: 1,
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0, 2.0],
        keys: Keys::Rotation(vec![
            Quat::IDENTITY,
            Quat::from_rotation_z(1.2),
            Quat::from_rotation_x(1.0),
        ]),
    };
    let clip = Clip {
        name: "bend".into(),
        duration: 2.0,
        channels: vec![bend].into(),
        ..Clip::default()
    };
    (skeleton, clip)
}

/// Character with a given mesh.
fn character(mesh: Mesh) -> Model {
    let (skeleton, clip) = skeleton_and_clip();
    Model {
        skeleton,
        mesh,
        materials: vec![Material::default(), Material::default()],
        clips: vec![clip],
        ..Model::default()
    }
}

/// Upright tube of varying thickness that bends in its middle; its upper half has another material.
fn tube(around: u32, up: u32) -> Mesh {
    let vertex = |i: u32, j: u32, material: u8| {
        let (angle, height) = (TAU * i as f32 / around as f32, j as f32 / up as f32);
        let radius = 0.2 + 0.06 * (9.0 * height).sin() + 0.02 * (3.0 * angle).cos();
        let outward = Vec3::new(angle.sin(), 0.0, angle.cos());
        let upper = ((height - 0.45) / 0.1).clamp(0.0, 1.0);
        Vertex {
            position: outward * radius + Vec3::Y * 1.8 * height,
            normal: outward,
            uv: Vec2::new(i as f32 / around as f32, height),
            color: Vec3::splat(0.5 + 0.4 * (5.0 * height).sin()).extend(1.0),
            material,
            joints: padded([1, 0], 0),
            weights: padded([upper, 1.0 - upper], 0.0),
            ..Vertex::default()
        }
    };
    let mut mesh = Mesh::default();
    for j in 0..up {
        let material = u8::from(2 * j >= up);
        for i in 0..around {
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j), (i + 1, j + 1), (i, j + 1)];
            mesh.vertices
                .extend(corners.map(|(i, j)| vertex(i % around, j, material)));
        }
    }
    mesh.indices = (0..mesh.vertices.len() as u32).collect();
    crate::model::optimize(&mesh)
}

fn quick(mesh: Mesh) -> Vec<Lod> {
    make(&character(mesh), LOW, &|_| ()).expect("the clip fits an atlas")
}

/// Tube that is closed at both ends: views from above into an open one see nothing.
pub(super) fn closed() -> Model {
    let mut mesh = tube(40, 40);
    for Vertex { position, .. } in &mut mesh.vertices {
        let along = position.y / 0.9 - 1.0;
        let width = (1.0 - along.powi(4)).max(0.0).sqrt();
        *position *= Vec3::new(width, 1.0, width);
    }
    character(mesh)
}

#[test]
fn a_bending_tube_gets_lods_that_become_coarser_and_keep_their_materials() {
    let mesh = tube(40, 40);
    let full = mesh.triangle_count();
    let lods = quick(mesh.clone());
    // Pictures have at most 32 rows: LODs that would suit larger heights are all the same one.
    assert!(lods.len() >= 2, "{} LODs", lods.len());
    let mut finer = (full, f32::INFINITY);
    for lod in &lods {
        assert!(lod.triangles() >= FEWEST_TRIANGLES && (lod.triangles() as f32) < MAX_SHARE_OF_FINER * finer.0 as f32);
        assert!(
            lod.max_sample_rows > 0.0 && lod.max_sample_rows < finer.1,
            "{}",
            lod.max_sample_rows
        );
        assert!(lod.worst_mm > 0.0 && lod.worst_mm < 100.0, "{} mm", lod.worst_mm);
        finer = (lod.triangles(), lod.max_sample_rows);
        for triangle in lod.mesh.indices.as_chunks::<3>().0 {
            let corners = triangle.map(|i| &lod.mesh.vertices[i as usize]);
            let [a, b, c] = corners.map(|v| v.material);
            assert!(a == b && b == c, "a triangle of two materials");
            let middle = corners.iter().map(|v| v.position.y).sum::<f32>() / 3.0;
            assert!(a == 1 || middle < 1.1, "the lower material at {middle} m");
            assert!(a == 0 || middle > 0.7, "the upper material at {middle} m");
        }
        let packed = PackedMesh::new(&lod.mesh);
        assert_eq!(packed.unpacked(), lod.mesh, "packing changes the LOD");
    }
    assert_eq!(lods, quick(mesh), "made again");
}

#[test]
fn lods_are_the_same_with_any_number_of_threads() {
    let effort = MakingEffort::careful(EvaluationEffort {
        reports_crowds: true,
        moments: 1,
        samples: 64,
        formation: false,
        ..EvaluationEffort::FULL
    });
    let model = character(tube(18, 18));
    let made = [1, 2, 16].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let lods = pool.expect("threads").install(|| make(&model, effort, &|_| ()));
        lods.expect("the clip fits an atlas")
    });
    assert!(!made[0].is_empty());
    assert!(
        made[0] == made[1] && made[0] == made[2],
        "LODs depend on the number of threads"
    );
}

#[test]
fn every_control_is_rejected_and_a_lod_is_not_the_control_of_another() {
    let mesh = tube(40, 40);
    let model = character(mesh);
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let full = Shape::full(&model);
    let found = measured(&model, &palettes, &[full], LOW, Extent::Whole, &|_| ());
    let same = &found.lods[0];
    assert_eq!(
        same.max_sample_rows,
        Some(32.0),
        "full detail passes wherever a picture was taken"
    );
    assert_eq!((same.worst_mm, same.p95_mm), (0.0, 0.0));
    assert_eq!(found.controls.len(), CONTROLS.len(), "all of them apply");
    for (name, heights) in &found.controls {
        for height in heights.iter().filter(|h| h.rows >= 8.0) {
            assert!(!height.passes(), "{name} passes at {} rows", height.rows);
        }
    }
}

#[test]
fn meshes_that_cannot_be_simplified_have_no_lods() {
    let flat = Vertex {
        normal: Vec3::Y,
        color: Vec4::ONE,
        weights: padded([1.0], 0.0),
        ..Vertex::default()
    };
    let at = |position: Vec3| Vertex { position, ..flat };
    let mesh = |vertices: Vec<Vertex>| Mesh {
        indices: (0..vertices.len() as u32).collect(),
        vertices,
    };
    let line = |i: usize| at(Vec3::X * i as f32);
    let mut broken = tube(20, 20);
    broken.vertices[7].position.x = f32::NAN;
    let mut unknown = tube(20, 20);
    unknown.vertices[7].joints[1] = 99;
    let cases = [
        ("nothing", Mesh::default()),
        ("one triangle", mesh([Vec3::ZERO, Vec3::X, Vec3::Y].map(at).to_vec())),
        ("all in one point", mesh(vec![flat; 900])),
        ("all on a line", mesh((0..900).map(line).collect())),
        ("a number that is none", broken),
        ("a joint that is none", unknown),
    ];
    for (name, mesh) in cases {
        assert_eq!(quick(mesh), [], "{name}");
    }
}

fn soup() -> impl Strategy<Value = Mesh> {
    let number = prop_oneof![20 => -1.0_f32..1.0, 1 => Just(0.0_f32), 1 => Just(1e30_f32), 1 => Just(-1e-30_f32)];
    let corner = (prop::array::uniform3(number), 0..2_u16, 0..2_u8, 0..3_u32);
    prop::collection::vec(corner, 450..700).prop_map(|corners| {
        let vertex = |(position, joint, material, uv): &([f32; 3], u16, u8, u32)| Vertex {
            position: Vec3::from(*position),
            normal: Vec3::Y,
            color: Vec4::ONE,
            uv: Vec2::splat(*uv as f32),
            material: *material,
            joints: padded([*joint], *joint),
            weights: padded([1.0], 0.0),
            ..Vertex::default()
        };
        let vertices: Vec<Vertex> = corners.iter().map(vertex).collect();
        let whole = vertices.len() / 3 * 3;
        // Every other triangle shares a corner with the one before it.
        let shared = |i: usize| if i % 6 == 3 { i - 1 } else { i } as u32;
        Mesh {
            indices: (0..whole).map(shared).collect(),
            vertices,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_mesh_gets_sound_lods_or_none(mesh in soup()) {
        let effort = MakingEffort::careful(EvaluationEffort {
            moments: 1,
            samples: 64,
            formation: true,
            reports_crowds: true,
            ..EvaluationEffort::FULL
        });
        for lod in make(&character(mesh), effort, &|_| ()).expect("fits") {
            prop_assert!(lod.max_sample_rows > 0.0 && lod.max_sample_rows.is_finite() && lod.worst_mm.is_finite());
            prop_assert!(lod.mesh.vertices.iter().all(|v| v.position.is_finite()));
            prop_assert!(lod.mesh.indices.iter().all(|&i| (i as usize) < lod.mesh.vertices.len()));
        }
    }
}
