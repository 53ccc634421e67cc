//! Character on the GPU: vertices, indices, atlas, clips and materials, uploaded once.

use crate::{
    bake::BakedClip,
    character::Character,
    crowd::clock::to_rate,
    gpu::{Gpu, GpuError, buffer_with},
    model::{AlphaMode, Bounds, Material, TintRegion},
    render::{
        passes::attachments::SocketTracks,
        resources::{
            DrawFlags,
            attributes::AttributeMesh,
            bounds, layout,
            lods::{self, CoarserMeshes, DrawLod},
            morphs,
            pose_lods::PoseLods,
            textbook,
            textures::{self, Layers},
        },
        technique::{AnimationData, AnimationSource, DrawMethod, VertexInput},
    },
};

shader_struct!(CharacterUniforms);

shader_struct!(GpuClip);

impl From<&BakedClip> for GpuClip {
    fn from(clip: &BakedClip) -> Self {
        let cycles = if clip.duration > 0.0 {
            to_rate(1.0 / f64::from(clip.duration))
        } else {
            0
        };
        Self {
            first_frame: clip.first_frame,
            intervals: clip.frame_count.saturating_sub(1),
            cycles,
        }
    }
}

shader_struct!(GpuMaterial);

fn region(tint: TintRegion) -> u32 {
    match tint {
        TintRegion::None => layout::TINT_NONE,
        TintRegion::Skin => layout::TINT_SKIN,
        TintRegion::Hair => layout::TINT_HAIR,
        TintRegion::Cloth => layout::TINT_CLOTH,
        TintRegion::Trim => layout::TINT_TRIM,
        TintRegion::Whole => layout::TINT_WHOLE,
    }
}

impl GpuMaterial {
    fn new(m: &Material, layers: &Layers) -> Self {
        let cutoff = match m.alpha {
            AlphaMode::Opaque => 0.0,
            AlphaMode::Mask(cutoff) => cutoff.max(1e-4),
            AlphaMode::Blend => -1.0,
        };
        Self {
            base_color: m.base_color.to_array(),
            emissive: m.emissive.to_array(),
            alpha_cutoff: cutoff,
            metallic: m.metallic,
            roughness: m.roughness,
            unlit: u32::from(m.unlit),
            normal_scale: m.normal_scale,
            base_color_map: layers.color(m.base_color_texture),
            emissive_map: layers.color(m.emissive_texture),
            normal_map: layers.normals(m.normal_texture),
            metallic_roughness_map: layers.data(m.metallic_roughness_texture),
            occlusion_map: layers.data(m.occlusion_texture),
            occlusion_strength: m.occlusion_strength,
            regions: m
                .tints
                .iter()
                .rev()
                .fold(0, |regions, &tint| regions << 4 | region(tint)),
            color_occludes: u32::from(m.color_occludes),
        }
    }
}

/// Resources of a character that is ready to draw.
pub struct CharacterAssets {
    /// Name for labels and statistics.
    pub name: String,
    /// Draw method, with the format and source in use.
    pub method: DrawMethod,
    /// Number of indices of the full mesh.
    pub index_count: u32,
    /// Number of vertices of the full mesh.
    pub vertex_count: u32,
    /// Number of vertices of the full mesh and, after them, of its LODs.
    pub all_vertices: u32,
    /// LODs that can be drawn: full detail first, the coarsest last.
    pub lods: Vec<DrawLod>,
    /// Largest edge of the rest pose (m): the height that LODs were measured for.
    pub height: f32,
    /// GPU bytes of the animation data.
    pub atlas_bytes: u64,
    /// GPU bytes of everything, the animation data included.
    pub bytes: u64,
    /// Properties of meshes, materials and clips. Those of a draw alone are left out, and morph targets.
    pub flags: DrawFlags,
    /// LODs of technique `preskinned`; empty for others.
    pub pose_lods: PoseLods,
    pub(crate) index_format: wgpu::IndexFormat,
    pub(crate) indices: wgpu::Buffer,
    pub(crate) uniforms: CharacterUniforms,
    pub(crate) vertices: wgpu::Buffer,
    pub(crate) animation: AnimationData,
    pub(crate) attributes: Option<AttributeMesh>,
    pub(crate) morphs: Option<wgpu::Buffer>,
    pub(crate) clips: wgpu::Buffer,
    /// Bounds over clips, for culling.
    pub(crate) bounds: wgpu::Buffer,
    /// Time of each frame of the atlas.
    pub(crate) frame_times: wgpu::Buffer,
    pub(crate) sockets: SocketTracks,
    pub(crate) surface: SurfaceResources,
}

