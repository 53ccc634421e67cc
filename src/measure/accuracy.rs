//! The worst vertex of an entry, in millimetres, over all clips at and between frames. The GPU skins
//! through the drawing code (the probe); the CPU is the reference.

use std::sync::Arc;

use glam::Vec4;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bake::{
        BakedClip,
        skinning::{self, Skinned},
    },
    character::Character,
    config::LookConfig,
    crowd::{Instance, clock::Clock},
    gpu::{Gpu, GpuError},
    render::{
        DrawMethod, FrameInput,
        passes::{Probe, ProbeVertex},
        resources::{CharacterAssets, pose_steps},
        technique::ErrorSource,
    },
    view::Camera,
};

/// Bytes read back at a time; a probed vertex is 32.
const CHUNK_BYTES: usize = 64 << 20;

/// Worst deviations of skinned vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// From the clip's keys sampled exactly: what a viewer could notice. Millimetres.
    pub worst_mm: f32,
    /// Worst error in percent of the character's height.
    pub worst_percent: f32,
    /// From the baked frames, morph targets included, blended in full precision: the cost of the encoding alone. For
    /// `live`, which has no frames, from the exact keys; for `preskinned` with what its steps through clips cost.
    /// Millimetres.
    pub encoding_mm: f32,
    /// Worst encoding error in percent of the character's height.
    pub encoding_percent: f32,
    /// Worst normal against the exact one, degrees; at vertices whose normal is well defined.
    pub normal_degrees: f32,
    /// Worst normal against the baked frames (degrees).
    pub encoding_normal_degrees: f32,
    /// Moments compared.
    pub moments: u32,
}

impl Accuracy {
    /// The worse of two, for several characters or clips.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            worst_mm: self.worst_mm.max(other.worst_mm),
            worst_percent: self.worst_percent.max(other.worst_percent),
            encoding_mm: self.encoding_mm.max(other.encoding_mm),
            encoding_percent: self.encoding_percent.max(other.encoding_percent),
            normal_degrees: self.normal_degrees.max(other.normal_degrees),
            encoding_normal_degrees: self.encoding_normal_degrees.max(other.encoding_normal_degrees),
            moments: self.moments + other.moments,
        }
    }
}

/// A moment of a clip with the CPU's answers.
struct ReferencePose {
    clip: usize,
    /// Share of the clip's duration.
    position: f32,
    exact: Vec<Skinned>,
    baked: Vec<Skinned>,
}

/// The CPU's side of the comparison, computed once per character and used for every entry.
pub struct SkinningReference {
    character: Arc<Character>,
    moments: Vec<ReferencePose>,
}

impl SkinningReference {
    /// Skins as many frames of every clip as `most_vertices` allow, evenly chosen and at least one,
    /// and the middle after each.
    #[must_use]
    pub fn new(character: &Arc<Character>, most_vertices: u64) -> Self {
        let per_frame = 2 * character.model.mesh.vertices.len() as u64 * character.palettes.clips.len() as u64;
        let per_clip = (most_vertices / per_frame.max(1)).clamp(1, u64::from(u32::MAX));
        let at = positions(character, per_clip as u32);
        let moments = at
            .into_par_iter()
            .map(|(clip, position)| moment(character, clip, position))
            .collect();
        Self {
            character: character.clone(),
            moments,
        }
    }

    /// Worst deviations of a way of drawing; `None` for `static`, which shows another pose on purpose.
    ///
    /// # Errors
    /// [`GpuError`], [`GpuError::TooLarge`] among them.
    pub fn measure(&self, gpu: &Gpu, method: DrawMethod) -> Result<Option<Accuracy>, GpuError> {
        match method.technique.facts().error {
            ErrorSource::NotComparable => Ok(None),
            ErrorSource::BakedFrames => self.probe(gpu, method, &self.moments, |moment| &moment.baked).map(Some),
            ErrorSource::ExactPoses => self.probe(gpu, method, &self.moments, |moment| &moment.exact).map(Some),
            ErrorSource::SteppedFrames => {
                let at = |moments: &[ReferencePose]| self.probe(gpu, method, moments, |moment| &moment.baked);
                Ok(Some(at(&self.moments)?.max(at(&self.between_steps())?)))
            }
        }
    }

    /// Moments as far as anybody is from the one at which they are shown, where frames and steps meet: frames and the
    /// middles between them may be steps themselves, where nothing is lost.
    fn between_steps(&self) -> Vec<ReferencePose> {
        let clips = &self.character.palettes.clips;
        let moments = self.moments.par_iter().filter_map(|m| {
            let steps = pose_steps::intervals(&clips[m.clip]);
            if steps == 0 {
                return None;
            }
            // Not quite half of one: who is in the middle may be shown at either end.
            let off = 0.49 / steps as f32;
            let off = if m.position + off <= 1.0 { off } else { -off };
            Some(moment(&self.character, m.clip, m.position + off))
        });
        moments.collect()
    }

