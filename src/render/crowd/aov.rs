//! Arbitrary output variables (AOVs) of the crowd: ids, depth, normals, motion, uv, albedo.
//!
//! They use the draw lists and LODs of the picture; occluded people are kept. The software rasterizer draws ids if it
//! draws pictures (ids.rs).

use std::ops::Range;

use crate::{
    crowd::clock::Clock,
    gpu::{GpuError, compute_pass, encoder},
    render::{
        FrameUniforms, Pass, View,
        crowd::{
            CrowdRenderer, Round,
            draw_list::{Draw, DrawKind, DrawList},
        },
        passes::{
            AovKind, AovUniforms, EVERYBODY,
            aov::{Half, NextFrameData, uniforms_group},
            draw_lists::CullPhase,
        },
        resources::{DrawMap, DrawParts},
    },
};

/// Camera, uniforms and time of a frame whose AOVs are drawn.
#[derive(Clone, Copy)]
pub(crate) struct AovFrame<'a> {
    pub(crate) uniforms: &'a FrameUniforms,
    pub(crate) view: &'a View,
    pub(crate) clock: Clock,
}

/// Posed data of everything at this and another time, for motion vectors.
pub struct NextMoment {
    next_from_world: glam::Mat4,
    next_frame: DrawMap<NextFrameData>,
}

impl CrowdRenderer {
    /// Compiles the pipelines of some AOVs; `counted` adds amodal masks to ids.
    pub(crate) fn prepare_aov(&mut self, kinds: &[AovKind], counted: bool) -> Result<(), GpuError> {
        let draws = DrawList::of(&self.contents);
        for &kind in kinds {
            let counted = counted && kind == AovKind::Ids;
            let variants = draws.iter();
            let variants = variants.map(|draw| (counted && draw.kind == DrawKind::Person, draw.variant));
            let depth = self.targets.depth;
            self.passes.aov.prepare(&self.context, depth, kind, variants)?;
        }
        Ok(())
    }

    /// Compiles ground and sky of some AOVs.
    pub(crate) fn prepare_aov_background(&mut self, kinds: &[AovKind]) -> Result<(), GpuError> {
        let mut kinds = kinds.iter();
        kinds.try_for_each(|&kind| self.passes.aov.prepare_background(&self.context, kind))
    }

    /// Poses everyone at this frame alone.
    pub(crate) fn pose_aov(&mut self, now: AovFrame<'_>) {
        self.pose_half(now, Half::Now, None);
    }

    /// Poses everyone at the next frame, then at this one, and keeps both.
    pub(crate) fn pose_both(&mut self, now: AovFrame<'_>, next: AovFrame<'_>) -> Result<NextMoment, GpuError> {
        let draws = DrawList::of(&self.contents);
        let data = |d: &Draw<'_>| Ok((d.id, NextFrameData::new(&self.context, d.parts)?));
        let both = NextMoment {
            next_from_world: next.uniforms.projection_from_world,
            next_frame: draws.iter().map(data).collect::<Result<_, GpuError>>()?,
        };
        if self.preskins() {
            self.list_aov(now);
        }
        self.pose_half(next, Half::Next, Some(&both));
        self.pose_half(now, Half::Now, Some(&both));
        Ok(both)
    }

    fn pose_half(&mut self, frame: AovFrame<'_>, half: Half, both: Option<&NextMoment>) {
        self.update_aov(frame, self.ids_frame().is_some());
        let mut encoder = encoder(&self.context.gpu, "aov");
        self.animate(&mut compute_pass(&mut encoder, Pass::Animate.name()));
        if half == Half::Now {
            self.select(&mut compute_pass(&mut encoder, Pass::Select.name()), false);
        }
        self.preskin(&mut encoder, false, None);
        for next_frame in both.iter().flat_map(|both| both.next_frame.values()) {
            next_frame.copy_to(&mut encoder, half);
        }
        // Queue writes take effect at a submit: each frame's must be submitted before the other's are written.
        self.context.gpu.queue.submit([encoder.finish()]);
    }

    /// Fills the draw lists of this frame, so that the next frame's poses are skinned at this frame's LODs.
    fn list_aov(&mut self, frame: AovFrame<'_>) {
        self.update_aov(frame, self.ids_frame().is_some());
        let mut encoder = encoder(&self.context.gpu, "aov");
        self.animate(&mut compute_pass(&mut encoder, Pass::Animate.name()));
        self.select(&mut compute_pass(&mut encoder, Pass::Select.name()), false);
        self.context.gpu.queue.submit([encoder.finish()]);
    }