/// Materials and their textures.
pub(crate) struct SurfaceResources {
    pub(crate) materials: wgpu::Buffer,
    /// Base colours and emission.
    pub(crate) color_maps: wgpu::TextureView,
    /// Normals, metallic-roughness and occlusion.
    pub(crate) data_maps: wgpu::TextureView,
    pub(crate) sampler: wgpu::Sampler,
}

impl CharacterAssets {
    /// Encodes and uploads a character for a technique.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the animation data does not fit the device.
    pub fn upload(gpu: &Gpu, character: &Character, method: DrawMethod) -> Result<Self, GpuError> {
        let animation = (method.technique.facts().upload)(gpu, character, method.format, method.source)?;
        Self::with_animation(gpu, character, method, animation)
    }

    /// Uploads as [`CharacterAssets::upload`] does, but reuses the atlas of `peer`, drawn by the same method.
    pub(crate) fn upload_with_atlas_of(
        peer: &Self,
        gpu: &Gpu,
        character: &Character,
        method: DrawMethod,
    ) -> Result<Self, GpuError> {
        Self::with_animation(gpu, character, method, peer.animation.shared())
    }

    /// True if two characters read one atlas under a method.
    pub(crate) fn share_atlas(method: DrawMethod, one: &Character, other: &Character) -> bool {
        method.technique.facts().source == AnimationSource::Atlas && one.shares_atlas(other)
    }

    fn with_animation(
        gpu: &Gpu,
        character: &Character,
        method: DrawMethod,
        animation: AnimationData,
    ) -> Result<Self, GpuError> {
        let Character { model, packed, .. } = character;
        let storage = wgpu::BufferUsages::STORAGE;
        let technique = method.technique.facts();
        let layers = Layers::of(gpu, model);
        let textures = layers.upload(gpu, model);
        let coarser = lods::of(character, method.technique);
        let (indices, index_format) = index_buffer(gpu, &coarser.indices(packed), coarser.vertex_count(packed));
        let pose_lods = match technique.source {
            AnimationSource::PosedVertices => PoseLods::of(character, &coarser),
            _ => PoseLods::default(),
        };
        let bounds = bounds::rows(character, method, &animation, &coarser, &pose_lods);
        let bounds = buffer_with(gpu, "bounds", bytemuck::cast_slice(&bounds), storage);
        let baked = &character.palettes.clips;
        let clips: Vec<GpuClip> = baked.iter().map(GpuClip::from).collect();
        let times: Vec<u32> = baked.iter().flat_map(|c| c.times.shares()).copied().collect();
        let materials: Vec<GpuMaterial> = model.materials.iter().map(|m| GpuMaterial::new(m, &layers)).collect();
        let vertices = buffer_with(gpu, "vertices", &coarser.vertex_bytes(packed), storage);
        let clips = buffer_with(gpu, "clips", bytemuck::cast_slice(&clips), storage);
        let frame_times = buffer_with(gpu, "frame times", bytemuck::cast_slice(&times), storage);
        let materials = buffer_with(gpu, "materials", bytemuck::cast_slice(&materials), storage);
        let attributes = match technique.vertices {
            VertexInput::Pulled => None,
            VertexInput::Interleaved => Some(textbook::upload(gpu, character)),
        };
        let morphs = morphs::upload(gpu, character, &coarser, method.technique)?;
        let tables = indices.size() + vertices.size() + clips.size() + frame_times.size() + materials.size();
        let sockets = SocketTracks::upload(gpu, character, method.technique);
        let extra = sockets.rows.size()
            + bounds.size()
            + attributes.as_ref().map_or(0, AttributeMesh::bytes)
            + morphs.as_ref().map_or(0, wgpu::Buffer::size);
        Ok(Self {
            name: model.name.clone(),
            method: DrawMethod::new(method.technique, animation.format, animation.source),
            index_count: packed.indices.len() as u32,
            vertex_count: packed.vertices.len() as u32,
            all_vertices: coarser.vertex_count(packed) as u32,
            atlas_bytes: animation.bytes,
            bytes: animation.bytes + textures.bytes + tables + extra,
            flags: draw_flags(character, technique.source),
            lods: coarser.draws(packed),
            height: character.largest_edge(),
            pose_lods,
            index_format,
            indices,
            uniforms: uniforms(character, &animation, &coarser),
            vertices,
            animation,
            attributes,
            morphs,
            clips,
            bounds,
            frame_times,
            sockets,
            surface: SurfaceResources {
                materials,
                color_maps: textures.colors,
                data_maps: textures.data,
                sampler: textures::sampler(gpu),
            },
        })
    }
}

