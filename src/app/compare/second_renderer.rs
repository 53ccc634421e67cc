//! Right side of the compare view: a second renderer on the same device and scene.

use crate::{
    app::{
        compare::{Compare, SideTimes, apart::SideDifference},
        state::profile::Series,
    },
    crowd::heroes::Hero,
    gpu::{Gpu, GpuError},
    render::{
        FrameInput, Pass, RenderOptions, Renderer,
        passes::{Difference, DifferenceUniforms},
        stats::FrameTimes,
    },
    scene::Scene,
};

/// Second renderer, which exists while the compare view is shown.
pub(crate) struct SecondRenderer {
    renderer: Renderer,
    difference: Difference,
    apart: SideDifference,
    samples: u32,
    cpu: Series,
    crowd: Series,
}

/// Opens, switches or drops the second renderer to match the compare view; `options` are those of the left side.
pub(crate) fn follow(
    second: &mut Option<SecondRenderer>,
    gpu: &Gpu,
    scene: Option<&Scene>,
    options: RenderOptions,
    compare: &mut Compare,
) -> Result<(), GpuError> {
    let (true, Some(scene)) = (compare.on, scene) else {
        *second = None;
        (compare.apart, compare.awaits) = (None, false);
        return Ok(());
    };
    let wanted = RenderOptions {
        method: compare.right,
        ..options
    };
    let done = match second {
        Some(second) if second.samples == options.samples && second.is_like(options) => second.switch(scene, wanted),
        _ => SecondRenderer::open(gpu, scene, wanted).map(|opened| *second = Some(opened)),
    };
    if done.is_err() {
        match second {
            Some(second) => compare.right = second.options().method,
            None => compare.on = false,
        }
    }
    done
}

impl SecondRenderer {
    fn open(gpu: &Gpu, scene: &Scene, options: RenderOptions) -> Result<Self, GpuError> {
        let mut renderer = Renderer::new(gpu, options)?;
        renderer.set_scene(scene)?;
        Ok(Self {
            renderer,
            difference: Difference::new(gpu, options.target)?,
            apart: SideDifference::new(gpu, options.target)?,
            samples: options.samples,
            cpu: Series::default(),
            crowd: Series::default(),
        })
    }

    fn switch(&mut self, scene: &Scene, wanted: RenderOptions) -> Result<(), GpuError> {
        let wanted = RenderOptions {
            samples: self.renderer.options().samples,
            ..wanted
        };
        if wanted == self.renderer.options() {
            return Ok(());
        }
        self.renderer.set_technique(scene, wanted)
    }

    /// Uploads another scene.
    ///
    /// # Errors
    /// The scene does not fit.
    pub(crate) fn set_scene(&mut self, scene: &Scene, crowd_only: bool) -> Result<(), GpuError> {
        if crowd_only {
            return self.renderer.set_crowd(scene);
        }
        self.renderer.set_scene(scene)
    }

    /// True if the options that are fixed for a renderer's lifetime match.
    fn is_like(&self, options: RenderOptions) -> bool {
        let own = self.options();
        let fixed = |o: RenderOptions| (o.path, o.raster, o.display_steps, o.effort);
        fixed(own) == fixed(options)
    }

    /// Options in force.
    #[must_use]
    pub(crate) fn options(&self) -> RenderOptions {
        self.renderer.options()
    }

    /// Sets the heroes.
    ///
    /// # Errors
    /// They do not fit.
    pub(crate) fn set_heroes(&mut self, heroes: &[Hero]) -> Result<(), GpuError> {
        self.renderer.set_heroes(heroes)
    }

    /// Compiles all pipelines again from the device's current shaders.
    ///
    /// # Errors
    /// One does not compile: all stay as they are.
    #[cfg(debug_assertions)]
    pub(in crate::app) fn rebuild_pipelines(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let target = self.renderer.options().target;
        let difference = gpu.checked("difference", || Difference::new(gpu, target))?;
        self.renderer.rebuild_pipelines(gpu)?;
        self.difference = difference;
        Ok(())
    }

    /// Drops the times of frames drawn so far.
    pub(in crate::app) fn reset_timing(&mut self, gpu: &Gpu) {
        (self.cpu, self.crowd) = (Series::default(), Series::default());
        self.renderer.reset_timing(gpu);
        self.apart.forget();
    }

    /// Draws both sides and joins them in `view`; returns the times of the left side.
    pub(crate) fn draw(
        &mut self,
        gpu: &Gpu,
        left: &mut Renderer,
        view: &wgpu::TextureView,
        size: (u32, u32),
        input: &FrameInput,
        how: &DifferenceUniforms,
    ) -> FrameTimes {
        let [left_picture, right_picture] = self.difference.pictures(gpu, size);
        let times = left.draw(gpu, left_picture, size, input);
        if gpu.facts.is_software() {
            // On CPU adapters, submitting waits for earlier work, which is not this side's cost.
            gpu.wait_idle();
        }
        let own = self.renderer.draw(gpu, right_picture, size, input);
        self.difference.draw(gpu, view, how);
        if how.heat == 1 {
            self.apart.follow(gpu, self.difference.pictures(gpu, size), size, input);
        }
        self.cpu.push(own.cpu_ms);
        if let Some(ms) = own.gpu_ms.get(&Pass::Crowd) {
            let skinned = own.gpu_ms.get(&Pass::Preskin).copied().unwrap_or(0.0);
            self.crowd.push(ms + skinned);
        }
        times
    }

    /// Passes on the difference of the two pictures.
    pub(crate) fn report_difference(&self, compare: &mut Compare) {
        self.apart.tell(compare);
    }

    /// Median times of the newest frames; `None` before the first.
    #[must_use]
    pub(crate) fn times(&self) -> Option<SideTimes> {
        SideTimes::of(&self.cpu, [&self.crowd])
    }
}
