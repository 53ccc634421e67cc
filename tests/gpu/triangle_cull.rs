//! Triangle culling changes no pixel: every scene, every kind of surface, heroes, more triangles than there is room
//! for.

use throng::{
    cli::shot::frame_input,
    config::{Config, Raster},
    gpu::{AdapterKind, Gpu},
    model::AlphaMode,
    render::{Culling, FrameInput, Pass, Renderer},
    scene::Scene,
};

use crate::{
    common::tube,
    culling::leveled,
    lod_morphs::moving,
    raster::{Look, USUAL, crowd_of, open, picture, poster, preset, ranks_of, supported},
    tangents::zoo,
};

/// Compares pictures with and without triangle culling, of near and far people; returns the triangles of all frames,
/// and those that survived.
fn compare(gpu: &Gpu, (config, scene): (&Config, &Scene), look: Look, what: &str) -> (u64, u64) {
    let mut renderer = open(gpu, scene, look, Raster::Auto);
    let (mut all, mut seen) = (0, 0);
    for (camera, time, detail) in [("overview", 2.0, 1.0), ("street", 7.5, 0.0)] {
        let mut config = config.clone();
        config.camera.start = camera.to_owned();
        let input = FrameInput {
            detail,
            ..frame_input(&config, scene, time).expect("a view")
        };
        let surviving = picture(gpu, &mut renderer, &input);
        let (triangles, kept) = counted(&renderer);
        let whole = without(&input);
        assert!(picture(gpu, &mut renderer, &whole) == surviving, "{what} {camera}");
        assert_eq!(renderer.drawn().expect("lists").culled_triangles, None);
        let kept = kept.expect("are culled");
        println!("{what} {camera}: {kept} of {triangles} triangles");
        all += triangles;
        seen += kept;
    }
    (all, seen)
}

/// Adapter that supports triangle culling, treated as a card: CPU rasterisers do not use it.
fn card_with_triangle_culling() -> Option<Gpu> {
    let mut gpu = supported()?;
    gpu.facts.kind = AdapterKind::DiscreteGpu;
    Some(gpu)
}

#[test]
fn gpus_cull_triangles_and_software_rasterizers_do_not() {
    let Some(gpu) = supported() else { return };
    let (config, scene) = preset("plaza", 60);
    let mut renderer = open(&gpu, &scene, USUAL, Raster::Auto);
    picture(&gpu, &mut renderer, &frame_input(&config, &scene, 2.0).expect("a view"));
    assert_eq!(counted(&renderer).1.is_some(), !gpu.facts.is_software());
}

fn every() -> bool {
    std::env::var_os("THRONG_LONG").is_some()
}

fn without(input: &FrameInput) -> FrameInput {
    FrameInput {
        culling: Culling {
            triangles: false,
            ..input.culling
        },
        ..input.clone()
    }
}

/// Triangles of the last frame, and those that reached the hardware rasterizer.
fn counted(renderer: &Renderer) -> (u64, Option<u64>) {
    let drawn = renderer.drawn().expect("lists");
    (drawn.triangles() + drawn.prop_triangles, drawn.surviving_triangles())
}

#[test]
fn triangle_culling_changes_no_scene() {
    let Some(gpu) = card_with_triangle_culling() else {
        return;
    };
    // Fades, walkers, heroes, attachments, scenery. All scenes only with THRONG_LONG (.ci/long).
    let all_scenes = [
        ("plaza", 160),
        ("army", 120),
        ("million", 250),
        ("marathon", 150),
        ("stadium", 200),
    ];
    let most = if every() { all_scenes.len() } else { 2 };
    for (name, count) in all_scenes.into_iter().take(most) {
        let (config, scene) = preset(name, count);
        let (all, seen) = compare(&gpu, (&config, &scene), USUAL, name);
        assert!(seen > 1000 && seen * 5 < all * 2, "{name}: {seen} of {all}");
    }
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn every_kind_of_surface_stays_the_same() {
    let Some(gpu) = card_with_triangle_culling() else {
        return;
    };
    let one_sample = Look { samples: 1, ..USUAL };
    let kinds = [
        ("mirrored morphing normals", zoo(), 14.0, USUAL),
        ("eight influences", tube::model(), 4.0, one_sample),
        ("two sides", poster(AlphaMode::Opaque), 4.0, USUAL),
        ("levels with faces", moving("man").model, 1.6, USUAL),
    ];
    let most = if every() { kinds.len() } else { 3 };
    for (what, model, spacing, look) in kinds.into_iter().take(most) {
        // With few triangles, culling does not pay.
        let (config, scene) = ranks_of((model, 300), spacing, "");
        let (all, seen) = compare(&gpu, (&config, &scene), look, what);
        assert!(seen > 0 && seen < all, "{what}: {seen} of {all}");
    }
    let heroes = "[[scene.heroes]]\ncount = 40\nlook = \"camera\"\nlayers = [{ clip = \"wave\" }]\n";
    let (config, scene) = crowd_of(leveled("man").model, 1.6, heroes);
    let (all, seen) = compare(&gpu, (&config, &scene), USUAL, "heroes");
    assert!(seen > 0 && seen * 2 < all, "heroes: {seen} of {all}");
}

/// Draws with alpha-tested holes are not culled, beside others that are.
#[test]
fn without_triangle_culling_everything_is_drawn() {
    let Some(gpu) = card_with_triangle_culling() else {
        return;
    };
    let (config, scene) = crowd_of(poster(AlphaMode::Mask(0.5)), 4.0, "");
    let mut renderer = open(&gpu, &scene, USUAL, Raster::Auto);
    let input = frame_input(&config, &scene, 2.0).expect("a view");
    let surviving = picture(&gpu, &mut renderer, &input);
    assert_eq!(counted(&renderer).1, None);
    assert!(picture(&gpu, &mut renderer, &without(&input)) == surviving);
    assert!(
        surviving.chunks_exact(4).any(|pixel| pixel[0] > 150 && pixel[1] < 120),
        "nobody"
    );
    // Pictures that request the hardware rasterizer alone are not culled either.
    let mut amodal = open(&gpu, &scene, USUAL, Raster::Hardware);
    picture(&gpu, &mut amodal, &input);
    assert_eq!(counted(&amodal).1, None);
}

/// A first frame has an estimated buffer of indices: draws that need more are drawn unculled, and the next frame has
/// room.
#[test]
fn a_frame_without_room_for_indices_is_drawn_unculled() {
    let Some(gpu) = card_with_triangle_culling() else {
        return;
    };
    let (config, scene) = ranks_of((leveled("man").model, 900), 0.9, "");
    let mut renderer = open(&gpu, &scene, USUAL, Raster::Auto);
    let input = FrameInput {
        detail: 0.0,
        ..frame_input(&config, &scene, 2.0).expect("a view")
    };
    let bytes = renderer.counts().vram_bytes;
    let first = picture(&gpu, &mut renderer, &input);
    let needed = renderer.drawn().expect("lists").culled_triangles.expect("was tried");
    let groups = needed.map(|totals| totals.groups);
    assert!(
        groups.iter().any(|&groups| groups > 2048),
        "the first frame had room: {groups:?}"
    );
    let little = renderer.counts().vram_bytes;
    let second = picture(&gpu, &mut renderer, &input);
    assert!(second == first, "pictures with and without room differ");
    assert!(renderer.counts().vram_bytes > little && little > bytes, "no more room");
    let draws = renderer.draw_calls()[&Pass::Crowd];
    assert!(picture(&gpu, &mut renderer, &without(&input)) == first);
    assert!(renderer.draw_calls()[&Pass::Crowd] < draws, "no draw was unculled");
}
