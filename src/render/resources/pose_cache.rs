//! Pose cache of technique `preskinned`: each distinct pose of a frame is skinned once for everyone who shows it. A
//! pose is a time step of a clip at an LOD.
//!
//! The cache has room for all poses that a frame can show. At each LOD that is two for everyone, since fading people
//! show two, but no more than there are time steps. Over all LODs it is two for everyone in each list that can show
//! them. A crowd whose full-detail poses do not fit the device is an error. Of the coarser LODs the finest are dropped
//! until the rest fits. The cache lives for one frame: its contents and its hit rate follow from the frame alone.

use crate::{
    atlas::AtlasFormat,
    config::Technique,
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        RenderContext,
        passes::DrawVariant,
        resources::{
            AtlasSource, CharacterAssets, DrawFlags, MOST_LODS,
            instances::bind_group,
            pose_lods::{POSE_LODS, PoseLod, TIERS},
            pose_steps::{RATE_LODS, StepBuffers},
        },
        technique::DrawMethod,
    },
};

/// Bytes of a posed vertex without and with a tangent; `POSED_LOADS` in shaders/shared/posed_vertex.wgsl.
pub const POSED_VERTEX_BYTES: [u64; 2] = [16, 32];

/// First count word in use while people ask for poses: by rate, then by LOD; 0 between frames.
pub const COUNT_RUNNING: u32 = 0;
/// First word of [`PoseCounts::asked_by_rate`], followed by [`PoseCounts::asked_by_lod`].
pub const COUNT_ASKED: u32 = RATE_LODS + POSE_LODS as u32;
/// First word of [`PoseCounts::skinned_by_lod`].
pub const COUNT_SKINNED: u32 = 2 * COUNT_ASKED;
/// First word of a row index by LOD: the row of posed vertices that vertex 0 of the character would have in slot 0.
pub const COUNT_ROWS: u32 = COUNT_SKINNED + POSE_LODS as u32;
/// First word of the workgroup counts of preskin.
pub const COUNT_DISPATCH: u32 = COUNT_ROWS + POSE_LODS as u32;
/// Words of counts that are read back.
pub const COUNT_WORDS: usize = COUNT_ROWS as usize;

const _: () = assert!(MOST_LODS <= POSE_LODS);

shader_struct!(PoseUniforms);

/// Counts of shared poses in a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PoseCounts {
    /// Poses that people show: one each, two while fading from one clip to another. Shadows at another LOD add theirs.
    /// People in no view show none.
    pub asked: u64,
    /// Distinct poses, each skinned once.
    pub skinned: u64,
    /// Poses asked for at 60, 30, 15 and 7.5 time steps a second.
    pub asked_by_rate: [u64; RATE_LODS as usize],
    /// Poses asked for at each LOD, full detail first.
    #[serde(default)]
    #[serde(alias = "asked_by_level")]
    pub asked_by_lod: Vec<u64>,
    /// Poses skinned at each LOD.
    #[serde(default)]
    #[serde(alias = "skinned_by_level")]
    pub skinned_by_lod: Vec<u64>,
    /// Poses skinned with 1, 2, 4 and 8 influences.
    #[serde(default)]
    pub skinned_by_influences: [u64; TIERS.len()],
}

