//! LODs with morph targets, against the CPU reference in millimetres.

use glam::{Vec3, Vec4};
use throng::{
    atlas::AtlasFormat,
    bake::{BakeOptions, skinning},
    character::Character,
    cli::shot::frame_input,
    config::{Raster, Technique},
    crowd::{Instance, MotionPlan},
    gpu::Gpu,
    model::{Lod, Model, MorphDelta, Vertex},
    render::{
        DrawMethod, FrameInput,
        passes::Probe,
        resources::{AtlasSource, CharacterAssets},
    },
};

use crate::{
    common::{self, faces::with_face, gpu::upload_crowd, worse::worse},
    culling::leveled,
    raster::{USUAL, crowd_of, open, picture, supported},
    tangents::zoo,
};

const OFTEN: BakeOptions = BakeOptions { rate: 10.0 };

/// Character with a face whose LODs have deltas of their own, different from the full mesh and from each other.
/// Mistaking a vertex for another one is then found.
pub fn moving(name: &str) -> Character {
    let mut model = with_face(leveled(name).model);
    for (number, lod) in model.lods.iter_mut().enumerate() {
        for delta in lod.morphs.iter_mut().flatten() {
            delta.position *= 1.0 + 0.3 * number as f32;
        }
    }
    Character::bake(model, &OFTEN).expect("bakes")
}

/// One sphere of `zoo` as a LOD: tangents, mirroring, one target of the mesh.
fn zoo_with_a_lod() -> Character {
    let mut model = zoo();
    let delta = |vertex: u32| MorphDelta {
        vertex,
        ..model.morphs[0].deltas[0]
    };
    model.lods = vec![Lod {
        mesh: model.mesh.clone(),
        // Different deltas from those of the full mesh.
        morphs: vec![(1..192).step_by(3).map(delta).collect()],
        max_sample_rows: 20.0,
        worst_mm: 0.0,
        radii: Vec::new(),
        normal_bias: 0.0,
    }];
    Character::bake(model, &OFTEN).expect("bakes")
}

/// All vertices at a moment, those of LODs after those of the full mesh.
fn expected(character: &Character, (clip, share): (usize, f32)) -> Vec<skinning::SkinnedVertex> {
    let palettes = &character.palettes;
    let baked = &palettes.clips[clip];
    let (frame, next, between) = baked.frames_at(share * baked.duration);
    let palette = skinning::palette_between(palettes, frame, next, between);
    let weights = skinning::morphs_between(palettes, frame, next, between);
    let lods = character.model.lods.iter();
    let lods = lods.map(|lod| skinning::morphed_lod(lod, &weights));
    let all = std::iter::once(skinning::morphed(&character.model, &weights)).chain(lods);
    let all: Vec<Vertex> = all.flat_map(|vertices| vertices.into_owned()).collect();
    skinning::skin_vertices(&all, &palette)
}

/// Worst vertex (mm), and worst normal and tangent (degrees).
fn worst(gpu: &Gpu, character: &Character, (format, source): (AtlasFormat, AtlasSource)) -> [f32; 3] {
    let method = DrawMethod::new(Technique::Matrix, format, source);
    let assets = CharacterAssets::upload(gpu, character, method).expect("fits the device");
    let probe = Probe::with_lods(gpu, &assets).expect("compiles");
    let lods = character.model.lods.iter();
    let all = character.model.mesh.vertices.len() + lods.map(|l| l.mesh.vertices.len()).sum::<usize>();
    assert_eq!(assets.all_vertices as usize, all);
    let mut worst = [0.0; 3];
    for clip in 0..character.palettes.clips.len() {
        // Frames, and the middle between two.
        let intervals = character.palettes.clips[clip].frame_count - 1;
        let shares = [0.0, 0.25, 0.5, 0.6, 0.75].map(|share| (share * intervals as f32 * 2.0).floor());
        let shares = shares.map(|halves| halves / (2 * intervals.max(1)) as f32);
        let people = shares.map(|share| Instance::new(Vec3::ZERO).with_clip(clip as u16, 1.0, share));
        let crowd = upload_crowd(gpu, (&assets, &probe), &people, &MotionPlan::default());
        let found = probe
            .run(gpu, &assets, &crowd, &common::gpu::frame(0.0))
            .expect("reads");
        assert_eq!(found.len(), people.len() * all);
        for (share, found) in shares.into_iter().zip(found.chunks(all)) {
            for (vertex, probe_output) in expected(character, (clip, share)).into_iter().zip(found) {
                let vector = |v: [f32; 4]| Vec4::from(v).truncate();
                let degrees = |found: Vec3, expected: Vec3| {
                    let there = expected.length_squared() > 0.5;
                    if there {
                        found.angle_between(expected).to_degrees()
                    } else {
                        0.0
                    }
                };
                let off = [
                    vector(probe_output.position).distance(vertex.position) * 1000.0,
                    degrees(vector(probe_output.normal), vertex.normal),
                    degrees(vector(probe_output.tangent), vertex.tangent.truncate()),
                ];
                worst = std::array::from_fn(|i| worse(worst[i], off[i]));
            }
        }
    }
    worst
}

