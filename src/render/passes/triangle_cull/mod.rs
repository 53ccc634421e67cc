//! Triangle culling in compute for the hardware rasterizer (Wihlidal 2016, Optimizing the Graphics Pipeline with
//! Compute). Setup of a triangle costs the hardware as much whether it covers a sample or not.
//!
//! ```text
//! a phase: slots → triangle_cull, a dispatch per draw → triangle_cull_blocks → triangle_cull_draws →
//!     triangle_cull_indices, a dispatch per draw
//! then an indirect draw per LOD, of the surviving triangles
//! ```
//!
//! Most triangles of small people face away or lie between samples. A workgroup poses the vertices of meshlets as the
//! software rasterizer does, tests their triangles against the samples and writes a bit for each. Surviving triangles
//! are compacted into index buffers in draw order (shaders/shared/triangle_cull.wgsl), so that pictures stay the same.
//! If they do not fit, people are drawn without culling.

mod capacity;
mod frame;
mod layouts;
mod triangle_cull_blocks;
mod triangle_cull_draws;
mod triangle_cull_indices;

use std::collections::HashMap;

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        RenderContext, Targets,
        passes::{
            draw_lists::{
                CullPhase, begins_anywhere,
                occlusion_cull::{depth_features, sample_features},
            },
            raster::{RasterKey, StorageRoom, SwRasterDraw, groups, prefers_compute, rasterise, slots, supports},
        },
        resources::DrawFlags,
    },
};

pub use capacity::{MASK_WORDS, TRIANGLE_CULL_BLOCK, TriangleCullTotals};
pub(crate) use frame::TriangleCullFrame;
pub use frame::{CompactedRow, TriangleCullLod};
pub(crate) use layouts::TriangleCullLayouts;

/// Condition of shaders that draw compacted index buffers.
pub const COMPACTED: &str = "compacted";

/// True if a device supports triangle culling and gains by it: all that the software rasterizer needs with 64-bit
/// atomics, indirect draws that begin anywhere, and full 32-bit indices.
pub(crate) fn supports_device(gpu: &Gpu) -> bool {
    let flags = gpu.adapter().map(|adapter| adapter.get_downlevel_capabilities().flags);
    let whole_indices = flags.is_none_or(|flags| flags.contains(wgpu::DownlevelFlags::FULL_DRAW_INDEX_UINT32));
    prefers_compute(gpu) && begins_anywhere(gpu) && whole_indices
}

/// Test of triangles against what was drawn before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OcclusionTest {
    /// Nothing was drawn before, or culling of the hidden is off.
    Off,
    /// Depth pyramid (hierarchical Z).
    Pyramid,
}

impl OcclusionTest {
    const ALL: [Self; 2] = [Self::Off, Self::Pyramid];

    /// Conditions for the shader compiler.
    const fn features(self) -> &'static [&'static str] {
        match self {
            Self::Off => &[],
            Self::Pyramid => &["occluded"],
        }
    }
}

/// Pipelines of triangle culling; those of variants are compiled on first use.
pub(crate) struct TriangleCullPasses {
    targets: Targets,
    slots: wgpu::ComputePipeline,
    blocks: wgpu::ComputePipeline,
    draws: wgpu::ComputePipeline,
    indices: wgpu::ComputePipeline,
    triangle_cull: HashMap<(RasterKey, OcclusionTest), wgpu::ComputePipeline>,
}

impl TriangleCullPasses {
    pub(crate) fn new(context: &RenderContext, targets: Targets) -> Result<Self, GpuError> {
        let (slots, blocks, draws, indices) = context.gpu.run_parallel((
            || slots::pipeline(context),
            || triangle_cull_blocks::pipeline(context),
            || triangle_cull_draws::pipeline(context),
            || triangle_cull_indices::pipeline(context),
        ))?;
        Ok(Self {
            targets,
            slots,
            blocks,
            draws,
            indices,
            triangle_cull: HashMap::new(),
        })
    }

