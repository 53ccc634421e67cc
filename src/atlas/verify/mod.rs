//! Measures the error of baking and encoding against the exact keys.
//!
//! For every pose and vertex, with `S(palette, vertex)` the skinned position:
//! ```text
//! influences   S(exact, all influences)  - S(exact, those kept)
//! resampling   S(exact, kept)            - S(baked frames blended, kept)        between frames
//! encoding     S(baked blended, kept)    - S(encoded frames blended, kept)      per format
//! vertices     S(baked blended, kept)    - S(baked blended, packed vertex)
//! total        S(exact, all influences)  - S(encoded blended, packed vertex)    per format
//! ```
//! The total is what the screen shows. The parts need not add up to it: they may cancel.

mod along;
pub mod compare;
mod histogram;
pub mod report;

pub use along::error_along;
pub use compare::{Comparison, MAX_COMPARED_SAMPLES, PlacementCost, compare, even_steps, even_steps_line};
pub use report::Report;

use glam::{Affine3A, Vec3, Vec4};
use rayon::prelude::*;

use crate::{
    atlas::{
        Atlas, AtlasFormat, format_fitness,
        verify::{
            histogram::{ErrorHistogram, ErrorSample},
            report::{ClipReport, ErrorPlace, FormatReport, Statistics},
        },
    },
    bake::{
        self, BakedClip, Palettes,
        skinning::{self, SkinnedVertex},
    },
    model::{Model, PackedMesh, UnitSpace, Vertex},
};

/// Amount of measurement.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// Number of times between two frames, evenly spaced; the middle is the worst one of a smooth curve.
    pub between: u32,
    /// Limit of skinned vertices per format; frames are skipped evenly above it.
    pub max_samples: u64,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            between: 1,
            max_samples: 8_000_000,
        }
    }
}

/// A time of a clip at which poses are compared.
struct VerifiedPose {
    clip: usize,
    /// Clip time (s).
    time: f32,
    /// Atlas frames and the fraction between them.
    frames: (usize, usize, f32),
    /// True at a baked frame.
    baked: bool,
}

/// Compares `palettes`, and encodings of them, with the model's own clips. It bakes nothing.
#[must_use]
pub fn verify(model: &Model, palettes: &Palettes, formats: &[AtlasFormat], options: &VerifyOptions) -> Report {
    let space = UnitSpace::around(model.rest_bounds());
    let encode = |&format: &AtlasFormat| Atlas::encode(palettes, &space, format);
    let atlases: Vec<Atlas> = formats.iter().map(encode).collect();
    verify_atlases(model, palettes, &atlases, options)
}

/// Compares `palettes` and atlases of the same frames with the model's own clips.
#[must_use]
pub fn verify_atlases(model: &Model, palettes: &Palettes, atlases: &[Atlas], options: &VerifyOptions) -> Report {
    let poses = poses(palettes, model.mesh.vertices.len(), options);
    let packed = PackedMesh::new(&model.mesh);
    let unpacked: Vec<Vertex> = (0..packed.vertices.len()).map(|i| packed.vertex(i)).collect();
    let bench = Verifier {
        model,
        palettes,
        atlases,
        unpacked: &unpacked,
    };
    let empty = || Tally::new(atlases.len(), palettes.clips.len());
    let tally = poses
        .par_iter()
        .enumerate()
        .fold(empty, |tally, (index, pose)| bench.measure(tally, index, pose))
        .reduce(empty, Tally::merge);
    bench.report(tally, &poses)
}

/// Evenly chosen frames of every clip, each followed by times before the next frame.
fn poses(palettes: &Palettes, vertex_count: usize, options: &VerifyOptions) -> Vec<VerifiedPose> {
    let per_frame = vertex_count as u64 * u64::from(options.between + 1);
    let wanted = palettes.frame_count as u64 * per_frame;
    let step = wanted.div_ceil(options.max_samples.max(1)).max(1) as u32;
    let mut poses = Vec::new();
    for (index, clip) in palettes.clips.iter().enumerate() {
        let steps = clip.frame_count - 1;
        // The last frame is the end of the clip: stepping might skip it.
        let frames = (0..steps).step_by(step as usize).chain([steps]);
        for frame in frames {
            let (from, to) = (clip.time_of(frame), clip.time_of((frame + 1).min(steps)));
            // A jump shows its second frame; nothing follows the last frame.
            let moments = match (frame == steps, to > from) {
                (true, _) => 0..=0,
                (false, true) => 0..=options.between,
                (false, false) => continue,
            };
            poses.extend(moments.map(|sub| {
                let time = from + (to - from) * sub as f32 / (options.between + 1) as f32;
                VerifiedPose {
                    clip: index,
                    time,
                    frames: clip.frames_at(time),
                    baked: sub == 0,
                }
            }));
        }
    }
    poses
}

