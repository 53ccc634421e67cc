//! The vertex cache of the software rasterizer has vertices where the CPU reference poses them.

use std::sync::Arc;

use glam::Vec3;
use throng::{
    atlas::AtlasFormat,
    bake::{BakeOptions, skinning},
    character::Character,
    config::Raster,
    crowd::Instance,
    gpu::PICTURE_FORMAT,
    render::{
        CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod, DrawPath, Targets,
        passes::raster::vertex_cache::{MOST_BYTES, PosedVertexReadback},
    },
};

use crate::{common::tube, culling::leveled, raster::supported, tangents::zoo};

/// Maximum error of a corner (mm): 16 bits of the vertex, and 21 bits of its position.
const LIMIT_MM: f32 = 0.1;
const OFTEN: BakeOptions = BakeOptions { rate: 10.0 };

/// Vertex cache read back from a crowd of one person whose small people are drawn by the software rasterizer.
fn baked(character: &Arc<Character>, format: AtlasFormat) -> Option<Option<PosedVertexReadback>> {
    let gpu = supported()?;
    let targets = Targets {
        color: PICTURE_FORMAT,
        depth: DepthTarget::reversed(wgpu::TextureFormat::Depth32Float),
        samples: 1,
    };
    let options = CrowdOptions {
        method: DrawMethod {
            format,
            ..CrowdOptions::default().method
        },
        path: DrawPath::Selected,
        raster: Raster::Compute,
        ..CrowdOptions::default()
    };
    let mut crowd = CrowdRenderer::with_options(&gpu, targets, options).expect("compiles");
    let id = crowd.add_character(character.clone()).expect("fits");
    crowd.set_instances(id, &[Instance::new(Vec3::ZERO)]).expect("fits");
    let vertex_cache = crowd.posed_vertex_readback(id).expect("reads");
    // Another crowd of the same character has the same cache.
    crowd
        .set_instances(id, &[Instance::new(Vec3::X), Instance::new(Vec3::ZERO)])
        .expect("fits");
    let again = crowd.posed_vertex_readback(id).expect("reads");
    let places = |vertex_cache: &PosedVertexReadback| vertex_cache.frame(0).collect::<Vec<_>>();
    assert_eq!(vertex_cache.as_ref().map(places), again.as_ref().map(places));
    Some(vertex_cache)
}

/// Worst corner of the full mesh over all frames (mm).
fn worst_mm(character: &Character, vertex_cache: &PosedVertexReadback) -> f32 {
    let (unit, palettes) = (character.unit, &character.palettes);
    let of_mesh = character.model.mesh.vertices.len() as u32;
    assert_eq!(vertex_cache.range.frame_count as usize, palettes.frame_count);
    let mut seen = vec![false; of_mesh as usize];
    let mut worst = 0.0_f32;
    for frame in 0..palettes.frame_count {
        let expected = skinning::skin_frame(&character.model, palettes, frame);
        for (&vertex, place) in vertex_cache.vertices.iter().zip(vertex_cache.frame(frame as u32)) {
            if vertex < of_mesh {
                seen[vertex as usize] = true;
                let found = place * unit.half_extent + unit.centre;
                worst = worst.max(found.distance(expected[vertex as usize].position) * 1000.0);
            }
        }
    }
    assert!(seen.into_iter().all(|seen| seen), "every vertex is a corner");
    worst
}

#[test]
fn corners_are_where_the_cpu_poses_them() {
    let man = Arc::new(leveled("man"));
    let tube = Arc::new(Character::bake(tube::model(), &OFTEN).expect("bakes"));
    for (name, character, format, limit) in [
        ("man", &man, AtlasFormat::F32, LIMIT_MM),
        ("tube", &tube, AtlasFormat::F32, LIMIT_MM),
        // Errors of the format remain: corners are posed by the matrices as drawn.
        ("man", &man, AtlasFormat::F16, 2.0),
    ] {
        let Some(vertex_cache) = baked(character, format) else {
            return;
        };
        let vertex_cache = vertex_cache.expect("baked");
        let worst = worst_mm(character, &vertex_cache);
        println!(
            "{name} {format:?}: {} corners, worst {worst:.4} mm",
            vertex_cache.vertices.len()
        );
        assert!(worst <= limit, "{name} {format:?}: {worst} mm");
        if name == "man" {
            let coarser = vertex_cache
                .vertices
                .iter()
                .filter(|&&v| v >= character.packed.vertices.len() as u32);
            assert!(coarser.count() > 100, "LODs are not in the cache");
            assert!(vertex_cache.range.bytes() < MOST_BYTES);
        }
        // Control: with another frame, corners are elsewhere.
        let moved =
            (1..vertex_cache.range.frame_count).flat_map(|frame| vertex_cache.frame(0).zip(vertex_cache.frame(frame)));
        let most = moved.map(|(a, b)| a.distance(b) * character.unit.half_extent * 1000.0);
        assert!(most.fold(0.0, f32::max) > 10.0 * limit, "{name} {format:?}");
    }
}

#[test]
fn characters_whose_vertices_move_by_morphs_are_skinned() {
    let zoo = Arc::new(Character::bake(zoo(), &OFTEN).expect("bakes"));
    let Some(vertex_cache) = baked(&zoo, AtlasFormat::F16) else {
        return;
    };
    assert!(vertex_cache.is_none());
}
