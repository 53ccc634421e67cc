//! Pipelines of the draws: all missing ones are compiled in parallel.

use crate::{
    config::Raster,
    gpu::GpuError,
    render::{
        crowd::{
            CrowdRenderer,
            draw_list::{Draw, DrawList},
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

    /// Compiles the pipelines that fill the vertex caches of all characters, before people are placed.
    pub(crate) fn compile_bakers(&mut self) -> Result<(), GpuError> {
        let variants = self.contents.people.iter().map(|d| d.variant);
        match &mut self.passes.raster {
            Some(raster) => raster.prepare_vertex_caches(&self.context, variants),
            None => Ok(()),
        }
    }

    /// Compiles the pipelines of some draw variants, of their vertex caches, and of the pose caches of some others.
    pub(super) fn compile(&mut self, drawings: &[RasterKey], posed: &[DrawVariant]) -> Result<(), GpuError> {
        if self.defers_compilation {
            return Ok(());
        }
        let (context, passes) = (&self.context, &mut self.passes);
        let casts = self.options.shadow_size > 0;
        let pictures: &[RasterKey] = match self.options.raster {
            Raster::Compute => drawings,
            Raster::Hardware | Raster::Auto => &[],
        };
        let outlines = match self.options.casts_in_compute() {
            true => drawings,
            false => &[],
        };
        let variants = || drawings.iter().map(|drawing| drawing.variant);
        let (raster, triangle_cull) = (passes.raster.as_mut(), passes.triangle_cull.as_mut());
        let culls_triangles = triangle_cull.is_some();
        context.gpu.run_parallel((
            || raster.map_or(Ok(()), |raster| raster.prepare(context, pictures, outlines)),
            || {
                triangle_cull.map_or(Ok(()), |triangle_cull| {
                    triangle_cull.prepare(context, drawings.iter().copied())
                })
            },
            || {
                passes.crowd.prepare(context, variants())?;
                passes
                    .crowd
                    .prepare_compacted(context, variants().filter(|_| culls_triangles))
            },
            || passes.shadow.prepare(context, variants().filter(|_| casts)),
            || passes.preskin.prepare(context, posed.iter().copied()),
        ))?;
        if let Some(heights) = &mut passes.heights {
            heights.prepare(context, variants())?;
        }
        let on_request = [&mut passes.overdraw, &mut passes.depth];
        let mut on_request = on_request.into_iter().flatten();
        on_request.try_for_each(|pass| pass.prepare(context, variants()))
    }
}
