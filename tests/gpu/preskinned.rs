//! Technique `preskinned`: every vertex against the CPU, fades included; pictures that depend on the moment alone;
//! shadows.
//! Also the statistics of the pose cache, and crowds whose poses do not fit.

use glam::{Vec3, Vec4};
use throng::{
    atlas::AtlasFormat,
    bake::{
        FrameBlend, FramePair,
        skinning::{self, SkinnedVertex},
    },
    character::Character,
    config::{Config, Technique},
    crowd::{Instance, MotionPlan, hash::Draws},
    file::gltf,
    gpu::{Gpu, GpuError, PICTURE_FORMAT, PICTURE_USAGES, target_texture, whole_view},
    measure::SkinningReference,
    render::{
        Culling, DrawMethod, FrameInput, RenderOptions, Renderer,
        resources::{
            AtlasSource, CrowdInstances, GpuPosed, PoseCounts, TintTexture,
            pose_steps::{PoseSteps, RATE_LODS},
        },
    },
    scene::{Scene, embedded as assets},
};

use crate::common::{
    self,
    gpu::{random_pair, stored},
    picture::{EDGE, FRONT, View, pixels},
    worse::worse,
};

/// Number of poses compared for each character, half of them in fades.
const POSES: u32 = 48;
const CASE: (Technique, AtlasFormat, AtlasSource) = (Technique::Preskinned, AtlasFormat::F32, AtlasSource::Storage);
const METHOD: DrawMethod = DrawMethod::new(CASE.0, CASE.1, CASE.2);

fn blend(character: &Character, index: u32) -> FrameBlend {
    let draws = Draws::new(11, 0x9053, index);
    let a = random_pair(character, &draws, 0);
    match index % 2 {
        0 => FrameBlend { a, b: a, fade: 0.0 },
        _ => FrameBlend {
            a,
            b: random_pair(character, &draws, 2),
            fade: stored(draws.unit(4)),
        },
    }
}

/// Mesh skinned at a pose between two frames, morph targets included.
fn skinned(character: &Character, at: FramePair) -> Vec<SkinnedVertex> {
    let (model, palettes) = (&character.model, &character.palettes);
    let (first, second) = (at.first as usize, at.second as usize);
    let palette = skinning::palette_between(palettes, first, second, at.between);
    let weights = skinning::morphs_between(palettes, first, second, at.between);
    skinning::skin_vertices(&skinning::morphed(model, &weights), &palette)
}

/// Reference: the nearest time steps of both clips, skinned and mixed.
fn expected(character: &Character, steps: &PoseSteps, blend: &FrameBlend) -> Vec<SkinnedVertex> {
    let shown = |at: FramePair| skinned(character, steps.pair(steps.nearest_step(at, 0)));
    let (a, b) = (shown(blend.a), shown(blend.b));
    let mix = |(a, b): (&SkinnedVertex, &SkinnedVertex)| SkinnedVertex {
        position: a.position.lerp(b.position, blend.fade),
        normal: a.normal.lerp(b.normal, blend.fade).normalize_or_zero(),
        tangent: a.tangent.lerp(b.tangent, blend.fade),
    };
    a.iter().zip(&b).map(mix).collect()
}

#[test]
fn every_vertex_is_where_the_cpu_puts_it_at_the_nearest_step() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut models: Vec<_> = ["woman", "knight"]
        .iter()
        .map(|name| gltf::load_bytes(name, assets::embedded(name).expect("embedded"), None).expect("loads"))
        .collect();
    if let Some(folder) = common::samples() {
        let files = ["Fox/Fox.glb", "AnimatedMorphCube/AnimatedMorphCube.glb"];
        models.extend(files.iter().map(|file| common::load(&folder, file)));
    }
    for model in models {
        let character = common::gpu::bake(model);
        let steps = PoseSteps::of(&character.palettes);
        let (assets, probe) = common::gpu::upload(&gpu, &character, CASE);
        let instances = vec![Instance::new(Vec3::ZERO); POSES as usize];
        let crowd = common::gpu::upload_crowd(&gpu, (&assets, &probe), &instances, &MotionPlan::default());
        let blends: Vec<_> = (0..POSES).map(|index| blend(&character, index)).collect();
        let posed: Vec<_> = blends.iter().map(|b| GpuPosed::new(Vec3::ZERO, 0.0, 1.0, b)).collect();
        let found = probe.run_posed(&gpu, &assets, &crowd, &posed).expect("readback");
        let (mut millimetres, mut degrees) = (0.0_f32, 0.0_f32);
        for (found, blend) in found.chunks(assets.vertex_count as usize).zip(&blends) {
            for (found, expected) in found.iter().zip(expected(&character, &steps, blend)) {
                let apart = Vec4::from(found.position).truncate().distance(expected.position);
                millimetres = worse(millimetres, apart * 1e3);
                // A mix of opposite normals has no direction.
                if blend.fade == 0.0 {
                    let normal = Vec4::from(found.normal).truncate();
                    degrees = worse(degrees, normal.angle_between(expected.normal).to_degrees());
                }
            }
        }
        let height = character.packed.bounds.size().max_element() * 1e3;
        println!(
            "{}: {millimetres:.4} mm of {height:.0}, {degrees:.4}°",
            character.model.name
        );
        assert!(
            millimetres < 1e-4 * height,
            "{}: {millimetres} mm",
            character.model.name
        );
        assert!(degrees < 0.5, "{}: {degrees}°", character.model.name);
    }
}