    /// Compiles missing pipelines of draws. Unsupported draws are skipped.
    pub(crate) fn prepare(
        &mut self,
        context: &RenderContext,
        drawings: impl Iterator<Item = RasterKey>,
    ) -> Result<(), GpuError> {
        let targets = self.targets;
        let room = StorageRoom::of(&context.gpu);
        let supported = drawings.filter(|drawing| supports(room, drawing.variant)).map(outline);
        let both = supported.flat_map(|drawing| OcclusionTest::ALL.map(|occlusion| (drawing, occlusion)));
        context
            .gpu
            .make_missing(&mut self.triangle_cull, both, |(key, occlusion)| {
                pipeline(context, key, occlusion, targets)
            })
    }

    /// Pipelines compiled again from the current shaders.
    pub(crate) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        let mut new = Self::new(context, self.targets)?;
        new.prepare(context, self.triangle_cull.keys().map(|&(drawing, _)| drawing))?;
        Ok(new)
    }

    /// Compacts the triangles of a phase. Draws that the frame was made without are left out.
    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group_0: &wgpu::BindGroup,
        frame: &TriangleCullFrame,
        phase: CullPhase,
        occlusion: OcclusionTest,
        draws: impl Iterator<Item = SwRasterDraw<'a>>,
    ) {
        let own = frame.draws(phase);
        pass.set_bind_group(0, group_0, &[]);
        own.lists.number(pass, &self.slots);
        for draw in draws {
            let Some(number) = own.lists.row_of(draw.id, draw.draw_lists) else {
                continue;
            };
            let made = self.triangle_cull.get(&(outline(draw.key), occlusion));
            if let (Some(made), Some(group)) = (made, own.triangle_cull_group(number, occlusion)) {
                pass.set_pipeline(made);
                pass.set_bind_group(1, &draw.crowd.character, &[]);
                pass.set_bind_group(2, &draw.crowd.crowd, &[]);
                pass.set_bind_group(3, group, &[]);
                pass.dispatch_workgroups_indirect(&own.lists.dispatches, slots::rasterise_offset(number));
            }
        }
        let Some(first) = own.draws.first() else { return };
        pass.set_pipeline(&self.blocks);
        pass.set_bind_group(1, &first.kept, &[]);
        pass.dispatch_workgroups(frame.blocks(), 1, 1);
        pass.set_pipeline(&self.draws);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&self.indices);
        for (number, draw) in own.draws.iter().enumerate() {
            pass.set_bind_group(1, &draw.kept, &[]);
            pass.dispatch_workgroups_indirect(&own.lists.dispatches, slots::rasterise_offset(number));
        }
    }
}

/// Key without conditions that change colour alone; face culling stays as it is.
fn outline(drawing: RasterKey) -> RasterKey {
    let RasterKey { variant, .. } = drawing;
    let shows_back_faces = variant.flags.intersects(DrawFlags::SHOWS_BACK_FACES);
    let mut outline = drawing.outline_only();
    outline.variant.flags.set(DrawFlags::DOUBLE_SIDED, shows_back_faces);
    outline
}

/// Pipeline of shaders/triangle_cull.wgsl.
fn pipeline(
    context: &RenderContext,
    key: RasterKey,
    occlusion: OcclusionTest,
    targets: Targets,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let RasterKey { variant, baked, cut } = key;
    let features = [
        &variant.pose_features(),
        rasterise::side_features(variant),
        rasterise::vertex_features(baked),
        sample_features(targets.samples),
        rasterise::thread_features(cut),
        occlusion.features(),
        depth_features(targets.depth.convention),
    ]
    .concat();
    let groups = groups(
        &context.layouts,
        variant,
        &context.layouts.frame,
        context.layouts.triangle_cull.triangle_cull(occlusion, baked),
    );
    compute_pipeline(&context.gpu, "triangle_cull", &features, &groups)
}
