//! Further views of a prepared frame: split screen, a mirror, a map in the corner. People are animated once; each view
//! has its own culling, LODs and draw lists, and draws its people anew.

use std::sync::Arc;

use crate::{
    config::Technique,
    crowd::clock::Clock,
    gpu::{GpuError, buffer_with, compute_pass},
    render::{
        FrameUniforms, Pass, RenderContext, Targets, View,
        crowd::{CrowdRenderer, LightUniforms, draw_list::DrawList},
        passes::{
            crowd::{CrowdPass, FragmentOutput, draw_instances, draw_listed},
            crowd_shadow,
            draw_lists::{CullPhase, DrawListSet, DrawLists, Pyramid, Views},
        },
        resources::{DrawMap, instances::bind_group},
    },
};

/// Error of a further view.
#[derive(Debug, thiserror::Error)]
pub enum FurtherViewError {
    /// No frame was prepared.
    #[error("a further view shows the frame of CrowdRenderer::prepare; call that first")]
    NotPrepared,
    /// Some people are drawn by a technique that poses them for one view.
    #[error(
        "further views need poses of every person, and {technique:?} poses those of one view; use technique matrix"
    )]
    Technique {
        /// Technique of these people.
        technique: Technique,
    },
}

/// Further view of a crowd, with its own camera, culling, LODs and draw lists. Costs 8 bytes a person on the GPU,
/// and for each frame the passes that fill its lists, but none that animate.
pub struct FurtherView {
    frame_buffer: wgpu::Buffer,
    light_buffer: wgpu::Buffer,
    frame: wgpu::BindGroup,
    lit_frame: wgpu::BindGroup,
    /// Grid that nothing reads: people add to the crowd shadow grid once, for the first view.
    crowd_shadow: wgpu::BindGroup,
    lists: DrawMap<DrawLists>,
    /// Depth pyramid of the near phase, once people were culled against it.
    pyramid: Option<Pyramid>,
    /// Version of the contents that the lists are of.
    version: Option<Arc<()>>,
}

impl CrowdRenderer {
    /// Makes a further view, for [`CrowdRenderer::prepare_view`] of this renderer. Keep it from frame to frame.
    #[must_use]
    pub fn further_view(&self) -> FurtherView {
        let gpu = &self.context.gpu;
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame_buffer = buffer_with(gpu, "frame of a view", &[0; size_of::<FrameUniforms>()], usage);
        let light_buffer = buffer_with(gpu, "light of a view", &[0; size_of::<LightUniforms>()], usage);
        let (context, shadow) = (&self.context, &self.passes.shadow);
        let frame = [(0, frame_buffer.as_entire_binding())];
        FurtherView {
            frame: bind_group(gpu, "frame", &context.layouts.frame, &frame),
            lit_frame: self
                .bindings
                .lit_frame_of(context, shadow, &frame_buffer, &light_buffer),
            crowd_shadow: crowd_shadow::group(context, &crowd_shadow::grid(gpu, false)),
            lists: std::iter::empty().collect(),
            pyramid: None,
            version: None,
            frame_buffer,
            light_buffer,
        }
    }

    /// Selects the people of a further view of the frame prepared last, and their LODs. Encode it after
    /// [`CrowdRenderer::prepare`], for the same submit. Returns the bytes sent to the GPU.
    ///
    /// Time and shadow map are those of the frame: shadows are sharpest around the first view's
    /// [`View::shadow_focus`], and a view without a focus of its own has none. Heroes look at the first view's eye. The
    /// hardware rasterizer draws everybody.
    ///
    /// # Errors
    /// [`FurtherViewError::NotPrepared`] before the first frame, [`FurtherViewError::Technique`] with technique
    /// `preskinned`.
    pub fn prepare_view(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        further: &mut FurtherView,
        view: &View,
    ) -> Result<u64, FurtherViewError> {
        let Some(first) = self.prepared else {
            return Err(FurtherViewError::NotPrepared);
        };
        if self.preskins() {
            let technique = Technique::Preskinned;
            return Err(FurtherViewError::Technique { technique });
        }
        let uniforms = self.further_uniforms(&first, view);
        let gpu = &self.context.gpu;
        let sent = gpu.uploads.total();
        gpu.write_buffer("frame", &further.frame_buffer, 0, bytemuck::bytes_of(&uniforms));
        let light = LightUniforms::from(&view.light);
        gpu.write_buffer("light", &further.light_buffer, 0, bytemuck::bytes_of(&light));
        let sent = gpu.uploads.total() - sent;
        if !self.is_current(further) {
            further.lists = further_lists(&self.context, &DrawList::of(&self.contents));
            further.version = Some(self.lists.version.clone());
        }
        if let Some(passes) = &self.passes.draw_lists {
            let sets = further.sets();
            let mut pass = compute_pass(encoder, Pass::Select.name());
            passes.select(&mut pass, &further.frame, &further.crowd_shadow, &sets, false);
            passes.fill(&mut pass, &sets, false);
        }
        Ok(sent)
    }

    /// Draws everything in a further view, occluded people too. The pass must have the attachments that the renderer was
    /// made for. Draws nothing if the contents have changed since [`CrowdRenderer::prepare_view`].
    pub fn draw_view(&self, pass: &mut wgpu::RenderPass<'_>, further: &FurtherView) {
        self.draw_view_near(pass, further);
        self.draw_view_far(pass, further);
    }

