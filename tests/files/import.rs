//! Import of real characters (compared with reference extents), hand-built files and hostile files.

use std::path::Path;

use glam::Vec3;
use throng::{
    bake::skinning,
    file::{ModelError, gltf},
    model::{Bounds, Clip, MATERIAL_VARIANTS, Model, TintRegion},
};

use crate::common::{
    self,
    extents::{EXTENTS, Moment},
};

/// Extent at a moment. The references have all morph weights at 0, so the palette is applied to the mesh without morph
/// targets.
fn extent(model: &Model, moment: Moment) -> Vec3 {
    let clip: Option<&Clip> = moment.map(|(clip, _)| &model.clips[clip]);
    let time = moment.map_or(0.0, |(clip, t)| t - model.clips[clip].file_start);
    let palette = skinning::exact_palette(model, clip, time);
    Bounds::of(skinning::skin(&model.mesh, &palette).iter().map(|v| v.position)).size()
}

#[test]
fn extents_agree_with_the_reference() {
    let Some(folder) = common::samples() else {
        return;
    };
    let mut failures = 0;
    println!("{:<48} {:>8} {:>30} {:>30}  worst", "file", "time", "expected", "found");
    for (file, moment, expected) in EXTENTS {
        let model = common::load(&folder, file);
        let (found, expected) = (extent(&model, moment), Vec3::from(expected));
        let worst = ((found - expected).abs() / expected.max_element()).max_element();
        let time = moment.map_or("rest".into(), |(_, t)| format!("{t:.3} s"));
        let verdict = if worst < 0.01 { "" } else { "  FAIL" };
        println!(
            "{file:<48} {time:>8} {expected:>30.3} {found:>30.3}  {:.2} %{verdict}",
            worst * 100.0
        );
        failures += usize::from(worst >= 0.01);
    }
    assert_eq!(failures, 0, "extents differ by more than 1 %");
}

#[test]
fn every_sample_loads_or_is_refused_by_name() {
    let Some(folder) = common::samples() else {
        return;
    };
    println!(
        "{:<48} {:>6} {:>6} {:>6} {:>6} {:>5} {:>4} {:>4}",
        "file", "joints", "slots", "verts", "tris", "clips", "mat", "img"
    );
    for file in common::LOADABLE {
        let m = common::load(&folder, file);
        println!(
            "{file:<48} {:>6} {:>6} {:>6} {:>6} {:>5} {:>4} {:>4}",
            m.skeleton.joints.len(),
            m.skeleton.slots.len(),
            m.mesh.vertices.len(),
            m.mesh.triangle_count(),
            m.clips.len(),
            m.materials.len(),
            m.images.len()
        );
        m.notes.iter().for_each(|note| println!("    {note}"));
        check_invariants(&m);
    }
    #[cfg(feature = "draco")]
    compare_with_plain(&folder);
}

/// The compressed copy of a sample is that of its plain one, up to quantisation.
#[cfg(feature = "draco")]
fn compare_with_plain(folder: &Path) {
    let draco = gltf::load(&folder.join("CesiumMan-Draco/CesiumMan.gltf")).expect("opens");
    let plain = gltf::load(&folder.join("CesiumMan/CesiumMan.glb")).expect("opens");
    check_invariants(&draco);
    assert_eq!(draco.mesh.triangle_count(), plain.mesh.triangle_count());
    let (a, b) = (draco.mesh.bounds(), plain.mesh.bounds());
    assert!(
        a.min.distance(b.min) < 2e-3 && a.max.distance(b.max) < 2e-3,
        "{a:?} {b:?}"
    );
}