/// The stated error includes that of the time steps: it is present, and no larger than half a step of the fastest
/// vertex.
#[test]
fn the_stated_error_is_that_of_half_a_step() {
    let Some(gpu) = common::gpu::open() else { return };
    let bytes = assets::embedded("woman").expect("embedded");
    let character = common::gpu::bake(gltf::load_bytes("woman", bytes, None).expect("loads"));
    let reference = SkinningReference::new(&character, 200_000);
    let of = |technique| {
        let method = DrawMethod::new(technique, AtlasFormat::F32, AtlasSource::Storage);
        reference.measure(&gpu, method).expect("fits").expect("it animates")
    };
    let (stepped, exact) = (of(Technique::Preskinned), of(Technique::Textbook));
    println!(
        "{:.2} mm, without steps {:.4} mm",
        stepped.encoding_mm, exact.encoding_mm
    );
    assert!(
        stepped.moments > exact.moments,
        "no moment between time steps was compared"
    );
    assert!(
        stepped.encoding_mm > 20.0 * exact.encoding_mm,
        "time steps add no error"
    );
    // Bound: at 10 m/s, 1/120 s is 83 mm.
    assert!(stepped.encoding_mm < 83.0, "{} mm", stepped.encoding_mm);
}

/// Plaza of people who stand, walk, and fade from clip to clip.
fn plaza() -> (Scene, RenderOptions) {
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 60;
    let scene = Scene::load(&config, &mut throng::scene::StartupTimes::default()).expect("loads");
    (scene, RenderOptions::of(METHOD))
}

fn seen(seconds: f64) -> FrameInput {
    let mut input = common::gpu::frame(seconds);
    input.look.shadows = true;
    input
}

#[test]
fn a_picture_is_the_same_bytes_whatever_was_drawn_before() {
    let Some(gpu) = common::gpu::open() else { return };
    let (scene, options) = plaza();
    let size = (128, 96);
    let mut renderer = common::gpu::renderer(&gpu, &scene, options);
    let mut at = |seconds| common::gpu::picture(&gpu, &mut renderer, size, &seen(seconds));
    let (first, other, again) = (at(3.1), at(9.6), at(3.1));
    assert!(first != other, "nothing moves");
    assert!(first == again, "the picture depends on earlier frames");
    let mut fresh = common::gpu::renderer(&gpu, &scene, options);
    assert!(common::gpu::picture(&gpu, &mut fresh, size, &seen(3.1)) == first);
}

#[test]
fn people_and_their_shadows_are_those_of_matrix_at_a_step() {
    let Some(gpu) = common::gpu::open() else { return };
    let bytes = assets::embedded("man").expect("embedded");
    let model = gltf::load_bytes("man", bytes, None).expect("loads");
    let view = View {
        elevation: 50.0,
        azimuth: 60.0,
        eye: Vec3::new(0.4, 2.6, 3.2),
        // A time step of the clip that people play first, which is a share of it, whatever its length.
        seconds: 0.0,
        ..FRONT
    };
    let draw = |technique, shadows| {
        pixels(
            &gpu,
            &model,
            View {
                technique,
                shadows,
                ..view
            },
        )
    };
    let differing = |a: &[u8], b: &[u8]| {
        let pairs = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
        pairs
            .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8))
            .count()
    };
    let [matrix, own] = [Technique::Matrix, Technique::Preskinned].map(|t| draw(t, true));
    let most = (EDGE * EDGE) as usize / 500;
    let found = differing(&matrix, &own);
    println!(
        "{found} pixels differ from matrix, {} without shadows",
        differing(&own, &draw(Technique::Preskinned, false))
    );
    assert!(found <= most, "{found} pixels differ");
    assert!(
        differing(&own, &draw(Technique::Preskinned, false)) > 10 * most,
        "no shadow is cast"
    );
    assert!(
        differing(&own, &draw(Technique::Static, true)) > 2 * most,
        "the rest pose"
    );
}

