//! Readback: copies results from the GPU to the CPU, for headless work and tests.

use std::sync::mpsc::{Receiver, TryRecvError};

use crate::gpu::{Gpu, GpuError, Staging, encoder};

/// Format of pictures that are read back: bytes as image files hold them.
pub const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Usages of pictures besides being drawn into: readback, and copies of what compute passes wrote.
pub const PICTURE_USAGES: wgpu::TextureUsages = wgpu::TextureUsages::COPY_SRC.union(wgpu::TextureUsages::COPY_DST);

/// Reads a whole buffer (usage `COPY_SRC`).
///
/// # Errors
/// [`GpuError::Readback`] if mapping fails (lost device).
pub fn read_buffer(gpu: &Gpu, source: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
    PendingBytes::copy(gpu, &Staging::default(), source).wait(gpu)
}

/// Reads a single-layer RGBA8 texture (usage `COPY_SRC`), rows tightly packed, top to bottom.
///
/// # Errors
/// [`GpuError::Readback`], or [`GpuError::Memory`].
pub fn read_texture_rgba8(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    read_texture(gpu, texture)
}

/// Reads a texture of any colour format: the texels as the GPU has them.
///
/// # Errors
/// As [`read_texture_rgba8`].
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    let what = format!("reading back {} x {} pixels", texture.width(), texture.height());
    let pending = gpu.ensure_memory(&what, "use a smaller --size", || {
        PendingPicture::copy(gpu, &Staging::default(), texture)
    })?;
    pending.wait(gpu)
}

/// Bytes being read back from the GPU. Any thread may wait for them.
pub struct PendingBytes {
    size: u64,
    buffer: wgpu::Buffer,
    staging: Staging,
    submission: wgpu::SubmissionIndex,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl PendingBytes {
    /// Submits the copy of a whole buffer (usage `COPY_SRC`), after the work submitted so far.
    #[must_use]
    pub fn copy(gpu: &Gpu, staging: &Staging, source: &wgpu::Buffer) -> Self {
        Self::submit_copy(gpu, staging, encoder(gpu, "readback"), source)
    }

    /// Adds the copy of a whole buffer (usage `COPY_SRC`) to commands, and submits them.
    #[must_use]
    pub fn copy_after(gpu: &Gpu, encoder: wgpu::CommandEncoder, source: &wgpu::Buffer) -> Self {
        Self::submit_copy(gpu, &Staging::default(), encoder, source)
    }

    fn submit_copy(gpu: &Gpu, staging: &Staging, mut encoder: wgpu::CommandEncoder, source: &wgpu::Buffer) -> Self {
        let size = source.size();
        let buffer = staging.take(gpu, size);
        encoder.copy_buffer_to_buffer(source, 0, &buffer, 0, size);
        Self::submit(gpu, encoder, staging, buffer, size)
    }

    fn submit(gpu: &Gpu, encoder: wgpu::CommandEncoder, staging: &Staging, buffer: wgpu::Buffer, size: u64) -> Self {
        let submission = gpu.queue.submit([encoder.finish()]);
        let (sender, mapped) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, ..size, move |result| {
            // A dropped receiver has no use for the answer.
            let _ = sender.send(result);
        });
        Self {
            size,
            buffer,
            staging: staging.clone(),
            submission,
            mapped,
        }
    }

    /// Answer that `read` makes of the copied bytes once they are there; never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn answer<T>(&self, gpu: &Gpu, read: impl FnOnce(&[u8]) -> T) -> Option<Result<T, GpuError>> {
        // The channel reports everything that the result would.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        let result = match self.mapped.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Err(error @ TryRecvError::Disconnected) => Err(failed(&error)),
            Ok(result) => result.map_err(|error| failed(&error)),
        };
        Some(result.and_then(|()| self.view(read)))
    }

    /// Waits for the copy, not for later submissions.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::Readback`].
    pub fn wait(self, gpu: &Gpu) -> Result<Vec<u8>, GpuError> {
        self.read(gpu, <[u8]>::to_vec)
    }

    /// Waits as [`PendingBytes::wait`] does, but lends the bytes to `read` instead of copying them out of mapped
    /// memory.
    ///
    /// # Errors
    /// As [`PendingBytes::wait`].
    pub fn read<T>(self, gpu: &Gpu, read: impl FnOnce(&[u8]) -> T) -> Result<T, GpuError> {
        let told = gpu.wait_for(self.submission.clone()).and_then(|()| {
            let result = self.result()?;
            result.map_err(|e| failed(&e))?;
            let told = self.view(read)?;
            self.buffer.unmap();
            Ok(told)
        });
        // A lost device may leave anything in the buffer.
        if gpu.is_lost() {
            return Err(gpu.lost());
        }
        if told.is_ok() {
            self.staging.give(self.buffer);
        }
        told
    }

    /// Result of mapping, once the device has been polled past the copy.
    #[cfg(not(target_arch = "wasm32"))]
    fn result(&self) -> Result<Result<(), wgpu::BufferAsyncError>, GpuError> {
        self.mapped.recv().map_err(|e| failed(&e))
    }

    /// Result of mapping, if the browser has given it before: it gives none while it is waited for.
    #[cfg(target_arch = "wasm32")]
    fn result(&self) -> Result<Result<(), wgpu::BufferAsyncError>, GpuError> {
        let too_early = |_| failed(&"a browser cannot be waited for; ask for the answer in later frames");
        self.mapped.try_recv().map_err(too_early)
    }

    fn view<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Result<T, GpuError> {
        let view = self.buffer.get_mapped_range(..self.size).map_err(|e| failed(&e))?;
        Ok(read(&view))
    }
}

/// Picture being read back from the GPU. The texture may be drawn into again meanwhile.
pub struct PendingPicture {
    bytes: PendingBytes,
    row: u32,
    padded: u32,
}

impl PendingPicture {
    /// Submits the copy of a single-layer texture of any colour format (usage `COPY_SRC`), after the work submitted so
    /// far.
    #[must_use]
    pub fn copy(gpu: &Gpu, staging: &Staging, texture: &wgpu::Texture) -> Self {
        let (width, height) = (texture.width(), texture.height());
        let row = width * texture.format().block_copy_size(None).unwrap_or(4);
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let size = u64::from(padded) * u64::from(height);
        let buffer = staging.take(gpu, size);
        let mut encoder = encoder(gpu, "picture");
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        let bytes = PendingBytes::submit(gpu, encoder, staging, buffer, size);
        Self { bytes, row, padded }
    }

    /// Waits for the copy, not for later submissions. Rows are tightly packed, top to bottom.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::Readback`].
    pub fn wait(self, gpu: &Gpu) -> Result<Vec<u8>, GpuError> {
        self.read(gpu, <[u8]>::to_vec)
    }

    /// Waits as [`PendingPicture::wait`] does, but lends the rows to `read`.
    ///
    /// # Errors
    /// As [`PendingPicture::wait`].
    pub fn read<T>(self, gpu: &Gpu, read: impl FnOnce(&[u8]) -> T) -> Result<T, GpuError> {
        let (row, padded) = (self.row as usize, self.padded as usize);
        self.bytes.read(gpu, |bytes| {
            if row == padded {
                return read(bytes);
            }
            let mut rows = Vec::with_capacity(bytes.len() / padded * row);
            for padded in bytes.chunks_exact(padded) {
                rows.extend_from_slice(&padded[..row]);
            }
            read(&rows)
        })
    }
}

fn failed(error: &dyn std::fmt::Display) -> GpuError {
    GpuError::Readback(error.to_string())
}
