//! Software rasterizer in compute with a visibility buffer (Burns and Hunt 2013), as in Nanite (Karis 2021).
//!
//! ```text
//! clear → [near phase →] far phase → tiles → shade_visibility, a dispatch per draw →
//!     background_compute, or composite in the far pass
//! clear → near phase → composite, in the shadow pass
//! clear → far phase → ids, after their draw
//! a phase: slots → rasterise, a dispatch per draw → large_triangles
//! after all phases, without 64-bit atomics: rasterise → large_triangles of every phase again, for ids
//! ```
//!
//! A workgroup takes a meshlet of one person, or several people of one meshlet each. Vertices come from two frames of
//! the vertex cache (vertex_cache.rs), or the functions of the crowd pass pose them. The nearest triangle of every
//! sample stays, by an atomic maximum of a 64-bit word (shaders/shared/raster.wgsl has its bits), or of its two halves.
//!
//! The near phase has people taller than [`View::sw_raster_max_rows`](crate::render::View::sw_raster_max_rows), people
//! near the camera, heroes and scenery. People whom they occlude are left out of the far phase. In our own frames all
//! of it is drawn by the software rasterizer from [`ALL_ROWS`] on, unless alpha leaves holes or triangle ids run out.
//! Otherwise the hardware rasterizer draws the near phase. Both are composited by depth: in our own frames where ground
//! and sky are shaded (render/passes/background_compute.rs).

pub(in crate::render) mod bindings;
mod composite;
pub mod edges;
mod encode;
mod frame;
mod ids;
mod key;
pub mod large_triangles;
pub(super) mod lists;
pub mod meshlets;
pub(super) mod rasterise;
mod shade_visibility;
mod sized;
pub(super) mod slots;
mod steps;
mod storage_room;
mod sun;
mod target;
pub mod tiles;
mod unsupported_reason;
pub mod vertex_cache;

use std::collections::HashMap;

use crate::{
    config::Technique,
    gpu::GpuError,
    render::{
        Layouts, RenderContext, Targets,
        crowd::SurfaceShader,
        passes::{DrawVariant, crowd::FragmentOutput, draw_lists::CullPhase},
        resources::DrawFlags,
    },
};

pub(crate) use encode::IdDispatch;
pub(crate) use frame::{MeshCut, PictureContents, RasterMesh, SwRasterDraw};
pub(crate) use ids::{IdContents, ShowIds};
pub(crate) use key::RasterKey;
pub(crate) use shade_visibility::ShadePasses;
pub(crate) use sized::SizedResource;
pub use slots::{DISPATCH_WORDS, SlotUniforms};
pub use steps::SampleAtomics;
pub(crate) use steps::{RasterStep, StepGroups};
pub use storage_room::StorageRoom;
pub(crate) use sun::ShadowContents;
pub(crate) use target::{TargetContents, VisibilityTarget};
pub(crate) use unsupported_reason::prefers_compute;
pub use unsupported_reason::{UnsupportedReason, unsupported_reason};

/// Maximum number of triangle ids of a picture. The hardware rasterizer draws what exceeds it.
pub const MOST_TRIANGLES: u32 = u32::MAX - 1;
/// Value of [`View::sw_raster_max_rows`](crate::render::View::sw_raster_max_rows) from which on nothing is too tall or
/// too near for the software rasterizer.
pub const ALL_ROWS: u32 = 1024;
/// Maximum workgroups of a dispatch along x.
pub const ROW_OF_GROUPS: u32 = 1 << 15;
shader_struct!(RasterUniforms);

shader_struct!(RasterRow);

/// Output of the software rasterizer for each sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RasterOutput {
    /// Triangle ids, which shade_visibility shades; in a shadow map, depth alone.
    Triangles,
    /// Instance ids, as in the id AOV.
    Ids,
    /// Instance ids, with the pixels of everyone counted for amodal masks.
    CountedIds,
}

