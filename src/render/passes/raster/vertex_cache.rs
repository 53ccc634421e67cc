//! Vertex cache: vertices of meshlets, pre-skinned in each frame of the atlas. Eight bytes take the place of a vertex
//! and its matrices.
//!
//! The rasterizer needs positions alone, and these are linear in the matrices. Blended positions of two frames, or of
//! two clips, are therefore where skinning puts a vertex. Normals and texture coordinates come from skinning again once
//! a pixel, in shade_visibility.wgsl.

use std::sync::Arc;

use glam::Vec3;

use crate::{
    config::Technique,
    gpu::{Gpu, GpuError, buffer_with, compute_pass, compute_pipeline, encoder, read_buffer},
    model::Bounds,
    render::{
        RenderContext,
        passes::{DrawVariant, raster::lists::empty},
        resources::{DrawFlags, instances::bind_group},
    },
};

/// Bits of a quantized coordinate: for a person, steps of a thousandth of a millimetre.
pub const PLACE_BITS: u32 = 21;
/// Largest quantized coordinate.
pub const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
/// Maximum GPU bytes of a character's cache. Vertices of larger characters are skinned in every frame.
pub const MOST_BYTES: u64 = 128 << 20;

const WORKGROUP: u32 = 64;
const CORNER_BYTES: u64 = 8;

shader_struct!(PosedVertexUniforms);

impl PosedVertexUniforms {
    /// Range of positions in and around `bounds` (unit space).
    #[must_use]
    pub fn around(bounds: Bounds, corner_count: u32, frame_count: u32) -> Self {
        // LODs reach a little beyond the mesh that the bounds are from.
        let room = Vec3::splat(bounds.size().max_element() * 0.25);
        let size = bounds.size() + 2.0 * room;
        Self {
            low: (bounds.min - room).to_array(),
            corner_count,
            step: (size / PLACE_MASK as f32).to_array(),
            frame_count,
        }
    }

    /// Bytes of the cache.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        CORNER_BYTES * u64::from(self.corner_count) * u64::from(self.frame_count)
    }

    /// Position of a cached vertex (unit space).
    #[must_use]
    pub fn position(&self, words: [u32; 2]) -> Vec3 {
        let place = unpacked_corner(words).map(|x| x as f32);
        Vec3::from(self.low) + Vec3::from(place) * Vec3::from(self.step)
    }
}

/// Packs the quantized coordinates of a vertex into two words.
#[must_use]
pub fn packed_corner(place: [u32; 3]) -> [u32; 2] {
    let [x, y, z] = place;
    [x | y << PLACE_BITS, y >> (32 - PLACE_BITS) | z << 10]
}

/// Unpacks the quantized coordinates of a vertex.
#[must_use]
pub fn unpacked_corner(words: [u32; 2]) -> [u32; 3] {
    let [first, second] = words;
    let y = first >> PLACE_BITS | second << (32 - PLACE_BITS);
    [first, y, second >> 10].map(|x| x & PLACE_MASK)
}

/// True if positions of a variant follow from frames of the atlas alone; morph targets would move vertices besides.
#[must_use]
pub fn caches_vertices(variant: DrawVariant) -> bool {
    variant.method.technique == Technique::Matrix
        && !variant.flags.intersects(DrawFlags::ATTACHMENT | DrawFlags::MORPHS)
}

/// Variant that poses the vertices of a character's cache.
pub(super) fn key(variant: DrawVariant) -> DrawVariant {
    variant.pose_only().without(DrawFlags::HEROES | DrawFlags::ACTORS)
}

/// Pipeline of shaders/vertex_cache.wgsl.
pub(super) fn pipeline(context: &RenderContext, variant: DrawVariant) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [&variant.pose_features()[..], &["posing_vertices"]].concat();
    let groups = [
        &context.layouts.frame,
        context.layouts.character(variant),
        &context.layouts.corners,
    ];
    compute_pipeline(&context.gpu, "vertex_cache", &features, &groups)
}

/// Vertex cache, read back from the GPU.
#[derive(Clone, Debug)]
pub struct PosedVertexReadback {
    /// Quantization and number of cached vertices.
    pub range: PosedVertexUniforms,
    /// Mesh vertex of each cached vertex of a frame; LODs come after the full mesh.
    pub vertices: Arc<[u32]>,
    words: Vec<[u32; 2]>,
}

