//! Triangle ids and dispatches of the software rasterizer in one view, assigned anew in every frame.

use crate::{
    gpu::{Gpu, buffer_with},
    render::{
        RenderContext,
        passes::{
            draw_lists::{ARGUMENT_WORDS, CullPhase, DRAW_LIST_LODS, DrawLists, FAR_DRAW_LISTS},
            raster::{
                RasterRow, RasterUniforms, SwRasterDraw,
                frame::RasterMesh,
                meshlets::RasterLod,
                slots::{DISPATCH_WORDS, SlotUniforms},
            },
        },
        resources::{DrawId, instances::bind_group},
    },
};

/// Bytes of the indirect arguments of one draw in one phase.
const PHASE_BYTES: u64 = 4 * (ARGUMENT_WORDS * DRAW_LIST_LODS) as u64;

/// Draws of one view and phase, which of their people the software rasterizer takes, and by which workgroups.
pub(crate) struct RasterLists {
    /// Draws and their lists, in the order of the rows.
    draws: Vec<(DrawId, DrawLists)>,
    /// Arguments of the draws that remain for the hardware rasterizer in the phase.
    remaining_arguments: wgpu::Buffer,
    pub(in crate::render::passes) rows: wgpu::Buffer,
    pub(in crate::render::passes) dispatches: wgpu::Buffer,
    /// Bind groups that assign ids: one for all draws whose lists are in the same buffers.
    slots: Vec<wgpu::BindGroup>,
}

/// Rows of all phases of a view, and the number of triangle ids taken.
pub(in crate::render::passes) struct Numbering {
    pub(in crate::render::passes) rows: wgpu::Buffer,
    taken: wgpu::Buffer,
}

impl Numbering {
    /// Numbering of `draws` draws. A draw counts once for each phase.
    pub(in crate::render::passes) fn new(gpu: &Gpu, draws: u32) -> Self {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let bytes = size_of::<RasterRow>() as u64 * u64::from(DRAW_LIST_LODS) * u64::from(draws);
        Self {
            rows: empty(gpu, "raster rows", bytes, usage),
            taken: empty(gpu, "triangles taken", 4, usage),
        }
    }

    /// Clears rows and ids before a frame.
    pub(in crate::render::passes) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.rows, 0, None);
        encoder.clear_buffer(&self.taken, 0, None);
    }

    /// GPU bytes.
    pub(in crate::render::passes) fn bytes(&self) -> u64 {
        self.rows.size() + self.taken.size()
    }
}

