//! The software rasterizer leaves the same words with one 64-bit maximum as with two 32-bit steps.

use std::sync::Arc;

use throng::{
    cli::shot::frame_input,
    config::{Config, Raster, Technique},
    gpu::Gpu,
    label::Labels,
    render::{
        FrameInput, NEAR_ROWS,
        passes::{AovKind, raster::ALL_ROWS},
    },
    scene::Scene,
};

use crate::{
    labels::{self, ALL, among, observer_on},
    raster::{COLORED, Look, USUAL, compare, open, picture, preset, supported},
    raster_sun::{Change, altered_in, drawn_with},
};

/// Shader change that colours every triangle by its id: any other id shows, and shaders compile faster without light.
const ID_COLORS: Change<'_> = (
    "shade_visibility",
    COLORED,
    "rgb = unpack4x8unorm(triangle * 2654435761u).rgb;",
);

/// Frame of a scene's camera in which the software rasterizer takes people of at most `rows` rows.
fn seen(config: &Config, scene: &Scene, camera: &str, rows: u32) -> FrameInput {
    let mut config = config.clone();
    config.camera.start = camera.to_owned();
    FrameInput {
        sw_raster_max_rows: rows,
        ..frame_input(&config, scene, 2.0).expect("a view")
    }
}

/// Draws a scene with both kinds of atomics, and returns the pictures.
fn assert_equal(gpu: &Gpu, config: &Config, scene: &Scene, samples: u32, views: &[(&str, u32)]) -> Vec<Vec<u8>> {
    let look = Look { samples, ..USUAL };
    let narrow = gpu.without_wide_atomics();
    let [mut packed, mut split] = [gpu, &narrow].map(|gpu| open(gpu, scene, look, Raster::Compute));
    assert_eq!(split.raster(), (Raster::Compute, None));
    let pictures = views.iter().map(|&(camera, rows)| {
        let input = seen(config, scene, camera, rows);
        let expected = picture(gpu, &mut packed, &input);
        let found = picture(&narrow, &mut split, &input);
        let what = format!("{camera} {rows}");
        let differing = expected.chunks(4).zip(found.chunks(4)).filter(|(a, b)| a != b).count();
        assert_eq!(differing, 0, "{what}: pixels differ");
        let drawn = [&packed, &split].map(|renderer| renderer.drawn().expect("lists").clone());
        assert_eq!(drawn[0], drawn[1], "{what}");
        println!("{what}: {} visible, {} hidden", drawn[0].visible, drawn[0].hidden);
        expected
    });
    pictures.collect()
}

#[test]
fn pictures_are_equal_with_32_bit_steps() {
    let Some(gpu) = supported() else { return };
    let own = gpu.replace_shaders(Arc::new(altered_in(&[ID_COLORS])));
    // Heroes, attachments and scenery; both phases in compute, and the far phase alone.
    let (config, scene) = preset("plaza", 60);
    let views = [("overview", ALL_ROWS), ("overview", NEAR_ROWS)];
    let drawn = assert_equal(&gpu, &config, &scene, 1, &views);
    assert!(compare(&drawn[0], &drawn[1]).0 > 0, "ids of one phase are those of two");
    // People cut by the near plane, and some whom others hide from the far phase.
    let (config, scene) = preset("marathon", 400);
    assert_equal(&gpu, &config, &scene, 4, &[("street", 4096)]);
    gpu.replace_shaders(own);
}

#[test]
fn large_triangles_are_equal_with_32_bit_steps() {
    let Some(gpu) = supported() else { return };
    let (config, scene) = preset("plaza", 20);
    let input = seen(&config, &scene, "close", 4096);
    let own = gpu.replace_shaders(Arc::new(altered_in(&[ID_COLORS])));
    let found = assert_equal(&gpu, &config, &scene, 4, &[("close", 4096)]).remove(0);
    gpu.replace_shaders(own);
    let narrow = gpu.without_wide_atomics();
    let differing = |path, part, other| {
        let shaders = altered_in(&[ID_COLORS, (path, part, other)]);
        let other = drawn_with(&narrow, shaders, (&scene, Raster::Compute), &input);
        compare(&other, &found).0
    };
    // People consist of ids of the second step, large triangles of products in two words, the largest of the queue.
    let without_ids = differing("shared/cover", "+ 1u]) == key {", "+ 1u]) < key {");
    let without_sign = differing("shared/wide", "-1, i32(a.high) < 0)", "-1, true)");
    let without_queue = differing("large_triangles", "item < end;", "item < 0u * end;");
    println!("{without_ids} pixels of ids, {without_sign} of wide products, {without_queue} of the queue");
    assert!(without_ids > 5000 && without_sign > 500 && without_queue > 100);
    // A full queue leaves triangles to the workgroups that find them, in both steps.
    let full = differing("shared/large_triangles", "MOST_SPREAD = 16384u", "MOST_SPREAD = 1u");
    assert_eq!(full, 0, "a full queue");
}

#[test]
fn ids_and_amodal_masks_are_equal_with_32_bit_steps() {
    let Some(gpu) = supported() else { return };
    let config = labels::config("plaza", 8);
    let [packed, split] = [gpu.clone(), gpu.without_wide_atomics()].map(|gpu| {
        let mut renderer = observer_on(gpu, &config, Technique::Matrix, Raster::Compute);
        let moment = among(&config, &renderer, 7.3);
        let kinds = [AovKind::Ids, AovKind::Depth];
        let numbers = renderer.numbers(&moment, None, labels::SIZE, &kinds).expect("draws");
        let labels = Labels::of(&mut renderer, &moment, &numbers, &ALL).expect("labels");
        // One person alone.
        let one = renderer.numbers_of(3, &moment, labels::SIZE, &kinds).expect("draws");
        (numbers.ids().to_vec(), one.ids().to_vec(), format!("{labels:?}"))
    });
    assert!(packed.0.iter().any(|id| *id != 0) && packed.0 != packed.1);
    assert!(packed.0 == split.0, "ids differ");
    assert!(packed.1 == split.1, "ids of one person differ");
    assert_eq!(packed.2, split.2, "labels differ");
}
