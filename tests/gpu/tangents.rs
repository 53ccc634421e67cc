//! Tangents on the GPU, in baked vertices and in reports, against the CPU reference.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec4};
use throng::{
    atlas::{AtlasFormat, baked_vertex::VertexAtlas},
    bake::{
        FrameBlend, FramePair,
        skinning::{self, SkinnedVertex},
    },
    character::Character,
    config::Technique,
    crowd::{Instance, MotionPlan, hash::Draws},
    gpu::Gpu,
    model::{Keys, Material, Mesh, Model, Morph, MorphDelta, Transform, Vertex, padded},
    render::{
        passes::ProbeVertex,
        resources::{AtlasSource, DrawFlags, GpuPosed},
    },
};

use crate::common::{self, gpu::stored, surfaces, worse::worse};

/// Joints of `zoo`: one that turns, one with a non-uniform scale, one that mirrors.
const TURNING: u16 = 0;
const STRETCHED: u16 = 1;
const MIRRORED: u16 = 2;

/// A sphere for each joint (the first also blends into the second), with normals and tangents everywhere and
/// handedness of both signs.
/// Two clips that a fade can join, and one morph target that bends tangents.
pub fn zoo() -> Model {
    let mut mesh = Mesh::default();
    for joint in [TURNING, STRETCHED, MIRRORED] {
        let first = mesh.vertices.len() as u32;
        for i in 0..64_u32 {
            let (u, v) = (
                (i % 8) as f32 / 8.0 * std::f32::consts::TAU,
                ((i / 8) as f32 + 0.5) / 8.0 * std::f32::consts::PI,
            );
            let normal = Vec3::new(u.cos() * v.sin(), v.cos(), u.sin() * v.sin());
            let along = Vec3::new(-u.sin(), 0.0, u.cos());
            let share = if joint == TURNING { (i % 8) as f32 / 16.0 } else { 0.0 };
            mesh.vertices.push(Vertex {
                position: normal + Vec3::X * 3.0 * f32::from(joint),
                normal,
                tangent: along.extend(if i % 3 == 0 { -1.0 } else { 1.0 }),
                joints: padded([joint, STRETCHED], joint),
                weights: padded([1.0 - share, share], 0.0),
                ..Vertex::default()
            });
        }
        mesh.indices
            .extend((0..62).flat_map(|i| [first + i, first + i + 1, first + i + 2]));
    }
    let turn = |x: f32, z: f32| Keys::Rotation(vec![Quat::from_rotation_x(x), Quat::from_rotation_z(z)]);
    let scale = |a: Vec3, b: Vec3| Keys::Scale(vec![a, b]);
    let clips = vec![
        surfaces::clip(
            "one",
            vec![
                (0, turn(0.3, 0.8)),
                (1, scale(Vec3::new(1.0, 3.0, 0.4), Vec3::new(1.5, 2.0, 0.6))),
                (2, scale(Vec3::new(-1.0, 1.0, 1.0), Vec3::new(-0.5, 2.0, 1.0))),
                (2, turn(0.2, 0.1)),
            ],
        ),
        surfaces::clip(
            "two",
            vec![
                (0, turn(-0.5, 0.2)),
                (1, scale(Vec3::new(0.5, 1.0, 2.0), Vec3::new(1.0, 1.0, 1.0))),
                (2, scale(Vec3::new(-2.0, 1.0, 0.7), Vec3::new(-1.0, 1.0, 1.0))),
            ],
        ),
    ];
    let delta = |vertex: u32| MorphDelta {
        vertex,
        position: Vec3::new(0.0, 0.2, 0.0),
        normal: Vec3::new(0.1, 0.0, 0.2),
        tangent: Vec3::new(0.3, 0.4, 0.0),
    };
    let mut model = Model {
        name: "zoo".into(),
        skeleton: surfaces::skeleton(&[
            Transform::IDENTITY,
            Transform::IDENTITY,
            Transform {
                scale: Vec3::new(-1.0, 1.0, 1.0),
                ..Transform::IDENTITY
            },
        ]),
        mesh,
        materials: vec![Material {
            normal_texture: surfaces::texture(0),
            ..Material::default()
        }],
        images: vec![surfaces::image("flat", 1, |_, _| [128, 128, 255, 255])],
        clips,
        morphs: vec![Morph {
            name: "bend".into(),
            rest: 0.0,
            deltas: (0..192).step_by(5).map(delta).collect(),
        }],
        ..Model::default()
    };
    model.clips[0].morphs = vec![surfaces::morph_channel(&[0.0, 1.0], &[0.0, 1.0])];
    model
}

