//! Timing of frames: one loop for all benchmarks. It drops warm-up frames and interleaves variants, so that a machine
//! that slows down slows all of them.
//!
//! CPU times have a loop of their own. A frame that waits for the GPU finds colder caches: the longer the GPU works,
//! the more the same CPU work costs. Real programs run ahead of the GPU and do not wait; neither do bursts.

use std::{collections::BTreeMap, ops::RangeInclusive};

use crate::{
    gpu::{Gpu, uploads::ByPurpose},
    measure::summary::median,
    render::{FrameInput, Pass, Renderer, stats::FrameTimes},
    scene::milliseconds,
};

/// Number of timed frames per burst.
const BURST: usize = 10;
/// Number of warm-up frames before them.
const BURST_WARM_UP: usize = 2;
/// Number of bursts, which time at least 30 frames in total.
pub const BURSTS: usize = 3;

/// Times of a frame that was waited for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameTiming {
    /// CPU and GPU times, and bytes uploaded.
    pub times: FrameTimes,
    /// Wall time from the start of encoding until the device is idle (ms).
    pub wall_ms: f64,
    /// Bytes uploaded, by purpose.
    pub uploads: ByPurpose,
}

impl FrameTiming {
    /// Draws a frame into `view` of `size` pixels and waits for it.
    pub fn draw(
        gpu: &Gpu,
        renderer: &mut Renderer,
        view: &wgpu::TextureView,
        size: (u32, u32),
        input: &FrameInput,
    ) -> Self {
        let sent = gpu.uploads.by_purpose();
        let begun = web_time::Instant::now();
        let mut times = renderer.draw(gpu, view, size, input);
        gpu.spin_idle();
        let wall_ms = milliseconds(begun);
        times.gpu_ms = renderer.finished_gpu_ms();
        Self {
            times,
            wall_ms,
            uploads: gpu.uploads.since(&sent),
        }
    }
}

/// Limits of the timing of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct TimingBudget {
    /// Number of warm-up rounds, drawn and dropped.
    pub warm_up: usize,
    /// Smallest number of timed frames, however long they take, and largest.
    pub frames: RangeInclusive<usize>,
    /// Time of all frames (s), warm-up included, after which no more than the smallest number is timed.
    pub seconds: f64,
}

/// Times of the frames of one variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameSamples {
    /// CPU times to encode and submit (ms).
    pub cpu_ms: Vec<f64>,
    /// Wall time from the start of encoding until the device is idle (ms).
    pub wall_ms: Vec<f64>,
    /// GPU times by pass (ms), as far as timestamps arrived.
    pub gpu_ms: BTreeMap<Pass, Vec<f64>>,
    /// GPU times of all passes (ms).
    pub gpu_frame_ms: Vec<f64>,
    /// Bytes uploaded for the newest frame.
    pub upload_bytes: u64,
    /// Uploaded bytes by purpose.
    pub uploads: ByPurpose,
    /// Number of warm-up frames.
    pub warm_up_frames: u32,
    /// Newest warm-up frame.
    dropped: Option<FrameTiming>,
    seconds: f64,
}

impl FrameSamples {
    fn push(&mut self, frame: &FrameTiming) {
        self.cpu_ms.push(frame.times.cpu_ms);
        self.wall_ms.push(frame.wall_ms);
        for (pass, ms) in &frame.times.gpu_ms {
            self.gpu_ms.entry(*pass).or_default().push(*ms);
        }
        if !frame.times.gpu_ms.is_empty() {
            self.gpu_frame_ms.push(frame.times.gpu_ms.values().sum());
        }
        self.upload_bytes = frame.times.upload_bytes;
        self.uploads.clone_from(&frame.uploads);
    }

    fn drop(&mut self, frame: FrameTiming) {
        self.warm_up_frames += 1;
        self.dropped = Some(frame);
    }

    fn is_enough(&self, budget: &TimingBudget) -> bool {
        let frames = self.wall_ms.len();
        frames >= *budget.frames.end() || (frames >= *budget.frames.start() && self.seconds >= budget.seconds)
    }

    /// Counts the last warm-up frame as timed if there is no other. On a software rasterizer one frame may take
    /// minutes.
    pub fn settle(&mut self) {
        if let Some(frame) = self.dropped.take().filter(|_| self.wall_ms.is_empty()) {
            self.warm_up_frames -= 1;
            self.push(&frame);
        }
    }

    /// Returns the number of timed frames.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.wall_ms.len() as u32
    }

    /// Returns GPU times of the crowd pass and of its skinning pass, if any (ms). Empty without timestamps.
    #[must_use]
    pub fn crowd_ms(&self) -> Vec<f64> {
        let of = |pass| self.gpu_ms.get(&pass).map_or(&[][..], Vec::as_slice);
        match of(Pass::Preskin) {
            [] => of(Pass::Crowd).to_vec(),
            skinning => of(Pass::Crowd).iter().zip(skinning).map(|(a, b)| a + b).collect(),
        }
    }

    /// Returns median GPU times by pass (ms).
    #[must_use]
    pub fn gpu_medians(&self) -> BTreeMap<Pass, f64> {
        let passes = self.gpu_ms.iter();
        passes.map(|(pass, ms)| (*pass, median(ms))).collect()
    }
}

