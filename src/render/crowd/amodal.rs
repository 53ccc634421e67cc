//! Amodal masks: every pixel that a person covers, occluded or not. The id pass sets bits within boxes that are known
//! beforehand.

use std::ops::Range;

use crate::gpu::{Gpu, GpuError, PendingBytes, Staging, buffer_with};

/// Largest number of mask words counted in one draw: 64 MiB.
const MASK_WORDS: u64 = 16 << 20;

/// Box in pixels; right and bottom are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmodalBox {
    /// First column.
    pub left: u32,
    /// First row.
    pub top: u32,
    /// First column to the right of the box.
    pub right: u32,
    /// First row below the box.
    pub bottom: u32,
}

impl AmodalBox {
    /// Box without a pixel.
    pub const EMPTY: Self = Self {
        left: u32::MAX,
        top: u32::MAX,
        right: 0,
        bottom: 0,
    };

    /// True if no pixel is covered.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    /// Number of columns and rows.
    #[must_use]
    pub const fn size(self) -> (u32, u32) {
        (
            self.right.saturating_sub(self.left),
            self.bottom.saturating_sub(self.top),
        )
    }

    /// Grows to include a run of pixels in a row.
    fn add(&mut self, left: u32, right: u32, row: u32) {
        *self = Self {
            left: self.left.min(left),
            top: self.top.min(row),
            right: self.right.max(right),
            bottom: self.bottom.max(row + 1),
        };
    }
}

shader_struct!(AmodalMask);

/// [`AmodalMask::first_word`] of people who are not counted in a draw.
pub const NO_MASK: u32 = u32::MAX;

impl AmodalMask {
    const NOBODY: Self = Self {
        left: 0,
        top: 0,
        extent: 0,
        first_word: NO_MASK,
    };

    /// Pixel count and bounds of the bits that are set within the picture.
    fn covered(self, words: &[u32]) -> Amodal {
        let mut amodal = Amodal::NOBODY;
        let (per_row, rows) = (self.extent & 0xffff, self.extent >> 16);
        if self.first_word == NO_MASK || per_row == 0 {
            return amodal;
        }
        let own = words
            .iter()
            .skip(self.first_word as usize)
            .take((per_row * rows) as usize);
        for (number, &word) in (0..).zip(own).filter(|(_, word)| **word != 0) {
            let column = self.left + 32 * (number % per_row);
            let (first, end) = (column + word.trailing_zeros(), column + 32 - word.leading_zeros());
            amodal.bounds.add(first, end, self.top + number / per_row);
            amodal.pixels += word.count_ones();
        }
        amodal
    }

    /// Runs of the bits that are set, in column-major order of a picture of `height` rows: (first, length). `covered`
    /// is the extent of these bits.
    fn runs(self, words: &[u32], covered: Amodal, height: u32) -> AmodalRuns {
        let mut runs: AmodalRuns = Vec::new();
        if covered.bounds.is_empty() {
            return runs;
        }
        let per_row = self.extent & 0xffff;
        for column in covered.bounds.left..covered.bounds.right {
            let (word, bit) = ((column - self.left) / 32, (column - self.left) % 32);
            for row in covered.bounds.top..covered.bounds.bottom {
                let place = self.first_word + (row - self.top) * per_row + word;
                if words[place as usize] >> bit & 1 == 0 {
                    continue;
                }
                let pixel = column * height + row;
                match runs.last_mut() {
                    Some((first, length)) if *first + *length == pixel => *length += 1,
                    _ => runs.push((pixel, 1)),
                }
            }
        }
        runs
    }
}

/// Runs of an amodal mask in column-major order: (first pixel, length), ascending and not adjacent.
pub type AmodalRuns = Vec<(u32, u32)>;

/// Amodal extent of a person: every pixel covered, occluded or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amodal {
    /// Box in the picture; empty for people outside.
    pub bounds: AmodalBox,
    /// Number of covered pixels.
    pub pixels: u32,
}

