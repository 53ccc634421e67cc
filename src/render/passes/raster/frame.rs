//! Buffers of the software rasterizer: those of a mesh, and those of a picture.

use crate::{
    character::Character,
    crowd::all_clips_bounds,
    gpu::{GpuError, buffer_with},
    model::Bounds,
    render::{
        RenderContext,
        passes::{
            draw_lists::{CullPhase, DRAW_LIST_LODS, DrawLists},
            raster::{
                RasterKey, RasterOutput, RasterStep, RasterUniforms, SampleAtomics, StepGroups, StorageRoom,
                TargetContents, VisibilityTarget,
                large_triangles::LargeTriangleList,
                lists::{RasterLists, bound_draw, empty, raster_uniforms},
                meshlets::{MeshletGranularity, Meshlets, RasterLod},
                target::TargetInput,
                tiles::{self, Tiles},
                vertex_cache::{PosedVertexCache, PosedVertexUniforms},
            },
            triangle_cull::TriangleCullLod,
        },
        resources::{CharacterAssets, CrowdInstances, DrawId, drawable, instances::bind_group},
    },
};

/// Meshlets of a mesh and of its LODs.
#[derive(Clone)]
pub(crate) struct RasterMesh {
    room: StorageRoom,
    pub(super) meshlets: wgpu::Buffer,
    pub(super) lods: Vec<RasterLod>,
    cut: MeshletGranularity,
    /// Vertex range of each LOD, for triangle culling.
    vertices: Vec<TriangleCullLod>,
    /// Cache of posed vertices, if they follow from frames of the atlas alone and are not too many.
    vertex_cache: Option<PosedVertexCache>,
}