#[test]
fn vertices_of_lods_are_where_the_cpu_moves_them() {
    let Some(gpu) = common::gpu::open() else { return };
    let man = moving("man");
    for (format, source, limit) in [
        (AtlasFormat::F32, AtlasSource::Texture, 0.2),
        (AtlasFormat::F32, AtlasSource::Storage, 0.2),
        (AtlasFormat::F16, AtlasSource::Storage, 2.0),
    ] {
        let [position, normal, _] = worst(&gpu, &man, (format, source));
        println!("{format:?} {source:?}: {position:.4} mm, {normal:.3}°");
        assert!(
            position <= limit && normal < 1.0,
            "{format:?} {source:?}: {position} mm, {normal}°"
        );
    }
    let [position, normal, tangent] = worst(&gpu, &zoo_with_a_lod(), (AtlasFormat::F32, AtlasSource::Storage));
    println!("tangents: {position:.4} mm, {normal:.3}° and {tangent:.3}°");
    // Bound for spheres 9 m apart in 16 bits.
    assert!(
        position <= 0.5 && normal < 1.0 && tangent < 1.0,
        "{position} mm, {normal}°, {tangent}°"
    );
    assert_eq!(gpu.take_error(), None);
}

/// The comparison is meaningful only if deltas of LODs differ clearly from zero and from those of other LODs.
#[test]
fn deltas_of_other_targets_would_be_noticed() {
    let man = moving("man");
    let moments: Vec<(usize, f32)> = (0..man.palettes.clips.len()).map(|clip| (clip, 0.25)).collect();
    let full = man.model.mesh.vertices.len();
    // Vertices of all LODs have the same order.
    for moment in moments {
        let all = expected(&man, moment);
        let second = man.model.lods[0].mesh.vertices.len();
        let apart = |a: usize, b: usize| all[a].position.distance(all[b].position) * 1000.0;
        let most = (0..full)
            .map(|v| apart(full + v, full + second + v))
            .fold(0.0, f32::max);
        assert!(most > 10.0, "{most} mm between two LODs in clip {}", moment.0);
    }
}

const WAVING: &str = "[[scene.heroes]]\ncount = 30\nlook = \"camera\"\nlayers = [{ clip = \"wave\" }]\n";

/// Model with a face and a LOD equal to its full mesh, with the same deltas or without any.
fn model_with_equal_lod(follows: bool) -> Model {
    let mut model = with_face(leveled("man").model);
    let deltas = |deltas: &Vec<MorphDelta>| if follows { deltas.clone() } else { Vec::new() };
    model.lods = vec![Lod {
        mesh: model.mesh.clone(),
        morphs: model.morphs.iter().map(|morph| deltas(&morph.deltas)).collect(),
        max_sample_rows: 1e4,
        worst_mm: 0.0,
        radii: Vec::new(),
        normal_bias: 0.0,
    }];
    model
}

/// Pictures at full detail and with that LOD, of a crowd with shadows and heroes.
fn pictures(gpu: &Gpu, (follows, heroes): (bool, &str), raster: Raster) -> [Vec<u8>; 2] {
    let (config, scene) = crowd_of(model_with_equal_lod(follows), 1.6, heroes);
    let mut renderer = open(gpu, &scene, USUAL, raster);
    let input = frame_input(&config, &scene, 3.3).expect("a view");
    [0.0, 1.0].map(|detail| {
        let input = FrameInput {
            detail,
            ..input.clone()
        };
        let picture = picture(gpu, &mut renderer, &input);
        let lods = renderer.drawn().expect("lists").lods.clone();
        let (full, coarse) = (lods[0].people, lods[1..].iter().map(|lod| lod.people).sum::<u64>());
        // Heroes are always at full detail.
        let posed_live = if heroes.is_empty() { 0 } else { 30 };
        let expected = if detail > 0.0 { posed_live } else { full };
        assert!(full == expected && (coarse > 20) == (detail > 0.0), "{lods:?}");
        picture
    })
}

/// Every pass of a frame moves a LOD as the full mesh: with equal meshes, pictures are equal.
fn assert_drawn_alike(gpu: &Gpu, raster: Raster) {
    for heroes in ["", WAVING] {
        let [full, lod] = pictures(gpu, (true, heroes), raster);
        assert!(
            full == lod,
            "{raster:?}, heroes {heroes:?}: the LOD is drawn differently"
        );
    }
    let [full, still] = pictures(gpu, (false, ""), raster);
    let differing = full.chunks_exact(4).zip(still.chunks_exact(4)).filter(|(a, b)| a != b);
    assert!(
        differing.count() > 200,
        "{raster:?}: a LOD without deltas is drawn like one with deltas"
    );
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn lods_are_drawn_as_they_are_moved() {
    let Some(gpu) = common::gpu::open() else { return };
    assert_drawn_alike(&gpu, Raster::Hardware);
}

#[test]
fn lods_are_rasterised_as_they_are_moved() {
    let Some(gpu) = supported() else { return };
    assert_drawn_alike(&gpu, Raster::Compute);
}