    /// Draws the near phase of a further view, as [`CrowdRenderer::draw_near`] does of the first one.
    pub fn draw_view_near(&self, pass: &mut wgpu::RenderPass<'_>, further: &FurtherView) {
        self.draw_by(pass, further, CullPhase::Near, &self.passes.crowd);
    }

    /// Culls people of a further view's far phase who are occluded by the depth drawn so far. Call it between the pass
    /// of [`CrowdRenderer::draw_view_near`] and that of [`CrowdRenderer::draw_view_far`]; `depth` is as
    /// [`CrowdRenderer::cull`] takes it. Nothing is encoded if its texture cannot be read, or without draw lists, and
    /// nobody is culled if the view's [`Culling`](super::Culling) leaves out the hidden. The view keeps a depth pyramid
    /// of 1.4 bytes a pixel.
    pub fn cull_view(&self, encoder: &mut wgpu::CommandEncoder, further: &mut FurtherView, depth: &wgpu::TextureView) {
        if further.pyramid.as_ref().is_none_or(|pyramid| !pyramid.is_of(depth)) {
            further.pyramid = Pyramid::new(&self.context, depth);
        }
        let (Some(passes), Some(pyramid)) = (&self.passes.draw_lists, &further.pyramid) else {
            return;
        };
        if self.is_current(further) {
            let mut pass = compute_pass(encoder, Pass::OcclusionCull.name());
            passes.cull(&mut pass, &further.frame, pyramid, &further.sets());
        }
    }

    /// Draws the far phase of a further view: everyone whom [`CrowdRenderer::cull_view`] left.
    pub fn draw_view_far(&self, pass: &mut wgpu::RenderPass<'_>, further: &FurtherView) {
        self.draw_by(pass, further, CullPhase::Far, &self.passes.crowd);
    }

    /// Compiles the pipelines of [`CrowdRenderer::draw_view_depth`], for present and future contents.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_depth(&mut self) -> Result<(), GpuError> {
        let targets = Targets {
            samples: 1,
            ..self.targets
        };
        let mut depth = CrowdPass::new(targets, FragmentOutput::Depth);
        let draws = DrawList::of(&self.contents);
        depth.prepare(&self.context, draws.iter().map(|draw| draw.variant))?;
        self.passes.depth = Some(depth);
        Ok(())
    }

    /// Draws the depth of everything in a further view, occluded people too: for a host's own shadow map, or before the
    /// view is drawn in colour. Nothing is drawn before [`CrowdRenderer::prepare_depth`], or if the contents have
    /// changed since [`CrowdRenderer::prepare_view`].
    ///
    /// The pass has depth in the renderer's format and convention, one sample a pixel, and no colour attachment. The
    /// depth is that of [`CrowdRenderer::draw_view`] with one sample; there is no depth bias.
    pub fn draw_view_depth(&self, pass: &mut wgpu::RenderPass<'_>, further: &FurtherView) {
        let Some(depth) = &self.passes.depth else { return };
        for phase in [CullPhase::Near, CullPhase::Far] {
            self.draw_by(pass, further, phase, depth);
        }
    }

    /// Draws one phase of a further view by the pipelines of a pass. Draws without lists belong to the near phase.
    fn draw_by(&self, pass: &mut wgpu::RenderPass<'_>, further: &FurtherView, phase: CullPhase, by: &CrowdPass) {
        if !self.is_current(further) {
            return;
        }
        pass.set_bind_group(0, &further.lit_frame, &[]);
        for d in DrawList::of(&self.contents).iter() {
            let pipeline = by.pipeline(d.variant);
            match further.lists.get(d.id) {
                Some(lists) => draw_listed(pass, pipeline, d.parts, lists, phase, None),
                None if phase == CullPhase::Near => draw_instances(pass, pipeline, d.parts),
                None => 0,
            };
        }
    }

    fn is_current(&self, further: &FurtherView) -> bool {
        let version = further.version.as_ref();
        version.is_some_and(|version| Arc::ptr_eq(version, &self.lists.version))
    }

    /// Uniforms of a further view: its camera and light, the frame's time and shadow map.
    fn further_uniforms(&self, first: &FrameUniforms, view: &View) -> FrameUniforms {
        let clock = Clock {
            seconds: first.seconds,
            ticks: first.ticks,
        };
        let own = FrameUniforms::of(view, clock, self.options.shadow_size, self.targets.samples);
        FrameUniforms {
            shadow_from_world: first.shadow_from_world,
            shadow_metres: first.shadow_metres,
            shadows: own.shadows.min(first.shadows),
            crowd_shadow_origin: first.crowd_shadow_origin,
            ground: first.ground,
            daylight: first.daylight,
            ..own
        }
    }
}

impl FurtherView {
    /// Distinct sets that contain the lists.
    fn sets(&self) -> Vec<&DrawListSet> {
        let mut sets: Vec<&DrawListSet> = Vec::new();
        for lists in self.lists.values() {
            if !sets.contains(&lists.set()) {
                sets.push(lists.set());
            }
        }
        sets
    }
}

/// Lists of one more view for everything that is drawn from lists.
fn further_lists(context: &RenderContext, draws: &DrawList<'_>) -> DrawMap<DrawLists> {
    let listed = || draws.iter().filter_map(|d| Some((d.id, d.draw_lists?)));
    let wanted = listed().map(|(_, lists)| Views {
        camera: Some(lists.camera.request().of_further_view()),
        sun: None,
    });
    let made = DrawListSet::all(context, wanted.collect());
    let ids = listed().map(|(id, _)| id);
    ids.zip(made)
        .filter_map(|(id, made)| Some((id, made.camera?)))
        .collect()
}
