//! Encoding of the passes of a frame: label, timestamps and draw counts in one place.

use wgpu_profiler::GpuProfilerQuery;

use crate::render::{
    Pass, Renderer,
    passes::draw_lists::CullPhase,
    plan::{Backend, FrameOutput, FramePlan, RasterMode},
};

/// Query of a pass's timestamps; `None` without them.
type PassQuery = Option<GpuProfilerQuery>;

fn compute_times(query: &PassQuery) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
    query.as_ref()?.compute_pass_timestamp_writes()
}

fn render_times(query: &PassQuery) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
    query.as_ref()?.render_pass_timestamp_writes()
}

impl Renderer {
    /// Encodes one pass of the plan, with its timestamps, and counts its draw calls if it may have some.
    pub(super) fn encode(
        &mut self,
        pass: Pass,
        plan: &FramePlan,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
    ) {
        let query = self.timer.begin(pass.name(), encoder);
        let draws = match pass {
            Pass::Animate => self.encode_animate(encoder, &query),
            Pass::Select => self.encode_select(encoder, &query, plan.has_shadows()),
            Pass::Preskin => {
                self.crowd.preskin(encoder, plan.has_shadows(), compute_times(&query));
                None
            }
            Pass::SwShadow => {
                self.crowd.rasterise_shadows(encoder, compute_times(&query));
                None
            }
            Pass::Shadow => {
                self.crowd.cast_shadows(encoder, render_times(&query));
                Some(0)
            }
            Pass::TriangleCull => self.encode_triangle_cull(encoder, &query, CullPhase::Near),
            Pass::TriangleCullFar => self.encode_triangle_cull(encoder, &query, CullPhase::Far),
            Pass::Crowd if plan.raster == RasterMode::Software => {
                self.crowd.rasterise_near(encoder, compute_times(&query));
                Some(0)
            }
            Pass::Crowd => self.encode_crowd(encoder, &query, plan),
            Pass::OcclusionCull => self.encode_occlusion_cull(encoder, &query),
            Pass::SwRaster => {
                self.crowd.rasterise(encoder, compute_times(&query));
                None
            }
            Pass::ShadeVisibility => {
                self.crowd.shade_visibility(encoder, compute_times(&query));
                None
            }
            Pass::Far => self.encode_far(encoder, &query, plan),
            Pass::Background if plan.background == Backend::Compute => {
                self.encode_background_compute(encoder, &query, plan)
            }
            Pass::Background => self.encode_background(encoder, &query, plan),
            Pass::Tonemap if plan.output == FrameOutput::Overdraw => self.encode_overdraw(encoder, &query, view),
            Pass::Tonemap => self.encode_tonemap(encoder, &query, plan, view),
            _ => self.encode_display_step(encoder, &query, pass, view),
        };
        self.timer.end(encoder, query);
        if pass == Pass::Tonemap && draws == Some(0) {
            self.copy_display_values(encoder, view.texture());
        }
        if let Some(more) = draws {
            self.count_draws(pass, more);
        }
    }

