//! The crowd in numbers: who is at every pixel, and where each surface goes. Drawn as the picture is: from lists of
//! whom the view shows, at their levels of detail, where it is; hidden people are never left out. Ids are rasterised in
//! compute where the picture is (ids.rs).

use std::ops::Range;

use crate::{
    crowd::clock::Clock,
    gpu::{GpuError, compute_pass, encoder},
    render::{
        FrameUniforms, Pass, View,
        crowd::{CrowdRenderer, Round, draw::Drawn},
        passes::{
            DrawVariant, EVERYBODY, ID_ATTACHMENT, ID_SCENERY, TruthKind, TruthUniforms,
            bins::Phase,
            truth::{Doubled, Half, uniforms_group},
        },
    },
};

/// Everything at two moments.
pub(crate) struct NextMoment {
    next_from_world: glam::Mat4,
    /// In the order of [`CrowdRenderer::numbered`].
    doubled: Vec<Doubled>,
}

impl CrowdRenderer {
    /// Everything that is drawn with the id of its first instance.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, Drawn<'_>)> {
        fn counted<'a>(drawn: impl Iterator<Item = Drawn<'a>>, first: u32) -> impl Iterator<Item = (u32, Drawn<'a>)> {
            drawn.scan(first, |next, d| {
                let first = *next;
                *next += d.parts.1.count;
                Some((first, d))
            })
        }
        let contents = &self.contents;
        counted(contents.people.iter().map(Drawn::from), 1)
            .chain(counted(contents.attachments.iter().map(Drawn::from), ID_ATTACHMENT))
            .chain(counted(contents.scenery.iter().map(Drawn::from), ID_SCENERY))
    }

    /// Compiles what kinds of numbers need; with the ids people may be counted.
    pub(crate) fn prepare_truth(&mut self, kinds: &[TruthKind], counted: bool) -> Result<(), GpuError> {
        let variants: Vec<DrawVariant> = self.numbered().map(|(_, d)| d.variant).collect();
        let people = self.contents.people.len();
        for &kind in kinds {
            let counted = counted && kind == TruthKind::Ids;
            let variants = variants.iter().enumerate();
            let variants = variants.map(|(number, variant)| (counted && number < people, *variant));
            self.passes.truth.prepare(&self.gpu, &self.layouts, kind, variants)?;
        }
        Ok(())
    }

    /// Poses everyone at the next moment, then at that of the picture; keeps both where there is a next.
    pub(crate) fn pose_truth(
        &mut self,
        now: (&FrameUniforms, &View, Clock),
        next: Option<(&FrameUniforms, &View, Clock)>,
    ) -> Result<Option<NextMoment>, GpuError> {
        let gpu = self.gpu.clone();
        let moment = |next: (&FrameUniforms, &View, Clock)| -> Result<NextMoment, GpuError> {
            let doubled = self.numbered().map(|(_, d)| Doubled::new(&gpu, &self.layouts, d.parts));
            Ok(NextMoment {
                next_from_world: next.0.projection_from_world,
                doubled: doubled.collect::<Result<_, _>>()?,
            })
        };
        let both = next.map(moment).transpose()?;
        if both.is_some() && self.preskins() {
            self.list_truth(now);
        }
        let halves = next
            .map(|next| (next, Half::Next))
            .into_iter()
            .chain([(now, Half::Now)]);
        for ((uniforms, view, clock), half) in halves {
            self.update_for((uniforms, self.ids_frame().is_some()), view, clock);
            let mut encoder = encoder(&gpu, "truth");
            self.animate(&mut compute_pass(&mut encoder, Pass::Animate.name()));
            if half == Half::Now {
                self.select(&mut compute_pass(&mut encoder, Pass::Select.name()), false);
            }
            self.preskin(&mut encoder, false, None);
            for doubled in both.iter().flat_map(|both| &both.doubled) {
                doubled.keep(&mut encoder, half);
            }
            // What the queue writes for one moment must not be there before the other is computed.
            gpu.queue.submit([encoder.finish()]);
        }
        Ok(both)
    }

    /// Lists whom a picture shows: what is skinned of the next moment is at the levels of detail of this one.
    fn list_truth(&mut self, (uniforms, view, clock): (&FrameUniforms, &View, Clock)) {
        self.update_for((uniforms, self.ids_frame().is_some()), view, clock);
        let mut encoder = encoder(&self.gpu, "truth");
        self.animate(&mut compute_pass(&mut encoder, Pass::Animate.name()));
        self.select(&mut compute_pass(&mut encoder, Pass::Select.name()), false);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Draws one kind of numbers, prepared before; of one person alone (by number) where asked for, and
    /// without what is behind them. Counts those of a round.
    pub(crate) fn draw_truth(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        (kind, round): (TruthKind, Option<&Round>),
        (size, next): ((u32, u32), Option<&NextMoment>),
        only: Option<u32>,
    ) {
        let uniforms = TruthUniforms {
            next_from_world: next.map(|next| next.next_from_world).unwrap_or_default(),
            size: [size.0 as f32, size.1 as f32],
            ..TruthUniforms::default()
        };
        pass.set_bind_group(0, &self.frame, &[]);
        let next = next.filter(|_| kind == TruthKind::Motion);
        let rastered = self.ids_frame().filter(|_| kind == TruthKind::Ids);
        for (number, (first_id, d)) in self.numbered().enumerate() {
            let Some(instances) = instances_of(first_id, d.parts.1.count, only) else {
                continue;
            };
            let doubled = next.and_then(|next| next.doubled.get(number));
            let round = round.filter(|_| number < self.contents.people.len());
            let group = uniforms_group(
                &self.gpu,
                &self.layouts,
                &TruthUniforms {
                    first_id,
                    next_hero_row: doubled.map_or(0, |doubled| doubled.hero_rows),
                    only: if only.is_some() { instances.start } else { EVERYBODY },
                    ..uniforms
                },
                round.map(|round| [&round.words, &round.places]),
            );
            if let Some(pipeline) = self.passes.truth.pipeline(kind, round.is_some(), d.variant) {
                let bins = d.bins.filter(|_| rastered.is_some());
                let left = bins.and_then(|bins| rastered?.lists.left_of(&bins.camera));
                draw_everyone(pass, pipeline, (&d, left), (&group, doubled), instances);
            }
        }
        if only.is_none() && rastered.is_none() {
            pass.set_bind_group(1, &uniforms_group(&self.gpu, &self.layouts, &uniforms, None), &[]);
            self.passes.truth.draw_surroundings(pass, kind);
        }
    }
}