/// Inputs for the comparison of one pose.
struct Verifier<'a> {
    model: &'a Model,
    palettes: &'a Palettes,
    atlases: &'a [Atlas],
    unpacked: &'a [Vertex],
}

impl Verifier<'_> {
    fn measure(&self, mut tally: Tally, index: usize, pose: &VerifiedPose) -> Tally {
        let model = self.model;
        let clip = model.clips.get(pose.clip);
        let exact_palette = skinning::exact_palette(model, clip, pose.time);
        let exact = skinning::morphed(model, &skinning::exact_morphs(model, clip, pose.time));
        let (a, b, fraction) = pose.frames;
        let baked_palette = skinning::palette_between(self.palettes, a, b, fraction);
        let baked_morphs = skinning::morphs_between(self.palettes, a, b, fraction);
        let between = skinning::morphed(model, &baked_morphs);
        let mut packed = self.unpacked.to_vec();
        skinning::add_morphs(&mut packed, model, &baked_morphs);
        let kept = skinning::skin_vertices(&exact, &exact_palette);
        let full = all_influences(model, &exact, &kept, &exact_palette);
        let baked = skinning::skin_vertices(&between, &baked_palette);
        let at = |vertex| ErrorSample { pose: index, vertex };
        for reduced in &model.reduced {
            let v = reduced.vertex as usize;
            tally.influences.add(full[v].position.distance(kept[v].position), at(v));
        }
        for (v, unpacked) in packed.iter().enumerate() {
            let shown = skinning::skin_vertex(unpacked, &baked_palette);
            tally.vertices.add(baked[v].position.distance(shown.position), at(v));
            if !pose.baked {
                tally
                    .resampling
                    .add(kept[v].position.distance(baked[v].position), at(v));
            }
        }
        for (atlas, tally) in self.atlases.iter().zip(&mut tally.formats) {
            let pairs = atlas.model_palette(a).into_iter().zip(atlas.model_palette(b));
            let coded_palette: Vec<Affine3A> = pairs.map(|(a, b)| skinning::lerp(a, b, fraction)).collect();
            let moment = &mut tally.moments[usize::from(!pose.baked)];
            let of_clip = &mut tally.clips[pose.clip];
            for (v, unpacked) in packed.iter().enumerate() {
                let coded = skinning::skin_vertex(&between[v], &coded_palette);
                let shown = skinning::skin_vertex(unpacked, &coded_palette);
                moment.encoding.add(baked[v].position.distance(coded.position), at(v));
                let total = full[v].position.distance(shown.position);
                moment.total.add(total, at(v));
                of_clip.add(total, at(v));
                moment.normals.add(angle(full[v].normal, shown.normal), at(v));
                if full[v].tangent != Vec4::ZERO {
                    let (along, shown) = (full[v].tangent.truncate(), shown.tangent.truncate());
                    moment.tangents.add(angle(along, shown), at(v));
                }
            }
        }
        tally
    }

    fn report(&self, tally: Tally, poses: &[VerifiedPose]) -> Report {
        let model = self.model;
        let height = model.height();
        let place = |sample: ErrorSample| {
            let pose = &poses[sample.pose];
            let slot = model.mesh.vertices[sample.vertex].joints[0];
            let joint = model.skeleton.slots[usize::from(slot)].joint;
            ErrorPlace {
                clip: self.palettes.clips[pose.clip].name.clone(),
                time: pose.time,
                joint: model.skeleton.joints[joint as usize].name.clone(),
                vertex: sample.vertex as u32,
            }
        };
        let statistics = |spread: &ErrorHistogram| {
            let (worst, at) = spread.worst();
            Statistics::new(worst, spread.p99(), height, at.map(place))
        };
        let clip = |atlas: &Atlas, clip: &BakedClip, total: &ErrorHistogram| ClipReport {
            clip: clip.name.clone(),
            frames: clip.frame_count,
            bytes: u64::from(clip.frame_count * atlas.slot_count) * atlas.format.matrix_bytes() as u64,
            total: statistics(total),
        };
        let format = |(
            atlas,
            FormatTally {
                moments: [at, between],
                clips,
            },
        ): (&Atlas, &FormatTally)| FormatReport {
            format: atlas.format,
            frames: atlas.frame_count,
            bytes: atlas.bytes.len() as u64,
            total: statistics(&at.total.clone().merge(between.total.clone())),
            clips: atlas
                .clips
                .iter()
                .zip(clips)
                .map(|(c, total)| clip(atlas, c, total))
                .collect(),
            encoding_at_frames: Some(statistics(&at.encoding)),
            encoding_between_frames: Some(statistics(&between.encoding)),
            total_at_frames: statistics(&at.total),
            total_between_frames: statistics(&between.total),
            normal_at_frames_degrees: at.normals.worst().0,
            normal_between_frames_degrees: between.normals.worst().0,
            tangent_degrees: at.tangents.worst().0.max(between.tangents.worst().0),
        };
        let formats: Vec<FormatReport> = self.atlases.iter().zip(&tally.formats).map(format).collect();
        Report {
            warnings: format_fitness::remarks(model, self.palettes, &formats),
            character: model.name.clone(),
            height_m: height,
            vertices: model.mesh.vertices.len() as u32,
            reduced_vertices: model.reduced.len() as u32,
            frames: self.palettes.frame_count as u32,
            frames_checked: poses.iter().filter(|p| p.baked).count() as u32,
            between_checked: poses.iter().filter(|p| !p.baked).count() as u32,
            influences: statistics(&tally.influences),
            resampling: statistics(&tally.resampling),
            vertex_packing: statistics(&tally.vertices),
            formats,
        }
    }
}

