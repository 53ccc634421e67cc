//! Draw lists: which instances are drawn, at which LOD and in which order. The GPU fills them for indirect draws.
//!
//! Frustum culling and LOD selection take three steps: select, scan and scatter (shaders/shared/draw_lists.wgsl).
//! Select is a dispatch per crowd. The others are one dispatch for all lists of a set, since the GPU waits for each
//! dispatch to end. Instances in view are sorted by phase, LOD and number.
//!
//! Occlusion culling takes two phases with a depth pyramid (Hi-Z; Greene, Kass and Miller 1993). The near phase has
//! people who cover many sample rows, the far phase has the others. Depth of the near phase occludes people of the far
//! phase: pyramid and occlusion_cull, then scan and scatter again. No frame depends on the one before, and no draw
//! order depends on what is culled.

mod encode;
pub(crate) mod occlusion_cull;
mod pyramid;
mod scan;
mod scatter;
mod select;
mod set;
pub mod visible;

use crate::{
    gpu::{Backend, Gpu, GpuError},
    render::resources::{CharacterAssets, CrowdInstances, DrawParts, MOST_LODS},
};

pub(crate) use encode::DrawListPasses;
pub(crate) use pyramid::Pyramid;
pub use pyramid::{PYRAMID_LEVELS, PyramidSizes};
pub use set::DrawListViews;
pub(crate) use set::{DrawListSet, Views};

/// Instances per workgroup.
pub const DRAW_LIST_BLOCK: u32 = 256;
/// Number of LODs, the full mesh included.
pub const DRAW_LIST_LODS: u32 = MOST_LODS as u32;
/// First draw list of the far phase.
pub const FAR_DRAW_LISTS: u32 = DRAW_LIST_LODS;
/// Number of draw lists: one for each phase and LOD.
pub const DRAW_LISTS: u32 = 2 * DRAW_LIST_LODS;
/// Words of the arguments of an indexed indirect draw.
pub const ARGUMENT_WORDS: u32 = 5;
/// Bit of [`DrawListRow::kind`]: attachments.
pub const DRAW_LIST_CARRIED: u32 = 1;
/// Bit of [`DrawListRow::kind`]: list of the shadow view.
pub const DRAW_LIST_SUN: u32 = 2;
/// Bit of [`DrawListRow::kind`]: scenery, in the near phase whatever its size.
pub const DRAW_LIST_NEAR: u32 = 4;
/// Bit of [`DrawListRow::kind`]: actors, some of whom blend a third clip.
pub const DRAW_LIST_ACTORS: u32 = 8;

shader_struct!(DrawListRow);

shader_struct!(DrawListLod);

/// Phase of two-phase occlusion culling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CullPhase {
    /// Near phase: people who cover many sample rows and occlude others.
    Near,
    /// Far phase: all other people, without those that occlusion culling removed.
    Far,
}

/// Bytes of the arguments of one indirect draw.
const ARGUMENT_BYTES: u64 = 4 * ARGUMENT_WORDS as u64;

/// Crowd that a view lists, before it has a place in a set.
#[derive(Clone)]
pub(crate) struct DrawListRequest {
    /// Row without offsets into the buffers of a set.
    list: DrawListRow,
    posed: wgpu::Buffer,
    bounds: wgpu::Buffer,
    /// Third clips of actors; any buffer for others.
    thirds: wgpu::Buffer,
    /// Draw list of each instance, if other passes read it.
    keys: Option<wgpu::Buffer>,
    /// True if selection adds people to the crowd shadow grid.
    casts: bool,
}

impl DrawListRequest {
    /// Requests the lists of a crowd; `kind` is a sum of `DRAW_LIST_` bits.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more people than the device can list.
    pub(crate) fn new(gpu: &Gpu, parts: DrawParts<'_>, kind: u32) -> Result<Self, GpuError> {
        let DrawParts { assets, crowd } = parts;
        let thirds = crowd.hero_runs.as_ref().filter(|_| crowd.actors.is_some());
        let kind = kind | thirds.map_or(0, |_| DRAW_LIST_ACTORS);
        let list = list(gpu, assets, crowd, kind);
        let request = Self {
            casts: list.is_of_people(),
            list,
            thirds: thirds.unwrap_or(&assets.bounds).clone(),
            posed: crowd.posed.clone(),
            bounds: assets.bounds.clone(),
            keys: crowd.draw_list_keys(kind & DRAW_LIST_SUN != 0).cloned(),
        };
        let bytes = 4 * request.entries();
        gpu.check_storage("the buffer of draw lists", bytes, "lower --count")?;
        Ok(request)
    }

    /// Request for one more view of the same frame: nobody adds to the crowd shadow grid a second time.
    pub(crate) fn of_further_view(&self) -> Self {
        Self {
            keys: None,
            casts: false,
            ..self.clone()
        }
    }

    /// Number of entries of the list.
    fn entries(&self) -> u64 {
        let lists = if self.list.draw_list_stride > 0 {
            u64::from(DRAW_LISTS)
        } else {
            1
        };
        u64::from(self.list.count.max(1)) * lists
    }

    /// GPU bytes.
    fn bytes(&self) -> u64 {
        let of_person = 4 * (self.entries() + u64::from(self.list.count));
        let of_block = 4 * u64::from(DRAW_LISTS * self.list.blocks);
        let of_draw_list = u64::from(DRAW_LISTS) * (8 + ARGUMENT_BYTES);
        of_person + of_block + of_draw_list + size_of::<DrawListRow>() as u64
    }
}

