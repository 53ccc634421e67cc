//! Technique `preskinned` at LODs: every vertex of every LOD against the CPU, and the gate of LODs with fewer
//! influences.
//! Also pictures of draw lists, and caches with little room.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use throng::{
    atlas::AtlasFormat,
    bake::{
        FramePair,
        skinning::{self, SkinnedVertex},
    },
    character::Character,
    cli::shot::frame_input,
    config::{Config, Technique},
    crowd::{Instance, MotionPlan, hash::Draws},
    file::gltf,
    gpu::Gpu,
    model::Vertex,
    render::{
        Culling, DrawMethod, FrameInput, RenderOptions, Renderer,
        passes::Probe,
        resources::{
            AtlasSource, CharacterAssets, CrowdInstances, GpuPosed, PoseCounts, TintTexture,
            pose_cache::PosedFor,
            pose_lods::{influence_error, strongest},
            pose_steps::{MOST_ROWS_OFF, PoseSteps},
        },
    },
    scene::{Scene, embedded as assets},
};

use crate::{
    common::{self, gpu::random_pair, worse::worse},
    culling::leveled_scene,
    lod_morphs::moving,
};

const METHOD: DrawMethod = DrawMethod::new(Technique::Preskinned, AtlasFormat::F32, AtlasSource::Storage);
/// Number of poses compared at each LOD.
const POSES: u32 = 12;
const SIZE: (u32, u32) = (240, 135);

fn embedded(name: &str) -> Arc<Character> {
    let bytes = assets::embedded(name).expect("embedded");
    common::gpu::bake(gltf::load_bytes(name, bytes, None).expect("loads"))
}

/// Vertices of a LOD (0: the full mesh), morph targets included.
fn vertices(character: &Character, lod: usize, weights: &[f32]) -> Vec<Vertex> {
    match lod.checked_sub(1) {
        None => skinning::morphed(&character.model, weights).into_owned(),
        Some(coarser) => skinning::morphed_lod(&character.lods()[coarser], weights).into_owned(),
    }
}

/// Reference: a LOD between two frames, with its strongest influences only.
fn expected(character: &Character, (lod, influences): (usize, u32), at: FramePair) -> Vec<SkinnedVertex> {
    let (palettes, first, second) = (&character.palettes, at.first as usize, at.second as usize);
    let palette = skinning::palette_between(palettes, first, second, at.between);
    let weights = skinning::morphs_between(palettes, first, second, at.between);
    let vertices = vertices(character, lod, &weights);
    let few: Vec<Vertex> = vertices.iter().map(|vertex| strongest(vertex, influences)).collect();
    skinning::skin_vertices(&few, &palette)
}

/// Worst vertex of each LOD (mm), and the number of influences of the LOD.
fn worst(gpu: &Gpu, character: &Character) -> Vec<(u32, f32)> {
    let assets = CharacterAssets::upload(gpu, character, METHOD).expect("fits the device");
    let steps = PoseSteps::of(&character.palettes);
    let probe = Probe::with_lods(gpu, &assets).expect("compiles");
    let instances = vec![Instance::new(Vec3::ZERO); POSES as usize];
    let tints = TintTexture::new(gpu);
    let listed = PosedFor::Listed { sun: false };
    let plan = MotionPlan::default();
    let crowd = CrowdInstances::upload_for(probe.context(), &assets, listed, &instances, &plan, &tints).expect("fits");
    let blend = |index: u32| {
        let draws = Draws::new(17, 0x9053, index);
        let [a, b] = [0, 2].map(|stream| random_pair(character, &draws, stream));
        let fade = if index.is_multiple_of(2) { 0.0 } else { 0.25 };
        throng::bake::FrameBlend {
            a,
            b,
            fade: common::gpu::stored(fade),
        }
    };
    let blends: Vec<_> = (0..POSES).map(blend).collect();
    let posed: Vec<_> = blends.iter().map(|b| GpuPosed::new(Vec3::ZERO, 0.0, 1.0, b)).collect();
    let rows = assets.pose_lods.rows.iter().enumerate();
    rows.map(|(lod, row)| {
        let found = probe
            .run_posed_at_lod(gpu, &assets, lod as u32, &crowd, &posed)
            .expect("reads");
        let mut millimetres = 0.0;
        for (found, blend) in found.chunks(assets.all_vertices as usize).zip(&blends) {
            let shown = |at| expected(character, (lod, row.influences), steps.pair(steps.nearest_step(at, 0)));
            let (a, b) = (shown(blend.a), shown(blend.b));
            assert_eq!(a.len(), row.vertex_count as usize);
            let found = &found[row.first_vertex as usize..];
            for ((a, b), found) in a.iter().zip(&b).zip(found) {
                let place = Vec4::from(found.position).truncate();
                millimetres = worse(
                    millimetres,
                    place.distance(a.position.lerp(b.position, blend.fade)) * 1e3,
                );
            }
        }
        (row.influences, millimetres)
    })
    .collect()
}