impl RasterLists {
    /// Lists of one phase whose rows begin at `first_row`.
    pub(in crate::render::passes) fn new(
        context: &RenderContext,
        phase: CullPhase,
        drawn: &[SwRasterDraw<'_>],
        numbering: &Numbering,
        first_row: u32,
    ) -> Self {
        let storage = wgpu::BufferUsages::STORAGE;
        let count = drawn.len() as u64;
        let indirect = storage | wgpu::BufferUsages::INDIRECT;
        let remaining_arguments = empty(&context.gpu, "arguments left", PHASE_BYTES * count, indirect);
        let dispatches = 4 * u64::from(DISPATCH_WORDS) * count;
        let dispatches = empty(&context.gpu, "raster dispatches", dispatches, indirect);
        let lods = drawn.iter().flat_map(|draw| lods_of(phase, draw.draw_lists, draw.mesh));
        let lods: Vec<RasterLod> = lods.collect();
        let lods = buffer_with(&context.gpu, "raster levels", bytemuck::cast_slice(&lods), storage);
        let mut first_draw = 0;
        let slots = drawn
            .chunk_by(|a, b| a.draw_lists.set() == b.draw_lists.set())
            .map(|run| {
                let uniforms = SlotUniforms {
                    draw_count: run.len() as u32,
                    first_row,
                    first_draw,
                    pad_a: 0,
                };
                first_draw += uniforms.draw_count;
                let uniforms = buffer_with(
                    &context.gpu,
                    "slots",
                    bytemuck::bytes_of(&uniforms),
                    wgpu::BufferUsages::UNIFORM,
                );
                let bound = [
                    (0, uniforms.as_entire_binding()),
                    (1, lods.as_entire_binding()),
                    (2, remaining_arguments.as_entire_binding()),
                    (3, numbering.rows.as_entire_binding()),
                    (4, dispatches.as_entire_binding()),
                    (5, numbering.taken.as_entire_binding()),
                    (6, run[0].draw_lists.arguments().as_entire_binding()),
                ];
                bind_group(&context.gpu, "slots", &context.layouts.slots, &bound)
            });
        Self {
            slots: slots.collect(),
            draws: drawn.iter().map(|draw| (draw.id, draw.draw_lists.clone())).collect(),
            remaining_arguments,
            rows: numbering.rows.clone(),
            dispatches,
        }
    }

    /// True if the lists were made for these draws.
    pub(in crate::render::passes) fn are_of(&self, drawn: &[SwRasterDraw<'_>]) -> bool {
        let both = self.draws.iter().zip(drawn);
        self.draws.len() == drawn.len()
            && both
                .into_iter()
                .all(|((id, own), draw)| *id == draw.id && own.is(draw.draw_lists))
    }

    /// Row of a draw in the buffers; `None` if they were made without it or for other lists of it.
    pub(in crate::render::passes) fn row_of(&self, id: DrawId, draw_lists: &DrawLists) -> Option<usize> {
        let mut draws = self.draws.iter();
        draws.position(|(own, lists)| *own == id && lists.is(draw_lists))
    }

    /// Arguments of the remaining hardware draws of a draw and their offset (bytes), if the draw is in the lists.
    pub(crate) fn remaining_draws(&self, id: DrawId, draw_lists: &DrawLists) -> Option<(&wgpu::Buffer, u64)> {
        let row = self.row_of(id, draw_lists)?;
        Some((&self.remaining_arguments, PHASE_BYTES * row as u64))
    }

    /// Arguments of the remaining hardware draws.
    pub(in crate::render::passes) const fn remaining_arguments(&self) -> &wgpu::Buffer {
        &self.remaining_arguments
    }

    /// Assigns triangle ids by the pipeline of slots.wgsl; group 0 is set.
    pub(in crate::render::passes) fn number(&self, pass: &mut wgpu::ComputePass<'_>, slots: &wgpu::ComputePipeline) {
        pass.set_pipeline(slots);
        for group in &self.slots {
            pass.set_bind_group(1, group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
    }

    /// GPU bytes.
    pub(in crate::render::passes) fn bytes(&self) -> u64 {
        self.remaining_arguments.size() + self.dispatches.size()
    }
}

/// First five bindings of group 3 of a draw: uniforms, rows, draw list, meshlets and the buffer that is written.
pub(in crate::render::passes) fn bound_draw<'a>(
    uniforms: &'a wgpu::Buffer,
    lists: &'a RasterLists,
    draw: SwRasterDraw<'a>,
    words: &'a wgpu::Buffer,
) -> [(u32, wgpu::BindingResource<'a>); 5] {
    bound_buffers(uniforms, lists, draw.draw_lists, draw.mesh, words)
}

/// First five bindings of passes that read a draw's lists and meshlets.
pub(in crate::render::passes) fn bound_buffers<'a>(
    uniforms: &'a wgpu::Buffer,
    lists: &'a RasterLists,
    draw_lists: &'a DrawLists,
    mesh: &'a RasterMesh,
    words: &'a wgpu::Buffer,
) -> [(u32, wgpu::BindingResource<'a>); 5] {
    [
        (0, uniforms.as_entire_binding()),
        (1, lists.rows.as_entire_binding()),
        (2, draw_lists.ids().as_entire_binding()),
        (3, mesh.meshlets.as_entire_binding()),
        (4, words.as_entire_binding()),
    ]
}

/// Uniforms of a draw whose rows begin at `first_row`, in a picture of `size` pixels.
pub(in crate::render::passes) fn uniforms_of(size: (u32, u32), samples: u32, first_row: u32) -> RasterUniforms {
    RasterUniforms {
        size: size.into(),
        samples,
        first_row,
        ..RasterUniforms::default()
    }
}

/// Uniform buffer with these parameters.
pub(in crate::render::passes) fn raster_uniforms(gpu: &Gpu, uniforms: RasterUniforms) -> wgpu::Buffer {
    buffer_with(
        gpu,
        "raster",
        bytemuck::bytes_of(&uniforms),
        wgpu::BufferUsages::UNIFORM,
    )
}

/// Buffer of `size` bytes, at least 64: no smaller than any element that shaders read.
pub(in crate::render::passes) fn empty(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size.max(64),
        usage,
        mapped_at_creation: false,
    })
}

fn first_draw_list(phase: CullPhase) -> u32 {
    match phase {
        CullPhase::Near => 0,
        CullPhase::Far => FAR_DRAW_LISTS,
    }
}

/// LODs of a draw, padded to [`DRAW_LIST_LODS`] by LODs without meshlets.
fn lods_of(phase: CullPhase, draw_lists: &DrawLists, mesh: &RasterMesh) -> impl Iterator<Item = RasterLod> {
    let lods = mesh.lods.iter().copied().chain(std::iter::repeat(RasterLod::default()));
    lods.zip(0..DRAW_LIST_LODS).map(move |(lod, number)| RasterLod {
        people_per_group: lod.people_per_group.max(1),
        own_list: draw_lists.own_start(first_draw_list(phase) + number),
        drawn_row: draw_lists.row(first_draw_list(phase) + number),
        ..lod
    })
}
