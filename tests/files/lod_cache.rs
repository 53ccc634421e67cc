//! Cache of LODs of raw files between starts.

use std::{fs, path::PathBuf};

use throng::{
    Character,
    atlas::FramePlacement,
    bake::lods,
    character::LodSource,
    file::LodCache,
    model::{Lod, Model, Morph},
    scene::open_model,
};

/// Character without LODs, whose LODs are made within a second.
fn bare() -> Model {
    Model {
        lods: Vec::new(),
        ..open_model("sword").expect("embedded").model
    }
}

fn character() -> Character {
    Character::bake(bare(), FramePlacement::default()).expect("bakes")
}

fn silent(_: f32) {}

#[test]
fn lods_are_made_once_and_are_those_of_a_baked_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = LodCache::at(folder.path().join("not/yet/there"));
    let (first, second, without) = (character(), character(), character());
    assert!(first.lacks_lods());
    let made = first.load_or_make_lods(Some(&cache), &silent).expect("can be made");
    assert_eq!(made, (LodSource::Made, None));
    let kept = second.load_or_make_lods(Some(&cache), &silent).expect("are there");
    assert_eq!(kept, (LodSource::Kept, None));
    let alone = without.load_or_make_lods(None, &silent).expect("can be made");
    assert_eq!(alone, (LodSource::Made, None));
    assert!(!first.lacks_lods() && !first.lods().is_empty());
    let of_bake = throng::bake::make_lods(&first.model, &silent).expect("can be made");
    for character in [&first, &second, &without] {
        assert!(character.lods() == of_bake, "LODs differ");
        assert!(
            character.model.lods.is_empty(),
            "LODs of the cache were stored in the model"
        );
    }
}

/// LODs that were made, and their cache file.
struct Kept {
    folder: tempfile::TempDir,
    cache: LodCache,
    first: Character,
    file: PathBuf,
    whole: Vec<u8>,
}

fn kept() -> Kept {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = LodCache::at(folder.path().to_owned());
    let first = character();
    first.load_or_make_lods(Some(&cache), &silent).expect("can be made");
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
fn cached_lods_equal_those_made_or_are_refused_for_any_bytes() {
    let Kept {
        folder,
        cache: _,
        first,
        file,
        whole,
    } = kept();
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        LodCache::read(&file, &first.model)
    };
    for at in (0..whole.len()).step_by(37) {
        let mut broken = whole.clone();
        broken[at] ^= 0x41;
        if let Ok(lods) = read(&broken) {
            assert!(lods.as_deref() == Some(first.lods()), "byte {at} changes the LODs");
        }
        assert!(read(&whole[..at]).is_err(), "a file cut to {at} bytes was read");
    }
    assert_eq!(read(&whole).expect("whole").as_deref(), Some(first.lods()), "as it was");
    // No temporary file remains.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn broken_and_old_cache_files_are_made_again_with_a_note() {
    let Kept {
        folder: _folder,
        cache,
        first,
        file,
        whole,
    } = kept();
    let maker = format!("\"maker\":{}", lods::VERSION);
    let at = whole.windows(maker.len()).position(|part| part == maker.as_bytes());
    let mut old = whole.clone();
    // Another last digit.
    old[at.expect("the version") + maker.len() - 1] ^= 1;
    for (bytes, said) in [
        (b"no GLB".to_vec(), "JSON"),
        (Vec::new(), "empty"),
        (old, "another version"),
    ] {
        fs::write(&file, bytes).expect("written");
        let again = character();
        let (source, note) = again.load_or_make_lods(Some(&cache), &silent).expect("made anew");
        assert_eq!(source, LodSource::Made);
        let note = note.expect("told");
        assert!(note.contains(said) && note.contains("made again"), "{note}");
        assert!(again.lods() == first.lods());
        assert!(fs::read(&file).expect("kept") == whole, "mended");
    }
}

#[test]
fn a_cache_folder_that_cannot_be_written_fails_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "in the way").expect("written");
    let first = character();
    let (source, note) = first
        .load_or_make_lods(Some(&LodCache::at(file)), &silent)
        .expect("drawn at full detail");
    assert_eq!(source, LodSource::Made);
    let note = note.expect("told");
    assert!(note.contains("not cached") || note.contains("made again"), "{note}");
    assert!(!first.lods().is_empty());
}

/// Every input of the LODs changes the name of the cache file; other properties do not.
#[test]
fn a_cache_file_belongs_to_one_character() {
    let name = |change: &dyn Fn(&mut Model)| -> PathBuf {
        let mut model = bare();
        change(&mut model);
        LodCache::at(PathBuf::new()).file(&model)
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
        m.lods = vec![Lod {
            mesh: m.mesh.clone(),
            morphs: Vec::new(),
            max_sample_rows: 9.0,
            worst_mm: 1.0,
            radii: Vec::new(),
            normal_bias: 0.0,
        }];
    });
    assert_eq!(named, usual);
}
