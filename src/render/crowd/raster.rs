//! Use of the software rasterizer by the crowd: which draws it takes, and when it runs. It fills a visibility buffer
//! (Burns and Hunt 2013) with 64-bit atomics, as Nanite does (Karis 2021).

use crate::{
    config::Raster,
    gpu::Gpu,
    render::{
        DrawPath, Pass,
        crowd::{CrowdOptions, CrowdRenderer, draw_list::DrawList, shaded_frame},
        passes::{
            draw_lists::{CullPhase, Pyramid},
            raster::{
                ALL_ROWS, MOST_TRIANGLES, ShadowVisibilityBuffer, SwRasterDraw, VisibilityBuffer, supports_technique,
                tiles::MOST_DRAWS, unsupported_reason,
            },
            triangle_cull::TriangleCullTotals,
        },
    },
};

impl CrowdOptions {
    /// Options that this device supports at `samples` per pixel. The software rasterizer needs LODs, culling, and one
    /// or four samples; shadows have one.
    #[must_use]
    pub(super) fn on(self, gpu: &Gpu, samples: u32) -> Self {
        let can = self.path != DrawPath::Plain && unsupported_reason(gpu).is_none();
        let raster = match self.raster {
            _ if !can => Raster::Hardware,
            Raster::Compute if !matches!(samples, 1 | 4) => Raster::Auto,
            wanted => wanted,
        };
        Self { raster, ..self }
    }

    /// True if the software rasterizer draws the shadows of draw lists on a device that can. `Hardware` switches it
    /// off.
    pub(super) const fn casts_in_compute(self) -> bool {
        self.shadow_size > 0 && !matches!(self.raster, Raster::Hardware)
    }
}

impl CrowdRenderer {
    /// True if the software rasterizer draws the small people of the next frame.
    #[must_use]
    pub fn uses_sw_raster(&self) -> bool {
        self.wants_raster() && self.raster.unsupported_reason().is_none()
    }

    /// Reason why the picture drawn last, or its shadow map, was too large for the software rasterizer.
    #[must_use]
    pub fn too_large(&self) -> Option<&str> {
        self.raster
            .unsupported_reason()
            .or(self.shadow_raster.unsupported_reason())
    }

    /// True if people are in draw lists, with a technique that the software rasterizer supports.
    pub(super) fn lists_for_compute(&self) -> bool {
        self.options.selects() && supports_technique(self.options.method.technique)
    }

    pub(super) fn can_raster(&self) -> bool {
        self.options.raster == Raster::Compute && self.lists_for_compute()
    }

    /// True if the next frame uses the software rasterizer, if its buffers fit. Overdraw is counted by the hardware
    /// rasterizer.
    pub(super) fn wants_raster(&self) -> bool {
        self.can_raster() && !self.shows_overdraw()
    }

    /// Makes the visibility buffer for a picture of `size` pixels. If it does not fit, the hardware rasterizer draws.
    pub(crate) fn prepare_raster(&mut self, size: (u32, u32)) {
        if !self.can_raster() {
            self.raster.release();
            return;
        }
        let drawn: Vec<SwRasterDraw<'_>> = DrawList::of(&self.contents).software().collect();
        let samples = self.targets.samples;
        let make = || VisibilityBuffer::new(&self.context, (size, samples), &drawn);
        let kept = self.raster.ensure(size, |frame| frame.is_of(size, &drawn), make);
        self.cleared &= kept;
    }

    /// Clears every buffer that the frame fills. This comes before the first pass: no pass waits for it, and the device
    /// clears while passes are encoded.
    pub(crate) fn clear(&mut self, encoder: &mut wgpu::CommandEncoder, shadows: bool) {
        encoder.clear_buffer(&self.crowd_shadow_grid, 0, None);
        if let Some(frame) = self.shadow_frame().filter(|_| shadows) {
            frame.clear(encoder);
        }
        self.clear_raster(encoder);
        self.clear_triangle_cull(encoder);
    }

    /// Clears the visibility buffer of the picture, unless it is clear.
    fn clear_raster(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(frame) = self.raster.get().filter(|_| self.wants_raster() && !self.cleared) {
            frame.clear(encoder);
            self.cleared = true;
        }
    }

    /// True if the software rasterizer draws shadows of the next frame, if their map fits.
    pub(crate) fn uses_sw_shadows(&self) -> bool {
        self.options.casts_in_compute() && self.lists_for_compute()
    }

    /// Makes the visibility buffer of the shadow map if it is needed.
    pub(crate) fn prepare_shadow_raster(&mut self) {
        if self.uses_sw_shadows() {
            let edge = self.options.shadow_size;
            let drawn: Vec<SwRasterDraw<'_>> = DrawList::of(&self.contents).software_shadows().collect();
            let make = || ShadowVisibilityBuffer::new(&self.context, edge, &drawn);
            self.shadow_raster
                .ensure((edge, edge), |frame| frame.is_of(&drawn), make);
        } else {
            self.shadow_raster.release();
        }
        let words = self.shadow_raster.get().map(ShadowVisibilityBuffer::words);
        if self.shadow_map_words.as_ref() != words {
            self.shadow_map_words = words.cloned();
            let words = self.shadow_map_words.as_ref();
            self.shaded_frame = shaded_frame(&self.context, &self.passes.shadow, &self.lit_buffers(), words);
        }
    }

