//! The poses of a crowd's frame, for technique `preskinned`: each distinct one is skinned once, whoever shows it.
//!
//! There is room for as many poses as a frame can show: two for everyone, since those who fade show two, and no more
//! than there are moments. A crowd for whose poses a device has no room is refused. The cache lives for a frame: what
//! it holds follows from the frame alone, and so does how often it is hit.

use bytemuck::{Pod, Zeroable};

use crate::{
    atlas::AtlasFormat,
    config::Technique,
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        Layouts,
        passes::DrawVariant,
        resources::{AtlasSource, CharacterAssets, instances::bind_group, pose_steps::RATE_LEVELS},
        technique::DrawMethod,
    },
};

/// Bytes of a posed vertex without and with a tangent; `POSED_LOADS` in shaders/shared/posed_vertex.wgsl.
pub const POSED_VERTEX_BYTES: [u64; 2] = [16, 32];

/// Words of the counts.
pub const COUNT_WORDS: usize = 2 * RATE_LEVELS as usize + 1;
/// Of these: poses asked for by rate while people are placed; 0 between frames.
pub const COUNT_RUNNING: u32 = 0;
/// Of these: [`PoseCounts::asked_by_rate`].
pub const COUNT_ASKED: u32 = RATE_LEVELS;
/// Of these: [`PoseCounts::skinned`].
pub const COUNT_SKINNED: u32 = 2 * RATE_LEVELS;

/// `PoseUniforms` in shaders/shared/pose_steps.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PoseUniforms {
    /// Instances.
    pub instance_count: u32,
    /// Moments of all clips.
    pub step_count: u32,
    /// Vertices of a pose.
    pub vertex_count: u32,
    /// Metres around a person's place that clips reach, at the character's own size.
    pub radius: f32,
}

/// How poses were shared in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PoseCounts {
    /// Poses that people show: one each, two for those who fade from one clip to another.
    pub asked: u64,
    /// Distinct ones, each skinned once.
    pub skinned: u64,
    /// Of those asked for, at 60, 30, 15 and 7.5 moments a second.
    pub asked_by_rate: [u64; RATE_LEVELS as usize],
}

impl PoseCounts {
    /// Share of the poses asked for that somebody else had asked for, `0.0..=1.0`; 0 where nobody is drawn.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        if self.asked == 0 {
            return 0.0;
        }
        1.0 - self.skinned as f64 / self.asked as f64
    }

    /// From [`COUNT_WORDS`] as the GPU leaves them.
    #[must_use]
    pub fn read(words: &[u32; COUNT_WORDS]) -> Self {
        let asked_by_rate = std::array::from_fn(|rate| u64::from(words[COUNT_ASKED as usize + rate]));
        Self {
            asked: asked_by_rate.iter().sum(),
            skinned: u64::from(words[COUNT_SKINNED as usize]),
            asked_by_rate,
        }
    }

    /// Of two crowds, which share nothing.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            asked: self.asked + other.asked,
            skinned: self.skinned + other.skinned,
            asked_by_rate: std::array::from_fn(|rate| self.asked_by_rate[rate] + other.asked_by_rate[rate]),
        }
    }
}

/// What a compute pass has posed, in place of the animation data that vertex shaders read.
#[derive(Clone, Copy)]
pub(crate) struct PosedData<'a> {
    /// Palettes or vertices.
    pub(crate) data: &'a wgpu::Buffer,
    /// By instance, where in these; none where the instance's number tells.
    pub(crate) rows: Option<&'a wgpu::Buffer>,
}

/// The cache of one crowd.
#[derive(Clone)]
pub(crate) struct PoseCache {
    /// Group 1 of moments, poses and pose_slots.
    pub(crate) steps: wgpu::BindGroup,
    /// Groups 1 and 2 of preskin.
    pub(crate) skinned: [wgpu::BindGroup; 2],
    /// What selects the pipeline of preskin.
    pub(crate) variant: DrawVariant,
    /// Slots by instance.
    pub(crate) rows: wgpu::Buffer,
    /// By slot and vertex.
    pub(crate) vertices: wgpu::Buffer,
    /// Of the last frame: [`COUNT_WORDS`].
    pub(crate) counts: wgpu::Buffer,
    /// Workgroups of preskin.
    pub(crate) dispatch: wgpu::Buffer,
    /// Instances.
    pub(crate) people: u32,
    bytes: u64,
}

