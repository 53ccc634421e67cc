//! The software rasterizer: without the hardware rasterizer.
//!
//! ```text
//! clear → [near phase →] far phase → tiles → resolve, a dispatch a draw → behind, or meet in the far pass
//! clear → near phase → meet, in the shadow pass
//! clear → far phase → ids, after their draw
//! a phase: slots → rasterise, a dispatch a draw → spread
//! ```
//!
//! A workgroup takes a meshlet of one person, or several people who are one meshlet each, with vertices as they were
//! baked for two frames (corners.rs) or posed by the functions of the crowd pass, and leaves the nearest triangle of
//! every sample in a 64-bit word (shaders/shared/raster.wgsl has its bits). First comes whoever is taller than
//! [`View::sw_raster_max_rows`](crate::render::View::raster_rows), near the camera or a hero, and scenery; what they
//! hide is left out of the rest. In our own frames all of that is drawn by the software rasterizer, from [`ALL_ROWS`]
//! on, if nothing has holes that alpha leaves and everyone's triangles can be numbered. Elsewhere the hardware
//! rasterizer draws the first; both meet by depth, in our own frames where ground and sky are shaded
//! (render/passes/background_compute.rs).

mod composite;
pub mod edges;
mod frame;
mod ids;
pub mod large_triangles;
pub(super) mod lists;
pub mod meshlets;
pub(super) mod rasterise;
mod shade_visibility;
mod sized;
pub(super) mod slots;
mod sun;
pub mod tiles;
mod unsupported_reason;
pub mod vertex_cache;

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};

use crate::{
    config::Technique,
    gpu::{Gpu, GpuError},
    render::{
        Layouts, Targets,
        passes::{DrawVariant, crowd::FragmentOutput, draw_lists::CullPhase},
        resources::CrowdInstances,
    },
};

pub(crate) use frame::{RasterMesh, SwRasterDraw, VisibilityBuffer};
pub(crate) use ids::{IdVisibilityBuffer, ShowIds};
use lists::RasterLists;
use meshlets::MeshletGranularity;
pub(crate) use sized::SizedResource;
pub use slots::{DISPATCH_WORDS, SlotUniforms};
pub(crate) use sun::ShadowVisibilityBuffer;
pub use unsupported_reason::{UnsupportedReason, unsupported_reason};

/// Triangles of a picture that have numbers. More are drawn by the hardware rasterizer.
pub const MOST_TRIANGLES: u32 = u32::MAX - 1;
/// [`View::sw_raster_max_rows`](crate::render::View::raster_rows) from which on nothing is too tall for compute, or too
/// near.
pub const ALL_ROWS: u32 = 1024;
/// Workgroups of a dispatch along x, at most.
pub const ROW_OF_GROUPS: u32 = 1 << 15;
/// `RasterUniforms` in shaders/shared/raster.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct RasterUniforms {
    /// Size of the picture (px).
    pub size: [u32; 2],
    /// Samples of each pixel.
    pub samples: u32,
    /// First row of the draw and the phase in the table of [`RasterRow`]s.
    pub first_row: u32,
    /// First row of the draw in the other phase.
    pub other_row: u32,
    /// First tile list of the draw.
    pub first_tile: u32,
    /// Everything that is rasterised.
    pub draw_count: u32,
    /// Largest number of triangles that triangle culling keeps in a phase.
    pub max_surviving: u32,
}

/// A level of a draw in a frame: `RasterRow` in shaders/shared/raster.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct RasterRow {
    /// Its triangles, numbered over all draws.
    pub first_triangle: u32,
    /// Number of people at this LOD.
    pub people: u32,
    /// Its workgroups, numbered within the draw.
    pub first_group: u32,
    /// See `first_group`.
    pub group_count: u32,
    /// In the list of people.
    pub list_start: u32,
    /// In the mesh.
    pub first_meshlet: u32,
    /// Meshlets of a person.
    pub meshlet_count: u32,
    /// People who share a workgroup.
    pub people_per_group: u32,
    /// Triangles of a person, or splats.
    pub triangle_count: u32,
    /// 1: splats.
    pub splats: u32,
    /// First word of its first meshlet's head: see [`RasterLod`](meshlets::RasterLod).
    pub first_word: u32,
    /// See `first_word`.
    pub counts: u32,
    /// See `first_word`.
    pub first_corner: u32,
}

