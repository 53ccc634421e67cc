//! Buffers of triangle culling: those of a picture, and those of each phase.

use crate::{
    gpu::{GpuError, buffer_with},
    render::{
        RenderContext,
        passes::{
            draw_lists::{ARGUMENT_WORDS, CullPhase, DRAW_LIST_LODS, DrawLists, Pyramid},
            raster::{
                RasterMesh, RasterUniforms, SwRasterDraw,
                lists::{Numbering, RasterLists, bound_buffers, empty, raster_uniforms},
            },
            triangle_cull::{
                OcclusionTest,
                capacity::{MASK_WORDS, TRIANGLE_CULL_BLOCK, TriangleCullTotals},
            },
        },
        resources::{DrawId, instances::bind_group},
    },
};

shader_struct!(TriangleCullLod);

impl TriangleCullLod {
    /// Vertex range of the indices of an LOD.
    #[must_use]
    pub fn of(indices: &[u32]) -> Self {
        let first_vertex = indices.iter().copied().min().unwrap_or(0);
        let last = indices.iter().copied().max().unwrap_or(0);
        Self {
            first_vertex,
            vertex_bits: u32::BITS - (last - first_vertex).leading_zeros(),
        }
    }
}

shader_struct!(CompactedRow);

/// Buffers of triangle culling for the size of a picture and its draws.
pub(crate) struct TriangleCullFrame {
    size: (u32, u32),
    capacity: TriangleCullTotals,
    masks: wgpu::Buffer,
    counts: wgpu::Buffer,
    starts: wgpu::Buffer,
    indices: wgpu::Buffer,
    /// Numbers of rows, an attribute per instance: each draw finds its row by it.
    numbers: wgpu::Buffer,
    near: TriangleCullDraws,
    far: TriangleCullDraws,
}

/// Compacted index buffers of one phase.
pub(crate) struct TriangleCullDraws {
    pub(super) lists: RasterLists,
    numbering: Numbering,
    arguments: wgpu::Buffer,
    totals: wgpu::Buffer,
    pub(super) draws: Vec<TriangleCullDraw>,
    /// Bind group of the depth pyramid, and with it group 3 of triangle_cull.wgsl of each draw.
    hidden: Option<(wgpu::BindGroup, Vec<wgpu::BindGroup>)>,
}

/// Bind groups of one draw: a character's people, or one kind of attachment.
pub(super) struct TriangleCullDraw {
    uniforms: wgpu::Buffer,
    source: TriangleCullSource,
    pub(super) triangle_cull: wgpu::BindGroup,
    pub(super) kept: wgpu::BindGroup,
    drawn: wgpu::BindGroup,
}

/// Lists and mesh of a draw.
struct TriangleCullSource {
    draw_lists: DrawLists,
    mesh: RasterMesh,
}

/// Buffers that both phases share.
struct SharedBuffers<'a> {
    context: &'a RenderContext,
    picture: ((u32, u32), u32),
    capacity: TriangleCullTotals,
    kept: [&'a wgpu::Buffer; 4],
    lods: &'a wgpu::Buffer,
}

