//! Counts of shared poses (technique `preskinned`) from the GPU; they arrive late, without waiting.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use crate::render::{
    crowd::CrowdRenderer,
    resources::{
        PoseCounts,
        pose_cache::{COUNT_WORDS, PoseCache},
    },
};

/// Bytes of the counts of a crowd.
const COUNT_BYTES: u64 = 4 * COUNT_WORDS as u64;

/// Readback of pose counts, one frame at a time.
#[derive(Default)]
pub(crate) struct PoseCounter {
    /// Counts being read back; frames meanwhile are not counted.
    pending: Option<PendingPoses>,
    last: Option<PoseCounts>,
}

impl PoseCounter {
    /// Copies the counts of a frame, unless a readback is pending.
    pub(crate) fn copy(&mut self, crowd: &CrowdRenderer, encoder: &mut wgpu::CommandEncoder) {
        if self.pending.is_none() {
            self.pending = crowd.copy_pose_counts(encoder);
        }
    }

    /// Maps the copied counts; call it after the submit.
    pub(crate) fn ask(&mut self) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.mapped.is_none()) {
            pending.ask();
        }
    }

    /// Takes counts that have arrived. Never waits.
    pub(crate) fn poll(&mut self) {
        if let Some(counts) = self.pending.as_ref().and_then(PendingPoses::answer) {
            (self.last, self.pending) = (Some(counts), None);
        }
    }

    /// Newest counts that have arrived.
    pub(crate) fn last(&self) -> Option<&PoseCounts> {
        self.last.as_ref()
    }
}

/// Counts being read back from the GPU, of every crowd with a pose cache.
struct PendingPoses {
    staging: wgpu::Buffer,
    /// Influences per vertex with which each LOD is skinned, by crowd.
    influences: Vec<Vec<u32>>,
    mapped: Option<Receiver<Result<(), wgpu::BufferAsyncError>>>,
}

impl CrowdRenderer {
    /// Copies this frame's counts, after [`CrowdRenderer::preskin`]; `None` without a pose cache.
    fn copy_pose_counts(&self, encoder: &mut wgpu::CommandEncoder) -> Option<PendingPoses> {
        let caches = self.contents.people.iter().filter_map(|d| d.crowd.poses.as_ref());
        let caches: Vec<&PoseCache> = caches.filter(|cache| cache.people > 0).collect();
        if caches.is_empty() {
            return None;
        }
        let staging = self.context.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pose counts"),
            size: COUNT_BYTES * caches.len() as u64,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        for (number, cache) in caches.iter().enumerate() {
            encoder.copy_buffer_to_buffer(&cache.counts, 0, &staging, COUNT_BYTES * number as u64, COUNT_BYTES);
        }
        Some(PendingPoses {
            staging,
            influences: caches.iter().map(|cache| cache.influences.clone()).collect(),
            mapped: None,
        })
    }
}

impl PendingPoses {
    /// Maps the staging buffer; call it after the submit.
    fn ask(&mut self) {
        let (sender, mapped) = channel();
        self.staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone if the renderer was dropped.
            let _ = sender.send(result);
        });
        self.mapped = Some(mapped);
    }

    /// Counts of all crowds once they have arrived; `None` before, and zeros on a lost device. Never waits.
    fn answer(&self) -> Option<PoseCounts> {
        match self.mapped.as_ref()?.try_recv() {
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) | Ok(Err(_)) => Some(PoseCounts::default()),
            Ok(Ok(())) => {
                let bytes = self.staging.get_mapped_range(..);
                let words: Vec<u32> = bytes.map_or_else(|_| Vec::new(), |bytes| bytemuck::pod_collect_to_vec(&bytes));
                let crowds = words.as_chunks::<COUNT_WORDS>().0.iter().zip(&self.influences);
                let counts = crowds.map(|(words, influences)| PoseCounts::read(words, influences));
                Some(counts.fold(PoseCounts::default(), PoseCounts::plus))
            }
        }
    }
}
