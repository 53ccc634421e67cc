//! Bodies with one skeleton and the same clips share one atlas, which is as accurate for each as its own.

use throng::{
    atlas::{AtlasFormat, FramePlacement, VerifyOptions, verify_atlases},
    character::{Character, from_all_opened},
    file::{OpenedFile, open_bytes},
    model::Model,
    scene::embedded::embedded,
};

use crate::common::bodies::{body, short, stout};

/// Change that makes another body.
type Change = fn(&mut Model);

const FORMAT: AtlasFormat = AtlasFormat::F16;

fn baked(opened: Vec<OpenedFile>) -> Vec<Character> {
    from_all_opened(opened, FramePlacement::by_motion(FORMAT)).expect("bakes")
}

/// Worst error of any vertex at any moment, relative to the bound for the character alone.
fn error(character: &Character) -> f32 {
    let atlas = character.atlas(FORMAT).into_owned();
    let options = VerifyOptions::default();
    let report = verify_atlases(&character.model, &character.palettes, &[atlas], &options);
    let allowed = FramePlacement::by_motion(FORMAT).largest_error(&character.model);
    report.formats[0].worst_mm() / (1000.0 * allowed)
}

#[test]
fn bodies_of_one_skeleton_share_one_atlas_and_keep_to_the_error_of_each() {
    let knight = open_bytes("knight", embedded("knight").expect("embedded"), None).expect("opens");
    let man = body("man", |_| ());
    let characters = baked(vec![man, body("short", short), knight, body("stout", stout)]);
    let names = characters.iter().map(|character| &character.model.name[..]);
    assert_eq!(names.collect::<Vec<_>>(), ["man", "short", "knight", "stout"]);
    let [man, short, knight, stout] = &characters[..] else {
        panic!("four")
    };
    assert!(!man.shares_atlas(knight) && !knight.shares_atlas(knight));
    for other in [short, stout] {
        assert!(man.shares_atlas(other));
        let [own, its] = [man, other].map(|character| character.atlas(FORMAT));
        assert!(std::ptr::eq(&*own, &*its), "encoded once");
        let note = other.model.notes.iter().find(|note| note.contains("one atlas"));
        assert!(note.is_some_and(|note| note.contains("man")), "{:?}", other.model.notes);
    }
    for character in [man, short, stout] {
        let error = error(character);
        assert!(error > 0.0 && error < 1.05, "{}: {error}", character.model.name);
    }
    // LOD heights depend on the character, whatever space the atlas has.
    assert!((short.largest_edge() / man.largest_edge() - 0.5).abs() < 1e-4);
    assert!(short.unit == stout.unit && stout.largest_edge() > man.largest_edge());
    let [alone] = &baked(vec![body("man", |_| ())])[..] else {
        panic!("one")
    };
    assert!(!alone.shares_atlas(man) && alone.unit != man.unit);
}

#[test]
fn characters_that_move_differently_share_no_atlas() {
    let no_clips = |model: &mut Model| model.clips.clear();
    let others: [(&str, Change); 3] = [
        ("clip", |model| model.clips.truncate(1)),
        ("arm", |model| model.skeleton.joints[5].rest.translation *= 1.1),
        ("still", no_clips),
    ];
    for (name, change) in others {
        let characters = baked(vec![body("man", |_| ()), body(name, change)]);
        assert!(!characters[0].shares_atlas(&characters[1]), "{name}");
    }
    let still = baked(vec![body("still", no_clips), body("also", no_clips)]);
    assert!(!still[0].shares_atlas(&still[1]), "an atlas of one frame is shared");
}
