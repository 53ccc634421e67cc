//! An atlas on the GPU: a layered texture or a storage buffer. Address scheme in
//! shaders/shared/atlas.wgsl.

use std::borrow::Cow;

use crate::{
    atlas::{Atlas, AtlasFormat},
    gpu::{Gpu, GpuError, buffer_with},
};

/// Where the shader reads matrices from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtlasSource {
    /// `textureLoad` from a 2D array texture.
    #[default]
    Texture,
    /// Storage buffer.
    Storage,
}

/// Matrices in one texture row; a power of two so that addressing needs no division.
pub(super) const MATRICES_PER_ROW: u32 = 1 << 10;
/// Texture rows in one layer.
pub(super) const ROWS_PER_LAYER: u32 = 1 << 13;

/// The uploaded texels.
pub(super) enum AtlasResource {
    Texture(wgpu::TextureView),
    Buffer(wgpu::Buffer),
}

impl AtlasResource {
    pub(super) fn binding(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Texture(view) => wgpu::BindingResource::TextureView(view),
            Self::Buffer(buffer) => buffer.as_entire_binding(),
        }
    }
}

/// Uploads; returns the resource and the bytes it occupies on the GPU.
pub(super) fn upload(gpu: &Gpu, atlas: &Atlas, source: AtlasSource, name: &str) -> Result<(AtlasResource, u64), GpuError> {
    match source {
        AtlasSource::Storage => {
            gpu.check_storage(
                &format!("the {} animation atlas of {name}", atlas.format.name()),
                atlas.bytes.len() as u64,
                "read it as a texture, choose --format f16 or trs16, or bake at a lower rate",
            )?;
            let buffer = buffer_with(gpu, "atlas", &atlas.bytes, wgpu::BufferUsages::STORAGE);
            let bytes = buffer.size();
            Ok((AtlasResource::Buffer(buffer), bytes))
        }
        AtlasSource::Texture => texture(gpu, atlas, name),
    }
}

fn texel_format(format: AtlasFormat) -> wgpu::TextureFormat {
    match format {
        AtlasFormat::F32 => wgpu::TextureFormat::Rgba32Float,
        AtlasFormat::F16 => wgpu::TextureFormat::Rgba16Float,
        AtlasFormat::Unorm8 => wgpu::TextureFormat::Rgba8Unorm,
        AtlasFormat::Trs16 => wgpu::TextureFormat::Rgba32Uint,
    }
}

fn texture(gpu: &Gpu, atlas: &Atlas, name: &str) -> Result<(AtlasResource, u64), GpuError> {
    let matrices = u64::from(atlas.frame_count) * u64::from(atlas.slot_count);
    let rows = matrices.div_ceil(u64::from(MATRICES_PER_ROW)).max(1);
    let layers = rows.div_ceil(u64::from(ROWS_PER_LAYER));
    let limit = u64::from(gpu.limits.max_texture_array_layers);
    let layer_bytes = u64::from(MATRICES_PER_ROW * ROWS_PER_LAYER) * atlas.format.matrix_bytes() as u64;
    if layers > limit {
        return Err(GpuError::TooLarge {
            what: format!("the {} animation atlas of {name}", atlas.format.name()),
            needed: atlas.bytes.len() as u64,
            name: gpu.facts.name.clone(),
            limit: limit * layer_bytes,
            limit_name: "max_texture_array_layers",
            remedy: "choose --format f16 or trs16, or bake at a lower rate".into(),
        });
    }
    let width = MATRICES_PER_ROW * atlas.format.matrix_texels() as u32;
    let height = (rows as u32).min(ROWS_PER_LAYER);
    let size = wgpu::Extent3d {
        width,
        height,
        depth_or_array_layers: layers as u32,
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("atlas"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: texel_format(atlas.format),
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let row_bytes = MATRICES_PER_ROW as usize * atlas.format.matrix_bytes();
    let layer_rows = row_bytes * ROWS_PER_LAYER as usize;
    for (layer, texels) in atlas.bytes.chunks(layer_rows).enumerate() {
        write_rows(gpu, &texture, layer as u32, texels, row_bytes, width);
    }
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    });
    let bytes = u64::from(height) * layers * row_bytes as u64;
    Ok((AtlasResource::Texture(view), bytes))
}

/// Writes the rows of one layer; the last one is padded to a whole row.
fn write_rows(gpu: &Gpu, texture: &wgpu::Texture, layer: u32, texels: &[u8], row_bytes: usize, width: u32) {
    let rows = texels.len().div_ceil(row_bytes);
    let data = if texels.len() == rows * row_bytes {
        Cow::Borrowed(texels)
    } else {
        let mut padded = texels.to_vec();
        padded.resize(rows * row_bytes, 0);
        Cow::Owned(padded)
    };
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: 0,
            origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        &data,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row_bytes as u32),
            rows_per_image: None,
        },
        wgpu::Extent3d {
            width,
            height: rows as u32,
            depth_or_array_layers: 1,
        },
    );
}