fn check_invariants(model: &Model) {
    for (i, joint) in model.skeleton.joints.iter().enumerate() {
        assert!(joint.parent.is_none_or(|p| (p as usize) < i), "parents come first");
    }
    let joints = model.skeleton.joints.len();
    let slots = model.skeleton.slots.len();
    assert!(slots > 0 && model.skeleton.slots.iter().all(|s| (s.joint as usize) < joints));
    for v in &model.mesh.vertices {
        assert!(v.position.is_finite() && (v.normal.length() - 1.0).abs() < 1e-4);
        assert!((v.weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(v.weights.windows(2).all(|w| w[0] >= w[1] - 1e-6) && v.weights[3] >= 0.0);
        assert!(v.joints.iter().all(|&j| usize::from(j) < slots));
        assert!(usize::from(v.material) < model.materials.len());
    }
    assert!(
        model
            .mesh
            .indices
            .iter()
            .all(|&i| (i as usize) < model.mesh.vertices.len())
    );
    for clip in &model.clips {
        assert!(clip.duration >= 0.0 && clip.channels.iter().all(|c| (c.joint as usize) < joints));
        for c in &clip.channels {
            assert!(!c.times.is_empty() && c.times.windows(2).all(|w| w[0] < w[1]) && c.times[0] >= 0.0);
        }
    }
}

#[test]
fn derived_files_match_their_origin() {
    let Some(folder) = common::samples() else {
        return;
    };
    let origin = common::load(&folder, "RiggedFigure/RiggedFigure.glb");
    for file in ["RiggedFigure_quantized.glb", "RiggedFigure_meshopt.glb"] {
        let derived = common::load(&folder, &format!("RiggedFigure-derived/{file}"));
        for t in [None, Some((0, 0.0)), Some((0, 0.3)), Some((0, 0.625)), Some((0, 1.0))] {
            let (a, b) = (extent(&origin, t), extent(&derived, t));
            let worst = ((a - b).abs() / a.max_element()).max_element();
            println!("{file} {t:?}: {:.3} %", worst * 100.0);
            assert!(worst < 0.005, "{file} {t:?}: {a} {b}");
        }
    }
}

#[test]
fn shared_skins_and_rigid_parts_share_slots() {
    let Some(folder) = common::samples() else {
        return;
    };
    for (file, most) in [("RobotExpressive/RobotExpressive.glb", 43), ("Knight/Knight.glb", 41)] {
        let model = common::load(&folder, file);
        assert!(
            model.skeleton.slots.len() <= most,
            "{file}: {} slots",
            model.skeleton.slots.len()
        );
    }
}

/// Strip on two joints, written by hand: the base of the files below.
fn tiny() -> serde_json::Value {
    let floats = |v: &[f32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut data = floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.]); // 0: positions
    data.extend([0_u8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9]); // 48: joints, two unused out of range
    data.extend([255_u8, 0, 0, 0, 255, 0, 0, 0, 127, 128, 0, 0, 100, 100, 0, 0]); // 64: weights
    data.extend([0_u16, 1, 2, 2, 1, 3].iter().flat_map(|i| i.to_le_bytes())); // 80: indices
    data.extend(floats(&[1.0, 2.0, 4.0])); // 92: times
    data.extend(floats(&[0., 0., 0., 0., 0., 2., 0., 0., 4.])); // 104: translations
    let length = data.len();
    use base64::Engine;
    let uri = base64::engine::general_purpose::STANDARD.encode(&data);
    serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0, 2]}],
        "nodes": [
            {"name": "hip", "children": [1], "scale": [100.0, 100.0, 100.0]},
            {"name": "knee", "children": [3]},
            {"mesh": 0, "skin": 0, "translation": [5.0, 5.0, 5.0]},
            {"name": "socket_foot", "translation": [0.0, -1.0, 0.0]}
        ],
        "skins": [{"joints": [0, 1]}],
        "meshes": [{"name": "strip", "primitives": [
            {"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
            "samplers": [{"input": 4, "output": 5}],
            "extras": {"throng": {"wrap": "once", "speed": 1.5, "events": [{"name": "step", "time": 0.5}]}}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 0, "byteOffset": 48, "componentType": 5121, "count": 4, "type": "VEC4"},
            {"bufferView": 0, "byteOffset": 64, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC4"},
            {"bufferView": 0, "byteOffset": 80, "componentType": 5123, "count": 6, "type": "SCALAR"},
            {"bufferView": 0, "byteOffset": 92, "componentType": 5126, "count": 3, "type": "SCALAR"},
            {"bufferView": 0, "byteOffset": 104, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": length}],
        "buffers": [{"byteLength": length, "uri": format!("data:application/octet-stream;base64,{uri}")}]
    })
}

fn load(json: &serde_json::Value) -> Result<Model, ModelError> {
    gltf::load_bytes("tiny.gltf", json.to_string().as_bytes(), None)
}

/// The tiny file with the value at a JSON pointer changed.
fn with(pointer: &str, value: serde_json::Value) -> serde_json::Value {
    let mut json = tiny();
    *json.pointer_mut(pointer).expect("the pointer exists") = value;
    json
}

#[test]
fn a_hand_written_file_is_read_completely() {
    let model = load(&tiny()).expect("loads");
    check_invariants(&model);
    let clip = &model.clips[0];
    assert_eq!(
        (clip.name.as_str(), clip.duration, clip.file_start),
        ("clip 0", 3.0, 1.0)
    );
    assert_eq!((clip.wrap, clip.speed), (throng::model::Wrap::Once, 1.5));
    assert_eq!(clip.events[0].name, "step");
    assert_eq!(model.materials[0].tints, [TintRegion::Whole; MATERIAL_VARIANTS]);
    // The mesh node's own translation is ignored, the scale above the joints is not.
    assert!((extent(&model, None) - Vec3::new(100.0, 100.0, 0.0)).length() < 1e-3);
    let skinned = skinning::skin_exact(&model, Some(clip), 1.0);
    let depth = skinned.iter().map(|v| v.position.z).fold(0.0, f32::max);
    assert!((depth - 200.0 * 128.0 / 255.0).abs() < 0.01, "{depth}");
    let socket = &model.skeleton.sockets[0];
    assert_eq!(socket.name, "foot");
    let palette = skinning::exact_palette(&model, Some(clip), 3.0);
    let placed = glam::Mat4::from(palette[socket.slot as usize]) * socket.mesh_from_socket;
    assert!((placed.w_axis.truncate() - Vec3::new(0.0, -100.0, 400.0)).length() < 1e-2);
}

#[test]
fn contradictions_are_named() {
    let cases = [
        ("/meshes/0/primitives/0/indices", 99.into(), "accessor 99"),
        ("/nodes/1/children", serde_json::json!([0]), "cycle"),
        ("/nodes/0/children", serde_json::json!([1, 1]), "two parents"),
        ("/nodes/2/mesh", 7.into(), "mesh 7"),
        ("/nodes/2/skin", 7.into(), "skin"),
        ("/skins/0/joints", serde_json::json!([0, 77]), "node 77"),
        ("/skins/0/joints", serde_json::json!([0]), "vertex 2: joint index 1"),
        ("/accessors/0/count", 4_000_000_000_000_u64.into(), "exceed"),
        ("/accessors/0/count", 400.into(), "exceed"),
        ("/accessors/1/byteOffset", 1000.into(), "exceed"),
        ("/accessors/3/componentType", 5126.into(), "float components"),
        ("/bufferViews/0/byteLength", 100_000.into(), "exceed"),
        (
            "/buffers/0/uri",
            "../../etc/passwd".into(),
            "was not loaded from a file",
        ),
        ("/asset/version", "1.0".into(), "glTF version is 1.0"),
        ("/animations/0/samplers/0/input", 50.into(), "accessor 50"),
        ("/animations/0/channels/0/sampler", 50.into(), "sampler 50"),
        ("/scene", 5.into(), "scene 5"),
        ("/meshes/0/primitives", serde_json::json!([]), "no triangles"),
    ];
    for (pointer, value, expected) in cases {
        let error = load(&with(pointer, value)).expect_err(pointer).to_string();
        println!("{error}");
        assert!(error.contains(expected), "{pointer}: {error}");
        assert!(!error.contains('\n'));
    }
}

/// KHR_animation_pointer writes such channels into otherwise valid files.
#[test]
fn channels_that_move_no_node_are_ignored() {
    let plain = load(&tiny()).expect("loads");
    let mut json = tiny();
    let channels = json["animations"][0]["channels"].as_array_mut().expect("channels");
    let pointer = serde_json::json!({"KHR_animation_pointer": {"pointer": "/materials/0/emissiveFactor"}});
    channels.insert(
        0,
        serde_json::json!({"sampler": 9, "target": {"path": "pointer", "extensions": pointer}}),
    );
    channels.push(serde_json::json!({"sampler": 0, "target": {"node": 0, "path": "pointer"}}));
    let model = load(&json).expect("loads");
    assert_eq!(model.clips, plain.clips);
    let note = "2 animation channels do not target nodes";
    assert!(model.notes.iter().any(|n| n.contains(note)), "{:?}", model.notes);
    // Other errors are still reported.
    json["nodes"][0]["name"] = 7.into();
    let error = load(&json).expect_err("refused").to_string();
    assert!(error.contains("invalid JSON: invalid type"), "{error}");
}

/// Joints without weights do not skin a primitive; it follows its own, moving node.
#[test]
fn joints_without_weights_leave_a_primitive_rigid() {
    let mut json = tiny();
    let attributes = json["meshes"][0]["primitives"][0]["attributes"].as_object_mut();
    attributes.expect("attributes").remove("WEIGHTS_0").expect("weights");
    json["nodes"][2]["translation"] = serde_json::json!([5.0, 6.0, 7.0]);
    json["nodes"][0]["children"] = serde_json::json!([1, 4]);
    json["nodes"]
        .as_array_mut()
        .expect("nodes")
        .push(serde_json::json!({"children": [2]}));
    json["scenes"][0]["nodes"] = serde_json::json!([0]);
    json["animations"][0]["channels"][0]["target"]["node"] = 2.into();
    let model = load(&json).expect("loads");
    let place = |clip, time| skinning::skin_exact(&model, clip, time)[0].position;
    let carrier = model.skeleton.slots[usize::from(model.mesh.vertices[0].joints[0])].joint;
    assert!((place(None, 0.0) - 100.0 * Vec3::new(5.0, 6.0, 7.0)).length() < 0.01);
    // The clip's keys replace the node's own translation: (0, 0, 2) after 1 s.
    assert!((place(Some(&model.clips[0]), 1.0) - Vec3::new(0.0, 0.0, 200.0)).length() < 0.01);
    assert_eq!(
        model.skeleton.joints[carrier as usize].rest.translation,
        Vec3::new(5.0, 6.0, 7.0)
    );
}

#[test]
fn unknown_required_extensions_are_refused_by_name() {
    let mut json = tiny();
    json["extensionsRequired"] = serde_json::json!(["VENDOR_secret_sauce"]);
    let error = load(&json).expect_err("refused").to_string();
    assert!(
        error.contains("VENDOR_secret_sauce") && error.contains("tiny.gltf"),
        "{error}"
    );
    assert!(error.contains("export the character without the extension"), "{error}");
}

/// Blender writes a scene without `nodes` for every scene that is empty.
#[test]
fn scenes_without_nodes_are_legal() {
    let mut json = tiny();
    let scenes = json["scenes"].as_array_mut().expect("scenes");
    scenes.insert(0, serde_json::json!({"name": "empty"}));
    json["scene"] = 1.into();
    let model = load(&json).expect("opens");
    assert_eq!(
        model.mesh.triangle_count(),
        load(&tiny()).expect("opens").mesh.triangle_count()
    );
}

#[test]
fn files_of_version_1_and_of_clips_alone_are_named() {
    let first = br#"{"asset": {"version": "1.0"}, "meshes": {"a": {}}}"#;
    let error = gltf::load_bytes("old.gltf", first, None)
        .expect_err("refused")
        .to_string();
    assert!(error.contains("glTF version is 1.0; export it as glTF 2.0"), "{error}");
    let mut json = tiny();
    for node in json["nodes"].as_array_mut().expect("nodes") {
        node.as_object_mut().expect("a node").remove("mesh");
    }
    let error = load(&json).expect_err("refused").to_string();
    assert!(error.contains("--animations"), "{error}");
}

#[test]
fn extensions_without_geometry_or_animation_may_be_required() {
    for extension in [
        "VRMC_vrm",
        "KHR_xmp_json_ld",
        "KHR_animation_pointer",
        "KHR_materials_transmission",
        "EXT_mesh_gpu_instancing",
        "MSFT_lod",
        "FB_ngon_encoding",
        "KHR_texture_basisu",
    ] {
        let mut json = tiny();
        json["extensionsRequired"] = serde_json::json!([extension]);
        load(&json).unwrap_or_else(|e| panic!("{extension}: {e}"));
    }
}

#[test]
fn specular_glossiness_is_drawn_as_base_color_and_roughness() {
    let mut json = tiny();
    let glossy = serde_json::json!({"diffuseFactor": [0.5, 0.25, 0.125, 1.0], "glossinessFactor": 0.3});
    json["materials"] = serde_json::json!([{"extensions": {"KHR_materials_pbrSpecularGlossiness": glossy}}]);
    json["meshes"][0]["primitives"][0]["material"] = 0.into();
    let material = &load(&json).expect("opens").materials[0];
    assert_eq!(material.base_color.to_array(), [0.5, 0.25, 0.125, 1.0]);
    assert_eq!((material.metallic, material.roughness), (0.0, 0.7));
}

/// Exporters on Windows write backslashes, absolute paths and names in another case.
#[test]
fn files_are_found_by_the_uris_of_other_systems() {
    use base64::Engine;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("Data")).expect("created");
    let uri = tiny()["buffers"][0]["uri"].as_str().expect("a uri").to_owned();
    let (_, body) = uri.split_once(',').expect("a data URI");
    let bytes = base64::engine::general_purpose::STANDARD.decode(body).expect("base64");
    std::fs::write(folder.path().join("Data/Tiny Box.bin"), bytes).expect("written");
    for (uri, notes) in [
        ("Data/Tiny%20Box.bin", 0),
        ("Data\\Tiny Box.bin", 0),
        ("Data/../Data/Tiny Box.bin", 0),
        ("data/TINY box.bin", 1),
        ("C:\\Users\\somebody\\Data\\Tiny Box.bin", 1),
        ("C:/Data/tiny%20box.BIN", 1),
    ] {
        let path = folder.path().join("model.gltf");
        std::fs::write(&path, with("/buffers/0/uri", uri.into()).to_string()).expect("written");
        let model = gltf::load(&path).unwrap_or_else(|e| panic!("{uri}: {e}"));
        let found = model.notes.iter().filter(|note| note.contains("Tiny Box.bin")).count();
        assert_eq!(found, notes, "{uri}: {:?}", model.notes);
    }
}

#[test]
fn nothing_outside_the_folder_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("model");
    std::fs::create_dir(&inner).expect("created");
    std::fs::write(folder.path().join("secret.bin"), [0; 256]).expect("written");
    let mut uris = vec![
        "../secret.bin".to_owned(),
        "%2e%2e/secret.bin".into(),
        "..\\secret.bin".into(),
        "http://example.com/a.bin".into(),
    ];
    uris.push(folder.path().join("secret.bin").display().to_string());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path().join("secret.bin"), inner.join("link.bin")).expect("linked");
        uris.push("link.bin".into());
    }
    for uri in uris {
        let path = inner.join("model.gltf");
        std::fs::write(&path, with("/buffers/0/uri", uri.clone().into()).to_string()).expect("written");
        let error = gltf::load(&path).expect_err(&uri).to_string();
        assert!(error.contains("outside the model's folder"), "{error}");
    }
}

