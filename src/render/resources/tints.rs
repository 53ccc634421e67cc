//! Tint colours of a scene on the GPU.

use crate::{
    crowd::tints::{RAMP_LEN, REGIONS, Ramps},
    gpu::{Gpu, whole_view},
    model::linear_from_srgb,
};

/// Bytes of a colour.
const COLOR_BYTES: u32 = size_of::<[f32; 4]>() as u32;

/// Tint colours: a row of 64 linear colours per region. Alpha is the strength with which they replace a material's own
/// colour. A texture, since browsers allow ten storage buffers in a shader stage.
#[derive(Clone, Debug)]
pub struct TintTexture {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

impl TintTexture {
    /// Colours that keep those of materials.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("tints"),
            size: SIZE,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let view = whole_view(&texture, "tints");
        Self { texture, view }
    }

    /// Overwrites all colours at the next submission.
    pub(crate) fn write(&self, gpu: &Gpu, ramps: &Ramps, strength: f32) {
        let colors: Vec<_> = ramps
            .colours
            .iter()
            .flatten()
            .map(|&srgb| linear(srgb, strength))
            .collect();
        gpu.write_texture(
            "tints",
            self.texture.as_image_copy(),
            bytemuck::cast_slice(&colors),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(SIZE.width * COLOR_BYTES),
                rows_per_image: None,
            },
            SIZE,
        );
    }

    /// View that passes bind.
    pub(crate) const fn view(&self) -> &wgpu::TextureView {
        &self.view
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(SIZE.width * SIZE.height * COLOR_BYTES)
    }
}

/// Size in texels: colours of a region, regions.
const SIZE: wgpu::Extent3d = wgpu::Extent3d {
    width: RAMP_LEN as u32,
    height: REGIONS as u32,
    depth_or_array_layers: 1,
};

/// Linear colour from sRGB bytes (red lowest).
fn linear(srgb: u32, alpha: f32) -> [f32; 4] {
    let channel = |shift: u32| linear_from_srgb(f32::from((srgb >> shift) as u8) / 255.0);
    [channel(0), channel(8), channel(16), alpha]
}
