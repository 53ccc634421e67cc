//! Measures the error of baking and encoding against the exact keys.
//!
//! For every pose and vertex, with `S(palette, vertex)` the skinned position:
//! ```text
//! influences   S(exact, all influences)  - S(exact, four influences)
//! resampling   S(exact, four)            - S(baked frames blended, four)        between frames
//! encoding     S(baked blended, four)    - S(encoded frames blended, four)      per format
//! vertices     S(baked blended, four)    - S(baked blended, packed vertex)
//! total        S(exact, all influences)  - S(encoded blended, packed vertex)    per format
//! ```
//! The last is what the screen shows. The parts need not add up: they may cancel.

mod histogram;
pub mod report;

pub use report::Report;

use glam::{Affine3A, Vec3, Vec4};
use rayon::prelude::*;

use crate::{
    atlas::{
        Atlas, AtlasFormat, format_fitness,
        verify::{
            histogram::{Sample, Spread},
            report::{FormatReport, Place, Statistics},
        },
    },
    bake::{
        Palettes,
        skinning::{self, Skinned},
    },
    model::{Model, PackedMesh, UnitSpace, Vertex},
};

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// Moments between two frames, evenly spaced; the middle is the worst of a smooth curve.
    pub between: u32,
    /// Skinned vertices per format at most; frames are skipped evenly above that.
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

/// A moment of a clip that is compared.
struct Pose {
    clip: usize,
    /// Clip time in seconds.
    time: f32,
    /// Atlas frames and the fraction between them.
    frames: (usize, usize, f32),
    /// True at a baked frame.
    baked: bool,
}

/// Bakes nothing: compares `palettes` and encodings of them with the model's own clips.
#[must_use]
pub fn verify(model: &Model, palettes: &Palettes, formats: &[AtlasFormat], options: &VerifyOptions) -> Report {
    let space = UnitSpace::around(model.mesh.bounds());
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
    let bench = Bench {
        model,
        palettes,
        atlases,
        unpacked: &unpacked,
    };
    let empty = || Tally::new(atlases.len());
    let tally = poses
        .par_iter()
        .enumerate()
        .fold(empty, |tally, (index, pose)| bench.measure(tally, index, pose))
        .reduce(empty, Tally::merge);
    bench.report(tally, &poses)
}

/// Evenly chosen frames of every clip, each followed by moments before the next one.
fn poses(palettes: &Palettes, vertex_count: usize, options: &VerifyOptions) -> Vec<Pose> {
    let per_frame = vertex_count as u64 * u64::from(options.between + 1);
    let wanted = palettes.frame_count as u64 * per_frame;
    let step = wanted.div_ceil(options.max_samples.max(1)).max(1) as u32;
    let mut poses = Vec::new();
    for (index, clip) in palettes.clips.iter().enumerate() {
        let steps = clip.frame_count - 1;
        // The last frame is always compared.
        let frames = (0..steps).step_by(step as usize).chain([steps]);
        for frame in frames {
            for sub in 0..=options.between {
                let position = frame as f32 + sub as f32 / (options.between + 1) as f32;
                if position <= steps as f32 {
                    let time = if clip.rate > 0.0 { position / clip.rate } else { 0.0 };
                    let frames = clip.frames_at(time.min(clip.duration));
                    poses.push(Pose {
                        clip: index,
                        time,
                        frames,
                        baked: sub == 0,
                    });
                }
            }
        }
    }
    poses
}

/// Everything that the comparison of one pose needs.
struct Bench<'a> {
    model: &'a Model,
    palettes: &'a Palettes,
    atlases: &'a [Atlas],
    unpacked: &'a [Vertex],
}

