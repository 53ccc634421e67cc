//! Counts and lists of drawn people, as the GPU decided: counts arrive late without waiting; whole lists are read back
//! by a call that waits.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use crate::{
    gpu::{Gpu, GpuError, Staging, read_buffer},
    render::{
        crowd::{CharacterId, CrowdRenderer},
        passes::{
            draw_lists::{ARGUMENT_WORDS, DRAW_LIST_LODS, DRAW_LISTS, DrawListRow, DrawLists},
            raster::{RasterMesh, vertex_cache::PosedVertexReadback},
            triangle_cull::TriangleCullTotals,
        },
    },
};

/// People of one LOD.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LodCount {
    /// People drawn.
    pub people: u64,
    /// Triangles of these people.
    pub triangles: u64,
}

/// Counts of a frame from the GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnCounts {
    /// People drawn.
    pub visible: u64,
    /// People in the view culled as occluded.
    pub hidden: u64,
    /// Counts by LOD, full detail first. Characters with fewer LODs lack the coarsest ones.
    pub lods: Vec<LodCount>,
    /// Triangles of scenery and attachments.
    pub prop_triangles: u64,
    /// Triangles that survived triangle culling in the near and the far phase; `None` if it did not run.
    pub culled_triangles: Option<[TriangleCullTotals; 2]>,
}

impl DrawnCounts {
    /// Triangles of people.
    #[must_use]
    pub fn triangles(&self) -> u64 {
        self.lods.iter().map(|lod| lod.triangles).sum()
    }

    /// Triangles left to the hardware rasterizer; `None` if triangle culling did not run.
    #[must_use]
    pub fn surviving_triangles(&self) -> Option<u64> {
        let [near, far] = self.culled_triangles?;
        Some(u64::from(near.triangles) + u64::from(far.triangles))
    }
}

/// Entry of a draw list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnPerson {
    /// Index among the character's instances.
    pub index: u32,
    /// LOD, 0 the full one.
    pub lod: u32,
    /// True for the near phase, which is drawn before occlusion culling.
    pub near: bool,
}

/// Words of the totals of one crowd: counts after selection, then after occlusion culling.
const TOTAL_WORDS: usize = 2 * DRAW_LISTS as usize;

/// Bytes of the triangle culling totals of one phase.
const TRIANGLE_CULL_BYTES: u64 = size_of::<TriangleCullTotals>() as u64;

/// Counts being read back from the GPU.
pub(crate) struct PendingCounts {
    staging: wgpu::Buffer,
    mapped: Option<Receiver<Result<(), wgpu::BufferAsyncError>>>,
    /// In the order of the totals: true for people, and triangles by LOD.
    crowds: Vec<(bool, Vec<u32>)>,
    /// True if triangle culling totals follow.
    culled_triangles: bool,
}

impl CrowdRenderer {
    /// Copies this frame's counts, after all culling, to a staging buffer; `None` without draw lists.
    pub(crate) fn copy_counts(&self, encoder: &mut wgpu::CommandEncoder, staging: &Staging) -> Option<PendingCounts> {
        let sets = self.contents.draw_list_sets();
        let lists: Vec<&DrawListRow> = sets.iter().flat_map(|set| set.camera_lists()).collect();
        if lists.is_empty() {
            return None;
        }
        let culled_triangles = self.triangle_cull_totals();
        let culling_bytes = culled_triangles.map_or(0, |_| 2 * TRIANGLE_CULL_BYTES);
        let staging = staging.take(
            &self.context.gpu,
            4 * (TOTAL_WORDS * lists.len()) as u64 + culling_bytes,
        );
        let mut first = 0;
        for set in sets {
            let bytes = 4 * (TOTAL_WORDS * set.camera_lists().len()) as u64;
            if bytes > 0 {
                encoder.copy_buffer_to_buffer(&set.buffers().totals, 0, &staging, first, bytes);
            }
            first += bytes;
        }
        for totals in culled_triangles.iter().flatten() {
            encoder.copy_buffer_to_buffer(totals, 0, &staging, first, TRIANGLE_CULL_BYTES);
            first += TRIANGLE_CULL_BYTES;
        }
        let crowds = lists
            .iter()
            .map(|list| (list.is_of_people(), list.lod_triangles().collect()));
        Some(PendingCounts {
            staging,
            mapped: None,
            crowds: crowds.collect(),
            culled_triangles: culled_triangles.is_some(),
        })
    }

