//! Shading count of pixels: against the adapter's pipeline statistics, and where it is known.

use glam::Vec3;
use half::f16;
use throng::{
    config::{Config, LookConfig, Raster, Technique},
    crowd::{Instance, MotionPlan, clock::Clock},
    gpu::{Gpu, PICTURE_FORMAT, PICTURE_USAGES, read_texture, read_texture_rgba8, target_texture, whole_view},
    model::{Material, srgb_from_linear},
    render::{
        Culling, DrawMethod, DrawPath, FrameInput, RenderOptions, Renderer, ViewMode,
        heat::{heat_color, overdraw_heat},
    },
    scene::{Scene, StartupTimes},
    view::Camera,
};

use crate::common::{self, Need, skip, surfaces};

const SIZE: (u32, u32) = (256, 192);
const PIXELS: f64 = (SIZE.0 * SIZE.1) as f64;

/// Squares of 2 m that face +Z, at `places` along it (m), drawn in that order; the camera stands at +Z.
fn squares(places: &[f32]) -> Scene {
    let mut config = Config::default();
    config.scene.count = 1;
    let quad = common::gpu::bake(surfaces::quad(1, Material::default(), Vec::new()));
    let mut scene = Scene::populate(&config, vec![quad]).expect("a crowd");
    let at = |&z: &f32| Instance::new(Vec3::new(0.0, 0.0, z));
    scene.crowd.per_character = vec![places.iter().map(at).collect()];
    scene.plans = vec![MotionPlan::default()];
    (scene.props, scene.attachments) = (Vec::new(), Vec::new());
    scene
}

fn front() -> FrameInput {
    let camera = Camera {
        eye: Vec3::new(0.0, 1.0, 6.0),
        target: Vec3::Y,
        fov: 0.5,
    };
    let look = LookConfig {
        shadows: false,
        ..LookConfig::default()
    };
    FrameInput {
        mode: ViewMode::Overdraw,
        ..FrameInput::new(&camera, SIZE.0 as f32 / SIZE.1 as f32, Clock::from_seconds(0.0), &look)
    }
}

fn open(gpu: &Gpu, scene: &Scene, options: RenderOptions) -> Renderer {
    let mut renderer = Renderer::new(gpu, options).expect("compiles");
    renderer.keep_radiance();
    renderer.set_scene(scene).expect("fits");
    renderer.prepare_overdraw().expect("compiles");
    renderer
}

fn plain(technique: Technique) -> RenderOptions {
    RenderOptions {
        path: DrawPath::Plain,
        ..RenderOptions::of(DrawMethod {
            technique,
            ..common::gpu::MATRIX
        })
    }
}

/// Shading count of every pixel, and the bytes of the heat map.
fn draw(gpu: &Gpu, renderer: &mut Renderer, input: &FrameInput) -> (Vec<f32>, Vec<u8>) {
    let texture = target_texture(gpu, "picture", SIZE, PICTURE_FORMAT, 1, PICTURE_USAGES);
    renderer.draw(gpu, &whole_view(&texture, "picture"), SIZE, input);
    let bytes = read_texture_rgba8(gpu, &texture).expect("readback");
    let light = read_texture(gpu, renderer.radiance().expect("kept")).expect("readback");
    let texels: Vec<[f16; 4]> = bytemuck::pod_collect_to_vec(&light);
    assert_eq!(gpu.take_error(), None);
    (texels.iter().map(|texel| texel[0].to_f32()).collect(), bytes)
}

fn sum(counts: &[f32]) -> f64 {
    counts.iter().map(|&count| f64::from(count)).sum()
}

#[test]
fn a_square_alone_is_shaded_once_where_it_is_seen_and_nobody_never() {
    let Some(gpu) = common::gpu::open() else { return };
    for technique in Technique::ALL.iter().copied() {
        let (counts, bytes) = draw(&gpu, &mut open(&gpu, &squares(&[0.0]), plain(technique)), &front());
        let covered = counts.iter().filter(|count| **count == 1.0).count();
        let none = counts.iter().filter(|count| **count == 0.0).count();
        assert_eq!(covered + none, counts.len(), "{technique:?}: counts other than 0 and 1");
        // 2 m of 3.06 m, at a distance of 6 m.
        let share = covered as f64 / PIXELS;
        assert!((0.30..0.34).contains(&share), "{technique:?}: {share}");
        for (count, pixel) in counts.iter().zip(bytes.chunks_exact(4)) {
            let expected = heat_color(overdraw_heat(*count)).map(|c| srgb_from_linear(c) * 255.0);
            let off = expected.iter().zip(pixel).map(|(a, b)| (a - f32::from(*b)).abs());
            assert!(off.fold(0.0, f32::max) < 1.1, "{technique:?}: {pixel:?} for {count}");
        }
    }
    let (counts, bytes) = draw(&gpu, &mut open(&gpu, &squares(&[]), plain(Technique::Matrix)), &front());
    assert_eq!(sum(&counts), 0.0);
    assert!(bytes.chunks_exact(4).all(|pixel| pixel == [0, 0, 0, 255]));
}

