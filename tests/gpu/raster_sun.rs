//! Shadow maps of the software rasterizer: they exist, match those of the hardware rasterizer, and their depth bias
//! prevents shadow acne.

use std::sync::Arc;

use throng::{
    cli::shot::frame_input,
    config::{Config, Raster},
    gpu::{Gpu, ShaderSources, shader},
    render::{Culling, FrameInput, Pass, passes::raster::ALL_ROWS},
    scene::Scene,
};

use crate::raster::{USUAL, compare, open, picture, preset, supported};

/// Part of a shader (path, text) and the text that replaces it.
pub type Change<'a> = (&'a str, &'a str, &'a str);

/// Shaders of the program with a part of one replaced.
pub fn altered(path: &str, part: &str, other: &str) -> ShaderSources {
    altered_in(&[(path, part, other)])
}

/// Shaders of the program with some parts replaced.
pub fn altered_in(changes: &[Change<'_>]) -> ShaderSources {
    let folder = tempfile::tempdir().expect("a folder");
    let mut found = 0;
    for (own, source) in shader::SOURCES {
        let copy = folder.path().join(format!("{own}.wgsl"));
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        let mut altered = (*source).to_owned();
        for (_, part, other) in changes.iter().filter(|(path, ..)| path == own) {
            found += usize::from(altered.contains(part));
            altered = altered.replace(part, other);
        }
        std::fs::write(copy, altered).expect("written");
    }
    assert_eq!(found, changes.len(), "a part is missing: {changes:?}");
    ShaderSources::read(folder.path()).expect("reads")
}

pub fn drawn_with(gpu: &Gpu, shaders: ShaderSources, (scene, raster): (&Scene, Raster), input: &FrameInput) -> Vec<u8> {
    let own = gpu.replace_shaders(Arc::new(shaders));
    let found = picture(gpu, &mut open(gpu, scene, USUAL, raster), input);
    gpu.replace_shaders(own);
    found
}

fn view_of(config: &Config, scene: &Scene, detail: f32) -> FrameInput {
    FrameInput {
        detail,
        // The hardware rasterizer draws none.
        splats: false,
        culling: Culling::all(true),
        sw_raster_max_rows: 256,
        ..frame_input(config, scene, 2.0).expect("a view")
    }
}

#[test]
fn shadows_come_from_compute_and_are_those_of_the_graphics_pipe() {
    let Some(gpu) = supported() else { return };
    let mut shaded = 0;
    for name in ["plaza", "army", "stadium"] {
        let (config, scene) = preset(name, 300);
        let input = view_of(&config, &scene, 1.0);
        let hardware = picture(&gpu, &mut open(&gpu, &scene, USUAL, Raster::Hardware), &input);
        // `auto` leaves the picture to the hardware rasterizer.
        for raster in [Raster::Auto, Raster::Compute] {
            let found = picture(&gpu, &mut open(&gpu, &scene, USUAL, raster), &input);
            let (differing, inside) = compare(&hardware, &found);
            println!("{name}, {raster:?}: {differing} pixels differ, {inside} on no edge");
            assert!(
                differing * 1000 <= found.len() / 4 && inside == 0,
                "{name}: {differing}, {inside}"
            );
            // Without the shadow map of compute, the crowd casts no shadow.
            let bare = altered(
                "shared/cover",
                "atomicMax(&visibility[at], depth_key(depth + t.bias));",
                "",
            );
            let (lit, _) = compare(&drawn_with(&gpu, bare, (&scene, raster), &input), &found);
            println!("{name}: {lit} pixels in shadows by compute");
            assert!(lit > 200, "{name}: {lit}");
            // Without the bias, people shadow themselves everywhere.
            let unbiased = altered("shared/cover", "depth_key(depth + t.bias)", "depth_key(depth)");
            let (acne, _) = compare(&drawn_with(&gpu, unbiased, (&scene, raster), &input), &hardware);
            println!("{name}: {acne} pixels without the bias");
            assert!(acne >= differing, "{name}: {acne}");
            shaded += acne;
        }
    }
    assert!(shaded > 200, "{shaded}");
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn only_passes_that_run_are_timed() {
    let Some(gpu) = supported() else { return };
    let (config, scene) = preset("plaza", 40);
    // From ALL_ROWS on the software rasterizer draws everything, and the hardware rasterizer nothing.
    for (raster, sw_raster_max_rows, [casts, computes, draws]) in [
        (Raster::Hardware, 256, [false, false, true]),
        (Raster::Auto, 256, [true, false, true]),
        (Raster::Compute, 256, [true, true, true]),
        (Raster::Compute, ALL_ROWS, [true, true, false]),
    ] {
        let input = FrameInput {
            sw_raster_max_rows,
            ..view_of(&config, &scene, 1.0)
        };
        let mut renderer = open(&gpu, &scene, USUAL, raster);
        picture(&gpu, &mut renderer, &input);
        let times = renderer.finished_gpu_ms();
        let ran = [
            (Pass::SwShadow, casts),
            (Pass::SwRaster, computes),
            (Pass::ShadeVisibility, computes),
            (Pass::Shadow, draws),
            (Pass::Far, draws),
        ];
        for (pass, runs) in ran {
            assert_eq!(
                times.contains_key(&pass),
                runs,
                "{raster:?} {sw_raster_max_rows}: {times:?}"
            );
        }
    }
}