/// Output of the software rasterizer for each sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RasterOutput {
    /// Which triangle of whom: what resolve shades. Of a shadow map, nothing but depth.
    Triangles,
    /// Instance ids, as the id pass has them.
    Ids,
    /// Instance ids, with the pixels of everyone counted for amodal masks.
    CountedIds,
}

impl RasterOutput {
    /// In the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Triangles, Self::Ids, Self::CountedIds];

    /// Output of ids, with or without counting.
    #[must_use]
    pub const fn ids(counted: bool) -> Self {
        if counted { Self::CountedIds } else { Self::Ids }
    }

    /// Conditions of shaders/rasterise.wgsl.
    #[must_use]
    pub const fn features(self) -> &'static [&'static str] {
        match self {
            Self::Triangles => &[],
            Self::Ids => &["raster_ids"],
            Self::CountedIds => &["raster_ids", "amodal_masks"],
        }
    }
}

/// Whether a variant can be drawn by the software rasterizer, scenery among them: what alpha leaves holes in is the
/// hardware rasterizer's.
pub(crate) fn supports(variant: DrawVariant) -> bool {
    let drawn = variant.attachment || supports_technique(variant.method.technique);
    variant.listed && drawn && !variant.alpha_test
}

/// Whether what a technique draws can be: what poses its vertices is known there.
pub(crate) const fn supports_technique(technique: Technique) -> bool {
    matches!(technique, Technique::Matrix | Technique::Static)
}

/// Draws that the software rasterizer supports.
fn supported(drawings: &[RasterKey]) -> impl Iterator<Item = RasterKey> + Clone {
    drawings.iter().copied().filter(|drawing| supports(drawing.variant))
}

/// Whether its corners can be baked.
fn caches_vertices(variant: DrawVariant) -> bool {
    supports(variant) && vertex_cache::caches_vertices(variant)
}

/// Groups of a pass that poses a variant: the frame's and the pass's own around those of the crowd.
pub(super) fn groups<'a>(
    layouts: &'a Layouts,
    variant: DrawVariant,
    (frame, own): (&'a wgpu::BindGroupLayout, &'a wgpu::BindGroupLayout),
) -> [&'a wgpu::BindGroupLayout; 4] {
    [frame, layouts.character(variant), layouts.instances(variant), own]
}

/// Pipelines, those of variants made when first needed.
pub(crate) struct RasterPasses {
    targets: Targets,
    fragment_output: FragmentOutput,
    slots: wgpu::ComputePipeline,
    /// Unless shadows or ids alone are rasterised.
    pictures: Option<PicturePasses>,
    shadow_large_triangles: wgpu::ComputePipeline,
    composite_shadow: wgpu::RenderPipeline,
    picture_pipelines: HashMap<(RasterKey, CullPhase), wgpu::ComputePipeline>,
    /// Pipelines of outlines for the shadow map, if there is one.
    shadow_pipelines: HashMap<RasterKey, wgpu::ComputePipeline>,
    /// Pipelines that shade the visibility buffer.
    shade_pipelines: HashMap<DrawVariant, wgpu::ComputePipeline>,
    /// Pipelines that fill vertex caches.
    vertex_cache_pipelines: HashMap<DrawVariant, wgpu::ComputePipeline>,
    /// Pipelines of ids, with and without counting.
    id_pipelines: HashMap<(RasterKey, bool), wgpu::ComputePipeline>,
    show_ids: Option<ShowIds>,
}

