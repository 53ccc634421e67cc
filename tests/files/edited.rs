//! Baked files changed by another program or a damaged disk.

use glam::Vec3;
use serde_json::{Value, json};
use throng::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeOptions},
    file,
    model::{ClipEvent, Keys, Material, UnitSpace},
};

use crate::common::{glb, surfaces};

/// Square with an image that rises for 1 s.
fn baked() -> Vec<u8> {
    let material = Material {
        base_color_texture: surfaces::texture(0),
        ..Material::default()
    };
    let picture = surfaces::image("picture", 4, |u, v| [(255.0 * u) as u8, (255.0 * v) as u8, 0, 255]);
    let mut model = surfaces::quad(2, material, vec![picture]);
    model.clips = vec![surfaces::clip(
        "rise",
        vec![(0, Keys::Translation(vec![Vec3::ZERO, Vec3::Y]))],
    )];
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), AtlasFormat::F16);
    file::baked::to_bytes(&model, &atlas, None).expect("fits")
}

/// Byte range of the only image in the file.
fn image_range(bytes: &[u8]) -> std::ops::Range<usize> {
    let signature = b"\x89PNG\r\n\x1a\n";
    let mut places = bytes.windows(signature.len());
    let start = places.position(|w| w == signature).expect("an image");
    let end = bytes[start..].windows(4).position(|w| w == b"IEND").expect("its end");
    start..start + end + 8
}

#[test]
fn keys_are_found_where_an_image_lies_beside_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = baked();
    let save = |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).expect("written");
    save("picture.png", &bytes[image_range(&bytes)]);
    save(
        "apart.glb",
        &glb::edited(&bytes, |json| json["images"] = json!([{"uri": "picture.png"}])),
    );
    let whole = file::open_bytes("baked.glb", &bytes, None).expect("opens").model;
    let apart = file::open_to_draw(&folder.path().join("apart.glb"))
        .expect("opens")
        .model;
    assert!(!apart.clips[0].channels.is_read(), "the file was not read in part");
    assert_eq!(apart.clips[0].channels, whole.clips[0].channels);
    assert_eq!(apart.images[0].rgba, whole.images[0].rgba);
}

#[test]
fn a_damaged_image_costs_the_image_only() {
    let mut bytes = baked();
    let whole = file::open_bytes("baked.glb", &bytes, None).expect("opens").model;
    let image = image_range(&bytes);
    let data = bytes[image.clone()]
        .windows(4)
        .position(|w| w == b"IDAT")
        .expect("pixels");
    bytes[image.start + data + 4..image.end - 12].fill(0x55);
    let opened = file::open_bytes_to_draw("damaged.glb", bytes, None).expect("opens");
    assert_eq!(opened.model.clips[0].channels, whole.clips[0].channels);
    assert!(opened.model.images[0].rgba.is_empty());
    // Written again, the file has no image, and no material refers to one.
    let written = file::baked::to_bytes(&opened.model, &opened.atlas.expect("baked"), None).expect("fits");
    let back = file::open_bytes("written.glb", &written, None).expect("opens").model;
    assert!(back.images.is_empty() && back.materials[0].base_color_texture.is_none());
    assert_eq!(back.mesh, whole.mesh);
}

/// Primitives whose vertices the reader would reorder do not match the stored indices.
#[test]
fn primitives_are_triangles_with_normals_or_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let bytes = glb::edited(&baked(), |json| {
            let primitives = json["meshes"][0]["primitives"].as_array_mut();
            primitives.expect("primitives").iter_mut().for_each(change);
        });
        let error = file::open_bytes("edited.glb", &bytes, None)
            .expect_err("refused")
            .to_string();
        assert!(error.contains("bake the character again"), "{error}");
    };
    refused(&|primitive| {
        let attributes = primitive["attributes"].as_object_mut().expect("attributes");
        attributes.shift_remove("NORMAL").expect("normals");
    });
    for mode in [0, 1, 5, 6] {
        refused(&|primitive| primitive["mode"] = mode.into());
    }
}

#[test]
fn events_are_sorted_and_within_their_clip() {
    let bytes = glb::edited(&baked(), |json| {
        let event = |name: &str, time: f32| json!({"name": name, "time": time});
        json["extensions"]["THRONG_animation_atlas"]["clips"][0]["events"] = json!([
            event("after", 99.0),
            event("second", 0.75),
            event("end", 1.0),
            event("first", 0.0),
            event("before", -5.0)
        ]);
    });
    let opened = file::open_bytes("edited.glb", &bytes, None).expect("opens");
    let event = |name: &str, time| ClipEvent {
        name: name.into(),
        time,
    };
    let expected = [event("first", 0.0), event("second", 0.75)];
    assert_eq!(opened.model.clips[0].events, expected);
    assert_eq!(opened.atlas.expect("baked").clips[0].events, expected);
}