/// Which instances of a draw are wanted: all, or the person of a number.
pub(super) fn instances_of(first_id: u32, count: u32, only: Option<u32>) -> Option<Range<u32>> {
    let Some(person) = only else { return Some(0..count) };
    let instance = (person + 1).checked_sub(first_id)?;
    (instance < count).then_some(instance..instance + 1)
}

/// Draws some instances at full detail, or everyone of a list at their levels, of the far phase what is left of it;
/// group 0 is set by the caller.
fn draw_everyone(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    (drawn, left): (&Drawn<'_>, Option<(&wgpu::Buffer, u64)>),
    (group, doubled): (&wgpu::BindGroup, Option<&Doubled>),
    instances: Range<u32>,
) {
    let (assets, crowd) = drawn.parts;
    if instances.is_empty() {
        return;
    }
    pass.set_pipeline(pipeline);
    pass.set_bind_group(1, doubled.map_or(&crowd.character, |both| &both.character), &[]);
    pass.set_bind_group(2, doubled.map_or(&crowd.crowd, |both| &both.crowd), &[]);
    pass.set_bind_group(3, group, &[]);
    if let Some(attributes) = &assets.attributes {
        attributes.set(pass, doubled.map_or(&crowd.posed, |both| &both.posed), &crowd.list);
    }
    pass.set_index_buffer(assets.indices.slice(..), assets.index_format);
    match drawn.bins {
        Some(bins) => {
            bins.camera.draw(pass, Phase::Near, None);
            bins.camera.draw(pass, Phase::Far, left);
        }
        None => pass.draw_indexed(0..assets.index_count, 0, instances),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
