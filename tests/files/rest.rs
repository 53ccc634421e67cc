//! Sizes are those of the posed rest, whatever the space in which a file stores its mesh.

use glam::Vec3;
use serde_json::json;
use throng::{
    atlas::{Atlas, AtlasFormat, verify},
    bake::{self, skinning},
    character::Character,
    file,
    model::{Bounds, Lod, Model, UnitSpace},
};

use crate::common::builder::Builder;

/// Corners of a box, and its triangles.
fn boxed(min: Vec3, max: Vec3) -> (Vec<f32>, Vec<u16>) {
    let corners = Bounds { min, max }.corners().into_iter().flat_map(|v| v.to_array());
    let faces = [
        0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
    ];
    (corners.collect(), faces.into())
}

/// A person of 0.5 x 1.8 x 0.3 m on the second joint, and a small tail on the first, whose node is scaled by `scale`.
/// Both are posed as they are meant: the tail's vertices are smaller by that scale.
fn with_scaled_joint(scale: f32) -> Model {
    let mut b = Builder::default();
    let (body, faces) = boxed(Vec3::new(-0.25, 0.0, -0.15), Vec3::new(0.25, 1.8, 0.15));
    let (tail, _) = boxed(Vec3::new(-0.05, 0.8, 0.1) / scale, Vec3::new(0.05, 0.9, 0.15) / scale);
    let positions = b.floats(&[tail, body].concat(), "VEC3", 3);
    let indices: Vec<u16> = faces.iter().copied().chain(faces.iter().map(|i| i + 8)).collect();
    let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    let indices = b.add(&bytes, 5123, "SCALAR", indices.len());
    let joints: Vec<u8> = [[0, 0, 0, 0]; 8]
        .into_iter()
        .chain([[1, 0, 0, 0]; 8])
        .flatten()
        .collect();
    let joints = b.add(&joints, 5121, "VEC4", 16);
    let weights = b.floats(&[1.0, 0.0, 0.0, 0.0].repeat(16), "VEC4", 4);
    let times = b.floats(&[0.0, 1.0, 2.0], "SCALAR", 1);
    let turns = b.floats(&[0., 0., 0., 1., 0., 0.06, 0., 0.998, 0., 0., 0., 1.], "VEC4", 4);
    b.load(json!({
        "scene": 0, "scenes": [{"nodes": [0, 1, 2]}],
        "nodes": [{"mesh": 0, "skin": 0}, {"name": "tail", "scale": [scale, scale, scale]}, {"name": "hips"}],
        "skins": [{"joints": [1, 2]}],
        "meshes": [{"primitives": [{"indices": indices,
            "attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}}]}],
        "animations": [{"name": "idle", "samplers": [{"input": times, "output": turns}],
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}]}]
    }))
}

/// The same person on one joint that is scaled and turned at rest against its bind pose, within a factor of two.
fn turned(scale: f32) -> Model {
    let mut model = with_scaled_joint(1.0);
    for joint in &mut model.skeleton.joints {
        joint.rest.scale *= scale;
    }
    model
}

#[test]
fn a_scaled_joint_changes_neither_height_nor_the_stored_size() {
    for scale in [1.0, 0.2, 5.0, 650.0, 1.0 / 650.0] {
        let model = with_scaled_joint(scale);
        assert!((model.height() - 1.8).abs() < 1e-4, "{scale}: {}", model.height());
        let stored = model.mesh.bounds().size();
        assert!(
            (stored - Vec3::new(0.5, 1.8, 0.3)).abs().max_element() < 1e-3,
            "{scale}: {stored}"
        );
        let character = Character::bake(model, &bake::BakeOptions::default()).expect("bakes");
        assert_eq!(character.crowd_scale(30), 1.0, "{scale}");
        assert!((character.largest_edge() - 1.8).abs() < 1e-4, "{scale}");
        let options = verify::VerifyOptions::default();
        let report = verify::verify(&character.model, &character.palettes, &[AtlasFormat::F16], &options);
        let worst = report.formats[0].worst_mm();
        assert!(worst < 1.8, "{scale}: {worst} mm");
    }
}

#[test]
fn height_follows_the_rest_where_the_mesh_has_another_size() {
    let model = turned(1.5);
    assert!(
        (model.mesh.bounds().size().y - 1.8).abs() < 1e-4,
        "stored as it was bound"
    );
    assert!((model.height() - 2.7).abs() < 1e-3, "{}", model.height());
    let posed = skinning::skin_exact(&model, None, 0.0);
    let posed = Bounds::of(posed.iter().map(|vertex| vertex.position));
    assert_eq!(posed.size(), model.rest_bounds().size());
}

/// A baked file of before has the unit space of its stored mesh, to which its LODs refer.
#[test]
fn baked_files_keep_their_unit_and_their_lods_are_measured_along_it() {
    let mut model = turned(1.5);
    model.lods = vec![Lod {
        mesh: model.mesh.clone(),
        max_sample_rows: 30.0,
        ..Lod::default()
    }];
    model.lods[0].mesh.indices.truncate(36);
    let palettes = bake::bake(&model, &bake::BakeOptions::default(), &|_| {}).expect("bakes");
    let of = |unit| {
        let atlas = Atlas::encode(&palettes, &unit, AtlasFormat::F16);
        let bytes = file::baked::to_bytes(&model, &atlas, None).expect("fits");
        file::open_bytes("old", &bytes, None).expect("opens")
    };
    for unit in [
        UnitSpace::around(model.mesh.bounds()),
        UnitSpace::around(model.rest_bounds()),
    ] {
        let opened = of(unit);
        assert_eq!(opened.atlas.expect("baked").unit, unit);
        let rows = opened.model.lods[0].max_sample_rows;
        assert!((rows - 30.0).abs() < 1e-3, "{rows}");
    }
}