/// Passes of pictures that are the same for every draw.
struct PicturePasses {
    large_triangles: wgpu::ComputePipeline,
    tiles: wgpu::ComputePipeline,
    composite: wgpu::RenderPipeline,
}

impl PicturePasses {
    fn new(gpu: &Gpu, layouts: &Layouts, targets: Targets) -> Result<Self, GpuError> {
        let picture = large_triangles::LargeTriangleTarget::Picture(targets.depth.convention, targets.samples);
        let (large_triangles, tiles, composite) = gpu.run_parallel((
            || large_triangles::pipeline(gpu, layouts, picture),
            || tiles::pipeline(gpu, layouts, targets.samples),
            || composite::pipeline(gpu, layouts, targets),
        ))?;
        Ok(Self {
            large_triangles,
            tiles,
            composite,
        })
    }
}

/// Key of a software rasterizer pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RasterKey {
    pub variant: DrawVariant,
    /// Whether its corners are baked.
    pub baked: bool,
    /// How its meshes are cut.
    pub cut: MeshletGranularity,
}

impl RasterKey {
    /// Key of a draw variant, with its meshlets if it has any.
    pub(crate) fn of(variant: DrawVariant, mesh: Option<&RasterMesh>) -> Self {
        Self {
            variant,
            baked: mesh.is_some_and(RasterMesh::is_baked),
            cut: mesh.map_or(MeshletGranularity::Fine, RasterMesh::cut),
        }
    }

    /// Key without the conditions that only colour.
    pub(super) fn outline_only(self) -> Self {
        Self {
            variant: self.variant.outline_only(),
            ..self
        }
    }
}

