//! Tests of when `auto` measures, and of the choice that it makes.

use std::time::Duration;

use super::*;
use crate::{
    app::{auto_raster::autotune::RasterAutotune, compare::Compare, state::Loading},
    config::{Config, Technique},
    gpu::{AdapterChoice, AdapterKind, Gpu, GpuError},
    render::{RenderOptions, Renderer, passes::raster::unsupported_reason},
};

/// State of `auto` after frames of these times (ms) by hardware and software rasterizer.
pub(in crate::app) fn measured(ms: [f64; 2]) -> AutoRaster {
    let mut auto = AutoRaster::default();
    auto.decide(
        AutotuneKey::of(&shown()).expect("a scene"),
        Ok(result(Raster::Hardware, [&[ms[0]; 3], &[ms[1]; 3]])),
    );
    auto
}

fn shown() -> AppState {
    let mut config = Config::default();
    config.scene.characters = vec!["knight".into()];
    config.scene.count = 2;
    AppState::showing(config)
}

fn result(present: Raster, times: [&[f64]; 2]) -> AutotuneResult {
    AutotuneResult::of(present, times, TimingBasis::Gpu, 1024)
}

/// Updates `auto` every half second; returns after how many updates a measurement was due.
fn looks(state: &mut AppState, from: Instant) -> Option<u64> {
    (0..8).find(|look| {
        let at = from + Duration::from_millis(500 * look);
        state.follow_auto_raster(None, at).is_some()
    })
}

#[test]
fn the_faster_rasterizer_wins_and_within_noise_the_present_one_stays() {
    let chosen = |present, times| result(present, times).chosen;
    let (quiet, faster, alike): (&[f64], &[f64], &[f64]) = (&[5.2; 5], &[3.1; 5], &[5.1; 5]);
    for present in [Raster::Hardware, Raster::Compute] {
        assert_eq!(chosen(present, [quiet, faster]), Raster::Compute);
        assert_eq!(chosen(present, [faster, quiet]), Raster::Hardware);
        assert_eq!(chosen(present, [quiet, alike]), present);
        assert_eq!(chosen(present, [alike, quiet]), present);
    }
    // A sixth less, with a spread just as large.
    let noisy = [3.0, 4.2, 5.0, 5.9, 7.0];
    let less = noisy.map(|ms| 0.84 * ms);
    assert_eq!(chosen(Raster::Hardware, [&noisy, &less]), Raster::Hardware);
    let told = result(Raster::Hardware, [&noisy, &less]);
    assert_eq!(told.short(), "5.0 ms against 4.2 ms (noise)");
    assert!(told.sentence().contains("within noise"), "{}", told.sentence());
    let told = result(Raster::Hardware, [quiet, faster]);
    assert_eq!(told.short(), "3.1 ms against 5.2 ms");
    let sentence = told.sentence();
    for part in [
        "5.2 ms with the hardware rasterizer",
        "3.1 ms",
        "1024 rows",
        "5 frames of each",
        "GPU time",
    ] {
        assert!(sentence.contains(part), "{part} in {sentence}");
    }
}

