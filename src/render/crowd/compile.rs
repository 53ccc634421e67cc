//! Pipelines of the draws: all missing ones are compiled in parallel.

use crate::{
    config::Raster,
    gpu::GpuError,
    render::{
        RenderContext,
        crowd::{
            CrowdOptions, CrowdRenderer,
            draw_list::{Draw, DrawList},
            rebuild::CrowdPasses,
        },
        passes::{DrawVariant, raster::RasterKey},
    },
};

impl CrowdRenderer {
    /// Runs `bring` with compilation deferred until all contents are there: most pipelines that a character alone would
    /// need are never used.
    pub(crate) fn with_deferred_compilation(
        &mut self,
        bring: impl FnOnce(&mut Self) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        self.defers_compilation = true;
        let brought = bring(self);
        self.defers_compilation = false;
        brought?;
        let drawings: Vec<RasterKey> = DrawList::of(&self.contents).iter().map(Draw::key).collect();
        let poses = self.contents.everything().filter_map(|d| d.crowd.poses.as_ref());
        let posed: Vec<DrawVariant> = poses.map(|poses| poses.variant).collect();
        self.compile(&drawings, &posed)
    }

    /// Compiles the pipelines of some draw variants, of their vertex caches, and of the pose caches of some others.
    pub(super) fn compile(&mut self, drawings: &[RasterKey], posed: &[DrawVariant]) -> Result<(), GpuError> {
        if self.defers_compilation {
            return Ok(());
        }
        self.passes.compile(&self.context, self.options, drawings, posed)
    }
}

impl CrowdPasses {
    /// Compiles the pipelines of draws that are about to be uploaded, those of their vertex caches included.
    pub(super) fn compile_ahead(
        &mut self,
        context: &RenderContext,
        options: CrowdOptions,
        drawings: &[RasterKey],
    ) -> Result<(), GpuError> {
        if let Some(raster) = &mut self.raster {
            raster.prepare_vertex_caches(context, drawings.iter().filter(|d| d.baked).map(|d| d.variant))?;
        }
        self.compile(context, options, drawings, &[])
    }

    fn compile(
        &mut self,
        context: &RenderContext,
        options: CrowdOptions,
        drawings: &[RasterKey],
        posed: &[DrawVariant],
    ) -> Result<(), GpuError> {
        let casts = options.shadow_size > 0;
        let pictures: &[RasterKey] = match options.raster {
            Raster::Compute => drawings,
            Raster::Hardware | Raster::Auto => &[],
        };
        let outlines = match options.casts_in_compute() {
            true => drawings,
            false => &[],
        };
        let variants = || drawings.iter().map(|drawing| drawing.variant);
        let (raster, triangle_cull) = (self.raster.as_mut(), self.triangle_cull.as_mut());
        let culls_triangles = triangle_cull.is_some();
        let compacting = variants().filter(|_| culls_triangles);
        context.gpu.run_parallel((
            || raster.map_or(Ok(()), |raster| raster.prepare(context, pictures, outlines)),
            || {
                triangle_cull.map_or(Ok(()), |triangle_cull| {
                    triangle_cull.prepare(context, drawings.iter().copied())
                })
            },
            || self.crowd.prepare_with_compacted(context, variants(), compacting),
            || self.shadow.prepare(context, variants().filter(|_| casts)),
            || self.preskin.prepare(context, posed.iter().copied()),
        ))?;
        if let Some(heights) = &mut self.heights {
            heights.prepare(context, variants())?;
        }
        let on_request = [&mut self.overdraw, &mut self.depth];
        let mut on_request = on_request.into_iter().flatten();
        on_request.try_for_each(|pass| pass.prepare(context, variants()))
    }
}
