//! Time steps of technique `preskinned`: clips are quantized in time, so that people share poses.
//!
//! A clip of duration `D` has `N = max(1, round(D * STEPS_PER_SECOND))` equal intervals and time steps at `i * D / N`,
//! both ends included. Everyone is shown at the nearest time step: at most half a step, 1/120 s at 60 Hz, off. Reports
//! state the displacement (mm): it is part of the technique's error.
//!
//! Small people use every second, fourth or eighth step (30, 15, 7.5 Hz). The condition is that of LODs: no vertex is
//! off by more than half a row of the picture. Coarse steps are a subset of the fine ones, so that far people share
//! poses with near ones.

use crate::{
    bake::{BakedClip, FramePair, Palettes, WHOLE},
    gpu::{Gpu, buffer_with},
};

/// Time steps per second of a clip (Hz).
pub const STEPS_PER_SECOND: f32 = 60.0;
/// Largest number of steps of a clip: longer clips (18 minutes) get coarser steps.
pub const MOST_STEPS: u32 = 1 << 16;
/// Number of rates: every step, every second, fourth, eighth.
pub const RATE_LODS: u32 = 4;
/// Largest error (rows of the picture) of a vertex at a coarser rate, times
/// [`View::detail`](crate::render::View::detail).
pub const MOST_ROWS_OFF: f32 = 0.5;

shader_struct!(FrameSteps);

shader_struct!(PoseStep);

/// All time steps of a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseSteps {
    /// Steps by frame of the atlas.
    pub frames: Vec<FrameSteps>,
    /// Time steps of all clips, one clip after another.
    pub steps: Vec<PoseStep>,
}

/// Steps of a clip, at most [`MOST_STEPS`]; 0 for a single pose.
#[must_use]
pub fn intervals(clip: &BakedClip) -> u32 {
    if clip.frame_count <= 1 || clip.duration <= 0.0 {
        return 0;
    }
    (clip.duration * STEPS_PER_SECOND).round().clamp(1.0, MOST_STEPS as f32) as u32
}

impl PoseSteps {
    /// Steps of all clips.
    #[must_use]
    pub fn of(palettes: &Palettes) -> Self {
        let mut all = Self::default();
        for clip in &palettes.clips {
            let (first_step, intervals) = (all.steps.len() as u32, intervals(clip));
            let reach = 0.5 * palettes.max_vertex_speed(clip) * clip.duration / intervals.max(1) as f32;
            all.frames.extend(clip.times.shares().iter().map(|&share| FrameSteps {
                share,
                first_step,
                intervals,
                reach,
            }));
            all.steps
                .extend((0..=intervals).map(|step| moment(clip, step, intervals)));
        }
        all
    }

    /// Bytes of the tables, without making them.
    #[must_use]
    pub fn byte_size(palettes: &Palettes) -> u64 {
        let steps: u64 = palettes.clips.iter().map(|clip| u64::from(intervals(clip)) + 1).sum();
        let frames = palettes.frame_count as u64;
        frames * size_of::<FrameSteps>() as u64 + steps * size_of::<PoseStep>() as u64
    }

    /// Time step nearest to a moment between two frames of a clip, among those of a rate, `0..RATE_LODS`. CPU twin of
    /// the shader's function.
    #[must_use]
    pub fn nearest_step(&self, at: FramePair, rate: u32) -> u32 {
        let (first, second) = (self.frames[at.first as usize], self.frames[at.second as usize]);
        let share = first.share as f32 + at.between * second.share.saturating_sub(first.share) as f32;
        let stride = 1 << rate;
        let step = (share / WHOLE as f32 * first.intervals as f32 / stride as f32 + 0.5) as u32 * stride;
        first.first_step + step.min(first.intervals)
    }

    /// Frames shown at a time step, and the weight between them.
    #[must_use]
    pub fn pair(&self, step: u32) -> FramePair {
        let PoseStep { frames, between } = self.steps[step as usize];
        FramePair {
            first: frames & 0xffff,
            second: frames >> 16,
            between: between as f32 / 65535.0,
        }
    }

    /// Uploads the tables.
    pub(crate) fn upload(&self, gpu: &Gpu, palettes: &Palettes) -> StepBuffers {
        let make = |label, bytes| buffer_with(gpu, label, bytes, wgpu::BufferUsages::STORAGE);
        StepBuffers {
            frames: make("frame steps", bytemuck::cast_slice(&self.frames)),
            steps: make("pose steps", bytemuck::cast_slice(&self.steps)),
            step_count: self.steps.len() as u32,
            radius: radius(palettes),
        }
    }
}

