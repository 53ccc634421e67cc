//! People near the camera, and scenery: the software rasterizer draws them like the hardware rasterizer, also where
//! the near plane cuts them.
//! Nothing is left to the hardware rasterizer.

use std::sync::Arc;

use glam::Vec3;
use throng::{
    cli::shot::frame_input,
    config::Raster,
    gpu::Gpu,
    render::{Culling, FrameInput, Pass, Renderer},
    scene::Scene,
    view::Camera,
};

use crate::{
    raster::{Look, SIZE, USUAL, compare, open, picture, preset, supported},
    raster_sun::altered,
};

/// Frame of a camera at `eye` that looks at `target`.
fn seen_from((eye, target): (Vec3, Vec3), fov: f32, input: &FrameInput) -> FrameInput {
    let camera = Camera { eye, target, fov };
    FrameInput {
        projection_from_world: camera.projection_from_world(SIZE.0 as f32 / SIZE.1 as f32),
        eye,
        focus: target,
        sw_raster_max_rows: 4096,
        ..input.clone()
    }
}

/// Cameras inside a person's chest, close behind a head, and at the foot of the nearest scenery.
fn cameras(scene: &Scene, input: &FrameInput) -> Vec<(String, FrameInput)> {
    let mut cameras = Vec::new();
    for (number, instance) in scene
        .crowd
        .per_character
        .iter()
        .flatten()
        .enumerate()
        .step_by(31)
        .take(2)
    {
        let feet = Vec3::from(instance.position);
        for (what, eye, target) in [
            ("chest", Vec3::new(0.02, 1.25, 0.03), Vec3::new(0.3, 1.2, 4.0)),
            ("shoulder", Vec3::new(0.21, 1.42, -0.1), Vec3::new(0.0, 1.4, 3.0)),
            ("foot", Vec3::new(0.0, 0.12, 0.1), Vec3::new(0.4, 1.5, -2.0)),
        ] {
            cameras.push((
                format!("{number} {what}"),
                seen_from((feet + eye, feet + target), 1.1, input),
            ));
        }
    }
    cameras
}

/// Draws a view with both rasterizers, and returns the picture of the software rasterizer.
fn assert_near(gpu: &Gpu, [hardware, compute]: &mut [Renderer; 2], (what, input): &(String, FrameInput)) -> Vec<u8> {
    let expected = picture(gpu, hardware, input);
    let found = picture(gpu, compute, input);
    let (differing, inside) = compare(&expected, &found);
    let pixels = found.len() / 4;
    println!("{what}: {differing} of {pixels} pixels differ, {inside} on no edge");
    if let Some(folder) = std::env::var_os("THRONG_PICTURES") {
        for (name, bytes) in [("hardware", &expected), ("compute", &found)] {
            let path = std::path::Path::new(&folder).join(format!("near-{}-{name}.png", what.replace(' ', "-")));
            image::save_buffer(path, bytes, SIZE.0, SIZE.1, image::ColorType::Rgba8).expect("written");
        }
    }
    assert!(
        differing * 1000 <= pixels && inside == 0,
        "{what}: {differing}, {inside}"
    );
    // The hardware rasterizer has no draw calls.
    let calls = compute.draw_calls();
    assert_eq!(
        (calls.get(&Pass::Crowd), calls.get(&Pass::Far)),
        (Some(&0), None),
        "{what}"
    );
    let all = FrameInput {
        culling: Culling::all(false),
        ..input.clone()
    };
    assert!(picture(gpu, compute, &all) == found, "{what}: culling");
    found
}

#[test]
fn people_cut_by_the_near_plane_look_the_same() {
    let Some(gpu) = supported() else { return };
    for (name, samples) in [("army", 4), ("plaza", 1)] {
        let (config, scene) = preset(name, 93);
        let input = frame_input(&config, &scene, 2.0).expect("a view");
        let look = Look { samples, ..USUAL };
        let mut both = [Raster::Hardware, Raster::Compute].map(|raster| open(&gpu, &scene, look, raster));
        let cameras = cameras(&scene, &input);
        let pictures: Vec<_> = { cameras.iter() }
            .map(|camera| assert_near(&gpu, &mut both, camera))
            .collect();
        // Without the triangles that cross the near plane.
        let uncut = altered(
            "rasterise",
            "return set_up_cut(corners, outside, part, id);",
            "return TriangleSetup();",
        );
        let own = gpu.replace_shaders(Arc::new(uncut));
        let mut without = open(&gpu, &scene, look, Raster::Compute);
        let cut = cameras.iter().zip(&pictures).map(|((_, input), found)| {
            let left = picture(&gpu, &mut without, input);
            compare(&left, found).0
        });
        let cut: usize = cut.sum();
        gpu.replace_shaders(own);
        println!("{name}: {cut} pixels of triangles that were cut");
        assert!(cut > 200, "{name}: {cut}");
    }
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn scenery_hides_people_where_it_is_rasterised_in_compute() {
    let Some(gpu) = supported() else { return };
    let (mut config, scene) = preset("marathon", 400);
    config.camera.start = "street".to_owned();
    let input = FrameInput {
        sw_raster_max_rows: 4096,
        ..frame_input(&config, &scene, 2.0).expect("a view")
    };
    let mut compute = open(&gpu, &scene, USUAL, Raster::Compute);
    let found = picture(&gpu, &mut compute, &input);
    let hidden = compute.drawn().expect("lists").hidden;
    println!("{hidden} people are hidden");
    assert!(hidden > 0);
    let all = FrameInput {
        culling: Culling::all(false),
        ..input
    };
    assert!(
        picture(&gpu, &mut compute, &all) == found,
        "a visible person was culled"
    );
    assert_eq!(compute.drawn().expect("lists").hidden, 0);
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn pixels_without_people_show_ground_and_sky() {
    let Some(gpu) = supported() else { return };
    let (config, mut scene) = preset("army", 5);
    let input = FrameInput {
        sw_raster_max_rows: 4096,
        ..frame_input(&config, &scene, 2.0).expect("a view")
    };
    scene.crowd.per_character.iter_mut().for_each(Vec::clear);
    scene.attachments.clear();
    scene.props.clear();
    let [expected, found] =
        [Raster::Hardware, Raster::Compute].map(|raster| picture(&gpu, &mut open(&gpu, &scene, USUAL, raster), &input));
    let (differing, inside) = compare(&expected, &found);
    assert!(
        differing * 1000 <= found.len() / 4 && inside == 0,
        "{differing}, {inside}"
    );
    assert_eq!(gpu.take_error(), None);
}
