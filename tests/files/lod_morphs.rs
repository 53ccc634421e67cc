//! LODs of characters with morph targets in files: raw, baked, cached and exported.

use serde_json::{Value, json};
use throng::{
    Character,
    atlas::{Atlas, AtlasFormat, FramePlacement},
    bake::{self, BakeOptions},
    character::LodSource,
    file::{self, Glb, LODS_EXTENSION, LodCache, add_lods, baked::BAKED_EXTENSION},
    model::{Lod, Model, PackedMesh, UnitSpace},
    scene::open_model,
};

use crate::common::{
    faces::with_face,
    glb::{edited, exported, json as json_of},
};

fn silent(_: f32) {}

/// Raw file of an object with a face, whose LODs are made within seconds.
fn raw() -> Vec<u8> {
    let bare = Model {
        lods: Vec::new(),
        ..open_model("sword").expect("embedded").model
    };
    Glb::new(&with_face(bare)).finish().expect("fits")
}

fn character(raw: &[u8]) -> Character {
    let opened = file::open_bytes("face", raw, None).expect("opens");
    Character::from_opened(opened, FramePlacement::default()).expect("bakes")
}

fn baked(model: &Model) -> Vec<u8> {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ()).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), AtlasFormat::F16);
    file::baked::to_bytes(model, &atlas, None).expect("fits")
}

/// The woman with a face and a LOD that is a copy of the full mesh.
fn levelled() -> Model {
    let mut model = open_model("woman").expect("embedded").model;
    let once = PackedMesh::new(&model.mesh).unpacked();
    model.lods = vec![Lod {
        mesh: PackedMesh::new(&once).unpacked(),
        morphs: Vec::new(),
        max_sample_rows: 60.5,
        worst_mm: 0.25,
        radii: Vec::new(),
        normal_bias: 0.0,
    }];
    with_face(model)
}

#[test]
fn raw_baked_and_kept_files_have_the_same_lods() {
    let raw = raw();
    let folder = tempfile::tempdir().expect("a folder");
    let cache = LodCache::at(folder.path().to_owned());
    let (first, second) = (character(&raw), character(&raw));
    assert!(first.lacks_lods());
    let made = first.load_or_make_lods(Some(&cache), &silent).expect("can be made");
    assert_eq!(made, (LodSource::Made, None));
    let kept = second.load_or_make_lods(Some(&cache), &silent).expect("are there");
    assert_eq!(kept, (LodSource::Kept, None));
    let lods = first.lods();
    assert!(second.lods() == lods, "the cached LODs differ");
    assert!(!lods.is_empty());
    for lod in lods {
        assert_eq!(lod.morphs.len(), 2);
        assert!(
            lod.morphs.iter().all(|deltas| !deltas.is_empty()),
            "a target moves nothing"
        );
    }
    let whole = Model {
        lods: lods.to_vec(),
        ..first.model.clone()
    };
    let file = baked(&whole);
    for opened in [
        file::open_bytes("baked", &file, None),
        file::open_bytes_to_draw("baked", file.clone(), None),
    ] {
        assert!(opened.expect("opens").model.lods == lods, "of the baked file");
    }
    let with_lods = add_lods(&raw, &whole).expect("a binary file");
    let opened = file::open_bytes("raw", &with_lods, None).expect("opens").model;
    assert!(opened.lods == lods, "of the raw file: {:?}", opened.notes);
    assert!(opened.mesh == whole.mesh && opened.morphs == whole.morphs);
}

/// File with changed LODs, whether raw or baked.
fn with_changed_lods(file: &[u8], change: impl Fn(&mut Value)) -> Vec<u8> {
    edited(file, |json| {
        for extension in [BAKED_EXTENSION, LODS_EXTENSION] {
            let lods = json["extensions"].get_mut(extension).and_then(|e| e.get_mut("levels"));
            let lods = lods.and_then(Value::as_array_mut);
            lods.into_iter().flatten().for_each(&change);
        }
    })
}