#[test]
fn broken_containers_are_named() {
    let refuse = |bytes: &[u8]| gltf::load_bytes("x.glb", bytes, None).expect_err("refused").to_string();
    assert!(refuse(b"").contains("empty"));
    assert!(refuse(b"hello").contains("starts neither"));
    assert!(refuse(b"glTF\x01\0\0\0\x0c\0\0\0").contains("version is 1"));
    assert!(refuse(b"glTF\x02\0\0\0\xff\0\0\0").contains("truncated"));
    assert!(refuse(b"{}").contains("JSON"));
    assert!(
        gltf::load(Path::new("no/such/file.glb"))
            .expect_err("refused")
            .to_string()
            .contains("cannot read")
    );
}

#[test]
fn truncated_samples_never_panic() {
    let Some(folder) = common::samples() else {
        return;
    };
    for file in [
        "Fox/Fox.glb",
        "RiggedFigure-derived/RiggedFigure_meshopt.glb",
        "SimpleSkin/SimpleSkin.gltf",
    ] {
        let bytes = std::fs::read(folder.join(file)).expect("read");
        for i in 0..60 {
            let cut = bytes.len() * i / 60;
            assert!(
                gltf::load_bytes(file, &bytes[..cut], None).is_err(),
                "{file} cut at {cut}"
            );
        }
    }
}

mod flipped {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn tiny_json_never_panics(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
            let mut bytes = tiny().to_string().into_bytes();
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let _ = gltf::load_bytes("flipped", &bytes, None);
        }

        #[test]
        fn real_files_never_panic(which in 0_usize..2, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
            let Some(folder) = std::env::var_os("THRONG_SAMPLES") else { return Ok(()) };
            let file = ["RiggedFigure-derived/RiggedFigure_meshopt.glb", "RiggedFigure-derived/RiggedFigure_quantized.glb"][which];
            let mut bytes = std::fs::read(Path::new(&folder).join(file)).expect("read");
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let _ = gltf::load_bytes("flipped", &bytes, None);
        }
    }
}
