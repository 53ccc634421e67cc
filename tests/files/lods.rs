//! LODs in files: raw, baked and exported.

use throng::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeOptions},
    file::{self, add_lods},
    model::{Lod, Mesh, Model, NORMAL_BIAS_STEPS, PackedMesh, UnitSpace, optimize},
    scene::{embedded, open_model},
};

use crate::common::glb::{self, exported};

/// Character with two LODs whose meshes are parts of the full one, rounded as packing does.
fn levelled() -> Model {
    let mut model = open_model("woman").expect("an embedded character").model;
    let lod = |share: usize, max_sample_rows: f32| {
        let triangles = model.mesh.indices.as_chunks::<3>().0.iter().step_by(share);
        let part = optimize(&Mesh {
            vertices: model.mesh.vertices.clone(),
            indices: triangles.flatten().copied().collect(),
        });
        let once = PackedMesh::new(&part).unpacked();
        Lod {
            mesh: PackedMesh::new(&once).unpacked(),
            morphs: Vec::new(),
            max_sample_rows,
            worst_mm: 0.25 * share as f32,
            radii: Vec::new(),
            normal_bias: share as f32 / NORMAL_BIAS_STEPS,
        }
    };
    model.lods = vec![lod(2, 60.5), lod(8, 7.25)];
    model
}

/// The character of [`levelled`] with splats around vertices of it.
fn with_splats() -> Model {
    let mut model = levelled();
    let splats = |count: u32, max_sample_rows: f32| {
        let step = model.mesh.vertices.len() / count as usize;
        let part = Mesh {
            vertices: model
                .mesh
                .vertices
                .iter()
                .step_by(step)
                .take(count as usize)
                .copied()
                .collect(),
            indices: (0..count).flat_map(|vertex| [vertex; 3]).collect(),
        };
        let once = PackedMesh::new(&part).unpacked();
        Lod {
            mesh: PackedMesh::new(&once).unpacked(),
            max_sample_rows,
            worst_mm: 40.0,
            radii: (0..count).map(|splat| 0.05 + 0.001 * splat as f32).collect(),
            ..Lod::default()
        }
    };
    let splats = [splats(64, 5.25), splats(32, 3.75)];
    model.lods.extend(splats);
    model
}

fn baked(model: &Model) -> Vec<u8> {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ()).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), AtlasFormat::F16);
    file::baked::to_bytes(model, &atlas, None).expect("fits")
}

/// Place of the first byte of a buffer view of the first LOD of a list.
fn place(file: &[u8], list: &str, field: &str) -> usize {
    let json = glb::json(file);
    let number = json["extensions"]["THRONG_animation_atlas"][list][0][field].as_u64();
    let view = &json["bufferViews"][number.expect("a view") as usize];
    let start = 12 + 8 + u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize + 8;
    start + view["byteOffset"].as_u64().expect("an offset") as usize
}

/// Binary file with its JSON changed by `edit`; a text that is not longer stays in its place.
fn edited(file: &[u8], edit: impl FnOnce(String) -> String) -> Vec<u8> {
    let length = u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize;
    let text = String::from_utf8(file[20..20 + length].to_vec()).expect("JSON");
    let mut text = edit(text).into_bytes();
    assert!(text.len() <= length, "the text grew");
    text.resize(length, b' ');
    [&file[..20], &text, &file[20 + length..]].concat()
}

#[test]
fn lods_come_back_from_baked_and_raw_files_as_they_were() {
    let model = levelled();
    let file = baked(&model);
    for opened in [
        file::open_bytes("baked", &file, None),
        file::open_bytes_to_draw("baked", file.clone(), None),
    ] {
        assert!(opened.expect("opens").model.lods == model.lods, "of the baked file");
    }
    let source = embedded::embedded("woman").expect("embedded");
    let raw = add_lods(source, &model).expect("a binary file");
    let opened = file::open_bytes("raw", &raw, None).expect("opens").model;
    assert!(opened.lods == model.lods, "of the raw file: {:?}", opened.notes);
    assert!(
        opened.mesh == model.mesh && opened.dropped.is_empty(),
        "{:?}",
        opened.dropped
    );
}

