//! Steps after tone mapping. FXAA: edges come nearer to a supersampled reference, and nothing else changes.

use throng::{
    cli::shot::frame_input,
    config::{Config, LookConfig},
    crowd::Clock,
    gpu::Gpu,
    render::{FrameInput, Pass, PassSet, RenderOptions},
    scene::{Scene, StartupTimes},
};

use crate::common;

const SIZE: (u32, u32) = (240, 135);
/// The reference has this many pixels a side in each pixel, with four samples in each of those.
const FINE: u32 = 4;

fn picture(gpu: &Gpu, scene: &Scene, size: (u32, u32), samples: u32, steps: &[Pass], input: &FrameInput) -> Vec<u8> {
    let options = RenderOptions {
        samples,
        display_steps: PassSet::of(steps),
        ..RenderOptions::of(common::gpu::MATRIX)
    };
    let mut renderer = common::gpu::renderer(gpu, scene, options);
    common::gpu::picture(gpu, &mut renderer, size, input)
}

/// Means of blocks of pixels, in display encoding.
fn reduced(fine: &[u8]) -> Vec<[f32; 3]> {
    let (width, height) = (SIZE.0 as usize, SIZE.1 as usize);
    let step = FINE as usize;
    let mean = |pixel: usize| {
        let mut sum = [0.0; 3];
        for y in 0..step {
            for x in 0..step {
                let at = 4 * ((pixel / width * step + y) * width * step + pixel % width * step + x);
                (0..3).for_each(|i| sum[i] += f32::from(fine[at + i]));
            }
        }
        sum.map(|s| s / (step * step) as f32)
    };
    (0..width * height).map(mean).collect()
}

/// Mean absolute difference at the edges of a picture.
fn error(picture: &[u8], reference: &[[f32; 3]], at: &[bool]) -> f32 {
    let pixels = picture.chunks_exact(4).zip(reference).zip(at).filter(|(_, at)| **at);
    let apart =
        pixels.map(|((own, reference), _)| (0..3).map(|i| (f32::from(own[i]) - reference[i]).abs()).sum::<f32>());
    let apart: Vec<f32> = apart.collect();
    apart.iter().sum::<f32>() / (3 * apart.len()).max(1) as f32
}

/// True for pixels at which brightness jumps to one of the eight neighbours, by the smallest jump that counts.
fn edges(picture: &[u8]) -> Vec<bool> {
    let (width, height) = (SIZE.0 as i32, SIZE.1 as i32);
    let brightness = |x: i32, y: i32| {
        let at = 4 * (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize;
        let [r, g, b] = [0, 1, 2].map(|i| f32::from(picture[at + i]) / 255.0);
        0.299 * r + 0.587 * g + 0.114 * b
    };
    let jumps = |pixel: i32| {
        let (x, y) = (pixel % width, pixel / width);
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        let values: Vec<f32> = around.map(|(dx, dy)| brightness(x + dx, y + dy)).collect();
        let most = values.iter().copied().fold(0.0, f32::max);
        most - values.iter().copied().fold(1.0, f32::min) >= 0.0312
    };
    (0..width * height).map(jumps).collect()
}

fn street() -> (Config, Scene) {
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 60;
    config.camera.start = "street".into();
    config.look = LookConfig {
        shadows: false,
        ..config.look
    };
    (config.window.width, config.window.height) = SIZE;
    let mut scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    // Bars of windows are thinner than a pixel, and no filter of the finished picture can restore them.
    scene.props.retain(|placed| placed.character.model.name != "houses");
    (config, scene)
}

#[test]
fn fxaa_brings_edges_nearer_to_the_reference_and_keeps_the_rest() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = street();
    let input = FrameInput {
        detail: 0.0,
        ..frame_input(&config, &scene, 3.0).expect("a view")
    };
    let (raw, smooth) = (
        picture(&gpu, &scene, SIZE, 1, &[], &input),
        picture(&gpu, &scene, SIZE, 1, &[Pass::Fxaa], &input),
    );
    let fine = picture(&gpu, &scene, (SIZE.0 * FINE, SIZE.1 * FINE), 4, &[], &input);
    let (reference, edges) = (reduced(&fine), edges(&raw));
    let many = edges.iter().filter(|edge| **edge).count();
    assert!(many > 2000, "{many} pixels at edges");
    let [before, after] = [&raw, &smooth].map(|picture| error(picture, &reference, &edges));
    println!("{many} pixels at edges: off by {before:.2} of 255 without, {after:.2} with");
    assert!(after < 0.85 * before, "{after} of {before}");
    // The filter pass rounds once more.
    let inside = raw.chunks_exact(4).zip(smooth.chunks_exact(4)).zip(&edges);
    let changed = inside.filter(|((a, b), edge)| !**edge && a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 1));
    assert_eq!(changed.count(), 0, "pixels away from edges change");
    assert!(
        picture(&gpu, &scene, SIZE, 1, &[Pass::Fxaa], &input) == smooth,
        "the second picture differs"
    );
}

/// A picture of one colour has no edges, however it is lit.
#[test]
fn fxaa_keeps_the_sky_as_it_is() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = street();
    let camera = throng::view::Camera {
        eye: glam::Vec3::new(0.0, 2.0, 0.0),
        target: glam::Vec3::new(0.0, 400.0, 1.0),
        fov: 0.3,
    };
    let input = FrameInput::new(&camera, 16.0 / 9.0, Clock::from_seconds(1.0), &config.look);
    let [raw, smooth] = [&[][..], &[Pass::Fxaa]].map(|steps| picture(&gpu, &scene, SIZE, 1, steps, &input));
    let worst = raw.iter().zip(&smooth).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(worst <= Some(1), "{worst:?} of 255");
}
