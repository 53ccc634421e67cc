//! What everyone would cover alone: boxes first, then the pixels within them.

use std::ops::Range;

use crate::{
    gpu::{Gpu, GpuError, PendingBytes, buffer_with, encoder, read_buffer},
    render::{
        crowd::{CrowdRenderer, truth::draw_everyone},
        passes::{AloneBox, AloneMask, EVERYBODY, NO_MASK, TruthUniforms, truth::alone::AloneKind},
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

/// What everyone covers, of whom some are being counted. Any thread may wait for it.
#[derive(Default)]
pub(crate) struct PendingAlone {
    all: Vec<Alone>,
    counting: Option<Counting>,
}

/// Masks on their way from the GPU.
struct Counting {
    people: Range<usize>,
    /// Of these people.
    masks: Vec<AloneMask>,
    words: PendingBytes,
}

impl PendingAlone {
    /// # Errors
    /// A lost device.
    pub(crate) fn wait(mut self, gpu: &Gpu) -> Result<Vec<Alone>, GpuError> {
        self.finish(gpu)?;
        Ok(self.all)
    }

    /// Adds up the masks that are on their way.
    fn finish(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let Some(counting) = self.counting.take() else {
            return Ok(());
        };
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&counting.words.wait(gpu)?);
        for (alone, mask) in self.all[counting.people].iter_mut().zip(&counting.masks) {
            let size = mask.words_per_row * alone.bounds.size().1;
            let bits = words.iter().skip(mask.first_word as usize).take(size as usize);
            alone.pixels = bits.map(|word| word.count_ones()).sum();
        }
        Ok(())
    }
}

impl CrowdRenderer {
    /// What everyone covers alone, by number, at the moment posed last. `depth` is a view of a depth
    /// texture of the size of the picture, which is left as it is. Waits for the boxes, in which the
    /// pixels are then counted.
    pub(crate) fn submit_alone(&mut self, depth: &wgpu::TextureView) -> Result<PendingAlone, GpuError> {
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
        let mut pending = PendingAlone {
            all: { boxes.into_iter().take(people) }
                .map(|bounds| Alone { bounds, pixels: 0 })
                .collect(),
            counting: None,
        };
        let mut first = 0;
        while first < people {
            first = self.count_masks(&gpu, depth, &mut pending, first)?;
        }
        Ok(pending)
    }

    /// Counts the pixels of as many people from `first` on as fit, once those before are done; the first who
    /// does not.
    fn count_masks(
        &self,
        gpu: &Gpu,
        depth: &wgpu::TextureView,
        pending: &mut PendingAlone,
        first: usize,
    ) -> Result<usize, GpuError> {
        pending.finish(gpu)?;
        let room = MASK_WORDS.min(gpu.limits.max_storage_buffer_binding_size / 4);
        let (masks, end, words) = lay_out(&pending.all, first, room);
        if words == 0 {
            return Ok(end);
        }
        let written = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        // New buffers are zero.
        let counted = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("masks alone"),
            size: words * 4,
            usage: written,
            mapped_at_creation: false,
        });
        gpu.check_storage("the places of masks", size_of_val(&masks[..]) as u64, "lower --count")?;
        let places = bytemuck::cast_slice(&masks);
        let places = buffer_with(gpu, "places of masks", places, wgpu::BufferUsages::STORAGE);
        self.cover(AloneKind::Masks, depth, &[&counted, &places]);
        pending.counting = Some(Counting {
            people: first..end,
            masks: masks[first..end].to_vec(),
            words: PendingBytes::copy(gpu, &counted),
        });
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
                only: EVERYBODY,
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
}
