//! Target of the software rasterizer in one view: words of all samples, the numbering of its draws, and the contents of
//! a picture, a shadow map or ids.

use crate::{
    gpu::GpuError,
    render::{
        RenderContext,
        passes::raster::{
            SwRasterDraw,
            lists::{Numbering, RasterLists, empty},
        },
    },
};

/// Words of all samples of a view, with what their contents need, for the view's size and draws.
pub(crate) struct VisibilityTarget<C> {
    pub(super) size: (u32, u32),
    pub(super) words: wgpu::Buffer,
    pub(super) numbering: Numbering,
    pub(crate) contents: C,
}

/// Contents of a target, and the words that they need.
pub(crate) trait TargetContents: Sized {
    /// Label of the words.
    const LABEL: &'static str;
    /// Bytes of a word: a depth key, in 64 bits with an id.
    const WORD_BYTES: u64;
    /// Number of phases in which a draw is numbered.
    const PHASES: u32;
    /// Remedy if the target does not fit.
    const HINT: &'static str;

    /// Name in errors.
    fn name(size: (u32, u32)) -> String;

    fn new(input: &TargetInput<'_>) -> Self;

    /// Draw lists, by which a target knows its draws.
    fn own_lists(&self) -> &RasterLists;

    /// Clears what a frame fills besides words and numbering.
    fn clear(&self, encoder: &mut wgpu::CommandEncoder);

    /// GPU bytes.
    fn bytes(&self) -> u64;
}

/// Inputs of contents.
pub(crate) struct TargetInput<'a> {
    pub(super) context: &'a RenderContext,
    pub(super) size: (u32, u32),
    /// Samples per pixel.
    pub(super) samples: u32,
    pub(super) drawn: &'a [SwRasterDraw<'a>],
    pub(super) words: &'a wgpu::Buffer,
    pub(super) numbering: &'a Numbering,
}

impl<C: TargetContents> VisibilityTarget<C> {
    /// Target of a view of `size` pixels or texels, with `samples` each.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more samples than the device can bind, [`GpuError::Memory`].
    pub(crate) fn new(
        context: &RenderContext,
        size: (u32, u32),
        samples: u32,
        drawn: &[SwRasterDraw<'_>],
    ) -> Result<Self, GpuError> {
        let bytes = C::WORD_BYTES * u64::from(size.0) * u64::from(size.1) * u64::from(samples);
        let name = C::name(size);
        context.gpu.check_storage(&name, bytes, C::HINT)?;
        context.gpu.ensure_memory(&name, C::HINT, || {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            let words = empty(&context.gpu, C::LABEL, bytes, usage);
            let numbering = Numbering::new(&context.gpu, C::PHASES * drawn.len() as u32);
            let contents = C::new(&TargetInput {
                context,
                size,
                samples,
                drawn,
                words: &words,
                numbering: &numbering,
            });
            Self {
                size,
                words,
                numbering,
                contents,
            }
        })
    }

    /// True if it was made for a view of this size with these draws.
    pub(crate) fn is_of(&self, size: (u32, u32), drawn: &[SwRasterDraw<'_>]) -> bool {
        self.size == size && self.contents.own_lists().are_of(drawn)
    }

    /// Clears everything that a frame fills, before its first pass.
    pub(crate) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.words, 0, None);
        self.numbering.clear(encoder);
        self.contents.clear(encoder);
    }

    /// Word of every sample.
    pub(crate) const fn words(&self) -> &wgpu::Buffer {
        &self.words
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.size() + self.numbering.bytes() + self.contents.bytes()
    }
}
