//! The crowd rasterised in compute: who of it, and when.

use crate::{
    config::Raster,
    gpu::Gpu,
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
        let can = self.path != DrawPath::Plain && obstacle(gpu).is_none();
        Self {
            raster: if can { self.raster } else { Raster::Hardware },
            ..self
        }
    }
}

impl CrowdRenderer {
    /// Whether the small people of the next frame are rasterised in compute.
    #[must_use]
    pub fn rasters(&self) -> bool {
        self.wants_raster() && self.raster.obstacle().is_none()
    }

    /// Why the picture drawn last, or its shadow map, was too large for rasterising in compute.
    #[must_use]
    pub fn too_large(&self) -> Option<&str> {
        self.raster.obstacle().or(self.sun_raster.obstacle())
    }

    pub(super) fn can_raster(&self) -> bool {
        self.options.raster == Raster::Compute && self.options.selects()
    }

    /// Whether the next frame is rasterised in compute, where it fits: fragments are counted by the graphics pipe.
    pub(super) fn wants_raster(&self) -> bool {
        self.can_raster() && !self.shows_overdraw()
    }

    /// Makes what a picture of `size` pixels is rasterised in; where that does not fit, the graphics pipe draws.
    pub(crate) fn prepare_raster(&mut self, size: (u32, u32)) {
        let mut raster = std::mem::take(&mut self.raster);
        if self.can_raster() {
            let drawn: Vec<Rastered<'_>> = self.rastered().map(|(_, rastered)| rastered).collect();
            let make = || RasterFrame::new(&self.gpu, &self.layouts, (size, self.targets.samples), &drawn);
            raster.prepare(size, |frame| frame.is_of(size, &drawn), make);
            self.raster = raster;
        }
    }

    /// The same of the shadow map.
    fn prepare_sun(&mut self) {
        let mut raster = std::mem::take(&mut self.sun_raster);
        let edge = self.options.shadow_size;
        if self.can_raster() && edge > 0 {
            let drawn: Vec<Rastered<'_>> = self.rastered_by_sun().map(|(_, rastered)| rastered).collect();
            let make = || SunFrame::new(&self.gpu, &self.layouts, edge, &drawn);
            raster.prepare((edge, edge), |frame| frame.is_of(&drawn), make);
            self.sun_raster = raster;
        }
    }

    /// Something else is drawn: lists are made anew, and what did not fit may fit now.
    pub(super) fn changed(&mut self) {
        self.listed = false;
        self.raster.retry();
        self.sun_raster.retry();
        self.ids_raster.retry();
        self.meshes_brought = false;
    }

    /// Rasterises the far phase, after [`CrowdRenderer::hide`]; [`CrowdRenderer::draw_far`] then draws what is left,
    /// and what was rasterised.
    pub(crate) fn rasterise(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let frame = self.raster.get().filter(|_| self.wants_raster());
        let (Some(passes), Some(frame)) = (&self.passes.raster, frame) else {
            return;
        };
        frame.begin(encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("raster"),
            timestamp_writes,
        });
        let draws = self
            .rastered()
            .map(|(d, (_, mesh))| ((d.variant, mesh.is_baked()), d.parts.1));
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
        let (Some(passes), Some(frame)) = (self.raster_passes(), self.rastered_frame()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("resolve"),
            timestamp_writes,
        });
        let draws = self
            .rastered()
            .map(|(d, (_, mesh))| ((d.variant, mesh.is_baked()), d.parts.1));
        passes.resolve(&mut pass, (&self.lit_frame, frame), draws);
    }

    /// What was rasterised since the last [`CrowdRenderer::update`].
    pub(crate) fn rastered_frame(&self) -> Option<&RasterFrame> {
        self.raster.get().filter(|_| self.rastered)
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

    /// Rasterises the shadows of everyone who can be, after [`CrowdRenderer::select`];
    /// [`CrowdRenderer::cast_shadows`] then draws what is left, and what was rasterised.
    pub(crate) fn rasterise_sun(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        self.prepare_sun();
        let (Some(passes), Some(frame)) = (&self.passes.raster, self.sun_raster.get()) else {
            return;
        };
        frame.begin(encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Sun.name()),
            timestamp_writes,
        });
        let draws = self
            .rastered_by_sun()
            .map(|(d, (_, mesh))| ((d.variant, mesh.is_baked()), d.parts.1));
        passes.rasterise_sun(&mut pass, (&self.frame, frame), draws);
    }

    /// Draws what was rasterised of the shadow map; returns the draw calls recorded.
    pub(super) fn meet_sun(&self, pass: &mut wgpu::RenderPass<'_>) -> u32 {
        match (&self.passes.raster, self.sun_raster.get()) {
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
    pub(super) fn rastered(&self) -> impl Iterator<Item = (Drawn<'_>, Rastered<'_>)> {
        let people = self.contents.people.iter().map(Drawn::from);
        let carried = self.contents.attachments.iter().map(Drawn::from);
        people.chain(carried).filter_map(|d| {
            let rastered = d.rastered()?;
            Some((d, rastered))
        })
    }
}

impl<'a> Drawn<'a> {
    /// What the rasteriser in compute takes of it; whoever has no pipeline stays in the hardware's draws.
    pub(super) fn rastered(&self) -> Option<Rastered<'a>> {
        let bins = self.bins.filter(|_| serves(self.variant))?;
        Some((&bins.camera, bins.raster.as_ref()?))
    }
}
