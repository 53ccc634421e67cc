//! Animate pass: advances every instance to the frame's time.

use crate::{
    gpu::{Binding, GpuError, compute_pipeline},
    render::{
        RenderContext,
        layouts::{BindingEntry, COMPUTE},
        resources::{CrowdInstances, actors, instances::AnimatedBy},
    },
};

/// Invocations per workgroup of every one-dimensional compute pass.
pub const WORKGROUP_SIZE: u32 = 64;

/// Rows of group 1: character; clips, groups, states, edges, paths.
pub(in crate::render) const ANIMATE_CHARACTER: [BindingEntry; 6] = [
    (0, COMPUTE, Binding::Uniform),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::Storage),
    (5, COMPUTE, Binding::Storage),
    (6, COMPUTE, Binding::Storage),
    (7, COMPUTE, Binding::Storage),
];
/// Rows of group 2: instances, posed instances, times of the atlas's frames.
pub(in crate::render) const ANIMATE_CROWD: [BindingEntry; 3] = [
    (0, COMPUTE, Binding::Storage),
    (1, COMPUTE, Binding::StorageWrite),
    (2, COMPUTE, Binding::Storage),
];
/// As [`ANIMATE_CROWD`], for people whose clothes change their colour.
pub(in crate::render) const ANIMATE_RECOLORED: [BindingEntry; 3] =
    [(0, COMPUTE, Binding::StorageWrite), ANIMATE_CROWD[1], ANIMATE_CROWD[2]];

/// Pipelines of shaders/animate.wgsl.
pub(crate) struct Animate {
    pipeline: wgpu::ComputePipeline,
    /// Pipeline of actors, once there are any.
    actors: Option<wgpu::ComputePipeline>,
    /// Pipeline of people whose clothes change their colour, once there are any.
    recolored: Option<wgpu::ComputePipeline>,
}

impl Animate {
    pub(crate) fn new(context: &RenderContext) -> Result<Self, GpuError> {
        let groups = [
            &context.layouts.frame,
            &context.layouts.animate_character,
            &context.layouts.animate_crowd,
        ];
        Ok(Self {
            pipeline: compute_pipeline(&context.gpu, "animate", &[], &groups)?,
            actors: None,
            recolored: None,
        })
    }

    /// Compiles the pipeline of people whose clothes change their colour unless it exists.
    pub(crate) fn prepare_recolored(&mut self, context: &RenderContext) -> Result<(), GpuError> {
        if self.recolored.is_none() {
            let layouts = &context.layouts;
            let groups = [&layouts.frame, &layouts.animate_character, &layouts.animate_recolored];
            self.recolored = Some(compute_pipeline(&context.gpu, "animate", &["recolors"], &groups)?);
        }
        Ok(())
    }

    /// Compiles the pipeline of actors unless it exists.
    pub(crate) fn prepare_actors(&mut self, context: &RenderContext) -> Result<(), GpuError> {
        if self.actors.is_none() {
            let [character, crowd] = &actors::layouts(&context.gpu);
            let groups = [&context.layouts.frame, character, crowd];
            self.actors = Some(compute_pipeline(&context.gpu, "animate", &["actors"], &groups)?);
        }
        Ok(())
    }

    /// Pipelines compiled again from the current shaders.
    pub(crate) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        let mut rebuilt = Self::new(context)?;
        if self.actors.is_some() {
            rebuilt.prepare_actors(context)?;
        }
        if self.recolored.is_some() {
            rebuilt.prepare_recolored(context)?;
        }
        Ok(rebuilt)
    }

    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        crowds: impl Iterator<Item = &'a CrowdInstances> + Clone,
    ) {
        let crowds = crowds.filter(|c| c.count > 0);
        pass.set_bind_group(0, frame, &[]);
        let variants = [
            (Some(&self.pipeline), AnimatedBy::Plan),
            (self.recolored.as_ref(), AnimatedBy::ShadedPlan),
            (self.actors.as_ref(), AnimatedBy::Actors),
        ];
        for (pipeline, by) in variants {
            let Some(pipeline) = pipeline else { continue };
            pass.set_pipeline(pipeline);
            for crowd in crowds.clone().filter(|crowd| crowd.animated_by() == by) {
                dispatch(pass, crowd);
            }
        }
    }
}

/// Evaluates one crowd.
fn dispatch(pass: &mut wgpu::ComputePass<'_>, crowd: &CrowdInstances) {
    pass.set_bind_group(1, &crowd.animate_character, &[]);
    pass.set_bind_group(2, &crowd.animate_crowd, &[]);
    let (x, y) = workgroups(crowd.count);
    pass.dispatch_workgroups(x, y, 1);
}

/// Workgroups in two dimensions, each at most 65535, covering `items`.
pub(crate) fn workgroups(items: u32) -> (u32, u32) {
    let groups = items.div_ceil(WORKGROUP_SIZE).max(1);
    let y = groups.div_ceil(65535);
    (groups.div_ceil(y), y)
}
