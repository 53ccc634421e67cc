//! Every vertex of every sample character, skinned on the GPU by the drawing code and compared
//! with the CPU reference, in millimetres and relative to the character's height.

mod common;
#[path = "common/gpu.rs"]
mod gpu_common;

use rayon::prelude::*;
use throng::{
    atlas::AtlasFormat,
    bake::skinning::{self, Skinned},
    config::Technique,
    crowd::{Instance, Script},
    gpu::Gpu,
    render::{AtlasSource, CharacterAssets, CrowdInstances, Probe, Probed},
    scene::Character,
};

const TIMES_PER_CLIP: usize = 20;

/// Worst deviations over everything compared.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// Metres (file units).
    position: f32,
    /// Degrees.
    normal: f32,
}

impl Worst {
    fn max(self, other: Self) -> Self {
        Self {
            position: self.position.max(other.position),
            normal: self.normal.max(other.normal),
        }
    }

    /// Percent of the height.
    fn relative(self, character: &Character) -> f32 {
        self.position / height(character) * 100.0
    }
}

/// Height of the rest pose, or the largest edge of a flat one.
fn height(character: &Character) -> f32 {
    let size = character.packed.bounds.size();
    if size.y > 0.0 { size.y } else { size.max_element() }
}

/// Frame positions that hit frames, middles, the first and almost the last moment of a clip.
fn positions(intervals: u32) -> Vec<f32> {
    let steps = (0..TIMES_PER_CLIP).map(|i| i as f32 / TIMES_PER_CLIP as f32);
    steps.map(|u| (u * intervals as f32).min(intervals as f32 * 0.9999)).collect()
}

fn instances(clip: usize, at: &[f32]) -> Vec<Instance> {
    let new = |&frame: &f32| Instance::new(glam::Vec3::ZERO).with_clip(clip as u16, 1.0, frame);
    at.iter().map(new).collect()
}

fn reference(character: &Character, clip: usize, position: f32) -> Vec<Skinned> {
    let baked = &character.palettes.clips[clip];
    let last = baked.frame_count - 1;
    let frame = (position as u32).min(last);
    let next = (frame + 1).min(last);
    let first = baked.first_frame;
    let palette = skinning::palette_between(
        &character.palettes,
        (first + frame) as usize,
        (first + next) as usize,
        position - frame as f32,
    );
    skinning::skin(&character.model.mesh, &palette)
}

fn compare(gpu: &[Probed], cpu: &[Skinned]) -> Worst {
    let pairs = gpu.iter().zip(cpu);
    pairs.fold(Worst::default(), |worst, (g, c)| {
        let position = (glam::Vec4::from(g.position).truncate() - c.position).length();
        let normal = glam::Vec4::from(g.normal).truncate();
        // A joint scaled to zero leaves no normal to compare.
        let angle = if c.normal.length_squared() > 0.5 { normal.angle_between(c.normal).to_degrees() } else { 0.0 };
        worst.max(Worst { position, normal: angle })
    })
}

fn worst(gpu: &Gpu, character: &Character, technique: Technique, format: AtlasFormat, source: AtlasSource) -> Worst {
    let assets = CharacterAssets::upload(gpu, character, technique, format, source).expect("samples fit the device");
    let probe = Probe::new(gpu, &assets).expect("shaders compile");
    let tints = tints(gpu);
    let mut worst = Worst::default();
    for (clip, baked) in character.palettes.clips.iter().enumerate() {
        let at = positions(baked.frame_count - 1);
        let crowd = CrowdInstances::upload(gpu, probe.layouts(), &assets, &instances(clip, &at), &Script::default(), &tints).expect("small");
        let probed = probe.run(gpu, &assets, &crowd, &gpu_common::frame(0.0)).expect("readback");
        let vertices = assets.vertex_count as usize;
        let clip_worst = at
            .par_iter()
            .zip(probed.par_chunks(vertices))
            .map(|(&position, gpu)| compare(gpu, &reference(character, clip, position)))
            .reduce(Worst::default, Worst::max);
        worst = worst.max(clip_worst);
    }
    worst
}

fn tints(gpu: &Gpu) -> wgpu::Buffer {
    throng::gpu::buffer_with(gpu, "tints", &[0; 4 * 64 * 16], wgpu::BufferUsages::STORAGE)
}

/// Name, technique, format, source, bound in percent of the height.
const CASES: [(&str, Technique, AtlasFormat, AtlasSource, f32); 6] = [
    ("f32 texture", Technique::Matrix, AtlasFormat::F32, AtlasSource::Texture, 0.01),
    ("f32 storage", Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage, 0.01),
    ("f16 texture", Technique::Matrix, AtlasFormat::F16, AtlasSource::Texture, 0.1),
    ("f16 storage", Technique::Matrix, AtlasFormat::F16, AtlasSource::Storage, 0.1),
    ("trs16 storage", Technique::Matrix, AtlasFormat::Trs16, AtlasSource::Storage, f32::INFINITY),
    ("vertex texture", Technique::Vertex, AtlasFormat::F32, AtlasSource::Texture, 0.1),
];

#[test]
fn gpu_skinning_equals_the_cpu_reference_on_every_sample() {
    let (Some(gpu), Some(folder)) = (gpu_common::open(), common::samples()) else { return };
    let mut failures = Vec::new();
    println!("{:<42} {:<15} {:>12} {:>10} {:>9}", "character", "variant", "worst", "% height", "normal °");
    for file in common::LOADABLE {
        let character = gpu_common::bake(common::load(&folder, file));
        for (name, technique, format, source, bound) in CASES {
            let worst = worst(&gpu, &character, technique, format, source);
            let percent = worst.relative(&character);
            println!("{file:<42} {name:<15} {:>9.3} mm {percent:>10.5} {:>9.3}", worst.position * 1e3, worst.normal);
            if percent.is_nan() || percent >= bound {
                failures.push(format!("{file} {name}: {percent} % of the height, allowed {bound} %"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