impl PosedVertexReadback {
    /// Positions of the cached vertices of a frame, in order (unit space).
    pub fn frame(&self, frame: u32) -> impl Iterator<Item = Vec3> {
        let count = self.range.corner_count as usize;
        let words = self.words.iter().skip(frame as usize * count).take(count);
        words.map(|words| self.range.position(*words))
    }
}

/// Vertex cache of a character on the GPU.
#[derive(Clone)]
pub(crate) struct PosedVertexCache {
    range: PosedVertexUniforms,
    vertices: Arc<[u32]>,
    uniforms: wgpu::Buffer,
    places: wgpu::Buffer,
}

impl PosedVertexCache {
    /// Poses `vertices` in every frame; groups 0 and 1 are those of passes that draw the character. Returns `None` if
    /// the cache would be too large.
    pub(super) fn bake(
        context: &RenderContext,
        pipeline: &wgpu::ComputePipeline,
        groups: [&wgpu::BindGroup; 2],
        vertices: &[u32],
        range: PosedVertexUniforms,
    ) -> Option<Self> {
        let what = "the corners of meshlets";
        let groups_across = range.corner_count.div_ceil(WORKGROUP);
        let fits = range.bytes() <= MOST_BYTES
            && groups_across <= context.gpu.limits.max_compute_workgroups_per_dimension
            && context.gpu.check_storage(what, range.bytes(), "").is_ok();
        if !fits || range.bytes() == 0 {
            return None;
        }
        let storage = wgpu::BufferUsages::STORAGE;
        let make = || {
            empty(
                &context.gpu,
                "vertex_cache",
                range.bytes(),
                storage | wgpu::BufferUsages::COPY_SRC,
            )
        };
        let places = context.gpu.ensure_memory(what, "", make).ok()?;
        let uniforms = buffer_with(
            &context.gpu,
            "corner range",
            bytemuck::bytes_of(&range),
            wgpu::BufferUsages::UNIFORM,
        );
        let read = buffer_with(&context.gpu, "corner vertices", bytemuck::cast_slice(vertices), storage);
        let bound = [
            (0, uniforms.as_entire_binding()),
            (1, read.as_entire_binding()),
            (2, places.as_entire_binding()),
        ];
        let own = bind_group(&context.gpu, "vertex_cache", &context.layouts.corners, &bound);
        let mut encoder = encoder(&context.gpu, "vertex_cache");
        let mut pass = compute_pass(&mut encoder, "vertex_cache");
        pass.set_pipeline(pipeline);
        for (number, group) in groups.into_iter().chain([&own]).enumerate() {
            pass.set_bind_group(number as u32, group, &[]);
        }
        pass.dispatch_workgroups(groups_across, range.frame_count, 1);
        drop(pass);
        context.gpu.queue.submit([encoder.finish()]);
        Some(Self {
            range,
            vertices: vertices.into(),
            uniforms,
            places,
        })
    }

    /// Reads the cache back.
    pub(crate) fn read(&self, gpu: &Gpu) -> Result<PosedVertexReadback, GpuError> {
        let bytes = read_buffer(gpu, &self.places)?;
        Ok(PosedVertexReadback {
            range: self.range,
            vertices: self.vertices.clone(),
            words: bytemuck::pod_collect_to_vec(&bytes),
        })
    }

    /// Bindings of the cache in rasterise.wgsl.
    pub(super) fn bound(&self) -> [(u32, wgpu::BindingResource<'_>); 2] {
        [
            (5, self.uniforms.as_entire_binding()),
            (6, self.places.as_entire_binding()),
        ]
    }

    /// GPU bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.places.size()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cached_positions_survive_packing(place in prop::array::uniform3(0..=PLACE_MASK)) {
            prop_assert_eq!(unpacked_corner(packed_corner(place)), place);
        }
    }

    #[test]
    fn cached_positions_exceed_the_bounds_in_steps_below_1e_5() {
        let bounds = Bounds {
            min: Vec3::new(-1.0, -1.0, -0.5),
            max: Vec3::new(1.0, 1.2, 0.5),
        };
        let range = PosedVertexUniforms::around(bounds, 3, 5);
        assert_eq!(range.bytes(), 120);
        let [low, high] = [0, PLACE_MASK].map(|x| range.position(packed_corner([x; 3])));
        assert!(low.cmplt(bounds.min - 0.3).all() && high.cmpgt(bounds.max + 0.3).all());
        assert!(Vec3::from(range.step).max_element() < 1e-5);
    }
}
