//! Bind group layouts that passes share.

use wgpu::{
    ShaderStages,
    TextureViewDimension::{D2, D2Array},
};

use crate::{
    atlas::Texel,
    gpu::{Binding, Gpu, bind_group_layout},
    render::{
        passes::{
            DrawVariant,
            animate::{ANIMATE_CHARACTER, ANIMATE_CROWD, ANIMATE_RECOLORED},
            background_compute::DrawnBy,
            raster::{
                RasterOutput, StorageRoom,
                bindings::{COMPOSITE, CORNERS, SHADE_VISIBILITY, SLOTS, SPREAD, TILES, rasterise},
                unsupported_reason,
            },
            triangle_cull::TriangleCullLayouts,
        },
        resources::{AtlasSource, DrawFlags},
        targets::HDR_FORMAT,
        technique::{AnimationSource, DrawMethod},
    },
};

/// Bind group layouts; group 1 depends on the source of the atlas.
pub struct Layouts {
    /// Group 0 without the shadow map: shadow pass, animate.
    pub frame: wgpu::BindGroupLayout,
    /// Group 0 with the shadow map, a host's light and the crowd shadow grid: lit passes.
    pub lit_frame: wgpu::BindGroupLayout,
    /// Group 0 of the pass `background_compute`, with the software rasterizer's shadow map if it exists.
    pub shaded_frame: wgpu::BindGroupLayout,
    /// Group 0 of the pass `shade_visibility`: no crowd shadow grid, and no storage buffer on devices of few.
    pub surface_frame: wgpu::BindGroupLayout,
    /// Group 1 of animate.
    pub animate_character: wgpu::BindGroupLayout,
    /// Group 2 of animate.
    pub animate_crowd: wgpu::BindGroupLayout,
    /// Group 2 of animate for people whose clothes change their colour.
    pub animate_recolored: wgpu::BindGroupLayout,
    /// Group 2 of drawing passes.
    pub crowd: wgpu::BindGroupLayout,
    /// Group 2 of drawing passes, with heroes or actors.
    pub heroed_crowd: wgpu::BindGroupLayout,
    /// Group 1 of the heroes pass.
    pub heroes: wgpu::BindGroupLayout,
    /// Group 3 of the probe.
    pub probe: wgpu::BindGroupLayout,
    /// Group 1 of the live pass.
    pub live: wgpu::BindGroupLayout,
    /// Group 1 of the pass `quantize_time`, which snaps people to time steps.
    pub moments: wgpu::BindGroupLayout,
    /// Group 1 of the passes that find the distinct poses of a frame.
    pub poses: wgpu::BindGroupLayout,
    /// Group 2 of the pass `preskin`, which skins them.
    pub preskin: wgpu::BindGroupLayout,
    /// Group 1 of the attachment pass.
    pub attachments: wgpu::BindGroupLayout,
    /// Group 1 of the draw list passes that read people: select, occlusion_cull.
    pub crowd_visibility: wgpu::BindGroupLayout,
    /// Group 1 of the draw list passes that read lists only: scan, scatter.
    pub draw_lists: wgpu::BindGroupLayout,
    /// Group 2 of the passes that use the depth pyramid.
    pub pyramid: wgpu::BindGroupLayout,
    /// Group 2 of the pass that fills the crowd shadow grid.
    pub crowd_shadow: wgpu::BindGroupLayout,
    /// Group 1 of the pass `slots`, which assigns triangle ids.
    pub slots: wgpu::BindGroupLayout,
    /// Group 3 of the pass `rasterise`: by output, then without and with a vertex cache.
    rasterise: [[wgpu::BindGroupLayout; 2]; 3],
    /// Groups of triangle culling, and of the draws of compacted index buffers.
    pub(crate) triangle_cull: TriangleCullLayouts,
    /// Group 1 of the pass `large_triangles`.
    pub large_triangles: wgpu::BindGroupLayout,
    /// Group 1 of the pass `tiles`, which lists the screen tiles of draws.
    pub tiles: wgpu::BindGroupLayout,
    /// Group 2 of the pass that fills the vertex cache.
    pub corners: wgpu::BindGroupLayout,
    /// Group 3 of the pass `shade_visibility`.
    pub shade_visibility: wgpu::BindGroupLayout,
    /// Group 1 of the pass `composite`, which draws the shaded result.
    pub composite: wgpu::BindGroupLayout,
    /// Composite group of the shadow map.
    pub composite_shadow: wgpu::BindGroupLayout,
    /// Group 1 of the pass `ids`, which merges ids of both rasterizers.
    pub ids: wgpu::BindGroupLayout,
    /// Group 1 of `background_compute`, for pictures without hardware draws.
    background_sw_raster: wgpu::BindGroupLayout,
    /// Background groups of multisampled pictures: with both rasterizers, and with the hardware's alone.
    background_samples: [wgpu::BindGroupLayout; 2],
    background_pixels: [wgpu::BindGroupLayout; 2],
    /// Group 3 of the AOV pass.
    pub aov: wgpu::BindGroupLayout,
    /// Groups of ids that also count amodal masks.
    pub amodal_masks: wgpu::BindGroupLayout,
    /// Group 1 of the pass `pyramid`, for the depth of the visibility buffer.
    pub depth_words: wgpu::BindGroupLayout,
    depth_samples: wgpu::BindGroupLayout,
    depth_pixels: wgpu::BindGroupLayout,
    /// Group 1 of the rest pose, without animation data.
    rest_pose: wgpu::BindGroupLayout,
    matrix_texture: wgpu::BindGroupLayout,
    matrix_uint: wgpu::BindGroupLayout,
    matrix_storage: wgpu::BindGroupLayout,
    vertex_texture: wgpu::BindGroupLayout,
    vertex_storage: wgpu::BindGroupLayout,
    /// Group 1 with morph targets, as the three of matrices without.
    morph_texture: wgpu::BindGroupLayout,
    morph_uint: wgpu::BindGroupLayout,
    morph_storage: wgpu::BindGroupLayout,
}

