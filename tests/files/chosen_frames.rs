//! Frames that a raw file brings for its clips: baking uses them where they keep the bound, and searches elsewhere.

use throng::{
    atlas::{AtlasFormat, FramePlacement, placement::frame_bound},
    bake::{self, FrameBound, Palettes},
    file::{self, CHOSEN_FRAMES_EXTENSION, add_chosen_frames},
    model::{ChosenFrames, Model},
    scene::{embedded, open_model},
};

use crate::common::glb;

/// Model as baking receives it, and the bound of its frames.
fn prepared(name: &str) -> (Model, FrameBound) {
    let mut model = open_model(name).expect("embedded").model;
    let largest_error = FramePlacement::default().largest_error(&model);
    bake::prepare(&mut model, largest_error);
    let bound = frame_bound(&model, AtlasFormat::default(), largest_error);
    (model, bound)
}

fn baked(model: &Model, chosen: Option<ChosenFrames>, bound: FrameBound) -> Palettes {
    let model = Model {
        chosen_frames: chosen,
        ..model.clone()
    };
    bake::bake_within(&model, bound, &|_| ()).expect("bakes")
}

fn assert_equal(a: &Palettes, b: &Palettes) {
    let times = |palettes: &Palettes| palettes.clips.iter().map(|c| c.times.clone()).collect::<Vec<_>>();
    assert_eq!(times(a), times(b));
    assert!(a.matrices[..] == b.matrices[..], "the matrices differ");
}

#[test]
fn embedded_characters_bring_what_a_search_chooses() {
    for name in embedded::NAMES {
        let opened = open_model(name).expect("embedded").model;
        assert_eq!(opened.all_notes().collect::<Vec<_>>(), [""; 0], "{name}");
        let (mut model, bound) = prepared(name);
        let brought = model.chosen_frames.take();
        let chosen = bake::choose_frames(&model, bound, &|_| ()).expect("few frames");
        assert!(
            brought == Some(chosen),
            "{name}: make it again (examples/make_characters)"
        );
    }
}

#[test]
fn frames_of_the_file_take_the_place_of_a_search() {
    let (model, bound) = prepared("man");
    let searched = baked(&model, None, bound);
    let chosen = model.chosen_frames.clone().expect("brought");
    assert_equal(&baked(&model, Some(chosen.clone()), bound), &searched);
    // Frames at every second sample keep the bound, too, and no search would choose as many.
    let mut dense = chosen;
    let samples = dense.segments[0].weights.len() as u32;
    dense.segments[0].frames = (0..samples - 1).step_by(2).chain([samples - 1]).collect();
    dense.segments[0].weights.clear();
    let frames = dense.segments[0].frames.len();
    let used = baked(&model, Some(dense), bound);
    assert_eq!(used.clips[0].frame_count as usize, frames);
    assert!(frames > 2 * searched.clips[0].frame_count as usize);
}

#[test]
fn frames_that_break_the_bound_or_fit_other_samples_are_searched_for() {
    let (model, bound) = prepared("man");
    let searched = baked(&model, None, bound);
    let chosen = model.chosen_frames.clone().expect("brought");
    let first = |edit: &dyn Fn(&mut Vec<u32>, &mut Vec<f32>)| {
        let mut edited = chosen.clone();
        let segment = &mut edited.segments[0];
        edit(&mut segment.frames, &mut segment.weights);
        edited
    };
    let broken = [
        first(&|frames, _| drop(frames.drain(1..3))),
        first(&|frames, _| frames.truncate(2)),
        first(&|frames, _| frames.clear()),
        first(&|frames, _| frames.swap(1, 2)),
        first(&|frames, _| frames[0] = 1),
        first(&|frames, _| *frames.last_mut().expect("some") = u32::MAX),
        first(&|_, weights| weights.truncate(weights.len() - 1)),
        first(&|_, weights| weights[3] = f32::NAN),
        first(&|_, weights| weights[3] = -1.0),
        first(&|_, weights| weights.fill(0.0)),
        ChosenFrames {
            bound: bound.position * 1.01,
            ..chosen.clone()
        },
    ];
    for (case, chosen) in broken.into_iter().enumerate() {
        println!("case {case}");
        assert_equal(&baked(&model, Some(chosen), bound), &searched);
    }
}

#[test]
fn chosen_frames_come_back_from_a_file_and_damaged_ones_are_noted() {
    let source = embedded::embedded("tree").expect("embedded");
    let (model, _) = prepared("man");
    let chosen = model.chosen_frames.clone().expect("brought");
    let written = add_chosen_frames(source, &model, &chosen).expect("a binary file");
    let open = |bytes: &[u8]| file::open_bytes("tree", bytes, None).expect("opens").model;
    assert_eq!(open(&written).chosen_frames, Some(chosen.clone()));
    let used = glb::json(&written)["extensionsUsed"].clone();
    assert!(
        used.as_array()
            .is_some_and(|names| names.iter().any(|name| name == CHOSEN_FRAMES_EXTENSION))
    );
    let damaged = |edit: &dyn Fn(&mut serde_json::Value)| {
        let edited = glb::edited(&written, |json| edit(&mut json["extensions"][CHOSEN_FRAMES_EXTENSION]));
        let model = open(&edited);
        assert!(model.chosen_frames.is_none(), "{:?}", model.notes);
        model.notes.join("; ")
    };
    let why = [
        damaged(&|json| json["segments"][0]["frames"] = 1.into()),
        damaged(&|json| json["segments"][0]["frames"] = u64::MAX.into()),
        damaged(&|json| json["segments"][0]["clip"] = (-1).into()),
        damaged(&|json| json["data"] = 9999.into()),
        damaged(&|json| json["version"] = 2.into()),
    ];
    let words = [
        "but its buffer view has",
        "but its buffer view has",
        "is invalid",
        "9999",
        "is of version 2",
    ];
    for (note, words) in why.iter().zip(words) {
        assert!(
            note.contains("chosen frames are ignored") && note.contains(words),
            "{words}: {note}"
        );
    }
}
