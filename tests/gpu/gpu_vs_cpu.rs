//! Every vertex of every sample character, skinned on the GPU by the drawing code and compared with the CPU reference.
//! Errors are in millimetres and relative to the character's height.

use rayon::prelude::*;
use throng::{
    atlas::AtlasFormat,
    bake::skinning::{self, SkinnedVertex},
    character::Character,
    config::Technique,
    crowd::{Instance, MotionPlan},
    gpu::Gpu,
    model::{Channel, Clip, Interpolation, Keys, Material, Mesh, Model, Transform, Vertex},
    render::{passes::ProbeVertex, resources::AtlasSource},
};

use crate::common::{self, surfaces, worse::worse};

const TIMES_PER_CLIP: usize = 20;

/// Worst deviations over everything compared.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// Error of positions (m, file units).
    position: f32,
    /// Error of normals (degrees).
    normal: f32,
}

impl Worst {
    fn max(self, other: Self) -> Self {
        Self {
            position: worse(self.position, other.position),
            normal: worse(self.normal, other.normal),
        }
    }

    /// Error of positions (percent of the height).
    fn relative(self, character: &Character) -> f32 {
        self.position / height(character) * 100.0
    }
}

/// Height of the rest pose, or its largest edge if it is flat.
fn height(character: &Character) -> f32 {
    let size = character.packed.bounds.size();
    if size.y > 0.0 { size.y } else { size.max_element() }
}

/// Frame positions: on frames, in the middle between two, the first and almost the last moment of a clip.
fn positions(intervals: u32) -> Vec<f32> {
    let steps = (0..TIMES_PER_CLIP).map(|i| i as f32 / TIMES_PER_CLIP as f32);
    steps
        .map(|u| (u * intervals as f32).min(intervals as f32 * 0.9999))
        .collect()
}

fn instances(clip: usize, at: &[f32], intervals: u32) -> Vec<Instance> {
    let start = |frame: f32| frame / intervals.max(1) as f32;
    let new = |&frame: &f32| Instance::new(glam::Vec3::ZERO).with_clip(clip as u16, 1.0, start(frame));
    at.iter().map(new).collect()
}

fn reference(character: &Character, clip: usize, position: f32) -> Vec<SkinnedVertex> {
    let baked = &character.palettes.clips[clip];
    let last = baked.frame_count - 1;
    let frame = (position as u32).min(last);
    let next = (frame + 1).min(last);
    let first = baked.first_frame;
    let (frames, fraction) = (
        [first + frame, first + next].map(|f| f as usize),
        position - frame as f32,
    );
    let palette = skinning::palette_between(&character.palettes, frames[0], frames[1], fraction);
    let weights = skinning::morphs_between(&character.palettes, frames[0], frames[1], fraction);
    skinning::skin_vertices(&skinning::morphed(&character.model, &weights), &palette)
}

fn compare(gpu: &[ProbeVertex], cpu: &[SkinnedVertex]) -> Worst {
    let pairs = gpu.iter().zip(cpu);
    pairs.fold(Worst::default(), |worst, (g, c)| {
        let position = (glam::Vec4::from(g.position).truncate() - c.position).length();
        let normal = glam::Vec4::from(g.normal).truncate();
        // A joint scaled to zero leaves no normal to compare.
        let angle = if c.normal.length_squared() > 0.5 {
            normal.angle_between(c.normal).to_degrees()
        } else {
            0.0
        };
        worst.max(Worst {
            position,
            normal: angle,
        })
    })
}

fn worst(gpu: &Gpu, character: &Character, technique: Technique, format: AtlasFormat, source: AtlasSource) -> Worst {
    let (assets, probe) = common::gpu::upload(gpu, character, (technique, format, source));
    let mut worst = Worst::default();
    for (clip, baked) in character.palettes.clips.iter().enumerate() {
        let at = positions(baked.frame_count - 1);
        let crowd = common::gpu::upload_crowd(
            gpu,
            (&assets, &probe),
            &instances(clip, &at, baked.frame_count - 1),
            &MotionPlan::default(),
        );
        let probe_output = probe
            .run(gpu, &assets, &crowd, &common::gpu::frame(0.0))
            .expect("readback");
        let vertices = assets.vertex_count as usize;
        let clip_worst = at
            .par_iter()
            .zip(probe_output.par_chunks(vertices))
            .map(|(&position, gpu)| compare(gpu, &reference(character, clip, position)))
            .reduce(Worst::default, Worst::max);
        worst = worst.max(clip_worst);
    }
    worst
}

/// Variant of drawing and how far it may be from the reference.
struct Case {
    name: String,
    technique: Technique,
    format: AtlasFormat,
    source: AtlasSource,
    /// Bound (percent of the height).
    bound: f32,
}

/// Bound (percent of the height) where nothing but arithmetic of the GPU rounds.
const ARITHMETIC: f32 = 0.01;

