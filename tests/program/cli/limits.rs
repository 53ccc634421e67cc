//! Files that demand excessive resources: within a fixed amount of memory and time, each opens or is refused in one
//! line.

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};

use super::{temporary, text, triangle_gltf, write_json};

/// Address space of the program (KiB): threads and libraries take some hundred MiB of it.
const MEMORY_KIB: u64 = 3 << 20;
/// CPU time (s) that nothing here comes near, even unoptimised; other programs do not count.
const CPU_SECONDS: u64 = 90;
/// Time (s) after which the program is considered hung.
const SECONDS: u64 = 600;

/// Runs the program within the limits.
fn limited(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.current_dir(folder).env_remove("THRONG_LOG");
    command.arg("-c").arg(format!(
        "ulimit -v {MEMORY_KIB}; ulimit -t {CPU_SECONDS}; exec timeout {SECONDS} \"$@\""
    ));
    command.arg("sh").arg(env!("CARGO_BIN_EXE_throng")).args(arguments);
    command.output().expect("sh and timeout run")
}

/// The line that refuses a file.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = limited(folder, arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

fn opened(folder: &Path, arguments: &[&str]) -> String {
    let output = limited(folder, arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    text(&output.stdout)
}

/// The vane with a change.
fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut json = triangle_gltf();
    change(&mut json);
    json
}

#[test]
fn frames_times_joints_are_counted_before_they_are_baked() {
    let folder = temporary();
    let folder = folder.path();
    // 2,000 rigid triangles, one long clip: 65,521 frames of 2,000 matrices are 8.4 GB.
    let json = changed(|json| {
        let node = |i: usize| json!({"name": format!("j{i}"), "mesh": 0});
        json["nodes"] = (0..2000).map(node).collect();
        json["scenes"] = json!([{"nodes": (0..2000).collect::<Vec<_>>()}]);
        let channel = |i: usize| json!({"sampler": 0, "target": {"node": i, "path": "rotation"}});
        json["animations"][0]["channels"] = (0..2000).map(channel).collect();
        use base64::Engine as _;
        let times: Vec<u8> = [0.0_f32, 2184.0].iter().flat_map(|t| t.to_le_bytes()).collect();
        let data = base64::engine::general_purpose::STANDARD.encode(times);
        json["buffers"]
            .as_array_mut()
            .expect("a list")
            .push(json!({"byteLength": 8, "uri": format!("data:;base64,{data}")}));
        json["bufferViews"][1] = json!({"buffer": 1, "byteLength": 8});
    });
    write_json(folder, "long.gltf", &json);
    let said = refused(
        folder,
        &["bake", "long.gltf", "-o", "long.glb", "--rate", "30", "--samples", "0"],
    );
    assert!(
        said.contains("GiB") && said.contains("2000 joint matrices") && said.contains("Hz"),
        "{said}"
    );
    assert!(!folder.join("long.glb").exists());
}

#[test]
fn baked_vertices_are_counted_before_they_are_made() {
    let folder = temporary();
    let folder = folder.path();
    // 60,000 vertices in 60,001 frames: 29 GB.
    let json = changed(|json| {
        use base64::Engine as _;
        let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
        let positions: Vec<u8> = (0..180_000)
            .flat_map(|i| ((i * 7919 % 65_537) as f32).to_le_bytes())
            .collect();
        let times: Vec<u8> = [0.0_f32, 2000.0].iter().flat_map(|t| t.to_le_bytes()).collect();
        for bytes in [&positions, &times] {
            let uri = format!("data:;base64,{}", base64(bytes));
            let list = json["buffers"].as_array_mut().expect("a list");
            list.push(json!({"byteLength": bytes.len(), "uri": uri}));
        }
        json["bufferViews"][0] = json!({"buffer": 1, "byteLength": positions.len()});
        json["bufferViews"][1] = json!({"buffer": 2, "byteLength": 8});
        json["accessors"][0]["count"] = 60_000.into();
        json["meshes"][0]["primitives"][0]
            .as_object_mut()
            .expect("an object")
            .remove("indices");
    });
    write_json(folder, "many.gltf", &json);
    let bake = [
        "bake",
        "many.gltf",
        "-o",
        "many.glb",
        "--rate",
        "30",
        "--samples",
        "0",
        "--vertices",
    ];
    let said = refused(folder, &bake);
    assert!(said.contains("baked vertices") && said.contains("GiB"), "{said}");
}