impl Layouts {
    /// Makes all layouts.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let made = |label, rows: &[BindingEntry]| bind_group_layout(gpu, label, rows);
        let shaded = |label, rows: &[BindingEntry]| bind_group_layout(gpu, label, &shaded_in_compute(gpu, rows));
        let heroed = [&CROWD[..], &[(3, VERTEX, Binding::Storage)]].concat();
        Self {
            frame: made("frame", &LIT_FRAME[..1]),
            lit_frame: made("lit frame", &LIT_FRAME),
            shaded_frame: made("shaded frame", &SHADED_FRAME),
            surface_frame: made("surface frame", surface_frame(StorageRoom::of(gpu))),
            animate_character: made("animate character", &ANIMATE_CHARACTER),
            animate_crowd: made("animate crowd", &ANIMATE_CROWD),
            animate_recolored: made("animate recolored crowd", &ANIMATE_RECOLORED),
            crowd: shaded("crowd", &CROWD),
            heroed_crowd: shaded("crowd with heroes", &heroed),
            heroes: made("heroes", &HEROES),
            probe: made("probe", &WRITTEN),
            live: made("live", &LIVE),
            moments: made("moments", &MOMENTS),
            poses: made("poses", &POSES),
            preskin: made("preskin", &PRESKIN),
            attachments: made("attachments", &ATTACHMENTS),
            crowd_visibility: made("visible people", &SEEN),
            draw_lists: made("draw_lists", &DRAW_LISTS),
            pyramid: made("pyramid", &PYRAMID),
            crowd_shadow: made("crowd_shadow", &WRITTEN),
            slots: made("slots", &SLOTS),
            rasterise: RasterOutput::ALL
                .map(|output| [false, true].map(|baked| made("rasterise", &rasterise(output, baked)))),
            triangle_cull: TriangleCullLayouts::new(gpu),
            large_triangles: made("large_triangles", &SPREAD),
            tiles: made("tiles", &TILES),
            corners: made("vertex_cache", &CORNERS),
            shade_visibility: made("shade_visibility", &SHADE_VISIBILITY),
            composite: made("composite", &COMPOSITE),
            composite_shadow: made("composite shadow", &COMPOSITE[..2]),
            ids: made("ids", &IDS),
            background_sw_raster: made("background_compute", &background_compute(Binding::TextureLoad(D2))[..4]),
            background_samples: [0, DRAWN].map(|from| {
                made(
                    "background_compute",
                    &background_compute(Binding::TextureSamples)[from..],
                )
            }),
            background_pixels: [0, DRAWN].map(|from| {
                made(
                    "background_compute",
                    &background_compute(Binding::TextureLoad(D2))[from..5],
                )
            }),
            aov: made("aov", &AMODAL[..1]),
            amodal_masks: made("amodal masks", &AMODAL),
            depth_words: made(
                "rasterised depth",
                &[(0, COMPUTE, Binding::Uniform), (1, COMPUTE, Binding::Storage)],
            ),
            depth_samples: made("drawn depth", &[(0, COMPUTE, Binding::TextureSamples)]),
            depth_pixels: made("drawn depth", &[(0, COMPUTE, Binding::TextureLoad(D2))]),
            rest_pose: character(gpu, &[]),
            matrix_texture: character(gpu, &[animation(Binding::TextureLoad(D2Array))]),
            matrix_uint: character(gpu, &[animation(Binding::TextureUint(D2Array))]),
            matrix_storage: character(gpu, &[animation(Binding::Storage)]),
            vertex_texture: character(gpu, &[animation(Binding::TextureUint(D2Array)), FRAME_RANGES]),
            vertex_storage: character(gpu, &[animation(Binding::Storage), FRAME_RANGES]),
            morph_texture: character(gpu, &[animation(Binding::TextureLoad(D2Array)), MORPHS]),
            morph_uint: character(gpu, &[animation(Binding::TextureUint(D2Array)), MORPHS]),
            morph_storage: character(gpu, &[animation(Binding::Storage), MORPHS]),
        }
    }

    /// Group 1 of `background_compute` for a picture with `samples` per pixel.
    pub(crate) fn background_compute(&self, drawn_by: DrawnBy, samples: u32) -> &wgpu::BindGroupLayout {
        let [both, alone] = match samples {
            1 => &self.background_pixels,
            _ => &self.background_samples,
        };
        match drawn_by {
            DrawnBy::Both => both,
            DrawnBy::Software => &self.background_sw_raster,
            DrawnBy::Hardware => alone,
        }
    }

    /// Group 1 of the pass `pyramid`, for hardware depth with `samples` per pixel.
    pub(crate) fn drawn_depth(&self, samples: u32) -> &wgpu::BindGroupLayout {
        if samples > 1 {
            &self.depth_samples
        } else {
            &self.depth_pixels
        }
    }

    /// Group 3 of the pass `rasterise` for an output, with a vertex cache if `baked`.
    #[must_use]
    pub fn rasterise(&self, output: RasterOutput, baked: bool) -> &wgpu::BindGroupLayout {
        &self.rasterise[output as usize][usize::from(baked)]
    }

    /// Group 2 of drawing passes.
    #[must_use]
    pub fn instances(&self, variant: DrawVariant) -> &wgpu::BindGroupLayout {
        if variant.flags.intersects(DrawFlags::HEROES | DrawFlags::ACTORS) {
            &self.heroed_crowd
        } else {
            &self.crowd
        }
    }

    /// Group 1 of drawing passes, by the animation data that the technique reads and its source.
    #[must_use]
    pub fn character(&self, variant: DrawVariant) -> &wgpu::BindGroupLayout {
        let DrawMethod {
            technique,
            format,
            source,
        } = variant.method;
        match technique.facts().source {
            AnimationSource::RestPose => &self.rest_pose,
            // Pose slots use the binding of frame ranges.
            AnimationSource::PosedVertices => &self.vertex_storage,
            AnimationSource::BakedVertices => match source {
                AtlasSource::Texture => &self.vertex_texture,
                AtlasSource::Storage => &self.vertex_storage,
            },
            AnimationSource::Atlas | AnimationSource::FullMatrices | AnimationSource::LivePalettes => {
                match (source, format.facts().texel, variant.has(DrawFlags::MORPHS)) {
                    (AtlasSource::Storage, _, false) => &self.matrix_storage,
                    (AtlasSource::Storage, _, true) => &self.morph_storage,
                    (AtlasSource::Texture, Texel::Uint32, false) => &self.matrix_uint,
                    (AtlasSource::Texture, Texel::Uint32, true) => &self.morph_uint,
                    (AtlasSource::Texture, Texel::Float32 | Texel::Float16 | Texel::Unorm8, false) => {
                        &self.matrix_texture
                    }
                    (AtlasSource::Texture, Texel::Float32 | Texel::Float16 | Texel::Unorm8, true) => {
                        &self.morph_texture
                    }
                }
            }
        }
    }
}

