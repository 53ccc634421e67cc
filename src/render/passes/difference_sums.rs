//! Distance of two pictures, computed on the GPU and read back without waiting.

use crate::{
    gpu::{
        Binding, Gpu, GpuError, PendingBytes, bind_group_layout, buffer_with, compute_pass, compute_pipeline, encoder,
    },
    render::resources::instances::bind_group,
};

/// Pipeline of shaders/difference_sums.wgsl.
pub struct DifferenceSums {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

/// Distance of two pictures in steps of display values (1/255), over red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSteps {
    /// Mean of the absolute differences.
    pub mean: f64,
    /// Largest absolute difference.
    pub largest: u32,
}

/// Sums on their way from the GPU.
pub struct PendingDifference {
    bytes: PendingBytes,
    size: (u32, u32),
}

impl DifferenceSums {
    /// Compiles the pass for pictures of `format`.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Result<Self, GpuError> {
        let picture = Binding::TextureLoad(wgpu::TextureViewDimension::D2);
        let compute = wgpu::ShaderStages::COMPUTE;
        let rows = [
            (0, compute, picture),
            (1, compute, picture),
            (2, compute, Binding::StorageWrite),
        ];
        let layout = bind_group_layout(gpu, "difference_sums", &rows);
        let features: &[&str] = if format.is_srgb() { &["srgb_target"] } else { &[] };
        Ok(Self {
            pipeline: compute_pipeline(gpu, "difference_sums", features, &[&layout])?,
            layout,
        })
    }

    /// Starts the comparison of two pictures of `size` pixels in their current state.
    #[must_use]
    pub fn ask(&self, gpu: &Gpu, pictures: &[wgpu::TextureView; 2], size: (u32, u32)) -> PendingDifference {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let rows = buffer_with(gpu, "difference_sums", &vec![0; 8 * size.1 as usize], usage);
        let bindings = [
            (0, wgpu::BindingResource::TextureView(&pictures[0])),
            (1, wgpu::BindingResource::TextureView(&pictures[1])),
            (2, rows.as_entire_binding()),
        ];
        let group = bind_group(gpu, "difference_sums", &self.layout, &bindings);
        let mut encoder = encoder(gpu, "difference_sums");
        let mut pass = compute_pass(&mut encoder, "difference_sums");
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(size.1, 1, 1);
        drop(pass);
        PendingDifference {
            bytes: PendingBytes::copy_after(gpu, encoder, &rows),
            size,
        }
    }
}

impl PendingDifference {
    /// Result, once it has arrived; never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    #[must_use]
    pub fn answer(&self, gpu: &Gpu) -> Option<Result<PictureSteps, GpuError>> {
        self.bytes.answer(gpu, |bytes| {
            let rows: Vec<[u32; 2]> = bytemuck::pod_collect_to_vec(bytes);
            let sum: u64 = rows.iter().map(|row| u64::from(row[0])).sum();
            let largest = rows.iter().map(|row| row[1]).max().unwrap_or(0);
            let values = 3 * u64::from(self.size.0) * u64::from(self.size.1);
            PictureSteps {
                mean: sum as f64 / values.max(1) as f64,
                largest,
            }
        })
    }
}