#[test]
fn morph_targets_are_counted_for_every_node_that_shows_them() {
    let folder = temporary();
    let folder = folder.path();
    let json = changed(|json| {
        json["nodes"] = vec![json!({"mesh": 0}); 45_000].into();
        json["scenes"] = json!([{"nodes": (0..45_000).collect::<Vec<_>>()}]);
        json["meshes"][0]["primitives"][0]["targets"] = vec![json!({}); 166_000].into();
    });
    write_json(folder, "targets.gltf", &json);
    let said = refused(folder, &["info", "targets.gltf"]);
    assert!(said.contains("morph targets"), "{said}");
}

#[test]
fn primitives_without_vertices_are_counted_too() {
    let folder = temporary();
    let folder = folder.path();
    let json = changed(|json| {
        json["nodes"] = vec![json!({"mesh": 0}); 20_000].into();
        json["scenes"] = json!([{"nodes": (0..20_000).collect::<Vec<_>>()}]);
        json["accessors"]
            .as_array_mut()
            .expect("a list")
            .push(json!({"componentType": 5126, "count": 0, "type": "VEC3"}));
        json["meshes"][0]["primitives"] = vec![json!({"attributes": {"POSITION": 4}}); 20_000].into();
    });
    write_json(folder, "primitives.gltf", &json);
    let said = refused(folder, &["info", "primitives.gltf"]);
    assert!(said.contains("implausibly large"), "{said}");
}

#[test]
fn a_buffer_that_many_entries_share_is_read_once() {
    let folder = temporary();
    let folder = folder.path();
    std::fs::write(folder.join("a.bin"), vec![0; 1 << 20]).expect("written");
    let json = changed(|json| {
        let buffers = json["buffers"].as_array_mut().expect("a list");
        for name in ["a.bin", "./a.bin", "%61.bin"] {
            buffers.extend(vec![json!({"byteLength": 1 << 20, "uri": name}); 5000]);
        }
    });
    write_json(folder, "buffers.gltf", &json);
    assert!(opened(folder, &["info", "buffers.gltf"]).contains("vane"));
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_read() {
    let folder = temporary();
    let folder = folder.path();
    let made = Command::new("mkfifo").arg(folder.join("pipe.bin")).status();
    assert!(made.expect("mkfifo runs").success());
    let json = changed(|json| json["buffers"][0]["uri"] = "pipe.bin".into());
    write_json(folder, "buffer.gltf", &json);
    let said = refused(folder, &["info", "buffer.gltf"]);
    assert!(said.contains("not a regular file"), "{said}");
    let json = changed(|json| {
        json["images"] = json!([{"uri": "pipe.bin"}]);
        json["textures"] = json!([{"source": 0}]);
        json["materials"] = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
        json["meshes"][0]["primitives"][0]["material"] = 0.into();
    });
    write_json(folder, "image.gltf", &json);
    assert!(opened(folder, &["info", "image.gltf"]).contains("not a regular file"));
}

#[test]
fn objects_of_the_json_are_counted() {
    let folder = temporary();
    let folder = folder.path();
    let nodes = "{},".repeat(5_000_000);
    let json = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{nodes}{{}}]}}");
    std::fs::write(folder.join("nodes.gltf"), json).expect("written");
    let said = refused(folder, &["info", "nodes.gltf"]);
    assert!(said.contains("5000003 objects"), "{said}");
}

#[test]
fn accessors_larger_than_their_file_are_told_as_such() {
    let folder = temporary();
    let folder = folder.path();
    let json = changed(|json| {
        json["accessors"][0]["count"] = 1_000_000_000.into();
        json["accessors"][0]
            .as_object_mut()
            .expect("an object")
            .remove("bufferView");
    });
    write_json(folder, "huge.gltf", &json);
    let said = refused(folder, &["info", "huge.gltf"]);
    assert!(said.contains("declares 1000000000 elements"), "{said}");
}