#[test]
fn every_vertex_of_every_lod_is_where_the_cpu_puts_it() {
    let Some(gpu) = common::gpu::open() else { return };
    for character in [embedded("woman"), embedded("knight"), Arc::new(moving("man"))] {
        let (name, found) = (&character.model.name, worst(&gpu, &character));
        let height = 2e3 * character.unit.half_extent;
        println!("{name}: {found:?} of {height:.0} mm");
        assert_eq!(found.len(), 1 + meshes(&character).count(), "{name}");
        // Vertices of a LOD are packed relative to the box of all LODs.
        assert!(found.iter().all(|(_, mm)| *mm < 2e-4 * height), "{name}: {found:?}");
        assert!(found.iter().any(|(influences, _)| *influences < 4), "{name}: {found:?}");
    }
    assert_eq!(gpu.take_error(), None);
}

/// LODs that technique `preskinned` draws.
fn meshes(character: &Character) -> impl Iterator<Item = &throng::model::Lod> {
    character.lods().iter().filter(|lod| !lod.is_splats())
}

/// Largest error of a vertex of a LOD from having fewer influences (mm), frame by frame.
fn moved(character: &Character, lod: usize, influences: u32) -> f32 {
    let frames = 0..character.palettes.frame_count as u32;
    let at = |frame| FramePair {
        first: frame,
        second: frame,
        between: 0.0,
    };
    let off = frames.flat_map(|frame| {
        let [all, few] = [8, influences].map(|count| expected(character, (lod, count), at(frame)));
        all.into_iter()
            .zip(few)
            .map(|(a, b)| a.position.distance(b.position))
            .collect::<Vec<_>>()
    });
    off.fold(0.0, worse) * 1e3
}

#[test]
fn fewer_influences_move_no_vertex_by_more_than_half_a_row() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut fewest, mut refused) = (4, 0);
    for character in [embedded("woman"), Arc::new(moving("man"))] {
        let assets = CharacterAssets::upload(&gpu, &character, METHOD).expect("fits the device");
        let table = &assets.pose_lods;
        let height = 2.0 * character.unit.half_extent;
        assert_eq!(table.rows[0].influences, 4, "full detail has all influences");
        for (number, lod) in meshes(&character).enumerate() {
            let (influences, allowed) = (
                table.rows[number + 1].influences,
                MOST_ROWS_OFF * height / lod.max_sample_rows,
            );
            fewest = fewest.min(influences);
            let found = moved(&character, number + 1, influences);
            println!(
                "{} up to {:.1} rows: {influences} influences, {found:.2} of {:.2} mm",
                character.model.name,
                lod.max_sample_rows,
                allowed * 1e3
            );
            assert!(found <= allowed * 1.001e3, "{found} mm");
            assert!(
                found <= table.error * 1.001e3 + 1e-3,
                "the error exceeds the margin of boxes"
            );
            if influences > 1 {
                refused += 1;
                assert_eq!(
                    influence_error(&character, lod, influences / 2, allowed),
                    None,
                    "fewer influences were possible"
                );
                assert!(moved(&character, number + 1, influences / 2) > allowed * 999.0);
            }
        }
    }
    assert!(
        fewest == 1 && refused > 0,
        "{fewest} influences at least, {refused} tiers refused"
    );
}

