//! Baked files against the Khronos glTF validator (npm `gltf-validator`), where
//! `THRONG_GLTF_VALIDATOR` names the folder of the installed module.

use std::process::Command;

use throng::{
    atlas::{Atlas, AtlasFormat, baked_vertex::VertexAtlas},
    bake::{self, BakeOptions},
    file,
    model::UnitSpace,
};

use crate::common::{self, surfaces};

/// Script that prints the errors of every file named on the command line.
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
        let why = "THRONG_GLTF_VALIDATOR does not name the folder of the npm module gltf-validator";
        common::skip(common::Need::Validator, why);
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut models: Vec<_> = throng::scene::embedded::NAMES
        .iter()
        .map(|n| throng::scene::open_model(n).expect("loads").model)
        .collect();
    if let Some(samples) = common::samples() {
        models.extend(common::LOADABLE.iter().map(|file| common::load(&samples, file)));
    }
    let second = throng::model::TextureRef {
        second: true,
        wrap: [throng::model::TextureWrap::Mirror, throng::model::TextureWrap::Clamp],
        nearest: true,
        ..Default::default()
    };
    let every_texture = throng::model::Material {
        base_color_texture: surfaces::texture(0),
        normal_texture: Some(second),
        normal_scale: 0.5,
        metallic_roughness_texture: surfaces::texture(0),
        occlusion_texture: Some(second),
        emissive: glam::Vec3::new(3.0, 2.0, 1.0),
        emissive_texture: surfaces::texture(0),
        ..Default::default()
    };
    let image = surfaces::image("image", 4, |u, v| [(u * 255.0) as u8, (v * 255.0) as u8, 255, 255]);
    let mut textured = surfaces::quad(3, every_texture, vec![image]);
    for v in &mut textured.mesh.vertices {
        v.tangent = glam::Vec4::new(0.6, 0.8, 0.0, -1.0);
        v.uv1 = v.uv * 3.0;
    }
    let delta = throng::model::MorphDelta {
        vertex: 1,
        tangent: glam::Vec3::Y,
        ..Default::default()
    };
    textured.morphs = vec![throng::model::Morph {
        name: "bend".into(),
        rest: 0.0,
        deltas: vec![delta],
    }];
    models.push(textured);
    let mut paths = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let palettes = bake::bake(model, &BakeOptions::default(), &|_| ()).expect("bakes");
        let space = UnitSpace::around(model.mesh.bounds());
        let atlas = Atlas::encode(&palettes, &space, AtlasFormat::ALL[index % AtlasFormat::ALL.len()]);
        let vertices = (index % 2 == 0).then(|| VertexAtlas::encode(model, &palettes));
        let path = folder.path().join(format!("{index}-{}.glb", model.name));
        std::fs::write(
            &path,
            file::baked::to_bytes(model, &atlas, vertices.as_ref()).expect("fits"),
        )
        .expect("written");
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