impl RasterOutput {
    /// Every output, in order of its number.
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

/// True if the software rasterizer can draw a variant on a device with this room: listed, of a supported technique and
/// without alpha test. Attachments and scenery count, too.
pub(crate) fn supports(room: StorageRoom, variant: DrawVariant) -> bool {
    let drawn = variant.has(DrawFlags::ATTACHMENT) || supports_technique(variant.method.technique);
    variant.has(DrawFlags::LISTED) && drawn && !variant.has(DrawFlags::ALPHA_TEST) && room.holds(variant)
}

/// True if the software rasterizer can pose the vertices of a technique.
pub(crate) const fn supports_technique(technique: Technique) -> bool {
    matches!(technique, Technique::Matrix | Technique::Static)
}

/// Draws that the software rasterizer supports.
fn supported(room: StorageRoom, drawings: &[RasterKey]) -> impl Iterator<Item = RasterKey> + Clone {
    drawings
        .iter()
        .copied()
        .filter(move |drawing| supports(room, drawing.variant))
}

/// True if the posed vertices of a variant can be cached.
fn caches_vertices(room: StorageRoom, variant: DrawVariant) -> bool {
    supports(room, variant) && vertex_cache::caches_vertices(variant)
}

/// Bind group layouts of a pass that poses a variant: frame, character, instances, and the pass's own.
pub(super) fn groups<'a>(
    layouts: &'a Layouts,
    variant: DrawVariant,
    frame: &'a wgpu::BindGroupLayout,
    own: &'a wgpu::BindGroupLayout,
) -> [&'a wgpu::BindGroupLayout; 4] {
    [frame, layouts.character(variant), layouts.instances(variant), own]
}

/// Pipelines of the software rasterizer; those of variants are compiled on first use.
pub(crate) struct RasterPasses {
    targets: Targets,
    slots: wgpu::ComputePipeline,
    /// Passes of pictures; `None` if only shadows or ids are rasterized.
    pictures: Option<PicturePasses>,
    shadow_large_triangles: wgpu::ComputePipeline,
    composite_shadow: wgpu::RenderPipeline,
    picture_pipelines: HashMap<(RasterKey, CullPhase), wgpu::ComputePipeline>,
    /// Pipelines of the shadow map, if there is one: depth alone.
    shadow_pipelines: HashMap<RasterKey, wgpu::ComputePipeline>,
    /// Pipelines that shade the visibility buffer.
    shade: ShadePasses,
    /// Pipelines that fill vertex caches.
    vertex_cache_pipelines: HashMap<DrawVariant, wgpu::ComputePipeline>,
    /// Pipelines of ids, by whether pixels are counted for amodal masks.
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
    fn new(context: &RenderContext, targets: Targets) -> Result<Self, GpuError> {
        let picture = large_triangles::LargeTriangleTarget::Picture(targets.depth.convention, targets.samples);
        let (large_triangles, tiles, composite) = context.gpu.run_parallel((
            || large_triangles::pipeline(context, picture),
            || tiles::pipeline(context, targets.samples),
            || composite::pipeline(context, targets),
        ))?;
        Ok(Self {
            large_triangles,
            tiles,
            composite,
        })
    }
}

impl RasterPasses {
    /// Compiles the passes of shadows and ids, and those of `pictures` if these use the software rasterizer, too.
    pub(crate) fn new(
        context: &RenderContext,
        targets: Targets,
        fragment_output: FragmentOutput,
        pictures: bool,
    ) -> Result<Self, GpuError> {
        let of_pictures = || pictures.then(|| PicturePasses::new(context, targets));
        let (slots, pictures, shadow_large_triangles, composite_shadow) = context.gpu.run_parallel((
            || slots::pipeline(context),
            || of_pictures().transpose(),
            || large_triangles::pipeline(context, large_triangles::LargeTriangleTarget::Sun),
            || sun::composite(context),
        ))?;
        Ok(Self {
            targets,
            slots,
            pictures,
            shadow_large_triangles,
            composite_shadow,
            picture_pipelines: HashMap::new(),
            shadow_pipelines: HashMap::new(),
            shade: ShadePasses::new(fragment_output, targets.samples),
            vertex_cache_pipelines: HashMap::new(),
            id_pipelines: HashMap::new(),
            show_ids: None,
        })
    }

