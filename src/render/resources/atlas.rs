//! Animation data on the GPU as a layered texture or a storage buffer. Addresses: shaders/shared/atlas.wgsl and
//! shaders/shared/baked_vertex.wgsl.

use std::borrow::Cow;

use crate::{
    atlas::{
        Atlas, Texel,
        baked_vertex::{VertexAtlas, WORDS_WITH_TANGENTS, words_per_vertex},
    },
    gpu::{Gpu, GpuError, buffer_with},
    model::Model,
    render::resources::layout::{MATRICES_PER_ROW, ROWS_PER_LAYER, VERTICES_PER_ROW},
};

/// Source from which shaders read matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum AtlasSource {
    /// `textureLoad` from a 2D array texture.
    Texture,
    /// Storage buffer.
    #[default]
    Storage,
}

impl AtlasSource {
    /// All sources.
    pub const ALL: [Self; 2] = [Self::Texture, Self::Storage];

    /// Name as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Storage => "storage",
        }
    }

    /// Condition of the shader sources that selects it, if it needs one.
    #[must_use]
    pub const fn condition(self) -> Option<&'static str> {
        match self {
            Self::Texture => Some("atlas_texture"),
            Self::Storage => None,
        }
    }
}

/// Uploaded data.
#[derive(Clone)]
pub(crate) enum Resource {
    Texture(wgpu::TextureView),
    Buffer(wgpu::Buffer),
}

impl Resource {
    pub(crate) fn binding(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Texture(view) => wgpu::BindingResource::TextureView(view),
            Self::Buffer(buffer) => buffer.as_entire_binding(),
        }
    }
}

/// Uploads an atlas; returns the resource and the bytes it occupies on the GPU.
pub(crate) fn matrices(gpu: &Gpu, atlas: &Atlas, source: AtlasSource, name: &str) -> Result<(Resource, u64), GpuError> {
    let what = format!("the {} animation atlas of {name}", atlas.format.name());
    let row = TextureRowSize {
        texels: MATRICES_PER_ROW * atlas.format.matrix_texels() as u32,
        bytes: MATRICES_PER_ROW as usize * atlas.format.matrix_bytes(),
    };
    let hint = "choose --format f16 or trs16, or bake at a lower rate";
    check(gpu, &what, atlas.bytes.len() as u64, source, row, hint)?;
    let format = match atlas.format.facts().texel {
        Texel::Float32 => wgpu::TextureFormat::Rgba32Float,
        Texel::Float16 => wgpu::TextureFormat::Rgba16Float,
        Texel::Unorm8 => wgpu::TextureFormat::Rgba8Unorm,
        Texel::Uint32 => wgpu::TextureFormat::Rgba32Uint,
    };
    Ok(upload(gpu, &atlas.bytes, source, row, format))
}

/// Texture row of baked vertices of `words_per_vertex`.
fn vertex_row(words_per_vertex: usize) -> TextureRowSize {
    TextureRowSize {
        texels: VERTICES_PER_ROW,
        bytes: VERTICES_PER_ROW as usize * 4 * words_per_vertex,
    }
}

/// Returns an error if baked vertices of this size do not fit the device.
pub(crate) fn check_vertices(gpu: &Gpu, bytes: u64, source: AtlasSource, model: &Model) -> Result<(), GpuError> {
    let what = format!("the baked vertices of {}", model.name);
    check(
        gpu,
        &what,
        bytes,
        source,
        vertex_row(words_per_vertex(model)),
        "use --technique matrix, which needs far less memory, or bake at a lower rate",
    )
}

/// Uploads baked vertices; returns the resource and the bytes it occupies on the GPU.
pub(crate) fn vertices(gpu: &Gpu, baked: &VertexAtlas, source: AtlasSource) -> (Resource, u64) {
    let bytes = bytemuck::cast_slice(&baked.words[..]);
    let format = if baked.words_per_vertex == WORDS_WITH_TANGENTS {
        wgpu::TextureFormat::Rgba32Uint
    } else {
        wgpu::TextureFormat::Rg32Uint
    };
    upload(gpu, bytes, source, vertex_row(baked.words_per_vertex), format)
}

/// Width of a texture row.
#[derive(Clone, Copy)]
struct TextureRowSize {
    texels: u32,
    bytes: usize,
}

fn check(
    gpu: &Gpu,
    what: &str,
    bytes: u64,
    source: AtlasSource,
    row: TextureRowSize,
    hint: &str,
) -> Result<(), GpuError> {
    if source == AtlasSource::Storage {
        return gpu.check_storage(what, bytes, &format!("use --atlas texture, or {hint}"));
    }
    let layers = bytes.div_ceil(row.bytes as u64).div_ceil(u64::from(ROWS_PER_LAYER));
    let limit = u64::from(gpu.limits.max_texture_array_layers);
    if layers <= limit {
        return Ok(());
    }
    Err(GpuError::TooLarge {
        what: what.to_owned(),
        needed: bytes,
        name: gpu.facts.name.clone(),
        limit: limit * u64::from(ROWS_PER_LAYER) * row.bytes as u64,
        limit_name: "max_texture_array_layers",
        hint: hint.to_owned(),
    })
}

fn upload(
    gpu: &Gpu,
    bytes: &[u8],
    source: AtlasSource,
    row: TextureRowSize,
    format: wgpu::TextureFormat,
) -> (Resource, u64) {
    match source {
        AtlasSource::Storage => {
            let buffer = buffer_with(gpu, "atlas", bytes, wgpu::BufferUsages::STORAGE);
            let size = buffer.size();
            (Resource::Buffer(buffer), size)
        }
        AtlasSource::Texture => texture(gpu, bytes, row, format),
    }
}

fn texture(gpu: &Gpu, bytes: &[u8], row: TextureRowSize, format: wgpu::TextureFormat) -> (Resource, u64) {
    let rows = bytes.len().div_ceil(row.bytes).max(1) as u32;
    let layers = rows.div_ceil(ROWS_PER_LAYER);
    let height = rows.min(ROWS_PER_LAYER);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("atlas"),
        size: wgpu::Extent3d {
            width: row.texels,
            height,
            depth_or_array_layers: gpu.array_layers(layers),
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let layer_bytes = row.bytes * ROWS_PER_LAYER as usize;
    for (layer, texels) in bytes.chunks(layer_bytes).enumerate() {
        write_rows(gpu, &texture, layer as u32, texels, row);
    }
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some("atlas"),
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    });
    (
        Resource::Texture(view),
        u64::from(height) * u64::from(gpu.array_layers(layers)) * row.bytes as u64,
    )
}

/// Writes the rows of one layer; the last one is padded to a whole row.
fn write_rows(gpu: &Gpu, texture: &wgpu::Texture, layer: u32, texels: &[u8], row: TextureRowSize) {
    let rows = texels.len().div_ceil(row.bytes);
    let data = if texels.len() == rows * row.bytes {
        Cow::Borrowed(texels)
    } else {
        let mut padded = texels.to_vec();
        padded.resize(rows * row.bytes, 0);
        Cow::Owned(padded)
    };
    gpu.write_texture(
        "atlas",
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: 0,
            origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        &data,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row.bytes as u32),
            rows_per_image: None,
        },
        wgpu::Extent3d {
            width: row.texels,
            height: rows as u32,
            depth_or_array_layers: 1,
        },
    );
}