#[test]
fn lods_of_files_without_morph_deltas_are_ignored() {
    let model = levelled();
    let old = |lod: &mut Value| {
        let removed = lod.as_object_mut().and_then(|lod| lod.remove("morphs"));
        assert!(removed.is_some(), "there was none");
    };
    let file = baked(&model);
    let opened = file::open_bytes("baked", &with_changed_lods(&file, old), None).expect("opens");
    assert_eq!(opened.model.lods, []);
    assert_eq!(opened.model.morphs, model.morphs, "other data differ");
    let bare = Model {
        lods: Vec::new(),
        ..model.clone()
    };
    let raw = Glb::new(&bare).finish().expect("fits");
    let imported = file::open_bytes("raw", &raw, None).expect("opens").model;
    let with_lods = Model {
        lods: model.lods,
        ..imported
    };
    let raw = add_lods(&raw, &with_lods).expect("a binary file");
    let opened = file::open_bytes("raw", &raw, None).expect("opens").model;
    assert!(opened.lods == with_lods.lods, "{:?}", opened.notes);
    let opened = file::open_bytes("raw", &with_changed_lods(&raw, old), None).expect("opens");
    assert_eq!(opened.model.lods, []);
    assert!(character(&with_changed_lods(&raw, old)).lacks_lods(), "they are made");
}

#[test]
fn broken_deltas_are_refused() {
    let file = baked(&levelled());
    type Change = (&'static str, fn(&mut Value));
    let changes: [Change; 6] = [
        ("one target", |m| m["counts"] = json!([1])),
        ("more than all", |m| m["counts"] = json!([u64::MAX, 1])),
        ("negative", |m| m["counts"] = json!([-1, 1])),
        ("other words", |m| m["tangents"] = json!(true)),
        ("no such view", |m| m["bufferView"] = json!(100_000)),
        ("another view", |m| m["bufferView"] = json!(0)),
    ];
    for (what, change) in changes {
        let broken = with_changed_lods(&file, |lod| change(&mut lod["morphs"]));
        let error = file::open_bytes("baked", &broken, None).expect_err(what).to_string();
        assert!(error.contains("THRONG_animation_atlas"), "{what}: {error}");
        let read = file::open_bytes_to_draw("baked", broken, None);
        assert!(read.is_err(), "{what}: accepted when opened for drawing");
    }
    // Any words give an error or valid deltas.
    for at in (0..file.len()).rev().step_by(991).take(300) {
        let mut broken = file.clone();
        broken[at] ^= 0xff;
        if let Ok(opened) = file::open_bytes("baked", &broken, None) {
            for lod in &opened.model.lods {
                let vertices = lod.mesh.vertices.len();
                let deltas = lod.morphs.iter().flatten();
                assert!(
                    deltas
                        .into_iter()
                        .all(|d| (d.vertex as usize) < vertices && d.position.is_finite())
                );
            }
        }
    }
}

#[test]
fn deltas_of_lods_are_counted_before_they_take_memory() {
    let file = baked(&levelled());
    let many = edited(&file, |json| {
        let lods = &mut json["extensions"][BAKED_EXTENSION]["levels"];
        *lods = vec![lods[0].clone(); 3000].into();
    });
    let error = file::open_bytes("baked", &many, None).expect_err("refused").to_string();
    assert!(error.contains("implausibly large"), "{error}");
}

#[test]
fn exported_lods_have_the_same_targets() {
    let model = levelled();
    let json = json_of(&exported(&model).character);
    let meshes = json["meshes"].as_array().expect("meshes");
    assert_eq!(meshes.len(), 2, "the full mesh and a level");
    for mesh in meshes {
        assert_eq!(mesh["extras"]["targetNames"], json!(["swell", "aside"]));
        assert_eq!(mesh["weights"], json!([0.0, 0.0]));
    }
    for primitive in meshes[1]["primitives"].as_array().expect("primitives") {
        let targets = primitive["targets"].as_array().expect("targets");
        assert_eq!(targets.len(), 2);
        for (target, deltas) in targets.iter().zip(&model.lods[0].morphs) {
            let accessor = &json["accessors"][target["POSITION"].as_u64().expect("positions") as usize];
            assert_eq!(accessor["count"], model.lods[0].mesh.vertices.len());
            assert_eq!(accessor["sparse"]["count"], deltas.len());
            assert!(deltas.len() > 100);
        }
    }
}