    fn encode_animate(&self, encoder: &mut wgpu::CommandEncoder, query: &PassQuery) -> Option<u32> {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Animate.name()),
            timestamp_writes: compute_times(query),
        });
        self.crowd.animate(&mut pass);
        None
    }

    fn encode_select(&self, encoder: &mut wgpu::CommandEncoder, query: &PassQuery, shadows: bool) -> Option<u32> {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Select.name()),
            timestamp_writes: compute_times(query),
        });
        self.crowd.select(&mut pass, shadows);
        None
    }

    fn encode_triangle_cull(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        query: &PassQuery,
        phase: CullPhase,
    ) -> Option<u32> {
        self.crowd.triangle_cull(encoder, phase, compute_times(query));
        None
    }

    fn encode_crowd(&mut self, encoder: &mut wgpu::CommandEncoder, query: &PassQuery, plan: &FramePlan) -> Option<u32> {
        let (targets, _) = self.targets.as_ref()?;
        // With the background in compute, colour is read only where this pass draws: no clear is needed.
        let load = match plan.background {
            Backend::Compute => wgpu::LoadOp::Load,
            Backend::Graphics => wgpu::LoadOp::Clear(wgpu::Color::BLACK),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Crowd.name()),
            color_attachments: &[Some(color(&targets.color, None, load))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Clear(0.0))),
            timestamp_writes: render_times(query),
            ..Default::default()
        });
        if let Some(statistics) = &self.statistics {
            statistics.begin(&mut pass);
        }
        if plan.selects() {
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
        Some(0)
    }

    /// Encodes occlusion culling against the depth of the crowd pass.
    fn encode_occlusion_cull(&mut self, encoder: &mut wgpu::CommandEncoder, query: &PassQuery) -> Option<u32> {
        let (targets, _) = self.targets.as_ref()?;
        self.crowd
            .cull_hidden_people(encoder, &targets.depth, compute_times(query));
        None
    }

    /// Encodes the far phase: people who survived occlusion culling, and the composite of the visibility buffer.
    /// Without draw lists it draws attachments and scenery.
    fn encode_far(&mut self, encoder: &mut wgpu::CommandEncoder, query: &PassQuery, plan: &FramePlan) -> Option<u32> {
        let (targets, _) = self.targets.as_ref()?;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Far.name()),
            color_attachments: &[Some(color(&targets.color, None, wgpu::LoadOp::Load))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Load)),
            timestamp_writes: render_times(query),
            ..Default::default()
        });
        match (plan.selects(), plan.background) {
            (true, Backend::Compute) => self.crowd.draw_remaining(&mut pass),
            (true, Backend::Graphics) => self.crowd.draw_far(&mut pass),
            (false, _) => self.draw_things(&mut pass),
        }
        Some(0)
    }

    /// Draws attachments and scenery.
    fn draw_things(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.crowd.draw_attachments(pass);
        self.crowd.draw_scenery(pass);
    }

    /// Encodes ground and sky in compute.
    fn encode_background_compute(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        query: &PassQuery,
        plan: &FramePlan,
    ) -> Option<u32> {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Background.name()),
            timestamp_writes: compute_times(query),
        });
        if let (Some(background_compute), Some((targets, _))) = (&mut self.background_compute, &self.targets) {
            background_compute.encode(
                &mut pass,
                self.crowd.context(),
                self.crowd.shaded_frame(),
                targets,
                self.crowd.sw_raster_frame(),
                plan.raster != RasterMode::Software,
            );
        }
        Some(0)
    }

    fn encode_background(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        query: &PassQuery,
        plan: &FramePlan,
    ) -> Option<u32> {
        let (targets, _) = self.targets.as_ref()?;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Background.name()),
            color_attachments: &[Some(color(
                &targets.color,
                targets.resolved.as_ref(),
                wgpu::LoadOp::Load,
            ))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Load)),
            timestamp_writes: render_times(query),
            ..Default::default()
        });
        if !plan.selects() {
            self.draw_things(&mut pass);
        }
        if plan.output != FrameOutput::Light {
            return Some(0);
        }
        pass.set_bind_group(0, self.crowd.lit_frame(), &[]);
        self.background.draw(&mut pass);
        Some(2)
    }

    /// Encodes tone mapping: in compute if the background is there, too, and the picture's format allows it.
    fn encode_tonemap(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        query: &PassQuery,
        plan: &FramePlan,
        view: &wgpu::TextureView,
    ) -> Option<u32> {
        let pixels = self.display.pixels.as_ref();
        let in_compute = pixels.filter(|pixels| plan.background == Backend::Compute && pixels.supports(view.texture()));
        if let Some(pixels) = in_compute {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(Pass::Tonemap.name()),
                timestamp_writes: compute_times(query),
            });
            pixels.encode(&mut pass, self.crowd.frame());
            return Some(0);
        }
        let (_, hdr) = self.targets.as_ref()?;
        let view = self.display.tonemap_target(view);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Tonemap.name()),
            color_attachments: &[Some(color(view, None, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            timestamp_writes: render_times(query),
            ..Default::default()
        });
        self.display.tonemap.draw(&mut pass, self.crowd.frame(), hdr);
        Some(1)
    }

    /// Copies what tone mapping in compute wrote to the picture.
    fn copy_display_values(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::Texture) {
        if let Some(pixels) = &self.display.pixels {
            pixels.copy(encoder, picture);
        }
    }

    /// Encodes the overdraw map in place of tone mapping.
    fn encode_overdraw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        query: &PassQuery,
        view: &wgpu::TextureView,
    ) -> Option<u32> {
        let ((targets, _), map) = (self.targets.as_ref()?, self.overdraw.as_ref()?);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("overdraw"),
            color_attachments: &[Some(color(view, None, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            timestamp_writes: render_times(query),
            ..Default::default()
        });
        Some(map.draw(self.crowd.gpu(), &mut pass, targets.hdr(), view.texture().format()))
    }

    /// Encodes a step after tone mapping.
    fn encode_display_step(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        query: &PassQuery,
        pass: Pass,
        view: &wgpu::TextureView,
    ) -> Option<u32> {
        let step = self.display.step(pass, view);
        debug_assert!(step.is_some(), "nothing encodes {pass}");
        let (step, view) = step?;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(pass.name()),
            color_attachments: &[Some(color(view, None, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            timestamp_writes: render_times(query),
            ..Default::default()
        });
        step.draw(&mut pass);
        Some(1)
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
