//! Fades between random clips and times: every vertex on the GPU against the CPU reference.
//! The reference blends the matrices of both clips by the fade's weight and skins once.
//!
//! Baked vertices hold no matrices. Their positions blend to the same place, since a blend of matrices moves a vertex
//! to the blend of the moved vertices.
//! Their normals are the blend of the stored normals, so the test compares with that.

use glam::Vec3;
use rayon::prelude::*;
use throng::{
    atlas::AtlasFormat,
    bake::{
        FrameBlend,
        skinning::{self, SkinnedVertex},
    },
    character::Character,
    config::Technique,
    crowd::{Instance, MotionPlan, hash::Draws},
    file::gltf,
    gpu::Gpu,
    render::{
        passes::ProbeVertex,
        resources::{AtlasSource, GpuPosed},
    },
    scene::embedded as assets,
};

use crate::common::{
    self,
    gpu::{random_pair, stored},
    worse::worse,
};

/// Number of fades compared for each character and variant.
const FADES: u32 = 60;

#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// Error of positions (m).
    position: f32,
    /// Error of normals (degrees), for vertices whose blended matrix keeps a normal.
    normal: f32,
    /// Share of vertices whose matrix is nearly flat (two opposite poses): they have no normal to compare.
    flat: f32,
}

impl Worst {
    fn max(self, other: Self) -> Self {
        Self {
            position: worse(self.position, other.position),
            normal: worse(self.normal, other.normal),
            flat: worse(self.flat, other.flat),
        }
    }
}

fn random_fade(character: &Character, index: u32) -> FrameBlend {
    let draws = Draws::new(7, 0xfade, index);
    let pair = |stream| random_pair(character, &draws, stream);
    FrameBlend {
        a: pair(0),
        b: pair(2),
        fade: stored(draws.unit(4)),
    }
}

/// Reference of a matrix technique, and the share of its size that each vertex's matrix keeps.
fn blended(character: &Character, blend: &FrameBlend) -> Vec<(SkinnedVertex, f32)> {
    let palette = character.palettes.blended(blend);
    let vertices = character.model.mesh.vertices.iter();
    let keep = |v| skinning::blend(v, &palette).matrix3.determinant().abs().cbrt();
    vertices
        .map(|v| (skinning::skin_vertex(v, &palette), keep(v)))
        .collect()
}

/// Reference of baked vertices: four skinned frames, weighted and summed.
fn summed(character: &Character, blend: &FrameBlend) -> Vec<(SkinnedVertex, f32)> {
    let FrameBlend { a, b, fade } = blend;
    let frames = [
        (a.first, (1.0 - fade) * (1.0 - a.between)),
        (a.second, (1.0 - fade) * a.between),
        (b.first, fade * (1.0 - b.between)),
        (b.second, fade * b.between),
    ];
    let mut sum = vec![SkinnedVertex::default(); character.model.mesh.vertices.len()];
    for (frame, weight) in frames {
        let skinned = skinning::skin_frame(&character.model, &character.palettes, frame as usize);
        for (sum, v) in sum.iter_mut().zip(skinned) {
            sum.position += v.position * weight;
            sum.normal += v.normal * weight;
        }
    }
    let whole = |v: SkinnedVertex| {
        (
            SkinnedVertex {
                normal: v.normal.normalize_or_zero(),
                ..v
            },
            v.normal.length(),
        )
    };
    sum.into_iter().map(whole).collect()
}

fn compare(found: &[ProbeVertex], expected: &[(SkinnedVertex, f32)]) -> Worst {
    // Below this share of their size, normals turn quickly and a comparison means little.
    const FLAT: f32 = 0.2;
    let one = |(found, (expected, keep)): (&ProbeVertex, &(SkinnedVertex, f32))| {
        let position = (glam::Vec4::from(found.position).truncate() - expected.position).length();
        let normal = glam::Vec4::from(found.normal).truncate();
        let angle = normal.angle_between(expected.normal).to_degrees();
        if *keep < FLAT {
            (position, 0.0, 1)
        } else {
            (position, angle, 0)
        }
    };
    let rows = found.iter().zip(expected).map(one);
    let (position, normal, flat) = rows.fold((0.0_f32, 0.0_f32, 0), |worst, row| {
        (worse(worst.0, row.0), worse(worst.1, row.1), worst.2 + row.2)
    });
    Worst {
        position,
        normal,
        flat: flat as f32 / found.len() as f32,
    }
}

fn worst(gpu: &Gpu, character: &Character, technique: Technique, format: AtlasFormat, source: AtlasSource) -> Worst {
    let (assets, probe) = common::gpu::upload(gpu, character, (technique, format, source));
    let instances = vec![Instance::new(Vec3::ZERO); FADES as usize];
    let crowd = common::gpu::upload_crowd(gpu, (&assets, &probe), &instances, &MotionPlan::default());
    let fades: Vec<_> = (0..FADES).map(|i| random_fade(character, i)).collect();
    let posed: Vec<_> = fades
        .iter()
        .map(|fade| GpuPosed::new(Vec3::ZERO, 0.0, 1.0, fade))
        .collect();
    let probe_output = probe.run_posed(gpu, &assets, &crowd, &posed).expect("readback");
    let reference = if technique == Technique::Vertex {
        summed
    } else {
        blended
    };
    let chunks = probe_output.par_chunks(assets.vertex_count as usize);
    let pairs = chunks
        .zip(&fades)
        .map(|(found, fade)| compare(found, &reference(character, fade)));
    pairs.reduce(Worst::default, Worst::max)
}

#[test]
fn every_vertex_of_a_fade_is_where_the_reference_has_it() {
    let Some(gpu) = common::gpu::open() else { return };
    let matrix = AtlasFormat::precise().map(|format| (Technique::Matrix, format));
    let techniques = matrix.chain([(Technique::Vertex, AtlasFormat::F32)]);
    let variants: Vec<_> = techniques
        .flat_map(|(t, f)| [AtlasSource::Texture, AtlasSource::Storage].map(|source| (t, f, source)))
        .collect();
    let mut failures = Vec::new();
    println!("character variant: worst mm, % of height, normal °, % without a normal");
    for name in assets::NAMES {
        let bytes = assets::embedded(name).expect("embedded");
        let character = common::gpu::bake(gltf::load_bytes(name, bytes, None).expect("loads"));
        let height = character.packed.bounds.size().y;
        for &(technique, format, source) in &variants {
            let worst = worst(&gpu, &character, technique, format, source);
            let percent = worst.position / height * 100.0;
            let (mm, flat) = (worst.position * 1e3, worst.flat * 100.0);
            let line = format!(
                "{name} {technique:?} {format:?} {source:?}: {mm:.3} mm, {percent:.4} %, {:.3}°, {flat:.1} %",
                worst.normal
            );
            println!("{line}");
            if !(percent < 0.1 && worst.normal < 2.0) {
                failures.push(line);
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