/// Pipeline that fills a vertex cache, and groups 0 and 1 of passes that draw the character.
pub(crate) type VertexCachePipeline<'a> = (&'a wgpu::ComputePipeline, [&'a wgpu::BindGroup; 2]);

/// Meshlets of a character before they are uploaded.
pub(crate) struct MeshCut {
    meshlets: Meshlets,
    cut: MeshletGranularity,
    vertices: Vec<TriangleCullLod>,
}

impl MeshCut {
    /// Cuts the LODs of a character into meshlets for a draw of `people` instances.
    pub(crate) fn of(character: &Character, assets: &CharacterAssets, people: u32) -> Self {
        let cut = MeshletGranularity::of(people);
        let drawable = drawable(character, assets.method.technique);
        let vertices = assets.lods.iter().map(|lod| {
            let range = lod.first_index as usize..(lod.first_index + lod.index_count) as usize;
            TriangleCullLod::of(drawable.indices.get(range).unwrap_or_default())
        });
        Self {
            vertices: vertices.collect(),
            meshlets: Meshlets::of(&drawable, &assets.lods, cut),
            cut,
        }
    }
}

impl RasterMesh {
    /// Uploads meshlets, and fills a vertex cache if it gets a pipeline for that.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for a mesh larger than the device can bind.
    pub(crate) fn new(
        context: &RenderContext,
        character: &Character,
        mesh_cut: MeshCut,
        vertex_cache_pipeline: Option<VertexCachePipeline<'_>>,
    ) -> Result<Self, GpuError> {
        let MeshCut {
            meshlets,
            cut,
            vertices,
        } = mesh_cut;
        let Meshlets { words, lods, corners } = meshlets;
        let frames = character.palettes.frame_count as u32;
        let range = PosedVertexUniforms::around(unit_bounds(character), corners.len() as u32, frames);
        let vertex_cache = vertex_cache_pipeline
            .and_then(|(pipeline, groups)| PosedVertexCache::bake(context, pipeline, groups, &corners, range));
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let what = format!("the meshlets of {}", character.model.name);
        context
            .gpu
            .check_storage(&what, bytes.len() as u64, "use --raster hardware")?;
        Ok(Self {
            room: StorageRoom::of(&context.gpu),
            meshlets: buffer_with(&context.gpu, "meshlets", bytes, wgpu::BufferUsages::STORAGE),
            lods,
            cut,
            vertices,
            vertex_cache,
        })
    }

    /// Room for storage buffers on its device.
    pub(crate) const fn room(&self) -> StorageRoom {
        self.room
    }

    /// True if its meshlets suit a draw of so many people.
    pub(crate) fn suits(&self, people: u32) -> bool {
        self.cut == MeshletGranularity::of(people)
    }

    /// Granularity of its meshlets.
    pub(crate) const fn cut(&self) -> MeshletGranularity {
        self.cut
    }

    /// Meshlets of the character's triangles.
    pub(in crate::render::passes) const fn meshlets(&self) -> &wgpu::Buffer {
        &self.meshlets
    }

    /// Vertex range of each LOD.
    pub(in crate::render::passes) fn vertices(&self) -> &[TriangleCullLod] {
        &self.vertices
    }

    /// Bindings of the vertex cache, if there is one.
    pub(in crate::render::passes) fn vertex_cache_bindings(
        &self,
    ) -> impl Iterator<Item = (u32, wgpu::BindingResource<'_>)> {
        self.vertex_cache.iter().flat_map(PosedVertexCache::bound)
    }

    /// Vertex cache, if there is one.
    pub(crate) fn vertex_cache(&self) -> Option<&PosedVertexCache> {
        self.vertex_cache.as_ref()
    }

    /// Triangles per person of the LOD that has most of them.
    pub(crate) fn most_triangles(&self) -> u32 {
        self.lods.iter().map(|lod| lod.triangle_count).max().unwrap_or(0)
    }

    /// True if there is a vertex cache.
    pub(crate) fn is_baked(&self) -> bool {
        self.vertex_cache.is_some()
    }

    /// Group 3 of rasterise.wgsl: `bound`, and the vertex cache if there is one.
    pub(super) fn group(
        &self,
        context: &RenderContext,
        output: RasterOutput,
        bound: &[(u32, wgpu::BindingResource<'_>)],
    ) -> wgpu::BindGroup {
        let bound: Vec<_> = bound.iter().cloned().chain(self.vertex_cache_bindings()).collect();
        bind_group(
            &context.gpu,
            "rasterise",
            context.layouts.rasterise(output, self.is_baked()),
            &bound,
        )
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.meshlets.size() + self.vertex_cache.as_ref().map_or(0, PosedVertexCache::bytes)
    }
}

/// Buffers and bind groups of a picture: the words are its visibility buffer (Burns and Hunt 2013).
pub(crate) struct PictureContents {
    picture_uniforms: wgpu::Buffer,
    colors: wgpu::Buffer,
    near: RasterLists,
    far: RasterLists,
    /// Large-triangle queues of both phases.
    large_triangles: [LargeTriangleList; 2],
    pub(super) tiles: Tiles,
    pub(super) composite: wgpu::BindGroup,
    pub(super) draws: Vec<RasterDraw>,
}

/// Bind groups of one draw: a character's people, or one kind of attachment.
pub(super) struct RasterDraw {
    near: StepGroups,
    far: StepGroups,
    pub(super) shade_visibility: wgpu::BindGroup,
}

impl RasterDraw {
    /// Bind groups of the rasterizer in a phase.
    pub(super) const fn rasterise(&self, phase: CullPhase) -> &StepGroups {
        match phase {
            CullPhase::Near => &self.near,
            CullPhase::Far => &self.far,
        }
    }
}

/// Draw of the software rasterizer.
#[derive(Clone, Copy)]
pub(crate) struct SwRasterDraw<'a> {
    pub(crate) id: DrawId,
    /// Key of its pipelines.
    pub(crate) key: RasterKey,
    pub(crate) crowd: &'a CrowdInstances,
    /// Lists of its instances in the view.
    pub(crate) draw_lists: &'a DrawLists,
    pub(crate) mesh: &'a RasterMesh,
}

impl SwRasterDraw<'_> {
    /// Triangles of all instances at the LOD that has most of them.
    pub(crate) fn most_triangles(&self) -> u64 {
        u64::from(self.crowd.count) * u64::from(self.mesh.most_triangles())
    }
}

impl TargetContents for PictureContents {
    const LABEL: &'static str = "raster words";
    const WORD_BYTES: u64 = 8;
    const PHASES: u32 = 2;
    const HINT: &'static str = "use --raster hardware or a smaller --size";

    fn name(size: (u32, u32)) -> String {
        format!("the software rasterizer at {} x {} pixels", size.0, size.1)
    }

    fn new(input: &TargetInput<'_>) -> Self {
        let &TargetInput {
            context,
            size,
            samples,
            drawn,
            words,
            numbering,
        } = input;
        let colors = empty(&context.gpu, "raster colors", words.size(), wgpu::BufferUsages::STORAGE);
        let count = drawn.len() as u32;
        let far_rows = count * DRAW_LIST_LODS;
        let [near, far] = [(CullPhase::Near, 0), (CullPhase::Far, far_rows)]
            .map(|(phase, first_row)| RasterLists::new(context, phase, drawn, numbering, first_row));
        let of_draw = |number: u32, phase: CullPhase, step: RasterStep| {
            let rows = [number * DRAW_LIST_LODS, far_rows + number * DRAW_LIST_LODS];
            let [first_row, other_row] = match phase {
                CullPhase::Near => rows,
                CullPhase::Far => [rows[1], rows[0]],
            };
            let uniforms = RasterUniforms {
                size: size.into(),
                samples,
                first_row,
                other_row,
                first_tile: number * tiles::list_words(size),
                draw_count: count,
                ..RasterUniforms::default()
            };
            raster_uniforms(&context.gpu, step.uniforms(uniforms))
        };
        let atomics = SampleAtomics::of(&context.gpu);
        let [picture_uniforms, id_uniforms] =
            [RasterStep::Nearest, RasterStep::Ids].map(|step| of_draw(0, CullPhase::Near, step));
        let of_step = |step| match step {
            RasterStep::Nearest => &picture_uniforms,
            RasterStep::Ids => &id_uniforms,
        };
        let large_triangles = [(); 2].map(|()| LargeTriangleList::new(context, atomics, of_step, words));
        let tiles = Tiles::new(context, size, count, &picture_uniforms, words, &numbering.rows);
        let draws = drawn.iter().zip(0..).map(|(&sw_raster_draw, number)| {
            let rasterise = |phase, lists, large_triangles: &LargeTriangleList| {
                StepGroups::new(atomics, |step| {
                    let uniforms = of_draw(number, phase, step);
                    let read = bound_draw(&uniforms, lists, sw_raster_draw, words);
                    sw_raster_draw.mesh.group(
                        context,
                        RasterOutput::Triangles,
                        &[&read[..], &[large_triangles.bound()]].concat(),
                    )
                })
            };
            let far_uniforms = of_draw(number, CullPhase::Far, RasterStep::Nearest);
            let read = bound_draw(&far_uniforms, &far, sw_raster_draw, words);
            let colored = [&read[..], &[(5, colors.as_entire_binding()), tiles.bound()]].concat();
            RasterDraw {
                near: rasterise(CullPhase::Near, &near, &large_triangles[0]),
                far: rasterise(CullPhase::Far, &far, &large_triangles[1]),
                shade_visibility: bind_group(
                    &context.gpu,
                    "shade_visibility",
                    &context.layouts.shade_visibility,
                    &colored,
                ),
            }
        });
        let composite = composite_entries(&picture_uniforms, words, &colors);
        Self {
            draws: draws.collect(),
            composite: bind_group(&context.gpu, "composite", &context.layouts.composite, &composite),
            picture_uniforms,
            colors,
            near,
            far,
            large_triangles,
            tiles,
        }
    }

    fn own_lists(&self) -> &RasterLists {
        &self.far
    }

    fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        for large_triangles in &self.large_triangles {
            large_triangles.clear(encoder);
        }
        self.tiles.clear(encoder);
    }

    fn bytes(&self) -> u64 {
        self.colors.size()
            + self.near.bytes()
            + self.far.bytes()
            + self.large_triangles.iter().map(LargeTriangleList::bytes).sum::<u64>()
            + self.tiles.bytes()
    }
}