/// Draw lists of one crowd in one view, within a set.
#[derive(Clone)]
pub(crate) struct DrawLists {
    request: DrawListRequest,
    set: DrawListSet,
    /// Number of the list within its set.
    number: u32,
}

impl DrawListRow {
    /// Triangles of each LOD in use.
    pub(crate) fn lod_triangles(&self) -> impl Iterator<Item = u32> {
        let lods = &self.lods[..self.lod_count as usize];
        lods.iter().map(|lod| lod.index_count / 3)
    }

    /// True for people: neither attachments nor scenery.
    pub(crate) const fn is_of_people(&self) -> bool {
        self.kind & (DRAW_LIST_CARRIED | DRAW_LIST_NEAR) == 0
    }
}

impl DrawLists {
    /// Request that the lists were made for.
    pub(crate) const fn request(&self) -> &DrawListRequest {
        &self.request
    }

    /// Makes lists of this request read third clips from the present buffer of actors.
    pub(crate) fn read_thirds(&mut self, crowd: &CrowdInstances) {
        if let Some(thirds) = &crowd.hero_runs {
            self.request.thirds = thirds.clone();
        }
    }

    /// Set that has the lists.
    pub(crate) const fn set(&self) -> &DrawListSet {
        &self.set
    }

    /// True if both are the same list.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.set == other.set && self.number == other.number
    }

    /// First entry of a draw list; 0 if the arguments of the draws hold it.
    pub(crate) fn own_start(&self, draw_list: u32) -> u32 {
        match self.request.list.draw_list_stride {
            0 => 0,
            stride => self.list().first_id + draw_list * stride,
        }
    }

    /// Number of LODs in use.
    pub(crate) const fn lods(&self) -> u32 {
        self.request.list.lod_count
    }

    /// Entries of all lists.
    pub(crate) fn ids(&self) -> &wgpu::Buffer {
        &self.set.buffers().ids
    }

    /// Arguments of the indirect draws of all lists.
    pub(crate) fn arguments(&self) -> &wgpu::Buffer {
        &self.set.buffers().arguments
    }

    /// Row of a draw list in the buffer of arguments.
    pub(crate) fn row(&self, draw_list: u32) -> u32 {
        self.number * DRAW_LISTS + draw_list
    }

    /// True for lists of the shadow view.
    pub(crate) fn is_shadow_view(&self) -> bool {
        self.request.list.kind & DRAW_LIST_SUN != 0
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.request.bytes()
    }

    fn list(&self) -> &DrawListRow {
        &self.set.lists()[self.number as usize]
    }

    /// Records the indirect draws of a phase, the full mesh first. The caller has set pipeline, groups and index
    /// buffer. `others` replaces the arguments of the draw lists: a buffer, and the offset of the phase in it. Returns
    /// the draw calls recorded.
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        phase: CullPhase,
        others: Option<(&wgpu::Buffer, u64)>,
    ) -> u32 {
        let first = match phase {
            CullPhase::Near => 0,
            CullPhase::Far => FAR_DRAW_LISTS,
        };
        let (arguments, begins_at) =
            others.unwrap_or_else(|| (self.arguments(), u64::from(self.row(first)) * ARGUMENT_BYTES));
        let offset = |draw_list: u32| begins_at + u64::from(draw_list - first) * ARGUMENT_BYTES;
        let lods = self.request.list.lod_count;
        let stride = self.request.list.draw_list_stride;
        let ids = self.ids();
        if stride == 0 {
            pass.set_vertex_buffer(0, ids.slice(..));
            pass.multi_draw_indexed_indirect(arguments, offset(first), lods);
            return 1;
        }
        for draw_list in first..first + lods {
            let begins = 4 * u64::from(self.own_start(draw_list));
            pass.set_vertex_buffer(0, ids.slice(begins..begins + 4 * u64::from(stride)));
            pass.draw_indexed_indirect(arguments, offset(draw_list));
        }
        lods
    }
}

fn list(gpu: &Gpu, assets: &CharacterAssets, crowd: &CrowdInstances, kind: u32) -> DrawListRow {
    let mut lods = [DrawListLod::default(); MOST_LODS];
    let drawn = crowd.lods(assets);
    for (row, lod) in lods.iter_mut().zip(&drawn) {
        *row = DrawListLod {
            first_index: lod.first_index,
            index_count: lod.index_count,
            max_sample_rows: lod.max_sample_rows,
            pad: 0,
        };
    }
    DrawListRow {
        count: crowd.count,
        blocks: crowd.count.div_ceil(DRAW_LIST_BLOCK).max(1),
        lod_count: drawn.len().min(MOST_LODS) as u32,
        mesh_count: drawn.iter().filter(|lod| !lod.splats).count().min(MOST_LODS) as u32,
        draw_list_stride: if begins_anywhere(gpu) { 0 } else { crowd.count.max(1) },
        height: assets.height,
        kind,
        lods,
        ..DrawListRow::default()
    }
}

/// True if indirect draws can begin in the middle of a list. OpenGL ignores the first instance of their arguments.
pub(crate) fn begins_anywhere(gpu: &Gpu) -> bool {
    gpu.features.contains(wgpu::Features::INDIRECT_FIRST_INSTANCE) && gpu.facts.backend != Backend::Gl
}
