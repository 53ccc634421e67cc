//! Skinning errors of a draw method (mm): the worst vertex over all clips, at and between frames. The GPU skins with
//! the code that draws (the probe pass); the CPU is the reference.

use std::sync::Arc;

use glam::Vec4;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bake::{
        BakedClip,
        skinning::{self, SkinnedVertex},
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

/// Bytes that are read back at a time; a probe vertex has 32.
const CHUNK_BYTES: usize = 64 << 20;

/// Worst errors of skinned vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Worst error of a position against the exactly sampled keys (mm): what a viewer could notice.
    pub worst_mm: f32,
    /// Worst error in percent of the character's height.
    pub worst_percent: f32,
    /// Worst error of a position against the baked frames (mm), blended in full precision with morph targets: the cost
    /// of the encoding alone. For `live`, which has no frames, against the exact keys. For `preskinned`, including its
    /// steps in time.
    pub encoding_mm: f32,
    /// Worst encoding error in percent of the character's height.
    pub encoding_percent: f32,
    /// Worst error of a normal against the exact one (degrees), at vertices whose normal is well defined.
    pub normal_degrees: f32,
    /// Worst error of a normal against the baked frames (degrees).
    pub encoding_normal_degrees: f32,
    /// Number of poses compared.
    pub moments: u32,
}

impl Accuracy {
    /// Returns the worse of each error, for several characters or clips.
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

/// Pose of a clip that the CPU skinned.
struct ReferencePose {
    clip: usize,
    /// Share of the clip's duration, 0..1.
    position: f32,
    exact: Vec<SkinnedVertex>,
    baked: Vec<SkinnedVertex>,
}

/// CPU reference of the comparison, computed once per character and used for every draw method.
pub struct SkinningReference {
    character: Arc<Character>,
    moments: Vec<ReferencePose>,
}

impl SkinningReference {
    /// Skins frames of every clip, evenly chosen, and the middle after each. `most_vertices` limits their number; each
    /// clip has at least one.
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

    /// Measures the worst errors of a draw method. Returns `None` for `static`, whose pose differs on purpose.
    ///
    /// # Errors
    /// Any [`GpuError`], [`GpuError::TooLarge`] among them.
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

    /// Poses at the greatest distance from a time step of `preskinned`. Frames and the middles between them may be
    /// steps themselves, where nothing is lost.
    fn between_steps(&self) -> Vec<ReferencePose> {
        let clips = &self.character.palettes.clips;
        let moments = self.moments.par_iter().filter_map(|m| {
            let steps = pose_steps::intervals(&clips[m.clip]);
            if steps == 0 {
                return None;
            }
            // Slightly less than half a step: the middle may be rounded to either end.
            let off = 0.49 / steps as f32;
            let off = if m.position + off <= 1.0 { off } else { -off };
            Some(moment(&self.character, m.clip, m.position + off))
        });
        moments.collect()
    }

    /// Measures errors of poses; `encoded` returns the vertices that an encoding without loss would give.
    fn probe(
        &self,
        gpu: &Gpu,
        method: DrawMethod,
        all: &[ReferencePose],
        encoded: fn(&ReferencePose) -> &[SkinnedVertex],
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

    fn deviation(
        &self,
        moment: &ReferencePose,
        encoded: &[SkinnedVertex],
        shown: impl Iterator<Item = SkinnedVertex>,
    ) -> Accuracy {
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

/// Returns the larger error; NaN counts as infinite.
fn worse(a: f32, b: f32) -> f32 {
    if b.is_nan() { f32::INFINITY } else { a.max(b) }
}

/// Returns the height of the rest pose (m), or the largest edge of a flat one.
#[must_use]
pub fn height(character: &Character) -> f32 {
    let size = character.rest_bounds.size();
    let height = if size.y > 0.0 { size.y } else { size.max_element() };
    height.max(f32::MIN_POSITIVE)
}

/// Returns clip and share of its duration of all poses.
fn positions(character: &Character, per_clip: u32) -> Vec<(usize, f32)> {
    let of_clip = |(index, clip): (usize, &BakedClip)| -> Vec<(usize, f32)> {
        let intervals = clip.frame_count - 1;
        if intervals == 0 {
            return vec![(index, 0.0)];
        }
        let frames = per_clip.min(intervals).max(1);
        // The last frame and the first of a loop are the same pose: the seam is compared as frame 0.
        let frame = |i: u32| (u64::from(i) * u64::from(intervals) / u64::from(frames)) as u32;
        let pairs = (0..frames).map(|i| (clip.times.position(frame(i)), clip.times.position(frame(i) + 1)));
        // At a jump, its second frame is shown.
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

fn skinned(probe_vertices: &ProbeVertex) -> SkinnedVertex {
    SkinnedVertex {
        position: Vec4::from(probe_vertices.position).truncate(),
        normal: Vec4::from(probe_vertices.normal).truncate(),
        tangent: Vec4::from(probe_vertices.tangent),
    }
}

/// Returns the angle between normals (degrees); 0 if either has no direction.
fn angle(a: SkinnedVertex, b: SkinnedVertex) -> f32 {
    if a.normal.length_squared() < 0.5 || b.normal.length_squared() < 0.5 {
        return 0.0;
    }
    (2.0 * a.normal.distance(b.normal).atan2((a.normal + b.normal).length())).to_degrees()
}

/// Makes the input of a frame at time 0, whose camera does not matter.
fn still() -> FrameInput {
    let camera = Camera {
        eye: glam::Vec3::Z,
        target: glam::Vec3::ZERO,
        fov: 1.0,
    };
    FrameInput::new(&camera, 1.0, Clock::default(), &LookConfig::default())
}