impl Amodal {
    const NOBODY: Self = Self {
        bounds: AmodalBox::EMPTY,
        pixels: 0,
    };
}

/// People who are counted in one draw.
pub(crate) struct Round {
    people: Range<usize>,
    masks: Vec<AmodalMask>,
    pub(crate) words: wgpu::Buffer,
    pub(crate) places: wgpu::Buffer,
}

impl Round {
    /// Round of as many people from `first` on as fit.
    ///
    /// # Errors
    /// [`GpuError::NoFragmentWrites`], [`GpuError::TooLarge`].
    pub(crate) fn new(gpu: &Gpu, boxes: &[AmodalBox], first: usize) -> Result<Self, GpuError> {
        if !gpu.fragments_write() {
            let name = gpu.facts.name.clone();
            return Err(GpuError::NoFragmentWrites { name });
        }
        let room = MASK_WORDS.min(gpu.limits.max_storage_buffer_binding_size / 4);
        let (masks, end, words) = lay_out(boxes, first, room);
        gpu.check_storage(
            "the offsets of amodal masks",
            size_of_val(&masks[..]) as u64,
            "lower --count",
        )?;
        let storage = wgpu::BufferUsages::STORAGE;
        Ok(Self {
            people: first..end,
            // New buffers are zero.
            words: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("amodal masks"),
                size: words * 4,
                usage: storage | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            places: buffer_with(gpu, "amodal mask offsets", bytemuck::cast_slice(&masks), storage),
            masks,
        })
    }

    /// First person who is not in the round.
    pub(crate) fn end(&self) -> usize {
        self.people.end
    }
}

/// Masks of everyone in a picture of `height` rows.
struct KeptMasks {
    height: u32,
    runs: Vec<AmodalRuns>,
}

/// Amodal extents of everyone, some still being counted on the GPU. Any thread may wait for them.
#[derive(Default)]
pub(crate) struct PendingAmodal {
    all: Vec<Amodal>,
    /// Masks by number, if they are kept.
    masks: Option<KeptMasks>,
    counting: Option<(Range<usize>, Vec<AmodalMask>, PendingBytes)>,
}

impl PendingAmodal {
    /// Extents of `people` persons, none counted yet.
    pub(crate) fn of(people: usize) -> Self {
        Self {
            all: vec![Amodal::NOBODY; people],
            ..Self::default()
        }
    }

    /// Keeps the masks, too, of a picture of `height` rows.
    pub(crate) fn keep_masks(&mut self, height: u32) {
        let runs = vec![AmodalRuns::new(); self.all.len()];
        self.masks = Some(KeptMasks { height, runs });
    }

    /// Adds the masks of a drawn round, after the previous round is counted.
    ///
    /// # Errors
    /// A lost device.
    pub(crate) fn add(&mut self, gpu: &Gpu, staging: &Staging, round: Round) -> Result<(), GpuError> {
        self.finish(gpu)?;
        let words = PendingBytes::copy(gpu, staging, &round.words);
        self.counting = Some((round.people, round.masks, words));
        Ok(())
    }

    /// # Errors
    /// A lost device; [`GpuError::OutsideBox`].
    pub(crate) fn wait(mut self, gpu: &Gpu) -> Result<Vec<Amodal>, GpuError> {
        self.finish(gpu)?;
        Ok(self.all)
    }

    /// Waits as [`PendingAmodal::wait`] does, and returns the masks as well; none if they were not kept.
    ///
    /// # Errors
    /// A lost device; [`GpuError::OutsideBox`].
    #[cfg(feature = "labels")]
    pub(crate) fn wait_with_masks(mut self, gpu: &Gpu) -> Result<(Vec<Amodal>, Vec<AmodalRuns>), GpuError> {
        self.finish(gpu)?;
        Ok((self.all, self.masks.map_or_else(Vec::new, |kept| kept.runs)))
    }