impl PoseCounts {
    /// Share of the poses asked for that somebody else had asked for, `0.0..=1.0`; 0 without people.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        if self.asked == 0 {
            return 0.0;
        }
        1.0 - self.skinned as f64 / self.asked as f64
    }

    /// Poses skinned by number of influences, in words: `12 with 4 influences, 30 with 2`. Empty tiers are left out.
    #[must_use]
    pub fn tiers(&self) -> String {
        let tiers = TIERS.iter().zip(self.skinned_by_influences).rev();
        let counts = tiers
            .filter(|(_, count)| *count > 0)
            .enumerate()
            .map(|(number, (tier, count))| {
                let word = if number == 0 { " influences" } else { "" };
                format!("{count} with {tier}{word}")
            });
        counts.collect::<Vec<_>>().join(", ")
    }

    /// Counts from the words that the GPU leaves; `influences` are those of each LOD.
    #[must_use]
    pub fn read(words: &[u32; COUNT_WORDS], influences: &[u32]) -> Self {
        let of = |first: u32, count: usize| {
            let words = words[first as usize..].iter().take(count);
            words.map(|&word| u64::from(word)).collect::<Vec<u64>>()
        };
        let rates = of(COUNT_ASKED, RATE_LODS as usize);
        let skinned_by_lod = of(COUNT_SKINNED, influences.len());
        let tiers = TIERS.map(|tier| {
            let lods = influences.iter().zip(&skinned_by_lod);
            lods.filter(|(lod, _)| **lod == tier).map(|(_, count)| count).sum()
        });
        Self {
            asked: rates.iter().sum(),
            skinned: skinned_by_lod.iter().sum(),
            asked_by_rate: std::array::from_fn(|rate| rates[rate]),
            asked_by_lod: of(COUNT_ASKED + RATE_LODS, influences.len()),
            skinned_by_lod,
            skinned_by_influences: tiers,
        }
    }

    /// Sum for two crowds, which share no pose.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let by_lod = |a: &[u64], b: &[u64]| {
            let at = |counts: &[u64], lod: usize| counts.get(lod).copied().unwrap_or(0);
            (0..a.len().max(b.len())).map(|lod| at(a, lod) + at(b, lod)).collect()
        };
        Self {
            asked: self.asked + other.asked,
            skinned: self.skinned + other.skinned,
            asked_by_rate: std::array::from_fn(|rate| self.asked_by_rate[rate] + other.asked_by_rate[rate]),
            asked_by_lod: by_lod(&self.asked_by_lod, &other.asked_by_lod),
            skinned_by_lod: by_lod(&self.skinned_by_lod, &other.skinned_by_lod),
            skinned_by_influences: std::array::from_fn(|tier| {
                self.skinned_by_influences[tier] + other.skinned_by_influences[tier]
            }),
        }
    }
}

/// Poses written by a compute pass, in place of the animation data that vertex shaders read.
#[derive(Clone, Copy)]
pub(crate) struct PosedData<'a> {
    /// Palettes or posed vertices.
    pub(crate) data: &'a wgpu::Buffer,
    /// Row of each instance in these, from a byte offset on; `None` if the instance's number gives it.
    pub(crate) rows: Option<(&'a wgpu::Buffer, u64)>,
}

/// People who have poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PosedFor {
    /// Everyone, at full detail.
    Everyone,
    /// People in the camera's list and, with shadows, in the shadow map's list.
    Listed {
        /// True with shadows.
        sun: bool,
    },
}

impl PosedFor {
    /// Largest number of poses that a person can show.
    const fn poses_per_lod(self) -> u64 {
        match self {
            Self::Everyone | Self::Listed { sun: false } => 2,
            Self::Listed { sun: true } => 4,
        }
    }
}

/// Pose cache of one crowd.
#[derive(Clone)]
pub(crate) struct PoseCache {
    /// Group 1 of pass `quantize_time`.
    pub(crate) moments: wgpu::BindGroup,
    /// Group 1 of passes `mark_used`, `compact_poses` and `assign_slots`, in frames without and with shadows.
    pub(crate) steps: [wgpu::BindGroup; 2],
    /// Groups 1 and 2 of preskin.
    pub(crate) skinned: [wgpu::BindGroup; 2],
    /// Variant that selects the pipeline of preskin.
    pub(crate) variant: DrawVariant,
    /// Row of each instance's poses for the camera's list, then for the shadow map's.
    pub(crate) rows: wgpu::Buffer,
    /// Posed vertices, pose after pose.
    pub(crate) vertices: wgpu::Buffer,
    /// Counts of the last frame.
    pub(crate) counts: wgpu::Buffer,
    /// Draw list keys of each instance in both views; all of full detail if nobody is listed.
    pub(crate) keys: [wgpu::Buffer; 2],
    /// LODs of the character that are drawn.
    pub(crate) lods: Vec<usize>,
    /// Influences of each LOD.
    pub(crate) influences: Vec<u32>,
    /// Instances.
    pub(crate) people: u32,
    sun_row: u32,
    bytes: u64,
}

