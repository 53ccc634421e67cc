//! Measurement: adapter facts, errors, then group after group. Results survive a later failure.

mod character_costs;
mod group;
mod os;
pub(crate) mod picking;
pub(super) mod progress;
mod test_bed;

use std::{
    collections::HashMap,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Result;

use crate::{
    bench::{
        BenchArgs, BenchEntry, BenchPlan, BenchReport, BenchSetup, BenchView, SCHEMA, TimeBasis,
        plan::scene_config,
        report::text,
        run::{group::EntryGroup, progress::BenchProgress, test_bed::TestBed},
        views,
    },
    character::Character,
    config::Config,
    crowd::clock::Clock,
    gpu::{Gpu, GpuError, MemorySource},
    measure::{Accuracy, SkinningReference},
    render::FrameInput,
    scene::{Scene, StartupTimes},
    view::Camera,
};

/// Report of a measurement, and whether it ended well or failed midway.
pub(super) type MeasuredReport = (BenchReport, Result<()>);

/// Measures everything that the arguments request.
///
/// # Errors
/// Failures before the first figure; later ones are returned with the report.
pub(super) fn measure(args: &BenchArgs) -> Result<MeasuredReport> {
    let plan = BenchPlan::new(args);
    let first = scene_config(args, &plan, 1);
    let scene = Scene::load(&first, &mut StartupTimes::default())?;
    let gpu = Gpu::headless(&args.adapter())?;
    let mut report = BenchReport {
        schema: SCHEMA,
        setup: setup(args, &plan, &gpu),
        headline: Vec::new(),
        controls: Vec::new(),
        characters: Vec::new(),
        rows: Vec::with_capacity(plan.rows()),
        picking: Vec::new(),
        stopped: None,
    };
    let progress = BenchProgress::new(plan.rows());
    let mut run = BenchRun {
        args,
        plan: &plan,
        progress: &progress,
        characters: scene.characters,
        bed: TestBed::new(gpu, &plan),
    };
    let outcome = run.fill(&mut report);
    progress.finish();
    report.stopped = progress.early_end(&outcome);
    report.conclude();
    Ok((report, outcome))
}

struct BenchRun<'a> {
    args: &'a BenchArgs,
    plan: &'a BenchPlan,
    progress: &'a BenchProgress,
    characters: Vec<Arc<Character>>,
    bed: TestBed,
}

impl BenchRun<'_> {
    fn fill(&mut self, report: &mut BenchReport) -> Result<()> {
        for character in &self.characters {
            self.progress.prepare(&format!("bake of {}", character.model.name));
            report
                .characters
                .push(character_costs::measure(character, self.plan.repeats.clamp(3, 10)));
        }
        let errors = self.errors()?;
        for &count in &self.plan.counts {
            if self.progress.stopped() {
                break;
            }
            let config = scene_config(self.args, self.plan, count);
            let scene = Scene::populate(&config, self.characters.clone())?;
            self.progress.prepare(&format!("{count}: upload"));
            self.bed.place(&scene)?;
            for (number, &view) in self.plan.views.iter().enumerate() {
                if self.progress.stopped() {
                    break;
                }
                let (camera, input) = frame_input(&config, &scene, view, self.plan)?;
                let mut rows = EntryGroup {
                    input: input.clone(),
                    bed: &mut self.bed,
                    plan: self.plan,
                    count,
                    view,
                    cpu_times: number == 0,
                    progress: self.progress,
                }
                .run()?;
                for row in &mut rows {
                    row.error = errors.get(&row.entry).copied().flatten();
                }
                report.rows.extend(rows);
                // Software adapters are skipped: their report has only ratios.
                if report.setup.basis == TimeBasis::Gpu && !self.progress.stopped() {
                    self.progress.say(count, view, "picking");
                    let picking = picking::measure(&mut self.bed, &scene, count, view, &camera, &input)?;
                    report.picking.extend(picking);
                }
            }
        }
        Ok(())
    }

    /// Returns the worst error over all characters, per entry.
    fn errors(&self) -> Result<HashMap<BenchEntry, Option<Accuracy>>> {
        let mut errors: HashMap<BenchEntry, Option<Accuracy>> = HashMap::new();
        for character in &self.characters {
            self.progress
                .prepare(&format!("reference poses of {}", character.model.name));
            let reference = SkinningReference::new(character, self.plan.error_vertices);
            for &entry in self.plan.entries.iter().filter(|e| !e.control) {
                if self.progress.stopped() {
                    return Ok(errors);
                }
                self.progress.prepare(&format!("error of {}", entry.name()));
                let measured = match reference.measure(&self.bed.gpu, entry.method) {
                    // The rows of this entry state the reason.
                    Err(GpuError::TooLarge { .. }) => None,
                    other => other?,
                };
                let worst = errors.entry(entry).or_default();
                *worst = worst.map_or(measured, |w| measured.map(|m| w.max(m)).or(Some(w)));
            }
        }
        Ok(errors)
    }
}

/// Returns the camera of a view and the input of a frame seen through it.
///
/// # Errors
/// None for the built-in views.
pub(crate) fn frame_input(
    config: &Config,
    scene: &Scene,
    view: BenchView,
    plan: &BenchPlan,
) -> Result<(Camera, FrameInput)> {
    let camera = views::camera(view, &config.camera, &scene.crowd.extent, plan.size)?;
    let aspect = plan.size.0 as f32 / plan.size.1 as f32;
    let input = FrameInput::new(&camera, aspect, Clock::default(), &config.look);
    Ok((camera, input))
}

pub(super) fn setup(args: &BenchArgs, plan: &BenchPlan, gpu: &Gpu) -> BenchSetup {
    let software = gpu.facts.is_software();
    let timestamps = gpu.features.contains(wgpu::Features::TIMESTAMP_QUERY);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    BenchSetup {
        throng: env!("CARGO_PKG_VERSION").into(),
        commit: Some(option_env!("THRONG_COMMIT").unwrap_or("unknown").to_owned()),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.into(),
        label: args.label.clone(),
        contributed_by: args.contributor(),
        date: args.date.clone().unwrap_or_else(|| text::date(now)),
        command: text::command(std::env::args().skip(1)),
        adapter: gpu.facts.clone(),
        os: os::name(),
        cores: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        size: [plan.size.0, plan.size.1],
        samples: 1,
        quick: args.quick,
        seed: args.seed,
        repeats: plan.repeats,
        memory_source: match gpu.memory() {
            Some(_) => MemorySource::Allocator,
            None => MemorySource::Estimate,
        },
        // Timestamps of software adapters do not cover compute.
        basis: if timestamps && !software {
            TimeBasis::Gpu
        } else {
            TimeBasis::Wall
        },
    }
}