/// People of one clip at moments that every step rate has, from near to far.
fn rank(gpu: &Gpu, technique: Technique) -> Renderer {
    let mut config = Config::default();
    config.scene.count = 1;
    let character = embedded("man");
    let intervals = throng::render::resources::pose_steps::intervals(&character.palettes.clips[0]);
    let mut scene = Scene::populate(&config, vec![character]).expect("populates");
    let place = |i: u32| Vec3::new(0.9 * (i % 8) as f32 - 3.2, 0.0, -2.5 - 1.1 * i as f32);
    let at = |i: u32| Instance::new(place(i)).with_clip(0, 1.0, (8 * (i % 4)) as f32 / intervals as f32);
    scene.crowd.per_character[0] = (0..48).map(at).collect();
    scene.plans[0] = MotionPlan::default();
    let method = DrawMethod::new(technique, AtlasFormat::F32, AtlasSource::Storage);
    let options = RenderOptions {
        samples: 4,
        ..RenderOptions::of(method)
    };
    common::gpu::renderer(gpu, &scene, options)
}

fn differing(a: &[u8], b: &[u8]) -> usize {
    let pairs = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    pairs
        .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24))
        .count()
}

#[test]
fn lists_show_the_people_and_shadows_of_matrix_at_its_lods() {
    let Some(gpu) = common::gpu::open() else { return };
    let camera = throng::view::Camera {
        eye: Vec3::new(0.0, 2.2, 1.5),
        target: Vec3::new(0.0, 0.6, -6.0),
        fov: 0.9,
    };
    let clock = throng::crowd::clock::Clock::from_seconds(0.0);
    let mut input = FrameInput::new(&camera, 16.0 / 9.0, clock, &throng::config::LookConfig::default());
    input.look.shadows = true;
    let draw = |technique, input: &FrameInput| {
        let mut renderer = rank(&gpu, technique);
        let picture = common::gpu::picture(&gpu, &mut renderer, SIZE, input);
        (picture, renderer.drawn().cloned(), renderer.poses())
    };
    let (matrix, listed, _) = draw(Technique::Matrix, &input);
    let (own, also_listed, poses) = draw(Technique::Preskinned, &input);
    let poses = poses.expect("counted");
    let (listed, also_listed) = (listed.expect("lists"), also_listed.expect("lists"));
    // Technique `matrix` has splats, too, which the hardware rasterizer does not draw.
    let people = |drawn: &throng::render::crowd::DrawnCounts| {
        let mut people: Vec<u64> = drawn.lods.iter().map(|l| l.people).collect();
        people.truncate(people.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1));
        people
    };
    let most = (SIZE.0 * SIZE.1) as usize / 1000;
    let found = differing(&matrix, &own);
    println!(
        "{found} of at most {most} pixels differ; {poses:?}; {:?}",
        people(&listed)
    );
    assert_eq!(people(&listed), people(&also_listed));
    assert!(
        people(&listed).iter().filter(|&&n| n > 0).count() > 2,
        "only one LOD is drawn"
    );
    assert!(found <= most, "{found} pixels differ");
    let unlit = FrameInput {
        look: throng::config::LookConfig {
            shadows: false,
            ..input.look
        },
        ..input.clone()
    };
    let later = FrameInput {
        clock: throng::crowd::clock::Clock::from_seconds(0.4),
        ..input.clone()
    };
    let changed = [&unlit, &later].map(|other| differing(&own, &draw(Technique::Preskinned, other).0));
    println!("{changed:?} without shadows, and later");
    assert!(
        changed.iter().all(|&pixels| pixels > 2 * most),
        "wrong poses or shadows would not be noticed"
    );
    counts_are_of_what_is_listed(&poses);
    // Shadows use coarser LODs than the people who cast them.
    assert!(poses.asked > listed.visible + listed.hidden, "{poses:?}");
}

