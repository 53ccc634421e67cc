//! A frame of the crowd: what is computed before the host's render pass, and what is drawn in it.

use crate::{
    crowd::clock::Clock,
    render::{
        FrameUniforms, Pass,
        crowd::{CrowdRenderer, LightUniforms, View, contents::CharacterDraw},
        passes::{attachments::AttachmentCrowd, crowd::draw_instances},
    },
};

impl CrowdRenderer {
    /// Advances everyone to a moment and poses heroes; draws the shadow map where `view` wants one.
    /// To be encoded before the passes that draw; returns the bytes sent to the GPU.
    ///
    /// What is sent goes through the queue, at the next submit: one `prepare` for each submit. To
    /// draw several views of a moment, submit in between.
    pub fn prepare(&mut self, encoder: &mut wgpu::CommandEncoder, view: &View, time: Clock) -> u64 {
        let uniforms = FrameUniforms::of(view, time, self.options.shadow_size);
        let bytes = self.update(&uniforms, view, time);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Animate.name()),
            timestamp_writes: None,
        });
        self.animate(&mut pass);
        drop(pass);
        if uniforms.shadows != 0 {
            self.cast_shadows(encoder, None);
        }
        bytes
    }

    /// Everything: people, what they carry, scenery. The pass must have the attachments that the
    /// renderer was made for; bind groups 0 to 2 and the pipeline are changed.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_near(pass);
        self.draw_far(pass);
    }

    /// The first of two steps of a renderer that culls: what is surely visible. As long as there are
    /// no levels of detail this is everything, so that `draw_near`, [`CrowdRenderer::cull`] and
    /// [`CrowdRenderer::draw_far`] draw the same picture as [`CrowdRenderer::draw`].
    pub fn draw_near(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_people(pass);
        self.draw_attachments(pass);
        self.draw_scenery(pass);
    }

    /// Finds out what of the rest is hidden behind the depth drawn so far. There are no levels of
    /// detail yet, and therefore no rest: this encodes nothing and does not look at `depth`.
    pub fn cull(&mut self, _encoder: &mut wgpu::CommandEncoder, _depth: &wgpu::TextureView) {}

    /// Draws what [`CrowdRenderer::cull`] left of the rest: nothing, as long as there are no levels
    /// of detail.
    pub fn draw_far(&self, _pass: &mut wgpu::RenderPass<'_>) {}

    /// People alone, heroes among them: one draw call for each character.
    pub fn draw_people(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_all(pass, self.contents.people.iter());
    }

    /// What people carry.
    pub fn draw_attachments(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_bind_group(0, &self.lit_frame, &[]);
        for d in &self.contents.attachments {
            draw_instances(pass, self.crowd.pipeline(d.variant), &d.assets, &d.crowd);
        }
    }

    /// What stands around.
    pub fn draw_scenery(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_all(pass, self.contents.scenery.iter());
    }

    fn draw_all<'a>(&self, pass: &mut wgpu::RenderPass<'_>, drawn: impl Iterator<Item = &'a CharacterDraw>) {
        pass.set_bind_group(0, &self.lit_frame, &[]);
        for d in drawn {
            draw_instances(pass, self.crowd.pipeline(d.variant), &d.assets, &d.crowd);
        }
    }

    /// The part of [`CrowdRenderer::prepare`] that the CPU does: frame uniforms, the animators of
    /// technique `live`, heroes.
    pub(crate) fn update(&mut self, uniforms: &FrameUniforms, view: &View, time: Clock) -> u64 {
        let bytes = bytemuck::bytes_of(uniforms);
        let sent = self.gpu.uploads.total();
        self.gpu.write_buffer("frame", &self.frame_buffer, 0, bytes);
        if !self.options.own_sky {
            let light = LightUniforms::from(&view.light);
            let bytes = bytemuck::bytes_of(&light);
            self.gpu.write_buffer("light", &self.light_buffer, 0, bytes);
        }
        for d in &mut self.contents.people {
            if let Some(live) = &mut d.live {
                live.update(&self.gpu, time);
            }
            if let Some(heroes) = &mut d.heroes {
                heroes.update(&self.gpu, time, view.eye);
            }
        }
        self.gpu.uploads.total() - sent
    }

    /// The part of [`CrowdRenderer::prepare`] that the GPU computes.
    pub(crate) fn animate(&self, pass: &mut wgpu::ComputePass<'_>) {
        let (frame, contents) = (&self.frame, &self.contents);
        self.animate
            .encode(pass, frame, contents.everything().map(|d| &d.crowd));
        let people = || contents.people.iter();
        self.live.encode(pass, frame, people().filter_map(|d| d.live.as_ref()));
        self.heroes
            .encode(pass, frame, people().filter_map(|d| d.heroes.as_ref()));
        self.attachments.encode(pass, frame, contents.attachments.iter());
    }

    /// Draws the shadow map, after [`CrowdRenderer::animate`].
    pub(crate) fn cast_shadows(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(Pass::Shadow.name()),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.shadow.map,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            timestamp_writes,
            ..Default::default()
        });
        pass.set_bind_group(0, &self.frame, &[]);
        let characters = self.contents.everything().map(|d| (d.variant, d.parts()));
        let carried = self.contents.attachments.iter();
        let carried = carried.map(|d| (d.variant, AttachmentCrowd::parts(d)));
        for (variant, (assets, crowd)) in characters.chain(carried) {
            draw_instances(&mut pass, self.shadow.pipeline(variant), assets, crowd);
        }
    }
}
