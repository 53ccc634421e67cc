//! Dispatches of the software rasterizer. Each draw finds its row and its bind groups in a frame by its id.

use crate::render::{
    passes::{
        draw_lists::CullPhase,
        raster::{
            IdContents, PictureContents, RasterPasses, RasterStep, ShadowContents, ShowIds, StepGroups, SwRasterDraw,
            VisibilityTarget, lists::RasterLists, slots, tiles,
        },
    },
    resources::CrowdInstances,
};

/// One indirect dispatch: its pipeline, its groups 1 to 3, and its row in the arguments.
struct Dispatch<'a> {
    pipeline: &'a wgpu::ComputePipeline,
    crowd: &'a CrowdInstances,
    group: &'a wgpu::BindGroup,
    row: usize,
}

impl Dispatch<'_> {
    fn set(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(self.pipeline);
        pass.set_bind_group(1, &self.crowd.character, &[]);
        pass.set_bind_group(2, &self.crowd.crowd, &[]);
        pass.set_bind_group(3, self.group, &[]);
    }
}

/// Draw of an id pass with its bind groups.
pub(crate) struct IdDispatch<'a> {
    pub(crate) draw: SwRasterDraw<'a>,
    /// True if its pixels are counted for amodal masks.
    pub(crate) counted: bool,
    pub(crate) groups: StepGroups,
}

impl RasterPasses {
    /// Rasterizes a phase in one step; group 0 is set to that of passes without light. The first step assigns triangle
    /// ids. That of ids comes after the first of all phases.
    pub(crate) fn rasterise<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        step: RasterStep,
        frame: &VisibilityTarget<PictureContents>,
        phase: CullPhase,
        draws: impl Iterator<Item = SwRasterDraw<'a>>,
    ) {
        let lists = frame.contents.lists(phase);
        if step == RasterStep::Nearest {
            lists.number(pass, &self.slots);
        }
        let dispatches = draws.filter_map(|draw| {
            let row = lists.row_of(draw.id, draw.draw_lists)?;
            Some(Dispatch {
                pipeline: self.picture_pipelines.get(&(draw.key, phase))?,
                crowd: draw.crowd,
                group: frame.contents.draws.get(row)?.rasterise(phase).of(step)?,
                row,
            })
        });
        dispatch_all(pass, lists, dispatches);
        if let Some(pictures) = &self.pictures {
            frame
                .contents
                .large_triangles(phase)
                .encode(pass, &pictures.large_triangles, step);
        }
    }

    /// Rasterizes into the shadow map.
    pub(crate) fn rasterise_shadows<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group_0: &wgpu::BindGroup,
        frame: &VisibilityTarget<ShadowContents>,
        draws: impl Iterator<Item = SwRasterDraw<'a>>,
    ) {
        let dispatches = draws.filter_map(|draw| {
            let row = frame.contents.lists.row_of(draw.id, draw.draw_lists)?;
            Some(Dispatch {
                pipeline: self.shadow_pipelines.get(&draw.key.outline_only())?,
                crowd: draw.crowd,
                group: frame.contents.draws.get(row)?,
                row,
            })
        });
        pass.set_bind_group(0, group_0, &[]);
        frame.contents.lists.number(pass, &self.slots);
        dispatch_all(pass, &frame.contents.lists, dispatches);
        frame
            .contents
            .large_triangles
            .encode(pass, &self.shadow_large_triangles, RasterStep::Nearest);
    }

    /// Rasterizes ids.
    pub(crate) fn rasterise_ids(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group_0: &wgpu::BindGroup,
        frame: &VisibilityTarget<IdContents>,
        draws: &[IdDispatch<'_>],
    ) {
        pass.set_bind_group(0, group_0, &[]);
        frame.contents.lists.number(pass, &self.slots);
        for step in [RasterStep::Nearest, RasterStep::Ids] {
            let dispatches = draws.iter().filter_map(|IdDispatch { draw, counted, groups }| {
                Some(Dispatch {
                    pipeline: self.id_pipelines.get(&(draw.key, *counted))?,
                    crowd: draw.crowd,
                    group: groups.of(step)?,
                    row: frame.contents.lists.row_of(draw.id, draw.draw_lists)?,
                })
            });
            dispatch_all(pass, &frame.contents.lists, dispatches);
        }
    }

    /// Shades the visibility buffer: tile lists, then a dispatch per draw. Group 0 is that of passes without light for
    /// the lists, and that of shading in compute for the rest.
    pub(crate) fn shade_visibility<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group_0: &wgpu::BindGroup,
        shaded_group_0: &wgpu::BindGroup,
        frame: &VisibilityTarget<PictureContents>,
        draws: impl Iterator<Item = SwRasterDraw<'a>>,
    ) {
        let Some(pictures) = &self.pictures else { return };
        pass.set_bind_group(0, group_0, &[]);
        frame.contents.tiles.encode(pass, &pictures.tiles);
        pass.set_bind_group(0, shaded_group_0, &[]);
        let dispatches = draws.filter_map(|draw| {
            let row = frame.contents.lists(CullPhase::Far).row_of(draw.id, draw.draw_lists)?;
            Some(Dispatch {
                pipeline: self.shade.pipeline(draw.key.variant)?,
                crowd: draw.crowd,
                group: &frame.contents.draws.get(row)?.shade_visibility,
                row,
            })
        });
        for dispatch in dispatches {
            dispatch.set(pass);
            pass.dispatch_workgroups_indirect(&frame.contents.tiles.dispatches, tiles::offset(dispatch.row));
        }
    }

    /// Composites the visibility buffer into a render pass by depth; group 0 is that of lit passes.
    pub(crate) fn composite(&self, pass: &mut wgpu::RenderPass<'_>, frame: &VisibilityTarget<PictureContents>) {
        if let Some(pictures) = &self.pictures {
            pass.set_pipeline(&pictures.composite);
            pass.set_bind_group(1, &frame.contents.composite, &[]);
            pass.draw(0..3, 0..1);
        }
    }

    /// Pass that turns ids into textures, if it was prepared.
    pub(crate) const fn show_ids(&self) -> Option<&ShowIds> {
        self.show_ids.as_ref()
    }

    /// Composites rasterized shadows into the shadow pass by depth; group 0 is that of passes without light.
    pub(crate) fn composite_shadow(&self, pass: &mut wgpu::RenderPass<'_>, frame: &VisibilityTarget<ShadowContents>) {
        pass.set_pipeline(&self.composite_shadow);
        pass.set_bind_group(1, &frame.contents.composite, &[]);
        pass.draw(0..3, 0..1);
    }
}

fn dispatch_all<'a>(
    pass: &mut wgpu::ComputePass<'_>,
    lists: &RasterLists,
    dispatches: impl Iterator<Item = Dispatch<'a>>,
) {
    for dispatch in dispatches {
        dispatch.set(pass);
        pass.dispatch_workgroups_indirect(&lists.dispatches, slots::rasterise_offset(dispatch.row));
    }
}
