//! The crowd rasterised in compute: who of it, and when.

use crate::{
    config::Raster,
    gpu::{Gpu, GpuError},
    render::{
        DrawPath, Pass,
        crowd::{CrowdOptions, CrowdRenderer, draw::Drawn},
        passes::raster::{RasterFrame, Rastered, SunFrame, obstacle, serves},
    },
};

impl CrowdOptions {
    /// What they come to on a device: levels of detail and culling come with rasterising in compute.
    #[must_use]
    pub(super) fn on(self, gpu: &Gpu) -> Self {
        let wanted = self.raster == Raster::Compute && self.path != DrawPath::Plain && obstacle(gpu).is_none();
        Self {
            raster: if wanted { Raster::Compute } else { Raster::Hardware },
            ..self
        }
    }
}

impl CrowdRenderer {
    /// Whether the small people of the next frame are rasterised in compute.
    #[must_use]
    pub fn rasters(&self) -> bool {
        self.passes.raster.is_some() && self.options.selects() && self.too_large.is_none()
    }

    /// Why the picture drawn last was too large for rasterising in compute.
    #[must_use]
    pub fn too_large(&self) -> Option<&str> {
        self.too_large.as_ref().map(|(_, why)| why.as_str())
    }

    /// Makes what a picture of `size` pixels is rasterised in; where that does not fit, the graphics pipe draws.
    pub(crate) fn prepare_raster(&mut self, size: (u32, u32)) {
        if self.passes.raster.is_none() || !self.options.selects() {
            self.raster = None;
            return;
        }
        let drawn: Vec<Rastered<'_>> = self.rastered().map(|(_, rastered)| rastered).collect();
        let is_made = self.raster.as_ref().is_some_and(|frame| frame.is_of(size, &drawn));
        // Not tried again and again.
        let is_refused = self.too_large.as_ref().is_some_and(|(refused, _)| *refused == size);
        if is_made || is_refused {
            return;
        }
        let made = self.raster_frame(size, &drawn);
        self.too_large = made.as_ref().err().map(|why| (size, why.to_string()));
        self.raster = made.ok();
    }

    fn raster_frame(&self, size: (u32, u32), drawn: &[Rastered<'_>]) -> Result<RasterFrame, GpuError> {
        RasterFrame::new(&self.gpu, &self.layouts, (size, self.targets.samples), drawn)
    }

    /// Rasterises the far phase, after [`CrowdRenderer::hide`]; [`CrowdRenderer::draw_far`] then draws what is left,
    /// and what was rasterised.
    pub(crate) fn rasterise(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (Some(passes), Some(frame)) = (&self.passes.raster, &self.raster) else {
            return;
        };
        frame.begin(encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("raster"),
            timestamp_writes,
        });
        let draws = self.rastered().map(|(d, _)| (d.variant, d.parts.1));
        passes.rasterise(&mut pass, (&self.frame, frame), draws);
        drop(pass);
        self.rastered = true;
    }

    /// Shades what was rasterised; after the shadow map was drawn.
    pub(crate) fn resolve(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (Some(passes), Some(frame)) = (self.raster_passes(), &self.raster) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("resolve"),
            timestamp_writes,
        });
        let draws = self.rastered().map(|(d, _)| (d.variant, d.parts.1));
        passes.resolve(&mut pass, (&self.lit_frame, frame), draws);
    }

    /// What was rasterised since the last [`CrowdRenderer::update`].
    pub(crate) fn rastered_frame(&self) -> Option<&RasterFrame> {
        self.raster.as_ref().filter(|_| self.rastered)
    }

    /// Draws what was rasterised; returns the draw calls recorded.
    pub(super) fn meet(&self, pass: &mut wgpu::RenderPass<'_>) -> u32 {
        match (&self.passes.raster, self.rastered_frame()) {
            (Some(passes), Some(frame)) => {
                passes.meet(pass, frame);
                1
            }
            _ => 0,
        }
    }

    /// Makes what the shadow map is rasterised in; where that does not fit, the graphics pipe draws.
    fn prepare_sun(&mut self) {
        if self.passes.raster.is_none() || !self.options.selects() || self.options.shadow_size == 0 {
            self.sun_raster = None;
            return;
        }
        let drawn: Vec<Rastered<'_>> = self.rastered_by_sun().map(|(_, rastered)| rastered).collect();
        if self.sun_raster.as_ref().is_none_or(|frame| !frame.is_of(&drawn)) {
            let edge = self.options.shadow_size;
            self.sun_raster = SunFrame::new(&self.gpu, &self.layouts, edge, &drawn).ok();
        }
    }

    /// Rasterises the shadows of everyone who can be, after [`CrowdRenderer::select`];
    /// [`CrowdRenderer::cast_shadows`] then draws what is left, and what was rasterised.
    pub(crate) fn rasterise_sun(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        self.prepare_sun();
        let (Some(passes), Some(frame)) = (&self.passes.raster, &self.sun_raster) else {
            return;
        };
        frame.begin(encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Sun.name()),
            timestamp_writes,
        });
        let draws = self.rastered_by_sun().map(|(d, _)| (d.variant, d.parts.1));
        passes.rasterise_sun(&mut pass, (&self.frame, frame), draws);
    }

    /// Draws what was rasterised of the shadow map; returns the draw calls recorded.
    pub(super) fn meet_sun(&self, pass: &mut wgpu::RenderPass<'_>) -> u32 {
        match (&self.passes.raster, &self.sun_raster) {
            (Some(passes), Some(frame)) => {
                passes.meet_sun(pass, frame);
                1
            }
            _ => 0,
        }
    }

    /// Those of [`CrowdRenderer::rastered`] who are listed for the sun.
    fn rastered_by_sun(&self) -> impl Iterator<Item = (Drawn<'_>, Rastered<'_>)> {
        self.rastered().filter_map(|(d, (_, mesh))| {
            let sun = d.bins?.sun.as_ref()?;
            Some((d, (sun, mesh)))
        })
    }

    /// Everything that can be rasterised in compute, in the order in which it is drawn.
    fn rastered(&self) -> impl Iterator<Item = (Drawn<'_>, Rastered<'_>)> {
        let people = self.contents.people.iter().map(Drawn::from);
        let carried = self.contents.attachments.iter().map(Drawn::from);
        // Whoever has no pipeline stays in the hardware's draws.
        let served = people.chain(carried).filter(|d| serves(d.variant));
        served.filter_map(|d| {
            let bins = d.bins?;
            let mesh = bins.raster.as_ref()?;
            Some((d, (&bins.camera, mesh)))
        })
    }
}
