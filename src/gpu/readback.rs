//! Copying results to the CPU; blocks, for headless work and tests.

use std::sync::mpsc::Receiver;

use crate::gpu::{Gpu, GpuError, encoder};

/// Format of pictures that are read back: bytes as image files hold them.
pub const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// Reads a whole buffer (usage `COPY_SRC`).
///
/// # Errors
/// [`GpuError::Readback`] where mapping fails (a lost device).
pub fn read_buffer(gpu: &Gpu, source: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
    let size = source.size();
    let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("readback"),
        size,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = encoder(gpu, "readback");
    encoder.copy_buffer_to_buffer(source, 0, &staging, 0, size);
    gpu.queue.submit([encoder.finish()]);
    map(gpu, &staging)
}

/// Reads a single-layer RGBA8 texture (usage `COPY_SRC`), rows tightly packed, top to bottom.
///
/// # Errors
/// [`GpuError::Readback`], or [`GpuError::Memory`].
pub fn read_texture_rgba8(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    read_texture(gpu, texture)
}

/// The same of any colour format: the texels as the GPU has them.
///
/// # Errors
/// As [`read_texture_rgba8`].
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    let what = format!("reading back {} x {} pixels", texture.width(), texture.height());
    let pending = gpu.fitting(&what, "use a smaller --size", || PendingPicture::copy(gpu, texture))?;
    pending.wait(gpu)
}

/// A picture on its way from the GPU: the texture may be drawn into again meanwhile.
pub struct PendingPicture {
    staging: wgpu::Buffer,
    row: u32,
    padded: u32,
    submission: wgpu::SubmissionIndex,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl PendingPicture {
    /// Submits the copy of a single-layer texture of any colour format (usage `COPY_SRC`), after what was submitted
    /// before.
    #[must_use]
    pub fn copy(gpu: &Gpu, texture: &wgpu::Texture) -> Self {
        let (width, height) = (texture.width(), texture.height());
        let row = width * texture.format().block_copy_size(None).unwrap_or(4);
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(padded) * u64::from(height),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = encoder(gpu, "picture");
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &staging,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        let submission = gpu.queue.submit([encoder.finish()]);
        let mapped = begin_map(&staging);
        Self {
            staging,
            row,
            padded,
            submission,
            mapped,
        }
    }

    /// Waits for the copy, not for what was submitted later: rows tightly packed, top to bottom.
    ///
    /// # Errors
    /// [`GpuError::Readback`].
    pub fn wait(self, gpu: &Gpu) -> Result<Vec<u8>, GpuError> {
        let wait = wgpu::PollType::Wait {
            submission_index: Some(self.submission),
            timeout: None,
        };
        gpu.device.poll(wait).map_err(|error| failed(&error))?;
        finish_map(&self.staging, &self.mapped, |bytes| {
            let rows = bytes.chunks_exact(self.padded as usize);
            rows.flat_map(|r| &r[..self.row as usize]).copied().collect()
        })
    }
}

fn map(gpu: &Gpu, staging: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
    let mapped = begin_map(staging);
    gpu.wait_idle();
    finish_map(staging, &mapped, <[u8]>::to_vec)
}

fn begin_map(staging: &wgpu::Buffer) -> Receiver<Result<(), wgpu::BufferAsyncError>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, .., move |result| {
        // A receiver that is gone has no use for the answer.
        let _ = sender.send(result);
    });
    receiver
}

/// After the device has been polled past the copy.
fn finish_map<T>(
    staging: &wgpu::Buffer,
    mapped: &Receiver<Result<(), wgpu::BufferAsyncError>>,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, GpuError> {
    let result = mapped.recv().map_err(|e| failed(&e))?;
    result.map_err(|e| failed(&e))?;
    let view = staging.get_mapped_range(..).map_err(|e| failed(&e))?;
    Ok(read(&view))
}

fn failed(error: &dyn std::fmt::Display) -> GpuError {
    GpuError::Readback(error.to_string())
}