/// Time step `step` of a clip with `intervals`.
fn moment(clip: &BakedClip, step: u32, intervals: u32) -> PoseStep {
    let share = u64::from(WHOLE) * u64::from(step) / u64::from(intervals.max(1));
    let (first, second, between) = clip.times.around(share as u32);
    PoseStep {
        frames: (clip.first_frame + first) & 0xffff | (clip.first_frame + second) << 16,
        between: (between * 65535.0).round() as u32,
    }
}

fn radius(palettes: &Palettes) -> f32 {
    let boxes = palettes
        .clips
        .iter()
        .map(|clip| clip.bounds)
        .filter(|bounds| !bounds.is_empty());
    let corners = boxes.flat_map(|bounds| bounds.corners().map(|corner| corner.length()));
    corners.fold(0.0, f32::max)
}

/// Tables of time steps on the GPU.
#[derive(Clone)]
pub(crate) struct StepBuffers {
    pub(crate) frames: wgpu::Buffer,
    pub(crate) steps: wgpu::Buffer,
    /// Moments of all clips.
    pub(crate) step_count: u32,
    /// Largest distance (m, at the character's own size) of clips from a person's place.
    pub(crate) radius: f32,
}

impl StepBuffers {
    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.frames.size() + self.steps.size()
    }
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Vec3};

    use super::*;
    use crate::{
        bake::FrameTable,
        model::{Bounds, Wrap},
    };

    const SHARES: [u32; 3] = [0, WHOLE / 4, WHOLE];

    fn clip(first_frame: u32, shares: &[u32], duration: f32) -> BakedClip {
        BakedClip {
            name: "clip".into(),
            first_frame,
            frame_count: shares.len() as u32,
            duration,
            rate: 30.0,
            times: FrameTable::from_shares(shares).expect("ascending"),
            wrap: Wrap::Loop,
            speed: 0.0,
            turn: 0.0,
            events: Vec::new(),
            bounds: Bounds::EMPTY,
        }
    }

    /// Test data: one second of uneven frames, in which a point moves three metres at 4 m/s, and a single pose after
    /// it.
    fn steps() -> PoseSteps {
        let places = [0.0, 1.0, 3.0, 0.0].map(|x| Affine3A::from_translation(Vec3::X * x));
        PoseSteps::of(&Palettes {
            slot_count: 1,
            frame_count: 4,
            clips: vec![clip(0, &SHARES, 1.0), clip(3, &[0], 0.0)],
            matrices: places.to_vec().into(),
            slot_bounds: vec![Bounds::of([Vec3::ZERO, Vec3::ONE])],
            morph_weights: Vec::new(),
            bound: None,
        })
    }

    fn pair(first: u32, second: u32, between: f32) -> FramePair {
        FramePair { first, second, between }
    }

    #[test]
    fn a_clip_has_sixty_steps_a_second_and_both_ends() {
        let all = steps();
        assert_eq!((all.steps.len(), all.frames.len()), (62, 4));
        assert_eq!(all.pair(0), pair(0, 1, 0.0));
        assert_eq!(all.pair(15), pair(1, 2, 0.0));
        assert_eq!(all.pair(60).first, 2);
        assert_eq!(all.pair(61), pair(3, 3, 0.0));
        assert_eq!((all.frames[3].first_step, all.frames[3].intervals), (61, 0));
    }

    #[test]
    fn nearest_step_is_within_half_a_step_of_the_rate() {
        let (all, table) = (steps(), FrameTable::from_shares(&SHARES).expect("ascending"));
        for (rate, thousandth) in (0..RATE_LODS).flat_map(|rate| (0..=1000).map(move |at| (rate, at))) {
            let position = thousandth as f32 / 1000.0;
            let (first, second, between) = table.around(FrameTable::share(position));
            let step = all.nearest_step(pair(first, second, between), rate);
            let (off, stride) = ((step as f32 / 60.0 - position).abs(), 1 << rate);
            assert!(off < 0.5001 * stride as f32 / 60.0, "{position} at {rate}: {step}");
            assert!(step % stride == 0 || step == 60, "{step} at {rate}");
        }
        assert_eq!(all.nearest_step(pair(3, 3, 0.0), 3), 61);
    }

    #[test]
    fn reach_is_the_distance_moved_in_half_a_step() {
        let all = steps();
        let found = all.frames.iter().map(|frame| frame.reach * 120.0);
        let expected = [4.0, 4.0, 4.0, 0.0];
        assert!(
            found.zip(expected).all(|(a, b)| (a - b).abs() < 1e-4),
            "{:?}",
            all.frames
        );
    }
}
