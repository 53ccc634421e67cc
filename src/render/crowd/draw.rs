//! Frame of the crowd: compute passes before the host's render pass, and the draws in it. Occlusion culling has two
//! phases: the near phase fills a depth pyramid (Hi-Z), against which the far phase is culled.

use std::sync::atomic::Ordering;

use crate::{
    crowd::clock::Clock,
    gpu::compute_pass,
    render::{
        DRAW_SPLATS, FREEZE_CULLING, FrameUniforms, Pass,
        crowd::{
            AovFrame, CrowdDrawLists, CrowdRenderer, LightUniforms, View,
            draw_list::{DrawKind, DrawList},
            state::FrameBindings,
        },
        passes::{
            crowd::{draw_instances, draw_listed},
            draw_lists::{CullPhase, Pyramid},
        },
        plan::{DrawListMode, PlanHost, ShadowRequest},
        resources::DrawId,
    },
};

impl CrowdRenderer {
    /// Advances everyone to `time`, poses heroes, selects the people in the view and their LODs, and draws the shadow
    /// map if `view` wants one. Encode it before the passes that draw. Returns the bytes sent to the GPU.
    ///
    /// Uploads go through the queue at the next submit: one `prepare` for each submit. To draw several views of one
    /// moment, see [`CrowdRenderer::prepare_view`].
    pub fn prepare(&mut self, encoder: &mut wgpu::CommandEncoder, view: &View, time: Clock) -> u64 {
        let uniforms = FrameUniforms::of(view, time, self.options.shadow_size, self.targets.samples);
        let shadows = match uniforms.shadows {
            0 => ShadowRequest::Off,
            _ => ShadowRequest::Update,
        };
        let host = PlanHost {
            computes_background: false,
            reads_shadow_words: false,
            culls_triangles: false,
            counts_invocations: false,
        };
        let plan = self.plan_frame(view, view.size, shadows, host);
        let bytes = self.update(&uniforms, view, time);
        self.clear(encoder);
        self.animate(&mut compute_pass(encoder, Pass::Animate.name()));
        self.select(&mut compute_pass(encoder, Pass::Select.name()), plan.has_shadows());
        self.preskin(encoder, plan.has_shadows(), None);
        if plan.updates_shadows() {
            self.rasterise_shadows(encoder, None);
            self.cast_shadows(encoder, None);
        }
        bytes
    }

