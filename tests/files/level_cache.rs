//! Levels of detail of raw files, kept from one start to the next.

use std::{fs, path::PathBuf};

use throng::{
    Character,
    atlas::FramePlacement,
    bake::levels,
    character::LevelSource,
    file::LevelCache,
    model::{LevelOfDetail, Model, Morph},
    scene::open_model,
};

/// A character without levels, of which levels are made within a second.
fn bare() -> Model {
    Model {
        levels: Vec::new(),
        ..open_model("sword").expect("embedded").model
    }
}

fn character() -> Character {
    Character::bake(bare(), FramePlacement::default()).expect("bakes")
}

fn silent(_: f32) {}

#[test]
fn levels_are_made_once_and_are_those_of_a_baked_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = LevelCache::at(folder.path().join("not/yet/there"));
    let (first, second, without) = (character(), character(), character());
    assert!(first.lacks_levels());
    let made = first.bring_levels(Some(&cache), &silent).expect("can be made");
    assert_eq!(made, (LevelSource::Made, None));
    let kept = second.bring_levels(Some(&cache), &silent).expect("are there");
    assert_eq!(kept, (LevelSource::Kept, None));
    let alone = without.bring_levels(None, &silent).expect("can be made");
    assert_eq!(alone, (LevelSource::Made, None));
    assert!(!first.lacks_levels() && !first.levels().is_empty());
    let of_bake = throng::bake::make_levels(&first.model, &silent).expect("can be made");
    for character in [&first, &second, &without] {
        assert!(character.levels() == of_bake, "levels differ");
        assert!(
            character.model.levels.is_empty(),
            "what is kept elsewhere is not the file's"
        );
    }
}

/// Levels that were made, and what a cache keeps of them.
struct Kept {
    folder: tempfile::TempDir,
    cache: LevelCache,
    first: Character,
    file: PathBuf,
    whole: Vec<u8>,
}

fn kept() -> Kept {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = LevelCache::at(folder.path().to_owned());
    let first = character();
    first.bring_levels(Some(&cache), &silent).expect("can be made");
    let file = cache.file(&first.model);
    let whole = fs::read(&file).expect("kept");
    Kept {
        folder,
        cache,
        first,
        file,
        whole,
    }
}

#[test]
fn whatever_a_kept_file_holds_it_is_the_same_levels_or_a_complaint() {
    let Kept {
        folder,
        cache: _,
        first,
        file,
        whole,
    } = kept();
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        LevelCache::read(&file, &first.model)
    };
    for at in (0..whole.len()).step_by(37) {
        let mut broken = whole.clone();
        broken[at] ^= 0x41;
        if let Ok(levels) = read(&broken) {
            assert!(
                levels.as_deref() == Some(first.levels()),
                "byte {at} changes the levels"
            );
        }
        assert!(read(&whole[..at]).is_err(), "{at} bytes are enough");
    }
    assert_eq!(
        read(&whole).expect("whole").as_deref(),
        Some(first.levels()),
        "as it was"
    );
    // Nothing is left beside it of the writing.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn broken_and_old_files_are_made_anew_and_told() {
    let Kept {
        folder: _folder,
        cache,
        first,
        file,
        whole,
    } = kept();
    let maker = format!("\"maker\":{}", levels::VERSION);
    let at = whole.windows(maker.len()).position(|part| part == maker.as_bytes());
    let mut old = whole.clone();
    old[at.expect("the version") + maker.len() - 1] = b'0';
    for (bytes, said) in [
        (b"no GLB".to_vec(), "JSON"),
        (Vec::new(), "empty"),
        (old, "another version"),
    ] {
        fs::write(&file, bytes).expect("written");
        let again = character();
        let (source, note) = again.bring_levels(Some(&cache), &silent).expect("made anew");
        assert_eq!(source, LevelSource::Made);
        let note = note.expect("told");
        assert!(note.contains(said) && note.contains("made anew"), "{note}");
        assert!(again.levels() == first.levels());
        assert!(fs::read(&file).expect("kept") == whole, "mended");
    }
}

#[test]
fn a_folder_that_cannot_be_is_no_reason_to_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "in the way").expect("written");
    let first = character();
    let (source, note) = first
        .bring_levels(Some(&LevelCache::at(file)), &silent)
        .expect("full detail at worst");
    assert_eq!(source, LevelSource::Made);
    let note = note.expect("told");
    assert!(note.contains("not kept") || note.contains("made anew"), "{note}");
    assert!(!first.levels().is_empty());
}

/// Whatever levels are made of gives them another name; what they are not made of does not.
#[test]
fn what_is_kept_belongs_to_one_character() {
    let name = |change: &dyn Fn(&mut Model)| -> PathBuf {
        let mut model = bare();
        change(&mut model);
        LevelCache::at(PathBuf::new()).file(&model)
    };
    let usual = name(&|_| ());
    type Change = (&'static str, fn(&mut Model));
    let changes: [Change; 8] = [
        ("a vertex", |m| m.mesh.vertices[3].position.x += 1e-6),
        ("a weight", |m| m.mesh.vertices[3].weights[1] = 0.25),
        ("an index", |m| m.mesh.indices.swap(0, 1)),
        ("a colour", |m| m.materials[0].base_color.x *= 0.5),
        ("an alpha mode", |m| {
            m.materials[0].alpha = throng::model::AlphaMode::Blend
        }),
        ("a joint", |m| m.skeleton.joints[0].rest.translation.y += 1.0),
        ("a morph target", |m| m.morphs.push(Morph::default())),
        ("a bind", |m| m.skeleton.slots[0].inverse_bind.w_axis.x += 1.0),
    ];
    for (what, change) in changes {
        assert_ne!(name(&change), usual, "{what}");
    }
    let named = name(&|m| {
        m.name = "somebody else".into();
        m.materials[0].name = "cloth".into();
        m.materials[0].metallic = 0.9;
        m.levels = vec![LevelOfDetail {
            mesh: m.mesh.clone(),
            morphs: Vec::new(),
            max_rows: 9.0,
            worst_mm: 1.0,
            radii: Vec::new(),
            lean: 0.0,
        }];
    });
    assert_eq!(named, usual);
}
