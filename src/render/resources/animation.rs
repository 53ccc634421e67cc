//! A character's animation data on the GPU, by technique: matrices, baked vertices, or none.

use glam::Mat4;

use crate::{
    atlas::{AtlasFormat, vertex::VertexAtlas},
    character::Character,
    config::Technique,
    gpu::{Gpu, GpuError, buffer_with},
    render::resources::{AtlasSource, atlas as atlas_upload, atlas::Resource},
};

/// What binding 2 (and 3) of the character group hold.
pub(crate) struct Animation {
    pub(crate) resource: Resource,
    /// Per-frame position ranges of baked vertices.
    pub(crate) ranges: Option<wgpu::Buffer>,
    /// Format in force; F32 where the technique has its own encoding.
    pub(crate) format: AtlasFormat,
    /// Source in force; techniques that exist for storage only say so.
    pub(crate) source: AtlasSource,
    pub(crate) decode_min: [f32; 12],
    pub(crate) decode_size: [f32; 12],
    /// GPU bytes.
    pub(crate) bytes: u64,
}

impl Animation {
    /// Encodes and uploads what `technique` reads.
    pub(crate) fn upload(
        gpu: &Gpu,
        character: &Character,
        technique: Technique,
        format: AtlasFormat,
        source: AtlasSource,
    ) -> Result<Self, GpuError> {
        match technique {
            Technique::Matrix => matrices(gpu, character, format, source),
            Technique::Vertex => vertices(gpu, character, source),
            Technique::Naive => wide_matrices(gpu, character),
            // Live palettes belong to the instances; static reads nothing.
            Technique::Live | Technique::Static => Ok(Self::storage(empty(gpu), 0)),
        }
    }

    fn storage(buffer: wgpu::Buffer, bytes: u64) -> Self {
        Self {
            resource: Resource::Buffer(buffer),
            ranges: None,
            format: AtlasFormat::F32,
            source: AtlasSource::Storage,
            decode_min: [0.0; 12],
            decode_size: [1.0; 12],
            bytes,
        }
    }
}

/// Bytes of animation data that `technique` would upload, without building them.
#[must_use]
pub fn animation_bytes(character: &Character, technique: Technique, format: AtlasFormat) -> u64 {
    let palettes = &character.palettes;
    let matrices = (palettes.frame_count * palettes.slot_count) as u64;
    match technique {
        Technique::Matrix => matrices * format.matrix_bytes() as u64,
        Technique::Vertex => VertexAtlas::byte_size(&character.model, palettes),
        Technique::Naive => matrices * 64,
        Technique::Live | Technique::Static => 0,
    }
}

fn empty(gpu: &Gpu) -> wgpu::Buffer {
    buffer_with(gpu, "no animation", &[0; 64], wgpu::BufferUsages::STORAGE)
}

fn matrices(gpu: &Gpu, character: &Character, format: AtlasFormat, source: AtlasSource) -> Result<Animation, GpuError> {
    let atlas = character.atlas(format);
    let (resource, bytes) = atlas_upload::matrices(gpu, &atlas, source, &character.model.name)?;
    Ok(Animation {
        resource,
        ranges: None,
        format,
        source,
        decode_min: atlas.decode_min,
        decode_size: atlas.decode_size,
        bytes,
    })
}

fn vertices(gpu: &Gpu, character: &Character, source: AtlasSource) -> Result<Animation, GpuError> {
    let needed = animation_bytes(character, Technique::Vertex, AtlasFormat::F32);
    // Checked before baking: the vertices of a long clip list can exceed memory.
    atlas_upload::check_vertices(gpu, needed, source, &character.model)?;
    let baked = character.vertex_atlas();
    let (resource, bytes) = atlas_upload::vertices(gpu, &baked, source);
    let ranges = frame_ranges(character, &baked);
    let ranges = buffer_with(
        gpu,
        "frame ranges",
        bytemuck::cast_slice(&ranges),
        wgpu::BufferUsages::STORAGE,
    );
    Ok(Animation {
        bytes: bytes + ranges.size(),
        resource,
        ranges: Some(ranges),
        format: AtlasFormat::F32,
        source,
        decode_min: [0.0; 12],
        decode_size: [1.0; 12],
    })
}

/// `FrameRange` of shaders/shared/baked_vertex.wgsl for every frame: its clip's range.
fn frame_ranges(character: &Character, baked: &VertexAtlas) -> Vec<[[f32; 4]; 2]> {
    let clips = character.palettes.clips.iter().zip(&baked.ranges);
    clips
        .flat_map(|(clip, range)| {
            let row = [range.min.extend(0.0).to_array(), range.size.extend(0.0).to_array()];
            std::iter::repeat_n(row, clip.frame_count as usize)
        })
        .collect()
}

fn wide_matrices(gpu: &Gpu, character: &Character) -> Result<Animation, GpuError> {
    let bytes = animation_bytes(character, Technique::Naive, AtlasFormat::F32);
    let what = format!("the 4x4 matrices of {}", character.model.name);
    gpu.check_storage(&what, bytes, "use a character with fewer clips")?;
    let wide: Vec<Mat4> = character.palettes.matrices.iter().map(|m| Mat4::from(*m)).collect();
    let buffer = buffer_with(
        gpu,
        "4x4 matrices",
        bytemuck::cast_slice(&wide),
        wgpu::BufferUsages::STORAGE,
    );
    Ok(Animation::storage(buffer, bytes))
}