    /// Draws everything: people, attachments, scenery. The pass must have the attachments that the renderer was made
    /// for. The call changes bind groups 0 to 2, the pipeline, and vertex and index buffers. With draw lists
    /// ([`CrowdOptions::selects`](crate::render::CrowdOptions::selects)) people outside the view are culled; occluded
    /// people are not.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_near(pass);
        self.draw_far(pass);
    }

    /// Draws the near phase of two-phase occlusion culling: scenery, and people who fill many rows of the picture.
    /// [`CrowdRenderer::cull`] and [`CrowdRenderer::draw_far`] draw the rest, in the order of [`CrowdRenderer::draw`].
    pub fn draw_near(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_people_of(pass, CullPhase::Near);
        self.draw_attachments_of(pass, CullPhase::Near);
        self.draw_scenery(pass);
    }

    /// Culls people of the far phase who are occluded by the depth drawn so far. Call it between the pass of
    /// [`CrowdRenderer::draw_near`], which must store depth, and that of [`CrowdRenderer::draw_far`]. Without draw
    /// lists nothing is encoded.
    ///
    /// `depth` is a view of the depth aspect of the whole attachment, whose texture needs usage `TEXTURE_BINDING`.
    /// Without that usage, or if the view asks for no occlusion culling, nothing is encoded, and the far phase is drawn
    /// in full.
    ///
    /// The software rasterizer ([`CrowdRenderer::uses_sw_raster`]) also draws here: the viewport of the pass of
    /// [`CrowdRenderer::draw_far`] must then be the whole attachment.
    pub fn cull(&mut self, encoder: &mut wgpu::CommandEncoder, depth: &wgpu::TextureView) {
        self.cull_hidden_people(encoder, depth, None);
        let texture = depth.texture();
        let settings = self.plan_settings(ShadowRequest::Off);
        self.ensure_visibility((texture.width(), texture.height()), &settings);
        self.rasterise(encoder, None);
        self.shade_visibility(encoder, None);
    }

    /// Culls as [`CrowdRenderer::cull`] does, with timestamps. Depth of a near phase in the software rasterizer counts,
    /// too.
    pub(crate) fn cull_hidden_people(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        depth: &wgpu::TextureView,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        if !self.plan.occlusion {
            return;
        }
        if self.progress.software_drew {
            self.prepare_pyramid_of_words();
        } else if self
            .buffers
            .pyramid
            .as_ref()
            .is_none_or(|pyramid| !pyramid.is_of(depth))
        {
            self.buffers.pyramid = Pyramid::new(&self.context, depth);
        }
        let (Some(draw_lists), Some(pyramid)) = (&self.passes.draw_lists, &self.buffers.pyramid) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::OcclusionCull.name()),
            timestamp_writes,
        });
        draw_lists.cull(
            &mut pass,
            &self.bindings.frame,
            pyramid,
            &self.contents.draw_list_sets(),
        );
        drop(pass);
        self.progress.occlusion_culled = true;
    }

    /// Draws the far phase: everyone whom [`CrowdRenderer::cull`] left.
    pub fn draw_far(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_remaining(pass);
        self.recorded.fetch_add(self.composite(pass), Ordering::Relaxed);
    }

    /// Draws the remaining draws: those that the software rasterizer left to the hardware.
    pub(crate) fn draw_remaining(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_people_of(pass, CullPhase::Far);
        self.draw_attachments_of(pass, CullPhase::Far);
    }

    /// Draws people only, heroes among them.
    pub fn draw_people(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_people_of(pass, CullPhase::Near);
        self.draw_people_of(pass, CullPhase::Far);
    }

    /// Draws the attachments of people.
    pub fn draw_attachments(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_attachments_of(pass, CullPhase::Near);
        self.draw_attachments_of(pass, CullPhase::Far);
    }

    /// Draws the scenery.
    pub fn draw_scenery(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_all(pass, DrawKind::Scenery, CullPhase::Near);
    }

    pub(crate) fn draw_people_of(&self, pass: &mut wgpu::RenderPass<'_>, phase: CullPhase) {
        self.draw_all(pass, DrawKind::Person, phase);
    }

    pub(crate) fn draw_attachments_of(&self, pass: &mut wgpu::RenderPass<'_>, phase: CullPhase) {
        self.draw_all(pass, DrawKind::Attachment, phase);
    }

    /// Draws one kind in one phase. Draws without lists belong to the near phase.
    fn draw_all(&self, pass: &mut wgpu::RenderPass<'_>, kind: DrawKind, phase: CullPhase) {
        pass.set_bind_group(0, &self.bindings.lit_frame, &[]);
        for d in DrawList::of(&self.contents).of_kind(kind) {
            let pipeline = self.crowd_pass().pipeline(d.variant);
            let draws = match d.draw_lists {
                Some(_) => self.draw_from_lists(pass, d, phase),
                None if phase == CullPhase::Near => draw_instances(pass, pipeline, d.parts),
                None => 0,
            };
            self.recorded.fetch_add(draws, Ordering::Relaxed);
        }
    }

    /// Indirect arguments of the remaining draws, in place of those of the draw lists; `None` if the software
    /// rasterizer drew nothing.
    pub(super) fn remaining_draws(
        &self,
        id: DrawId,
        draw_lists: &CrowdDrawLists,
        phase: CullPhase,
    ) -> Option<(&wgpu::Buffer, u64)> {
        let frame = self.sw_raster_frame().filter(|_| phase == CullPhase::Far)?;
        frame
            .contents
            .lists(CullPhase::Far)
            .remaining_draws(id, &draw_lists.camera)
    }

    /// CPU part of [`CrowdRenderer::prepare`] after the plan: frame uniforms, the animators of technique `live`, heroes.
    pub(crate) fn update(&mut self, uniforms: &FrameUniforms, view: &View, time: Clock) -> u64 {
        let mut uniforms = *uniforms;
        // The hardware rasterizer cannot draw splats.
        if self.plan.splats {
            uniforms.culling |= DRAW_SPLATS;
        }
        self.write_frame(uniforms, self.plan.uses_sw_raster(), view, time)
    }

    /// Updates as [`CrowdRenderer::update`] does, for AOVs; `in_compute` if the software rasterizer draws ids.
    pub(super) fn update_aov(&mut self, frame: AovFrame<'_>, in_compute: bool) {
        self.plan_aov(frame.view);
        self.write_frame(*frame.uniforms, in_compute, frame.view, frame.clock);
    }

    fn write_frame(&mut self, mut uniforms: FrameUniforms, in_compute: bool, view: &View, time: Clock) -> u64 {
        if in_compute {
            uniforms.near_rows = view.sw_raster_max_rows as f32;
        }
        if self.plan.draw_lists == DrawListMode::Reuse {
            uniforms.culling |= FREEZE_CULLING;
        }
        self.prepared = Some(uniforms);
        let bytes = bytemuck::bytes_of(&uniforms);
        let sent = self.context.gpu.uploads.total();
        self.context
            .gpu
            .write_buffer("frame", &self.bindings.frame_buffer, 0, bytes);
        if !self.options.own_sky {
            let light = LightUniforms::from(&view.light);
            let bytes = bytemuck::bytes_of(&light);
            self.context
                .gpu
                .write_buffer("light", &self.bindings.light_buffer, 0, bytes);
        }
        self.send_actors();
        for d in &mut self.contents.people {
            if let Some(live) = &mut d.live {
                live.update(&self.context.gpu, time);
            }
            if let Some(heroes) = &mut d.heroes {
                heroes.update(&self.context.gpu, time, view.eye);
            }
        }
        self.context.gpu.uploads.total() - sent
    }

    /// GPU part of [`CrowdRenderer::prepare`]: evaluates every instance.
    pub(crate) fn animate(&self, pass: &mut wgpu::ComputePass<'_>) {
        let (frame, contents) = (&self.bindings.frame, &self.contents);
        self.scatter_actors(pass);
        self.passes
            .animate
            .encode(pass, frame, contents.everything().map(|d| &d.crowd));
        let people = || contents.people.iter();
        self.passes
            .live
            .encode(pass, frame, people().filter_map(|d| d.live.as_ref()));
        self.passes
            .preskin
            .place(pass, frame, people().filter_map(|d| d.crowd.poses.as_ref()));
        self.passes
            .heroes
            .encode(pass, frame, people().filter_map(|d| d.heroes.as_ref()));
        self.passes.attachments.encode(pass, frame, contents.attachments.iter());
    }

    /// True if a compute pass skins vertices before they are drawn (technique `preskinned`).
    pub(crate) fn preskins(&self) -> bool {
        self.contents.people.iter().any(|d| d.crowd.poses.is_some())
    }

    /// Skins the distinct poses of technique `preskinned` that draw lists show. Call it after
    /// [`CrowdRenderer::select`]; with `shadows` the shadow map's lists count, too.
    pub(crate) fn preskin(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        shadows: bool,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        if !self.preskins() {
            return;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Preskin.name()),
            timestamp_writes,
        });
        let caches = self.contents.people.iter().filter_map(|d| d.crowd.poses.as_ref());
        self.passes
            .preskin
            .encode(&mut pass, &self.bindings.frame, caches, shadows);
    }

    /// Fills the draw lists of the camera and, on request, of the shadow map. Call it after
    /// [`CrowdRenderer::animate`].
    pub(crate) fn select(&self, pass: &mut wgpu::ComputePass<'_>, shadows: bool) {
        let Some(draw_lists) = &self.passes.draw_lists else {
            return;
        };
        let sets = self.contents.draw_list_sets();
        let FrameBindings {
            frame, crowd_shadow, ..
        } = &self.bindings;
        draw_lists.select(pass, frame, crowd_shadow, &sets, shadows);
        if self.plan.draw_lists != DrawListMode::Reuse {
            draw_lists.fill(pass, &sets, shadows);
        }
    }

    /// Draws the shadow map, after [`CrowdRenderer::select`] and [`CrowdRenderer::rasterise_shadows`].
    pub(crate) fn cast_shadows(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Shadow.name()),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.passes.shadow.map,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            timestamp_writes,
            ..Default::default()
        });
        pass.set_bind_group(0, &self.bindings.frame, &[]);
        let list = DrawList::of(&self.contents);
        let kinds = [DrawKind::Person, DrawKind::Scenery, DrawKind::Attachment];
        for d in kinds.into_iter().flat_map(|kind| list.of_kind(kind)) {
            let pipeline = self.passes.shadow.pipeline(d.variant);
            let draws = match d.draw_lists.and_then(|draw_lists| draw_lists.sun.as_ref()) {
                Some(sun) => {
                    let frame = self.shadow_frame();
                    let left = frame.and_then(|frame| frame.contents.lists.remaining_draws(d.id, sun));
                    draw_listed(&mut pass, pipeline, d.parts, sun, CullPhase::Near, left)
                }
                None => draw_instances(&mut pass, pipeline, d.parts),
            };
            self.recorded.fetch_add(draws, Ordering::Relaxed);
        }
        self.recorded
            .fetch_add(self.composite_shadow(&mut pass), Ordering::Relaxed);
    }
}
