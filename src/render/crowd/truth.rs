//! The crowd in numbers: who is at every pixel, where each surface goes, and what everyone would cover
//! alone. Always everyone, at full detail.

use std::ops::Range;

use crate::{
    crowd::clock::Clock,
    gpu::{Gpu, GpuError, buffer_with, compute_pass, encoder, read_buffer},
    render::{
        FrameUniforms, Pass, View,
        crowd::{CrowdRenderer, draw::Drawn},
        passes::{
            AloneBox, AloneMask, DrawVariant, ID_ATTACHMENT, ID_SCENERY, NO_MASK, TruthKind, TruthUniforms,
            truth::{Doubled, Half, alone::AloneKind, uniforms_group},
        },
        resources::instances::bind_group,
    },
};

/// Words of masks that are counted in one draw, at most: 64 MiB.
const MASK_WORDS: u64 = 16 << 20;

/// What somebody covers, whoever stands in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alone {
    /// Pixels of the picture; empty for those outside.
    pub bounds: AloneBox,
    /// Pixels that they cover.
    pub pixels: u32,
}

/// Everything at two moments.
pub(crate) struct NextMoment {
    next_from_world: glam::Mat4,
    /// In the order of [`CrowdRenderer::numbered`].
    doubled: Vec<Doubled>,
}

impl CrowdRenderer {
    /// Everything that is drawn with the id of its first instance.
    fn numbered(&self) -> impl Iterator<Item = (u32, Drawn<'_>)> {
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

    fn variants(&self) -> Vec<DrawVariant> {
        self.numbered().map(|(_, d)| d.variant).collect()
    }

    /// Compiles what kinds of numbers need.
    pub(crate) fn prepare_truth(&mut self, kinds: &[TruthKind]) -> Result<(), GpuError> {
        let variants = self.variants();
        for &kind in kinds {
            self.passes
                .truth
                .prepare(&self.gpu, &self.layouts, kind, variants.iter().copied())?;
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
        let halves = next
            .map(|next| (next, Half::Next))
            .into_iter()
            .chain([(now, Half::Now)]);
        for ((uniforms, view, clock), half) in halves {
            self.update(uniforms, view, clock);
            let mut encoder = encoder(&gpu, "truth");
            self.animate(&mut compute_pass(&mut encoder, Pass::Animate.name()));
            for doubled in both.iter().flat_map(|both| &both.doubled) {
                doubled.keep(&mut encoder, half);
            }
            // What the queue writes for one moment must not be there before the other is computed.
            gpu.queue.submit([encoder.finish()]);
        }
        Ok(both)
    }

    /// Draws one kind of numbers, prepared before; of one person alone (by number) where asked for, and
    /// without what is behind them.
    pub(crate) fn draw_truth(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        kind: TruthKind,
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
        for (number, (first_id, d)) in self.numbered().enumerate() {
            let Some(instances) = instances_of(first_id, d.parts.1.count, only) else {
                continue;
            };
            let doubled = next.and_then(|next| next.doubled.get(number));
            let group = uniforms_group(
                &self.gpu,
                &self.layouts,
                &TruthUniforms {
                    first_id,
                    next_hero_row: doubled.map_or(0, |doubled| doubled.hero_rows),
                    ..uniforms
                },
            );
            if let Some(pipeline) = self.passes.truth.pipeline(kind, d.variant) {
                draw_everyone(pass, pipeline, &d, (&group, doubled), instances);
            }
        }
        if only.is_none() {
            pass.set_bind_group(1, &uniforms_group(&self.gpu, &self.layouts, &uniforms), &[]);
            self.passes.truth.draw_surroundings(pass, kind);
        }
    }

    /// What everyone covers alone, by number, at the moment posed last. `depth` is a view of a depth
    /// texture of the size of the picture, which is left as it is.
    pub(crate) fn alone(&mut self, depth: &wgpu::TextureView) -> Result<Vec<Alone>, GpuError> {
        let gpu = self.gpu.clone();
        if !gpu.fragments_write() {
            let name = gpu.facts.name.clone();
            return Err(GpuError::NoFragmentWrites { name });
        }
        let variants = self.variants();
        self.passes.alone.prepare(&gpu, &self.layouts, variants.into_iter())?;
        let people = self.contents.instance_count() as usize;
        let written = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let bytes = vec![AloneBox::EMPTY; people.max(1)];
        gpu.check_storage("the boxes of everyone", size_of_val(&bytes[..]) as u64, "lower --count")?;
        let boxes = buffer_with(&gpu, "boxes alone", bytemuck::cast_slice(&bytes), written);
        self.cover(AloneKind::Boxes, depth, &[&boxes]);
        let boxes: Vec<AloneBox> = bytemuck::pod_collect_to_vec(&read_buffer(&gpu, &boxes)?);
        let mut alone: Vec<Alone> = boxes
            .into_iter()
            .take(people)
            .map(|bounds| Alone { bounds, pixels: 0 })
            .collect();
        let mut first = 0;
        while first < people {
            first = self.count_masks(&gpu, depth, &mut alone, first)?;
        }
        Ok(alone)
    }

    /// Counts the pixels of as many people from `first` on as fit; the first who does not.
    fn count_masks(
        &self,
        gpu: &Gpu,
        depth: &wgpu::TextureView,
        alone: &mut [Alone],
        first: usize,
    ) -> Result<usize, GpuError> {
        let room = MASK_WORDS.min(gpu.limits.max_storage_buffer_binding_size / 4);
        let (masks, end, words) = lay_out(alone, first, room);
        if words > 0 {
            gpu.check_storage("the places of masks", size_of_val(&masks[..]) as u64, "lower --count")?;
            let written = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
            let zeros = vec![0_u32; words as usize];
            let counted = buffer_with(gpu, "masks alone", bytemuck::cast_slice(&zeros), written);
            let places = bytemuck::cast_slice(&masks);
            let places = buffer_with(gpu, "places of masks", places, wgpu::BufferUsages::STORAGE);
            self.cover(AloneKind::Masks, depth, &[&counted, &places]);
            let counted: Vec<u32> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, &counted)?);
            for (alone, mask) in alone[first..end].iter_mut().zip(&masks[first..end]) {
                let size = mask.words_per_row * alone.bounds.size().1;
                let bits = counted.iter().skip(mask.first_word as usize).take(size as usize);
                alone.pixels = bits.map(|word| word.count_ones()).sum();
            }
        }
        Ok(end)
    }