/// Properties of a character that select shader code, for a technique that animates from `source`.
pub(crate) fn draw_flags(character: &Character, source: AnimationSource) -> DrawFlags {
    let Character { model, packed, .. } = character;
    let any = |has: fn(&Material) -> bool| model.materials.iter().any(has);
    let rows = [
        (DrawFlags::TEXTURED, any(|m| m.base_color_texture.is_some())),
        (DrawFlags::SURFACE_MAPS, any(Material::has_surface_maps)),
        (DrawFlags::NORMAL_MAPPED, model.has_normal_maps()),
        (
            DrawFlags::SAMPLER_EMULATION,
            any(|m| m.textures().any(|(_, t)| !t.is_plain())),
        ),
        (DrawFlags::EXTENDED_VERTEX, packed.is_extended()),
        (DrawFlags::EIGHT_INFLUENCES, packed.has_eight_influences()),
        (DrawFlags::ALPHA_TEST, any(|m| m.alpha != AlphaMode::Opaque)),
        (DrawFlags::DOUBLE_SIDED, any(|m| m.double_sided)),
        (
            DrawFlags::MIRRORED,
            model.mirrored && source != AnimationSource::RestPose,
        ),
        (DrawFlags::FLAT_SHADED, model.flat),
    ];
    rows.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag).collect()
}

/// Index buffer and its format: 16-bit if that addresses every vertex.
fn index_buffer(gpu: &Gpu, indices: &[u32], vertex_count: usize) -> (wgpu::Buffer, wgpu::IndexFormat) {
    let usage = wgpu::BufferUsages::INDEX;
    if vertex_count <= 1 << 16 {
        let mut narrow: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
        // Buffer sizes are multiples of four bytes.
        narrow.resize(narrow.len().next_multiple_of(2), 0);
        let buffer = buffer_with(gpu, "indices", bytemuck::cast_slice(&narrow), usage);
        (buffer, wgpu::IndexFormat::Uint16)
    } else {
        let buffer = buffer_with(gpu, "indices", bytemuck::cast_slice(indices), usage);
        (buffer, wgpu::IndexFormat::Uint32)
    }
}

fn uniforms(character: &Character, animation: &AnimationData, coarser: &CoarserMeshes<'_>) -> CharacterUniforms {
    let (unit, mesh) = (character.unit, &character.packed);
    let offset = |bounds: Bounds| (bounds.min - unit.centre) / unit.half_extent;
    let scale = |bounds: Bounds| bounds.size() / unit.half_extent;
    let coarse = coarser.bounds().unwrap_or(mesh.bounds);
    CharacterUniforms {
        position_offset: offset(mesh.bounds).extend(0.0).to_array(),
        position_scale: scale(mesh.bounds).extend(0.0).to_array(),
        first_biased: coarser.first_biased(mesh),
        lod_offset: offset(coarse).extend(0.0).to_array(),
        lod_scale: scale(coarse).extend(0.0).to_array(),
        uv_offset: mesh.uv_min.to_array(),
        uv_scale: mesh.uv_size.to_array(),
        unit_centre: unit.centre.to_array(),
        unit_half_extent: unit.half_extent,
        decode_min: bytemuck::cast(animation.decode_min),
        decode_size: bytemuck::cast(animation.decode_size),
        slot_count: character.palettes.slot_count as u32,
        clip_count: character.palettes.clips.len() as u32,
        vertex_count: mesh.vertices.len() as u32,
        // The crowd's part is added with its instances.
        ..CharacterUniforms::default()
    }
}
