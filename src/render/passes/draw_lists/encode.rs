//! Dispatches that fill draw lists, in order. Each step runs for all crowds before the next begins, in one dispatch
//! where possible. The GPU then waits as seldom as possible.

use crate::{
    gpu::GpuError,
    render::{
        RenderContext, Targets,
        passes::draw_lists::{
            CullPhase, DrawListRow, DrawListSet, occlusion_cull,
            pyramid::{Pyramid, PyramidPass},
            scan::ScanPass,
            scatter, select,
        },
    },
};

/// Pipelines of select, scan, scatter, pyramid and occlusion_cull.
pub(crate) struct DrawListPasses {
    select: wgpu::ComputePipeline,
    scan: ScanPass,
    scatter: wgpu::ComputePipeline,
    pyramid: PyramidPass,
    occlusion_cull: wgpu::ComputePipeline,
    scan_far: ScanPass,
    scatter_far: wgpu::ComputePipeline,
}

impl DrawListPasses {
    /// Compiles for `targets` and, with `uses_sw_raster`, for pictures of the software rasterizer.
    pub(crate) fn new(context: &RenderContext, targets: Targets, uses_sw_raster: bool) -> Result<Self, GpuError> {
        let (select, scan, scatter, pyramid, occlusion_cull, scan_far, scatter_far) = context.gpu.run_parallel((
            || select::pipeline(context),
            || ScanPass::new(context, CullPhase::Near),
            || scatter::pipeline(context, false),
            || PyramidPass::new(context, targets, uses_sw_raster),
            || occlusion_cull::pipeline(context, targets.depth.convention),
            || ScanPass::new(context, CullPhase::Far),
            || scatter::pipeline(context, true),
        ))?;
        Ok(Self {
            select,
            scan,
            scatter,
            pyramid,
            occlusion_cull,
            scan_far,
            scatter_far,
        })
    }

    /// Selects instances in view and their LODs, with `shadows` for the shadow view, too. Runs after all passes that
    /// place people. `crowd_shadow` is group 2 of select. The lists stay as they are until
    /// [`DrawListPasses::fill`].
    pub(crate) fn select(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        crowd_shadow: &wgpu::BindGroup,
        sets: &[&DrawListSet],
        shadows: bool,
    ) {
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(2, crowd_shadow, &[]);
        by_person(pass, &self.select, sets, shadows);
    }

    /// Fills the lists with the instances that [`DrawListPasses::select`] has selected in the same pass.
    pub(crate) fn fill(&self, pass: &mut wgpu::ComputePass<'_>, sets: &[&DrawListSet], shadows: bool) {
        self.scan.encode(pass, sets, |set| set.filled(shadows));
        by_block(pass, &self.scatter, sets, |set| set.filled(shadows));
    }

    /// Culls occluded people of the far phase, after the occluders were drawn.
    pub(crate) fn cull(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        pyramid: &Pyramid,
        sets: &[&DrawListSet],
    ) {
        self.pyramid.encode(pass, frame, pyramid);
        by_person(pass, &self.occlusion_cull, sets, false);
        self.scan_far.encode(pass, sets, DrawListSet::camera_lists);
        by_block(pass, &self.scatter_far, sets, DrawListSet::camera_lists);
    }
}

/// Maximum workgroups of a dispatch in one dimension.
const MOST_GROUPS: u32 = 65_535;

/// Dispatches a workgroup for each block of every crowd, and a layer of them for each view. Groups 0 and 2 are set.
fn by_person(pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline, sets: &[&DrawListSet], shadows: bool) {
    pass.set_pipeline(pipeline);
    for crowd_visibility in sets.iter().flat_map(|set| set.crowd_visibility()) {
        let views = crowd_visibility.views[usize::from(shadows)];
        // Browsers warn of dispatches without workgroups.
        if views > 0 && crowd_visibility.blocks > 0 {
            let (x, y) = in_rows(crowd_visibility.blocks);
            pass.set_bind_group(1, &crowd_visibility.group, &[]);
            pass.dispatch_workgroups(x, y, views);
        }
    }
}

/// Dispatches a workgroup for each block of every row.
fn by_block<'a>(
    pass: &mut wgpu::ComputePass<'_>,
    pipeline: &wgpu::ComputePipeline,
    sets: &[&'a DrawListSet],
    lists: impl Fn(&'a DrawListSet) -> &'a [DrawListRow],
) {
    pass.set_pipeline(pipeline);
    for &set in sets {
        let (x, y) = in_rows(lists(set).iter().map(|list| list.blocks).sum());
        if x > 0 {
            pass.set_bind_group(1, set.group(), &[]);
            pass.dispatch_workgroups(x, y, 1);
        }
    }
}

/// Splits workgroups into two dimensions, with a few more if they do not divide evenly.
fn in_rows(groups: u32) -> (u32, u32) {
    let rows = groups.div_ceil(MOST_GROUPS);
    (groups.div_ceil(rows.max(1)), rows)
}
