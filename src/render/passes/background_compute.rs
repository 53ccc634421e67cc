//! Background in compute: shades ground and sky, and averages the samples of each pixel. It replaces the draws of the
//! background and the hardware's averaging of samples. Where the software rasterizer draws the crowd, it replaces the
//! composite draw, too. Data-centre GPUs run compute on all of their multiprocessors, and graphics on a few.

use crate::{
    config::Raster,
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        Layouts, RenderOptions,
        passes::{SIMPLE, raster::VisibilityBuffer},
        resources::instances::bind_group,
        targets::FrameTargets,
    },
};

/// Edge of a workgroup (px).
const TILE: u32 = 8;

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
    /// True if the hardware rasterizer drew, too.
    drawn: bool,
    shown: wgpu::TextureView,
}

impl BackgroundCompute {
    /// Compiles for pictures with the options of a renderer; with raster `compute`, also for those of the software
    /// rasterizer.
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, options: RenderOptions) -> Result<Self, GpuError> {
        let (samples, uses_sw_raster) = (options.samples, options.raster == Raster::Compute);
        let pipeline = |sw_raster: bool, drawn: bool| {
            let wanted = [
                ("sw_raster", sw_raster),
                ("slots_pass", true),
                ("shadow_map_words", sw_raster),
                ("drawn", drawn),
                ("multisampled", samples > 1),
                ("crowd_shadow", !options.effort.is_light()),
                (SIMPLE, options.effort.is_light()),
            ];
            let features: Vec<&str> = wanted.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
            let groups = [
                &layouts.shaded_frame,
                layouts.background_compute((sw_raster, drawn), samples),
            ];
            compute_pipeline(gpu, "background_compute", &features, &groups)
        };
        let (both, sw_raster, drawn) = gpu.run_parallel((
            || uses_sw_raster.then(|| pipeline(true, true)).transpose(),
            || uses_sw_raster.then(|| pipeline(true, false)).transpose(),
            || pipeline(false, true),
        ))?;
        Ok(Self {
            both,
            sw_raster,
            drawn,
            samples,
            bound: None,
        })
    }

    /// Reads the visibility buffer and the drawn `targets`, each if there is one. Writes the HDR colour that tone
    /// mapping reads.
    pub(crate) fn encode(
        &mut self,
        pass: &mut wgpu::ComputePass<'_>,
        (gpu, layouts, shaded_frame): (&Gpu, &Layouts, &wgpu::BindGroup),
        (targets, frame, drawn): (&FrameTargets, Option<&VisibilityBuffer>, bool),
    ) {
        let pipeline = match (frame, drawn) {
            (Some(_), true) => self.both.as_ref(),
            (Some(_), false) => self.sw_raster.as_ref(),
            (None, _) => Some(&self.drawn),
        };
        let Some(pipeline) = pipeline else { return };
        let bound = BackgroundResources {
            sw_raster: frame.map(|frame| frame.words_and_colors().map(Clone::clone)),
            drawn,
            shown: targets.hdr().clone(),
        };
        let kept = self.bound.take().filter(|(own, _)| *own == bound);
        let group = match kept {
            Some((_, group)) => group,
            None => self.group((gpu, layouts), (targets, frame, drawn)),
        };
        let (width, height) = targets.size;
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, shaded_frame, &[]);
        pass.set_bind_group(1, &group, &[]);
        pass.dispatch_workgroups(width.div_ceil(TILE), height.div_ceil(TILE), 1);
        self.bound = Some((bound, group));
    }

    fn group(
        &self,
        (gpu, layouts): (&Gpu, &Layouts),
        (targets, frame, drawn): (&FrameTargets, Option<&VisibilityBuffer>, bool),
    ) -> wgpu::BindGroup {
        let mut rows: Vec<_> = frame.iter().flat_map(|frame| frame.picture()).collect();
        rows.push((3, wgpu::BindingResource::TextureView(targets.hdr())));
        if drawn {
            rows.push((4, wgpu::BindingResource::TextureView(&targets.depth)));
        }
        if drawn && self.samples > 1 {
            rows.push((5, wgpu::BindingResource::TextureView(&targets.color)));
        }
        let layout = layouts.background_compute((frame.is_some(), drawn), self.samples);
        bind_group(gpu, "background_compute", layout, &rows)
    }
}
