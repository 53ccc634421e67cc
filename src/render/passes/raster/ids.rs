//! Ids of the software rasterizer: the nearest instance at the centre of every pixel, whatever samples the picture has.
//! The hardware rasterizer draws what this one does not support. A compute pass composites both by depth, and with the
//! ground. A full-screen draw would cost devices with little graphics hardware as much as all people.

use crate::{
    gpu::{GpuError, compute_pipeline, target_texture, whole_view},
    render::{
        DepthConvention, RenderContext,
        passes::{
            AovKind,
            draw_lists::{CullPhase, DRAW_LIST_LODS},
            raster::{
                RasterKey, RasterOutput, RasterStep, SampleAtomics, StepGroups, SwRasterDraw,
                lists::{Numbering, RasterLists, bound_draw, empty, raster_uniforms, uniforms_of},
                rasterise,
            },
        },
        resources::instances::bind_group,
    },
};

/// Edge of a workgroup (px).
const TILE: u32 = 8;

/// Visibility buffer of ids, with all buffers and bind groups for its size and its draws.
pub(crate) struct IdVisibilityBuffer {
    size: (u32, u32),
    words: wgpu::Buffer,
    /// Draw lists of the far phase, after occlusion culling.
    pub(crate) lists: RasterLists,
    numbering: Numbering,
    /// Uniforms of each draw in both steps.
    uniforms: Vec<[wgpu::Buffer; 2]>,
    picture_uniforms: wgpu::Buffer,
    /// Output ids, as in [`AovKind::Ids`].
    shown: wgpu::Texture,
    /// Output depths (m), as in [`AovKind::Depth`].
    shown_depth: wgpu::Texture,
}

impl IdVisibilityBuffer {
    /// # Errors
    /// [`GpuError::TooLarge`] for a picture of more pixels than the device can bind, [`GpuError::Memory`].
    pub(crate) fn new(context: &RenderContext, size: (u32, u32), drawn: &[SwRasterDraw<'_>]) -> Result<Self, GpuError> {
        let bytes = 8 * u64::from(size.0) * u64::from(size.1);
        let what = format!("the software rasterizer of ids at {} x {} pixels", size.0, size.1);
        let hint = "use --raster hardware or a smaller --size";
        context.gpu.check_storage(&what, bytes, hint)?;
        context
            .gpu
            .ensure_memory(&what, hint, || Self::create(context, size, bytes, drawn))
    }

    fn create(context: &RenderContext, size: (u32, u32), bytes: u64, drawn: &[SwRasterDraw<'_>]) -> Self {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let words = empty(&context.gpu, "id words", bytes, usage);
        let of_draw = |number, step: RasterStep| {
            let uniforms = uniforms_of(size, 1, number * DRAW_LIST_LODS);
            raster_uniforms(&context.gpu, step.uniforms(uniforms))
        };
        let of_steps = |number| [RasterStep::Nearest, RasterStep::Ids].map(|step| of_draw(number, step));
        let shown = |label, kind: AovKind| {
            let usage = wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC;
            target_texture(&context.gpu, label, size, kind.format(), 1, usage)
        };
        let numbering = Numbering::new(&context.gpu, drawn.len() as u32);
        Self {
            size,
            lists: RasterLists::new(context, CullPhase::Far, drawn, &numbering, 0),
            numbering,
            uniforms: (0..drawn.len() as u32).map(of_steps).collect(),
            picture_uniforms: of_draw(0, RasterStep::Nearest),
            words,
            shown: shown("shown ids", AovKind::Ids),
            shown_depth: shown("shown depth", AovKind::Depth),
        }
    }

    /// True if it was made for a picture of this size (px) with these draws.
    pub(crate) fn is_of(&self, size: (u32, u32), drawn: &[SwRasterDraw<'_>]) -> bool {
        self.size == size && self.lists.are_of(drawn)
    }

    /// Clears the picture.
    pub(crate) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.words, 0, None);
        self.numbering.clear(encoder);
    }

    /// Groups 3 of rasterise.wgsl for a draw: `aov` are its `AovUniforms`, `counting` amodal masks and their offsets if
    /// people are counted. `None` if the buffer was made without the draw.
    pub(crate) fn groups(
        &self,
        context: &RenderContext,
        draw: SwRasterDraw<'_>,
        aov: &wgpu::Buffer,
        counting: Option<[&wgpu::Buffer; 2]>,
    ) -> Option<StepGroups> {
        let [nearest, ids] = self.uniforms.get(self.lists.row_of(draw.id, draw.draw_lists)?)?;
        let group = |step| {
            let uniforms = match step {
                RasterStep::Nearest => nearest,
                RasterStep::Ids => ids,
            };
            let mut bound = bound_draw(uniforms, &self.lists, draw, &self.words).to_vec();
            bound.push((7, aov.as_entire_binding()));
            if let Some([words, places]) = counting {
                bound.extend([(8, words.as_entire_binding()), (9, places.as_entire_binding())]);
            }
            let output = RasterOutput::ids(counting.is_some());
            draw.mesh.group(context, output, &bound)
        };
        Some(StepGroups::new(SampleAtomics::of(&context.gpu), group))
    }

    /// Output of [`ShowIds`]: ids and depths (m).
    pub(crate) const fn shown(&self) -> [&wgpu::Texture; 2] {
        [&self.shown, &self.shown_depth]
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.size()
            + self.lists.bytes()
            + self.numbering.bytes()
            + 8 * u64::from(self.size.0) * u64::from(self.size.1)
    }
}

/// Pipelines of shaders/ids.wgsl.
pub(crate) struct ShowIds {
    with_ground: wgpu::ComputePipeline,
    without_ground: wgpu::ComputePipeline,
}

impl ShowIds {
    pub(super) fn new(context: &RenderContext) -> Result<Self, GpuError> {
        let groups = [&context.layouts.frame, &context.layouts.ids];
        Ok(Self {
            with_ground: compute_pipeline(&context.gpu, "ids", &["slots_pass", "ground"], &groups)?,
            without_ground: compute_pipeline(&context.gpu, "ids", &["slots_pass"], &groups)?,
        })
    }