impl TriangleCullFrame {
    /// # Errors
    /// [`GpuError::Memory`].
    pub(crate) fn new(
        context: &RenderContext,
        picture: ((u32, u32), u32),
        capacity: TriangleCullTotals,
        drawn: &[SwRasterDraw<'_>],
    ) -> Result<Self, GpuError> {
        context
            .gpu
            .ensure_memory("triangle culling", "use --raster hardware", || {
                Self::create(context, picture, capacity, drawn)
            })
    }

    fn create(
        context: &RenderContext,
        picture: ((u32, u32), u32),
        capacity: TriangleCullTotals,
        drawn: &[SwRasterDraw<'_>],
    ) -> Self {
        let storage = wgpu::BufferUsages::STORAGE;
        let groups = capacity.groups;
        let words = |label, count: u32, usage| empty(&context.gpu, label, 4 * u64::from(count), storage | usage);
        let none = wgpu::BufferUsages::empty();
        let masks = words("triangles kept", groups * MASK_WORDS, none);
        let counts = words("counts of triangles kept", groups, none);
        let starts = words("starts of triangles kept", groups / TRIANGLE_CULL_BLOCK, none);
        let indices = words("indices kept", 3 * capacity.triangles, wgpu::BufferUsages::INDEX);
        let numbers: Vec<u32> = (0..DRAW_LIST_LODS * drawn.len() as u32).collect();
        let numbers = buffer_with(
            &context.gpu,
            "rows kept",
            bytemuck::cast_slice(&numbers),
            wgpu::BufferUsages::VERTEX,
        );
        let lods: Vec<TriangleCullLod> = drawn.iter().flat_map(|draw| lods_of(draw.mesh)).collect();
        let lods = buffer_with(&context.gpu, "levels kept", bytemuck::cast_slice(&lods), storage);
        let shared = SharedBuffers {
            context,
            picture,
            capacity,
            kept: [&masks, &counts, &starts, &indices],
            lods: &lods,
        };
        let [near, far] = [CullPhase::Near, CullPhase::Far].map(|phase| TriangleCullDraws::new(&shared, phase, drawn));
        Self {
            size: picture.0,
            capacity,
            masks,
            counts,
            starts,
            indices,
            numbers,
            near,
            far,
        }
    }

    /// True if it was made for a picture of this size (px) with these draws and has enough room.
    pub(crate) fn is_of(&self, size: (u32, u32), capacity: TriangleCullTotals, drawn: &[SwRasterDraw<'_>]) -> bool {
        self.size == size && self.capacity.covers(capacity) && self.far.lists.are_of(drawn)
    }

    /// Clears rows and ids before a frame.
    pub(crate) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        self.near.numbering.clear(encoder);
        self.far.numbering.clear(encoder);
    }

    /// Compacted draws of a phase.
    pub(crate) const fn draws(&self, phase: CullPhase) -> &TriangleCullDraws {
        match phase {
            CullPhase::Near => &self.near,
            CullPhase::Far => &self.far,
        }
    }

    /// Makes the far phase test triangles against a depth pyramid from now on.
    pub(crate) fn cull_occluded(&mut self, context: &RenderContext, pyramid: &Pyramid) {
        let Self { masks, counts, far, .. } = self;
        far.cull_occluded(context, pyramid, [masks, counts]);
    }

    /// Totals of both phases, on the GPU.
    pub(crate) const fn totals(&self) -> [&wgpu::Buffer; 2] {
        [&self.near.totals, &self.far.totals]
    }

    /// Workgroups of triangle_cull_blocks.
    pub(super) const fn blocks(&self) -> u32 {
        self.capacity.groups / TRIANGLE_CULL_BLOCK
    }

    /// Draws the surviving triangles of a draw in a phase. The caller has set the pipeline and all groups but the last.
    /// Returns the draw calls recorded.
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        phase: CullPhase,
        id: DrawId,
        draw_lists: &DrawLists,
    ) -> u32 {
        let own = self.draws(phase);
        let row = own.lists.row_of(id, draw_lists);
        let Some((number, draw)) = row.and_then(|row| Some((row, own.draws.get(row)?))) else {
            return 0;
        };
        pass.set_bind_group(3, &draw.drawn, &[]);
        pass.set_vertex_buffer(0, self.numbers.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        let row = 4 * u64::from(ARGUMENT_WORDS * DRAW_LIST_LODS) * number as u64;
        pass.multi_draw_indexed_indirect(&own.arguments, row, draw_lists.lods());
        1
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let kept = [&self.masks, &self.counts, &self.starts, &self.indices];
        let kept: u64 = kept.into_iter().map(wgpu::Buffer::size).sum();
        let phases = [&self.near, &self.far].into_iter();
        kept + phases.map(TriangleCullDraws::bytes).sum::<u64>()
    }
}

impl TriangleCullDraws {
    fn new(shared: &SharedBuffers<'_>, phase: CullPhase, drawn: &[SwRasterDraw<'_>]) -> Self {
        let context = shared.context;
        let storage = wgpu::BufferUsages::STORAGE;
        let count = drawn.len() as u32;
        let numbering = Numbering::new(&context.gpu, count);
        let lists = RasterLists::new(context, phase, drawn, &numbering, 0);
        let rows = u64::from(count * DRAW_LIST_LODS);
        let arguments = 4 * u64::from(ARGUMENT_WORDS) * rows;
        let arguments = empty(
            &context.gpu,
            "arguments kept",
            arguments,
            storage | wgpu::BufferUsages::INDIRECT,
        );
        let compacted = size_of::<CompactedRow>() as u64 * rows;
        let compacted = empty(&context.gpu, "compacted rows", compacted, storage);
        let usage = storage | wgpu::BufferUsages::COPY_SRC;
        let totals = empty(
            &context.gpu,
            "triangle cull totals",
            size_of::<TriangleCullTotals>() as u64,
            usage,
        );
        let draws = drawn.iter().zip(0..).map(|(&sw_raster_draw, number)| {
            let uniforms = RasterUniforms {
                size: shared.picture.0.into(),
                samples: shared.picture.1,
                first_row: number * DRAW_LIST_LODS,
                draw_count: count,
                max_surviving: shared.capacity.triangles,
                ..RasterUniforms::default()
            };
            let uniforms = raster_uniforms(&context.gpu, uniforms);
            TriangleCullDraw::new(
                shared,
                &lists,
                sw_raster_draw,
                uniforms,
                &arguments,
                &compacted,
                &totals,
            )
        });
        Self {
            draws: draws.collect(),
            lists,
            numbering,
            arguments,
            totals,
            hidden: None,
        }
    }

    fn cull_occluded(&mut self, context: &RenderContext, pyramid: &Pyramid, kept: [&wgpu::Buffer; 2]) {
        if self.hidden.as_ref().is_some_and(|(of, _)| *of == pyramid.group) {
            return;
        }
        let Self { lists, draws, .. } = &*self;
        let groups = draws.iter().map(|draw| {
            let bound = bound_triangle_cull(&draw.uniforms, lists, &draw.source, kept);
            let bound = [bound, pyramid.bound_from(8).to_vec()].concat();
            bind_group(
                &context.gpu,
                "triangle_cull",
                context
                    .layouts
                    .triangle_cull
                    .triangle_cull(OcclusionTest::Pyramid, draw.source.mesh.is_baked()),
                &bound,
            )
        });
        self.hidden = Some((pyramid.group.clone(), groups.collect()));
    }

    /// Group 3 of triangle_cull.wgsl for a draw.
    pub(super) fn triangle_cull_group(&self, number: usize, occlusion: OcclusionTest) -> Option<&wgpu::BindGroup> {
        match (&self.hidden, occlusion) {
            (Some((_, groups)), OcclusionTest::Pyramid) => groups.get(number),
            _ => self.draws.get(number).map(|draw| &draw.triangle_cull),
        }
    }

    /// Arguments of the remaining draws without triangle culling and the offset of a draw in them, if it is one of
    /// these.
    pub(crate) fn remaining_draws(&self, id: DrawId, draw_lists: &DrawLists) -> Option<(&wgpu::Buffer, u64)> {
        self.lists.remaining_draws(id, draw_lists)
    }

    fn bytes(&self) -> u64 {
        self.lists.bytes() + self.numbering.bytes() + self.arguments.size()
    }
}

impl TriangleCullDraw {
    fn new(
        shared: &SharedBuffers<'_>,
        lists: &RasterLists,
        sw_raster_draw: SwRasterDraw<'_>,
        uniforms: wgpu::Buffer,
        arguments: &wgpu::Buffer,
        compacted: &wgpu::Buffer,
        totals: &wgpu::Buffer,
    ) -> Self {
        let (draw_lists, mesh) = (sw_raster_draw.draw_lists, sw_raster_draw.mesh);
        let source = TriangleCullSource {
            draw_lists: draw_lists.clone(),
            mesh: mesh.clone(),
        };
        let context = shared.context;
        let [masks, counts, starts, indices] = shared.kept;
        let entire = wgpu::Buffer::as_entire_binding;
        let triangle_cull = bound_triangle_cull(&uniforms, lists, &source, [masks, counts]);
        let kept = [
            (0, entire(&uniforms)),
            (1, entire(&lists.rows)),
            (2, entire(mesh.meshlets())),
            (3, entire(masks)),
            (4, entire(counts)),
            (5, entire(starts)),
            (6, entire(arguments)),
            (7, entire(indices)),
            (8, entire(shared.lods)),
            (9, entire(compacted)),
            (10, entire(lists.remaining_arguments())),
            (11, entire(totals)),
        ];
        let drawn = [(0, entire(compacted)), (1, entire(draw_lists.ids()))];
        Self {
            triangle_cull: bind_group(
                &context.gpu,
                "triangle_cull",
                context
                    .layouts
                    .triangle_cull
                    .triangle_cull(OcclusionTest::Off, mesh.is_baked()),
                &triangle_cull,
            ),
            kept: bind_group(&context.gpu, "compacted", &context.layouts.triangle_cull.kept, &kept),
            drawn: bind_group(
                &context.gpu,
                "compacted draw",
                &context.layouts.triangle_cull.drawn,
                &drawn,
            ),
            uniforms,
            source,
        }
    }
}

/// Bindings of triangle_cull.wgsl without the depth pyramid.
fn bound_triangle_cull<'a>(
    uniforms: &'a wgpu::Buffer,
    lists: &'a RasterLists,
    source: &'a TriangleCullSource,
    kept: [&'a wgpu::Buffer; 2],
) -> Vec<(u32, wgpu::BindingResource<'a>)> {
    let [masks, counts] = kept;
    let TriangleCullSource { draw_lists, mesh } = source;
    let mut bound = bound_buffers(uniforms, lists, draw_lists, mesh, masks).to_vec();
    bound.push((7, counts.as_entire_binding()));
    bound.extend(mesh.vertex_cache_bindings());
    bound
}

/// Vertex ranges of a mesh, padded to [`DRAW_LIST_LODS`].
fn lods_of(mesh: &RasterMesh) -> impl Iterator<Item = TriangleCullLod> {
    let rest = std::iter::repeat(TriangleCullLod::default());
    mesh.vertices()
        .iter()
        .copied()
        .chain(rest)
        .take(DRAW_LIST_LODS as usize)
}