    /// Draws all people, each pixel into the buffers that a kind binds from 1 on.
    fn cover(&self, kind: AloneKind, depth: &wgpu::TextureView, buffers: &[&wgpu::Buffer]) {
        let mut encoder = encoder(&self.gpu, "alone");
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("alone"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.frame, &[]);
        let people = self.numbered().take(self.contents.people.len());
        for (first_id, d) in people.filter(|(_, d)| d.parts.1.count > 0) {
            let uniforms = TruthUniforms {
                first_id,
                ..TruthUniforms::default()
            };
            let bytes = bytemuck::bytes_of(&uniforms);
            let uniforms = buffer_with(&self.gpu, "truth", bytes, wgpu::BufferUsages::UNIFORM);
            let rows = std::iter::once(&uniforms).chain(buffers.iter().copied());
            let rows: Vec<_> = (0..).zip(rows.map(|buffer| buffer.as_entire_binding())).collect();
            let group = bind_group(&self.gpu, "alone", kind.layout(&self.layouts), &rows);
            if let Some(pipeline) = self.passes.alone.pipeline(kind, d.variant) {
                draw_everyone(&mut pass, pipeline, &d, (&group, None), 0..d.parts.1.count);
            }
        }
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
    }
}

/// Which instances of a draw are wanted: all, or the person of a number.
fn instances_of(first_id: u32, count: u32, only: Option<u32>) -> Option<Range<u32>> {
    let Some(person) = only else { return Some(0..count) };
    let instance = (person + 1).checked_sub(first_id)?;
    (instance < count).then_some(instance..instance + 1)
}

/// Draws some instances at full detail; group 0 is set by the caller.
fn draw_everyone(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    drawn: &Drawn<'_>,
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
    pass.draw_indexed(0..assets.index_count, 0, instances);
}

/// Where the masks of people from `first` on lie within so many words; the first person who does not fit,
/// and the words taken. Somebody always fits: a box is at most as large as a picture.
fn lay_out(alone: &[Alone], first: usize, room: u64) -> (Vec<AloneMask>, usize, u64) {
    let nobody = AloneMask {
        left: 0,
        top: 0,
        words_per_row: 0,
        first_word: NO_MASK,
    };
    let mut masks = vec![nobody; alone.len()];
    let mut words = 0;
    for (number, person) in alone.iter().enumerate().skip(first) {
        let (width, height) = person.bounds.size();
        let words_per_row = width.div_ceil(32);
        let needed = u64::from(words_per_row) * u64::from(height);
        if number > first && words + needed > room {
            return (masks, number, words);
        }
        if !person.bounds.is_empty() {
            masks[number] = AloneMask {
                left: person.bounds.left,
                top: person.bounds.top,
                words_per_row,
                first_word: words as u32,
            };
        }
        words += needed;
    }
    (masks, alone.len(), words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(left: u32, right: u32, rows: u32) -> Alone {
        Alone {
            bounds: AloneBox {
                left,
                top: 5,
                right,
                bottom: 5 + rows,
            },
            pixels: 0,
        }
    }

    #[test]
    fn masks_that_do_not_fit_wait_for_the_next_draw() {
        let nobody = Alone {
            bounds: AloneBox::EMPTY,
            pixels: 0,
        };
        // Words: 2 x 10, none, 1 x 4, 40 x 100.
        let people = [person(3, 36, 10), nobody, person(0, 32, 4), person(0, 1280, 100)];
        let (masks, end, words) = lay_out(&people, 0, 30);
        assert_eq!((end, words), (3, 24));
        assert_eq!((masks[0].first_word, masks[0].words_per_row), (0, 2));
        assert_eq!((masks[1].first_word, masks[2].first_word), (NO_MASK, 20));
        assert_eq!(masks[3].first_word, NO_MASK);
        let (masks, end, words) = lay_out(&people, 3, 30);
        assert_eq!((masks[3].first_word, end, words), (0, 4, 4000));
    }

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
