//! Fills the table of the compare view: one way of drawing per step, so that the window stays
//! alive between them.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    app::compare::{Measured, Row, SideTimes, Table, all_methods},
    gpu::{Gpu, GpuError, target_texture, whole_view},
    measure::{Accuracy, Budget, Reference, TimedFrame, median, stopwatch::interleave},
    render::{DrawMethod, FrameInput, RenderOptions, Renderer, fitting_source},
    scene::Scene,
};

/// Frames timed of each, at least and at most.
const FRAMES: std::ops::RangeInclusive<usize> = 3..=20;
/// Seconds after which no further frame is timed.
const SECONDS: f64 = 0.3;
/// Vertices skinned on the CPU to measure errors, shared by the characters.
const ERROR_VERTICES: u64 = 250_000;

/// A table being filled.
pub(crate) struct TechniqueSweep {
    scene: Arc<Scene>,
    left: VecDeque<DrawMethod>,
    references: Vec<Reference>,
    target: wgpu::TextureView,
    size: (u32, u32),
}

impl TechniqueSweep {
    /// Prepares the table of a scene, drawn at `size` pixels.
    #[must_use]
    pub(crate) fn new(
        gpu: &Gpu,
        scene: &Arc<Scene>,
        format: wgpu::TextureFormat,
        size: (u32, u32),
        table: &mut Table,
    ) -> Self {
        let left: VecDeque<DrawMethod> = all_methods().into();
        *table = Table {
            instances: scene.crowd.count() as u64,
            rows: Vec::new(),
            left: left.len(),
        };
        let target = target_texture(gpu, "sweep", size, (format, 1), wgpu::TextureUsages::empty());
        let share = ERROR_VERTICES / scene.characters.len().max(1) as u64;
        Self {
            references: scene.characters.iter().map(|c| Reference::new(c, share)).collect(),
            scene: scene.clone(),
            left,
            target: whole_view(&target, "sweep"),
            size,
        }
    }

    /// True while `scene` is what is being measured.
    #[must_use]
    pub(crate) fn is_of(&self, scene: &Arc<Scene>) -> bool {
        Arc::ptr_eq(&self.scene, scene)
    }

    /// Measures the next draw method; false once all are done.
    pub(crate) fn step(&mut self, gpu: &Gpu, options: RenderOptions, input: &FrameInput, table: &mut Table) -> bool {
        let Some(mut method) = self.left.pop_front() else {
            return false;
        };
        method.source = fitting_source(gpu, &self.scene.characters, method.technique, method.format);
        tracing::info!("measuring {}", method.short_name());
        let outcome = self.measure(gpu, options, method, input).map_err(|e| e.to_string());
        table.rows.push(Row { method, outcome });
        table.left = self.left.len();
        !self.left.is_empty()
    }

    fn measure(
        &self,
        gpu: &Gpu,
        options: RenderOptions,
        method: DrawMethod,
        input: &FrameInput,
    ) -> Result<Measured, GpuError> {
        let mut renderer = Renderer::new(gpu, RenderOptions { method, ..options })?;
        renderer.set_scene(&self.scene)?;
        let (times, wall_ms) = self.time(gpu, &mut renderer, input);
        let bytes = method.technique.facts().bytes;
        Ok(Measured {
            times,
            wall_ms,
            bytes: self.scene.characters.iter().map(|c| bytes(c, method.format)).sum(),
            error: self.error(gpu, method)?,
        })
    }

    fn time(&self, gpu: &Gpu, renderer: &mut Renderer, input: &FrameInput) -> (SideTimes, f64) {
        let budget = Budget {
            warm_up: 1,
            frames: FRAMES,
            seconds: SECONDS,
        };
        let mut samples = interleave(1, &budget, |_, _| {
            Some(TimedFrame::draw(gpu, renderer, (&self.target, self.size), input))
        });
        let samples = samples.pop().unwrap_or_default();
        let crowd = samples.crowd_ms();
        let times = SideTimes {
            cpu_ms: median(&samples.cpu_ms),
            crowd_ms: (!crowd.is_empty()).then(|| median(crowd)),
        };
        (times, median(&samples.wall_ms))
    }

    /// The worst of all characters.
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
