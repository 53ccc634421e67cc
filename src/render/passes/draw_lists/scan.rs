//! Second step of draw lists: prefix sums of the blocks' counts give where each block's part of a draw list begins.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::{
        RenderContext,
        passes::draw_lists::{CullPhase, DRAW_LISTS, DrawListRow, DrawListSet, FAR_DRAW_LISTS},
    },
};

/// Largest number of blocks that one invocation adds up by itself.
const FEW_BLOCKS: u32 = 8;

/// Pipelines of shaders/scan.wgsl.
pub(crate) struct ScanPass {
    phase: CullPhase,
    few_blocks: wgpu::ComputePipeline,
    many_blocks: wgpu::ComputePipeline,
}

impl ScanPass {
    /// Compiles for all draw lists (near phase, before occlusion culling) or only those of the far phase.
    pub(crate) fn new(context: &RenderContext, phase: CullPhase) -> Result<Self, GpuError> {
        let compiled = |few_blocks: bool| {
            let wanted = [("far_only", phase == CullPhase::Far), ("few_blocks", few_blocks)];
            let features: Vec<&str> = wanted.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
            let layouts = [&context.layouts.frame, &context.layouts.draw_lists];
            compute_pipeline(&context.gpu, "scan", &features, &layouts)
        };
        Ok(Self {
            phase,
            few_blocks: compiled(true)?,
            many_blocks: compiled(false)?,
        })
    }

    /// Scans the given lists of every set. Group 0 is set.
    pub(super) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        sets: &[&'a DrawListSet],
        lists: impl Fn(&'a DrawListSet) -> &'a [DrawListRow],
    ) {
        let all = sets.iter().map(|&set| (set, lists(set)));
        // Browsers warn of dispatches without workgroups.
        for (set, lists) in all.filter(|(_, lists)| !lists.is_empty()) {
            let are_few = lists.iter().all(|list| list.blocks <= FEW_BLOCKS);
            pass.set_bind_group(1, set.group(), &[]);
            if are_few {
                pass.set_pipeline(&self.few_blocks);
                pass.dispatch_workgroups(1, lists.len() as u32, 1);
            } else {
                pass.set_pipeline(&self.many_blocks);
                pass.dispatch_workgroups(self.draw_lists(), lists.len() as u32, 1);
            }
        }
    }

    /// Number of draw lists that are scanned.
    fn draw_lists(&self) -> u32 {
        match self.phase {
            CullPhase::Near => DRAW_LISTS,
            CullPhase::Far => DRAW_LISTS - FAR_DRAW_LISTS,
        }
    }
}
