//! Fills the table of the compare view, one draw method per step, so that the window stays responsive. Each round
//! measures all methods, and the first of them twice.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    app::compare::{SideTimes, Table, TechniqueRow, TechniqueTiming, all_methods},
    gpu::{Gpu, GpuError, target_texture, whole_view},
    measure::{Accuracy, FrameSamples, FrameTiming, SkinningReference, TimingBudget, median, stopwatch::interleave},
    render::{DrawMethod, FrameInput, RenderOptions, Renderer, source_within_limits},
    scene::Scene,
};

/// Number of frames timed per step.
const FRAMES: std::ops::RangeInclusive<usize> = 3..=20;
/// Time after which no further frame is timed (s).
const SECONDS: f64 = 0.3;
/// Number of vertices skinned on the CPU to measure errors, shared by all characters.
const ERROR_VERTICES: u64 = 250_000;

/// Measurement of the table in progress.
pub(crate) struct TechniqueSweep {
    scene: Arc<Scene>,
    /// Row indices still to measure.
    left: VecDeque<usize>,
    /// Times measured so far, by row.
    timed: Vec<RowTimes>,
    references: Vec<SkinningReference>,
    target: wgpu::TextureView,
    size: (u32, u32),
}

/// Times of all frames of a row (ms).
#[derive(Default)]
struct RowTimes {
    wall: Vec<f64>,
    cpu: Vec<f64>,
    crowd: Vec<f64>,
    /// Median of each round (ms).
    rounds: Vec<f64>,
}

impl TechniqueSweep {
    /// Prepares the table for a scene drawn at `size` (px).
    #[must_use]
    pub(crate) fn new(
        gpu: &Gpu,
        scene: &Arc<Scene>,
        format: wgpu::TextureFormat,
        size: (u32, u32),
        repeats: u32,
        table: &mut Table,
    ) -> Self {
        let rows = all_methods().len() + 1;
        let left: VecDeque<usize> = rounds(rows, repeats).collect();
        *table = Table {
            instances: scene.crowd.count() as u64,
            rows: Vec::new(),
            left: left.len(),
        };
        let target = target_texture(gpu, "sweep", size, format, 1, wgpu::TextureUsages::empty());
        let share = ERROR_VERTICES / scene.characters.len().max(1) as u64;
        Self {
            references: scene
                .characters
                .iter()
                .map(|c| SkinningReference::new(c, share))
                .collect(),
            scene: scene.clone(),
            timed: (0..rows).map(|_| RowTimes::default()).collect(),
            left,
            target: whole_view(&target, "sweep"),
            size,
        }
    }

    /// True if `scene` is the scene being measured.
    #[must_use]
    pub(crate) fn is_of(&self, scene: &Arc<Scene>) -> bool {
        Arc::ptr_eq(&self.scene, scene)
    }

    /// Measures the next draw method; false once all are measured.
    pub(crate) fn step(&mut self, gpu: &Gpu, options: RenderOptions, input: &FrameInput, table: &mut Table) -> bool {
        let Some(number) = self.left.pop_front() else {
            return false;
        };
        if number == table.rows.len() {
            table.rows.push(self.row(gpu, number));
        }
        let row = &mut table.rows[number];
        if row.outcome.is_ok() {
            tracing::info!("measuring {}", row.name());
            row.outcome = self
                .measure(gpu, options, number, row, input)
                .map_err(|e| e.to_string());
        }
        table.left = self.left.len();
        !self.left.is_empty()
    }

    /// Empty row of an index; the last one repeats the first.
    fn row(&self, gpu: &Gpu, number: usize) -> TechniqueRow {
        let methods = all_methods();
        let mut method = methods[number % methods.len()];
        method.source = source_within_limits(gpu, &self.scene.characters, method.technique, method.format);
        TechniqueRow {
            method,
            again: number == methods.len(),
            outcome: Ok(TechniqueTiming::default()),
        }
    }

    fn measure(
        &mut self,
        gpu: &Gpu,
        options: RenderOptions,
        number: usize,
        row: &TechniqueRow,
        input: &FrameInput,
    ) -> Result<TechniqueTiming, GpuError> {
        let method = row.method;
        let mut renderer = Renderer::new(gpu, RenderOptions { method, ..options })?;
        renderer.set_scene(&self.scene)?;
        let frames = self.time(gpu, &mut renderer, input);
        drop(renderer);
        let timed = &mut self.timed[number];
        timed.rounds.push(median(&frames.wall_ms));
        timed.wall.extend(&frames.wall_ms);
        timed.cpu.extend(&frames.cpu_ms);
        timed.crowd.extend(frames.crowd_ms());
        let known = row.outcome.as_ref().ok().filter(|_| timed.rounds.len() > 1);
        let error = match known {
            Some(measured) => measured.error,
            None => self.error(gpu, method)?,
        };
        let (timed, bytes) = (&self.timed[number], method.technique.facts().bytes);
        Ok(TechniqueTiming {
            times: SideTimes {
                cpu_ms: median(&timed.cpu),
                crowd_ms: (!timed.crowd.is_empty()).then(|| median(&timed.crowd)),
            },
            wall_ms: median(&timed.wall),
            rounds: timed.rounds.clone(),
            bytes: self.scene.characters.iter().map(|c| bytes(c, method.format)).sum(),
            error,
        })
    }

    fn time(&self, gpu: &Gpu, renderer: &mut Renderer, input: &FrameInput) -> FrameSamples {
        let budget = TimingBudget {
            warm_up: 1,
            frames: FRAMES,
            seconds: SECONDS,
        };
        let samples = interleave(1, &budget, |_, _| {
            Some(FrameTiming::draw(gpu, renderer, &self.target, self.size, input))
        });
        samples.into_iter().next().unwrap_or_default()
    }

    /// Largest error of all characters.
    fn error(&self, gpu: &Gpu, method: DrawMethod) -> Result<Option<Accuracy>, GpuError> {
        let mut worst: Option<Accuracy> = None;
        for reference in &self.references {
            if let Some(error) = reference.measure(gpu, method)? {
                worst = Some(worst.map_or(error, |w| w.max(error)));
            }
        }
        Ok(worst)
    }
}

/// Row indices in measuring order. Every later round begins with another row, so that no row always follows the same
/// one.
fn rounds(rows: usize, repeats: u32) -> impl Iterator<Item = usize> {
    (0..repeats as usize).flat_map(move |round| (0..rows).map(move |turn| (turn + round) % rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_measured_once_a_round() {
        let order: Vec<usize> = rounds(4, 3).collect();
        assert_eq!(order[..8], [0, 1, 2, 3, 1, 2, 3, 0]);
        for row in 0..4 {
            assert_eq!(order.iter().filter(|&&measured| measured == row).count(), 3);
        }
    }
}
