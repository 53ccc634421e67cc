//! Tone mapping in compute, for pictures of the software rasterizer. A full-screen draw costs devices with little
//! graphics hardware as much as all people of a picture.

use crate::{
    gpu::{Binding, Gpu, GpuError, bind_group_layout, compute_pipeline, whole_view},
    render::{RenderContext, passes::display::DISPLAY_FORMAT, resources::instances::bind_group},
};

/// Edge of a workgroup (px).
const TILE: u32 = 8;

/// Pipeline of shaders/tonemap_pixels.wgsl, with its output texture and bind group for one size.
pub(crate) struct TonemapPixels {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
    bound: Option<(wgpu::Texture, wgpu::BindGroup)>,
}

impl TonemapPixels {
    pub(crate) fn new(context: &RenderContext) -> Result<Self, GpuError> {
        let compute = wgpu::ShaderStages::COMPUTE;
        let rows = [
            (0, compute, Binding::TextureLoad(wgpu::TextureViewDimension::D2)),
            (1, compute, Binding::TextureWrite(DISPLAY_FORMAT)),
        ];
        let layout = bind_group_layout(&context.gpu, "tonemap pixels", &rows);
        Ok(Self {
            pipeline: compute_pipeline(&context.gpu, "tonemap_pixels", &[], &[&context.layouts.frame, &layout])?,
            layout,
            bound: None,
        })
    }

    /// Binds `hdr`, of `size` pixels, as the input from now on.
    pub(crate) fn bind(&mut self, gpu: &Gpu, hdr: &wgpu::TextureView, size: (u32, u32)) {
        let kept = self.bound.take().map(|(values, _)| values);
        let kept = kept.filter(|values| (values.width(), values.height()) == size);
        let values = kept.unwrap_or_else(|| display_values(gpu, size));
        let view = whole_view(&values, "display values");
        let rows = [
            (0, wgpu::BindingResource::TextureView(hdr)),
            (1, wgpu::BindingResource::TextureView(&view)),
        ];
        let group = bind_group(gpu, "tonemap pixels", &self.layout, &rows);
        self.bound = Some((values, group));
    }

    /// True if the output can be copied to a picture.
    pub(crate) fn supports(&self, picture: &wgpu::Texture) -> bool {
        let made = self
            .bound
            .as_ref()
            .is_some_and(|(values, _)| values.size() == picture.size());
        let copied = picture.usage().contains(wgpu::TextureUsages::COPY_DST);
        made && copied && picture.format().remove_srgb_suffix() == DISPLAY_FORMAT
    }

    /// Encodes the pass; group 0 is that of passes without light.
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, frame: &wgpu::BindGroup) {
        let Some((values, group)) = &self.bound else { return };
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, group, &[]);
        pass.dispatch_workgroups(values.width().div_ceil(TILE), values.height().div_ceil(TILE), 1);
    }

    /// Copies the tone-mapped pixels to a picture that it [`TonemapPixels::supports`].
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::Texture) {
        if let Some((values, _)) = &self.bound {
            encoder.copy_texture_to_texture(values.as_image_copy(), picture.as_image_copy(), values.size());
        }
    }

    /// Bytes on the device.
    pub(crate) fn bytes(&self) -> u64 {
        let size = self.bound.as_ref().map(|(values, _)| (values.width(), values.height()));
        size.map_or(0, |(width, height)| 4 * u64::from(width) * u64::from(height))
    }
}

/// Texture of display values. Copies to linear and sRGB pictures give the same bytes.
fn display_values(gpu: &Gpu, size: (u32, u32)) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("display values"),
        size: wgpu::Extent3d {
            width: size.0,
            height: size.1,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: DISPLAY_FORMAT,
        usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}
