//! Who is drawn, at which level of detail, in which order: lists made by the GPU for indirect draws.
//!
//! Three steps, select, scan, scatter (shaders/shared/bins.wgsl): the first a dispatch a crowd, the others one of
//! everybody, since a GPU waits for each to end. Everyone in
//! the view is listed by phase, level and number: first those who fill many rows, then the others. What
//! the first phase leaves in the depth buffer tells who of the second is hidden: pyramid, occlude, then
//! scan and scatter again. No frame knows of another, and no order depends on what is culled.

mod encode;
pub(crate) mod occlude;
mod pyramid;
mod scan;
mod scatter;
mod select;
mod set;
pub mod visible;

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{Backend, Gpu, GpuError},
    render::resources::{CharacterAssets, CrowdInstances, MOST_LEVELS},
};

pub(crate) use encode::BinPasses;
pub(crate) use pyramid::Pyramid;
pub use pyramid::{PYRAMID_LEVELS, PyramidSizes};
pub use set::BinViews;
pub(crate) use set::{BinSet, Views};

/// Instances of a workgroup.
pub const BIN_BLOCK: u32 = 256;
/// Levels of detail, the full one included.
pub const BIN_LEVELS: u32 = MOST_LEVELS as u32;
/// First bin of the far phase.
pub const FAR_BINS: u32 = BIN_LEVELS;
/// Two phases of as many bins as levels.
pub const BINS: u32 = 2 * BIN_LEVELS;
/// Words of the arguments of an indexed indirect draw.
pub const ARGUMENT_WORDS: u32 = 5;
/// [`BinList::kind`]: things that are carried.
pub const BIN_CARRIED: u32 = 1;
/// [`BinList::kind`]: seen from the sun.
pub const BIN_SUN: u32 = 2;
/// [`BinList::kind`]: drawn before what may be hidden, whatever its size.
pub const BIN_NEAR: u32 = 4;

/// `BinList` in shaders/shared/bins.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BinList {
    /// Instances.
    pub count: u32,
    /// Workgroups of [`BIN_BLOCK`] instances.
    pub blocks: u32,
    /// Levels in use, the full one included.
    pub level_count: u32,
    /// Entries of the list for each bin; 0: one after another.
    pub bin_stride: u32,
    /// Largest edge of the rest pose, metres at scale 1.
    pub height: f32,
    /// [`BIN_CARRIED`], [`BIN_SUN`], [`BIN_NEAR`].
    pub kind: u32,
    /// Of the levels in use, those that are meshes: discs come behind them.
    pub mesh_count: u32,
    /// Of its blocks, among those of all lists in the same buffers.
    pub first_block: u32,
    /// Of its keys.
    pub first_key: u32,
    /// Of its entries.
    pub first_id: u32,
    /// Unused.
    pub pad_a: u32,
    /// Unused.
    pub pad_b: u32,
    /// The full mesh first.
    pub levels: [BinLevel; MOST_LEVELS],
}

/// `BinLevel` in shaders/shared/bins.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BinLevel {
    /// First index.
    pub first_index: u32,
    /// Indices.
    pub index_count: u32,
    /// Largest height in rows at which it is used.
    pub max_rows: f32,
    /// Unused.
    pub pad: u32,
}

/// Half of the people in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// Those who fill many rows: they hide others.
    Near,
    /// The others, after those who are hidden were taken out.
    Far,
}

/// Bytes of the arguments of one draw.
const ARGUMENT_BYTES: u64 = 4 * ARGUMENT_WORDS as u64;

/// A crowd that a view is to list.
#[derive(Clone)]
pub(crate) struct Wanted {
    /// Without a place among others.
    list: BinList,
    posed: wgpu::Buffer,
    bounds: wgpu::Buffer,
    /// Where others read who is in which bin.
    keys: Option<wgpu::Buffer>,
}

impl Wanted {
    /// `kind` is a sum of `BIN_` bits.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more people than the device can list.
    pub(crate) fn new(
        gpu: &Gpu,
        (assets, crowd): (&CharacterAssets, &CrowdInstances),
        kind: u32,
    ) -> Result<Self, GpuError> {
        let wanted = Self {
            list: list(gpu, assets, crowd, kind),
            posed: crowd.posed.clone(),
            bounds: assets.bounds.clone(),
            keys: crowd.bin_keys(kind & BIN_SUN != 0).cloned(),
        };
        let bytes = 4 * wanted.entries();
        gpu.check_storage("the lists of who is drawn", bytes, "lower --count")?;
        Ok(wanted)
    }

    /// Entries of its list.
    fn entries(&self) -> u64 {
        let lists = if self.list.bin_stride > 0 { u64::from(BINS) } else { 1 };
        u64::from(self.list.count.max(1)) * lists
    }

