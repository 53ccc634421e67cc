//! Ids by the software rasterizer, unless `hardware` is asked for. One sample at the centre of every pixel suffices, in
//! a draw of its own.

use crate::{
    gpu::{GpuError, buffer_with, compute_pass},
    render::{
        crowd::{
            CrowdRenderer, Round,
            aov::instances_of,
            draw_list::{DrawKind, DrawList},
        },
        passes::{
            AovUniforms, EVERYBODY,
            raster::{
                IdContents, IdDispatch, MeshCut, RasterMesh, RasterPasses, StorageRoom, SwRasterDraw, VisibilityTarget,
                supports,
            },
        },
        plan::ShadowRequest,
    },
};

/// [`AovUniforms::only`] of draws without the one person who is drawn.
const NOBODY: u32 = EVERYBODY - 1;

impl CrowdRenderer {
    /// Makes the visibility buffer for ids of `size` pixels, and compiles the pipelines, with amodal masks if people
    /// are `counted`. If it does not fit or is not allowed, the hardware rasterizer draws.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub(crate) fn prepare_ids(&mut self, size: (u32, u32), counted: bool) -> Result<(), GpuError> {
        if !self.outputs_ids_in_compute() {
            self.buffers.ids.release();
            return Ok(());
        }
        if !self.lists.has_all_meshlets {
            self.add_missing_meshlets()?;
            self.lists.has_all_meshlets = true;
        }
        let draws = DrawList::of(&self.contents);
        let drawn: Vec<SwRasterDraw<'_>> = draws.software_far().collect();
        let make = || VisibilityTarget::new(&self.context, size, 1, &drawn);
        self.buffers.ids.ensure(size, |frame| frame.is_of(size, &drawn), make);
        let people = draws.of_kind(DrawKind::Person).map(|draw| draw.id).collect::<Vec<_>>();
        let keys = drawn
            .iter()
            .map(|draw| (draw.key, counted && people.contains(&draw.id)));
        match &mut self.passes.raster {
            Some(passes) => passes.prepare_ids(&self.context, keys),
            None => Ok(()),
        }
    }

    /// Counts of amodal masks take more storage buffers than pictures do.
    fn outputs_ids_in_compute(&self) -> bool {
        StorageRoom::of(&self.context.gpu).is_full() && self.plan_settings(ShadowRequest::Off).wants_software_shadows()
    }

    /// Makes missing meshlets: pictures need them only if the software rasterizer draws them. Draws whose meshlets do
    /// not fit stay with the hardware rasterizer.
    fn add_missing_meshlets(&mut self) -> Result<(), GpuError> {
        let context = &self.context;
        if self.passes.raster.is_none() {
            self.passes.raster = Some(RasterPasses::new(context, self.targets, self.options.shown(), false)?);
        }
        let Some(passes) = &mut self.passes.raster else {
            return Ok(());
        };
        let room = StorageRoom::of(&context.gpu);
        for d in &mut self.contents.people {
            let Some(draw_lists) = d
                .draw_lists
                .as_mut()
                .filter(|draw_lists| draw_lists.raster.is_none() && supports(room, d.variant))
            else {
                continue;
            };
            let vertex_cache_pipeline = passes.vertex_cache_pipeline(context, d.variant)?;
            let vertex_cache_pipeline = vertex_cache_pipeline
                .as_ref()
                .map(|vertex_cache_pipeline| (vertex_cache_pipeline, [&self.bindings.frame, &d.crowd.character]));
            let mesh_cut = MeshCut::of(&d.character, &d.assets, d.crowd.count);
            draw_lists.raster = RasterMesh::new(context, &d.character, mesh_cut, vertex_cache_pipeline).ok();
        }
        for a in &mut self.contents.attachments {
            if let Some(draw_lists) = a
                .draw_lists
                .as_mut()
                .filter(|draw_lists| draw_lists.raster.is_none() && supports(room, a.variant))
            {
                let mesh_cut = MeshCut::of(&a.prop, &a.assets, a.crowd.count);
                draw_lists.raster = RasterMesh::new(context, &a.prop, mesh_cut, None).ok();
            }
        }
        Ok(())
    }

    /// Visibility buffer of ids; `None` if the hardware rasterizer draws all of them.
    pub(super) fn ids_frame(&self) -> Option<&VisibilityTarget<IdContents>> {
        self.buffers.ids.get().filter(|_| self.outputs_ids_in_compute())
    }

    /// Software-rasterizes ids, prepared before, of everyone or of one person (by number). A `round` counts amodal
    /// masks. The id pass then draws the remaining draws, and [`CrowdRenderer::show_ids`] merges both.
    pub(crate) fn rasterise_ids(&self, encoder: &mut wgpu::CommandEncoder, round: Option<&Round>, only: Option<u32>) {
        let (Some(passes), Some(frame)) = (&self.passes.raster, self.ids_frame()) else {
            return;
        };
        let list = DrawList::of(&self.contents);
        let draws = list.iter().filter_map(|d| {
            let draw = d.software().filter(|_| d.kind != DrawKind::Scenery)?;
            let aov = AovUniforms {
                first_id: d.first_id,
                only: match (only, instances_of(d.first_id, d.parts.crowd.count, only)) {
                    (None, _) => EVERYBODY,
                    (Some(_), Some(instances)) => instances.start,
                    (Some(_), None) => NOBODY,
                },
                ..AovUniforms::default()
            };
            let bytes = bytemuck::bytes_of(&aov);
            let aov = buffer_with(&self.context.gpu, "aov", bytes, wgpu::BufferUsages::STORAGE);
            let counting = round
                .filter(|_| d.kind == DrawKind::Person)
                .map(|round| [&round.words, &round.places]);
            Some(IdDispatch {
                groups: frame.groups(&self.context, draw, &aov, counting)?,
                counted: counting.is_some(),
                draw,
            })
        });
        let draws: Vec<_> = draws.collect();
        frame.clear(encoder);
        let mut pass = compute_pass(encoder, "raster ids");
        passes.rasterise_ids(&mut pass, &self.bindings.frame, frame, &draws);
    }

    /// Merges these with the ids and depths of the hardware rasterizer. The ground comes last, and is left out if
    /// people are `amodal`.
    pub(crate) fn show_ids(&self, encoder: &mut wgpu::CommandEncoder, drawn: [&wgpu::TextureView; 2], amodal: bool) {
        let show = self.passes.raster.as_ref().and_then(RasterPasses::show_ids);
        let (Some(show), Some(frame)) = (show, self.ids_frame()) else {
            return;
        };
        let mut pass = compute_pass(encoder, "ids");
        show.encode(&mut pass, &self.context, &self.bindings.frame, frame, drawn, !amodal);
    }

    /// Ids and depths (m) of the software rasterizer as textures; `None` if the hardware rasterizer draws all of
    /// them.
    pub(crate) fn shown_ids(&self) -> Option<[&wgpu::Texture; 2]> {
        self.ids_frame().map(VisibilityTarget::shown)
    }
}