/// Times `variants`, each once per round; every round begins with another one. `draw(variant, round)` returns `None`
/// for a variant that cannot be drawn or is not to be drawn any more.
pub fn interleave(
    variants: usize,
    budget: &TimingBudget,
    mut draw: impl FnMut(usize, usize) -> Option<FrameTiming>,
) -> Vec<FrameSamples> {
    let mut samples = vec![FrameSamples::default(); variants];
    for round in 0..budget.warm_up + budget.frames.end() {
        for turn in 0..variants {
            // Each variant comes first in one round, so that it follows a slow neighbour in one round only.
            let index = (turn + round) % variants;
            let own = &mut samples[index];
            let warming = round < budget.warm_up;
            if !warming && own.is_enough(budget) {
                continue;
            }
            let Some(frame) = draw(index, round) else { continue };
            own.seconds += frame.wall_ms * 1e-3;
            if warming {
                own.drop(frame);
            } else {
                own.push(&frame);
            }
        }
    }
    samples
}

/// Measures CPU times of `variants` (ms), [`BURSTS`] bursts of each in turn. `burst(variant)` returns the times of
/// [`cpu_burst`].
pub fn interleave_bursts(variants: usize, mut burst: impl FnMut(usize) -> Vec<f64>) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); variants];
    for round in 0..BURSTS {
        for turn in 0..variants {
            let index = (turn + round) % variants;
            samples[index].extend(burst(index));
        }
    }
    samples
}

/// Measures the times to encode and submit each of some frames (ms), which are submitted back to back. Waits for the
/// GPU before and after them, not between.
///
/// Empty on a software rasterizer, which draws on the cores that would be measured. Empty for technique `live`, too,
/// whose frames each hold the palettes of all instances.
pub fn cpu_burst(
    gpu: &Gpu,
    renderer: &mut Renderer,
    view: &wgpu::TextureView,
    size: (u32, u32),
    input: &FrameInput,
) -> Vec<f64> {
    if gpu.facts.is_software() || renderer.options().method.technique.facts().posed_on_cpu {
        return Vec::new();
    }
    gpu.spin_idle();
    let frames = (0..BURST_WARM_UP + BURST).map(|_| renderer.draw(gpu, view, size, input).cpu_ms);
    let frames: Vec<f64> = frames.collect();
    gpu.spin_idle();
    frames[BURST_WARM_UP..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(wall_ms: f64) -> Option<FrameTiming> {
        Some(FrameTiming {
            wall_ms,
            ..FrameTiming::default()
        })
    }

    #[test]
    fn variants_take_turns_and_the_warm_up_is_dropped() {
        let budget = TimingBudget {
            warm_up: 1,
            frames: 2..=4,
            seconds: 1e9,
        };
        let mut order = Vec::new();
        let samples = interleave(3, &budget, |variant, round| {
            order.push(variant);
            frame((10 * variant + round) as f64)
        });
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2, 1, 2, 0]);
        for (variant, samples) in samples.iter().enumerate() {
            let expected: Vec<f64> = (1..=4).map(|round| (10 * variant + round) as f64).collect();
            assert_eq!(samples.wall_ms, expected, "rounds after the first, all of them");
            assert_eq!((samples.count(), samples.warm_up_frames), (4, 1));
        }
    }

    #[test]
    fn slow_variants_stop_at_the_fewest_frames_and_fast_ones_go_on() {
        let budget = TimingBudget {
            warm_up: 0,
            frames: 2..=5,
            seconds: 1.0,
        };
        let samples = interleave(2, &budget, |variant, _| frame([2000.0, 1.0][variant]));
        assert_eq!(samples.iter().map(FrameSamples::count).collect::<Vec<_>>(), [2, 5]);
        let none = interleave(1, &budget, |_, _| None);
        assert_eq!(none[0], FrameSamples::default());
    }

    #[test]
    fn a_lone_frame_counts_as_timed_not_as_warm_up() {
        let budget = TimingBudget {
            warm_up: 1,
            frames: 0..=5,
            seconds: 1.0,
        };
        let mut samples = interleave(1, &budget, |_, _| frame(90_000.0));
        samples[0].settle();
        assert_eq!((samples[0].count(), samples[0].warm_up_frames), (1, 0));
        let mut many = interleave(1, &budget, |_, _| frame(1.0));
        many[0].settle();
        assert_eq!((many[0].count(), many[0].warm_up_frames), (5, 1));
    }

    #[test]
    fn cpu_times_are_of_at_least_thirty_frames_taken_in_turns() {
        const { assert!(BURST * BURSTS >= 30) };
        let mut order = Vec::new();
        let samples = interleave_bursts(2, |variant| {
            order.push(variant);
            vec![variant as f64; BURST]
        });
        assert_eq!(order, [0, 1, 1, 0, 0, 1]);
        assert_eq!(samples[1], vec![1.0; BURST * BURSTS]);
    }
}
