//! Pool of staging buffers for readback. Drivers are slow to make and free memory that CPU and GPU both see, and
//! rendering waits meanwhile.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::gpu::Gpu;

/// Reused staging buffers; clones share them. The pool holds as many of a size as were ever in use at a time.
#[derive(Clone, Debug, Default)]
pub struct Staging {
    spare: Arc<Mutex<Vec<wgpu::Buffer>>>,
}

impl Staging {
    /// Takes or makes a buffer of at least `bytes`, unmapped.
    pub(crate) fn take(&self, gpu: &Gpu, bytes: u64) -> wgpu::Buffer {
        let size = rounded(bytes).min(gpu.limits.max_buffer_size).max(bytes);
        let mut spare = self.spare();
        if let Some(place) = spare.iter().position(|buffer| buffer.size() == size) {
            return spare.swap_remove(place);
        }
        drop(spare);
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Takes an unmapped buffer back.
    pub(crate) fn give(&self, buffer: wgpu::Buffer) {
        self.spare().push(buffer);
    }

    fn spare(&self) -> MutexGuard<'_, Vec<wgpu::Buffer>> {
        // A panic cannot leave a list of buffers half changed.
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Size rounded up by at most an eighth, so that similar sizes share buffers.
fn rounded(bytes: u64) -> u64 {
    let step = (bytes.next_power_of_two() / 16).max(256);
    bytes.next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn rounded_sizes_are_at_most_an_eighth_larger(bytes in 1..1_u64 << 40) {
            let size = rounded(bytes);
            proptest::prop_assert!(size >= bytes && size.is_multiple_of(wgpu::MAP_ALIGNMENT));
            proptest::prop_assert!(size - bytes < (bytes / 8).max(256));
            proptest::prop_assert_eq!(rounded(size), size);
        }
    }
}
