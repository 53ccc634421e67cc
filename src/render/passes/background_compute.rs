//! Background in compute: shades ground and sky, and averages the samples of each pixel. It replaces the draws of the
//! background and the hardware's averaging of samples. Where the software rasterizer draws the crowd, it replaces the
//! composite draw, too. Data-centre GPUs run compute on all of their multiprocessors, and graphics on a few.

use crate::{
    config::Raster,
    gpu::{GpuError, compute_pipeline},
    render::{
        RenderContext, RenderOptions,
        passes::{
            SIMPLE,
            raster::{PictureContents, VisibilityTarget},
        },
        resources::instances::bind_group,
        targets::FrameTargets,
    },
};

/// Edge of a workgroup (px).
const TILE: u32 = 8;

/// Rasterizers that drew into a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrawnBy {
    Software,
    Hardware,
    Both,
}

impl DrawnBy {
    const fn software(self) -> bool {
        matches!(self, Self::Software | Self::Both)
    }

    const fn hardware(self) -> bool {
        matches!(self, Self::Hardware | Self::Both)
    }
}

/// Pipelines of shaders/background_compute.wgsl.
pub(crate) struct BackgroundCompute {
    /// Pipeline of pictures that both rasterizers drew into.
    both: Option<wgpu::ComputePipeline>,
    /// Pipeline of pictures that the software rasterizer drew alone.
    sw_raster: Option<wgpu::ComputePipeline>,
    /// Pipeline of pictures that the hardware rasterizer drew alone.
    drawn: wgpu::ComputePipeline,
    samples: u32,
    /// Resources that were bound last, and their bind group.
    bound: Option<(BackgroundResources, wgpu::BindGroup)>,
}

/// Inputs and output of the background of one picture.
#[derive(Clone, PartialEq)]
struct BackgroundResources {
    /// Visibility buffer and colours.
    sw_raster: Option<[wgpu::Buffer; 2]>,
    drawn_by: DrawnBy,
    shown: wgpu::TextureView,
}

impl BackgroundCompute {
    /// Compiles for pictures with the options of a renderer; with raster `compute`, also for those of the software
    /// rasterizer.
    pub(crate) fn new(context: &RenderContext, options: RenderOptions) -> Result<Self, GpuError> {
        let (samples, uses_sw_raster) = (options.samples, options.raster == Raster::Compute);
        let pipeline = |drawn_by: DrawnBy| {
            let wanted = [
                ("sw_raster", drawn_by.software()),
                ("slots_pass", true),
                ("shadow_map_words", drawn_by.software()),
                ("drawn", drawn_by.hardware()),
                ("multisampled", samples > 1),
                ("crowd_shadow", !options.effort.is_light()),
                (SIMPLE, options.effort.is_light()),
            ];
            let features: Vec<&str> = wanted.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
            let groups = [
                &context.layouts.shaded_frame,
                context.layouts.background_compute(drawn_by, samples),
            ];
            compute_pipeline(&context.gpu, "background_compute", &features, &groups)
        };
        let (both, sw_raster, drawn) = context.gpu.run_parallel((
            || uses_sw_raster.then(|| pipeline(DrawnBy::Both)).transpose(),
            || uses_sw_raster.then(|| pipeline(DrawnBy::Software)).transpose(),
            || pipeline(DrawnBy::Hardware),
        ))?;
        Ok(Self {
            both,
            sw_raster,
            drawn,
            samples,
            bound: None,
        })
    }

    /// Reads the visibility buffer, if it was filled, and the `targets`, if the hardware rasterizer drew into them.
    /// Writes the HDR colour that tone mapping reads.
    pub(crate) fn encode(
        &mut self,
        pass: &mut wgpu::ComputePass<'_>,
        context: &RenderContext,
        shaded_frame: &wgpu::BindGroup,
        targets: &FrameTargets,
        frame: Option<&VisibilityTarget<PictureContents>>,
        drawn: bool,
    ) {
        let drawn_by = match (frame, drawn) {
            (Some(_), true) => DrawnBy::Both,
            (Some(_), false) => DrawnBy::Software,
            (None, _) => DrawnBy::Hardware,
        };
        let pipeline = match drawn_by {
            DrawnBy::Both => self.both.as_ref(),
            DrawnBy::Software => self.sw_raster.as_ref(),
            DrawnBy::Hardware => Some(&self.drawn),
        };
        let Some(pipeline) = pipeline else { return };
        let bound = BackgroundResources {
            sw_raster: frame.map(|frame| frame.words_and_colors().map(Clone::clone)),
            drawn_by,
            shown: targets.hdr().clone(),
        };
        if self.bound.as_ref().is_none_or(|(own, _)| *own != bound) {
            let group = self.group(context, targets, frame, drawn_by);
            self.bound = Some((bound, group));
        }
        let Some((_, group)) = &self.bound else { return };
        let (width, height) = targets.size;
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, shaded_frame, &[]);
        pass.set_bind_group(1, group, &[]);
        pass.dispatch_workgroups(width.div_ceil(TILE), height.div_ceil(TILE), 1);
    }

    fn group(
        &self,
        context: &RenderContext,
        targets: &FrameTargets,
        frame: Option<&VisibilityTarget<PictureContents>>,
        drawn_by: DrawnBy,
    ) -> wgpu::BindGroup {
        let mut rows: Vec<_> = frame.iter().flat_map(|frame| frame.picture()).collect();
        rows.push((3, wgpu::BindingResource::TextureView(targets.hdr())));
        if drawn_by.hardware() {
            rows.push((4, wgpu::BindingResource::TextureView(&targets.depth)));
        }
        if drawn_by.hardware() && self.samples > 1 {
            rows.push((5, wgpu::BindingResource::TextureView(&targets.color)));
        }
        let layout = context.layouts.background_compute(drawn_by, self.samples);
        bind_group(&context.gpu, "background_compute", layout, &rows)
    }
}