    /// `encoded` is what would be shown were nothing lost by encoding.
    fn probe(
        &self,
        gpu: &Gpu,
        method: DrawMethod,
        all: &[ReferencePose],
        encoded: fn(&ReferencePose) -> &[Skinned],
    ) -> Result<Accuracy, GpuError> {
        let character = &self.character;
        let assets = CharacterAssets::upload(gpu, character, method)?;
        let probe = Probe::new(gpu, &assets)?;
        let vertices = assets.vertex_count.max(1) as usize;
        let mut worst = Accuracy::default();
        for moments in all.chunks((CHUNK_BYTES / (vertices * size_of::<ProbeVertex>())).max(1)) {
            let instance =
                |m: &ReferencePose| Instance::new(glam::Vec3::ZERO).with_clip(m.clip as u16, 1.0, m.position);
            let instances: Vec<Instance> = moments.iter().map(instance).collect();
            let probe_vertices = probe.run_instances(gpu, character, &assets, &instances, &still())?;
            let pairs = moments.par_iter().zip(probe_vertices.par_chunks(vertices));
            let deviations = pairs.map(|(moment, probe_vertices)| {
                let shown = probe_vertices.iter().map(skinned);
                self.deviation(moment, encoded(moment), shown)
            });
            worst = worst.max(deviations.reduce(Accuracy::default, Accuracy::max));
        }
        Ok(worst)
    }

    fn deviation(&self, moment: &ReferencePose, encoded: &[Skinned], shown: impl Iterator<Item = Skinned>) -> Accuracy {
        let mut worst = Accuracy {
            moments: 1,
            ..Accuracy::default()
        };
        for ((shown, exact), baked) in shown.zip(&moment.exact).zip(encoded) {
            worst.worst_mm = worse(worst.worst_mm, shown.position.distance(exact.position) * 1e3);
            worst.encoding_mm = worse(worst.encoding_mm, shown.position.distance(baked.position) * 1e3);
            worst.normal_degrees = worse(worst.normal_degrees, angle(shown, *exact));
            worst.encoding_normal_degrees = worse(worst.encoding_normal_degrees, angle(shown, *baked));
        }
        let percent_per_mm = 0.1 / height(&self.character);
        worst.worst_percent = worst.worst_mm * percent_per_mm;
        worst.encoding_percent = worst.encoding_mm * percent_per_mm;
        worst
    }
}

/// The larger error; what is no number is the worst of all.
fn worse(a: f32, b: f32) -> f32 {
    if b.is_nan() { f32::INFINITY } else { a.max(b) }
}

/// Height of the rest pose, or the largest edge of a flat one, metres.
#[must_use]
pub fn height(character: &Character) -> f32 {
    let size = character.packed.bounds.size();
    let height = if size.y > 0.0 { size.y } else { size.max_element() };
    height.max(f32::MIN_POSITIVE)
}

/// Clip and share of its duration, of all moments.
fn positions(character: &Character, per_clip: u32) -> Vec<(usize, f32)> {
    let of_clip = |(index, clip): (usize, &BakedClip)| -> Vec<(usize, f32)> {
        let intervals = clip.frame_count - 1;
        if intervals == 0 {
            return vec![(index, 0.0)];
        }
        let frames = per_clip.min(intervals).max(1);
        // The last frame and the first of a loop are the same moment: the seam is compared as frame 0.
        let frame = |i: u32| (u64::from(i) * u64::from(intervals) / u64::from(frames)) as u32;
        let pairs = (0..frames).map(|i| (clip.times.position(frame(i)), clip.times.position(frame(i) + 1)));
        // What is shown at a jump is its second frame.
        let apart = pairs.filter(|(from, to)| to > from);
        apart
            .flat_map(|(from, to)| [from, from.midpoint(to)])
            .map(|at| (index, at))
            .collect()
    };
    character.palettes.clips.iter().enumerate().flat_map(of_clip).collect()
}

fn moment(character: &Character, clip: usize, position: f32) -> ReferencePose {
    let (model, palettes) = (&character.model, &character.palettes);
    let baked = &palettes.clips[clip];
    let seconds = position * baked.duration;
    let (frame, next, between) = baked.frames_at(seconds);
    let palette = skinning::palette_between(palettes, frame, next, between);
    let weights = skinning::morphs_between(palettes, frame, next, between);
    ReferencePose {
        clip,
        position,
        exact: skinning::skin_exact(model, model.clips.get(clip), seconds),
        baked: skinning::skin_vertices(&skinning::morphed(model, &weights), &palette),
    }
}

fn skinned(probe_vertices: &ProbeVertex) -> Skinned {
    Skinned {
        position: Vec4::from(probe_vertices.position).truncate(),
        normal: Vec4::from(probe_vertices.normal).truncate(),
        tangent: Vec4::from(probe_vertices.tangent),
    }
}

/// Degrees; 0 where either has no direction.
fn angle(a: Skinned, b: Skinned) -> f32 {
    if a.normal.length_squared() < 0.5 || b.normal.length_squared() < 0.5 {
        return 0.0;
    }
    (2.0 * a.normal.distance(b.normal).atan2((a.normal + b.normal).length())).to_degrees()
}

/// A frame at time 0 whose camera does not matter.
fn still() -> FrameInput {
    let camera = Camera {
        eye: glam::Vec3::Z,
        target: glam::Vec3::ZERO,
        fov: 1.0,
    };
    FrameInput::new(&camera, 1.0, Clock::default(), &LookConfig::default())
}
