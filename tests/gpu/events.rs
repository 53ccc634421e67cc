//! Events: none is lost or reported twice, whatever the time step, and the GPU reports the same as the CPU.

use std::collections::BTreeMap;

use rayon::prelude::*;
use throng::{
    config::Config,
    crowd::{CrowdClip, EventMarks, Instance, clock::Clock},
    render::passes::{EventPass, GpuEvent},
    scene::{Scene, StartupTimes},
};

use crate::common;

fn scene(count: u32) -> Scene {
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = count;
    Scene::load(&config, &mut StartupTimes::default()).expect("the default scene loads")
}

/// Events of one instance in `(from, from + seconds]`, queried step by step.
fn stepped(scene: &Scene, character: usize, index: usize, from: f64, seconds: f64, step: f64) -> Vec<GpuEvent> {
    let cast = &scene.characters[character];
    let clips: Vec<CrowdClip> = CrowdClip::all_of(cast);
    let marks = EventMarks::new(&cast.palettes.clips);
    let instance: &Instance = &scene.crowd.per_character[character][index];
    let steps = (seconds / step).ceil() as u32;
    let at = |i: u32| Clock::from_seconds(from + (f64::from(i) * step).min(seconds));
    let event = |h: throng::crowd::events::Occurrence| GpuEvent {
        instance: index as u32,
        clock: h.clock,
        clip: h.clip,
        name: h.name,
    };
    let of_step = |i| scene.plans[character].events_between(index as u32, instance, &clips, &marks, at(i), at(i + 1));
    (0..steps).flat_map(of_step).map(event).collect()
}

#[test]
fn ten_thousand_people_do_the_same_at_any_step() {
    let scene = scene(10_000);
    let mut kinds = BTreeMap::<String, usize>::new();
    let mut people = 0;
    for (number, character) in scene.characters.iter().enumerate() {
        let names = EventMarks::new(&character.palettes.clips).names;
        let count = scene.crowd.per_character[number].len();
        people += count;
        let told: Vec<Vec<GpuEvent>> = (0..count)
            .into_par_iter()
            .map(|index| {
                let told = stepped(&scene, number, index, 3.0, 60.0, 5.0);
                // A high frame rate is expensive, so only every tenth instance has it.
                let fine = (index % 10 == 0).then_some(1.0 / 240.0);
                for step in fine.into_iter().chain([1.0 / 60.0, 1.0 / 7.0]) {
                    assert_eq!(told, stepped(&scene, number, index, 3.0, 60.0, step), "{step}");
                }
                told
            })
            .collect();
        for event in told.iter().flatten() {
            *kinds.entry(names[event.name as usize].clone()).or_default() += 1;
        }
    }
    println!("{people} people, 60 s: {kinds:?}");
    assert_eq!(people, 10_000);
    assert!(kinds["footstep"] > 10_000 && kinds["clap"] > 100);
}

#[test]
fn the_gpu_reports_the_events_that_the_cpu_reports() {
    let Some(gpu) = common::gpu::open() else { return };
    let scene = scene(3_000);
    let stretch = |from: f64, seconds: f64| (Clock::from_seconds(from), Clock::from_seconds(from + seconds));
    let mut compared = 0;
    for (number, character) in scene.characters.iter().enumerate() {
        let (assets, probe) = common::gpu::upload(&gpu, character, common::gpu::USUAL);
        let pass = EventPass::new(probe.context()).expect("compiles");
        let instances = &scene.crowd.per_character[number];
        let crowd = common::gpu::upload_crowd(&gpu, (&assets, &probe), instances, &scene.plans[number]);
        let marks = EventMarks::new(&character.palettes.clips);
        for (from, seconds) in [(0.0, 1.0 / 60.0), (12.3, 5.0), (604_800.0, 2.0)] {
            let (from_clock, to_clock) = stretch(from, seconds);
            let mut found = pass
                .query(&gpu, &crowd, &marks, from_clock, to_clock, 100_000)
                .expect("readback");
            let mut expected: Vec<_> = (0..instances.len())
                .flat_map(|i| stepped(&scene, number, i, from, seconds, seconds))
                .collect();
            assert_eq!(found.overflow, 0);
            found.found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found.found.len(), expected.len(), "{from} {seconds}");
            assert_eq!(found.found, expected, "{from} {seconds}");
            compared += expected.len();
        }
        let (few_from, few_to) = stretch(12.3, 5.0);
        let few = pass
            .query(&gpu, &crowd, &marks, few_from, few_to, 10)
            .expect("readback");
        assert!(few.found.len() == 10 && few.overflow > 0, "{}", few.overflow);
    }
    println!("{compared} events on the GPU as on the CPU");
    assert!(compared > 1000);
}

#[test]
fn time_spans_of_many_hours_report_every_event() {
    let Some(gpu) = common::gpu::open() else { return };
    let scene = scene(8);
    let hours = |hours: f64| Clock::from_seconds(hours * 3600.0);
    let (from, until) = (hours(100.0), hours(109.5));
    let mut compared = 0;
    for (number, character) in scene.characters.iter().enumerate() {
        let instances = &scene.crowd.per_character[number];
        if instances.is_empty() {
            continue;
        }
        let (assets, probe) = common::gpu::upload(&gpu, character, common::gpu::USUAL);
        let pass = EventPass::new(probe.context()).expect("compiles");
        let crowd = common::gpu::upload_crowd(&gpu, (&assets, &probe), instances, &scene.plans[number]);
        let marks = EventMarks::new(&character.palettes.clips);
        let asked = pass.query(&gpu, &crowd, &marks, from, until, 150_000);
        let mut found = asked.expect("readback");
        let mut expected: Vec<_> = (0..instances.len())
            .flat_map(|i| stepped(&scene, number, i, from.to_seconds(), 9.5 * 3600.0, 9.5 * 3600.0))
            .collect();
        found.found.sort_unstable();
        expected.sort_unstable();
        let first = found.found.iter().zip(&expected).find(|(told, wanted)| told != wanted);
        assert_eq!((found.found.len(), first), (expected.len(), None));
        let late = found.found.iter().filter(|event| event.clock > hours(109.0)).count();
        assert!(late > 0 || expected.is_empty(), "no event in the last half hour");
        let few = pass.query(&gpu, &crowd, &marks, from, until, 5).expect("readback");
        let told = few.found.len() as u32 + few.overflow;
        assert_eq!(told as usize, expected.len(), "events are neither reported nor counted");
        compared += expected.len();
    }
    assert!(compared > 1000, "{compared}");
}