/// Counts of the pose cache for people of one clip at ten moments in turn, at a distance (m).
fn counted(gpu: &Gpu, count: u32, metres: f32, detail: f32) -> PoseCounts {
    let mut config = Config::default();
    config.scene.count = 1;
    let bytes = assets::embedded("man").expect("embedded");
    let character = common::gpu::bake(gltf::load_bytes("man", bytes, None).expect("loads"));
    let mut scene = Scene::populate(&config, vec![character]).expect("populates");
    let place = |i: u32| Vec3::new(0.01 * i as f32, 0.0, -metres);
    let at = |i: u32| Instance::new(place(i)).with_clip(0, 1.0, (i % 10) as f32 / 10.0);
    scene.crowd.per_character[0] = (0..count).map(at).collect();
    scene.plans[0] = MotionPlan::default();
    let mut renderer = Renderer::new(gpu, RenderOptions::of(METHOD)).expect("compiles");
    renderer.set_scene(&scene).expect("fits");
    assert_eq!(renderer.poses(), None, "nothing was drawn");
    let target = target_texture(gpu, "picture", (64, 64), PICTURE_FORMAT, 1, PICTURE_USAGES);
    for seconds in [0.0, 0.7] {
        let input = FrameInput {
            detail,
            ..seen(seconds)
        };
        renderer.draw(gpu, &whole_view(&target, "picture"), (64, 64), &input);
        gpu.wait_idle();
        renderer.finished_gpu_ms();
    }
    renderer.poses().expect("counted")
}

#[test]
fn people_at_the_same_time_step_share_a_pose() {
    let Some(gpu) = common::gpu::open() else { return };
    let counts = counted(&gpu, 40, 1.0, 0.0);
    assert_eq!((counts.asked, counts.skinned), (40, 10));
    assert_eq!(counts.hit_rate(), 0.75);
    assert_eq!(counted(&gpu, 3, 1.0, 0.0).hit_rate(), 0.0, "nobody shares");
    let (scene, options) = plaza();
    let mut renderer = common::gpu::renderer(&gpu, &scene, options);
    let everyone = FrameInput {
        culling: Culling::all(false),
        detail: 0.0,
        ..seen(4.0)
    };
    common::gpu::picture(&gpu, &mut renderer, (32, 32), &everyone);
    let counts = renderer.poses().expect("counted");
    println!("{counts:?}");
    assert!(
        counts.asked >= 60 && counts.skinned <= counts.asked && counts.skinned > 10,
        "{counts:?}"
    );
}

#[test]
fn far_people_step_more_coarsely_and_near_ones_at_the_full_rate() {
    let Some(gpu) = common::gpu::open() else { return };
    let (near, far, full) = (
        counted(&gpu, 40, 0.5, 1.0),
        counted(&gpu, 40, 400.0, 1.0),
        counted(&gpu, 40, 400.0, 0.0),
    );
    println!("{near:?}\n{far:?}\n{full:?}");
    // The shadow view may use another LOD than the camera, which is one more pose.
    assert!(
        (40..=80).contains(&near.asked_by_rate[0]) && near.asked_by_rate[1..] == [0; 3],
        "{near:?}"
    );
    assert_eq!(full.asked_by_rate, [40, 0, 0, 0], "poses of full detail");
    assert_eq!(far.asked_by_rate, [0, 0, 0, 40]);
    assert!(far.skinned <= full.skinned);
}

/// Gate of coarser time steps for far people: no vertex is off by more than the clip states.
#[test]
fn no_vertex_goes_farther_within_half_a_step_than_stated() {
    let bytes = assets::embedded("woman").expect("embedded");
    let character = common::gpu::bake(gltf::load_bytes("woman", bytes, None).expect("loads"));
    let steps = PoseSteps::of(&character.palettes);
    let mut closest = 0.0_f32;
    for index in 0..64 {
        let at = random_pair(&character, &Draws::new(13, 0x9053, index), 0);
        let (now, rate) = (skinned(&character, at), index % RATE_LODS);
        let shown = skinned(&character, steps.pair(steps.nearest_step(at, rate)));
        let off = now.iter().zip(&shown).map(|(a, b)| a.position.distance(b.position));
        let stated = steps.frames[at.first as usize].reach * (1 << rate) as f32;
        let share = off.fold(0.0, worse) / stated.max(1e-6);
        assert!(share < 1.01, "{share} of {stated} m at rate {rate}");
        closest = worse(closest, share);
    }
    assert!(closest > 0.05, "nobody comes near the limit: {closest}");
}

#[test]
fn a_crowd_whose_poses_have_no_room_is_refused() {
    let Some(gpu) = common::gpu::open() else { return };
    let bytes = assets::embedded("man").expect("embedded");
    let character = common::gpu::bake(gltf::load_bytes("man", bytes, None).expect("loads"));
    let (assets, probe) = common::gpu::upload(&gpu, &character, CASE);
    let pose = 16 * u64::from(assets.vertex_count);
    let mut context = probe.context().clone();
    context.gpu.limits.max_storage_buffer_binding_size = 21 * pose;
    let tints = TintTexture::new(&gpu);
    let place = |count: usize| {
        let instances = vec![Instance::new(Vec3::ZERO); count];
        let plan = MotionPlan::default();
        CrowdInstances::upload(&context, &assets, &instances, &plan, &tints).map(|_| ())
    };
    place(10).expect("two poses each");
    let Err(GpuError::TooLarge { what, needed, hint, .. }) = place(11) else {
        panic!("found room")
    };
    assert_eq!((what.as_str(), needed), ("22 poses of man", 22 * pose));
    assert!(hint.contains("--count") && hint.contains("matrix"), "{hint}");
}