/// Triangle that follows a joint.
fn skinned() -> Value {
    changed(|json| {
        use base64::Engine as _;
        let bytes: Vec<u8> = (0..3).flat_map(|_| [0_u8, 0, 0, 0, 255, 0, 0, 0]).collect();
        let uri = format!(
            "data:;base64,{}",
            base64::engine::general_purpose::STANDARD.encode(&bytes)
        );
        json["buffers"]
            .as_array_mut()
            .expect("a list")
            .push(json!({"byteLength": bytes.len(), "uri": uri}));
        let views = json["bufferViews"].as_array_mut().expect("a list");
        views.push(json!({"buffer": 1, "byteLength": 24, "byteStride": 8}));
        let accessors = json["accessors"].as_array_mut().expect("a list");
        accessors.push(json!({"bufferView": 4, "componentType": 5121, "count": 3, "type": "VEC4"}));
        accessors.push(
            json!({"bufferView": 4, "byteOffset": 4, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC4"}),
        );
        json["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0, "JOINTS_0": 4, "WEIGHTS_0": 5});
    })
}

#[test]
fn a_hundred_thousand_skinned_nodes_open_in_time() {
    let folder = temporary();
    let folder = folder.path();
    let mut json = skinned();
    json["skins"] = json!([{"joints": [0]}]);
    json["nodes"] = (0..100_001)
        .map(|i| {
            if i == 0 {
                json!({"name": "joint"})
            } else {
                json!({"mesh": 0, "skin": 0})
            }
        })
        .collect();
    json["scenes"] = json!([{"nodes": (0..100_001).collect::<Vec<_>>()}]);
    write_json(folder, "nodes.gltf", &json);
    let said = opened(folder, &["info", "nodes.gltf"]);
    assert!(said.contains("100000 triangles"), "{said}");
}

#[test]
fn ten_thousand_skins_of_one_joint_open_in_time() {
    let folder = temporary();
    let folder = folder.path();
    let mut json = skinned();
    let count = 30_000;
    // Inverse binds for each skin, all of them different.
    let matrix = |i: usize| -> [f32; 16] {
        std::array::from_fn(|e| match e {
            0 | 5 | 10 | 15 => 1.0,
            12 => i as f32,
            _ => 0.0,
        })
    };
    let bytes: Vec<u8> = (0..count).flat_map(matrix).flat_map(f32::to_le_bytes).collect();
    std::fs::write(folder.join("binds.bin"), &bytes).expect("written");
    json["buffers"]
        .as_array_mut()
        .expect("a list")
        .push(json!({"byteLength": bytes.len(), "uri": "binds.bin"}));
    json["bufferViews"]
        .as_array_mut()
        .expect("a list")
        .push(json!({"buffer": 2, "byteLength": bytes.len()}));
    let accessors = json["accessors"].as_array_mut().expect("a list");
    accessors
        .extend((0..count).map(
            |i| json!({"bufferView": 5, "byteOffset": 64 * i, "componentType": 5126, "count": 1, "type": "MAT4"}),
        ));
    json["skins"] = (0..count)
        .map(|i| json!({"joints": [0], "inverseBindMatrices": 6 + i}))
        .collect();
    json["nodes"] = (0..=count)
        .map(|i| {
            if i == 0 {
                json!({"name": "joint"})
            } else {
                json!({"mesh": 0, "skin": i - 1})
            }
        })
        .collect();
    json["scenes"] = json!([{"nodes": (0..=count).collect::<Vec<_>>()}]);
    write_json(folder, "skins.gltf", &json);
    assert!(opened(folder, &["info", "skins.gltf"]).contains("triangles"));
}

/// All files that a fuzzer found interesting: neither memory nor time runs out.
#[test]
fn the_hostile_corpus_stays_within_the_limits() {
    let folder = temporary();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let folders = std::fs::read_dir(corpus).expect("a corpus").flatten();
    let files = folders.flat_map(|f| std::fs::read_dir(f.path()).expect("a folder").flatten());
    let mut read = 0;
    for file in files {
        let path = file.path();
        let output = limited(folder.path(), &["info", &path.to_string_lossy()]);
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 2)),
            "{}: {code:?} {}",
            path.display(),
            text(&output.stderr)
        );
        read += 1;
    }
    assert!(read > 1, "{read} files");
}
