//! Tests of when `auto` decides and measures, and of the choice that it makes.

use std::time::Duration;

use super::*;
use crate::{
    app::{
        auto_raster::trial::{RasterTrial, TrialStep},
        compare::Compare,
        state::Loading,
    },
    config::{Config, Technique},
    gpu::{AdapterChoice, AdapterKind, Gpu, GpuError},
    render::{RenderOptions, Renderer, passes::raster::unsupported_reason},
};

/// State of `auto` after frames of these times (ms) by hardware and software rasterizer.
pub(in crate::app) fn measured(ms: [f64; 2]) -> AutoRaster {
    let mut auto = AutoRaster::default();
    let of = AutotuneKey::of(&shown()).expect("a scene");
    auto.decide(of, &AdapterFacts::default(), outcome(Raster::Hardware, ms));
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

/// Outcome of a measurement with these times (ms) of hardware and software rasterizer, for a triangle per sample.
fn outcome(present: Raster, ms: [f64; 2]) -> Result<(AutotuneResult, KeptTimes), AutotuneUnsupported> {
    let result = result(present, [&[ms[0]; 3], &[ms[1]; 3]]);
    Ok((result, KeptTimes::new(ms, triangles(1_000_000))))
}

/// Work of a picture of a million samples.
fn triangles(triangles: u64) -> Workload {
    Workload::of(triangles, (1000, 1000), 1)
}

/// Updates `auto` every half second; returns after how many updates a measurement was due.
fn looks(state: &mut AppState, from: Instant) -> Option<u64> {
    (0..8).find(|look| {
        let at = from + Duration::from_millis(500 * look);
        state.follow_auto_raster(None, None, at).is_some()
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
fn the_rule_decides_at_once_and_again_once_changes_have_settled() {
    let mut state = shown();
    state.auto_raster.rule = RasterRule::new(AdapterClass::ComputeCard, None);
    let begun = Instant::now();
    let at = |seconds: f64| begun + Duration::from_secs_f64(seconds);
    state.follow_auto_raster(None, None, at(0.0));
    assert!(state.auto_raster.awaits(), "nothing is drawn yet");
    assert_eq!(state.raster(), Raster::Hardware);
    let due = state.follow_auto_raster(None, Some(triangles(2_000_000)), at(0.1));
    assert!(due.is_none());
    assert_eq!(state.raster(), Raster::Compute);
    let [line, long] = state.raster_text().expect("auto");
    assert_eq!(line, "auto: compute, about 4.5 times as fast");
    assert!(long.contains("2.0 million triangles on 1.0 million samples"), "{long}");
    // More people, or fewer, count only after a while.
    state.config.window.width += 100;
    for seconds in [0.2, 1.0, 1.6] {
        state.follow_auto_raster(None, Some(triangles(1000)), at(seconds));
        assert_eq!(state.raster(), Raster::Compute, "{seconds}");
    }
    state.follow_auto_raster(None, Some(triangles(1000)), at(1.8));
    assert_eq!(state.raster(), Raster::Hardware);
    // Later frames of the same scene change nothing: the camera moves all the time.
    state.follow_auto_raster(None, Some(triangles(9_000_000)), at(9.0));
    assert_eq!(state.raster(), Raster::Hardware);
}

#[test]
fn both_rasterizers_are_timed_once_and_the_rule_decides_from_then_on() {
    let mut state = shown();
    let begun = Instant::now();
    assert_eq!(looks(&mut state, begun), Some(3), "not before it has settled");
    assert!(state.auto_raster.awaits() && state.auto_raster.measuring);
    let now = AutotuneKey::of(&state).expect("a scene");
    let measured = outcome(Raster::Hardware, [5.0, 2.5]);
    state.auto_raster.decide(now, &AdapterFacts::default(), measured);
    assert_eq!((state.raster(), looks(&mut state, begun)), (Raster::Compute, None));
    assert!(!state.auto_raster.awaits(), "the window may rest");
    // Settings that are not part of the key.
    state.config.look.exposure = 1.0;
    state.config.render.interpolate = false;
    state.clock.seconds = 9.0;
    state.rig.dolly(3.0);
    let few = Some(triangles(10_000));
    state.follow_auto_raster(None, few, begun + Duration::from_secs(30));
    assert!(matches!(state.auto_raster.why, Why::Measured(_)));
    // Settings of the key, one after the other. A hundredth of the triangles makes compute five times as slow.
    let changes: [fn(&mut AppState); 5] = [
        |state| state.config.render.detail = 2.0,
        |state| state.config.render.msaa = 1,
        |state| state.config.look.shadows = false,
        |state| state.config.window.width += 100,
        |state| state.config.scene.name = "elsewhere".into(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        change(&mut state);
        state.auto_raster.keep(Raster::Compute);
        for seconds in [0, 2] {
            let at = begun + Duration::from_secs(60 * (1 + number as u64) + seconds);
            assert_eq!(state.follow_auto_raster(None, few, at), None, "{number}");
        }
        assert_eq!(state.raster(), Raster::Hardware, "{number}");
        assert!(matches!(state.auto_raster.why, Why::Ruled(_)) && !state.auto_raster.awaits());
        assert!(
            state
                .raster_text()
                .is_some_and(|[line, _]| line == "auto: hardware, about 5.0 times as fast")
        );
    }
}

#[test]
fn a_measurement_that_fails_is_not_repeated_and_one_given_up_changes_nothing() {
    let mut state = shown();
    let begun = Instant::now();
    assert_eq!(looks(&mut state, begun), Some(3));
    // The trial has switched to the other rasterizer when the settings change.
    state.auto_raster.keep(Raster::Compute);
    state.auto_raster.give_up_measuring(Raster::Hardware);
    assert_eq!(state.raster(), Raster::Hardware);
    let now = AutotuneKey::of(&state).expect("a scene");
    let failed = AutotuneUnsupported::no_memory(Raster::Hardware, &GpuError::NoAdapter);
    state.auto_raster.decide(now, &AdapterFacts::default(), Err(failed));
    assert_eq!(looks(&mut state, begun + Duration::from_secs(60)), None);
    assert!(!state.auto_raster.awaits(), "the window may rest");
    let [line, _] = state.raster_text().expect("auto");
    assert_eq!(line, "auto: hardware, no memory to measure");
}

#[test]
fn a_switch_that_fails_is_told_and_not_repeated() {
    let mut state = shown();
    state.auto_raster.rule = RasterRule::new(AdapterClass::ComputeCard, None);
    let begun = Instant::now();
    state.follow_auto_raster(None, Some(triangles(2_000_000)), begun);
    assert_eq!(state.raster(), Raster::Compute);
    // Settings that fail without it change no reason.
    state.auto_raster.stay(Raster::Compute, &GpuError::NoAdapter);
    assert!(matches!(state.auto_raster.why, Why::Ruled(_)));
    state.auto_raster.stay(Raster::Hardware, &GpuError::NoAdapter);
    state.follow_auto_raster(None, Some(triangles(2_000_000)), begun + Duration::from_millis(10));
    let [line, _] = state.raster_text().expect("auto");
    assert_eq!(line, "auto: hardware, the other does not fit");
}

#[test]
fn a_measurement_outlives_the_window_in_the_cache_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let card = AdapterFacts {
        name: "a card".into(),
        ..AdapterFacts::default()
    };
    let mut state = shown();
    state.auto_raster.folder = Some(folder.path().to_owned());
    let now = AutotuneKey::of(&state).expect("a scene");
    state
        .auto_raster
        .decide(now, &card, outcome(Raster::Hardware, [5.0, 2.5]));
    let kept = KeptTimes::read(folder.path(), &card);
    assert_eq!(kept, Some(KeptTimes::new([5.0, 2.5], triangles(1_000_000))));
    // Another rasterizer in between does not forget it.
    for raster in [Raster::Compute, Raster::Auto] {
        state.config.render.raster = raster;
        assert_eq!(looks(&mut state, Instant::now()), None);
    }
    assert!(state.auto_raster.rule.is_measured());
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
        let due = state.follow_auto_raster(Some(unsupported.clone()), None, Instant::now() + Duration::from_secs(9));
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
    let open = |raster| {
        let options = RenderOptions {
            raster,
            ..RenderOptions::of(crate::render::CrowdOptions::default().method)
        };
        let mut renderer = Renderer::new(&gpu, options).expect("compiles");
        renderer.set_scene(&scene).expect("fits");
        renderer
    };
    let of = AutotuneKey::of(&state).expect("a scene");
    let input = state.picture_input();
    let mut own = open(Raster::Hardware);
    let mut trial = RasterTrial::begin(&gpu, &own, of.clone(), &scene, input, (96, 64));
    assert!(trial.is_of(&gpu, &of, &scene));
    let (mut frames, mut switches) = (0, 0);
    let outcome = loop {
        frames += 1;
        match trial.step(&gpu, &mut own) {
            TrialStep::More => assert!(frames < 100, "it ends"),
            TrialStep::Switch(raster) => {
                switches += 1;
                assert_eq!(raster, Raster::Compute);
                own = open(raster);
            }
            TrialStep::Done(outcome) => break outcome,
        }
    };
    assert_eq!(switches, 1);
    match (outcome, unsupported_reason(&gpu)) {
        (Ok((result, kept)), None) => {
            assert_eq!(own.raster(), (Raster::Compute, None));
            assert!(frames >= 2, "{frames} frames");
            println!("{}: {}", result.short(), result.sentence());
            println!("{}", kept.sentence());
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
    assert_eq!(AutoRaster::default().on(&gpu).used(), Raster::Hardware);
}
