//! One group: every entry at one count and view, in turn, round after round.

use std::time::Instant;

use anyhow::Result;

use crate::{
    bench::{
        Entry, Plan, Row, View,
        run::{
            progress::Progress,
            test_bed::{Frame, Stage},
        },
    },
    config::Technique,
    crowd::clock::Clock,
    measure::{PictureDifference, Summary},
    render::FrameInput,
};

/// Frames timed of an entry, however long they take, unless fewer are asked for.
const LEAST_FRAMES: usize = 5;
/// Scene time of pictures and of the first timed frame, seconds.
const START: f64 = 4.0;
/// Scene time between rounds, seconds: every frame shows new poses, as in use.
const STEP: f64 = 1.0 / 30.0;

/// Where a group's figures come from.
pub struct Group<'a> {
    /// Device and subjects, the crowd placed.
    pub stage: &'a mut Stage,
    /// Repeats and time.
    pub plan: &'a Plan,
    /// Camera and light; the clock is set per frame.
    pub input: FrameInput,
    /// Instances.
    pub count: u32,
    /// View.
    pub view: View,
    /// Told of every step; knows when to stop.
    pub progress: &'a Progress,
}

/// Figures of one entry while they come in.
#[derive(Default)]
struct Samples {
    cpu_ms: Vec<f64>,
    wall_ms: Vec<f64>,
    crowd_ms: Vec<f64>,
    frame_ms: Vec<f64>,
    upload_bytes: u64,
    seconds: f64,
}

impl Samples {
    fn push(&mut self, frame: &Frame) {
        self.cpu_ms.push(frame.times.cpu_ms);
        self.wall_ms.push(frame.wall_ms);
        self.crowd_ms.extend(frame.times.gpu_ms.get("crowd"));
        if !frame.times.gpu_ms.is_empty() {
            self.frame_ms.push(frame.times.gpu_ms.values().sum());
        }
        self.upload_bytes = frame.times.upload_bytes;
        self.seconds += frame.wall_ms * 1e-3;
    }

    fn enough(&self, plan: &Plan) -> bool {
        let frames = self.wall_ms.len();
        frames >= plan.repeats as usize || (frames >= LEAST_FRAMES && self.seconds >= plan.seconds)
    }
}

impl Group<'_> {
    /// Measures; one row per entry that was reached before a stop.
    ///
    /// # Errors
    /// A lost device.
    pub fn run(mut self) -> Result<Vec<Row>> {
        let entries: Vec<Entry> = self.stage.subjects.iter().map(|s| s.entry).collect();
        let mut rows: Vec<Row> = entries
            .into_iter()
            .map(|e| Row::new(e, self.count, self.view))
            .collect();
        // Pictures and counts first: they warm up what is timed afterwards.
        self.pictures(&mut rows)?;
        self.invocations(&mut rows)?;
        self.times(&mut rows);
        if let Some(error) = self.stage.gpu.take_error() {
            anyhow::bail!("the device rejected a frame: {error}");
        }
        anyhow::ensure!(!self.stage.gpu.is_lost(), "the device was lost");
        rows.retain(|r| r.wall_ms.is_some() || r.skipped.is_some());
        Ok(rows)
    }

    fn at(&self, round: usize) -> FrameInput {
        FrameInput {
            clock: Clock::from_seconds(START + round as f64 * STEP),
            ..self.input.clone()
        }
    }

    fn pictures(&mut self, rows: &mut [Row]) -> Result<()> {
        let input = self.at(0);
        let reference = self.stage.reference_picture(&input)?;
        for (index, row) in rows.iter_mut().enumerate() {
            self.progress.step(self.count, self.view, "picture", &row.name);
            if self.progress.stopped() {
                return Ok(());
            }
            row.skipped.clone_from(&self.stage.subjects[index].refusal);
            let picture = self.stage.picture(index, &input)?;
            let compared = reference
                .as_ref()
                .zip(picture)
                .filter(|_| row.entry.technique != Technique::Static);
            row.picture = compared.map(|(reference, picture)| PictureDifference::between(reference, &picture));
        }
        Ok(())
    }

    /// Draws one frame with counters, which are off while frames are timed.
    fn invocations(&mut self, rows: &mut [Row]) -> Result<()> {
        let (input, pixels) = (self.at(1), f64::from(self.plan.size.0) * f64::from(self.plan.size.1));
        for (index, row) in rows.iter_mut().enumerate() {
            if self.progress.stopped() {
                return Ok(());
            }
            self.count_invocations(index, true);
            self.stage.draw(index, &input);
            let Some(renderer) = self.stage.subjects[index].renderer() else {
                continue;
            };
            let counts = renderer.counts();
            (row.triangles, row.vertices) = (counts.triangles, counts.vertices);
            (row.atlas_bytes, row.gpu_bytes) = (counts.atlas_bytes, counts.vram_bytes);
            let counted = match self.stage.subjects[index].renderer() {
                Some(renderer) => renderer.invocations(&self.stage.gpu)?,
                None => None,
            };
            if let Some(counted) = counted {
                row.vertex_invocations = Some(counted.vertex);
                row.visible_triangles = Some(counted.triangles);
                row.fragment_invocations = Some(counted.fragment);
                row.overdraw = Some(counted.fragment as f64 / pixels);
            }
            self.count_invocations(index, false);
        }
        Ok(())
    }

    fn count_invocations(&mut self, subject: usize, on: bool) {
        let Stage { gpu, subjects, .. } = &mut *self.stage;
        if let Some(renderer) = subjects[subject].renderer() {
            renderer.count_invocations(gpu, on);
        }
    }

    fn times(&mut self, rows: &mut [Row]) {
        let mut samples: Vec<Samples> = rows.iter().map(|_| Samples::default()).collect();
        self.progress.say(self.count, self.view, "timing");
        for round in 0..self.plan.repeats as usize {
            let input = self.at(2 + round);
            for turn in 0..rows.len() {
                // Everyone is first once: whoever follows a slow neighbour does so in one round.
                let index = (turn + round) % rows.len();
                if self.progress.stopped() {
                    break;
                }
                if samples[index].enough(self.plan) {
                    continue;
                }
                if let Some(frame) = self.stage.draw(index, &input) {
                    samples[index].push(&frame);
                }
            }
            self.progress.tick();
        }
        self.run_ahead(&mut samples);
        let software = self.stage.gpu.facts.is_software();
        for (row, samples) in rows.iter_mut().zip(samples) {
            row.upload_bytes = samples.upload_bytes;
            row.cpu_ms = Summary::of(&samples.cpu_ms);
            row.wall_ms = Summary::of(&samples.wall_ms);
            row.gpu_ms = Summary::of(&samples.crowd_ms);
            row.gpu_frame_ms = Summary::of(&samples.frame_ms).filter(|_| !software);
        }
        self.progress.done(rows.len());
    }
}

impl Group<'_> {
    /// CPU times are those of frames that do not wait for the GPU, where that can be measured.
    fn run_ahead(&mut self, samples: &mut [Samples]) {
        let input = self.at(2);
        for (index, samples) in samples.iter_mut().enumerate() {
            if self.progress.stopped() {
                return;
            }
            let ahead = self.stage.cpu_ahead(index, &input);
            if !ahead.is_empty() {
                samples.cpu_ms = ahead;
            }
        }
    }
}

/// Runs `work` a few times, the first unmeasured: `times` results in milliseconds.
pub fn repeat(times: u32, mut work: impl FnMut()) -> Option<Summary> {
    work();
    let measured = (0..times).map(|_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64() * 1e3
    });
    Summary::of(&measured.collect::<Vec<f64>>())
}