#[test]
fn splats_come_back_from_baked_and_raw_files_and_are_not_listed_among_meshes() {
    let model = with_splats();
    let file = baked(&model);
    let opened = file::open_bytes("baked", &file, None).expect("opens").model;
    assert!(opened.lods == model.lods, "of the baked file");
    let source = embedded::embedded("woman").expect("embedded");
    let raw = add_lods(source, &model).expect("a binary file");
    let opened = file::open_bytes("raw", &raw, None).expect("opens").model;
    assert!(opened.lods == model.lods, "of the raw file: {:?}", opened.notes);
    for (file, extension) in [(file, "THRONG_animation_atlas"), (raw, file::LODS_EXTENSION)] {
        let listed = &glb::json(&file)["extensions"][extension];
        let counts = ["levels", "discs"].map(|list| listed[list].as_array().map(Vec::len));
        assert_eq!(counts, [Some(2), Some(2)], "{extension}");
        assert!(listed["discs"][0]["radii"].is_u64() && listed["levels"][0]["radii"].is_null());
    }
}

#[test]
fn hostile_splats_are_refused() {
    let model = with_splats();
    let file = baked(&model);
    let radii = place(&file, "discs", "radii");
    for radius in [0.0, -0.1, f32::NAN, f32::INFINITY] {
        let mut broken = file.clone();
        broken[radii + 8..radii + 12].copy_from_slice(&radius.to_le_bytes());
        let error = file::open_bytes("baked", &broken, None)
            .expect_err("refused")
            .to_string();
        assert!(error.contains("radii"), "{radius}: {error}");
    }
    let mut broken = file.clone();
    let indices = place(&file, "discs", "indices");
    broken[indices] ^= 1;
    let error = file::open_bytes("baked", &broken, None)
        .expect_err("refused")
        .to_string();
    assert!(error.contains("do not match"), "{error}");
    // Swapped lists, splats without radii, and too few radii.
    let swapped = |text: String| {
        let text = text
            .replace("\"levels\":[", "\"other\":[")
            .replace("\"discs\":[", "\"levels\":[");
        text.replace("\"other\":[", "\"discs\":[")
    };
    let edits: [(&str, &dyn Fn(String) -> String); 4] = [
        ("without radii", &|text| text.replace("\"radii\":", "\"rAdii\":")),
        ("swapped", &swapped),
        ("too few", &|text| {
            text.replace("\"byteLength\":256", "\"byteLength\":252")
        }),
        ("not coarser", &|text| {
            text.replace("\"maxRows\":3.75", "\"maxRows\":5.75")
        }),
    ];
    for (what, edit) in edits {
        let error = file::open_bytes("baked", &edited(&file, edit), None)
            .expect_err(what)
            .to_string();
        assert!(error.contains("level"), "{what}: {error}");
    }
}

#[test]
fn exported_splats_are_described_and_are_no_meshes() {
    let model = with_splats();
    let export = exported(&model);
    let json = glb::json(&export.character);
    assert_eq!(
        json["meshes"].as_array().map(Vec::len),
        Some(3),
        "the full mesh and two levels"
    );
    let description: serde_json::Value = serde_json::from_str(&export.description).expect("JSON");
    assert_eq!(description["levels"].as_array().map(Vec::len), Some(2));
    let splats = &description["discs"][1];
    assert_eq!(
        (splats["maxRows"].as_f64(), splats["discs"].as_array().map(Vec::len)),
        (Some(3.75), Some(32))
    );
    let splat = &splats["discs"][31];
    let weights = splat["weights"]
        .as_array()
        .expect("weights")
        .iter()
        .filter_map(|w| w.as_f64());
    assert!((weights.sum::<f64>() - 1.0).abs() < 1e-4, "{splat}");
    let radius = splat["radius"].as_f64().expect("a radius");
    assert!((radius - 0.081).abs() < 1e-6, "{radius}");
}

