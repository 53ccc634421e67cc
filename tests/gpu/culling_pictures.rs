//! Culling changes no pixel: whole scenes with attachments, fades, heroes and scenery, from several views at several
//! moments.

use throng::{
    cli::shot::frame_input,
    gpu::Gpu,
    render::{Culling, DrawPath, FrameInput, RenderOptions, Renderer},
    scene::Scene,
};

use crate::{common, culling::leveled_scene};

const SIZE: (u32, u32) = (160, 90);

fn open(gpu: &Gpu, scene: &Scene, path: DrawPath) -> Renderer {
    let options = RenderOptions {
        samples: 4,
        path,
        ..RenderOptions::of(common::gpu::MATRIX)
    };
    common::gpu::renderer(gpu, scene, options)
}

/// Compares pictures with and without culling, at full detail and with LODs; returns how many people were occluded,
/// and how many were culled in all.
fn compare(gpu: &Gpu, name: &str, count: u32) -> (u64, u64) {
    let (mut config, scene) = leveled_scene(name, count, SIZE);
    let mut renderer = open(gpu, &scene, DrawPath::Selected);
    let (mut hidden, mut left_out) = (0, 0);
    // Both details at every moment only with THRONG_LONG (.ci/long).
    let every = std::env::var_os("THRONG_LONG").is_some();
    for (view, camera) in ["overview", "street", "close", "top", "plan"].into_iter().enumerate() {
        config.camera.start = camera.into();
        for (moment, time) in [0.0, 3.7, 61.3].into_iter().enumerate() {
            for (number, detail) in [0.0, 1.0].into_iter().enumerate() {
                if !every && (view + moment) % 2 != number {
                    continue;
                }
                let input = FrameInput {
                    detail,
                    ..frame_input(&config, &scene, time).expect("a view")
                };
                let with = common::gpu::picture(gpu, &mut renderer, SIZE, &input);
                let counts = renderer.drawn().expect("is listed").clone();
                let all = FrameInput {
                    culling: Culling::all(false),
                    ..input
                };
                assert!(
                    common::gpu::picture(gpu, &mut renderer, SIZE, &all) == with,
                    "{name} {camera} {time} {detail}"
                );
                hidden += counts.hidden;
                left_out += u64::from(count) - counts.visible;
            }
        }
    }
    (hidden, left_out)
}

#[test]
fn culling_changes_no_pixel_of_any_scene() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut hidden, mut left_out) = (0, 0);
    for (name, count) in [
        ("plaza", 160),
        ("stadium", 200),
        ("army", 120),
        ("million", 250),
        ("marathon", 150),
    ] {
        let found = compare(&gpu, name, count);
        hidden += found.0;
        left_out += found.1;
    }
    assert!(hidden > 5 && left_out > 1000, "{hidden} occluded, {left_out} culled");
    assert_eq!(gpu.take_error(), None);
}

/// Pictures of the plain draw may differ only where two people are at the same depth.
#[test]
fn lists_draw_what_the_plain_draw_does() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = leveled_scene("plaza", 120, SIZE);
    let input = FrameInput {
        detail: 0.0,
        ..frame_input(&config, &scene, 2.0).expect("a view")
    };
    let [listed, plain] = [DrawPath::Selected, DrawPath::Plain].map(|path| {
        let mut renderer = open(&gpu, &scene, path);
        common::gpu::picture(&gpu, &mut renderer, SIZE, &input)
    });
    let pixels = listed.chunks_exact(4).zip(plain.chunks_exact(4));
    let differing = pixels.filter(|(a, b)| a != b).count();
    assert!(differing <= 3, "{differing} pixels differ");
}

/// Counters of the panel: a camera that turns away culls people, one that turns back does not, and nobody waits for
/// the counters.
#[test]
fn counters_follow_the_camera() {
    let Some(gpu) = common::gpu::open() else { return };
    let (config, scene) = leveled_scene("plaza", 160, SIZE);
    let mut renderer = open(&gpu, &scene, DrawPath::Selected);
    let towards = frame_input(&config, &scene, 2.0).expect("a view");
    // Half a turn around the eye.
    let turn = glam::Mat4::from_translation(towards.eye)
        * glam::Mat4::from_rotation_y(std::f32::consts::PI)
        * glam::Mat4::from_translation(-towards.eye);
    let away = FrameInput {
        projection_from_world: towards.projection_from_world * turn,
        ..towards.clone()
    };
    assert!(renderer.drawn().is_none(), "counters of a frame that was not drawn");
    let mut seen = Vec::new();
    for input in [&towards, &away, &towards] {
        common::gpu::picture(&gpu, &mut renderer, SIZE, input);
        let counts = renderer.drawn().expect("is listed");
        assert!(counts.visible + counts.hidden <= 160, "{counts:?}");
        let people: u64 = counts.lods.iter().map(|lod| lod.people).sum();
        assert_eq!(people, counts.visible, "{counts:?}");
        seen.push((counts.visible, counts.triangles()));
    }
    assert_eq!(seen[0], seen[2], "counters of one view differ");
    assert!(seen[0].0 > 40, "{seen:?}");
    assert!(seen[1].0 * 4 < seen[0].0 && seen[1].1 < seen[0].1, "{seen:?}");
}
