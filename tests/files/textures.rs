//! Textures of files: coordinates, transforms, broken pictures.

use glam::{Vec2, Vec4};
use serde_json::{Value, json};
use throng::model::{PackedMesh, TextureRef, TextureWrap};

use crate::common::builder::{Builder, SQUARE, one_mesh};

#[test]
fn texture_transforms_are_applied_to_coordinates() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let uvs = b.floats(&[0., 0., 1., 0., 0., 1., 1., 1.], "VEC2", 2);
    let png = b.view(include_bytes!("../data/dot.png"));
    let mut root =
        one_mesh(json!({"attributes": {"POSITION": positions, "TEXCOORD_1": uvs}, "mode": 5, "material": 0}));
    root["images"] = json!([{"bufferView": png, "mimeType": "image/png"}]);
    root["textures"] = json!([{"source": 0}]);
    let transform =
        json!({"offset": [0.25, 0.5], "rotation": std::f32::consts::FRAC_PI_2, "scale": [2.0, 3.0], "texCoord": 1});
    root["materials"] = json!([{"pbrMetallicRoughness": {"baseColorTexture":
        {"index": 0, "extensions": {"KHR_texture_transform": transform}}}}]);
    let model = b.load(root);
    let at = |x: f32, y: f32| {
        let corner = model
            .mesh
            .vertices
            .iter()
            .find(|v| v.position.truncate() == Vec2::new(x, y));
        corner.expect("a corner").uv
    };
    // KHR_texture_transform's matrix: translation * rotation * scale with
    // rotation = (cos, -sin, sin, cos) in columns.
    assert!(at(0.0, 0.0).abs_diff_eq(Vec2::new(0.25, 0.5), 1e-6));
    assert!(
        at(1.0, 0.0).abs_diff_eq(Vec2::new(0.25, 0.5 - 2.0), 1e-6),
        "{}",
        at(1.0, 0.0)
    );
    assert!(
        at(0.0, 1.0).abs_diff_eq(Vec2::new(0.25 + 3.0, 0.5), 1e-6),
        "{}",
        at(0.0, 1.0)
    );
    assert_eq!(model.images[0].rgba.len(), 4);
}

/// A material may use two distinct sets of coordinates; a texture with a third set is dropped, with a note that names
/// it.
#[test]
fn every_texture_finds_its_own_coordinates() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let normals = b.floats(&[0., 0., 1.].repeat(4), "VEC3", 3);
    let uvs = b.floats(&[0., 0., 1., 0., 0., 1., 1., 1.], "VEC2", 2);
    let png = b.view(include_bytes!("../data/dot.png"));
    let attributes = json!({"POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs, "TEXCOORD_1": uvs});
    let mut root = one_mesh(json!({"attributes": attributes, "mode": 5, "material": 0}));
    root["images"] = json!([{"bufferView": png, "mimeType": "image/png"}]);
    root["textures"] = json!([{"source": 0}]);
    let scaled = |factor: f32| json!({"KHR_texture_transform": {"scale": [factor, factor]}});
    root["materials"] = json!([{
        "name": "cloak",
        "pbrMetallicRoughness": {
            "baseColorTexture": {"index": 0},
            "metallicRoughnessTexture": {"index": 0, "extensions": scaled(4.0)},
        },
        "normalTexture": {"index": 0, "scale": 0.5, "extensions": scaled(4.0)},
        "occlusionTexture": {"index": 0, "strength": 0.25, "texCoord": 0},
        "emissiveTexture": {"index": 0, "texCoord": 1, "extensions": scaled(3.0)},
        "emissiveFactor": [1.0, 0.5, 0.0],
        "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 1.0}},
    }]);
    let model = b.load(root);
    let m = &model.materials[0];
    let second = |t: Option<TextureRef>| t.map(|t| t.second);
    assert_eq!(second(m.base_color_texture), Some(false));
    assert_eq!(second(m.normal_texture), Some(true));
    assert_eq!(second(m.metallic_roughness_texture), Some(true));
    assert_eq!(second(m.occlusion_texture), Some(false));
    assert_eq!(
        (m.emissive_texture, m.normal_scale, m.occlusion_strength),
        (None, 0.5, 0.25)
    );
    assert_eq!(model.images.len(), 1, "one image, however many textures use it");
    for v in &model.mesh.vertices {
        assert!(v.uv1.abs_diff_eq(v.uv * 4.0, 1e-6) && v.tangent.w.abs() == 1.0, "{v:?}");
    }
    let info = throng::atlas::info::Info::new(&model, None, &Default::default());
    println!("{info}");
    assert_eq!(info.dropped.len(), 2, "{:?}", info.dropped);
    assert!(
        info.dropped
            .iter()
            .any(|d| d.contains("cloak") && d.contains("emissive"))
    );
    assert!(info.dropped.iter().any(|d| d.contains("KHR_materials_clearcoat")));
    assert!(info.to_string().contains("dropped"));
}

/// Each texture has its own sampler, even of one image; unknown numbers are noted.
#[test]
fn samplers_say_what_lies_past_the_edges() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let png = b.view(include_bytes!("../data/dot.png"));
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5, "material": 0}));
    root["images"] = json!([{"bufferView": png, "mimeType": "image/png"}]);
    root["samplers"] = json!([
        {"wrapS": 33071, "wrapT": 33648, "magFilter": 9728},
        {"wrapT": 33071, "magFilter": 9729, "minFilter": 9728},
        {"wrapS": 12345},
    ]);
    root["textures"] =
        json!([{"source": 0}, {"source": 0, "sampler": 0}, {"source": 0, "sampler": 1}, {"source": 0, "sampler": 2}]);
    root["materials"] = json!([{
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 1}, "metallicRoughnessTexture": {"index": 2}},
        "occlusionTexture": {"index": 0},
        "emissiveTexture": {"index": 3},
    }]);
    let model = b.load(root);
    let plain = TextureRef::default();
    let repeat = TextureWrap::Repeat;
    let clamp = TextureWrap::Clamp;
    let m = &model.materials[0];
    let corner = TextureRef {
        wrap: [clamp, TextureWrap::Mirror],
        nearest: true,
        ..plain
    };
    let sides = TextureRef {
        wrap: [repeat, clamp],
        ..plain
    };
    assert_eq!(m.base_color_texture, Some(corner));
    assert_eq!(m.metallic_roughness_texture, Some(sides));
    assert_eq!((m.occlusion_texture, m.emissive_texture), (Some(plain), Some(plain)));
    assert_eq!(model.images.len(), 1);
    let notes: Vec<_> = model.notes.iter().filter(|n| n.contains("texture")).collect();
    assert!(
        notes.len() == 1 && notes[0].contains("texture 3 has an unknown wrap mode"),
        "{notes:?}"
    );
}

