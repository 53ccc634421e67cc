//! Radiance of a picture before tone mapping, and in its place the height bands of people.

use half::f16;
use throng::{
    aov::{AovImages, AovRenderer, AovValues, FrameParameters},
    cli::shot::frame_input,
    config::{Config, Raster},
    gpu::{Gpu, PICTURE_FORMAT, read_texture, read_texture_rgba8, target_texture, whole_view},
    measure::FloatPicture,
    render::{
        DrawPath, FrameInput, RenderOptions, Renderer, ViewMode,
        heights::{HEIGHT_BANDS, band_rows, band_samples},
        passes::{AovKind, ID_ATTACHMENT},
    },
    scene::{Scene, StartupTimes},
};

use crate::common;

const SIZE: (u32, u32) = (160, 90);
const TIME: f64 = 4.0;

fn plaza() -> (Config, Scene) {
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 60;
    config.camera.start = "street".into();
    (config.window.width, config.window.height) = SIZE;
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    (config, scene)
}

fn renderer(gpu: &Gpu, scene: &Scene, (samples, path, raster): (u32, DrawPath, Raster)) -> Renderer {
    let options = RenderOptions {
        samples,
        path,
        raster,
        ..RenderOptions::of(common::gpu::MATRIX)
    };
    let mut renderer = Renderer::new(gpu, options).expect("compiles");
    renderer.keep_radiance();
    renderer.set_scene(scene).expect("fits");
    renderer.prepare_heights().expect("compiles");
    renderer
}

/// Bytes of a picture, and its radiance.
fn draw(gpu: &Gpu, renderer: &mut Renderer, input: &FrameInput) -> (Vec<u8>, Vec<[f32; 3]>) {
    let texture = target_texture(gpu, "picture", SIZE, PICTURE_FORMAT, 1, wgpu::TextureUsages::COPY_SRC);
    renderer.draw(gpu, &whole_view(&texture, "picture"), SIZE, input);
    let bytes = read_texture_rgba8(gpu, &texture).expect("readback");
    let light = read_texture(gpu, renderer.radiance().expect("kept")).expect("readback");
    let texels: Vec<[f16; 4]> = bytemuck::pod_collect_to_vec(&light);
    let light = texels
        .iter()
        .map(|t| [0, 1, 2].map(|channel: usize| t[channel].to_f32()));
    (bytes, light.collect())
}

/// Number of samples of every height band at every pixel.
fn heights(gpu: &Gpu, renderer: &mut Renderer, input: &FrameInput) -> Vec<[u8; HEIGHT_BANDS as usize]> {
    let input = FrameInput {
        mode: ViewMode::Heights,
        ..input.clone()
    };
    let samples = renderer.options().samples;
    let (_, light) = draw(gpu, renderer, &input);
    light.iter().map(|l| band_samples([l[0], l[1]], samples)).collect()
}

#[test]
fn light_is_tone_mapped_as_on_the_screen() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = plaza();
    let input = frame_input(&config, &scene, TIME).expect("a view");
    let mut renderer = renderer(&gpu, &scene, (4, DrawPath::Plain, Raster::Hardware));
    let (bytes, light) = draw(&gpu, &mut renderer, &input);
    let exposure = input.view(SIZE, true).light.exposure;
    let picture = FloatPicture::of_radiance(&light, exposure, SIZE);
    let (mut worst, mut sum) = (0.0_f32, 0.0);
    for (own, shown) in picture.pixels.iter().zip(bytes.chunks_exact(4)) {
        for (own, shown) in own.iter().zip(shown) {
            let difference = own * 255.0 - f32::from(*shown);
            worst = worst.max(difference.abs());
            sum += difference;
        }
    }
    // Half a step of dither and half of rounding, which average to zero; powers are not exact on a GPU.
    let mean = sum / (3 * picture.pixels.len()) as f32;
    assert!(worst < 1.3 && mean.abs() < 0.05, "worst {worst}, mean {mean} of 255");
    assert!(picture.luminance().iter().any(|l| *l > 0.7), "the picture is dark");
}

/// Height of a person in the picture (rows).
fn rows_of(scene: &Scene, number: u32, moment: &FrameParameters) -> f32 {
    let who = scene.everyone().nth(number as usize).expect("somebody");
    let person = scene
        .posed(who, moment.input.clock, moment.camera.eye, &[])
        .expect("posed");
    let tall = person.character.packed.bounds.size().y * person.instance.scale();
    let middle = person.pose.position + glam::Vec3::Y * 0.5 * tall;
    let distance = (middle - moment.camera.eye).dot(moment.camera.forward());
    0.5 * SIZE.1 as f32 / (0.5 * moment.camera.fov).tan() * tall / distance
}

