//! One group: all entries at one count and view, measured in turn, round after round.

use std::time::Instant;

use anyhow::Result;

use crate::{
    bench::{
        BenchEntry, BenchPlan, BenchRow, BenchView,
        run::{progress::BenchProgress, test_bed::TestBed},
    },
    crowd::clock::Clock,
    measure::{
        PictureDifference, Summary, TimingBudget,
        stopwatch::{interleave, interleave_bursts},
    },
    render::{FrameInput, technique::ErrorSource},
};

/// Minimum number of timed frames per entry, unless fewer are requested.
const LEAST_FRAMES: usize = 5;
/// Scene time of pictures and of the first timed frame (s).
const START: f64 = 4.0;
/// Scene time between rounds (s): every frame shows new poses, as in use.
const STEP: f64 = 1.0 / 30.0;

/// Inputs of a group's measurement.
pub(super) struct EntryGroup<'a> {
    /// Device and renderers with the crowd uploaded.
    pub bed: &'a mut TestBed,
    /// Limits of frames and time.
    pub plan: &'a BenchPlan,
    /// Camera and light; the clock is set per frame.
    pub input: FrameInput,
    /// Instances.
    pub count: u32,
    /// View.
    pub view: BenchView,
    /// True if CPU times are measured too: once per count, since encoding does not depend on the camera.
    pub cpu_times: bool,
    /// Progress bar and stop flag.
    pub progress: &'a BenchProgress,
}

impl EntryGroup<'_> {
    /// Measures the group and returns one row per entry that was reached before a stop.
    ///
    /// # Errors
    /// A lost device.
    pub(super) fn run(mut self) -> Result<Vec<BenchRow>> {
        let entries: Vec<BenchEntry> = self.bed.subjects.iter().map(|s| s.entry).collect();
        let mut rows: Vec<BenchRow> = entries
            .into_iter()
            .map(|e| BenchRow::new(e, self.count, self.view))
            .collect();
        // Pictures and counts come first: they warm up the frames that are timed afterwards.
        self.pictures(&mut rows)?;
        self.invocations(&mut rows)?;
        self.times(&mut rows);
        if let Some(error) = self.bed.gpu.take_error() {
            anyhow::bail!("the device rejected a frame: {error}");
        }
        anyhow::ensure!(!self.bed.gpu.is_lost(), "the device was lost");
        rows.retain(|r| r.wall_ms.is_some() || r.skipped.is_some());
        Ok(rows)
    }

    fn at(&self, round: usize) -> FrameInput {
        FrameInput {
            clock: Clock::from_seconds(START + round as f64 * STEP),
            ..self.input.clone()
        }
    }

    fn pictures(&mut self, rows: &mut [BenchRow]) -> Result<()> {
        let input = self.at(0);
        let reference = self.bed.reference_picture(&input)?;
        for (index, row) in rows.iter_mut().enumerate() {
            self.progress.step(self.count, self.view, "picture", &row.name);
            if self.progress.stopped() {
                return Ok(());
            }
            row.skipped.clone_from(&self.bed.subjects[index].rejection);
            let picture = self.bed.picture(index, &input)?;
            let compared = reference
                .as_ref()
                .zip(picture)
                .filter(|_| row.entry.method.technique.facts().error != ErrorSource::NotComparable);
            row.picture = compared.map(|(reference, picture)| PictureDifference::between(reference, &picture));
        }
        Ok(())
    }

    /// Draws one frame with pipeline statistics, which are off while frames are timed.
    fn invocations(&mut self, rows: &mut [BenchRow]) -> Result<()> {
        let (input, pixels) = (self.at(1), f64::from(self.plan.size.0) * f64::from(self.plan.size.1));
        for (index, row) in rows.iter_mut().enumerate() {
            if self.progress.stopped() {
                return Ok(());
            }
            self.count_invocations(index, true);
            self.bed.draw(index, &input);
            let Some(renderer) = self.bed.subjects[index].renderer() else {
                continue;
            };
            let counts = renderer.counts();
            (row.triangles, row.vertices) = (counts.triangles, counts.vertices);
            row.poses = renderer.poses();
            (row.atlas_bytes, row.frame_data_bytes) = (counts.atlas_bytes, counts.frame_data_bytes);
            let TestBed { gpu, subjects, .. } = &mut *self.bed;
            row.gpu_bytes = subjects[index].gpu_bytes(gpu);
            let counted = match self.bed.subjects[index].renderer() {
                Some(renderer) => renderer.invocations(&self.bed.gpu)?,
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
        let TestBed { gpu, subjects, .. } = &mut *self.bed;
        if let Some(renderer) = subjects[subject].renderer() {
            renderer.count_invocations(gpu, on);
        }
    }

    fn times(&mut self, rows: &mut [BenchRow]) {
        self.progress.say(self.count, self.view, "timing");
        // No warm-up rounds: pictures and counts were the warm-up.
        let budget = TimingBudget {
            warm_up: 0,
            frames: LEAST_FRAMES.min(self.plan.repeats as usize)..=self.plan.repeats as usize,
            seconds: self.plan.seconds,
        };
        let samples = interleave(rows.len(), &budget, |index, round| {
            self.progress.tick();
            let input = self.at(2 + round);
            let stopped = self.progress.stopped();
            (!stopped).then(|| self.bed.draw(index, &input)).flatten()
        });
        let bursts = self.bursts(rows.len());
        let software = self.bed.gpu.facts.is_software();
        for ((row, samples), burst) in rows.iter_mut().zip(samples).zip(bursts) {
            row.upload_bytes = samples.upload_bytes;
            row.cpu_ms = match burst {
                Some(burst) => Summary::of(&burst),
                // No bursts here: see `cpu_burst`.
                None if software || row.entry.method.technique.facts().posed_on_cpu => Summary::of(&samples.cpu_ms),
                None => None,
            };
            row.wall_ms = Summary::of(&samples.wall_ms);
            row.gpu_ms = Summary::of(&samples.crowd_ms());
            row.gpu_frame_ms = Summary::of(&samples.gpu_frame_ms).filter(|_| !software);
        }
        self.progress.done(rows.len());
    }

    /// CPU times (ms) by entry of frames that do not wait for the GPU. `None` if they cannot be measured or are not
    /// requested.
    fn bursts(&mut self, entries: usize) -> Vec<Option<Vec<f64>>> {
        if !self.cpu_times {
            return vec![None; entries];
        }
        let input = self.at(2);
        let samples = interleave_bursts(entries, |index| {
            self.progress.tick();
            if self.progress.stopped() {
                return Vec::new();
            }
            self.bed.cpu_burst(index, &input)
        });
        samples.into_iter().map(|s| (!s.is_empty()).then_some(s)).collect()
    }
}

/// Runs `work` once unmeasured, then `times` times, and summarizes the times (ms).
pub(super) fn repeat(times: u32, mut work: impl FnMut()) -> Option<Summary> {
    work();
    let measured = (0..times).map(|_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64() * 1e3
    });
    Summary::of(&measured.collect::<Vec<f64>>())
}
