//! Copying results to the CPU; blocks, for headless work and tests.

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
/// [`GpuError::Readback`].
pub fn read_texture_rgba8(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    let (width, height) = (texture.width(), texture.height());
    let row = width * 4;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("readback"),
        size: u64::from(padded) * u64::from(height),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = encoder(gpu, "readback");
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
    gpu.queue.submit([encoder.finish()]);
    let bytes = map(gpu, &staging)?;
    let rows = bytes.chunks_exact(padded as usize);
    Ok(rows.flat_map(|r| &r[..row as usize]).copied().collect())
}

fn map(gpu: &Gpu, staging: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
    let (sender, receiver) = std::sync::mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver waits below; a failed send cannot matter.
        let _ = sender.send(result);
    });
    gpu.wait_idle();
    let failed = |e: &dyn std::fmt::Display| GpuError::Readback(e.to_string());
    receiver.recv().map_err(|e| failed(&e))?.map_err(|e| failed(&e))?;
    let view = staging.get_mapped_range(..).map_err(|e| failed(&e))?;
    Ok(view.to_vec())
}
