//! Use of the software rasterizer by the crowd: which draws it takes, and when it runs. It fills a visibility buffer
//! (Burns and Hunt 2013) by atomics, as Nanite does (Karis 2021).

use crate::{
    config::Raster,
    gpu::Gpu,
    render::{
        DrawPath, Pass,
        crowd::{CrowdOptions, CrowdRenderer, draw_list::DrawList, state::ListState},
        passes::{
            draw_lists::{CullPhase, Pyramid},
            raster::{
                PictureContents, RasterStep, ShadowContents, StorageRoom, SwRasterDraw, VisibilityTarget,
                prefers_compute, supports, supports_technique, unsupported_reason,
            },
        },
        plan::{PlanSettings, RasterMode, ShadowRequest},
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
            Raster::Auto if !prefers_compute(gpu) => Raster::Hardware,
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
        let settings = self.plan_settings(ShadowRequest::Off);
        settings.wants_software() && self.buffers.visibility.unsupported_reason().is_none()
    }

    /// Reason why the picture drawn last, or its shadow map, was too large for the software rasterizer.
    #[must_use]
    pub fn too_large(&self) -> Option<&str> {
        self.buffers
            .visibility
            .unsupported_reason()
            .or(self.buffers.shadow.unsupported_reason())
    }

    /// Reason why the hardware rasterizer draws some of what the software rasterizer could, on a device of few storage
    /// buffers.
    #[must_use]
    pub(crate) fn left_to_hardware(&self) -> Option<String> {
        let room = StorageRoom::of(&self.context.gpu);
        if room.is_full() {
            return None;
        }
        let full = StorageRoom::new(StorageRoom::FULL);
        let left = DrawList::of(&self.contents)
            .iter()
            .any(|draw| supports(full, draw.variant) && !supports(room, draw.variant));
        let name = &self.context.gpu.facts.name;
        left.then(|| {
            format!(
                "{name} allows {} storage buffers in a shader stage, too few for morph targets, heroes, actors and atlases \
                 in storage buffers",
                room.allowed()
            )
        })
    }

    /// True if the software rasterizer draws people in pictures of the present technique.
    pub(super) fn can_raster(&self) -> bool {
        self.options.raster == Raster::Compute
            && self.options.selects()
            && supports_technique(self.options.method.technique)
    }

    /// Makes the visibility buffer for a picture of `size` pixels, if the frame wants one. If it does not fit, the
    /// hardware rasterizer draws.
    pub(super) fn ensure_visibility(&mut self, size: (u32, u32), settings: &PlanSettings) {
        if !settings.wants_software() {
            self.buffers.visibility.release();
            return;
        }
        let drawn: Vec<SwRasterDraw<'_>> = DrawList::of(&self.contents).software().collect();
        let samples = self.targets.samples;
        let make = || VisibilityTarget::new(&self.context, size, samples, &drawn);
        let visibility = &mut self.buffers.visibility;
        let kept = visibility.ensure(size, |frame| frame.is_of(size, &drawn), make);
        self.progress.cleared &= kept;
    }

    /// Clears every buffer that the frame fills. This comes before the first pass: no pass waits for it, and the device
    /// clears while passes are encoded.
    pub(crate) fn clear(&mut self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.bindings.crowd_shadow_grid, 0, None);
        if let Some(frame) = self.shadow_frame().filter(|_| self.plan.updates_shadows()) {
            frame.clear(encoder);
        }
        self.clear_raster(encoder);
        self.clear_triangle_cull(encoder);
    }

    /// Clears the visibility buffer of the picture, unless it is clear.
    fn clear_raster(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(frame) = self
            .buffers
            .visibility
            .get()
            .filter(|_| self.plan.uses_sw_raster() && !self.progress.cleared)
        {
            frame.clear(encoder);
            self.progress.cleared = true;
        }
    }

    /// Makes the visibility buffer of the shadow map if the frame wants one, or drops it.
    pub(super) fn ensure_shadow_map(&mut self, settings: &PlanSettings) {
        if settings.shadows != ShadowRequest::Off && settings.wants_software_shadows() {
            let edge = self.options.shadow_size;
            let drawn: Vec<SwRasterDraw<'_>> = DrawList::of(&self.contents).software_shadows().collect();
            let make = || VisibilityTarget::new(&self.context, (edge, edge), 1, &drawn);
            let shadow = &mut self.buffers.shadow;
            shadow.ensure((edge, edge), |frame| frame.is_of((edge, edge), &drawn), make);
        } else {
            self.buffers.shadow.release();
        }
        let words = self.buffers.shadow.get().map(VisibilityTarget::words);
        self.bindings.bind_shadow_map(&self.context, &self.passes.shadow, words);
    }

    /// Invalidates lists after a change of contents, and retries buffers that did not fit before.
    pub(super) fn invalidate_lists(&mut self) {
        self.lists = ListState::default();
        self.buffers.retry();
    }

    /// Visibility buffer of the shadow map, if the frame's shadows use it.
    pub(super) fn shadow_frame(&self) -> Option<&VisibilityTarget<ShadowContents>> {
        self.buffers.shadow.get().filter(|_| self.plan.uses_sw_shadows())
    }

    /// Software-rasterizes the near phase and scenery, after [`CrowdRenderer::select`]. It replaces
    /// [`CrowdRenderer::draw_near`] in [`RasterMode::Software`](crate::render::plan::RasterMode).
    pub(crate) fn rasterise_near(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let (Some(passes), Some(frame)) = (&self.passes.raster, self.buffers.visibility.get()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Crowd.name()),
            timestamp_writes,
        });
        let draws = DrawList::of(&self.contents);
        pass.set_bind_group(0, &self.bindings.frame, &[]);
        passes.rasterise(&mut pass, RasterStep::Nearest, frame, CullPhase::Near, draws.software());
        drop(pass);
        self.progress.software_drew = true;
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
        let frame = self.buffers.visibility.get().filter(|_| self.plan.uses_sw_raster());
        let (Some(passes), Some(frame)) = (&self.passes.raster, frame) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("raster"),
            timestamp_writes,
        });
        let draws = DrawList::of(&self.contents);
        pass.set_bind_group(0, &self.bindings.frame, &[]);
        let rasterise_far = |pass: &mut wgpu::ComputePass<'_>, step| {
            passes.rasterise(pass, step, frame, CullPhase::Far, draws.software_far());
        };
        rasterise_far(&mut pass, RasterStep::Nearest);
        if self.plan.raster == RasterMode::Software {
            passes.rasterise(&mut pass, RasterStep::Ids, frame, CullPhase::Near, draws.software());
        }
        rasterise_far(&mut pass, RasterStep::Ids);
        drop(pass);
        self.progress.software_drew = true;
    }

    /// Makes the depth pyramid (Hi-Z) of the visibility buffer.
    pub(super) fn prepare_pyramid_of_words(&mut self) {
        let Some(frame) = self.buffers.visibility.get() else {
            return;
        };
        let (size, [uniforms, words]) = frame.depth();
        if self
            .buffers
            .pyramid
            .as_ref()
            .is_none_or(|pyramid| !pyramid.is_of_words(words))
        {
            self.buffers.pyramid = Some(Pyramid::of_words(&self.context, size, uniforms, words));
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
        passes.shade_visibility(
            &mut pass,
            &self.bindings.frame,
            &self.bindings.surface_frame,
            frame,
            draws.software(),
        );
    }

    /// Visibility buffer that was filled since the last [`CrowdRenderer::update`].
    pub(crate) fn sw_raster_frame(&self) -> Option<&VisibilityTarget<PictureContents>> {
        self.buffers.visibility.get().filter(|_| self.progress.software_drew)
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
        passes.rasterise_shadows(&mut pass, &self.bindings.frame, frame, draws.software_shadows());
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