/// Binding number, stages, kind.
pub(in crate::render) type BindingEntry = (u32, ShaderStages, Binding);

pub(in crate::render) const COMPUTE: ShaderStages = ShaderStages::COMPUTE;
/// Stages of vertex data. The probe, a compute pass, reads it, too.
const VERTEX: ShaderStages = ShaderStages::VERTEX.union(COMPUTE);

/// Frame; shadow map and its sampler, a host's light, the crowd shadow grid.
const LIT_FRAME: [BindingEntry; 5] = [
    (0, ShaderStages::VERTEX_FRAGMENT.union(COMPUTE), Binding::Uniform),
    (1, ShaderStages::FRAGMENT, Binding::Depth),
    (2, ShaderStages::FRAGMENT, Binding::CompareSampler),
    (3, ShaderStages::FRAGMENT, Binding::Uniform),
    (4, ShaderStages::FRAGMENT, Binding::Storage),
];
/// Rows of the frame group in compute: the last is the shadow map buffer.
const SHADED_FRAME: [BindingEntry; 6] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Depth),
    (2, COMPUTE, Binding::CompareSampler),
    (3, COMPUTE, Binding::Uniform),
    (4, COMPUTE, Binding::Storage),
    (5, COMPUTE, Binding::Storage),
];
/// Rows of [`SHADED_FRAME`] without storage buffers.
const SURFACE_FRAME: [BindingEntry; 4] = [SHADED_FRAME[0], SHADED_FRAME[1], SHADED_FRAME[2], SHADED_FRAME[3]];
/// Rows of [`SHADED_FRAME`] without the crowd shadow grid, which the ground alone receives.
const SURFACE_FRAME_WITH_WORDS: [BindingEntry; 5] = [
    SHADED_FRAME[0],
    SHADED_FRAME[1],
    SHADED_FRAME[2],
    SHADED_FRAME[3],
    SHADED_FRAME[5],
];
/// Instances, posed instances, tints.
const CROWD: [BindingEntry; 3] = [
    (0, VERTEX, Binding::Storage),
    (1, VERTEX, Binding::Storage),
    (2, ShaderStages::VERTEX_FRAGMENT, Binding::TextureLoad(D2)),
];
/// Heroes; posed people, palettes.
const HEROES: [BindingEntry; 3] = [
    (0, COMPUTE, Binding::Storage),
    (1, COMPUTE, Binding::StorageWrite),
    (2, COMPUTE, Binding::StorageWrite),
];
/// Buffer that one pass fills.
const WRITTEN: [BindingEntry; 1] = [(0, COMPUTE, Binding::StorageWrite)];
/// Palettes from the CPU and their numbers; posed instances; the character.
const LIVE: [BindingEntry; 4] = [
    (0, COMPUTE, Binding::Storage),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::StorageWrite),
    (3, COMPUTE, Binding::Uniform),
];
/// Uniforms; posed instances, time steps by frame, time steps; used marks, time steps by person.
const MOMENTS: [BindingEntry; 6] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::StorageWrite),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::StorageWrite),
    (5, COMPUTE, Binding::StorageWrite),
];
/// Uniforms; time steps; used marks, time steps by person, counts, time steps by slot, poses by person; keys of both
/// draw lists.
const POSES: [BindingEntry; 9] = [
    (0, COMPUTE, Binding::Uniform),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::StorageWrite),
    (5, COMPUTE, Binding::StorageWrite),
    (6, COMPUTE, Binding::StorageWrite),
    (7, COMPUTE, Binding::StorageWrite),
    (8, COMPUTE, Binding::StorageWrite),
    (9, COMPUTE, Binding::Storage),
    (10, COMPUTE, Binding::Storage),
];
/// Posed vertices; time steps by slot, counts; uniforms.
const PRESKIN: [BindingEntry; 4] = [
    (0, COMPUTE, Binding::StorageWrite),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::Uniform),
];
/// Owner's character, atlas and socket; attachments, their posed instances, posed owners.
const ATTACHMENTS: [BindingEntry; 6] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::StorageWrite),
    (5, COMPUTE, Binding::Storage),
];
/// Lists, keys, counts of blocks.
const LISTED: [BindingEntry; 3] = [
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::StorageWrite),
    (5, COMPUTE, Binding::StorageWrite),
];
/// Views, posed people, boxes; lists; third clips of actors.
const SEEN: [BindingEntry; 7] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    LISTED[0],
    LISTED[1],
    LISTED[2],
    (9, COMPUTE, Binding::Storage),
];
/// Lists; totals, entries, arguments of draws.
const DRAW_LISTS: [BindingEntry; 6] = [
    LISTED[0],
    LISTED[1],
    LISTED[2],
    (6, COMPUTE, Binding::StorageWrite),
    (7, COMPUTE, Binding::StorageWrite),
    (8, COMPUTE, Binding::StorageWrite),
];
/// Sizes, depths.
const PYRAMID: [BindingEntry; 2] = [(0, COMPUTE, Binding::Uniform), (1, COMPUTE, Binding::StorageWrite)];
/// Picture uniforms, visibility; hardware ids and depth; merged ids and depth (m).
const IDS: [BindingEntry; 6] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::TextureUint(D2)),
    (3, COMPUTE, Binding::TextureLoad(D2)),
    (4, COMPUTE, Binding::TextureWrite(wgpu::TextureFormat::R32Uint)),
    (5, COMPUTE, Binding::TextureWrite(wgpu::TextureFormat::R32Float)),
];
/// First row of [`background_compute`] that is needed without the software rasterizer, too.
const DRAWN: usize = 3;
/// Picture uniforms, visibility, colours; output; hardware depth and colour.
fn background_compute(drawn: Binding) -> [BindingEntry; 6] {
    [
        (0, COMPUTE, Binding::Uniform),
        (1, COMPUTE, Binding::Storage),
        (2, COMPUTE, Binding::Storage),
        (3, COMPUTE, Binding::TextureWrite(HDR_FORMAT)),
        (4, COMPUTE, drawn),
        (5, COMPUTE, drawn),
    ]
}
/// Rows of amodal masks: draw uniforms, masks, their places.
const AMODAL: [BindingEntry; 3] = [
    (0, ShaderStages::VERTEX_FRAGMENT, Binding::Uniform),
    (1, ShaderStages::FRAGMENT, Binding::StorageWrite),
    (2, ShaderStages::FRAGMENT, Binding::Storage),
];
/// Character, vertices; materials, colour maps, their sampler, data maps.
const CHARACTER: [BindingEntry; 6] = [
    (0, VERTEX, Binding::Uniform),
    (1, VERTEX, Binding::Storage),
    (4, ShaderStages::VERTEX_FRAGMENT, Binding::Storage),
    (5, ShaderStages::FRAGMENT, Binding::Texture(D2Array)),
    (6, ShaderStages::FRAGMENT, Binding::Sampler),
    (8, ShaderStages::FRAGMENT, Binding::Texture(D2Array)),
];
/// Position ranges of baked vertices.
const FRAME_RANGES: BindingEntry = (3, VERTEX, Binding::Storage);
/// Morph targets.
const MORPHS: BindingEntry = (7, VERTEX, Binding::Storage);

/// Animation data of a source.
const fn animation(kind: Binding) -> BindingEntry {
    (2, VERTEX, kind)
}

const fn surface_frame(room: StorageRoom) -> &'static [BindingEntry] {
    if room.is_full() {
        &SURFACE_FRAME_WITH_WORDS
    } else {
        &SURFACE_FRAME
    }
}

/// Rows with the compute stage added, if the device shades in compute. Elsewhere limits may not allow so many bindings.
fn shaded_in_compute(gpu: &Gpu, rows: &[BindingEntry]) -> Vec<BindingEntry> {
    let more = match unsupported_reason(gpu) {
        None => COMPUTE,
        Some(_) => ShaderStages::empty(),
    };
    rows.iter()
        .map(|&(number, stages, kind)| (number, stages | more, kind))
        .collect()
}

/// Group 1 of drawing passes, with rows of animation data.
fn character(gpu: &Gpu, animation: &[BindingEntry]) -> wgpu::BindGroupLayout {
    let rows = [&CHARACTER[..], animation].concat();
    bind_group_layout(gpu, "character", &shaded_in_compute(gpu, &rows))
}
