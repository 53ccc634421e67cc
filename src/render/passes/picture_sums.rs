//! Sums of pictures of one size, added on the GPU. Only the sum is read back, however many pictures there are.

use crate::{
    gpu::{
        Binding, Gpu, GpuError, PendingBytes, Staging, bind_group_layout, buffer_with, compute_pass, compute_pipeline,
        encoder, whole_view,
    },
    render::resources::instances::bind_group,
};

/// Edge of a workgroup (px).
const EDGE: u32 = 8;

/// Quantity that is added up: light or heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumSource {
    /// Linear light, three `f32` a pixel. NaN counts as black, as in tone mapping, and values are limited to the
    /// largest half (65,504). Each pixel adds pictures in their order, as a CPU would. Halves have 11 bits and sums 24,
    /// so that sums of 64 equal pictures are exact. Other sums of 64 are off by at most 64 roundings of 2^-24: 4e-6 of
    /// the sum, a thousandth of an 8-bit step.
    Light,
    /// Number of samples that show people of each band of heights, eight bytes a pixel. Counts are exact up to 255. The
    /// pictures hold [heights](crate::render::heights) of so many samples a pixel.
    Heights {
        /// Samples per pixel of every picture.
        samples: u32,
    },
}

impl SumSource {
    /// Bytes of a pixel of the sum.
    const fn pixel(self) -> u64 {
        match self {
            Self::Light => 12,
            Self::Heights { .. } => 8,
        }
    }
}

/// Pipeline of shaders/picture_sums.wgsl; clones share it.
#[derive(Clone)]
pub struct PictureSums {
    source: SumSource,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
    /// Samples per pixel of pictures of heights, as a uniform.
    samples: Option<wgpu::Buffer>,
}

/// Sum of the pictures so far, on the device.
pub struct PictureSum {
    buffer: wgpu::Buffer,
    size: (u32, u32),
}

impl PictureSums {
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, source: SumSource) -> Result<Self, GpuError> {
        let compute = wgpu::ShaderStages::COMPUTE;
        let mut rows = vec![
            (0, compute, Binding::TextureLoad(wgpu::TextureViewDimension::D2)),
            (1, compute, Binding::StorageWrite),
        ];
        let mut features: &[&str] = &[];
        let samples = match source {
            SumSource::Light => None,
            SumSource::Heights { samples } => {
                rows.push((2, compute, Binding::Uniform));
                features = &["sum_heights"];
                let uniform = [samples, 0, 0, 0];
                let usage = wgpu::BufferUsages::UNIFORM;
                Some(buffer_with(gpu, "picture_sums", bytemuck::bytes_of(&uniform), usage))
            }
        };
        let layout = bind_group_layout(gpu, "picture_sums", &rows);
        Ok(Self {
            source,
            pipeline: compute_pipeline(gpu, "picture_sums", features, &[&layout])?,
            layout,
            samples,
        })
    }

    /// Empty sum of pictures of `size` pixels.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::Memory`].
    pub fn empty_sum(&self, gpu: &Gpu, size: (u32, u32)) -> Result<PictureSum, GpuError> {
        let bytes = self.source.pixel() * u64::from(size.0) * u64::from(size.1);
        let (what, hint) = ("the sum of pictures", "use a smaller --size");
        gpu.check_storage(what, bytes, hint)?;
        // New buffers are zero.
        let make = || {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("picture_sums"),
                size: bytes,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        };
        let buffer = gpu.ensure_memory(what, hint, make)?;
        Ok(PictureSum { buffer, size })
    }

    /// Submits the addition of a picture (usage `TEXTURE_BINDING`) to some sums, after the work submitted before. Sums
    /// of another size stay as they are.
    pub fn add(&self, gpu: &Gpu, picture: &wgpu::Texture, sums: &[&PictureSum]) -> wgpu::SubmissionIndex {
        let view = whole_view(picture, "picture_sums");
        let size = (picture.width(), picture.height());
        let mut encoder = encoder(gpu, "picture_sums");
        let mut pass = compute_pass(&mut encoder, "picture_sums");
        pass.set_pipeline(&self.pipeline);
        for sum in sums.iter().filter(|sum| sum.size == size) {
            let mut rows = vec![
                (0, wgpu::BindingResource::TextureView(&view)),
                (1, sum.buffer.as_entire_binding()),
            ];
            rows.extend(self.samples.iter().map(|samples| (2, samples.as_entire_binding())));
            pass.set_bind_group(0, &bind_group(gpu, "picture_sums", &self.layout, &rows), &[]);
            pass.dispatch_workgroups(size.0.div_ceil(EDGE), size.1.div_ceil(EDGE), 1);
        }
        drop(pass);
        gpu.queue.submit([encoder.finish()])
    }
}

impl PictureSum {
    /// Submits the copy of the sum to the CPU, rows tightly packed, top to bottom.
    #[must_use]
    pub fn ask(&self, gpu: &Gpu, staging: &Staging) -> PendingBytes {
        PendingBytes::copy(gpu, staging, &self.buffer)
    }
}