impl PictureContents {
    /// Large-triangle queue of a phase: triangles too large for one workgroup.
    pub(super) const fn large_triangles(&self, phase: CullPhase) -> &LargeTriangleList {
        match phase {
            CullPhase::Near => &self.large_triangles[0],
            CullPhase::Far => &self.large_triangles[1],
        }
    }

    /// Draw lists of a phase.
    pub(crate) const fn lists(&self, phase: CullPhase) -> &RasterLists {
        match phase {
            CullPhase::Near => &self.near,
            CullPhase::Far => &self.far,
        }
    }
}

impl VisibilityTarget<PictureContents> {
    /// Source of a depth pyramid: size of the picture (px), uniforms and visibility.
    pub(crate) const fn depth(&self) -> ((u32, u32), [&wgpu::Buffer; 2]) {
        (self.size, [&self.contents.picture_uniforms, &self.words])
    }

    /// First three bindings of groups that read the picture: uniforms, visibility, colours.
    pub(crate) fn picture(&self) -> [(u32, wgpu::BindingResource<'_>); 3] {
        composite_entries(&self.contents.picture_uniforms, &self.words, &self.contents.colors)
    }

    /// Visibility and colours.
    pub(crate) const fn words_and_colors(&self) -> [&wgpu::Buffer; 2] {
        [&self.words, &self.contents.colors]
    }
}

/// Bounds over all clips, in unit space.
fn unit_bounds(character: &Character) -> Bounds {
    let all = all_clips_bounds(character);
    let unit = |place| (place - character.unit.centre) / character.unit.half_extent;
    Bounds {
        min: unit(all.min),
        max: unit(all.max),
    }
}

fn composite_entries<'a>(
    picture_uniforms: &'a wgpu::Buffer,
    words: &'a wgpu::Buffer,
    colors: &'a wgpu::Buffer,
) -> [(u32, wgpu::BindingResource<'a>); 3] {
    [
        (0, picture_uniforms.as_entire_binding()),
        (1, words.as_entire_binding()),
        (2, colors.as_entire_binding()),
    ]
}
