//! The crowd rasterised in compute: who of it, and when.

use crate::{
    config::Raster,
    gpu::Gpu,
    render::{
        DrawPath, Pass,
        crowd::{CrowdOptions, CrowdRenderer, draw::Drawn, shaded_frame},
        passes::{
            bins::{Phase, Pyramid},
            raster::{
                ALL_ROWS, Drawing, MOST_TRIANGLES, RasterFrame, Rastered, SunFrame, obstacle, serves, serves_technique,
                tiles::MOST_DRAWS,
            },
            sift::SiftTotals,
        },
        resources::CrowdInstances,
    },
};

impl CrowdOptions {
    /// What they come to on a device, for pictures of so many samples a pixel: levels of detail and culling come with
    /// rasterising in compute, which knows where one sample is, and four. Shadows have one.
    #[must_use]
    pub(super) fn on(self, gpu: &Gpu, samples: u32) -> Self {
        let can = self.path != DrawPath::Plain && obstacle(gpu).is_none();
        let raster = match self.raster {
            _ if !can => Raster::Hardware,
            Raster::Compute if !matches!(samples, 1 | 4) => Raster::Auto,
            wanted => wanted,
        };
        Self { raster, ..self }
    }

    /// Whether shadows are rasterised in compute, on a device that can, of what lists name: unless the graphics pipe is
    /// asked for.
    pub(super) const fn casts_in_compute(self) -> bool {
        self.shadow_size > 0 && !matches!(self.raster, Raster::Hardware)
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

    /// Whether people are drawn from lists by a technique that is rasterised in compute.
    pub(super) fn lists_for_compute(&self) -> bool {
        self.options.selects() && serves_technique(self.options.method.technique)
    }

    pub(super) fn can_raster(&self) -> bool {
        self.options.raster == Raster::Compute && self.lists_for_compute()
    }

    /// Whether the next frame is rasterised in compute, where it fits: fragments are counted by the graphics pipe.
    pub(super) fn wants_raster(&self) -> bool {
        self.can_raster() && !self.shows_overdraw()
    }

    /// Makes what a picture of `size` pixels is rasterised in; where that does not fit, the graphics pipe draws.
    pub(crate) fn prepare_raster(&mut self, size: (u32, u32)) {
        let mut raster = std::mem::take(&mut self.raster);
        if self.can_raster() {
            let drawn: Vec<Rastered<'_>> = self.rastered_with_scenery().map(|(_, rastered)| rastered).collect();
            let make = || RasterFrame::new(&self.gpu, &self.layouts, (size, self.targets.samples), &drawn);
            let serves = |frame: &RasterFrame| frame.is_of(size, &drawn);
            let kept = raster.get().is_some_and(serves);
            raster.prepare(size, serves, make);
            self.raster = raster;
            self.cleared &= kept;
        }
    }

    /// Empties whatever the frame fills: all of it before the first pass, so that no pass waits for that, and
    /// a device is at it while the passes are encoded.
    pub(crate) fn clear(&mut self, encoder: &mut wgpu::CommandEncoder, shadows: bool) {
        encoder.clear_buffer(&self.density_grid, 0, None);
        if let Some(frame) = self.sun_frame().filter(|_| shadows) {
            frame.clear(encoder);
        }
        self.clear_raster(encoder);
        self.clear_sift(encoder);
    }

    /// What pictures are rasterised in, unless it is empty.
    fn clear_raster(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(frame) = self.raster.get().filter(|_| self.wants_raster() && !self.cleared) {
            frame.clear(encoder);
            self.cleared = true;
        }
    }

    /// Whether shadows of the next frame are rasterised in compute, where their map fits.
    pub(crate) fn rasters_sun(&self) -> bool {
        self.options.casts_in_compute() && self.lists_for_compute()
    }

    /// The same of the shadow map.
    pub(crate) fn prepare_sun(&mut self) {
        let mut raster = std::mem::take(&mut self.sun_raster);
        let edge = self.options.shadow_size;
        if self.rasters_sun() {
            let drawn: Vec<Rastered<'_>> = self.rastered_by_sun().map(|(_, rastered)| rastered).collect();
            let make = || SunFrame::new(&self.gpu, &self.layouts, edge, &drawn);
            raster.prepare((edge, edge), |frame| frame.is_of(&drawn), make);
            let words = raster.get().map(SunFrame::words);
            if self.sun_words.as_ref() != words {
                self.sun_words = words.cloned();
                let lit = [&self.frame_buffer, &self.light_buffer, &self.density_grid];
                let shadow = (&self.passes.shadow, lit);
                self.shaded_frame = shaded_frame((&self.gpu, &self.layouts), shadow, self.sun_words.as_ref());
            }
            self.sun_raster = raster;
        }
    }

    /// Something else is drawn: lists are made anew, and what did not fit may fit now.
    pub(super) fn changed(&mut self) {
        (self.listed, self.merged) = (false, false);
        self.raster.retry();
        self.sun_raster.retry();
        self.ids_raster.retry();
        self.sift.retry();
        self.sift_needed = SiftTotals::default();
        self.meshes_brought = false;
    }

    /// Whether nothing of the next frame needs the graphics pipe, if whoever is taller, comes near the camera or is
    /// scenery is rasterised in compute, too: that is asked for, everything can be, and all triangles can be numbered
    /// whatever everyone's level.
    pub(crate) fn rasters_everything(&self) -> bool {
        let drawn = || {
            let characters = self.contents.everything().map(Drawn::from);
            let all = characters.chain(self.contents.attachments.iter().map(Drawn::from));
            all.filter(|d| d.parts.1.count > 0)
        };
        let triangles = drawn().map(|d| {
            let (_, mesh) = d.rastered()?;
            Some(u64::from(d.parts.1.count) * u64::from(mesh.most_triangles()))
        });
        let triangles: Option<u64> = triangles.sum();
        self.rasters()
            && self.raster_rows >= ALL_ROWS
            && drawn().count() <= MOST_DRAWS as usize
            && triangles.is_some_and(|triangles| triangles <= u64::from(MOST_TRIANGLES))
    }

    /// What shadows of the next frame are rasterised in.
    pub(super) fn sun_frame(&self) -> Option<&SunFrame> {
        self.sun_raster.get().filter(|_| self.rasters_sun())
    }

    /// Whether all shadows of the next frame are rasterised in compute, if everything is that it shows.
    pub(crate) fn rasters_all_shadows(&self) -> bool {
        self.sun_frame().is_some() && self.contents.sun_bins().count() == self.contents.camera_bins().count()
    }

    /// Rasterises the near phase, scenery among it, after [`CrowdRenderer::select`]: in place of
    /// [`CrowdRenderer::draw_near`] where [`CrowdRenderer::rasters_everything`].
    pub(crate) fn rasterise_near(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (Some(passes), Some(frame)) = (&self.passes.raster, self.raster.get()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Crowd.name()),
            timestamp_writes,
        });
        let draws = self.rastered_with_scenery().map(|rastered| drawing(&rastered));
        passes.rasterise(&mut pass, (&self.frame, frame, Phase::Near), draws);
        drop(pass);
        self.rastered = true;
    }

    /// Rasterises the far phase, after [`CrowdRenderer::hide`]; [`CrowdRenderer::draw_far`] then draws what is left,
    /// and what was rasterised.
    pub(crate) fn rasterise(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        // A host may draw other sizes than it has prepared.
        self.clear_raster(encoder);
        let frame = self.raster.get().filter(|_| self.wants_raster());
        let (Some(passes), Some(frame)) = (&self.passes.raster, frame) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("raster"),
            timestamp_writes,
        });
        let draws = self.rastered().map(|rastered| drawing(&rastered));
        passes.rasterise(&mut pass, (&self.frame, frame, Phase::Far), draws);
        drop(pass);
        self.rastered = true;
    }

    /// Makes what tells who is hidden behind what was rasterised.
    pub(super) fn prepare_pyramid_of_words(&mut self) {
        let Some(frame) = self.raster.get() else { return };
        let (size, [whole, words]) = frame.depth();
        if self.pyramid.as_ref().is_none_or(|pyramid| !pyramid.is_of_words(words)) {
            self.pyramid = Some(Pyramid::of_words(&self.gpu, &self.layouts, size, [whole, words]));
        }
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
        let draws = self.rastered_with_scenery().map(|rastered| drawing(&rastered));
        passes.resolve(&mut pass, ([&self.frame, &self.shaded_frame], frame), draws);
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

    /// Rasterises the shadows of everyone who can be, after [`CrowdRenderer::clear`] and [`CrowdRenderer::select`];
    /// [`CrowdRenderer::cast_shadows`] then draws what is left, and what was rasterised.
    pub(crate) fn rasterise_sun(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (Some(passes), Some(frame)) = (&self.passes.raster, self.sun_frame()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Sun.name()),
            timestamp_writes,
        });
        let draws = self.rastered_by_sun().map(|rastered| drawing(&rastered));
        passes.rasterise_sun(&mut pass, (&self.frame, frame), draws);
    }

    /// Draws what was rasterised of the shadow map; returns the draw calls recorded.
    pub(super) fn meet_sun(&self, pass: &mut wgpu::RenderPass<'_>) -> u32 {
        match (&self.passes.raster, self.sun_frame()) {
            (Some(passes), Some(frame)) => {
                passes.meet_sun(pass, frame);
                1
            }
            _ => 0,
        }
    }

    /// Those of [`CrowdRenderer::rastered_with_scenery`] that are listed for the sun.
    fn rastered_by_sun(&self) -> impl Iterator<Item = (Drawn<'_>, Rastered<'_>)> {
        self.rastered_with_scenery().filter_map(|(d, (_, mesh))| {
            let sun = d.bins?.sun.as_ref()?;
            Some((d, (sun, mesh)))
        })
    }

    /// Everything that can be rasterised in compute, in the order in which it is drawn; scenery is of the near phase.
    pub(super) fn rastered_with_scenery(&self) -> impl Iterator<Item = (Drawn<'_>, Rastered<'_>)> {
        let scenery = self.contents.scenery.iter().map(Drawn::from);
        let scenery = scenery.filter_map(|d| {
            let rastered = d.rastered()?;
            Some((d, rastered))
        });
        self.rastered().chain(scenery).take(MOST_DRAWS as usize)
    }

    /// The same of people and of what they carry: the first of these.
    pub(super) fn rastered(&self) -> impl Iterator<Item = (Drawn<'_>, Rastered<'_>)> {
        let people = self.contents.people.iter().map(Drawn::from);
        let carried = self.contents.attachments.iter().map(Drawn::from);
        let rastered = people.chain(carried).filter_map(|d| {
            let rastered = d.rastered()?;
            Some((d, rastered))
        });
        rastered.take(MOST_DRAWS as usize)
    }
}

/// What selects its pipeline, and its instances.
fn drawing<'a>((d, _): &(Drawn<'a>, Rastered<'a>)) -> (Drawing, &'a CrowdInstances) {
    (d.drawing(), d.parts.1)
}

impl<'a> Drawn<'a> {
    /// What selects its pipelines in compute.
    pub(super) fn drawing(&self) -> Drawing {
        Drawing::of(self.variant, self.bins.and_then(|bins| bins.raster.as_ref()))
    }

    /// What the rasteriser in compute takes of it; whoever has no pipeline stays in the hardware's draws.
    pub(super) fn rastered(&self) -> Option<Rastered<'a>> {
        let bins = self.bins.filter(|_| serves(self.variant))?;
        Some((&bins.camera, bins.raster.as_ref()?))
    }
}