    /// People of a character drawn in the frame submitted last, in drawing order; `None` if everyone is drawn without
    /// lists. Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn drawn(&self, id: CharacterId) -> Result<Option<Vec<DrawnPerson>>, GpuError> {
        let people = self.contents.people.get(id.index());
        let Some(draw_lists) = people.and_then(|d| d.draw_lists.as_ref()) else {
            return Ok(None);
        };
        draw_lists.camera.read(&self.context.gpu).map(Some)
    }

    /// Reads back the vertex cache of a character for the software rasterizer; `None` if its vertices are skinned in
    /// every frame.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn posed_vertex_readback(&self, id: CharacterId) -> Result<Option<PosedVertexReadback>, GpuError> {
        let people = self.contents.people.get(id.index());
        let mesh = people
            .and_then(|d| d.draw_lists.as_ref())
            .and_then(|draw_lists| draw_lists.raster.as_ref());
        let vertex_cache = mesh.and_then(RasterMesh::vertex_cache);
        vertex_cache
            .map(|vertex_cache| vertex_cache.read(&self.context.gpu))
            .transpose()
    }

    /// People of a character in the shadow map's lists, as [`CrowdRenderer::drawn`] gives them for the camera's.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn drawn_in_shadow_map(&self, id: CharacterId) -> Result<Option<Vec<DrawnPerson>>, GpuError> {
        let people = self.contents.people.get(id.index());
        let sun = people
            .and_then(|d| d.draw_lists.as_ref())
            .and_then(|draw_lists| draw_lists.sun.as_ref());
        sun.map(|draw_lists| draw_lists.read(&self.context.gpu)).transpose()
    }
}

impl DrawLists {
    fn read(&self, gpu: &Gpu) -> Result<Vec<DrawnPerson>, GpuError> {
        let ids: Vec<u32> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, self.ids())?);
        let arguments: Vec<u32> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, self.arguments())?);
        let own = arguments
            .chunks_exact(ARGUMENT_WORDS as usize)
            .skip(self.row(0) as usize);
        let mut drawn = Vec::new();
        for (draw_list, row) in own.take(DRAW_LISTS as usize).enumerate().filter(|(_, row)| row[1] > 0) {
            let first = (row[4] + self.own_start(draw_list as u32)) as usize;
            let listed = ids.get(first..first + row[1] as usize).unwrap_or_default();
            drawn.extend(listed.iter().map(|id| DrawnPerson {
                index: id & ID_MASK,
                lod: id >> ID_LOD_SHIFT,
                near: (draw_list as u32) < DRAW_LIST_LODS,
            }));
        }
        Ok(drawn)
    }
}

/// First bit of the LOD in an entry of a list.
pub const ID_LOD_SHIFT: u32 = 28;
/// Bits of the instance in an entry of a list.
pub const ID_MASK: u32 = (1 << ID_LOD_SHIFT) - 1;

impl PendingCounts {
    /// Maps the staging buffer; call it after the submit.
    pub(crate) fn ask(&mut self) {
        let (sender, mapped) = channel();
        self.staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone if the renderer was dropped.
            let _ = sender.send(result);
        });
        self.mapped = Some(mapped);
    }

    /// Counts once they have arrived; `None` before, and empty counts on a lost device. Never waits. The buffer returns
    /// to the staging pool.
    pub(crate) fn answer(&self, staging: &Staging) -> Option<DrawnCounts> {
        match self.mapped.as_ref()?.try_recv() {
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) | Ok(Err(_)) => Some(DrawnCounts::default()),
            Ok(Ok(())) => {
                let bytes = self.staging.get_mapped_range(..);
                let totals: Vec<u32> = bytes.map_or_else(|_| Vec::new(), |bytes| bytemuck::pod_collect_to_vec(&bytes));
                self.staging.unmap();
                staging.give(self.staging.clone());
                Some(self.count(&totals))
            }
        }
    }

    fn count(&self, totals: &[u32]) -> DrawnCounts {
        let mut counts = DrawnCounts::default();
        if let (true, Some(&[a, b, c, d])) = (
            self.culled_triangles,
            totals
                .get(TOTAL_WORDS * self.crowds.len()..)
                .and_then(<[u32]>::first_chunk),
        ) {
            let of = |triangles, groups| TriangleCullTotals { triangles, groups };
            counts.culled_triangles = Some([of(a, b), of(c, d)]);
        }
        for ((people, triangles), totals) in self.crowds.iter().zip(totals.chunks_exact(TOTAL_WORDS)) {
            let (selected, left) = totals.split_at(DRAW_LISTS as usize);
            for (lod, &triangles) in triangles.iter().enumerate() {
                let of = |draw_lists: &[u32]| {
                    u64::from(draw_lists[lod]) + u64::from(draw_lists[lod + DRAW_LIST_LODS as usize])
                };
                let drawn = of(left);
                if !people {
                    counts.prop_triangles += drawn * u64::from(triangles);
                    continue;
                }
                if counts.lods.len() <= lod {
                    counts.lods.push(LodCount::default());
                }
                counts.lods[lod].people += drawn;
                counts.lods[lod].triangles += drawn * u64::from(triangles);
                counts.visible += drawn;
                counts.hidden += of(selected).saturating_sub(drawn);
            }
        }
        counts
    }
}
