//! Pictures with many samples per pixel: the device adds up many pictures, each moved by a fraction of a pixel
//! (supersampling by accumulation).

use std::collections::VecDeque;

use anyhow::Result;

use crate::{
    bench::{
        SceneMethod,
        quality::{
            plan::{FINE, SubpixelShift, moved_shifts, shifts},
            studio::{Heights, QualityShot, Studio, height_input, size},
        },
    },
    gpu::{Gpu, GpuError},
    measure::FloatPicture,
    render::{
        FrameInput,
        passes::{PictureSum, PictureSums, SumSource},
    },
};

/// Largest number of submitted pictures: the camera uniforms of each stay allocated until it is drawn.
const IN_FLIGHT: usize = 3;

/// Passes that add pictures up.
pub(super) struct Adders {
    light: PictureSums,
    heights: PictureSums,
}

impl Adders {
    /// Makes the passes of a scene drawn with `samples` samples per pixel.
    pub(super) fn new(gpu: &Gpu, samples: u32) -> Result<Self, GpuError> {
        Ok(Self {
            light: PictureSums::new(gpu, SumSource::Light)?,
            heights: PictureSums::new(gpu, SumSource::Heights { samples })?,
        })
    }
}

/// Choice of renderers by their samples per pixel.
#[derive(Clone, Copy)]
pub(super) enum SampleChoice {
    /// One sample per pixel.
    One,
    /// Samples of the scene.
    Own,
}

impl Studio<'_> {
    /// Draws a picture with [`FINE`] samples per pixel, averaged before tone mapping.
    pub(super) fn fine(&mut self, way: SceneMethod, shot: &QualityShot) -> Result<FloatPicture> {
        let all = shifts(1).into_iter().map(|by| SubpixelShift { by, of: [true] });
        let [picture] = self.means(way, shot, &all.collect::<Vec<_>>())?;
        Ok(picture)
    }

    /// Draws full detail, and full detail moved by [`MOVED`](super::plan::MOVED) to the right and down.
    pub(super) fn fine_and_moved(&mut self, shot: &QualityShot) -> Result<[FloatPicture; 3]> {
        self.means(SceneMethod::Full, shot, &moved_shifts())
    }

    /// Draws the heights of people at [`FINE`] samples per pixel.
    pub(super) fn heights(&mut self, way: SceneMethod, shot: &QualityShot) -> Result<Heights> {
        let input = height_input(self.moment(way, shot)?.input);
        let all = shifts(self.samples())
            .into_iter()
            .map(|by| SubpixelShift { by, of: [true] });
        let adder = self.adders.heights.clone();
        let [sum] = self.sweep(SampleChoice::Own, way, &input, &adder, &all.collect::<Vec<_>>())?;
        let told = sum.ask(self.gpu, &self.staging);
        Ok(told.read(self.gpu, bytemuck::pod_collect_to_vec)?)
    }

    /// Draws all pictures and returns the mean of each sum.
    fn means<const N: usize>(
        &mut self,
        way: SceneMethod,
        shot: &QualityShot,
        shifts: &[SubpixelShift<N>],
    ) -> Result<[FloatPicture; N]> {
        let mut input = self.moment(way, shot)?.input;
        // LODs, and the choice of rasterizer, are those of the picture with all samples.
        let rows = (self.samples() as f32).sqrt();
        input.detail /= rows;
        input.sw_raster_max_rows = (input.sw_raster_max_rows as f32 / rows) as u32;
        let adder = self.adders.light.clone();
        let sums = self.sweep(SampleChoice::One, way, &input, &adder, shifts)?;
        // Each sum is read back while those before it are processed.
        let told = sums.map(|sum| sum.ask(self.gpu, &self.staging));
        let mut pictures = std::array::from_fn(|_| FloatPicture::default());
        for (picture, told) in pictures.iter_mut().zip(told) {
            *picture = told.read(self.gpu, |bytes| self.mean(bytes))?;
        }
        Ok(pictures)
    }

    /// Returns display values of a sum of [`FINE`] pictures.
    fn mean(&self, bytes: &[u8]) -> FloatPicture {
        let mut light: Vec<[f32; 3]> = bytemuck::pod_collect_to_vec(bytes);
        light.iter_mut().flatten().for_each(|sum| *sum /= FINE as f32);
        FloatPicture::of_radiance(&light, self.exposure, size(self.quality_scene))
    }

    /// Draws a picture once per offset, and adds each to the sums that it belongs to.
    fn sweep<const N: usize>(
        &mut self,
        samples: SampleChoice,
        way: SceneMethod,
        input: &FrameInput,
        adder: &PictureSums,
        shifts: &[SubpixelShift<N>],
    ) -> Result<[PictureSum; N]> {
        let size = size(self.quality_scene);
        let mut sums = Vec::with_capacity(N);
        for _ in 0..N {
            sums.push(adder.empty_sum(self.gpu, size)?);
        }
        let mut submitted = VecDeque::new();
        for (number, shift) in shifts.iter().enumerate() {
            if submitted.len() == IN_FLIGHT
                && let Some(oldest) = submitted.pop_front()
            {
                self.gpu.wait_for(oldest)?;
            }
            // Shadows do not depend on the sample position: reusing the shadow map saves half of full detail's
            // triangles.
            let input = FrameInput {
                same_shadows: number > 0,
                ..input.moved(shift.by, size)
            };
            let picture = self.draw(samples, way, &input)?;
            let own = sums.iter().zip(shift.of).filter_map(|(sum, own)| own.then_some(sum));
            submitted.push_back(adder.add(self.gpu, &picture, &own.collect::<Vec<_>>()));
            self.gpu.check()?;
        }
        let all = <[PictureSum; N]>::try_from(sums);
        Ok(all.unwrap_or_else(|_| unreachable!("as many as were made")))
    }
}