#[test]
fn heights_are_those_of_the_people_at_every_pixel() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = plaza();
    let moment = FrameParameters::of(&config, &scene, TIME).expect("a view");
    let mut renderer = renderer(&gpu, &scene, (1, DrawPath::Plain, Raster::Hardware));
    let told = heights(&gpu, &mut renderer, &moment.input);
    let mut aov_renderer = AovRenderer::new(gpu, scene, renderer);
    let numbers: AovImages = aov_renderer.numbers(&moment, None, SIZE, &[AovKind::Ids]).expect("ids");
    assert!(matches!(numbers.layers[&AovKind::Ids], AovValues::U32(_)));
    let (mut people, mut wrong) = (0, Vec::new());
    for (told, &id) in told.iter().zip(numbers.ids()) {
        let is_person = id != 0 && id < ID_ATTACHMENT;
        people += u32::from(is_person);
        let band = told.iter().position(|samples| *samples == 1);
        let fits = |band: usize| {
            let rows = rows_of(&aov_renderer.scene, id - 1, &moment);
            let (from, to) = band_rows(band);
            (0.99 * from..1.01 * to).contains(&rows)
        };
        if band.is_some() != is_person || band.is_some_and(|band| !fits(band)) {
            wrong.push((*told, id));
        }
    }
    assert!(people > 500, "{people} pixels of people");
    // Pixels at which two people are at the same depth.
    assert!(wrong.len() <= 3, "{} of {people}: {wrong:?}", wrong.len());
}

#[test]
fn every_draw_path_gives_the_same_heights() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = plaza();
    let input = frame_input(&config, &scene, TIME).expect("a view");
    let covered = |way| {
        let mut renderer = renderer(&gpu, &scene, way);
        let all = heights(&gpu, &mut renderer, &input);
        let sum = |band: usize| all.iter().map(|counts| u32::from(counts[band])).sum::<u32>();
        [0, 1, 2, 3, 4, 5, 6, 7].map(sum)
    };
    let plain = covered((4, DrawPath::Plain, Raster::Hardware));
    assert!(plain.iter().filter(|samples| **samples > 100).count() >= 3, "{plain:?}");
    for raster in [Raster::Hardware, Raster::Compute] {
        let listed = covered((4, DrawPath::Selected, raster));
        for (own, full) in listed.iter().zip(plain) {
            // LODs cover nearly the same pixels.
            assert!(
                own.abs_diff(full) * 50 <= full + 100,
                "{raster:?}: {listed:?} of {plain:?}"
            );
        }
    }
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn a_picture_is_moved_by_parts_of_a_pixel() {
    let (config, scene) = plaza();
    let input = frame_input(&config, &scene, TIME).expect("a view");
    let point = input.focus.extend(1.0);
    let pixel = |input: &FrameInput| {
        let clip = input.projection_from_world * point;
        let ndc = glam::Vec2::new(clip.x, -clip.y) / clip.w;
        (ndc * 0.5 + 0.5) * glam::Vec2::new(SIZE.0 as f32, SIZE.1 as f32)
    };
    let moved = pixel(&input.moved(glam::Vec2::new(0.125, -0.25), SIZE)) - pixel(&input);
    assert!(moved.distance(glam::Vec2::new(0.125, -0.25)) < 1e-3, "{moved}");
}

/// Many pictures of one moment share its shadow map, in both rasterizers.
#[test]
fn shadow_maps_of_a_moment_can_be_reused() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = plaza();
    let input = frame_input(&config, &scene, TIME).expect("a view");
    assert!(input.look.shadows);
    let other = frame_input(&config, &scene, TIME + 3.0).expect("a view");
    let moved = input.moved(glam::Vec2::new(0.4, -0.3), SIZE);
    let keeping = |input: &FrameInput| FrameInput {
        same_shadows: true,
        ..input.clone()
    };
    for raster in [Raster::Hardware, Raster::Auto, Raster::Compute] {
        let mut renderer = renderer(&gpu, &scene, (1, DrawPath::Selected, raster));
        let expected = draw(&gpu, &mut renderer, &moved);
        draw(&gpu, &mut renderer, &input);
        assert!(draw(&gpu, &mut renderer, &keeping(&moved)) == expected, "{raster:?}");
        // Reuse is real: a picture of another moment shows the old shadows.
        draw(&gpu, &mut renderer, &other);
        assert!(draw(&gpu, &mut renderer, &keeping(&moved)) != expected, "{raster:?}");
    }
    assert_eq!(gpu.take_error(), None);
}
