//! Hot reload: recompiles all pipelines from changed shaders while the scene stays.

use crate::{
    gpu::{Gpu, GpuError},
    render::{
        Renderer,
        passes::background::BackgroundPass,
        renderer::{background_compute, display::Display, overdraw_map},
    },
};

impl Renderer {
    /// Compiles all pipelines again, from the shaders that the device has now
    /// ([`Gpu::replace_shaders`]).
    ///
    /// # Errors
    /// [`GpuError::Shader`] if any does not compile; all pipelines stay as they are.
    pub fn rebuild_pipelines(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let (layouts, ..) = self.crowd.shared();
        let (passes, background, background_compute, display, overdraw) = gpu.checked("pipelines", || {
            Ok((
                self.crowd.recompiled_passes()?,
                BackgroundPass::new(gpu, layouts, self.options)?,
                background_compute(gpu, layouts, self.options)?,
                Display::new(
                    gpu,
                    layouts,
                    (self.options.target, self.options.fxaa),
                    self.background_compute.is_some(),
                )?,
                self.overdraw
                    .as_ref()
                    .map(|_| overdraw_map(gpu, self.options))
                    .transpose()?,
            ))
        })?;
        self.crowd.replace_passes(passes);
        (self.background, self.background_compute) = (background, background_compute);
        (self.display, self.picture_display) = (display, None);
        self.overdraw = overdraw;
        // The targets were bound for the old tone mapping.
        self.targets = None;
        Ok(())
    }
}
