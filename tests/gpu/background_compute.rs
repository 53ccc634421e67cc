//! Ground and sky shaded in compute equal those of the hardware rasterizer, at one sample and at several.

use throng::{
    cli::shot::frame_input,
    config::{Config, Ground, Raster},
    render::{
        FrameInput,
        passes::{AOV_BACKGROUND, AovKind, SIMPLE},
    },
    scene::{Scene, StartupTimes},
};

use wgpu::naga;

use crate::{
    raster::{Look, SIZE, USUAL, compare, open, picture, supported},
    raster_sun::{altered, drawn_with},
    shaders::validate,
};

/// A few people on the plaza.
fn samples_of() -> (Config, Scene) {
    let mut config = Config::scene("plaza").expect("embedded");
    (config.look.ground, config.look.sun_elevation) = (Ground::Plaza, 40.0);
    config.scene.count = 12;
    config.bake.rate = 10.0;
    (config.window.width, config.window.height) = SIZE;
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    (config, scene)
}

#[test]
fn grounds_and_skies_look_the_same() {
    let Some(gpu) = supported() else { return };
    let (mut config, scene) = samples_of();
    for samples in [1, 4] {
        let look = Look { samples, ..USUAL };
        // The same renderers draw all cases in turn, as in the window.
        let [mut hardware, mut compute] =
            [Raster::Hardware, Raster::Compute].map(|raster| open(&gpu, &scene, look, raster));
        for (ground, sun) in [
            (Ground::Plaza, 40.0),
            (Ground::Grass, 4.0),
            (Ground::Grid, 60.0),
            (Ground::Studio, 40.0),
        ] {
            (config.look.ground, config.look.sun_elevation) = (ground, sun);
            let name = format!("{ground:?}");
            for camera in ["overview", "street"] {
                camera.clone_into(&mut config.camera.start);
                let input = FrameInput {
                    detail: 1.0,
                    // The hardware rasterizer draws no splats.
                    splats: false,
                    sw_raster_max_rows: 256,
                    ..frame_input(&config, &scene, 3.0).expect("a view")
                };
                let expected = picture(&gpu, &mut hardware, &input);
                let found = picture(&gpu, &mut compute, &input);
                assert_eq!(compute.raster(), (Raster::Compute, None));
                let (differing, inside) = compare(&expected, &found);
                println!("{name} {camera} {samples}: {differing} pixels differ, {inside} on no edge");
                assert!(
                    differing * 1000 <= found.len() / 4 && inside == 0,
                    "{name} {camera} {samples}: {differing}, {inside}"
                );
                assert!(picture(&gpu, &mut compute, &input) == found, "{name} {camera}: twice");
            }
        }
    }
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn background_comes_from_compute() {
    let Some(gpu) = supported() else { return };
    let (config, scene) = samples_of();
    let input = frame_input(&config, &scene, 3.0).expect("a view");
    let found = picture(&gpu, &mut open(&gpu, &scene, USUAL, Raster::Compute), &input);
    for (part, what) in [
        ("color_sum += ground_samples * ground_seen(pixel, ray);", "ground"),
        ("color_sum += sky_samples * sky_seen(pixel, ray);", "sky"),
    ] {
        let without = drawn_with(
            &gpu,
            altered("background_compute", part, ""),
            (&scene, Raster::Compute),
            &input,
        );
        let (differing, _) = compare(&without, &found);
        println!("{what}: {differing} pixels");
        assert!(differing * 40 > found.len() / 4, "{what}: {differing}");
    }
}

/// True if a value of a type that an entry point takes is interpolated between vertices, wholly or in part.
fn is_interpolated(module: &naga::Module, argument: &naga::FunctionArgument) -> bool {
    let located = |binding: &Option<naga::Binding>| matches!(binding, Some(naga::Binding::Location { .. }));
    match &module.types[argument.ty].inner {
        naga::TypeInner::Struct { members, .. } => members.iter().any(|member| located(&member.binding)),
        _ => located(&argument.binding),
    }
}

/// The ground's triangles reach kilometres past the eye. SwiftShader clips them so coarsely that interpolated positions
/// lay a metre aside, and jumped when the camera moved by a millimetre.
#[test]
fn grounds_depend_on_no_interpolated_position() {
    let lit = [vec![], vec!["crowd_shadow"], vec![SIMPLE]];
    let passes = lit.map(|conditions| ("ground", conditions)).into_iter();
    let kinds = AovKind::ALL.iter().map(|kind| vec![kind.condition(), AOV_BACKGROUND]);
    let passes: Vec<_> = passes
        .chain(kinds.map(|conditions| ("aov_background", conditions)))
        .collect();
    let interpolates = |pass: &str, conditions: &[&str]| {
        let module = validate(pass, conditions);
        let fragments = module
            .entry_points
            .iter()
            .filter(|entry| entry.stage == naga::ShaderStage::Fragment);
        let arguments: Vec<_> = fragments.flat_map(|entry| &entry.function.arguments).collect();
        assert!(!arguments.is_empty(), "{pass} {conditions:?}");
        arguments.into_iter().any(|argument| is_interpolated(&module, argument))
    };
    for (pass, conditions) in &passes {
        assert!(!interpolates(pass, conditions), "{pass} {conditions:?}");
    }
    // The sky's triangle covers just the picture: it is never clipped.
    assert!(interpolates("sky", &[]));
}