#[test]
fn a_settled_scene_is_timed_once_and_again_after_its_key_changes() {
    let mut state = shown();
    let begun = Instant::now();
    assert_eq!(looks(&mut state, begun), Some(3), "not before it has settled");
    assert!(state.auto_raster.awaits() && state.auto_raster.measuring);
    let now = AutotuneKey::of(&state).expect("a scene");
    state
        .auto_raster
        .decide(now, Ok(result(Raster::Hardware, [&[5.0; 3], &[3.0; 3]])));
    assert_eq!((state.raster(), looks(&mut state, begun)), (Raster::Compute, None));
    assert!(!state.auto_raster.awaits(), "the window may rest");
    // Settings that are not part of the key.
    state.config.look.exposure = 1.0;
    state.config.render.interpolate = false;
    state.clock.seconds = 9.0;
    state.rig.dolly(3.0);
    assert_eq!(looks(&mut state, begun), None);
    // Settings of the key, one after the other.
    let changes: [fn(&mut AppState); 6] = [
        |state| state.config.render.detail = 2.0,
        |state| state.config.render.msaa = 1,
        |state| state.config.look.shadows = false,
        |state| state.config.window.width += 100,
        |state| state.config.render.technique = Technique::Matrix,
        |state| state.config.scene.name = "elsewhere".into(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        change(&mut state);
        let due = looks(&mut state, begun + Duration::from_secs(60 * (1 + number as u64)));
        // The scene already has this technique.
        assert_eq!(due, (number != 4).then_some(3), "{number}");
        let now = AutotuneKey::of(&state).expect("a scene");
        state
            .auto_raster
            .decide(now, Ok(result(Raster::Compute, [&[5.0; 3], &[3.0; 3]])));
    }
}

#[test]
fn crowds_of_similar_count_share_a_result() {
    let mut state = shown();
    let two = AutotuneKey::of(&state).expect("a scene");
    let of = |count: u32| {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = count;
        AutotuneKey::of(&AppState::showing(config)).expect("a scene")
    };
    assert!(two.is_near(&of(3)) && of(3).is_near(&two) && of(3).is_near(&of(4)));
    assert!(!two.is_near(&of(4)) && !of(4).is_near(&two));
    state.config.scene.count = 900;
    assert!(
        two.is_near(&AutotuneKey::of(&state).expect("a scene")),
        "those shown count"
    );
}

#[test]
fn autotune_waits_for_other_work_and_never_overrides_a_chosen_rasterizer() {
    let begun = Instant::now();
    let busy: [fn(&mut AppState); 7] = [
        |state| {
            state.compare = Compare {
                on: true,
                ..Compare::default()
            }
        },
        |state| {
            state.load.loading = Some(Loading {
                what: "people".into(),
                share: None,
            })
        },
        |state| state.load.lods_share = Some(0.5),
        |state| state.inspect.frozen = true,
        |state| state.config.render.raster = Raster::Hardware,
        |state| state.config.render.technique = Technique::Static,
        |state| state.config.render.technique = Technique::Preskinned,
    ];
    for (number, busy) in busy.into_iter().enumerate() {
        let mut state = shown();
        busy(&mut state);
        assert_eq!(looks(&mut state, begun), None, "{number}");
        assert!(!state.auto_raster.awaits(), "{number}: the window may rest");
    }
    // A rasterizer chosen by hand stays, and `auto` begins with it.
    let mut state = shown();
    state.auto_raster = measured([3.0, 5.0]);
    state.config.render.raster = Raster::Compute;
    assert_eq!((looks(&mut state, begun), state.raster()), (None, Raster::Compute));
    state.config.render.raster = Raster::Auto;
    assert_eq!(state.raster(), Raster::Compute);
    assert_eq!(looks(&mut state, begun), Some(3));
}

#[test]
fn unsupported_devices_are_reported_and_not_timed() {
    let mut state = shown();
    state.auto_raster = measured([5.0, 3.0]);
    let unsupported = AutotuneUnsupported::lacking(UnsupportedReason::SampleShading, "an old card");
    for _ in 0..2 {
        let due = state.follow_auto_raster(Some(unsupported.clone()), Instant::now() + Duration::from_secs(9));
        assert!(due.is_none() && !state.auto_raster.awaits());
    }
    let [line, long] = state.raster_text().expect("auto");
    assert_eq!(line, "auto: hardware, no per-sample shading");
    assert_eq!(
        long,
        "the hardware rasterizer draws: an old card does not support per-sample shading"
    );
    assert_eq!(state.raster(), Raster::Hardware);
}

#[test]
fn commands_name_the_rasterizer_in_use_and_files_the_setting() {
    let mut state = shown();
    state.auto_raster = measured([5.0, 3.0]);
    assert_eq!(state.picture_config().render.raster, Raster::Compute);
    let command = state.shot_command(&AdapterChoice::Auto).expect("short");
    assert!(command.contains(" --raster compute "), "{command}");
    let folder = tempfile::tempdir().expect("a folder");
    state.files.sharing.folder = folder.path().to_owned();
    state.save_scene();
    let saved = std::fs::read_to_string(folder.path().join("plaza.toml")).expect("written");
    assert!(!saved.contains("compute"), "{saved}");
    state.auto_raster = measured([3.0, 5.0]);
    let command = state.shot_command(&AdapterChoice::Auto).expect("short");
    assert!(!command.contains("--raster"), "{command}");
    // A rasterizer set by hand is in the file, too.
    state.config.render.raster = Raster::Compute;
    state.save_scene();
    let saved = std::fs::read_to_string(folder.path().join("plaza.toml")).expect("written");
    assert!(saved.contains("raster = \"compute\""), "{saved}");
}

#[test]
fn auto_gives_the_hardware_rasterizer_triangle_culling() {
    let mut state = shown();
    let of_kind = |kind| AdapterFacts {
        kind,
        ..AdapterFacts::default()
    };
    let [card, software] = [AdapterKind::DiscreteGpu, AdapterKind::Cpu].map(of_kind);
    let told = |state: &AppState| [&card, &software].map(|adapter| state.raster_of(adapter));
    state.auto_raster = measured([3.0, 5.0]);
    assert_eq!(told(&state), [Raster::Auto, Raster::Hardware]);
    state.auto_raster = measured([5.0, 3.0]);
    assert_eq!(told(&state), [Raster::Compute; 2]);
    for raster in [Raster::Hardware, Raster::Compute] {
        state.config.render.raster = raster;
        assert_eq!(told(&state), [raster; 2]);
    }
    // Compared pictures use the rasterizer that every technique supports.
    state.config.render.raster = Raster::Auto;
    state.compare.on = true;
    assert_eq!(told(&state), [Raster::Hardware; 2]);
}

/// Runs the whole measurement on an adapter, if there is one.
#[test]
fn both_rasterizers_are_timed_on_the_scene_shown() {
    let gpu = match Gpu::headless(&AdapterChoice::Cpu).or_else(|_| Gpu::headless(&AdapterChoice::Auto)) {
        Ok(gpu) => gpu,
        Err(GpuError::NoAdapter | GpuError::NoSuchAdapter { .. }) => {
            let promised = std::env::var_os("THRONG_REQUIRE_GPU").is_some_and(|value| value == "1");
            assert!(!promised, "THRONG_REQUIRE_GPU is set, but there is no adapter");
            eprintln!("SKIPPED: no adapter");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let state = shown();
    let scene = state.shown.scene.clone().expect("shown");
    let options = RenderOptions {
        raster: Raster::Hardware,
        ..RenderOptions::of(crate::render::CrowdOptions::default().method)
    };
    let mut own = Renderer::new(&gpu, options).expect("compiles");
    own.set_scene(&scene).expect("fits");
    let of = AutotuneKey::of(&state).expect("a scene");
    let input = state.picture_input();
    let mut autotune = RasterAutotune::begin(&gpu, &own, of.clone(), &scene, &[], input, (96, 64));
    assert!(autotune.is_of(&gpu, &of, &scene));
    let mut frames = 0;
    let outcome = loop {
        if autotune.is_opening() {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        }
        frames += 1;
        match autotune.step(&gpu, &mut own) {
            autotune::AutotuneStep::More => assert!(frames < 100, "it ends"),
            autotune::AutotuneStep::Done(outcome) => break outcome,
        }
    };
    match (outcome, unsupported_reason(&gpu)) {
        (Ok((result, taken)), None) => {
            assert_eq!(taken.is_some(), result.chosen == Raster::Compute);
            assert!(taken.is_none_or(|taken| taken.raster() == (Raster::Compute, None)));
            assert!(frames >= 2 && frames % 2 == 0, "{frames} frames");
            println!("{}: {}", result.short(), result.sentence());
        }
        (Err(unsupported), Some(_)) => assert_eq!(unsupported.used, Raster::Hardware),
        (_, unsupported_reason) => panic!("an outcome that does not fit to {unsupported_reason:?}"),
    }
    assert_eq!(gpu.take_error(), None);
    // No timing on CPU adapters, where frames take too long.
    let refused = AutotuneUnsupported::of(&gpu);
    assert_eq!(
        refused.is_some(),
        gpu.facts.is_software() || unsupported_reason(&gpu).is_some()
    );
    assert!(refused.is_none_or(|unsupported| unsupported.used == Raster::Hardware));
}
