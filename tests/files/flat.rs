//! Characters without normals are flat shaded: their triangles share corners, and pixels derive the normal.

use throng::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeOptions},
    file::{self, Glb, gltf},
    model::{Model, UnitSpace},
    scene::open_model,
};

use crate::common::{self, glb};

fn loaded(bytes: &[u8]) -> Model {
    gltf::load_bytes("flat.glb", bytes, None).expect("loads")
}

/// File of an embedded character without normals.
fn file() -> Vec<u8> {
    let model = Model {
        flat: true,
        lods: Vec::new(),
        ..open_model("knight").expect("embedded").model
    };
    Glb::new(&model).finish().expect("fits")
}

fn baked(model: &Model) -> Vec<u8> {
    let palettes = bake::bake(model, &BakeOptions { rate: 5.0 }, &|_| ()).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), AtlasFormat::F16);
    file::baked::to_bytes(model, &atlas, None).expect("fits")
}

/// True if no primitive of a file has normals.
fn has_none(bytes: &[u8]) -> bool {
    let mut none = false;
    glb::edited(bytes, |json| {
        none = primitives(json).iter().all(|p| p["attributes"].get("NORMAL").is_none());
    });
    none
}

fn primitives(json: &mut serde_json::Value) -> &mut Vec<serde_json::Value> {
    json["meshes"][0]["primitives"].as_array_mut().expect("primitives")
}

#[test]
fn triangles_of_a_file_without_normals_share_their_corners() {
    let full = open_model("knight").expect("embedded").model;
    let bytes = file();
    assert!(has_none(&bytes) && !has_none(&Glb::new(&full).finish().expect("fits")));
    let flat = loaded(&bytes);
    assert!(flat.flat && !full.flat);
    assert_eq!(flat.mesh.triangle_count(), full.mesh.triangle_count());
    let corners = 3 * full.mesh.triangle_count();
    assert!(
        flat.mesh.vertices.len() <= full.mesh.vertices.len() && flat.mesh.vertices.len() * 3 < corners * 2,
        "{} vertices of {corners} corners",
        flat.mesh.vertices.len()
    );
    let unit = |v: &throng::model::Vertex| (v.normal.length() - 1.0).abs() < 1e-5;
    assert!(flat.mesh.vertices.iter().all(unit), "a normal without direction");
}

#[test]
fn a_flat_character_is_baked_as_it_is() {
    let model = loaded(&file());
    let bytes = baked(&model);
    assert!(has_none(&bytes));
    let opened = file::open_bytes("baked", &bytes, None).expect("opens").model;
    assert!(opened.flat && opened.mesh == model.mesh, "not the same mesh");
    let again = loaded(&Glb::new(&opened).finish().expect("fits"));
    let counts = |model: &Model| (model.mesh.vertices.len(), model.mesh.triangle_count());
    assert!(again.flat && counts(&again) == counts(&model), "not what was read");
    // A file that claims to be flat but has normals was modified.
    let changed = glb::edited(&bytes, |json| {
        json["extensions"]["THRONG_animation_atlas"]["flat"] = false.into()
    });
    let error = file::open_bytes("baked", &changed, None).expect_err("changed");
    assert!(error.to_string().contains("modified after baking"), "{error}");
}

#[test]
fn where_only_some_parts_are_flat_their_triangles_have_corners_of_their_own() {
    let bytes = Glb::new(&open_model("knight").expect("embedded").model)
        .finish()
        .expect("fits");
    let mut material = 0;
    let bytes = glb::edited(&bytes, |json| {
        let all = primitives(json);
        assert!(all.len() > 1, "one primitive");
        material = all[1]["material"].as_u64().expect("a material") as u8;
        all[1]["attributes"]
            .as_object_mut()
            .expect("attributes")
            .remove("NORMAL");
    });
    let mixed = loaded(&bytes);
    assert!(!mixed.flat);
    let (triangles, _) = mixed.mesh.indices.as_chunks::<3>();
    let mut seen = 0;
    for triangle in triangles {
        let corners = triangle.map(|i| &mixed.mesh.vertices[i as usize]);
        if corners[0].material == material {
            seen += 1;
            assert!(corners.iter().all(|v| v.normal == corners[0].normal), "{corners:?}");
        }
    }
    assert!(seen > 10, "{seen} triangles");
}

#[test]
fn the_fox_has_a_third_of_its_vertices() {
    let Some(folder) = common::samples() else { return };
    let fox = common::load(&folder, "Fox/Fox.glb");
    assert!(fox.flat);
    assert_eq!(fox.mesh.triangle_count(), 576);
    assert!(fox.mesh.vertices.len() < 1728 / 3, "{}", fox.mesh.vertices.len());
}