    /// Invalidates lists after a change of contents, and retries buffers that did not fit before.
    pub(super) fn invalidate_lists(&mut self) {
        (self.listed, self.merged) = (false, false);
        self.raster.retry();
        self.shadow_raster.retry();
        self.ids_raster.retry();
        self.triangle_cull.retry();
        self.triangle_cull_needed = TriangleCullTotals::default();
        self.has_all_meshlets = false;
    }

    /// True if the software rasterizer can draw the whole next frame, so that nothing needs the hardware rasterizer.
    /// Every height was asked for, every draw supports it, and triangle ids suffice at every LOD.
    pub(crate) fn needs_no_graphics_pipeline(&self) -> bool {
        let draws = DrawList::of(&self.contents);
        let drawn = || draws.iter().filter(|d| d.parts.crowd.count > 0);
        let triangles: Option<u64> = drawn().map(|d| Some(d.software()?.most_triangles())).sum();
        self.uses_sw_raster()
            && self.sw_raster_max_rows >= ALL_ROWS
            && drawn().count() <= MOST_DRAWS as usize
            && triangles.is_some_and(|triangles| triangles <= u64::from(MOST_TRIANGLES))
    }

    /// Visibility buffer of the shadow map, if the next frame's shadows use it.
    pub(super) fn shadow_frame(&self) -> Option<&ShadowVisibilityBuffer> {
        self.shadow_raster.get().filter(|_| self.uses_sw_shadows())
    }

    /// True if the software rasterizer draws every shadow of the next frame.
    pub(crate) fn sw_rasterizes_all_shadows(&self) -> bool {
        self.shadow_frame().is_some()
            && self.contents.shadow_draw_lists().count() == self.contents.camera_draw_lists().count()
    }

    /// Software-rasterizes the near phase and scenery, after [`CrowdRenderer::select`]. It replaces
    /// [`CrowdRenderer::draw_near`] if [`CrowdRenderer::needs_no_graphics_pipeline`].
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
        let draws = DrawList::of(&self.contents);
        passes.rasterise(&mut pass, &self.frame, frame, CullPhase::Near, draws.software());
        drop(pass);
        self.sw_raster_draws = true;
    }

    /// Software-rasterizes the far phase, after [`CrowdRenderer::hide`]. [`CrowdRenderer::draw_far`] then draws the
    /// remaining draws and composites the visibility buffer.
    pub(crate) fn rasterise(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        // A host may draw at another size than it prepared.
        self.clear_raster(encoder);
        let frame = self.raster.get().filter(|_| self.wants_raster());
        let (Some(passes), Some(frame)) = (&self.passes.raster, frame) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("raster"),
            timestamp_writes,
        });
        let draws = DrawList::of(&self.contents);
        passes.rasterise(&mut pass, &self.frame, frame, CullPhase::Far, draws.software_far());
        drop(pass);
        self.sw_raster_draws = true;
    }

    /// Makes the depth pyramid (Hi-Z) of the visibility buffer.
    pub(super) fn prepare_pyramid_of_words(&mut self) {
        let Some(frame) = self.raster.get() else { return };
        let (size, [uniforms, words]) = frame.depth();
        if self.pyramid.as_ref().is_none_or(|pyramid| !pyramid.is_of_words(words)) {
            self.pyramid = Some(Pyramid::of_words(&self.context, size, uniforms, words));
        }
    }

    /// Shades the visibility buffer; call it after the shadow map is drawn.
    pub(crate) fn shade_visibility(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (Some(passes), Some(frame)) = (self.raster_passes(), self.sw_raster_frame()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("shade_visibility"),
            timestamp_writes,
        });
        let draws = DrawList::of(&self.contents);
        passes.shade_visibility(&mut pass, &self.frame, &self.shaded_frame, frame, draws.software());
    }

    /// Visibility buffer that was filled since the last [`CrowdRenderer::update`].
    pub(crate) fn sw_raster_frame(&self) -> Option<&VisibilityBuffer> {
        self.raster.get().filter(|_| self.sw_raster_draws)
    }

    /// Composites the visibility buffer into the pass; returns the draw calls recorded.
    pub(super) fn composite(&self, pass: &mut wgpu::RenderPass<'_>) -> u32 {
        match (&self.passes.raster, self.sw_raster_frame()) {
            (Some(passes), Some(frame)) => {
                passes.composite(pass, frame);
                1
            }
            _ => 0,
        }
    }

    /// Software-rasterizes shadows, after [`CrowdRenderer::clear`] and [`CrowdRenderer::select`].
    /// [`CrowdRenderer::cast_shadows`] then draws the remaining draws and composites.
    pub(crate) fn rasterise_shadows(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (Some(passes), Some(frame)) = (&self.passes.raster, self.shadow_frame()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::SwShadow.name()),
            timestamp_writes,
        });
        let draws = DrawList::of(&self.contents);
        passes.rasterise_shadows(&mut pass, &self.frame, frame, draws.software_shadows());
    }

    /// Composites the visibility buffer of the shadow map into the pass; returns the draw calls recorded.
    pub(super) fn composite_shadow(&self, pass: &mut wgpu::RenderPass<'_>) -> u32 {
        match (&self.passes.raster, self.shadow_frame()) {
            (Some(passes), Some(frame)) => {
                passes.composite_shadow(pass, frame);
                1
            }
            _ => 0,
        }
    }
}
