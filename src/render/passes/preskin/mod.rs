//! Technique `preskinned`, the skinned mesh of GPU-driven renderers: a compute pass skins every distinct pose of a
//! frame once. All passes then draw people like static meshes, at their LODs.
//!
//! Each crowd takes five dispatches. quantize_time moves everyone to the nearest time step at which people are posed.
//! After select, mark_used marks the poses (time step and LOD) in the draw lists. compact_poses gives them slots by a
//! prefix sum over the marks. assign_slots writes the slots of each instance, and preskin skins the distinct poses. No
//! frame depends on the one before, and no slot depends on the order in which threads run.

mod assign_slots;
mod compact_poses;
mod mark_used;
mod quantize_time;

use std::collections::HashMap;

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::{
        RenderContext,
        passes::{DrawVariant, animate::workgroups},
        resources::pose_cache::{COUNT_DISPATCH, PoseCache},
    },
};

/// Pipelines of shaders/quantize_time.wgsl, mark_used.wgsl, compact_poses.wgsl, assign_slots.wgsl and, by variant,
/// preskin.wgsl.
pub(crate) struct PreskinPass {
    quantize_time: wgpu::ComputePipeline,
    mark_used: wgpu::ComputePipeline,
    compact_poses: wgpu::ComputePipeline,
    assign_slots: wgpu::ComputePipeline,
    skin: HashMap<DrawVariant, wgpu::ComputePipeline>,
}

impl PreskinPass {
    pub(crate) fn new(context: &RenderContext) -> Result<Self, GpuError> {
        let (quantize_time, mark_used, compact_poses, assign_slots) = context.gpu.run_parallel((
            || quantize_time::pipeline(context),
            || mark_used::pipeline(context),
            || compact_poses::pipeline(context),
            || assign_slots::pipeline(context),
        ))?;
        Ok(Self {
            quantize_time,
            mark_used,
            compact_poses,
            assign_slots,
            skin: HashMap::new(),
        })
    }

    /// Compiles missing pipelines that skin the poses of caches ([`PoseCache::variant`]).
    pub(crate) fn prepare(
        &mut self,
        context: &RenderContext,
        variants: impl IntoIterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        context
            .gpu
            .make_missing(&mut self.skin, variants, |variant| pipeline(context, variant))
    }

    /// Pipelines compiled again from the current shaders.
    pub(crate) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        let mut new = Self::new(context)?;
        new.prepare(context, self.skin.keys().copied())?;
        Ok(new)
    }

    /// Moves everyone to the time step at which they are shown. Runs after animate and before all passes that read
    /// posed instances.
    pub(crate) fn place<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        crowds: impl Iterator<Item = &'a PoseCache>,
    ) {
        pass.set_bind_group(0, frame, &[]);
        by_person(pass, &self.quantize_time, crowds, |cache| &cache.moments);
    }

    /// Skins the poses in the draw lists, with `shadows` those of the shadow view, too. Runs after [`Self::place`] and
    /// after the lists are filled.
    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        crowds: impl Iterator<Item = &'a PoseCache> + Clone,
        shadows: bool,
    ) {
        let steps = |cache: &'a PoseCache| &cache.steps[usize::from(shadows)];
        pass.set_bind_group(0, frame, &[]);
        by_person(pass, &self.mark_used, crowds.clone(), steps);
        pass.set_pipeline(&self.compact_poses);
        for cache in crowds.clone().filter(|cache| cache.people > 0) {
            pass.set_bind_group(1, steps(cache), &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        by_person(pass, &self.assign_slots, crowds.clone(), steps);
        for cache in crowds.filter(|cache| cache.people > 0) {
            let Some(pipeline) = self.skin.get(&cache.variant) else {
                continue;
            };
            pass.set_pipeline(pipeline);
            let [character, compact_poses] = &cache.skinned;
            pass.set_bind_group(1, character, &[]);
            pass.set_bind_group(2, compact_poses, &[]);
            pass.dispatch_workgroups_indirect(&cache.counts, 4 * u64::from(COUNT_DISPATCH));
        }
    }
}

/// Dispatches an invocation for each person of every crowd; group 0 is set.
fn by_person<'a>(
    pass: &mut wgpu::ComputePass<'_>,
    pipeline: &wgpu::ComputePipeline,
    crowds: impl Iterator<Item = &'a PoseCache>,
    group: impl Fn(&'a PoseCache) -> &'a wgpu::BindGroup,
) {
    pass.set_pipeline(pipeline);
    for cache in crowds.filter(|cache| cache.people > 0) {
        pass.set_bind_group(1, group(cache), &[]);
        let (x, y) = workgroups(cache.people);
        pass.dispatch_workgroups(x, y, 1);
    }
}

fn pipeline(context: &RenderContext, variant: DrawVariant) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [&variant.pose_features()[..], &["preskinning"]].concat();
    let groups = [
        &context.layouts.frame,
        context.layouts.character(variant),
        &context.layouts.preskin,
    ];
    compute_pipeline(&context.gpu, "preskin", &features, &groups)
}
