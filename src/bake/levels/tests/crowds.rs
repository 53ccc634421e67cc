//! What dense crowds of levels show.

use super::*;
use crate::bake::levels::{
    balance::{Order, ROUNDS},
    crowd::{self, Crowd},
};

/// The level with its normals leaning towards one side, radians, and its colours brighter by a factor.
fn faulty(level: &Shape, lean: f32, factor: f32) -> Shape {
    let mut level = level.clone();
    for vertex in &mut level.mesh.vertices {
        vertex.normal = Quat::from_rotation_x(lean) * vertex.normal;
        let color = vertex.color.truncate() * factor;
        vertex.color = color.extend(vertex.color.w);
    }
    level
}

#[test]
fn a_level_that_is_brighter_or_lit_from_elsewhere_is_rejected_by_what_crowds_show() {
    let model = character(tube(40, 40));
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let full = Shape::full(&model);
    let faulty = [(0.0, 1.0), (0.0, 1.03), (0.0, 0.97), (0.15, 1.0)].map(|(lean, factor)| faulty(&full, lean, factor));
    let found = measured((&model, &palettes), &faulty, (QUICK, Extent::Whole), &|_| ());
    let [same, faulty @ ..] = &found.levels[..] else {
        panic!("four levels")
    };
    assert!(same.heights.iter().all(|h| h.passes() && h.crowd == 0.0));
    for level in faulty {
        assert!(level.max_rows.is_none_or(|rows| rows < 16.0), "{:?}", level.max_rows);
        // In smaller people's tiles there are many who stand otherwise.
        for height in level.heights.iter().filter(|h| h.rows >= 16.0) {
            assert!(height.failed().any(|gate| gate == "crowd"), "{height:?}");
        }
    }
}

#[test]
fn a_faulty_level_is_balanced_in_poses_and_from_sides_that_built_nothing() {
    let model = closed();
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let outfits = Outfits::of(&model);
    let [building, judging] = [poses::builders(&palettes, 8), poses::judges(&palettes, 8)];
    let [built, judged] = [(&building, 9, crowd::BUILDING), (&judging, 5, crowd::JUDGING)]
        .map(|seen| Crowd::new(&model, &outfits, (seen.0, seen.1, seen.2)));
    let full = Shape::full(&model);
    let level = Collapsible::new(Cow::Borrowed(&full), &building).collapse(600, RECIPES[0]);
    let off = |level: &Shape| crowd::off(&judged.brighter(level.form(), |pose| pose.skinned(level)), 32.0);
    assert_eq!(off(&full), 0.0);
    for (lean, factor) in [(0.0, 1.03), (0.1, 1.0), (0.1, 0.97)] {
        let faulty = faulty(&level, lean, factor);
        let balanced = built.balance(faulty.clone(), (Order::Ranks, ROUNDS));
        let [before, after] = [&faulty, &balanced].map(|level| 255.0 * off(level));
        assert!(before > 1.5 && after < 0.4 * before, "{before} before, {after} after");
        let changed = balanced.mesh.vertices.iter().zip(&faulty.mesh.vertices);
        let kept = |(a, b): (&Vertex, &Vertex)| a.position == b.position && a.uv == b.uv && a.color.w == b.color.w;
        assert!({ changed }.all(kept), "more than normals and colours");
    }
}
