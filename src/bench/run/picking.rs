//! Picking latency: the time from query to answer.

use std::time::Instant;

use anyhow::Result;
use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::{
    bench::{
        BenchEntry, BenchReport, BenchView,
        report::{FigureTarget, KeyFigure, targets::place},
        run::test_bed::TestBed,
    },
    measure::Summary,
    render::{FrameInput, passes::PickAnswer, technique::Role},
    scene::{PersonRef, Scene, milliseconds},
    view::{Camera, Ray},
};

/// Pointer positions in each direction, spread over the picture.
const POINTERS: u32 = 5;
/// Time of a frame at 60 Hz (ms).
const FRAME_MS: f64 = 16.7;

/// Latency of picks at one count and view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PickLatency {
    /// Instances.
    pub count: u32,
    /// View.
    pub view: BenchView,
    /// Time from query to answer (ms): bounding boxes on the GPU, readback, triangles on the CPU.
    pub ms: Summary,
    /// Number of rays that hit someone.
    #[serde(alias = "met")]
    pub hits: u32,
    /// Number of rays.
    pub asked: u32,
}

/// Picks at points all over the picture, with the crowd posed as in `input`. Returns `None` if no `matrix` entry is
/// drawn.
///
/// # Errors
/// A lost device.
pub(crate) fn measure(
    bed: &mut TestBed,
    scene: &Scene,
    count: u32,
    view: BenchView,
    camera: &Camera,
    input: &FrameInput,
) -> Result<Option<PickLatency>> {
    let is_subject = |e: BenchEntry| e.method.technique.facts().role == Role::Subject;
    let Some(subject) = bed.subjects.iter().position(|s| is_subject(s.entry)) else {
        return Ok(None);
    };
    // Picking reads the poses of the frame drawn last.
    if bed.draw(subject, input).is_none() {
        return Ok(None);
    }
    let rays = rays(camera, bed.size);
    // The first pick compiles pipelines that all others use.
    answer(bed, subject, scene, rays[0], input)?;
    let (mut times, mut hits) = (Vec::with_capacity(rays.len()), 0);
    for &ray in &rays {
        let begun = Instant::now();
        hits += u32::from(answer(bed, subject, scene, ray, input)?.is_some());
        times.push(milliseconds(begun));
    }
    let asked = rays.len() as u32;
    Ok(Summary::of(&times).map(|ms| PickLatency {
        count,
        view,
        ms,
        hits,
        asked,
    }))
}

fn rays(camera: &Camera, size: (u32, u32)) -> Vec<Ray> {
    let size = Vec2::new(size.0 as f32, size.1 as f32);
    let middle = |i: u32| (i as f32 + 0.5) / POINTERS as f32;
    (0..POINTERS * POINTERS)
        .map(|i| Vec2::new(middle(i % POINTERS), middle(i / POINTERS)))
        .map(|at| camera.ray(at * size, size))
        .collect()
}

/// Picks as the window does, but waits for the answer.
fn answer(bed: &mut TestBed, subject: usize, scene: &Scene, ray: Ray, input: &FrameInput) -> Result<Option<PersonRef>> {
    let TestBed { subjects, .. } = bed;
    let Some(renderer) = subjects[subject].renderer() else {
        return Ok(None);
    };
    renderer.ask_pick(ray);
    let candidates = loop {
        match renderer.picked() {
            None => std::hint::spin_loop(),
            Some(Ok(PickAnswer::Candidates(candidates))) => break candidates,
            Some(Ok(PickAnswer::TooMany)) => break scene.pick_candidates(ray, input.clock),
            Some(Err(error)) => return Err(error.into()),
        }
    };
    Ok(scene.pick_among(candidates, ray, input.clock, &[]))
}

/// Returns the picking latency of the slowest view of the largest crowd.
pub(crate) fn headline(report: &BenchReport) -> Option<KeyFigure> {
    let count = report.picking.iter().map(|p| p.count).max()?;
    let largest = report.picking.iter().filter(|p| p.count == count);
    let slowest = largest.max_by(|a, b| a.ms.median.total_cmp(&b.ms.median))?;
    Some(KeyFigure::new(
        "picking latency, ms",
        place(count, slowest.view),
        slowest.ms.median,
        FigureTarget::AtMost(FRAME_MS),
        format!(
            "p95 {:.2} ms; {} of {} rays hit someone",
            slowest.ms.p95, slowest.hits, slowest.asked
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bench::{BenchArgs, BenchPlan, plan::scene_config, run::frame_input},
        gpu::{Gpu, adapter::AdapterChoice},
        scene::StartupTimes,
    };
    use clap::Parser;

    #[derive(Parser)]
    struct PickingArguments {
        #[command(flatten)]
        bench: BenchArgs,
    }

    #[test]
    fn pick_rays_hit_the_people_that_the_cpu_finds() {
        let Ok(gpu) = Gpu::headless(&AdapterChoice::Cpu) else {
            let promised = std::env::var_os("THRONG_REQUIRE_GPU").is_some_and(|value| value == "1");
            assert!(!promised, "THRONG_REQUIRE_GPU is set, but there is no CPU adapter");
            eprintln!("SKIPPED: no CPU adapter");
            return;
        };
        let args =
            PickingArguments::parse_from(["bench", "--quick", "--techniques", "matrix", "--formats", "f16"]).bench;
        let plan = BenchPlan::new(&args);
        let config = scene_config(&args, &plan, 400);
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded characters load");
        let mut bed = TestBed::new(gpu, &plan);
        bed.place(&scene).expect("fits");
        let (camera, input) = frame_input(&config, &scene, BenchView::Overview, &plan).expect("a built-in view");
        let picking = measure(&mut bed, &scene, 400, BenchView::Overview, &camera, &input)
            .expect("the device stays")
            .expect("matrix is drawn");
        let clock = input.clock;
        let expected = rays(&camera, plan.size)
            .into_iter()
            .filter(|&ray| scene.pick(ray, clock).is_some())
            .count();
        assert_eq!((picking.hits as usize, picking.asked), (expected, POINTERS * POINTERS));
        assert!(expected > 5, "{expected} of {} rays hit someone", picking.asked);
    }
}