    /// Draws one AOV, prepared before, without ground and sky. `only` draws one person (by number). A `round` counts
    /// amodal masks.
    pub(crate) fn draw_aov(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        kind: AovKind,
        round: Option<&Round>,
        size: (u32, u32),
        next: Option<&NextMoment>,
        only: Option<u32>,
    ) {
        let uniforms = aov_uniforms(size, next);
        pass.set_bind_group(0, &self.bindings.frame, &[]);
        let next = next.filter(|_| kind == AovKind::Motion);
        let sw_raster_draws = self.ids_frame().filter(|_| kind == AovKind::Ids);
        for d in DrawList::of(&self.contents).iter() {
            let Some(instances) = instances_of(d.first_id, d.parts.crowd.count, only) else {
                continue;
            };
            let next_frame = next.and_then(|next| next.next_frame.get(d.id));
            let round = round.filter(|_| d.kind == DrawKind::Person);
            let group = uniforms_group(
                &self.context,
                &AovUniforms {
                    first_id: d.first_id,
                    next_hero_row: next_frame.map_or(0, |next_frame| next_frame.hero_rows),
                    only: if only.is_some() { instances.start } else { EVERYBODY },
                    ..uniforms
                },
                round.map(|round| [&round.words, &round.places]),
            );
            if let Some(pipeline) = self.passes.aov.pipeline(kind, round.is_some(), d.variant) {
                let draw_lists = d.draw_lists.filter(|_| sw_raster_draws.is_some());
                let left = draw_lists.and_then(|draw_lists| {
                    sw_raster_draws?
                        .contents
                        .lists
                        .remaining_draws(d.id, &draw_lists.camera)
                });
                draw_everyone(pass, pipeline, d, left, &group, next_frame, instances);
            }
        }
    }

    /// Draws ground and sky of an AOV, unless the software rasterizer draws it.
    pub(crate) fn draw_aov_background(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        kind: AovKind,
        size: (u32, u32),
        next: Option<&NextMoment>,
    ) {
        if kind == AovKind::Ids && self.ids_frame().is_some() {
            return;
        }
        let uniforms = aov_uniforms(size, next);
        pass.set_bind_group(0, &self.bindings.frame, &[]);
        pass.set_bind_group(1, &uniforms_group(&self.context, &uniforms, None), &[]);
        self.passes.aov.draw_aov_background(pass, kind);
    }
}

fn aov_uniforms(size: (u32, u32), next: Option<&NextMoment>) -> AovUniforms {
    AovUniforms {
        next_from_world: next.map(|next| next.next_from_world).unwrap_or_default(),
        size: [size.0 as f32, size.1 as f32],
        ..AovUniforms::default()
    }
}

/// Instances of a draw that are wanted: all, or the person of a number.
pub(super) fn instances_of(first_id: u32, count: u32, only: Option<u32>) -> Option<Range<u32>> {
    let Some(person) = only else { return Some(0..count) };
    let instance = (person + 1).checked_sub(first_id)?;
    (instance < count).then_some(instance..instance + 1)
}

/// Draws some instances at full detail, or everyone of a draw list at their LODs. Of the far phase only remaining draws
/// are drawn. The caller sets group 0.
fn draw_everyone(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    drawn: &Draw<'_>,
    left: Option<(&wgpu::Buffer, u64)>,
    group: &wgpu::BindGroup,
    next_frame: Option<&NextFrameData>,
    instances: Range<u32>,
) {
    let DrawParts { assets, crowd } = drawn.parts;
    if instances.is_empty() {
        return;
    }
    pass.set_pipeline(pipeline);
    pass.set_bind_group(1, next_frame.map_or(&crowd.character, |both| &both.character), &[]);
    pass.set_bind_group(2, next_frame.map_or(&crowd.crowd, |both| &both.crowd), &[]);
    pass.set_bind_group(3, group, &[]);
    if let Some(attributes) = &assets.attributes {
        attributes.set(pass, next_frame.map_or(&crowd.posed, |both| &both.posed), &crowd.list);
    }
    pass.set_index_buffer(assets.indices.slice(..), assets.index_format);
    match drawn.draw_lists {
        Some(draw_lists) => {
            draw_lists.camera.draw(pass, CullPhase::Near, None);
            draw_lists.camera.draw(pass, CullPhase::Far, left);
        }
        None => pass.draw_indexed(0..assets.index_count, 0, instances),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::passes::ID_ATTACHMENT;

    #[test]
    fn one_person_is_one_instance_of_one_draw() {
        assert_eq!(instances_of(1, 5, None), Some(0..5));
        assert_eq!(instances_of(1, 5, Some(4)), Some(4..5));
        assert_eq!(instances_of(1, 5, Some(5)), None);
        assert_eq!(instances_of(6, 5, Some(5)), Some(0..1));
        assert_eq!(instances_of(6, 5, Some(2)), None);
        assert_eq!(instances_of(ID_ATTACHMENT, 5, Some(2)), None);
    }
}
