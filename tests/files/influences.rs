//! Baked files of characters with eight influences.

use serde_json::Value;
use throng::{
    atlas::{Atlas, AtlasFormat, FramePlacement, VertexAtlas},
    character::Character,
    file,
    scene::open_model,
};

use crate::common::{glb, tube};

fn tube() -> Character {
    Character::bake(tube::model(), FramePlacement::default()).expect("bakes")
}

fn baked(character: &Character) -> Vec<u8> {
    let vertices = VertexAtlas::encode(&character.model, &character.palettes);
    file::baked::to_bytes(&character.model, &character.atlas(AtlasFormat::F16), Some(&vertices)).expect("fits")
}

/// JSON chunk of a file.
fn text(bytes: &[u8]) -> Value {
    let mut found = Value::Null;
    glb::edited(bytes, |root| found = root.clone());
    found
}

#[test]
fn a_baked_file_has_what_the_raw_one_is_drawn_with() {
    let raw = tube();
    let bytes = baked(&raw);
    let root = text(&bytes);
    assert_eq!(root["extensions"][file::baked::BAKED_EXTENSION]["influences"], 8);
    let attributes = root["meshes"][0]["primitives"][0]["attributes"]
        .as_object()
        .expect("attributes");
    assert!(attributes.contains_key("JOINTS_1") && attributes.contains_key("WEIGHTS_1"));
    for opened in [
        file::open_bytes("tube", &bytes, None).expect("opens"),
        file::open_bytes_to_draw("tube", bytes.clone(), None).expect("opens"),
    ] {
        let back = Character::from_opened(opened, FramePlacement::default()).expect("baked");
        assert!(back.model.mesh == raw.model.mesh);
        assert!(back.packed.vertex_bytes() == raw.packed.vertex_bytes());
        let atlases = [&back, &raw].map(|c| c.atlas(AtlasFormat::F16).into_owned());
        let [ours, theirs]: [Atlas; 2] = atlases;
        assert!(ours.bytes == theirs.bytes && ours.clips == theirs.clips);
        assert!(back.vertex_atlas().words == raw.vertex_atlas().words);
        let again = file::baked::to_bytes(&back.model, &ours, Some(&back.vertex_atlas()));
        assert!(again.expect("fits") == bytes);
    }
}

#[test]
fn files_whose_influences_were_changed_are_refused() {
    let bytes = baked(&tube());
    let open = |change: &dyn Fn(&mut Value)| file::open_bytes("tube", &glb::edited(&bytes, change), None);
    assert!(open(&|_| ()).is_ok());
    let influences =
        |count: u32| open(&|root| root["extensions"][file::baked::BAKED_EXTENSION]["influences"] = count.into());
    let one_set = open(&|root| {
        let attributes = root["meshes"][0]["primitives"][0]["attributes"].as_object_mut();
        attributes.expect("attributes").remove("JOINTS_1");
    });
    for opened in [influences(0), influences(4), influences(12), one_set] {
        let Err(error) = opened else { panic!("refused") };
        let error = error.to_string();
        assert!(error.contains("bake the character again"), "{error}");
    }
}

/// Files of characters with four influences have no trace of more.
#[test]
fn files_with_four_influences_do_not_change() {
    let model = open_model("woman").expect("embedded").model;
    let woman = Character::bake(model, FramePlacement::default()).expect("bakes");
    let root = text(&baked(&woman));
    assert!(
        root["extensions"][file::baked::BAKED_EXTENSION]
            .get("influences")
            .is_none()
    );
    assert!(!root.to_string().contains("JOINTS_1"));
}

/// Exports for other engines have both sets of influences and their number.
#[test]
fn exports_have_all_of_them() {
    let character = tube();
    let export = file::export(&character.model, &character.atlas(AtlasFormat::F16)).expect("fits");
    let description: Value = serde_json::from_str(&export.description).expect("JSON");
    assert_eq!(description["influences"], 8);
    let root = text(&export.character);
    let attributes = &root["meshes"][0]["primitives"][0]["attributes"];
    assert!(attributes["JOINTS_1"].is_u64() && attributes["WEIGHTS_1"].is_u64());
}
