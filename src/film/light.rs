//! Pictures between the GPU and whoever encodes them.

use std::collections::VecDeque;

use anyhow::Result;

use crate::{
    film::blur::Exposure,
    gpu::{Gpu, PendingPicture},
};

/// Moments of a blurred picture on their way from the GPU, at most.
const IN_FLIGHT: usize = 3;

/// The light of a picture: what has been added up, and moments on their way. Any thread may develop it.
pub(crate) struct PendingPictureLight {
    exposure: Exposure,
    rest: VecDeque<PendingPicture>,
}

/// Draws the moments of a picture, each by `draw`, which submits it.
///
/// # Errors
/// Those of `draw`; a lost device.
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
    /// The mean of the moments, RGBA8 in sRGB; of a single one, its pixels as they are.
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
