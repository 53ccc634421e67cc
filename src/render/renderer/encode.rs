//! Encoding of a frame's passes, in their order.

use crate::render::{
    Pass, Renderer,
    passes::{display::fxaa::Fxaa, draw_lists::CullPhase},
};

impl Renderer {
    pub(crate) fn encode_animate(&self, encoder: &mut wgpu::CommandEncoder) {
        let query = self.timer.begin(Pass::Animate.name(), encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Animate.name()),
            timestamp_writes: query.as_ref().and_then(|q| q.compute_pass_timestamp_writes()),
        });
        self.crowd.animate(&mut pass);
        drop(pass);
        self.timer.end(encoder, query);
    }

    /// Encodes skinning of distinct poses, for technique `preskinned`.
    pub(crate) fn encode_preskin(&self, encoder: &mut wgpu::CommandEncoder, shadows: bool) {
        if !self.crowd.preskins() {
            return;
        }
        let query = self.timer.begin(Pass::Preskin.name(), encoder);
        let times = query.as_ref().and_then(|q| q.compute_pass_timestamp_writes());
        self.crowd.preskin(encoder, shadows, times);
        self.timer.end(encoder, query);
    }

    pub(crate) fn encode_select(&self, encoder: &mut wgpu::CommandEncoder, shadows: bool) {
        let query = self.timer.begin(Pass::Select.name(), encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Select.name()),
            timestamp_writes: query.as_ref().and_then(|q| q.compute_pass_timestamp_writes()),
        });
        self.crowd.select(&mut pass, shadows);
        drop(pass);
        self.timer.end(encoder, query);
    }

    pub(crate) fn encode_shadow(&mut self, encoder: &mut wgpu::CommandEncoder) {
        // A pass that does not run has no time.
        let query = if self.crowd.uses_sw_shadows() {
            self.timer.begin(Pass::SwShadow.name(), encoder)
        } else {
            None
        };
        let times = query.as_ref().and_then(|q| q.compute_pass_timestamp_writes());
        self.crowd.rasterise_shadows(encoder, times);
        self.timer.end(encoder, query);
        if self.casts_in_compute() {
            return;
        }
        let query = self.timer.begin(Pass::Shadow.name(), encoder);
        let times = query.as_ref().and_then(|q| q.render_pass_timestamp_writes());
        self.crowd.cast_shadows(encoder, times);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Shadow, 0);
    }

    /// Encodes triangle culling of a phase.
    pub(crate) fn encode_triangle_cull(&mut self, encoder: &mut wgpu::CommandEncoder, phase: CullPhase) {
        if !self.crowd.culls_triangles() {
            return;
        }
        let pass = match phase {
            CullPhase::Near => Pass::TriangleCull,
            CullPhase::Far => Pass::TriangleCullFar,
        };
        let query = self.timer.begin(pass.name(), encoder);
        let times = query.as_ref().and_then(|q| q.compute_pass_timestamp_writes());
        self.crowd.triangle_cull(encoder, phase, times);
        self.timer.end(encoder, query);
    }

    pub(crate) fn encode_crowd(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some((targets, _)) = &self.targets else { return };
        let query = self.timer.begin(Pass::Crowd.name(), encoder);
        // With the background in compute, colour is read only where this pass draws: no clear is needed.
        let load = match self.computes_background() {
            true => wgpu::LoadOp::Load,
            false => wgpu::LoadOp::Clear(wgpu::Color::BLACK),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Crowd.name()),
            color_attachments: &[Some(color(&targets.color, None, load))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Clear(0.0))),
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        if let Some(statistics) = &self.statistics {
            statistics.begin(&mut pass);
        }
        if self.selects() {
            self.crowd.draw_near(&mut pass);
        } else {
            self.crowd.draw_people(&mut pass);
        }
        if let Some(statistics) = &self.statistics {
            statistics.end(&mut pass);
        }
        drop(pass);
        if let Some(statistics) = &self.statistics {
            statistics.resolve(encoder);
        }
        self.timer.end(encoder, query);
        self.count_draws(Pass::Crowd, 0);
    }

    /// Encodes the near phase in compute, if no draw remains for the hardware rasterizer.
    pub(crate) fn encode_near(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let query = self.timer.begin(Pass::Crowd.name(), encoder);
        let times = query.as_ref().and_then(|q| q.compute_pass_timestamp_writes());
        self.crowd.rasterise_near(encoder, times);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Crowd, 0);
    }

    /// Encodes occlusion culling against the depth of the crowd pass.
    pub(crate) fn encode_cull(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some((targets, _)) = &self.targets else { return };
        let query = self.timer.begin(Pass::OcclusionCull.name(), encoder);
        let times = query.as_ref().and_then(|q| q.compute_pass_timestamp_writes());
        self.crowd.cull_hidden_people(encoder, &targets.depth, times);
        self.timer.end(encoder, query);
    }

    /// Encodes the far phase of the software rasterizer.
    pub(crate) fn encode_raster(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let query = self.timer.begin(Pass::SwRaster.name(), encoder);
        let times = query.as_ref().and_then(|q| q.compute_pass_timestamp_writes());
        self.crowd.rasterise(encoder, times);
        self.timer.end(encoder, query);
    }

    /// Encodes shading of the visibility buffer.
    pub(crate) fn encode_shade_visibility(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let query = self.timer.begin(Pass::ShadeVisibility.name(), encoder);
        let times = query.as_ref().and_then(|q| q.compute_pass_timestamp_writes());
        self.crowd.shade_visibility(encoder, times);
        self.timer.end(encoder, query);
    }

    /// Encodes the far phase: people who survived occlusion culling, and the composite of the visibility buffer.
    /// Without draw lists it draws attachments and scenery.
    pub(crate) fn encode_far(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some((targets, _)) = &self.targets else { return };
        let query = self.timer.begin(Pass::Far.name(), encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Far.name()),
            color_attachments: &[Some(color(&targets.color, None, wgpu::LoadOp::Load))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Load)),
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        match (self.selects(), self.computes_background()) {
            (true, true) => self.crowd.draw_remaining(&mut pass),
            (true, false) => self.crowd.draw_far(&mut pass),
            (false, _) => self.draw_things(&mut pass),
        }
        drop(pass);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Far, 0);
    }

    /// Draws attachments and scenery.
    fn draw_things(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.crowd.draw_attachments(pass);
        self.crowd.draw_scenery(pass);
    }

    /// True if ground and sky are shaded, and samples resolved, in compute.
    pub(super) fn computes_background(&self) -> bool {
        self.background_compute.is_some() && self.crowd.shows_light()
    }

    /// True if no hardware draw is needed in the picture. Pipeline statistics count hardware draws only.
    pub(crate) fn is_all_compute(&self) -> bool {
        self.computes_background() && self.statistics.is_none() && self.crowd.needs_no_graphics_pipeline()
    }

    /// True if no hardware draw is needed in the shadows either.
    pub(crate) fn casts_in_compute(&self) -> bool {
        self.is_all_compute() && self.crowd.sw_rasterizes_all_shadows()
    }

    /// Encodes ground and sky in compute.
    fn encode_background_compute(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let drawn = !self.is_all_compute();
        let query = self.timer.begin(Pass::Background.name(), encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Background.name()),
            timestamp_writes: query.as_ref().and_then(|q| q.compute_pass_timestamp_writes()),
        });
        if let (Some(background_compute), Some((targets, _))) = (&mut self.background_compute, &self.targets) {
            let shaded_frame = self.crowd.shaded_frame();
            let frame = self.crowd.sw_raster_frame();
            background_compute.encode(&mut pass, self.crowd.context(), shaded_frame, targets, frame, drawn);
        }
        drop(pass);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Background, 0);
    }

    pub(crate) fn encode_background(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.computes_background() {
            self.encode_background_compute(encoder);
            return;
        }
        let Some((targets, _)) = &self.targets else { return };
        let query = self.timer.begin(Pass::Background.name(), encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Background.name()),
            color_attachments: &[Some(color(
                &targets.color,
                targets.resolved.as_ref(),
                wgpu::LoadOp::Load,
            ))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Load)),
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        if !self.selects() {
            self.draw_things(&mut pass);
        }
        let surrounds = self.crowd.shows_light();
        if surrounds {
            pass.set_bind_group(0, self.crowd.lit_frame(), &[]);
            self.background.draw(&mut pass);
        }
        drop(pass);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Background, if surrounds { 2 } else { 0 });
    }

    pub(crate) fn encode_tonemap(&mut self, encoder: &mut wgpu::CommandEncoder, view: &wgpu::TextureView) {
        if self.crowd.shows_overdraw() {
            self.encode_overdraw(encoder, view);
            return;
        }
        if self.tonemaps_in_compute(view.texture()) {
            self.encode_tonemap_pixels(encoder, view.texture());
            return;
        }
        let Some((_, hdr)) = &self.targets else { return };
        let view = self.display.fxaa.as_ref().and_then(Fxaa::source).unwrap_or(view);
        let query = self.timer.begin(Pass::Tonemap.name(), encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Tonemap.name()),
            color_attachments: &[Some(color(view, None, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        self.display.tonemap.draw(&mut pass, self.crowd.frame(), hdr);
        drop(pass);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Tonemap, 1);
    }

    /// Encodes the overdraw map in place of tone mapping.
    fn encode_overdraw(&mut self, encoder: &mut wgpu::CommandEncoder, view: &wgpu::TextureView) {
        let (Some((targets, _)), Some(map)) = (&self.targets, &self.overdraw) else {
            return;
        };
        let query = self.timer.begin(Pass::Tonemap.name(), encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("overdraw"),
            color_attachments: &[Some(color(view, None, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        let draws = map.draw(self.crowd.gpu(), &mut pass, targets.hdr(), view.texture().format());
        drop(pass);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Tonemap, draws);
    }

    fn tonemaps_in_compute(&self, picture: &wgpu::Texture) -> bool {
        let pixels = self.display.pixels.as_ref();
        self.computes_background() && pixels.is_some_and(|pixels| pixels.supports(picture))
    }

    fn encode_tonemap_pixels(&mut self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::Texture) {
        let Some(pixels) = &self.display.pixels else { return };
        let query = self.timer.begin(Pass::Tonemap.name(), encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Tonemap.name()),
            timestamp_writes: query.as_ref().and_then(|q| q.compute_pass_timestamp_writes()),
        });
        pixels.encode(&mut pass, self.crowd.frame());
        drop(pass);
        self.timer.end(encoder, query);
        pixels.copy(encoder, picture);
        self.count_draws(Pass::Tonemap, 0);
    }

    /// Encodes FXAA after tone mapping, on request.
    pub(crate) fn encode_fxaa(&mut self, encoder: &mut wgpu::CommandEncoder, view: &wgpu::TextureView) {
        // An overdraw map has no edges to smooth.
        let Some(fxaa) = self.display.fxaa.as_ref().filter(|_| !self.crowd.shows_overdraw()) else {
            return;
        };
        let query = self.timer.begin(Pass::Fxaa.name(), encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Fxaa.name()),
            color_attachments: &[Some(color(view, None, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        fxaa.draw(&mut pass);
        drop(pass);
        self.timer.end(encoder, query);
        self.count_draws(Pass::Fxaa, 1);
    }
}

fn color<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPassColorAttachment<'a> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target,
        ops: wgpu::Operations {
            load,
            store: wgpu::StoreOp::Store,
        },
    }
}

fn depth(view: &wgpu::TextureView, load: wgpu::LoadOp<f32>) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load,
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}