impl PoseCache {
    /// The cache of a crowd whose technique has one; `uniforms` are its character's.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] where the device cannot hold as many poses as a frame can show.
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        (assets, uniforms): (&CharacterAssets, &wgpu::Buffer),
        (posed, people): (&wgpu::Buffer, u32),
    ) -> Result<Option<Self>, GpuError> {
        let Some(steps) = &assets.animation.steps else {
            return Ok(None);
        };
        let slots = u64::from(steps.step_count).min(2 * u64::from(people));
        let row = POSED_VERTEX_BYTES[usize::from(assets.normal_mapped)];
        let vertex_bytes = slots * u64::from(assets.vertex_count) * row;
        let what = format!("{slots} poses of {}", assets.name);
        gpu.check_storage(&what, vertex_bytes, "lower --count, or use --technique matrix")?;
        let storage = wgpu::BufferUsages::STORAGE;
        let copied = storage | wgpu::BufferUsages::COPY_SRC;
        let make = |label, size: u64, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: size.max(64),
                usage,
                mapped_at_creation: false,
            })
        };
        let vertices = make("posed vertices", vertex_bytes, copied);
        let rows = make("pose slots", 8 * u64::from(people), copied);
        let marks = make("pose marks", 8 * u64::from(steps.step_count), storage);
        let slot_steps = make("slot steps", 8 * slots, storage);
        let counts = make("pose counts", 4 * COUNT_WORDS as u64, copied);
        let dispatch = make("skin dispatch", 12, storage | wgpu::BufferUsages::INDIRECT);
        let own = PoseUniforms {
            instance_count: people,
            step_count: steps.step_count,
            vertex_count: assets.vertex_count,
            radius: steps.radius,
        };
        let own = buffer_with(
            gpu,
            "pose uniforms",
            bytemuck::bytes_of(&own),
            wgpu::BufferUsages::UNIFORM,
        );
        let buffers = [
            &own,
            posed,
            &steps.frames,
            &steps.steps,
            &marks,
            &rows,
            &counts,
            &slot_steps,
            &dispatch,
        ];
        let group = numbered(gpu, "poses", &layouts.poses, &buffers);
        let variant = skinned_by(assets);
        let skinned = numbered(gpu, "preskin", &layouts.preskin, &[&vertices, &slot_steps, &counts]);
        Ok(Some(Self {
            steps: group,
            skinned: [assets.group(gpu, layouts, (variant, uniforms), None), skinned],
            variant,
            bytes: [&vertices, &rows, &marks, &slot_steps, &counts, &dispatch, &own]
                .map(wgpu::Buffer::size)
                .iter()
                .sum(),
            rows,
            vertices,
            counts,
            dispatch,
            people,
        }))
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What vertex shaders read of it.
    pub(crate) fn data(&self) -> PosedData<'_> {
        PosedData {
            data: &self.vertices,
            rows: Some(&self.rows),
        }
    }
}

/// What skins a character's poses: technique `matrix`, from the atlas in full precision.
pub(crate) fn skinned_by(assets: &CharacterAssets) -> DrawVariant {
    DrawVariant {
        method: DrawMethod::new(Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage),
        morphs: assets.morphs.is_some(),
        ..DrawVariant::of(assets).pose_only()
    }
}

/// A group of buffers in the order of their bindings.
fn numbered(gpu: &Gpu, label: &str, layout: &wgpu::BindGroupLayout, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    let rows = (0..)
        .zip(buffers)
        .map(|(number, buffer)| (number, buffer.as_entire_binding()));
    bind_group(gpu, label, layout, &rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_that_two_share_is_a_hit() {
        let one = PoseCounts::read(&[0, 0, 0, 0, 1, 2, 0, 1, 3]);
        assert_eq!((one.asked, one.asked_by_rate), (4, [1, 2, 0, 1]));
        assert_eq!(one.hit_rate(), 0.25);
        assert_eq!(PoseCounts::default().hit_rate(), 0.0);
        assert_eq!((one.plus(one).asked, one.plus(one).skinned), (8, 6));
    }
}