    /// GPU bytes.
    fn bytes(&self) -> u64 {
        let of_person = 4 * (self.entries() + u64::from(self.list.count));
        let of_block = 4 * u64::from(BINS * self.list.blocks);
        let of_bin = u64::from(BINS) * (8 + ARGUMENT_BYTES);
        of_person + of_block + of_bin + size_of::<BinList>() as u64
    }
}

/// Everyone of a crowd whom a view shows: a list among others.
#[derive(Clone)]
pub(crate) struct Bins {
    wanted: Wanted,
    set: BinSet,
    /// Of the set.
    number: u32,
}

impl BinList {
    /// Triangles of each level in use.
    pub(crate) fn level_triangles(&self) -> impl Iterator<Item = u32> {
        let levels = &self.levels[..self.level_count as usize];
        levels.iter().map(|level| level.index_count / 3)
    }

    /// Neither carried nor standing around.
    pub(crate) const fn is_of_people(&self) -> bool {
        self.kind & (BIN_CARRIED | BIN_NEAR) == 0
    }
}

impl Bins {
    /// What it lists.
    pub(crate) const fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// Where it is.
    pub(crate) const fn set(&self) -> &BinSet {
        &self.set
    }

    /// Whether both are the same list.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.set == other.set && self.number == other.number
    }

    /// Where the entries of a bin begin: 0 where the arguments of the draws tell.
    pub(crate) fn own_start(&self, bin: u32) -> u32 {
        match self.wanted.list.bin_stride {
            0 => 0,
            stride => self.list().first_id + bin * stride,
        }
    }

    /// Levels in use.
    pub(crate) const fn levels(&self) -> u32 {
        self.wanted.list.level_count
    }

    /// The lists.
    pub(crate) fn ids(&self) -> &wgpu::Buffer {
        &self.set.buffers().ids
    }

    /// Of the draws of all lists.
    pub(crate) fn arguments(&self) -> &wgpu::Buffer {
        &self.set.buffers().arguments
    }

    /// Of a bin, in these.
    pub(crate) fn row(&self, bin: u32) -> u32 {
        self.number * BINS + bin
    }

    /// Whether it is the sun that sees them.
    pub(crate) fn is_of_sun(&self) -> bool {
        self.wanted.list.kind & BIN_SUN != 0
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.wanted.bytes()
    }

    fn list(&self) -> &BinList {
        &self.set.lists()[self.number as usize]
    }

    /// Indirect draws of a phase, the full mesh first; pipeline, groups and indices are set. `others` are
    /// arguments in place of the bins' own, and where those of the phase begin. Returns the draw calls recorded.
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        phase: Phase,
        others: Option<(&wgpu::Buffer, u64)>,
    ) -> u32 {
        let first = match phase {
            Phase::Near => 0,
            Phase::Far => FAR_BINS,
        };
        let (arguments, begins_at) =
            others.unwrap_or_else(|| (self.arguments(), u64::from(self.row(first)) * ARGUMENT_BYTES));
        let offset = |bin: u32| begins_at + u64::from(bin - first) * ARGUMENT_BYTES;
        let levels = self.wanted.list.level_count;
        let stride = self.wanted.list.bin_stride;
        let ids = self.ids();
        if stride == 0 {
            pass.set_vertex_buffer(0, ids.slice(..));
            pass.multi_draw_indexed_indirect(arguments, offset(first), levels);
            return 1;
        }
        for bin in first..first + levels {
            let begins = 4 * u64::from(self.own_start(bin));
            pass.set_vertex_buffer(0, ids.slice(begins..begins + 4 * u64::from(stride)));
            pass.draw_indexed_indirect(arguments, offset(bin));
        }
        levels
    }
}

fn list(gpu: &Gpu, assets: &CharacterAssets, crowd: &CrowdInstances, kind: u32) -> BinList {
    let mut levels = [BinLevel::default(); MOST_LEVELS];
    let drawn = crowd.levels(assets);
    for (row, level) in levels.iter_mut().zip(&drawn) {
        *row = BinLevel {
            first_index: level.first_index,
            index_count: level.index_count,
            max_rows: level.max_rows,
            pad: 0,
        };
    }
    BinList {
        count: crowd.count,
        blocks: crowd.count.div_ceil(BIN_BLOCK).max(1),
        level_count: drawn.len().min(MOST_LEVELS) as u32,
        mesh_count: drawn.iter().filter(|level| !level.discs).count().min(MOST_LEVELS) as u32,
        bin_stride: if begins_anywhere(gpu) { 0 } else { crowd.count.max(1) },
        height: assets.height,
        kind,
        levels,
        ..BinList::default()
    }
}

/// Whether indirect draws may begin in the middle of a list: OpenGL ignores where they say to begin.
pub(crate) fn begins_anywhere(gpu: &Gpu) -> bool {
    gpu.features.contains(wgpu::Features::INDIRECT_FIRST_INSTANCE) && gpu.facts.backend != Backend::Gl
}
