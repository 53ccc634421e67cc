//! Who is drawn, at which level of detail, in which order: lists made by the GPU for indirect draws.
//!
//! Three dispatches a crowd and a view: select, scan, scatter (shaders/shared/bins.wgsl). Everyone in
//! the view is listed by phase, level and number: first those who fill many rows, then the others. What
//! the first phase leaves in the depth buffer tells who of the second is hidden: pyramid, occlude, then
//! scan and scatter again. No frame knows of another, and no order depends on what is culled.

mod encode;
pub(crate) mod occlude;
mod pyramid;
mod scan;
mod scatter;
mod select;
pub mod visible;

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{Backend, Gpu, GpuError, buffer_with},
    render::{
        Layouts,
        resources::{CharacterAssets, CrowdInstances, MOST_LEVELS, instances::bind_group},
    },
};

pub(crate) use encode::{BinPasses, by_block};
pub(crate) use pyramid::Pyramid;
pub use pyramid::{PYRAMID_LEVELS, PyramidSizes};

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
/// [`BinUniforms::kind`]: things that are carried.
pub const BIN_CARRIED: u32 = 1;
/// [`BinUniforms::kind`]: seen from the sun.
pub const BIN_SUN: u32 = 2;
/// [`BinUniforms::kind`]: drawn before what may be hidden, whatever its size.
pub const BIN_NEAR: u32 = 4;

/// `BinUniforms` in shaders/shared/bins.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BinUniforms {
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
    /// Unused.
    pub pad_a: u32,
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

/// Everyone of a crowd whom a view shows.
#[derive(Clone)]
pub(crate) struct Bins {
    /// Read by the three steps.
    pub(crate) group: wgpu::BindGroup,
    /// Workgroups of [`BIN_BLOCK`] instances.
    pub(crate) blocks: u32,
    /// By bin, as selected, then what is left of them.
    pub(crate) totals: wgpu::Buffer,
    uniforms: BinUniforms,
    ids: wgpu::Buffer,
    arguments: wgpu::Buffer,
    bytes: u64,
}

impl Bins {
    /// Bins of a crowd for one view; `kind` is a sum of `BIN_` bits.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more people than the device can list.
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        (assets, crowd): (&CharacterAssets, &CrowdInstances),
        kind: u32,
    ) -> Result<Self, GpuError> {
        let uniforms = uniforms(gpu, assets, crowd, kind);
        let lists = if uniforms.bin_stride > 0 { u64::from(BINS) } else { 1 };
        let list_bytes = 4 * u64::from(crowd.count.max(1)) * lists;
        gpu.check_storage("the lists of who is drawn", list_bytes, "lower --count")?;
        let storage = wgpu::BufferUsages::STORAGE;
        let make = |label, size, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let buffer = buffer_with(gpu, "bins", bytemuck::bytes_of(&uniforms), wgpu::BufferUsages::UNIFORM);
        let keys = match crowd.bin_keys(kind & BIN_SUN != 0) {
            Some(kept) => kept.clone(),
            None => make("bin keys", 4 * u64::from(crowd.count.max(1)), storage),
        };
        let counts = make("bin counts", 4 * u64::from(BINS * uniforms.blocks), storage);
        let read = storage | wgpu::BufferUsages::COPY_SRC;
        let totals = make("bin totals", 8 * u64::from(BINS), read);
        let ids = make("drawn people", list_bytes, read | wgpu::BufferUsages::VERTEX);
        let arguments = make(
            "draw arguments",
            u64::from(BINS) * ARGUMENT_BYTES,
            read | wgpu::BufferUsages::INDIRECT,
        );
        let rows = [
            (0, buffer.as_entire_binding()),
            (1, crowd.posed.as_entire_binding()),
            (2, assets.bounds.as_entire_binding()),
            (3, keys.as_entire_binding()),
            (4, counts.as_entire_binding()),
            (5, totals.as_entire_binding()),
            (6, ids.as_entire_binding()),
            (7, arguments.as_entire_binding()),
        ];
        let own = [&buffer, &keys, &counts, &totals, &ids, &arguments];
        Ok(Self {
            group: bind_group(gpu, "bins", &layouts.bins, &rows),
            blocks: uniforms.blocks,
            bytes: own.iter().map(|b| b.size()).sum(),
            uniforms,
            totals,
            ids,
            arguments,
        })
    }

    /// Entries of the list for each bin; 0: one after another.
    pub(crate) fn stride(&self) -> u32 {
        self.uniforms.bin_stride
    }

    /// The lists.
    pub(crate) fn ids(&self) -> &wgpu::Buffer {
        &self.ids
    }

    /// Of the draws.
    pub(crate) fn arguments(&self) -> &wgpu::Buffer {
        &self.arguments
    }

    /// Whether it is the sun that sees them.
    pub(crate) fn is_of_sun(&self) -> bool {
        self.uniforms.kind & BIN_SUN != 0
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Triangles of each level in use.
    pub(crate) fn level_triangles(&self) -> impl Iterator<Item = u32> {
        let levels = &self.uniforms.levels[..self.uniforms.level_count as usize];
        levels.iter().map(|level| level.index_count / 3)
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
        let own = (&self.arguments, u64::from(first) * ARGUMENT_BYTES);
        let (arguments, begins_at) = others.unwrap_or(own);
        let offset = |bin: u32| begins_at + u64::from(bin - first) * ARGUMENT_BYTES;
        let levels = self.uniforms.level_count;
        let stride = self.uniforms.bin_stride;
        if stride == 0 {
            pass.set_vertex_buffer(0, self.ids.slice(..));
            pass.multi_draw_indexed_indirect(arguments, offset(first), levels);
            return 1;
        }
        for bin in first..first + levels {
            let begins = 4 * u64::from(bin) * u64::from(stride);
            pass.set_vertex_buffer(0, self.ids.slice(begins..begins + 4 * u64::from(stride)));
            pass.draw_indexed_indirect(arguments, offset(bin));
        }
        levels
    }
}

fn uniforms(gpu: &Gpu, assets: &CharacterAssets, crowd: &CrowdInstances, kind: u32) -> BinUniforms {
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
    BinUniforms {
        count: crowd.count,
        blocks: crowd.count.div_ceil(BIN_BLOCK).max(1),
        level_count: drawn.len().min(MOST_LEVELS) as u32,
        mesh_count: drawn.iter().filter(|level| !level.discs).count().min(MOST_LEVELS) as u32,
        bin_stride: if begins_anywhere(gpu) { 0 } else { crowd.count.max(1) },
        height: assets.height,
        kind,
        levels,
        ..BinUniforms::default()
    }
}

/// Whether indirect draws may begin in the middle of a list: OpenGL ignores where they say to begin.
fn begins_anywhere(gpu: &Gpu) -> bool {
    gpu.features.contains(wgpu::Features::INDIRECT_FIRST_INSTANCE) && gpu.facts.backend != Backend::Gl
}