/// Vertex alpha is used only where the material uses alpha, so that other characters need no room for it.
#[test]
fn opaque_materials_ignore_the_alpha_of_vertex_colours() {
    for (mode, expected) in [("OPAQUE", 1.0), ("MASK", 0.25), ("BLEND", 0.25)] {
        let mut b = Builder::default();
        let positions = b.floats(&SQUARE, "VEC3", 3);
        let colors = b.floats(&[1.0, 0.5, 0.0, 0.25].repeat(4), "VEC4", 4);
        let attributes = json!({"POSITION": positions, "COLOR_0": colors});
        let mut root = one_mesh(json!({"attributes": attributes, "mode": 5, "material": 0}));
        root["materials"] = json!([{"alphaMode": mode}]);
        let mesh = b.load(root).mesh;
        assert!(
            mesh.vertices
                .iter()
                .all(|v| v.color == Vec4::new(1.0, 0.5, 0.0, expected)),
            "{mode}"
        );
        let packed = PackedMesh::new(&mesh);
        assert_eq!(packed.is_extended(), mode != "OPAQUE");
        assert!((packed.vertex(0).color.w - expected).abs() < 0.5 / 255.0, "{mode}");
    }
}

/// One line for each extension, however many materials have it.
#[test]
fn extensions_that_are_not_drawn_are_named_once() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5, "material": 0}));
    let material = |name: &str| {
        let extensions = json!({"KHR_materials_clearcoat": {}, "KHR_materials_unlit": {}});
        json!({"name": name, "extensions": extensions})
    };
    root["materials"] = ["a", "b", "c", "d", "e"].map(material).into_iter().collect();
    root["materials"][1]["extensions"]["KHR_materials_sheen"] = json!({});
    let dropped = b.load(root).dropped;
    assert_eq!(
        dropped,
        [
            "KHR_materials_clearcoat of a, b, c and 2 more",
            "KHR_materials_sheen of b"
        ]
    );
}

/// A picture that cannot be read costs the texture, not the character.
#[test]
fn broken_pictures_cost_their_texture() {
    let built = |texture: &str| {
        let mut b = Builder::default();
        let positions = b.floats(&SQUARE, "VEC3", 3);
        let broken = b.view(b"no picture");
        let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5, "material": 0}));
        root["images"] = json!([{"bufferView": broken, "mimeType": "image/png"}]);
        root["textures"] = json!([{"source": 0}]);
        root["materials"] = json!([{"name": "m"}]);
        *json_at(&mut root["materials"][0], texture) = json!({"index": 0});
        b.open(root)
    };
    for texture in [
        "normalTexture",
        "occlusionTexture",
        "emissiveTexture",
        "pbrMetallicRoughness/metallicRoughnessTexture",
        "pbrMetallicRoughness/baseColorTexture",
    ] {
        let model = built(texture).unwrap_or_else(|e| panic!("{texture}: {e}"));
        let expected = "cannot be decoded";
        assert!(model.notes.iter().any(|n| n.contains(expected)), "{:?}", model.notes);
        assert!(model.images.is_empty() && model.materials[0].textures().count() == 0);
    }
}

/// Value at a path of names, created if missing.
fn json_at<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('/').fold(value, |value, name| &mut value[name])
}