/// Posed vertices with every influence of the file: reduced vertices are posed from `exact`, the others copied from
/// `kept`.
fn all_influences(model: &Model, exact: &[Vertex], kept: &[SkinnedVertex], palette: &[Affine3A]) -> Vec<SkinnedVertex> {
    let mut full = kept.to_vec();
    for reduced in &model.reduced {
        let vertex = &exact[reduced.vertex as usize];
        full[reduced.vertex as usize] = skinning::transform(vertex, bake::all_influences(reduced, palette));
    }
    full
}

/// Angle (degrees), precise for small ones; 0 where either vector is zero.
fn angle(a: Vec3, b: Vec3) -> f32 {
    if a == Vec3::ZERO || b == Vec3::ZERO {
        return 0.0;
    }
    (2.0 * a.distance(b).atan2((a + b).length())).to_degrees()
}

/// Errors collected so far (m and degrees).
#[derive(Default)]
struct Tally {
    influences: ErrorHistogram,
    resampling: ErrorHistogram,
    vertices: ErrorHistogram,
    formats: Vec<FormatTally>,
}

/// Errors of one format.
#[derive(Clone, Default)]
struct FormatTally {
    /// Errors at frames and between frames.
    moments: [VerifiedMoment; 2],
    /// Total error of every clip.
    clips: Vec<ErrorHistogram>,
}

#[derive(Clone, Default)]
struct VerifiedMoment {
    encoding: ErrorHistogram,
    total: ErrorHistogram,
    normals: ErrorHistogram,
    tangents: ErrorHistogram,
}

impl Tally {
    fn new(formats: usize, clips: usize) -> Self {
        let format = FormatTally {
            clips: vec![ErrorHistogram::default(); clips],
            ..FormatTally::default()
        };
        Self {
            formats: vec![format; formats],
            ..Self::default()
        }
    }

    fn merge(self, other: Self) -> Self {
        let moment = |a: VerifiedMoment, b: VerifiedMoment| VerifiedMoment {
            encoding: a.encoding.merge(b.encoding),
            total: a.total.merge(b.total),
            normals: a.normals.merge(b.normals),
            tangents: a.tangents.merge(b.tangents),
        };
        let both = |(a, b): (FormatTally, FormatTally)| {
            let ([a0, a1], [b0, b1]) = (a.moments, b.moments);
            FormatTally {
                moments: [moment(a0, b0), moment(a1, b1)],
                clips: a.clips.into_iter().zip(b.clips).map(|(a, b)| a.merge(b)).collect(),
            }
        };
        Self {
            influences: self.influences.merge(other.influences),
            resampling: self.resampling.merge(other.resampling),
            vertices: self.vertices.merge(other.vertices),
            formats: self.formats.into_iter().zip(other.formats).map(both).collect(),
        }
    }
}