    fn finish(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let Some((people, masks, words)) = self.counting.take() else {
            return Ok(());
        };
        let (all, kept) = (&mut self.all[people.clone()], &mut self.masks);
        words.read(gpu, |bytes| {
            // Mapped memory is aligned.
            let words: &[u32] = bytemuck::cast_slice(bytes);
            if let Some(&pixels) = words.first().filter(|pixels| **pixels > 0) {
                return Err(GpuError::OutsideBox { pixels });
            }
            for (own, mask) in all.iter_mut().zip(&masks[people.clone()]) {
                *own = mask.covered(words);
            }
            if let Some(kept) = kept {
                let own = kept.runs[people.clone()].iter_mut().zip(all).zip(&masks[people]);
                own.for_each(|((runs, covered), mask)| *runs = mask.runs(words, *covered, kept.height));
            }
            Ok(())
        })?
    }
}

/// Places masks from person `first` on in at most `room` words; the first word is reserved. Returns the masks, the
/// first person who does not fit, and the words used. One person always fits: a box is at most as large as a picture.
fn lay_out(boxes: &[AmodalBox], first: usize, room: u64) -> (Vec<AmodalMask>, usize, u64) {
    let mut masks = vec![AmodalMask::NOBODY; boxes.len()];
    let mut words = 1;
    for (number, bounds) in boxes.iter().enumerate().skip(first).filter(|(_, b)| !b.is_empty()) {
        let (width, height) = bounds.size();
        let words_per_row = width.div_ceil(32);
        let needed = u64::from(words_per_row) * u64::from(height);
        if number > first && words + needed > room {
            return (masks, number, words);
        }
        masks[number] = AmodalMask {
            left: bounds.left,
            top: bounds.top,
            extent: words_per_row | (height << 16),
            first_word: words as u32,
        };
        words += needed;
    }
    (masks, boxes.len(), words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(left: u32, right: u32, rows: u32) -> AmodalBox {
        AmodalBox {
            left,
            top: 5,
            right,
            bottom: 5 + rows,
        }
    }

    #[test]
    fn masks_that_do_not_fit_go_to_the_next_draw() {
        // Words: 2 x 10, none, 1 x 4, 40 x 100; one is taken.
        let boxes = [
            bounds(3, 36, 10),
            AmodalBox::EMPTY,
            bounds(0, 32, 4),
            bounds(0, 1280, 100),
        ];
        let (masks, end, words) = lay_out(&boxes, 0, 30);
        assert_eq!((end, words), (3, 25));
        assert_eq!((masks[0].first_word, masks[0].extent), (1, 2 | (10 << 16)));
        assert_eq!((masks[1].first_word, masks[2].first_word), (NO_MASK, 21));
        assert_eq!(masks[3].first_word, NO_MASK);
        let (masks, end, words) = lay_out(&boxes, 3, 30);
        assert_eq!((masks[3].first_word, end, words), (1, 4, 4001));
        assert_eq!(lay_out(&boxes, 4, 30).1, 4);
    }

    #[test]
    fn amodal_box_bounds_the_set_bits() {
        let mask = AmodalMask {
            left: 100,
            top: 7,
            extent: 2 | (3 << 16),
            first_word: 1,
        };
        let mut words = vec![0; 7];
        assert_eq!(mask.covered(&words), Amodal::NOBODY);
        words[1 + 2] = 1 << 31;
        words[1 + 3] = 0b11;
        let covered = AmodalBox {
            left: 131,
            top: 8,
            right: 134,
            bottom: 9,
        };
        assert_eq!(
            mask.covered(&words),
            Amodal {
                bounds: covered,
                pixels: 3
            }
        );
        // Three adjacent columns of a picture of 20 rows.
        let runs = mask.runs(&words, mask.covered(&words), 20);
        assert_eq!(runs, [(131 * 20 + 8, 1), (132 * 20 + 8, 1), (133 * 20 + 8, 1)]);
        words[1 + 4] = 1;
        let both = AmodalBox {
            left: 100,
            bottom: 10,
            ..covered
        };
        assert_eq!(
            mask.covered(&words),
            Amodal {
                bounds: both,
                pixels: 4
            }
        );
    }
}