fn random_fade(character: &Character, index: u32) -> FrameBlend {
    let draws = Draws::new(11, 0x7a9, index);
    let pair = |clip: usize, stream: u32| {
        let pair = character.palettes.clips[clip].pair_at(draws.unit(stream));
        FramePair {
            between: stored(pair.between),
            ..pair
        }
    };
    FrameBlend {
        a: pair(0, 0),
        b: pair(1, 1),
        fade: stored(draws.unit(2)),
    }
}

fn frames(blend: &FrameBlend) -> [(usize, f32); 4] {
    let FrameBlend { a, b, fade } = blend;
    [
        (a.first as usize, (1.0 - fade) * (1.0 - a.between)),
        (a.second as usize, (1.0 - fade) * a.between),
        (b.first as usize, fade * (1.0 - b.between)),
        (b.second as usize, fade * b.between),
    ]
}

/// Reference: matrices and morph weights blended over frames and clips, then one transform.
fn blended(character: &Character, blend: &FrameBlend) -> Vec<SkinnedVertex> {
    let mut weights = vec![0.0; character.model.morphs.len()];
    for (frame, share) in frames(blend) {
        for (sum, weight) in weights.iter_mut().zip(character.palettes.frame_morphs(frame)) {
            *sum += weight * share;
        }
    }
    let vertices = skinning::morphed(&character.model, &weights);
    skinning::skin_vertices(&vertices, &character.palettes.blended(blend))
}

/// Reference of baked vertices: skinned frames, weighted and summed.
fn summed(character: &Character, blend: &FrameBlend) -> Vec<SkinnedVertex> {
    let mut sum = vec![SkinnedVertex::default(); character.model.mesh.vertices.len()];
    for (frame, share) in frames(blend) {
        let skinned = skinning::skin_frame(&character.model, &character.palettes, frame);
        for (sum, v) in sum.iter_mut().zip(skinned) {
            sum.position += v.position * share;
            sum.normal += v.normal * share;
            sum.tangent += v.tangent * share;
        }
    }
    sum
}

/// Worst position (m) and worst tangent (degrees); handedness must agree everywhere.
fn worst(probe_output: &[ProbeVertex], expected: &[SkinnedVertex]) -> (f32, f32) {
    assert_eq!(probe_output.len(), expected.len());
    let mut worst = (0.0_f32, 0.0_f32);
    for (index, (found, expected)) in probe_output.iter().zip(expected).enumerate() {
        let (position, tangent) = (Vec4::from(found.position).truncate(), Vec4::from(found.tangent));
        worst.0 = worse(worst.0, position.distance(expected.position));
        let angle = tangent.truncate().angle_between(expected.tangent.truncate());
        worst.1 = worse(worst.1, angle.to_degrees());
        assert_eq!(tangent.w.signum(), expected.tangent.w.signum(), "vertex {index}");
    }
    worst
}

fn probe_fades(
    gpu: &Gpu,
    character: &Character,
    technique: Technique,
    format: AtlasFormat,
    source: AtlasSource,
) -> f32 {
    let (assets, probe) = common::gpu::upload(gpu, character, (technique, format, source));
    assert!(
        assets
            .flags
            .contains(DrawFlags::NORMAL_MAPPED | DrawFlags::EXTENDED_VERTEX)
    );
    let fades: Vec<_> = (0..40).map(|i| random_fade(character, i)).collect();
    let instances = vec![Instance::new(Vec3::ZERO); fades.len()];
    let crowd = common::gpu::upload_crowd(gpu, (&assets, &probe), &instances, &MotionPlan::default());
    let posed: Vec<_> = fades.iter().map(|f| GpuPosed::new(Vec3::ZERO, 0.0, 1.0, f)).collect();
    let probe_output = probe.run_posed(gpu, &assets, &crowd, &posed).expect("readback");
    let reference = if technique == Technique::Vertex {
        summed
    } else {
        blended
    };
    let mut angle = 0.0_f32;
    for (found, fade) in probe_output.chunks(assets.vertex_count as usize).zip(&fades) {
        let (metres, degrees) = worst(found, &reference(character, fade));
        assert!(metres < 0.03, "{technique:?} {format:?} {source:?}: {metres} m");
        angle = worse(angle, degrees);
    }
    angle
}

#[test]
fn tangents_follow_turning_stretched_and_mirrored_joints_through_fades() {
    let Some(gpu) = common::gpu::open() else { return };
    let character = common::gpu::bake(zoo());
    let formats = [AtlasFormat::F32, AtlasFormat::F16].map(|f| (Technique::Matrix, f));
    for (technique, format) in formats.into_iter().chain([(Technique::Vertex, AtlasFormat::F32)]) {
        for source in [AtlasSource::Texture, AtlasSource::Storage] {
            let degrees = probe_fades(&gpu, &character, technique, format, source);
            println!("{technique:?} {format:?} {source:?}: tangents within {degrees:.4}°");
            assert!(degrees < 1.0, "{technique:?} {format:?} {source:?}: {degrees}°");
        }
    }
}