#[test]
fn lods_of_a_changed_raw_file_are_ignored_with_a_note() {
    let model = levelled();
    let source = embedded::embedded("woman").expect("embedded");
    let raw = add_lods(source, &model).expect("a binary file");
    let count = format!("\"triangles\":{}", model.mesh.triangle_count());
    let other = edited(&raw, |text| {
        assert!(text.contains(&count), "no count");
        text.replace(&count, "\"triangles\":1")
    });
    let opened = file::open_bytes("raw", &other, None).expect("opens").model;
    assert_eq!(opened.lods, []);
    let said = opened.notes.iter().any(|n| n.contains("levels of detail are ignored"));
    assert!(said, "{:?}", opened.notes);
}

#[test]
fn broken_lods_of_a_baked_file_are_refused() {
    let file = baked(&levelled());
    for (from, to) in [
        ("\"maxRows\":60.5", "\"maxRows\":-1.0"),
        ("\"maxRows\":60.5", "\"maxRows\":1.0"),
        ("\"maxRows\":7.25", "\"maxRows\":0"),
        ("\"vertexCount\":", "\"vertexcount\":"),
        ("\"worstMm\":0.5", "\"worstMm\":[]"),
    ] {
        let broken = edited(&file, |text| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        let error = file::open_bytes("baked", &broken, None).expect_err(to).to_string();
        assert!(error.contains("THRONG_animation_atlas"), "{to}: {error}");
    }
    // A triangle of a vertex that the LOD lacks.
    let mut broken = file.clone();
    let index = place(&file, "levels", "indices");
    broken[index..index + 2].copy_from_slice(&u16::MAX.to_le_bytes());
    let error = file::open_bytes("baked", &broken, None)
        .expect_err("refused")
        .to_string();
    assert!(error.contains("do not match"), "{error}");
    // Any words give an error or valid vertices.
    for at in (0..file.len()).rev().step_by(997).take(400) {
        let mut broken = file.clone();
        broken[at] ^= 0xff;
        if let Ok(opened) = file::open_bytes("baked", &broken, None) {
            let slots = opened.model.skeleton.slots.len();
            let vertices = opened.model.lods.iter().flat_map(|l| &l.mesh.vertices);
            assert!(vertices.flat_map(|v| v.joints).all(|j| usize::from(j) < slots));
        }
    }
}

#[test]
fn exported_lods_are_meshes_of_their_own() {
    let model = levelled();
    let export = exported(&model);
    let json = glb::json(&export.character);
    let nodes = json["nodes"].as_array().expect("nodes");
    let lists = nodes
        .iter()
        .filter_map(|n| n["extensions"]["MSFT_lod"]["ids"].as_array());
    let ids: Vec<usize> = lists
        .flatten()
        .filter_map(|id| id.as_u64())
        .map(|id| id as usize)
        .collect();
    assert_eq!(ids.len(), 2);
    for (id, lod) in ids.into_iter().zip(&model.lods) {
        let mesh = nodes[id]["mesh"].as_u64().expect("a mesh") as usize;
        let primitives = json["meshes"][mesh]["primitives"].as_array().expect("primitives");
        let indices = primitives.iter().filter_map(|p| p["indices"].as_u64());
        let counts = indices.filter_map(|i| json["accessors"][i as usize]["count"].as_u64());
        assert_eq!(counts.sum::<u64>() as usize, lod.mesh.indices.len());
    }
    let description: serde_json::Value = serde_json::from_str(&export.description).expect("JSON");
    assert_eq!(description["levels"][1]["triangles"], model.lods[1].triangles());
    assert_eq!(description["levels"][1]["maxRows"], 7.25);
}
