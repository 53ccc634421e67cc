//! Buffers that results are copied into on their way to the CPU, used again and again: films read back a few
//! of the same sizes for every frame, and making them anew costs drivers more than the copy.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// Bytes that lie idle, at most: the pictures of sixteen encoders with their numbers.
const MOST_IDLE: u64 = 512 << 20;

/// Idle buffers of a device, unmapped, the one longest idle first.
#[derive(Debug, Default)]
pub(super) struct StagingPool {
    idle: Mutex<VecDeque<wgpu::Buffer>>,
}

impl StagingPool {
    /// A buffer of exactly so many bytes, whatever they are.
    pub(super) fn take(&self, device: &wgpu::Device, size: u64) -> wgpu::Buffer {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = idle.iter().rposition(|buffer| buffer.size() == size);
        if let Some(buffer) = fits.and_then(|place| idle.remove(place)) {
            return buffer;
        }
        drop(idle);
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Takes back a buffer that was read; whatever is too much goes, the longest idle first.
    pub(super) fn give_back(&self, buffer: wgpu::Buffer) {
        buffer.unmap();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push_back(buffer);
        let mut bytes: u64 = idle.iter().map(wgpu::Buffer::size).sum();
        while bytes > MOST_IDLE
            && let Some(oldest) = idle.pop_front()
        {
            bytes -= oldest.size();
        }
    }
}