/// Rest pose, live palettes at moments of the first clip, and preskinned poses.
#[test]
fn tangents_of_static_live_and_preskinned_crowds() {
    let Some(gpu) = common::gpu::open() else { return };
    let character = common::gpu::bake(zoo());
    let skin_rest: Vec<SkinnedVertex> = character.model.mesh.vertices.iter().map(at_rest).collect();
    for (technique, seconds) in [
        (Technique::Static, 0.0),
        (Technique::Live, 0.0),
        (Technique::Live, 0.4),
        // A frame, and a moment between frames.
        (Technique::Preskinned, 0.4),
    ] {
        let (format, source) = (AtlasFormat::F32, AtlasSource::Storage);
        let (assets, probe) = common::gpu::upload(&gpu, &character, (technique, format, source));
        let instance = [Instance::new(Vec3::ZERO).with_clip(0, 1.0, 0.0)];
        let frame = common::gpu::frame(seconds);
        let probe_output = probe
            .run_instances(&gpu, &character, &assets, &instance, &frame)
            .expect("readback");
        let exact = skinning::skin_exact(&character.model, character.model.clips.first(), seconds as f32);
        let expected = if technique == Technique::Static {
            &skin_rest
        } else {
            &exact
        };
        let (metres, degrees) = worst(&probe_output, expected);
        println!("{technique:?} at {seconds} s: {:.3} mm, {degrees:.4}°", metres * 1e3);
        assert!(metres < 2e-3 && degrees < 1.0, "{technique:?}: {metres} m, {degrees}°");
    }
}

fn at_rest(v: &Vertex) -> SkinnedVertex {
    SkinnedVertex {
        position: v.position,
        normal: v.normal,
        tangent: v.tangent,
    }
}

/// Axes of a normal map: the reference against the transformed axes themselves.
#[test]
fn the_reference_keeps_the_bitangent_on_its_side() {
    let model = zoo();
    for time in [0.0, 0.5, 1.0] {
        let palette = skinning::exact_palette(&model, model.clips.first(), time);
        for vertex in &model.mesh.vertices {
            let matrix = skinning::blend(vertex, &palette).matrix3;
            let skinned = skinning::skin_vertex(vertex, &palette);
            let bitangent = vertex.normal.cross(vertex.tangent.truncate()) * vertex.tangent.w;
            let moved = matrix * bitangent;
            let rebuilt = skinned.normal.cross(skinned.tangent.truncate()) * skinned.tangent.w;
            assert!(rebuilt.dot(moved) > 0.0, "{vertex:?}");
        }
    }
}

/// Baked vertices have 16 bytes: normals and tangents are exact to 0.01 degrees.
#[test]
fn baked_tangents_are_exact_to_a_step() {
    let character: Arc<Character> = common::gpu::bake(zoo());
    let (model, palettes) = (&character.model, &character.palettes);
    let baked = VertexAtlas::encode(model, palettes);
    assert_eq!(baked.words_per_vertex, 4);
    assert_eq!(VertexAtlas::byte_size(model, palettes), 4 * baked.words.len() as u64);
    let mut degrees = 0.0_f32;
    for (index, clip) in palettes.clips.iter().enumerate() {
        for frame in clip.first_frame..clip.first_frame + clip.frame_count {
            let exact = skinning::skin_frame(model, palettes, frame as usize);
            for (v, exact) in exact.iter().enumerate() {
                let found = baked.vertex(index, frame as usize, v);
                let angle = |a: Vec3, b: Vec3| (2.0 * a.distance(b).atan2((a + b).length())).to_degrees();
                degrees = worse(degrees, angle(found.tangent.truncate(), exact.tangent.truncate()));
                degrees = worse(degrees, angle(found.normal, exact.normal));
                assert_eq!(found.tangent.w, exact.tangent.w);
            }
        }
    }
    println!("worst {degrees:.5}°");
    assert!(degrees < 0.01, "{degrees}°");
}

/// Report of `throng verify` on tangents.
#[test]
fn the_report_measures_tangents() {
    let character = common::gpu::bake(zoo());
    let formats = [AtlasFormat::F16, AtlasFormat::Unorm8];
    let report = throng::atlas::verify(&character.model, &character.palettes, &formats, &Default::default());
    let [fine, coarse] = [0, 1].map(|i| report.formats[i].tangent_degrees);
    println!("{report}");
    assert!(fine > 0.0 && fine < 5.0 && coarse > fine, "{fine} {coarse}");
    assert!(report.to_string().contains("tangents at most"));
}
