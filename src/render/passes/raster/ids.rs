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
                RasterKey, RasterOutput, RasterStep, SampleAtomics, StepGroups, SwRasterDraw, TargetContents,
                VisibilityTarget,
                lists::{RasterLists, bound_draw, raster_uniforms, uniforms_of},
                rasterise,
                target::TargetInput,
            },
        },
        resources::instances::bind_group,
    },
};

/// Edge of a workgroup (px).
const TILE: u32 = 8;

/// Buffers and textures of ids: the words are a depth key and an instance at the centre of every pixel.
pub(crate) struct IdContents {
    /// Draw lists of the far phase, after occlusion culling.
    pub(crate) lists: RasterLists,
    /// Uniforms of each draw in both steps.
    uniforms: Vec<[wgpu::Buffer; 2]>,
    picture_uniforms: wgpu::Buffer,
    /// Output ids, as in [`AovKind::Ids`].
    shown: wgpu::Texture,
    /// Output depths (m), as in [`AovKind::Depth`].
    shown_depth: wgpu::Texture,
}

impl TargetContents for IdContents {
    const LABEL: &'static str = "id words";
    const WORD_BYTES: u64 = 8;
    const PHASES: u32 = 1;
    const HINT: &'static str = "use --raster hardware or a smaller --size";

    fn name(size: (u32, u32)) -> String {
        format!("the software rasterizer of ids at {} x {} pixels", size.0, size.1)
    }

    fn new(input: &TargetInput<'_>) -> Self {
        let &TargetInput {
            context,
            size,
            samples,
            drawn,
            numbering,
            ..
        } = input;
        let of_draw = |number, step: RasterStep| {
            let uniforms = uniforms_of(size, samples, number * DRAW_LIST_LODS);
            raster_uniforms(&context.gpu, step.uniforms(uniforms))
        };
        let of_steps = |number| [RasterStep::Nearest, RasterStep::Ids].map(|step| of_draw(number, step));
        let shown = |label, kind: AovKind| {
            let usage = wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC;
            target_texture(&context.gpu, label, size, kind.format(), 1, usage)
        };
        Self {
            lists: RasterLists::new(context, CullPhase::Far, drawn, numbering, 0),
            uniforms: (0..drawn.len() as u32).map(of_steps).collect(),
            picture_uniforms: of_draw(0, RasterStep::Nearest),
            shown: shown("shown ids", AovKind::Ids),
            shown_depth: shown("shown depth", AovKind::Depth),
        }
    }

    fn own_lists(&self) -> &RasterLists {
        &self.lists
    }

    fn clear(&self, _: &mut wgpu::CommandEncoder) {}

    fn bytes(&self) -> u64 {
        let pixels = u64::from(self.shown.width()) * u64::from(self.shown.height());
        self.lists.bytes() + 8 * pixels
    }
}

impl VisibilityTarget<IdContents> {
    /// Groups 3 of rasterise.wgsl for a draw: `aov` are its `AovUniforms`, `counting` amodal masks and their offsets if
    /// people are counted. `None` if the buffer was made without the draw.
    pub(crate) fn groups(
        &self,
        context: &RenderContext,
        draw: SwRasterDraw<'_>,
        aov: &wgpu::Buffer,
        counting: Option<[&wgpu::Buffer; 2]>,
    ) -> Option<StepGroups> {
        let [nearest, ids] = self
            .contents
            .uniforms
            .get(self.contents.lists.row_of(draw.id, draw.draw_lists)?)?;
        let group = |step| {
            let uniforms = match step {
                RasterStep::Nearest => nearest,
                RasterStep::Ids => ids,
            };
            let mut bound = bound_draw(uniforms, &self.contents.lists, draw, &self.words).to_vec();
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
        [&self.contents.shown, &self.contents.shown_depth]
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
        frame: &VisibilityTarget<IdContents>,
        drawn: [&wgpu::TextureView; 2],
        ground: bool,
    ) {
        let shown = frame.shown().map(|texture| whole_view(texture, "shown ids"));
        let views = drawn.into_iter().chain(&shown).zip(2..);
        let mut rows = vec![
            (0, frame.contents.picture_uniforms.as_entire_binding()),
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