impl PoseCache {
    /// Makes the cache of a crowd; `None` if its technique has none. `uniforms` are its character's.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the device cannot hold the full-detail poses that a frame can show.
    pub(crate) fn new(
        context: &RenderContext,
        assets: &CharacterAssets,
        uniforms: &wgpu::Buffer,
        posed: &wgpu::Buffer,
        people: u32,
        posed_for: PosedFor,
    ) -> Result<Option<Self>, GpuError> {
        let Some(steps) = &assets.animation.steps else {
            return Ok(None);
        };
        let (lods, [slots, vertices]) = room(&context.gpu, assets, steps, people, posed_for)?;
        let rows: Vec<PoseLod> = lods.iter().map(|&lod| assets.pose_lods.rows[lod]).collect();
        let storage = wgpu::BufferUsages::STORAGE;
        let copied = storage | wgpu::BufferUsages::COPY_SRC;
        let make = |label, size: u64, usage| {
            context.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: size.max(64),
                usage,
                mapped_at_creation: false,
            })
        };
        let vertices = make("posed vertices", vertices * vertex_bytes(assets), copied);
        let own = PoseUniforms {
            instance_count: people,
            step_count: steps.step_count,
            lod_count: rows.len() as u32,
            radius: steps.radius,
            // Bindings begin at multiples of 256 bytes.
            sun_row: people.next_multiple_of(32),
            lods: std::array::from_fn(|lod| rows.get(lod).copied().unwrap_or_default()),
            ..PoseUniforms::default()
        };
        let poses = make("pose rows", 8 * (u64::from(own.sun_row) + u64::from(people)), copied);
        let mark_words = u64::from(steps.step_count.div_ceil(32)) * rows.len() as u64;
        let marks = make("pose marks", 2 * 4 * mark_words, storage);
        let asked = make("asked poses", 8 * u64::from(people), storage);
        let slot_steps = make("slot steps", 8 * slots, storage);
        let counts = make(
            "pose counts",
            4 * u64::from(COUNT_DISPATCH + 3),
            copied | wgpu::BufferUsages::INDIRECT,
        );
        let keys = |label| make(label, 4 * u64::from(people), storage | wgpu::BufferUsages::COPY_DST);
        let seen = keys("draw list keys");
        let lit = match posed_for {
            PosedFor::Listed { sun: true } => keys("shadow draw list keys"),
            PosedFor::Everyone | PosedFor::Listed { sun: false } => seen.clone(),
        };
        let bytes = bytemuck::bytes_of(&own);
        let numbers = buffer_with(&context.gpu, "pose uniforms", bytes, wgpu::BufferUsages::UNIFORM);
        let moments = [
            (0, &numbers),
            (1, posed),
            (2, &steps.frames),
            (3, &steps.steps),
            (4, &marks),
            (5, &asked),
        ];
        let group = |lit| {
            let rows = [
                (0, &numbers),
                (3, &steps.steps),
                (4, &marks),
                (5, &asked),
                (6, &counts),
                (7, &slot_steps),
                (8, &poses),
                (9, &seen),
                (10, lit),
            ];
            buffers(&context.gpu, "poses", &context.layouts.poses, &rows)
        };
        let variant = skinned_by(assets, posed_for);
        let skinned = [(0, &vertices), (1, &slot_steps), (2, &counts), (3, &numbers)];
        let made = [&vertices, &poses, &marks, &asked, &slot_steps, &counts, &numbers];
        Ok(Some(Self {
            moments: buffers(&context.gpu, "moments", &context.layouts.moments, &moments),
            steps: [group(&seen), group(&lit)],
            skinned: [
                assets.group(context, variant, uniforms, None),
                buffers(&context.gpu, "preskin", &context.layouts.preskin, &skinned),
            ],
            variant,
            bytes: made.map(wgpu::Buffer::size).iter().sum(),
            rows: poses,
            vertices,
            counts,
            keys: [seen, lit],
            influences: rows.iter().map(|lod| lod.influences).collect(),
            lods,
            people,
            sun_row: own.sun_row,
        }))
    }

    /// GPU bytes, without the keys.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Data that vertex shaders read for the camera's list, or for the shadow map's.
    pub(crate) fn data(&self, sun: bool) -> PosedData<'_> {
        PosedData {
            data: &self.vertices,
            rows: Some((&self.rows, if sun { 8 * u64::from(self.sun_row) } else { 0 })),
        }
    }
}

