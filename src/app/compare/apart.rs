//! Difference of the two pictures of the compare view, measured on the GPU while the map is shown, without waiting.

use crate::{
    app::compare::Compare,
    gpu::{Gpu, GpuError},
    render::{
        FrameInput,
        passes::{DifferenceSums, PendingDifference, PictureSteps},
    },
};

/// Pending measurement and the newest result.
pub(crate) struct SideDifference {
    sums: DifferenceSums,
    pending: Option<PendingDifference>,
    newest: Option<PictureSteps>,
    /// Frame of the last request, so that an unchanged picture is measured once.
    asked: Option<FrameInput>,
}

impl SideDifference {
    pub(super) fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Result<Self, GpuError> {
        Ok(Self {
            sums: DifferenceSums::new(gpu, format)?,
            pending: None,
            newest: None,
            asked: None,
        })
    }

    /// Discards the measurement, which no longer fits the picture.
    pub(super) fn forget(&mut self) {
        (self.pending, self.newest, self.asked) = (None, None, None);
    }

    /// Takes a finished result, and measures the current pictures if they have changed.
    pub(super) fn follow(
        &mut self,
        gpu: &Gpu,
        pictures: &[wgpu::TextureView; 2],
        size: (u32, u32),
        input: &FrameInput,
    ) {
        if let Some(answer) = self.pending.as_ref().and_then(|pending| pending.answer(gpu)) {
            // A lost device is reported where drawing fails.
            self.newest = answer.ok();
            self.pending = None;
        }
        if self.pending.is_none() && self.asked.as_ref() != Some(input) {
            self.pending = Some(self.sums.ask(gpu, pictures, size));
            self.asked = Some(input.clone());
        }
    }

    /// Passes on the newest result, and whether the panel must be laid out again for it or the next one.
    pub(super) fn tell(&self, compare: &mut Compare) {
        compare.awaits = self.pending.is_some() || compare.apart != self.newest;
        compare.apart = self.newest;
    }
}
