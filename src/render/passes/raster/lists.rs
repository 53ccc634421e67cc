//! What is drawn by the software rasterizer of everything that one view draws, numbered anew in every frame.

use crate::{
    gpu::{Gpu, buffer_with},
    render::{
        Layouts,
        passes::{
            draw_lists::{ARGUMENT_WORDS, CullPhase, DRAW_LIST_LODS, DrawLists, FAR_DRAW_LISTS},
            raster::{
                RasterRow, RasterUniforms, SwRasterDraw,
                frame::RasterMesh,
                meshlets::RasterLod,
                slots::{DISPATCH_WORDS, SlotUniforms},
            },
        },
        resources::instances::bind_group,
    },
};

/// Bytes of the arguments of a phase of a draw.
const PHASE_BYTES: u64 = 4 * (ARGUMENT_WORDS * DRAW_LIST_LODS) as u64;

/// The draws of a view, which of their people are drawn by the software rasterizer, and by which workgroups.
pub(crate) struct RasterLists {
    /// Draw lists of the draws.
    draw_lists: Vec<DrawLists>,
    /// Arguments of the hardware rasterizer's draws: those that remain in the phase.
    remaining_arguments: wgpu::Buffer,
    pub(in crate::render::passes) rows: wgpu::Buffer,
    pub(in crate::render::passes) dispatches: wgpu::Buffer,
    /// Bind groups that assign ids: one for all draws whose lists are in the same buffers.
    slots: Vec<wgpu::BindGroup>,
}

/// The rows of all phases of a view, and how many triangles they have.
pub(in crate::render::passes) struct Numbering {
    pub(in crate::render::passes) rows: wgpu::Buffer,
    taken: wgpu::Buffer,
}

impl Numbering {
    /// Numbering of so many draws, each counted once for every phase.
    pub(in crate::render::passes) fn new(gpu: &Gpu, draws: u32) -> Self {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let bytes = size_of::<RasterRow>() as u64 * u64::from(DRAW_LIST_LODS) * u64::from(draws);
        Self {
            rows: empty(gpu, "raster rows", (bytes, usage)),
            taken: empty(gpu, "triangles taken", (4, usage)),
        }
    }

    /// No triangles yet.
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
    /// Lists of one phase, whose rows begin at a number.
    pub(in crate::render::passes) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        (phase, drawn): (CullPhase, &[SwRasterDraw<'_>]),
        (numbering, first_row): (&Numbering, u32),
    ) -> Self {
        let storage = wgpu::BufferUsages::STORAGE;
        let count = drawn.len() as u64;
        let indirect = storage | wgpu::BufferUsages::INDIRECT;
        let remaining_arguments = empty(gpu, "arguments left", (PHASE_BYTES * count, indirect));
        let dispatches = 4 * u64::from(DISPATCH_WORDS) * count;
        let dispatches = empty(gpu, "raster dispatches", (dispatches, indirect));
        let lods = drawn
            .iter()
            .flat_map(|(draw_lists, mesh)| lods_of(phase, draw_lists, mesh));
        let lods: Vec<RasterLod> = lods.collect();
        let lods = buffer_with(gpu, "raster levels", bytemuck::cast_slice(&lods), storage);
        let mut first_draw = 0;
        let slots = drawn.chunk_by(|(a, _), (b, _)| a.set() == b.set()).map(|run| {
            let uniforms = SlotUniforms {
                draw_count: run.len() as u32,
                first_row,
                first_draw,
                pad_a: 0,
            };
            first_draw += uniforms.draw_count;
            let uniforms = buffer_with(gpu, "slots", bytemuck::bytes_of(&uniforms), wgpu::BufferUsages::UNIFORM);
            let (draw_lists, _) = run[0];
            let bound = [
                (0, uniforms.as_entire_binding()),
                (1, lods.as_entire_binding()),
                (2, remaining_arguments.as_entire_binding()),
                (3, numbering.rows.as_entire_binding()),
                (4, dispatches.as_entire_binding()),
                (5, numbering.taken.as_entire_binding()),
                (6, draw_lists.arguments().as_entire_binding()),
            ];
            bind_group(gpu, "slots", &layouts.slots, &bound)
        });
        Self {
            slots: slots.collect(),
            draw_lists: drawn.iter().map(|(draw_lists, _)| (*draw_lists).clone()).collect(),
            remaining_arguments,
            rows: numbering.rows.clone(),
            dispatches,
        }
    }

    /// Whether they are those of these draws.
    pub(in crate::render::passes) fn are_of(&self, drawn: &[SwRasterDraw<'_>]) -> bool {
        let both = self.draw_lists.iter().zip(drawn);
        self.draw_lists.len() == drawn.len() && both.into_iter().all(|(own, (draw_lists, _))| own.is(draw_lists))
    }

    /// The number of a draw, if it is one of these.
    pub(in crate::render::passes) fn number_of(&self, draw_lists: &DrawLists) -> Option<usize> {
        self.draw_lists.iter().position(|own| own.is(draw_lists))
    }

    /// Arguments of the hardware's draws of what is left of a draw, and where they begin, if it is one of these.
    pub(crate) fn remaining_draws(&self, draw_lists: &DrawLists) -> Option<(&wgpu::Buffer, u64)> {
        Some((
            &self.remaining_arguments,
            PHASE_BYTES * self.number_of(draw_lists)? as u64,
        ))
    }

    /// Arguments of the remaining hardware draws.
    pub(in crate::render::passes) const fn remaining_arguments(&self) -> &wgpu::Buffer {
        &self.remaining_arguments
    }

    /// Numbers what lists name by the pipeline of slots.wgsl; group 0 is set.
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

/// Group 3 of a draw: the picture it is rasterised into, rows, people, meshlets, words.
pub(in crate::render::passes) fn bound_draw<'a>(
    uniforms: &'a wgpu::Buffer,
    lists: &'a RasterLists,
    (draw_lists, mesh): SwRasterDraw<'a>,
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

/// A picture of `size` pixels as the draw whose rows begin at `first_row` is rasterised into it.
pub(in crate::render::passes) fn uniforms_of(
    gpu: &Gpu,
    (size, samples): ((u32, u32), u32),
    first_row: u32,
) -> wgpu::Buffer {
    let uniforms = RasterUniforms {
        size: size.into(),
        samples,
        first_row,
        ..RasterUniforms::default()
    };
    raster_uniforms(gpu, uniforms)
}

/// Uniforms of a draw in several phases.
pub(in crate::render::passes) fn raster_uniforms(gpu: &Gpu, uniforms: RasterUniforms) -> wgpu::Buffer {
    buffer_with(
        gpu,
        "raster",
        bytemuck::bytes_of(&uniforms),
        wgpu::BufferUsages::UNIFORM,
    )
}

/// A buffer of so many bytes, or of a few where there is nothing: no less than any element that shaders read.
pub(in crate::render::passes) fn empty(
    gpu: &Gpu,
    label: &str,
    (size, usage): (u64, wgpu::BufferUsages),
) -> wgpu::Buffer {
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

/// As many as there may be; those that there are not have no meshlets.
fn lods_of(phase: CullPhase, draw_lists: &DrawLists, mesh: &RasterMesh) -> impl Iterator<Item = RasterLod> {
    let lods = mesh.lods.iter().copied().chain(std::iter::repeat(RasterLod::default()));
    lods.zip(0..DRAW_LIST_LODS).map(move |(lod, number)| RasterLod {
        people_per_group: lod.people_per_group.max(1),
        own_list: draw_lists.own_start(first_draw_list(phase) + number),
        drawn_row: draw_lists.row(first_draw_list(phase) + number),
        ..lod
    })
}