/// LODs of a character that are drawn, full detail first, and the largest numbers of poses and posed vertices of a
/// frame.
fn room(
    gpu: &Gpu,
    assets: &CharacterAssets,
    steps: &StepBuffers,
    people: u32,
    posed_for: PosedFor,
) -> Result<(Vec<usize>, [u64; 2]), GpuError> {
    let most = u64::from(steps.step_count).min(2 * u64::from(people));
    let of_all = u64::from(people) * posed_for.poses_per_lod();
    let needed = |lods: &[usize]| {
        let counts = lods.iter().map(|&lod| assets.pose_lods.rows[lod].vertex_count);
        most_vertices(counts, most, of_all)
    };
    let limit = (gpu.limits.max_storage_buffer_binding_size).min(gpu.limits.max_buffer_size);
    let mut lods: Vec<usize> = match posed_for {
        PosedFor::Everyone => vec![0],
        PosedFor::Listed { .. } => (0..assets.pose_lods.rows.len()).collect(),
    };
    while lods.len() > 1 && needed(&lods)[1] * vertex_bytes(assets) > limit {
        lods.remove(1);
    }
    let [slots, vertices] = needed(&lods);
    let what = format!("{slots} poses of {}", assets.name);
    let hint = "lower --count, or use --technique matrix";
    gpu.check_storage(&what, vertices * vertex_bytes(assets), hint)?;
    Ok((lods, [slots, vertices]))
}

/// Largest number of poses and of their vertices, given the vertex count of each LOD, the poses per LOD and the poses
/// of all LODs.
fn most_vertices(counts: impl Iterator<Item = u32>, poses_per_lod: u64, of_all: u64) -> [u64; 2] {
    let mut counts: Vec<u64> = counts.map(u64::from).collect();
    counts.sort_unstable_by_key(|&count| std::cmp::Reverse(count));
    counts.into_iter().fold([0, 0], |[slots, vertices], count| {
        let more = poses_per_lod.min(of_all - slots);
        [slots + more, vertices + more * count]
    })
}

const fn vertex_bytes(assets: &CharacterAssets) -> u64 {
    POSED_VERTEX_BYTES[assets.flags.contains(DrawFlags::NORMAL_MAPPED) as usize]
}

/// Variant that skins a character's poses: technique `matrix`, from the atlas in full precision.
pub(crate) fn skinned_by(assets: &CharacterAssets, posed_for: PosedFor) -> DrawVariant {
    let mut variant = DrawVariant::of(assets).pose_only();
    variant.method = DrawMethod::new(Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage);
    variant.flags.set(DrawFlags::MORPHS, assets.morphs.is_some());
    variant.flags.set(DrawFlags::LISTED, posed_for != PosedFor::Everyone);
    variant
}

/// Bind group of buffers by their bindings.
fn buffers(gpu: &Gpu, label: &str, layout: &wgpu::BindGroupLayout, rows: &[(u32, &wgpu::Buffer)]) -> wgpu::BindGroup {
    let rows = rows
        .iter()
        .map(|(number, buffer)| (*number, buffer.as_entire_binding()));
    bind_group(gpu, label, layout, &rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_pose_counts_as_a_hit() {
        let mut words = [0; COUNT_WORDS];
        let mut write = |first: u32, counts: &[u32]| words[first as usize..][..counts.len()].copy_from_slice(counts);
        write(COUNT_ASKED, &[1, 2, 0, 1]);
        write(COUNT_ASKED + RATE_LODS, &[1, 0, 3]);
        write(COUNT_SKINNED, &[1, 0, 2]);
        let one = PoseCounts::read(&words, &[4, 2, 1]);
        assert_eq!((one.asked, one.asked_by_rate), (4, [1, 2, 0, 1]));
        assert_eq!(
            (&one.asked_by_lod[..], &one.skinned_by_lod[..]),
            (&[1, 0, 3][..], &[1, 0, 2][..])
        );
        assert_eq!((one.skinned, one.skinned_by_influences), (3, [2, 0, 1, 0]));
        assert_eq!(one.hit_rate(), 0.25);
        assert_eq!(one.tiers(), "1 with 4 influences, 2 with 1");
        assert_eq!(PoseCounts::default().hit_rate(), 0.0);
        let finer = PoseCounts {
            asked_by_lod: vec![2],
            ..PoseCounts::default()
        };
        let both = one.clone().plus(one.clone()).plus(finer);
        assert_eq!((both.asked, both.skinned), (8, 6));
        assert_eq!(both.asked_by_lod, [4, 0, 6]);
    }

    #[test]
    fn cache_holds_every_pose_that_a_frame_can_show() {
        let room = |poses_per_lod, of_all| most_vertices([100, 50, 20].into_iter(), poses_per_lod, of_all);
        // Three people without shadows, then with shadows, then so many people that time steps are fewer.
        assert_eq!(room(6, 6), [6, 600]);
        assert_eq!(room(6, 12), [12, 900]);
        assert_eq!(room(5, 4000), [15, 850]);
    }
}