fn counts_are_of_what_is_listed(poses: &PoseCounts) {
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    assert_eq!(sum(&poses.asked_by_lod), poses.asked, "{poses:?}");
    assert_eq!(sum(&poses.asked_by_rate), poses.asked, "{poses:?}");
    assert_eq!(sum(&poses.skinned_by_lod), poses.skinned, "{poses:?}");
    assert_eq!(sum(&poses.skinned_by_influences), poses.skinned, "{poses:?}");
    let lods = poses.asked_by_lod.iter().zip(&poses.skinned_by_lod);
    for (lod, (&asked, &skinned)) in lods.enumerate() {
        // At most four moments.
        assert!(
            skinned <= asked.min(4) && (skinned > 0) == (asked > 0),
            "level {lod}: {poses:?}"
        );
    }
    assert!(
        poses.skinned_by_influences[0] + poses.skinned_by_influences[1] > 0,
        "{poses:?}"
    );
}

#[test]
fn culling_changes_no_pixel() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut config, scene) = leveled_scene("plaza", 120, SIZE);
    let mut renderer = common::gpu::renderer(&gpu, &scene, RenderOptions::of(METHOD));
    let mut left_out = 0;
    for (camera, time, detail) in [
        ("overview", 0.0, 1.0),
        ("street", 3.7, 1.0),
        ("close", 61.3, 2.0),
        ("street", 9.1, 0.0),
        ("top", 12.4, 1.0),
    ] {
        config.camera.start = camera.into();
        let mut input = FrameInput {
            detail,
            ..frame_input(&config, &scene, time).expect("a view")
        };
        input.look.shadows = true;
        let with = common::gpu::picture(&gpu, &mut renderer, SIZE, &input);
        let counts = renderer.drawn().expect("is listed").clone();
        left_out += 120 - counts.visible;
        let asked = renderer.poses().expect("counted").asked;
        let all = FrameInput {
            culling: Culling::all(false),
            ..input.clone()
        };
        let without = common::gpu::picture(&gpu, &mut renderer, SIZE, &all);
        assert!(without == with, "{camera} at {time}");
        assert!(asked <= renderer.poses().expect("counted").asked);
        // Equal whatever was drawn before.
        assert!(
            common::gpu::picture(&gpu, &mut renderer, SIZE, &input) == with,
            "{camera} at {time}"
        );
    }
    assert!(left_out > 100, "{left_out} culled");
    assert_eq!(gpu.take_error(), None);
}

/// LODs that do not fit are dropped, the finest first; full detail is always drawn.
#[test]
fn lods_without_room_are_not_drawn() {
    let Some(mut gpu) = common::gpu::open() else { return };
    let (config, scene) = leveled_scene("army", 60, SIZE);
    let input = frame_input(&config, &scene, 2.0).expect("a view");
    let limit = gpu.limits.max_storage_buffer_binding_size;
    let mut drawn = |limit| {
        gpu.limits.max_storage_buffer_binding_size = limit;
        let mut renderer = common::gpu::renderer(&gpu, &scene, RenderOptions::of(METHOD));
        let picture = common::gpu::picture(&gpu, &mut renderer, SIZE, &input);
        let counts = renderer.drawn().expect("is listed");
        (picture, counts.lods.len(), counts.visible)
    };
    let (all, lods, people) = drawn(limit);
    assert_eq!(lods, 4);
    // Two poses of each person at full detail, and some more.
    let of_largest = |character: &Arc<Character>| character.packed.vertices.len() as u64;
    let vertices = scene.characters.iter().map(of_largest).max().unwrap_or(0);
    let (few, lods, also) = drawn(2 * 60 * vertices * 16);
    assert!(lods < 4, "{lods} levels");
    assert!(
        people == also && few != all && few.iter().any(|&byte| byte > 0),
        "{people}, {also}"
    );
}