impl Bench<'_> {
    fn measure(&self, mut tally: Tally, index: usize, pose: &Pose) -> Tally {
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
        let full = self.all_influences(&exact, &kept, &exact_palette);
        let baked = skinning::skin_vertices(&between, &baked_palette);
        let at = |vertex| Sample { pose: index, vertex };
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
        for (atlas, formats) in self.atlases.iter().zip(&mut tally.formats) {
            let pairs = atlas.model_palette(a).into_iter().zip(atlas.model_palette(b));
            let coded_palette: Vec<Affine3A> = pairs.map(|(a, b)| skinning::lerp(a, b, fraction)).collect();
            let moment = &mut formats[usize::from(!pose.baked)];
            for (v, unpacked) in packed.iter().enumerate() {
                let coded = skinning::skin_vertex(&between[v], &coded_palette);
                let shown = skinning::skin_vertex(unpacked, &coded_palette);
                moment.encoding.add(baked[v].position.distance(coded.position), at(v));
                moment.total.add(full[v].position.distance(shown.position), at(v));
                moment.normals.add(angle(full[v].normal, shown.normal), at(v));
                if full[v].tangent != Vec4::ZERO {
                    let (along, shown) = (full[v].tangent.truncate(), shown.tangent.truncate());
                    moment.tangents.add(angle(along, shown), at(v));
                }
            }
        }
        tally
    }

    /// The vertices as their file has them, with every influence.
    fn all_influences(&self, exact: &[Vertex], kept: &[Skinned], palette: &[Affine3A]) -> Vec<Skinned> {
        let mut full = kept.to_vec();
        for reduced in &self.model.reduced {
            let vertex = &exact[reduced.vertex as usize];
            let sum = reduced.influences.iter().fold(Affine3A::ZERO, |sum, &(slot, weight)| {
                skinning::add_scaled(sum, palette[usize::from(slot)], weight)
            });
            full[reduced.vertex as usize] = skinning::transform(vertex, sum);
        }
        full
    }

    fn report(&self, tally: Tally, poses: &[Pose]) -> Report {
        let model = self.model;
        let size = model.mesh.bounds().size();
        let height = if size.y > 0.0 { size.y } else { size.max_element() };
        let place = |sample: Sample| {
            let pose = &poses[sample.pose];
            let slot = model.mesh.vertices[sample.vertex].joints[0];
            let joint = model.skeleton.slots[usize::from(slot)].joint;
            Place {
                clip: self.palettes.clips[pose.clip].name.clone(),
                time: pose.time,
                joint: model.skeleton.joints[joint as usize].name.clone(),
                vertex: sample.vertex as u32,
            }
        };
        let statistics = |spread: &Spread| {
            let (worst, at) = spread.worst();
            Statistics::new(worst, spread.p99(), height, at.map(place))
        };
        let format = |(atlas, [at, between]): (&Atlas, &[Moment; 2])| FormatReport {
            format: atlas.format,
            bytes: atlas.bytes.len() as u64,
            encoding_at_frames: statistics(&at.encoding),
            encoding_between_frames: statistics(&between.encoding),
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

/// Angle in degrees, precise for small ones; 0 where a normal has no direction.
fn angle(a: Vec3, b: Vec3) -> f32 {
    if a == Vec3::ZERO || b == Vec3::ZERO {
        return 0.0;
    }
    (2.0 * a.distance(b).atan2((a + b).length())).to_degrees()
}

/// Errors collected so far, metres and degrees.
#[derive(Default)]
struct Tally {
    influences: Spread,
    resampling: Spread,
    vertices: Spread,
    /// Per format, at frames and between frames.
    formats: Vec<[Moment; 2]>,
}

#[derive(Clone, Default)]
struct Moment {
    encoding: Spread,
    total: Spread,
    normals: Spread,
    tangents: Spread,
}

impl Tally {
    fn new(formats: usize) -> Self {
        Self {
            formats: vec![Default::default(); formats],
            ..Self::default()
        }
    }

    fn merge(self, other: Self) -> Self {
        let moment = |a: Moment, b: Moment| Moment {
            encoding: a.encoding.merge(b.encoding),
            total: a.total.merge(b.total),
            normals: a.normals.merge(b.normals),
            tangents: a.tangents.merge(b.tangents),
        };
        let both = |([a0, a1], [b0, b1]): ([Moment; 2], [Moment; 2])| [moment(a0, b0), moment(a1, b1)];
        Self {
            influences: self.influences.merge(other.influences),
            resampling: self.resampling.merge(other.resampling),
            vertices: self.vertices.merge(other.vertices),
            formats: self.formats.into_iter().zip(other.formats).map(both).collect(),
        }
    }
}
