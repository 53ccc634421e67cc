//! Baked files against the Khronos glTF validator (npm `gltf-validator`), where
//! `THRONG_GLTF_VALIDATOR` names the folder of the installed module.

mod common;

use std::process::Command;

use throng::{
    atlas::{Atlas, AtlasFormat, VertexAtlas, file},
    bake::{self, BakeOptions},
    model::UnitSpace,
};

/// Prints the errors of every file named on the command line.
const SCRIPT: &str = r#"
const fs = require("fs");
const [module, ...files] = process.argv.slice(1);
const validator = require(module);
(async () => {
  for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    for (const message of report.issues.messages.filter((m) => m.severity === 0))
      console.log(file, message.code, message.pointer, message.message);
  }
  console.log("validated", files.length);
})();
"#;

#[test]
fn baked_files_are_valid() {
    let Some(module) = std::env::var_os("THRONG_GLTF_VALIDATOR") else {
        eprintln!("SKIPPED: set THRONG_GLTF_VALIDATOR to the folder of the npm module gltf-validator");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut models: Vec<_> = throng::assets::NAMES
        .iter()
        .map(|n| throng::scene::open_model(n).expect("loads").model)
        .collect();
    if let Some(samples) = common::samples() {
        models.extend(common::LOADABLE.iter().map(|file| common::load(&samples, file)));
    }
    let mut paths = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let palettes = bake::bake(model, &BakeOptions::default(), &|_| ()).expect("bakes");
        let space = UnitSpace::around(model.mesh.bounds());
        let atlas = Atlas::encode(&palettes, &space, AtlasFormat::ALL[index % 4]);
        let vertices = (index % 2 == 0).then(|| VertexAtlas::encode(model, &palettes));
        let path = folder.path().join(format!("{index}-{}.glb", model.name));
        std::fs::write(&path, file::to_bytes(model, &atlas, vertices.as_ref())).expect("written");
        paths.push(path);
    }
    let output = Command::new("node")
        .args(["-e", SCRIPT])
        .arg(module)
        .args(&paths)
        .output()
        .expect("node starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    println!("{said}");
    assert_eq!(
        said.trim(),
        format!("validated {}", paths.len()),
        "the validator finds errors"
    );
}
