//! Deferred shading of the visibility buffer (Burns and Hunt 2013): visible triangles are fetched and posed again, and
//! shaded once a pixel.

use std::collections::HashMap;

use crate::{
    gpu::{GpuError, compute_pipeline_from},
    render::{
        RenderContext,
        crowd::SurfaceShader,
        passes::{
            DrawVariant,
            crowd::FragmentOutput,
            draw_lists::occlusion_cull::sample_features,
            raster::{StorageRoom, groups, supports},
        },
    },
};

/// Pipelines of shaders/shade_visibility.wgsl, compiled on first use.
pub(crate) struct ShadePasses {
    fragment_output: FragmentOutput,
    /// Samples per pixel.
    samples: u32,
    surface_shader: Option<SurfaceShader>,
    pipelines: HashMap<DrawVariant, wgpu::ComputePipeline>,
}

impl ShadePasses {
    pub(super) fn new(fragment_output: FragmentOutput, samples: u32) -> Self {
        Self {
            fragment_output,
            samples,
            surface_shader: None,
            pipelines: HashMap::new(),
        }
    }

    /// Compiles missing pipelines. Variants that the software rasterizer does not support are skipped.
    pub(super) fn prepare(
        &mut self,
        context: &RenderContext,
        variants: impl IntoIterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        let (fragment_output, samples) = (self.fragment_output, self.samples);
        let surface = self.surface_shader.as_ref();
        let room = StorageRoom::of(&context.gpu);
        let supported = variants.into_iter().filter(|&variant| supports(room, variant));
        context.gpu.make_missing(&mut self.pipelines, supported, |variant| {
            pipeline(context, variant, fragment_output, surface, samples)
        })
    }

    /// Pipelines of the same variants with another surface shader, or without one.
    pub(super) fn with_surface_shader(
        &self,
        context: &RenderContext,
        surface_shader: Option<SurfaceShader>,
    ) -> Result<Self, GpuError> {
        let mut new = Self {
            surface_shader,
            ..Self::new(self.fragment_output, self.samples)
        };
        new.prepare(context, self.pipelines.keys().copied())?;
        Ok(new)
    }

    /// Pipelines compiled again from the current shaders.
    pub(super) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        self.with_surface_shader(context, self.surface_shader.clone())
    }

    pub(super) const fn fragment_output(&self) -> FragmentOutput {
        self.fragment_output
    }

    /// Pipeline of a variant that was prepared.
    pub(super) fn pipeline(&self, variant: DrawVariant) -> Option<&wgpu::ComputePipeline> {
        self.pipelines.get(&variant)
    }
}

fn pipeline(
    context: &RenderContext,
    variant: DrawVariant,
    fragment_output: FragmentOutput,
    surface_shader: Option<&SurfaceShader>,
    samples: u32,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let words: &[&str] = if StorageRoom::of(&context.gpu).is_full() {
        &["shadow_map_words"]
    } else {
        &[]
    };
    let features = [
        &variant.features(),
        fragment_output.features(),
        SurfaceShader::features(surface_shader),
        sample_features(samples),
        words,
    ]
    .concat();
    let groups = groups(
        &context.layouts,
        variant,
        &context.layouts.surface_frame,
        &context.layouts.shade_visibility,
    );
    let sources = SurfaceShader::sources(surface_shader, &context.gpu);
    compute_pipeline_from(&context.gpu, &sources, "shade_visibility", &features, &groups)
}
