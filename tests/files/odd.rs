//! Defects of real files: broken weights and images, extensions that are not drawn, values in baked files that are not
//! finite.

use serde_json::{Value, json};
use throng::{
    character::Character,
    file::{self, ModelError},
    model::{Keys, Material, Model},
    scene::embedded::embedded,
};

use crate::common::{
    builder::{Builder, SQUARE, one_mesh},
    glb::edited,
    surfaces,
};

/// Square with one material and a change of its JSON.
fn square(change: impl FnOnce(&mut Builder, &mut Value)) -> Result<Model, ModelError> {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5, "material": 0}));
    root["materials"] = json!([{"name": "skin"}]);
    change(&mut b, &mut root);
    b.open(root)
}

fn notes_with(model: &Model, part: &str) -> usize {
    model.all_notes().filter(|n| n.contains(part)).count()
}

#[test]
fn weights_that_are_no_numbers_count_as_zero() {
    let model = square(|b, root| {
        let joints = b.add(&[0, 1, 0, 0].repeat(4), 5121, "VEC4", 4);
        let weights = b.floats(&[0.5, f32::NAN, f32::INFINITY, 0.0].repeat(4), "VEC4", 4);
        let attributes = &mut root["meshes"][0]["primitives"][0]["attributes"];
        (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (joints.into(), weights.into());
        root["nodes"] = json!([{"mesh": 0, "skin": 0}, {"name": "a"}, {"name": "b"}]);
        root["skins"] = json!([{"joints": [1, 2]}]);
    })
    .expect("opens");
    assert!(
        model
            .mesh
            .vertices
            .iter()
            .all(|v| v.weights == throng::model::padded([1.0], 0.0))
    );
    assert_eq!(notes_with(&model, "8 weights are not finite"), 1, "{:?}", model.notes);
}

#[test]
fn an_image_that_cannot_be_read_costs_its_texture_and_one_line() {
    let model = square(|b, root| {
        let broken = b.view(b"\x89PNG\r\n\x1a\nnothing");
        root["images"] =
            json!([{"bufferView": broken, "mimeType": "image/png", "name": "face"}, {"uri": "missing.png"}]);
        root["textures"] = json!([{"source": 0}, {"source": 1}]);
        let material = |image: usize| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": image}}});
        root["materials"] = json!([material(0), material(0), material(1)]);
        root["materials"][0]["emissiveTexture"] = json!({"index": 0});
    })
    .expect("opens");
    assert!(model.materials.iter().all(|m| m.base_color_texture.is_none()));
    assert_eq!(notes_with(&model, "face"), 1, "{:?}", model.notes);
    assert_eq!(notes_with(&model, "missing.png"), 1, "{:?}", model.notes);
}

#[test]
fn webp_images_are_decoded() {
    let mut encoded = Vec::new();
    let pixels = [200, 30, 30, 255].repeat(16);
    let encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut encoded);
    encoder
        .encode(&pixels, 4, 4, image::ExtendedColorType::Rgba8)
        .expect("encoded");
    for fallback in [true, false] {
        let model = square(|b, root| {
            let webp = b.view(&encoded);
            let broken = b.view(b"no image");
            root["images"] = json!([{"bufferView": broken}, {"bufferView": webp, "mimeType": "image/webp"}]);
            root["textures"] = json!([{"extensions": {"EXT_texture_webp": {"source": 1}}}]);
            if fallback {
                root["textures"][0]["source"] = 0.into();
            }
            root["materials"][0]["pbrMetallicRoughness"] = json!({"baseColorTexture": {"index": 0}});
            root["extensionsRequired"] = json!(["EXT_texture_webp"]);
        })
        .expect("opens");
        assert_eq!(
            model.images[0].rgba.to_vec(),
            pixels,
            "fallback {fallback}: {:?}",
            model.notes
        );
    }
}

#[test]
fn required_extensions_are_drawn_named_or_refused_with_a_command_that_helps() {
    let open = |extension: &str| {
        square(|_, root| {
            root["extensionsRequired"] = json!([extension]);
            root["materials"][0]["extensions"] = json!({extension: {}});
        })
    };
    for shown in [
        "KHR_materials_clearcoat",
        "KHR_materials_sheen",
        "KHR_materials_specular",
        "KHR_materials_transmission",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_materials_from_the_future",
    ] {
        let model = open(shown).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(notes_with(&model, shown), 1, "{:?}", model.dropped);
    }
    let error = open("ACME_bones").expect_err("unknown").to_string();
    assert!(
        error.contains("ACME_bones") && error.contains("export the character without"),
        "{error}"
    );
}

