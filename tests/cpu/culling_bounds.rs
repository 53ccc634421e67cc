//! Culling bounds contain every vertex of every character, in every format.
//! Tested at baked frames, between two frames, and while one clip fades into another.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3, camera::rh};
use throng::{
    atlas::AtlasFormat,
    bake::{BakeOptions, skinning},
    character::Character,
    crowd::hash::Draws,
    file::open_bytes,
    model::Bounds,
    render::{
        passes::draw_lists::visible::{WorldBox, extent_along, rows_around, rows_of},
        resources::{BoundsRow, clip_bounds},
    },
    scene::embedded::{NAMES, embedded},
};

use crate::common::{LOADABLE, load, samples};

/// Distance of a vertex outside a box (m), 0 inside.
fn outside(row: &BoundsRow, point: Vec3) -> f32 {
    let away = (point - Vec3::from(row.centre)).abs() - Vec3::from(row.extent);
    away.max_element().max(0.0)
}

/// Box of one clip fading into another, as the shader computes it.
fn union(a: &BoundsRow, b: &BoundsRow) -> BoundsRow {
    let bounds = |row: &BoundsRow| {
        let (centre, extent) = (Vec3::from(row.centre), Vec3::from(row.extent));
        Bounds::of([centre - extent, centre + extent])
    };
    let all = bounds(a).union(bounds(b));
    BoundsRow {
        centre: all.centre().to_array(),
        extent: (all.size() * 0.5).to_array(),
        unknown: a.unknown.max(b.unknown),
        ..BoundsRow::default()
    }
}

/// Largest distance outside a box of any vertex of the palette blended from two frames.
fn worst(character: &Character, palettes: [&[Affine3A]; 2], frames: [usize; 2], mix: f32, row: &BoundsRow) -> f32 {
    let blended: Vec<Affine3A> = (palettes[0].iter().zip(palettes[1]))
        .map(|(a, b)| skinning::lerp(*a, *b, mix))
        .collect();
    let weights = skinning::morphs_between(&character.palettes, frames[0], frames[1], mix);
    let vertices = skinning::morphed(&character.model, &weights);
    let points = vertices.iter().map(|v| skinning::skin_vertex(v, &blended).position);
    points.fold(0.0, |most: f32, point| most.max(outside(row, point)))
}

/// Checks every `step`th frame and the middle to the next one, then fades between random frames of all clips.
fn check(character: &Character, format: AtlasFormat, step: usize) {
    let atlas = character.atlas(format);
    let rows = clip_bounds(character, format, &atlas.decode_size, 0.0);
    let (name, clips) = (&character.model.name, &character.palettes.clips);
    assert_eq!(rows.len(), clips.len());
    let is_misfit = character.format_problem(format).is_some();
    assert_eq!(rows.iter().any(|row| row.unknown != 0), is_misfit, "{name} {format:?}");
    if is_misfit {
        return;
    }
    let palette = |frame: u32| atlas.model_palette(frame as usize);
    for (clip, row) in clips.iter().zip(&rows) {
        let last = clip.first_frame + clip.frame_count - 1;
        for frame in (clip.first_frame..=last).step_by(step) {
            let next = (frame + 1).min(last);
            let ends = [palette(frame), palette(next)];
            for mix in [0.0, 0.5] {
                let pair = [&ends[0][..], &ends[1][..]];
                let out = worst(character, pair, [frame as usize, next as usize], mix, row);
                assert_eq!(out, 0.0, "{name} {format:?} {} frame {frame}", clip.name);
            }
        }
    }
    for fade in 0..24 {
        let draws = Draws::new(7, 0, fade);
        let pick = |stream| {
            let number = draws.below(stream, clips.len() as u32) as usize;
            (
                number,
                clips[number].first_frame + draws.below(stream + 1, clips[number].frame_count),
            )
        };
        let ((a, from), (b, to)) = (pick(0), pick(2));
        let ends = [palette(from), palette(to)];
        let row = union(&rows[a], &rows[b]);
        let pair = [&ends[0][..], &ends[1][..]];
        let out = worst(character, pair, [from as usize, to as usize], draws.unit(4), &row);
        assert_eq!(out, 0.0, "{name} {format:?} fading");
    }
}

fn ours(name: &str) -> Arc<Character> {
    let opened = open_bytes(name, embedded(name).expect("embedded"), None).expect("opens");
    Arc::new(Character::from_opened(opened, &BakeOptions::default()).expect("bakes"))
}

#[test]
fn no_embedded_character_leaves_its_boxes() {
    for name in NAMES {
        let character = ours(name);
        for format in AtlasFormat::ALL {
            check(&character, format, if format == AtlasFormat::F32 { 2 } else { 9 });
        }
    }
}

#[test]
fn no_sample_leaves_the_boxes() {
    let Some(folder) = samples() else { return };
    for file in LOADABLE {
        let character = Character::bake(load(&folder, file), &BakeOptions::default()).expect("bakes");
        for format in AtlasFormat::ALL {
            check(&character, format, if format == AtlasFormat::F32 { 3 } else { 17 });
        }
    }
}

#[test]
fn invalid_boxes_cull_nobody() {
    let unknown = |bounds| BoundsRow::around(bounds, 0.0).unknown == 1;
    assert!(unknown(Bounds::EMPTY));
    assert!(unknown(Bounds {
        min: Vec3::splat(f32::NAN),
        max: Vec3::ONE
    }));
    assert!(unknown(Bounds {
        min: Vec3::ZERO,
        max: Vec3::splat(f32::INFINITY)
    }));
    assert!(!unknown(Bounds::of([Vec3::ZERO])), "the box of a point is invalid");
    assert!(
        outside(
            &BoundsRow::around(Bounds::of([Vec3::ZERO, Vec3::ONE]), 0.1),
            Vec3::splat(1.3)
        ) > 0.0
    );
}

#[test]
fn lods_are_chosen_without_what_coarser_meshes_reach_out() {
    let character = ours(NAMES[0]);
    let atlas = character.atlas(AtlasFormat::F16);
    let more = 0.4_f32;
    let area = |more: f32| {
        let row = clip_bounds(&character, atlas.format, &atlas.decode_size, more)[0];
        WorldBox::placed(&row, Vec3::new(3.0, 0.5, -20.0), 0.7, Vec3::new(1.1, 0.9, 1.1))
    };
    let [own, larger] = [0.0_f32, more].map(area);
    let reach = [&own, &larger].map(|area| extent_along(area, Vec3::Z));
    assert!(
        reach[1] > reach[0] + more,
        "the box includes the reach of coarser LODs: {reach:?}"
    );
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(0.8, 1.6, 0.1);
    let rows = [&own, &larger].map(|area| {
        let seen = rows_of(area, &projection, 1080.0, 1.8);
        [seen, rows_around(area, Vec3::Y, &projection, 1080.0, 1.8)]
    });
    for (own, larger) in rows[0].into_iter().zip(rows[1]) {
        assert!(
            own > 50.0 && (own / larger - 1.0).abs() < 1e-5,
            "{own} and {larger} rows"
        );
    }
}