    /// Compiles missing pipelines of draws in pictures and in the shadow map. Draws that the software rasterizer does
    /// not support are skipped.
    pub(crate) fn prepare(
        &mut self,
        context: &RenderContext,
        pictures: &[RasterKey],
        shadows: &[RasterKey],
    ) -> Result<(), GpuError> {
        let Self {
            shadow_pipelines,
            picture_pipelines,
            shade,
            ..
        } = self;
        let Targets { depth, samples, .. } = self.targets;
        let room = StorageRoom::of(&context.gpu);
        let outlines = || supported(room, shadows).map(RasterKey::outline_only);
        let phases = || {
            supported(room, pictures)
                .flat_map(|drawing| [CullPhase::Near, CullPhase::Far].map(|phase| (drawing, phase)))
        };
        let variants = || supported(room, pictures).map(|drawing| drawing.variant);
        context.gpu.run_parallel((
            || {
                context
                    .gpu
                    .make_missing(shadow_pipelines, outlines(), |outline| sun::pipeline(context, outline))
            },
            || {
                context
                    .gpu
                    .make_missing(picture_pipelines, phases(), |(drawing, phase)| {
                        let output = RasterOutput::Triangles;
                        rasterise::pipeline(context, drawing, output, depth.convention, samples, phase)
                    })
            },
            || shade.prepare(context, variants()),
        ))?;
        Ok(())
    }

    /// Compiles the pipelines of shade_visibility alone.
    pub(crate) fn prepare_shades(
        &mut self,
        context: &RenderContext,
        variants: impl IntoIterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        self.shade.prepare(context, variants)
    }

    /// Pipelines of shade_visibility with another surface shader, for [`RasterPasses::replace_shades`].
    pub(crate) fn shades_with(
        &self,
        context: &RenderContext,
        surface_shader: Option<SurfaceShader>,
    ) -> Result<ShadePasses, GpuError> {
        self.shade.with_surface_shader(context, surface_shader)
    }

    pub(crate) fn replace_shades(&mut self, shade: ShadePasses) {
        self.shade = shade;
    }

    /// Compiles missing pipelines of ids, each draw with or without counting for amodal masks.
    pub(crate) fn prepare_ids(
        &mut self,
        context: &RenderContext,
        drawings: impl Iterator<Item = (RasterKey, bool)>,
    ) -> Result<(), GpuError> {
        if self.show_ids.is_none() {
            self.show_ids = Some(ShowIds::new(context)?);
        }
        context
            .gpu
            .make_missing(&mut self.id_pipelines, drawings, |(drawing, counted)| {
                ids::pipeline(context, drawing, counted)
            })
    }

    /// Compiles missing pipelines that fill the vertex caches of some variants.
    pub(crate) fn prepare_vertex_caches(
        &mut self,
        context: &RenderContext,
        variants: impl Iterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        let room = StorageRoom::of(&context.gpu);
        let keys = variants
            .filter(|&variant| caches_vertices(room, variant))
            .map(vertex_cache::key);
        context.gpu.make_missing(&mut self.vertex_cache_pipelines, keys, |key| {
            vertex_cache::pipeline(context, key)
        })
    }

    /// Pipeline that fills the vertex cache of a variant; `None` if the variant has none.
    pub(crate) fn vertex_cache_pipeline(
        &mut self,
        context: &RenderContext,
        variant: DrawVariant,
    ) -> Result<Option<wgpu::ComputePipeline>, GpuError> {
        self.prepare_vertex_caches(context, [variant].into_iter())?;
        Ok(self
            .vertex_cache_pipelines
            .get(&vertex_cache::key(variant))
            .filter(|_| caches_vertices(StorageRoom::of(&context.gpu), variant))
            .cloned())
    }

    /// Pipelines compiled again from the current shaders.
    pub(crate) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        let mut new = Self::new(
            context,
            self.targets,
            self.shade.fragment_output(),
            self.pictures.is_some(),
        )?;
        new.shade = self.shade.rebuilt(context)?;
        let pictures: Vec<RasterKey> = self.picture_pipelines.keys().map(|&(drawing, _)| drawing).collect();
        let shadows: Vec<RasterKey> = self.shadow_pipelines.keys().copied().collect();
        new.prepare(context, &pictures, &shadows)?;
        Ok(new)
    }
}