#[test]
fn what_nothing_here_draws_is_listed() {
    let model = square(|_, root| {
        root["nodes"] = json!([
            {"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {}, "MSFT_lod": {"ids": [1]}}},
            {"extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"extensions": {"KHR_lights_punctual": {"light": 0}}}
        ]);
        root["meshes"][0]["primitives"][0]["extensions"] = json!({"KHR_materials_variants": {"mappings": []}});
        root["extensions"] = json!({"VRMC_vrm": {}, "KHR_lights_punctual": {"lights": [{"type": "point"}]}});
    })
    .expect("opens");
    for part in [
        "EXT_mesh_gpu_instancing of 1 node (each is drawn once)",
        "MSFT_lod of 1 node",
        "KHR_materials_variants of 1 primitive",
        "KHR_lights_punctual of 2 nodes",
        "VRMC_vrm",
    ] {
        assert_eq!(notes_with(&model, part), 1, "{part}: {:?}", model.dropped);
    }
}

#[test]
fn hidden_nodes_are_not_drawn() {
    let hidden = json!({"KHR_node_visibility": {"visible": false}});
    let triangles = |root: Value| square(|_, json| json["nodes"] = root).map(|m| m.mesh.triangle_count());
    let shown = json!([{"mesh": 0}, {"mesh": 0, "translation": [3, 0, 0]}]);
    assert_eq!(triangles(shown).expect("opens"), 4);
    let one = json!([{"mesh": 0}, {"extensions": hidden, "children": [2]}, {"mesh": 0, "translation": [3, 0, 0]}]);
    assert_eq!(triangles(one).expect("opens"), 2);
    assert!(
        triangles(json!([{"mesh": 0, "extensions": hidden}])).is_err(),
        "nothing is left"
    );
}

#[test]
fn clips_that_no_atlas_holds_are_refused() {
    let error = square(|b, root| {
        let times = b.floats(&[0.0, 1e30], "SCALAR", 1);
        let turns = b.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8], "VEC4", 4);
        root["animations"] = json!([{"name": "eternal", "samplers": [{"input": times, "output": turns}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}]);
    })
    .expect_err("refused")
    .to_string();
    assert!(error.contains("eternal") && error.contains("65536 frames"), "{error}");
}

/// Results of opening a baked character with changed JSON, whole and for drawing: both must agree.
fn rebaked(change: impl Fn(&mut Value)) -> [Result<(), String>; 2] {
    let model = file::open_bytes("knight", embedded("knight").expect("embedded"), None)
        .expect("opens")
        .model;
    let palettes = throng::bake::bake(&model, &throng::bake::BakeOptions::default(), &|_| {}).expect("bakes");
    let unit = throng::model::UnitSpace::around(model.mesh.bounds());
    let atlas = throng::atlas::Atlas::encode(&palettes, &unit, throng::atlas::AtlasFormat::F16);
    let bytes = file::baked::to_bytes(&model, &atlas, None).expect("fits");
    let bytes = edited(&bytes, change);
    let outcome = |result: Result<file::OpenedFile, ModelError>| result.map(drop).map_err(|e| e.to_string());
    [
        outcome(file::open_bytes("changed", &bytes, None)),
        outcome(file::open_bytes_to_draw("changed", bytes, None)),
    ]
}

#[test]
fn baked_files_are_refused_by_every_reader_alike() {
    assert_eq!(rebaked(|_| ()), [Ok(()), Ok(())]);
    let edited = |part: &str, change: &dyn Fn(&mut Value)| {
        for outcome in rebaked(change) {
            let error = outcome.expect_err(part);
            assert!(error.contains(part), "{part}: {error}");
        }
    };
    let both = |part: &str, change: &dyn Fn(&mut Value)| {
        edited(part, &|json| change(&mut json["extensions"]["THRONG_animation_atlas"]));
    };
    both("bounds", &|json| json["clips"][0]["bounds"]["max"][1] = json!(1e39));
    both("bounds", &|json| json["clips"][0]["bounds"]["min"][1] = json!(900.0));
    both("animation", &|json| json["clips"][0]["animation"] = json!(999));
    both("65536 frames", &|json| json["clips"][0]["duration"] = json!(1e30));
    // An index below the number of clips, but beyond the animations.
    edited("animation", &|json| {
        let animations = json["animations"].as_array_mut().expect("a list");
        animations.pop();
    });
    edited("animation", &|json| {
        json["animations"].as_array_mut().expect("a list").truncate(2);
        json["extensions"]["THRONG_animation_atlas"]["clips"][0]["animation"] = json!(2);
    });
}

#[test]
fn an_atlas_with_a_number_that_is_none_is_refused() {
    let model = file::open_bytes("knight", embedded("knight").expect("embedded"), None)
        .expect("opens")
        .model;
    let palettes = throng::bake::bake(&model, &throng::bake::BakeOptions::default(), &|_| {}).expect("bakes");
    let unit = throng::model::UnitSpace::around(model.mesh.bounds());
    for format in [throng::atlas::AtlasFormat::F16, throng::atlas::AtlasFormat::F32] {
        let mut atlas = throng::atlas::Atlas::encode(&palettes, &unit, format);
        let mut bytes = atlas.bytes.to_vec();
        // Last value of the second frame's first matrix.
        let end = (atlas.slot_count as usize + 1) * format.matrix_bytes();
        (bytes[end - 1], bytes[end - 2]) = (0x7f, 0xff);
        atlas.bytes = bytes.into();
        let bytes = file::baked::to_bytes(&model, &atlas, None).expect("fits");
        for error in [
            file::open_bytes("a", &bytes, None).map(drop),
            file::open_bytes_to_draw("a", bytes.clone(), None).map(drop),
        ] {
            let error = error.expect_err("refused").to_string();
            assert!(error.contains("not finite in frame 1, slot 0"), "{error}");
        }
    }
}

/// Clips that mirror parts reverse their winding: drawing must know that, from a baked file too.
#[test]
fn a_baked_file_tells_that_clips_mirror() {
    for (x, expected) in [(1.0, false), (-1.0, true), (-1e-9, false)] {
        let mut model = surfaces::quad(1, Material::default(), Vec::new());
        let scale = Keys::Scale(vec![glam::Vec3::ONE, glam::Vec3::new(x, 1.0, 1.0)]);
        model.clips = vec![surfaces::clip("turn", vec![(0, scale)])];
        let character = Character::bake(model, &throng::bake::BakeOptions::default()).expect("bakes");
        assert_eq!(character.model.mirrored, expected, "{x}");
        let atlas = character.atlas(throng::atlas::AtlasFormat::F16);
        let bytes = file::baked::to_bytes(&character.model, &atlas, None).expect("fits");
        let opened = file::open_bytes_to_draw("turned", bytes, None).expect("opens");
        assert_eq!(opened.model.mirrored, expected, "{x}");
    }
}
