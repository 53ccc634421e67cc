//! Pictures between the GPU and the encoders.

use std::collections::VecDeque;

use anyhow::Result;

use crate::{
    film::blur::Exposure,
    gpu::{Gpu, PendingPicture},
};

/// Largest number of subframes that are being read back.
const IN_FLIGHT: usize = 3;

/// Light of a picture: the sum so far, and subframes that are being read back. Any thread may finish it.
pub(crate) struct PendingPictureLight {
    exposure: Exposure,
    rest: VecDeque<PendingPicture>,
}

/// Draws the subframes of a picture; `draw` submits each.
///
/// # Errors
/// Errors of `draw`, or a lost device.
pub(crate) fn render_light<M>(
    gpu: &Gpu,
    moments: impl IntoIterator<Item = M>,
    mut draw: impl FnMut(M) -> Result<PendingPicture>,
) -> Result<PendingPictureLight> {
    let mut light = PendingPictureLight {
        exposure: Exposure::default(),
        rest: VecDeque::new(),
    };
    for moment in moments {
        if light.rest.len() == IN_FLIGHT
            && let Some(oldest) = light.rest.pop_front()
        {
            light.exposure.add(&oldest.wait(gpu)?);
        }
        light.rest.push_back(draw(moment)?);
    }
    Ok(light)
}

impl PendingPictureLight {
    /// Returns the mean of the subframes (RGBA8 in sRGB); a single one keeps its pixels.
    ///
    /// # Errors
    /// A lost device.
    pub(crate) fn encode(mut self, gpu: &Gpu) -> Result<Vec<u8>> {
        if self.exposure.is_dark()
            && self.rest.len() == 1
            && let Some(only) = self.rest.pop_front()
        {
            return Ok(only.wait(gpu)?);
        }
        for moment in self.rest {
            self.exposure.add(&moment.wait(gpu)?);
        }
        Ok(self.exposure.mean())
    }
}