/// Every format from both sources, within the limit that it states, and techniques that read no atlas.
fn cases() -> Vec<Case> {
    let case = |name: &str, technique, format, source, bound| Case {
        name: name.to_owned(),
        technique,
        format,
        source,
        bound,
    };
    let (f32, storage) = (AtlasFormat::F32, AtlasSource::Storage);
    let mut cases = vec![case("textbook", Technique::Textbook, f32, storage, ARITHMETIC)];
    for format in AtlasFormat::ALL {
        let bound = format.facts().limit_percent.max(ARITHMETIC);
        for source in [AtlasSource::Texture, AtlasSource::Storage] {
            let name = format!("{} {}", format.name(), source.name());
            cases.push(case(&name, Technique::Matrix, format, source, bound));
        }
    }
    cases.push(case(
        "vertex texture",
        Technique::Vertex,
        f32,
        AtlasSource::Texture,
        0.1,
    ));
    cases
}

#[test]
fn gpu_skinning_equals_the_cpu_reference_on_every_sample() {
    let (Some(gpu), Some(folder)) = (common::gpu::open(), common::samples()) else {
        return;
    };
    let (mut failures, mut rows) = (Vec::new(), Vec::new());
    println!(
        "{:<42} {:<15} {:>12} {:>10} {:>9}",
        "character", "variant", "worst", "% height", "normal °"
    );
    for file in common::LOADABLE {
        let character = common::gpu::bake(common::load(&folder, file));
        for case in cases() {
            let Case { name, bound, .. } = &case;
            let worst = worst(&gpu, &character, case.technique, case.format, case.source);
            let percent = worst.relative(&character);
            println!(
                "{file:<42} {name:<15} {:>9.3} mm {percent:>10.5} {:>9.3}",
                worst.position * 1e3,
                worst.normal
            );
            rows.push(
                serde_json::json!({ "character": file, "variant": name, "percent": percent, "mm": worst.position * 1e3,
                "normal_degrees": worst.normal }),
            );
            if percent.is_nan() || percent >= *bound {
                failures.push(format!("{file} {name}: {percent} % of the height, allowed {bound} %"));
            }
        }
    }
    // benches/accuracy.sh stores this report, which the README quotes.
    if let Some(file) = std::env::var_os("THRONG_ACCURACY") {
        let report = serde_json::json!({ "adapter": gpu.facts, "rows": rows });
        std::fs::write(file, format!("{report:#}\n")).expect("THRONG_ACCURACY names a file that can be written");
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Unit sphere on one joint that a clip turns and scales to three lengths.
fn stretched_sphere() -> (Model, glam::Vec3, glam::Quat) {
    let (scale, turn) = (glam::Vec3::new(1.0, 3.0, 0.4), glam::Quat::from_rotation_x(0.7));
    let vertex = |i: u32, j: u32| {
        let (u, v) = (
            i as f32 / 8.0 * std::f32::consts::TAU,
            (j as f32 + 0.5) / 8.0 * std::f32::consts::PI,
        );
        let normal = glam::Vec3::new(u.cos() * v.sin(), v.cos(), u.sin() * v.sin());
        Vertex {
            position: normal,
            normal,
            weights: throng::model::padded([1.0], 0.0),
            ..Vertex::default()
        }
    };
    let vertices: Vec<Vertex> = (0..64).map(|i| vertex(i % 8, i / 8)).collect();
    let channel = |keys| Channel {
        joint: 0,
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0],
        keys,
    };
    let model = Model {
        name: "sphere".into(),
        skeleton: surfaces::skeleton(&[Transform::IDENTITY]),
        mesh: Mesh {
            indices: (0..63).collect(),
            vertices,
        },
        materials: vec![Material::default()],
        clips: vec![Clip {
            name: "stretch".into(),
            duration: 1.0,
            channels: vec![
                channel(Keys::Scale(vec![scale; 2])),
                channel(Keys::Rotation(vec![turn; 2])),
            ]
            .into(),
            ..Clip::default()
        }],
        ..Model::default()
    };
    (model, scale, turn)
}

#[test]
fn normals_of_a_stretched_joint_are_those_of_the_ellipsoid() {
    let (model, scale, turn) = stretched_sphere();
    for (vertex, skinned) in model
        .mesh
        .vertices
        .iter()
        .zip(skinning::skin_exact(&model, model.clips.first(), 0.5))
    {
        let expected = (turn * (vertex.normal / scale)).normalize();
        let angle = expected.angle_between(skinned.normal).to_degrees();
        assert!(angle < 0.1, "the CPU reference is off by {angle}°");
    }
    let Some(gpu) = common::gpu::open() else { return };
    let character = common::gpu::bake(model);
    for format in AtlasFormat::ALL {
        let worst = worst(&gpu, &character, Technique::Matrix, format, AtlasSource::Texture);
        println!("{:<8} worst normal {:.4}°", format.name(), worst.normal);
        // Formats with one scale per matrix cannot scale unevenly.
        assert!(
            worst.normal < 1.0 || !format.facts().holds_any_scale,
            "{format:?}: {}°",
            worst.normal
        );
    }
}
