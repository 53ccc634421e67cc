//! Technique `vertex`: a vertex animation texture. Positions and normals are baked for every frame; nothing is skinned.

use crate::{
    atlas::{AtlasFormat, baked_vertex::VertexAtlas},
    character::Character,
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        resources::{AtlasSource, atlas},
        technique::{AnimationData, AnimationSource, ErrorSource, Facts, MorphTargets, Role, VertexInput},
    },
};

pub(crate) const FACTS: Facts = Facts {
    name: "vertex",
    condition: "technique_vertex",
    source: AnimationSource::BakedVertices,
    vertices: VertexInput::Pulled,
    morphs: MorphTargets::Baked,
    heroes: false,
    lods: false,
    posed_on_cpu: false,
    error: ErrorSource::BakedFrames,
    role: Role::Alternative,
    color: [213, 94, 0],
    upload,
    bytes,
};

fn upload(gpu: &Gpu, character: &Character, _: AtlasFormat, source: AtlasSource) -> Result<AnimationData, GpuError> {
    let needed = bytes(character, AtlasFormat::F32);
    // Checked before baking: the vertices of a long clip list can exceed memory.
    atlas::check_vertices(gpu, needed, source, &character.model)?;
    let baked = character.vertex_atlas();
    let (resource, bytes) = atlas::vertices(gpu, &baked, source);
    let ranges = frame_ranges(character, &baked);
    let ranges = buffer_with(
        gpu,
        "frame ranges",
        bytemuck::cast_slice(&ranges),
        wgpu::BufferUsages::STORAGE,
    );
    let bytes = bytes + ranges.size();
    Ok(AnimationData {
        ranges: Some(ranges),
        ..AnimationData::new(resource, source, bytes)
    })
}

fn bytes(character: &Character, _: AtlasFormat) -> u64 {
    VertexAtlas::byte_size(&character.model, &character.palettes)
}

/// Position range of each frame: that of its clip. `FrameRange` in shaders/shared/baked_vertex.wgsl.
fn frame_ranges(character: &Character, baked: &VertexAtlas) -> Vec<[[f32; 4]; 2]> {
    let clips = character.palettes.clips.iter().zip(&baked.ranges);
    clips
        .flat_map(|(clip, range)| {
            let row = [range.min.extend(0.0).to_array(), range.size.extend(0.0).to_array()];
            std::iter::repeat_n(row, clip.frame_count as usize)
        })
        .collect()
}
