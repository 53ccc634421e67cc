//! Counts of bytes sent to the GPU, by purpose: the label of the buffer or texture that receives them.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::gpu::Gpu;

/// Bytes by purpose.
pub type ByPurpose = BTreeMap<String, u64>;

/// Bytes sent through a device since it was opened.
#[derive(Debug, Default)]
pub struct Uploads {
    total: AtomicU64,
    by_purpose: Mutex<ByPurpose>,
}

impl Uploads {
    /// Counts bytes that other code has sent (egui writes to the queue itself).
    pub fn add(&self, purpose: &str, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
        let mut all = self.by_purpose.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(purpose) {
            Some(sum) => *sum += bytes,
            None => drop(all.insert(purpose.to_owned(), bytes)),
        }
    }

    /// Bytes in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Bytes by purpose.
    #[must_use]
    pub fn by_purpose(&self) -> ByPurpose {
        self.by_purpose.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Bytes by purpose since `earlier`, an answer of [`Uploads::by_purpose`]. Purposes without bytes are left out.
    #[must_use]
    pub fn since(&self, earlier: &ByPurpose) -> ByPurpose {
        let all = self.by_purpose().into_iter();
        let new = all.map(|(purpose, sum)| {
            let before = earlier.get(&purpose).copied().unwrap_or(0);
            (purpose, sum - before)
        });
        new.filter(|(_, bytes)| *bytes > 0).collect()
    }
}

impl Gpu {
    /// Writes to a buffer at the next submission; counted as `purpose`.
    #[expect(clippy::disallowed_methods, reason = "the one place that writes")]
    pub fn write_buffer(&self, purpose: &str, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.queue.write_buffer(buffer, offset, bytes);
        self.uploads.add(purpose, bytes.len() as u64);
    }

    /// Writes bytes of a buffer at the next submission, counted as `purpose`; `fill` puts them where the device copies
    /// them from. That memory may be uncached: write all of it, in order, a few cache lines at a time. Nothing is written
    /// for an empty range, or if the device was lost.
    #[expect(clippy::disallowed_methods, reason = "the one place that writes")]
    pub fn fill_buffer(
        &self,
        purpose: &str,
        buffer: &wgpu::Buffer,
        range: Range<u64>,
        fill: impl FnOnce(wgpu::WriteOnly<'_, [u8]>),
    ) {
        let Some(size) = wgpu::BufferSize::new(range.end.saturating_sub(range.start)) else {
            return;
        };
        if let Some(mut view) = self.queue.write_buffer_with(buffer, range.start, size) {
            fill(view.slice(..));
            self.uploads.add(purpose, size.get());
        }
    }

    /// Writes to a texture at the next submission; counted as `purpose`.
    #[expect(clippy::disallowed_methods, reason = "the one place that writes")]
    pub fn write_texture(
        &self,
        purpose: &str,
        texture: wgpu::TexelCopyTextureInfo<'_>,
        bytes: &[u8],
        layout: wgpu::TexelCopyBufferLayout,
        size: wgpu::Extent3d,
    ) {
        self.queue.write_texture(texture, bytes, layout, size);
        self.uploads.add(purpose, bytes.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_by_purpose_and_since_a_snapshot() {
        let uploads = Uploads::default();
        uploads.add("frame", 256);
        uploads.add("pick", 96);
        let mark = uploads.by_purpose();
        uploads.add("frame", 256);
        uploads.add("panel", 20);
        let since: Vec<(String, u64)> = uploads.since(&mark).into_iter().collect();
        assert_eq!(since, [("frame".to_owned(), 256), ("panel".to_owned(), 20)]);
        assert_eq!(uploads.total(), 256 + 96 + 256 + 20);
    }
}
