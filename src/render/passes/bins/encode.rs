//! The dispatches that fill bins, in their order: each step of everybody before the next, so that the
//! GPU waits for as little as possible between them.

use crate::{
    gpu::{Gpu, GpuError},
    render::{
        Layouts, Targets,
        passes::bins::{
            BINS, Bins, FAR_BINS, occlude,
            pyramid::{Pyramid, PyramidPass},
            scan, scatter, select,
        },
    },
};

/// Pipelines of select, scan, scatter, pyramid and occlude.
pub(crate) struct BinPasses {
    select: wgpu::ComputePipeline,
    scan: wgpu::ComputePipeline,
    scatter: wgpu::ComputePipeline,
    pyramid: PyramidPass,
    occlude: wgpu::ComputePipeline,
    scan_far: wgpu::ComputePipeline,
    scatter_far: wgpu::ComputePipeline,
}

impl BinPasses {
    /// For `targets`, and for pictures that are rasterised in compute.
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, (targets, rasters): (Targets, bool)) -> Result<Self, GpuError> {
        let (select, scan, scatter, pyramid, occlude, scan_far, scatter_far) = gpu.together((
            || select::pipeline(gpu, layouts),
            || scan::pipeline(gpu, layouts, false),
            || scatter::pipeline(gpu, layouts, false),
            || PyramidPass::new(gpu, layouts, (targets, rasters)),
            || occlude::pipeline(gpu, layouts, targets.depth.convention),
            || scan::pipeline(gpu, layouts, true),
            || scatter::pipeline(gpu, layouts, true),
        ))?;
        Ok(Self {
            select,
            scan,
            scatter,
            pyramid,
            occlude,
            scan_far,
            scatter_far,
        })
    }

    /// After whatever places people: who is in the view, at which level.
    pub(crate) fn select<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        crowds: impl Iterator<Item = &'a Bins> + Clone,
    ) {
        pass.set_bind_group(0, frame, &[]);
        by_block(pass, &self.select, crowds.clone());
        by_bin(pass, &self.scan, crowds.clone(), BINS);
        by_block(pass, &self.scatter, crowds);
    }

    /// After what hides others was drawn: takes the hidden out of the far phase.
    pub(crate) fn cull<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        pyramid: &Pyramid,
        crowds: impl Iterator<Item = &'a Bins> + Clone,
    ) {
        self.pyramid.encode(pass, frame, pyramid);
        by_block(pass, &self.occlude, crowds.clone());
        by_bin(pass, &self.scan_far, crowds.clone(), BINS - FAR_BINS);
        by_block(pass, &self.scatter_far, crowds);
    }
}

/// A workgroup for each block of every crowd; groups 0 and 2 are set.
pub(crate) fn by_block<'a>(
    pass: &mut wgpu::ComputePass<'_>,
    pipeline: &wgpu::ComputePipeline,
    crowds: impl Iterator<Item = &'a Bins>,
) {
    pass.set_pipeline(pipeline);
    for bins in crowds {
        pass.set_bind_group(1, &bins.group, &[]);
        let rows = bins.blocks.div_ceil(MOST_GROUPS);
        pass.dispatch_workgroups(bins.blocks.div_ceil(rows), rows, 1);
    }
}

/// Workgroups of a dispatch in one dimension, at most.
const MOST_GROUPS: u32 = 65_535;

fn by_bin<'a>(
    pass: &mut wgpu::ComputePass<'_>,
    pipeline: &wgpu::ComputePipeline,
    crowds: impl Iterator<Item = &'a Bins>,
    bins_of_each: u32,
) {
    pass.set_pipeline(pipeline);
    for bins in crowds {
        pass.set_bind_group(1, &bins.group, &[]);
        pass.dispatch_workgroups(bins_of_each, 1, 1);
    }
}