    /// Composites rasterized and drawn ids and depths, with or without the ground. Group 0 is that of passes without
    /// light.
    pub(crate) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        context: &RenderContext,
        group_0: &wgpu::BindGroup,
        frame: &IdVisibilityBuffer,
        drawn: [&wgpu::TextureView; 2],
        ground: bool,
    ) {
        let shown = frame.shown().map(|texture| whole_view(texture, "shown ids"));
        let views = drawn.into_iter().chain(&shown).zip(2..);
        let mut rows = vec![
            (0, frame.picture_uniforms.as_entire_binding()),
            (1, frame.words.as_entire_binding()),
        ];
        rows.extend(views.map(|(view, number)| (number, wgpu::BindingResource::TextureView(view))));
        let (width, height) = frame.size;
        pass.set_pipeline(if ground {
            &self.with_ground
        } else {
            &self.without_ground
        });
        pass.set_bind_group(0, group_0, &[]);
        pass.set_bind_group(1, &bind_group(&context.gpu, "ids", &context.layouts.ids, &rows), &[]);
        pass.dispatch_workgroups(width.div_ceil(TILE), height.div_ceil(TILE), 1);
    }
}

/// Pipeline of shaders/rasterise.wgsl that writes ids, with the pose of the AOV pass.
pub(super) fn pipeline(
    context: &RenderContext,
    drawing: RasterKey,
    counted: bool,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let drawing = RasterKey {
        variant: AovKind::Ids.variant(drawing.variant),
        ..drawing
    };
    rasterise::pipeline(
        context,
        drawing,
        RasterOutput::ids(counted),
        DepthConvention::Reversed,
        1,
        CullPhase::Far,
    )
}