impl RasterPasses {
    /// Passes of shadows and ids, and of `pictures` if these use the software rasterizer, too.
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        (targets, fragment_output): (Targets, FragmentOutput),
        pictures: bool,
    ) -> Result<Self, GpuError> {
        let of_pictures = || pictures.then(|| PicturePasses::new(gpu, layouts, targets));
        let (slots, pictures, shadow_large_triangles, composite_shadow) = gpu.run_parallel((
            || slots::pipeline(gpu, layouts),
            || of_pictures().transpose(),
            || large_triangles::pipeline(gpu, layouts, large_triangles::LargeTriangleTarget::Sun),
            || sun::composite(gpu, layouts),
        ))?;
        Ok(Self {
            targets,
            fragment_output,
            slots,
            pictures,
            shadow_large_triangles,
            composite_shadow,
            picture_pipelines: HashMap::new(),
            shadow_pipelines: HashMap::new(),
            shade_pipelines: HashMap::new(),
            vertex_cache_pipelines: HashMap::new(),
            id_pipelines: HashMap::new(),
            show_ids: None,
        })
    }

    /// Compiles the pipelines of drawings in pictures and in the shadow map, unless they are there or a variant is not
    /// drawn by the software rasterizer.
    pub(crate) fn prepare(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        (pictures, shadows): (&[RasterKey], &[RasterKey]),
    ) -> Result<(), GpuError> {
        let Self {
            shadow_pipelines,
            picture_pipelines,
            shade_pipelines,
            ..
        } = self;
        let (Targets { depth, samples, .. }, fragment_output) = (self.targets, self.fragment_output);
        let outlines = || supported(shadows).map(RasterKey::outline_only);
        let phases =
            || supported(pictures).flat_map(|drawing| [CullPhase::Near, CullPhase::Far].map(|phase| (drawing, phase)));
        let variants = || supported(pictures).map(|drawing| drawing.variant);
        gpu.run_parallel((
            || {
                gpu.make_missing(shadow_pipelines, outlines(), |outline| {
                    sun::pipeline(gpu, layouts, outline)
                })
            },
            || {
                gpu.make_missing(picture_pipelines, phases(), |(drawing, phase)| {
                    let output = (RasterOutput::Triangles, depth.convention, samples, phase);
                    rasterise::pipeline(gpu, layouts, drawing, output)
                })
            },
            || {
                gpu.make_missing(shade_pipelines, variants(), |variant| {
                    shade_visibility::pipeline(gpu, layouts, variant, (fragment_output, samples))
                })
            },
        ))?;
        Ok(())
    }

    /// Compiles the pipelines that shade, and no others.
    pub(crate) fn prepare_shades(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        variants: impl IntoIterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        let own = (self.fragment_output, self.targets.samples);
        let supported = variants.into_iter().filter(|&variant| supports(variant));
        gpu.make_missing(&mut self.shade_pipelines, supported, |variant| {
            shade_visibility::pipeline(gpu, layouts, variant, own)
        })
    }

    /// Compiles what ids of some drawings need, each counted or not, unless it is there.
    pub(crate) fn prepare_ids(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        drawings: impl Iterator<Item = (RasterKey, bool)>,
    ) -> Result<(), GpuError> {
        if self.show_ids.is_none() {
            self.show_ids = Some(ShowIds::new(gpu, layouts)?);
        }
        gpu.make_missing(&mut self.id_pipelines, drawings, |(drawing, counted)| {
            ids::pipeline(gpu, layouts, drawing, counted)
        })
    }

    /// Compiles what [`RasterPasses::vertex_cache_pipeline`] gives of some variants.
    pub(crate) fn prepare_vertex_caches(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        variants: impl Iterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        let keys = variants
            .filter(|&variant| caches_vertices(variant))
            .map(vertex_cache::key);
        gpu.make_missing(&mut self.vertex_cache_pipelines, keys, |key| {
            vertex_cache::pipeline(gpu, layouts, key)
        })
    }

    /// Pipeline that fills the vertex cache of a variant; `None` if the variant has none.
    pub(crate) fn vertex_cache_pipeline(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        variant: DrawVariant,
    ) -> Result<Option<wgpu::ComputePipeline>, GpuError> {
        self.prepare_vertex_caches(gpu, layouts, [variant].into_iter())?;
        Ok(self
            .vertex_cache_pipelines
            .get(&vertex_cache::key(variant))
            .filter(|_| caches_vertices(variant))
            .cloned())
    }

    /// Pipelines compiled again from the current shaders.
    pub(crate) fn rebuilt(&self, gpu: &Gpu, layouts: &Layouts) -> Result<Self, GpuError> {
        let mut new = Self::new(
            gpu,
            layouts,
            (self.targets, self.fragment_output),
            self.pictures.is_some(),
        )?;
        let pictures: Vec<RasterKey> = self.picture_pipelines.keys().map(|&(drawing, _)| drawing).collect();
        let shadows: Vec<RasterKey> = self.shadow_pipelines.keys().copied().collect();
        new.prepare(gpu, layouts, (&pictures, &shadows))?;
        new.prepare_shades(gpu, layouts, self.shade_pipelines.keys().copied())?;
        Ok(new)
    }

    /// Numbers the slots of a phase and rasterises it; `draws` are those of the frame, in its order, or the first of
    /// them.
    pub(crate) fn rasterise<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        (group_0, frame, phase): (&wgpu::BindGroup, &VisibilityBuffer, CullPhase),
        draws: impl Iterator<Item = (RasterKey, &'a CrowdInstances)>,
    ) {
        let groups = frame.draws.iter().map(|draw| draw.rasterise(phase));
        let made = draws.zip(groups);
        let made = made.map(|((drawing, crowd), group)| (self.picture_pipelines.get(&(drawing, phase)), crowd, group));
        self.encode(pass, (group_0, frame.lists(phase)), made);
        if let Some(pictures) = &self.pictures {
            frame.large_triangles(phase).encode(pass, &pictures.large_triangles);
        }
    }

    /// Rasterizes into the shadow map.
    pub(crate) fn rasterise_shadows<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        (group_0, frame): (&wgpu::BindGroup, &ShadowVisibilityBuffer),
        draws: impl Iterator<Item = (RasterKey, &'a CrowdInstances)>,
    ) {
        let made = draws.zip(&frame.draws).map(|((drawing, crowd), group)| {
            let made = self.shadow_pipelines.get(&drawing.outline_only());
            (made, crowd, group)
        });
        self.encode(pass, (group_0, &frame.lists), made);
        frame.large_triangles.encode(pass, &self.shadow_large_triangles);
    }

    /// Rasterizes ids. Each draw brings its bind group, and whether it is counted.
    pub(crate) fn rasterise_ids<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        (group_0, frame): (&wgpu::BindGroup, &IdVisibilityBuffer),
        draws: &'a [(RasterKey, bool, &'a CrowdInstances, wgpu::BindGroup)],
    ) {
        let made = draws.iter().map(|(drawing, counted, crowd, group)| {
            let made = self.id_pipelines.get(&(*drawing, *counted));
            (made, *crowd, group)
        });
        self.encode(pass, (group_0, &frame.lists), made);
    }

    fn encode<'a>(
        &'a self,
        pass: &mut wgpu::ComputePass<'_>,
        (group_0, lists): (&wgpu::BindGroup, &RasterLists),
        draws: impl Iterator<
            Item = (
                Option<&'a wgpu::ComputePipeline>,
                &'a CrowdInstances,
                &'a wgpu::BindGroup,
            ),
        >,
    ) {
        pass.set_bind_group(0, group_0, &[]);
        lists.number(pass, &self.slots);
        for (number, (made, crowd, group)) in draws.enumerate() {
            if let Some(made) = made {
                pass.set_pipeline(made);
                pass.set_bind_group(1, &crowd.character, &[]);
                pass.set_bind_group(2, &crowd.crowd, &[]);
                pass.set_bind_group(3, group, &[]);
                pass.dispatch_workgroups_indirect(&lists.dispatches, slots::rasterise_offset(number));
            }
        }
    }

    /// Shades what was rasterised.
    pub(crate) fn shade_visibility<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        ([group_0, shaded_group_0], frame): ([&wgpu::BindGroup; 2], &VisibilityBuffer),
        draws: impl Iterator<Item = (RasterKey, &'a CrowdInstances)>,
    ) {
        let Some(pictures) = &self.pictures else { return };
        pass.set_bind_group(0, group_0, &[]);
        frame.tiles.encode(pass, &pictures.tiles);
        pass.set_bind_group(0, shaded_group_0, &[]);
        for (number, (drawing, crowd)) in draws.enumerate() {
            if let (Some(made), Some(draw)) = (self.shade_pipelines.get(&drawing.variant), frame.draws.get(number)) {
                pass.set_pipeline(made);
                pass.set_bind_group(1, &crowd.character, &[]);
                pass.set_bind_group(2, &crowd.crowd, &[]);
                pass.set_bind_group(3, &draw.shade_visibility, &[]);
                pass.dispatch_workgroups_indirect(&frame.tiles.dispatches, tiles::offset(number));
            }
        }
    }

    /// Puts it among what is drawn; group 0 is that of lit passes.
    pub(crate) fn composite(&self, pass: &mut wgpu::RenderPass<'_>, frame: &VisibilityBuffer) {
        if let Some(pictures) = &self.pictures {
            pass.set_pipeline(&pictures.composite);
            pass.set_bind_group(1, &frame.composite, &[]);
            pass.draw(0..3, 0..1);
        }
    }

    /// Pass that turns ids into textures, if it was prepared.
    pub(crate) const fn show_ids(&self) -> Option<&ShowIds> {
        self.show_ids.as_ref()
    }

    /// Puts its shadows among those that are drawn; group 0 is that of passes without light.
    pub(crate) fn composite_shadow(&self, pass: &mut wgpu::RenderPass<'_>, frame: &ShadowVisibilityBuffer) {
        pass.set_pipeline(&self.composite_shadow);
        pass.set_bind_group(1, &frame.composite, &[]);
        pass.draw(0..3, 0..1);
    }
}