#[test]
fn early_depth_tests_leave_fragments_out_and_the_adapter_counts_the_others() {
    let Some(gpu) = common::gpu::open() else { return };
    // So near that each square fills the picture.
    let close = FrameInput {
        projection_from_world: Camera {
            eye: Vec3::new(0.0, 1.0, 1.5),
            target: Vec3::Y,
            fov: 0.5,
        }
        .projection_from_world(SIZE.0 as f32 / SIZE.1 as f32),
        ..front()
    };
    let [far_first, before] = [[-0.3, -0.2, -0.1, 0.0], [0.0, -0.1, -0.2, -0.3]].map(|places| {
        let mut renderer = open(&gpu, &squares(&places), plain(Technique::Matrix));
        renderer.count_invocations(&gpu, true);
        let (counts, _) = draw(&gpu, &mut renderer, &close);
        let invocations = renderer.invocations(&gpu).expect("readback");
        (counts, invocations.map(|counted| counted.fragment as f64))
    });
    assert!(
        far_first.0.iter().all(|count| *count == 4.0),
        "not every square was shaded"
    );
    assert!(before.0.iter().all(|count| *count == 1.0), "hidden squares were shaded");
    let (Some(counted), Some(counted_before)) = (far_first.1, before.1) else {
        return skip(Need::Adapter, "it has no pipeline statistics");
    };
    println!(
        "{} of {counted}, {} of {counted_before}",
        sum(&far_first.0),
        sum(&before.0)
    );
    // CPU rasterisers count whole blocks of four by four pixels, and those along the diagonal of each square twice:
    // 112 of 3072 and their neighbours.
    let apart = counted / sum(&far_first.0) - 1.0;
    assert!((0.0..0.05).contains(&apart), "{apart}");
    // CPU rasterisers also count fragments that early depth tests reject.
    assert!((sum(&before.0)..=counted).contains(&counted_before));
}

fn plaza() -> (Scene, FrameInput) {
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 60;
    (config.window.width, config.window.height) = SIZE;
    config.camera.start = "street".into();
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    let input = throng::cli::shot::frame_input(&config, &scene, 4.0).expect("a view");
    let shown = FrameInput {
        mode: ViewMode::Overdraw,
        ..input
    };
    (scene, shown)
}

#[test]
fn people_what_they_carry_and_scenery_are_counted_and_what_is_hidden_is_not() {
    let Some(gpu) = common::gpu::open() else { return };
    let (scene, input) = plaza();
    assert!(!scene.props.is_empty(), "houses");
    let of = |raster, samples, input: &FrameInput| {
        let options = RenderOptions {
            raster,
            samples,
            ..RenderOptions::of(common::gpu::MATRIX)
        };
        let mut renderer = open(&gpu, &scene, options);
        let light = FrameInput {
            mode: ViewMode::Light,
            ..input.clone()
        };
        let before = common::gpu::picture(&gpu, &mut renderer, SIZE, &light);
        let (counts, map) = draw(&gpu, &mut renderer, input);
        assert!(before != map && before == common::gpu::picture(&gpu, &mut renderer, SIZE, &light));
        counts
    };
    let culled = of(Raster::Hardware, 1, &input);
    assert!(culled.iter().all(|count| count.fract() == 0.0) && culled.iter().any(|count| *count > 1.0));
    let all = FrameInput {
        culling: Culling::all(false),
        ..input.clone()
    };
    let everyone = of(Raster::Hardware, 1, &all);
    // Occluded people are covered by earlier draws, so none of their fragments are shaded.
    assert_eq!(sum(&culled), sum(&everyone));
    // The map is always drawn by the hardware rasterizer.
    assert_eq!(of(Raster::Compute, 1, &input), culled);
    // At four samples, the mean of the samples.
    let smooth = of(Raster::Hardware, 4, &input);
    let apart = (sum(&smooth) - sum(&culled)).abs() / sum(&culled);
    assert!(apart < 0.03, "{apart}");
    assert!(smooth.iter().any(|count| count.fract() != 0.0), "edges");
    // People without attachments; then houses alone.
    let left = |scene: &Scene| {
        let mut renderer = open(&gpu, scene, RenderOptions::of(common::gpu::MATRIX));
        sum(&draw(&gpu, &mut renderer, &all).0)
    };
    let mut less = plaza().0;
    less.attachments.clear();
    let bare = left(&less);
    less.crowd.per_character.iter_mut().for_each(Vec::clear);
    let scenery = left(&less);
    let whole = sum(&culled);
    println!("{whole}, {bare} without what people carry, {scenery} without people");
    assert!(scenery > 0.1 * PIXELS && scenery < bare && bare < whole);
}
