//! glTF features that the samples lack, in files built here.

use glam::{Vec2, Vec3, Vec4};
use serde_json::{Value, json};
use throng::{
    bake::skinning,
    model::{Bounds, Keys, Model},
};

use crate::common::builder::{Builder, SQUARE, one_mesh};

/// Signed area of the triangles seen from +Z, positive for counter-clockwise ones.
fn signed_area(model: &Model) -> f32 {
    let p = |i: u32| model.mesh.vertices[i as usize].position;
    let area = |t: &[u32]| (p(t[1]) - p(t[0])).cross(p(t[2]) - p(t[0])).z * 0.5;
    model.mesh.indices.chunks_exact(3).map(area).sum()
}

#[test]
fn strips_and_fans_keep_their_winding() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let strip = b.load(one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5})));
    assert_eq!((strip.mesh.triangle_count(), signed_area(&strip)), (2, 1.0));
    assert!(strip.mesh.vertices.iter().all(|v| v.normal == Vec3::Z));

    let mut b = Builder::default();
    let positions = b.floats(&[0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.], "VEC3", 3);
    let fan = b.load(one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 6})));
    assert_eq!((fan.mesh.triangle_count(), signed_area(&fan)), (2, 1.0));
}

#[test]
fn mirrored_nodes_keep_their_faces_outside() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5}));
    root["nodes"][0]["scale"] = json!([-1.0, 1.0, 1.0]);
    let model = b.load(root);
    assert_eq!(signed_area(&model), 1.0);
    assert!(
        model
            .mesh
            .vertices
            .iter()
            .all(|v| v.normal == Vec3::Z && v.position.x <= 0.0)
    );
}

#[test]
fn sparse_accessors_replace_and_stand_alone() {
    let mut b = Builder::default();
    let indices = b.view(&[3, 0]);
    let values = b.view(
        &[5.0_f32, 6.0, 7.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<_>>(),
    );
    let sparse = json!({
        "count": 1,
        "indices": {"bufferView": indices, "componentType": 5121},
        "values": {"bufferView": values},
    });
    let positions = b.floats(&SQUARE, "VEC3", 3);
    b.accessors[positions]["sparse"] = sparse.clone();
    let model = b.load(one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5})));
    assert_eq!(model.mesh.bounds().max, Vec3::new(5.0, 6.0, 7.0));

    let mut b = Builder::default();
    b.view(&[1, 2]);
    let values = [1.0_f32, 0.0, 0.0, 5.0, 6.0, 7.0];
    b.view(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
    let mut sparse = sparse;
    sparse["count"] = 2.into();
    b.accessors
        .push(json!({"componentType": 5126, "type": "VEC3", "count": 3, "sparse": sparse}));
    let zeros = b.load(one_mesh(json!({"attributes": {"POSITION": 0}})));
    assert_eq!(zeros.mesh.bounds().min, Vec3::ZERO);
    assert_eq!(zeros.mesh.bounds().max, Vec3::new(5.0, 6.0, 7.0));
}

#[test]
fn quantised_attributes_and_strides() {
    let mut b = Builder::default();
    // i16 normalised positions with a stride of 8.
    let corners = [
        [0_i16, 0, 0, 9],
        [32767, 0, 0, 9],
        [0, 32767, 0, 9],
        [-32768, 32767, 0, 9],
    ];
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let positions = b.add(&bytes, 5122, "VEC3", 4);
    b.accessors[positions]["normalized"] = true.into();
    b.views[0]["byteStride"] = 8.into();
    let colors = b.add(
        &[255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 51, 102, 204, 0],
        5121,
        "VEC4",
        4,
    );
    b.accessors[colors]["normalized"] = true.into();
    let uvs: Vec<u8> = [0_u16, 0, 65535, 0, 0, 65535, 65535, 65535]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let uvs = b.add(&uvs, 5123, "VEC2", 4);
    b.accessors[uvs]["normalized"] = true.into();
    let attributes = json!({"POSITION": positions, "COLOR_0": colors, "TEXCOORD_0": uvs});
    let model = b.load(one_mesh(json!({"attributes": attributes, "mode": 5})));
    assert_eq!(
        model.mesh.bounds(),
        Bounds {
            min: Vec3::new(-1.0, 0.0, 0.0),
            max: Vec3::new(1.0, 1.0, 0.0)
        }
    );
    let corner = model
        .mesh
        .vertices
        .iter()
        .find(|v| v.position.x == -1.0)
        .expect("the corner");
    assert!(corner.color.abs_diff_eq(Vec4::new(0.2, 0.4, 0.8, 1.0), 1e-6) && corner.uv == Vec2::ONE);
}

/// Six influences in two sets: the four largest stay, and the error of that is known.
#[test]
fn more_than_four_influences_are_reduced() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let first = b.add(&[0, 1, 2, 3].repeat(4), 5121, "VEC4", 4);
    let second = b.add(&[4, 5, 0, 0].repeat(4), 5121, "VEC4", 4);
    let weights_0 = b.floats(&[0.30, 0.25, 0.20, 0.05].repeat(4), "VEC4", 4);
    let weights_1 = b.floats(&[0.15, 0.05, 0.0, 0.0].repeat(4), "VEC4", 4);
    let times = b.floats(&[0.0, 1.0], "SCALAR", 1);
    let keys = b.floats(&[0., 0., 0., 0., 0., 10.], "VEC3", 3);
    let attributes = json!({"POSITION": positions, "JOINTS_0": first, "JOINTS_1": second,
        "WEIGHTS_0": weights_0, "WEIGHTS_1": weights_1});
    let mut nodes: Vec<Value> = (0..6).map(|i| json!({"name": format!("j{i}")})).collect();
    nodes.push(json!({"mesh": 0, "skin": 0}));
    let model = b.load(json!({
        "nodes": nodes,
        "skins": [{"joints": [0, 1, 2, 3, 4, 5]}],
        "meshes": [{"primitives": [{"attributes": attributes, "mode": 5}]}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 5, "path": "translation"}}],
            "samplers": [{"input": times, "output": keys}]}],
    }));
    let v = model.mesh.vertices[0];
    let kept = 0.30 + 0.25 + 0.20 + 0.15;
    assert!(
        v.weights
            .iter()
            .zip([0.30, 0.25, 0.20, 0.15])
            .all(|(w, e)| (w - e / kept).abs() < 1e-6)
    );
    assert_eq!(model.reduced.len(), 4);
    assert_eq!(model.reduced[0].influences.len(), 6);
    // Only the dropped joint moves, by 10 m with weight 0.05: half a metre is lost.
    let palettes = throng::bake::bake(&model, &Default::default(), &|_| ()).expect("bakes");
    let report = throng::atlas::verify(&model, &palettes, &[], &Default::default());
    assert!(
        (report.influences.worst_mm - 500.0).abs() < 1.0,
        "{}",
        report.influences.worst_mm
    );
}

/// Two skins over the same joints, in either order, with u16 joints and normalised u16 weights.
#[test]
fn skins_that_share_joints_share_slots() {
    let mut b = Builder::default();
    let words = |v: &[u16]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let joints = b.add(&words(&[0, 1, 0, 0].repeat(4)), 5123, "VEC4", 4);
    let weights = b.add(&words(&[16384, 49151, 0, 0].repeat(4)), 5123, "VEC4", 4);
    b.accessors[weights]["normalized"] = true.into();
    let times = b.floats(&[0.0, 1.0], "SCALAR", 1);
    let keys = b.floats(&[0., 0., 0., 0., 0., 8.], "VEC3", 3);
    let attributes = json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
    let model = b.load(json!({
        "nodes": [{"name": "a"}, {"name": "b"}, {"mesh": 0, "skin": 0}, {"mesh": 0, "skin": 1}],
        "skins": [{"joints": [0, 1]}, {"joints": [1, 0]}],
        "meshes": [{"primitives": [{"attributes": attributes, "mode": 5}]}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
            "samplers": [{"input": times, "output": keys}]}],
    }));
    assert_eq!(model.skeleton.slots.len(), 2);
    // One mesh follows the moving joint with weight 0.75, the other one with weight 1.
    let mut depths: Vec<f32> = skinning::skin_exact(&model, model.clips.first(), 1.0)
        .iter()
        .map(|v| v.position.z)
        .collect();
    depths.sort_by(f32::total_cmp);
    let near = |z: f32, expected: f32| (z - expected).abs() < 1e-3;
    assert!(
        depths.len() == 8 && depths[..4].iter().all(|&z| near(z, 2.0)),
        "{depths:?}"
    );
    assert!(depths[4..].iter().all(|&z| near(z, 6.0)), "{depths:?}");
}

/// A rigid file without any animation: one frame, written and read like any other.
#[test]
fn files_without_skin_and_animation_bake_to_a_pose() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5}));
    root["nodes"][0]["translation"] = json!([0.0, 3.0, 0.0]);
    let model = b.load(root);
    assert!(
        model.notes.iter().any(|n| n.contains("no skin")) && model.notes.iter().any(|n| n.contains("no animation"))
    );
    let palettes = throng::bake::bake(&model, &Default::default(), &|_| ()).expect("bakes");
    assert_eq!((palettes.frame_count, palettes.clips.len()), (1, 1));
    let space = throng::model::UnitSpace::around(model.mesh.bounds());
    let atlas = throng::atlas::Atlas::encode(&palettes, &space, throng::atlas::AtlasFormat::F16);
    let bytes = throng::file::baked::to_bytes(&model, &atlas, None).expect("fits");
    let back = throng::file::open_bytes("still.glb", &bytes, None).expect("opens");
    assert!(back.model.mesh == model.mesh && back.atlas.expect("baked").frame_count == 1);
    let top = skinning::skin_exact(&back.model, None, 0.0)
        .iter()
        .map(|v| v.position.y)
        .fold(0.0, f32::max);
    assert_eq!(top, 4.0);
}

/// Vertices without weights follow the first joint of the skin, whichever joint the file names.
#[test]
fn weights_that_are_zero_follow_the_first_joint() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let joints = b.add(&[1; 16], 5121, "VEC4", 4);
    let weights = b.floats(&[0.0; 16], "VEC4", 4);
    let attributes = json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
    let model = b.load(json!({
        "nodes": [{"translation": [0, 0, 3]}, {}, {"mesh": 0, "skin": 0}],
        "skins": [{"joints": [0, 1]}],
        "meshes": [{"primitives": [{"attributes": attributes, "mode": 5}]}],
    }));
    assert!(model.notes.iter().any(|n| n.contains("no weights")));
    let skinned = skinning::skin_exact(&model, None, 0.0);
    assert!(skinned.iter().all(|v| v.position.z == 3.0));
}

#[test]
fn static_morph_weights_shape_the_mesh() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let up = b.floats(&[0., 0., 2.].repeat(4), "VEC3", 3);
    let right = b.floats(&[4., 0., 0.].repeat(4), "VEC3", 3);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5,
        "targets": [{"POSITION": up}, {"POSITION": right}]}));
    root["meshes"][0]["weights"] = json!([0.5, 0.0]);
    let model = b.load(root);
    assert_eq!(
        model.mesh.bounds(),
        Bounds {
            min: Vec3::Z,
            max: Vec3::ONE
        }
    );
}

/// Keys at the same time: the last one counts. Values past the last key are ignored, in every kind of channel.
#[test]
fn keys_at_the_same_time_keep_the_last() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let times = b.floats(&[0.0, 1.0, 1.0, 2.0], "SCALAR", 1);
    let weights = b.floats(&[0.0, 0.25, 0.75, 1.0, 9.0], "SCALAR", 1);
    let places = b.floats(&[0., 0., 0., 0., 0., 1., 0., 0., 3., 0., 0., 4., 9., 9., 9.], "VEC3", 3);
    let mut root = one_mesh(json!({"attributes": {"POSITION": positions}, "mode": 5,
        "targets": [{"POSITION": positions}]}));
    root["animations"] = json!([{
        "channels": [
            {"sampler": 0, "target": {"node": 0, "path": "weights"}},
            {"sampler": 1, "target": {"node": 0, "path": "translation"}}],
        "samplers": [{"input": times, "output": weights}, {"input": times, "output": places}]}]);
    let clip = &b.load(root).clips[0];
    assert_eq!(clip.morphs[0].times, [0.0, 1.0, 2.0]);
    assert_eq!(clip.morphs[0].values, [0.0, 0.75, 1.0]);
    assert_eq!(clip.channels[0].times, [0.0, 1.0, 2.0]);
    let expected = [Vec3::ZERO, Vec3::Z * 3.0, Vec3::Z * 4.0].to_vec();
    assert_eq!(clip.channels[0].keys, Keys::Translation(expected));
}

/// Elements of up to 256 bytes, as meshopt packs interleaved attributes.
#[test]
fn meshopt_elements_of_every_size_are_read() {
    for words in [3, 16, 17, 24, 64] {
        let rows: Vec<f32> = SQUARE
            .chunks_exact(3)
            .flat_map(|p| p.iter().copied().chain((3..words).map(|i| i as f32)))
            .collect();
        let packed = match words {
            3 => pack::<3>(&rows),
            16 => pack::<16>(&rows),
            17 => pack::<17>(&rows),
            24 => pack::<24>(&rows),
            _ => pack::<64>(&rows),
        };
        let mut b = Builder::default();
        let view = b.view(&packed);
        let stride = 4 * words;
        b.views[view]["byteStride"] = stride.into();
        b.views[view]["extensions"]["EXT_meshopt_compression"] = json!({
            "buffer": 0, "byteOffset": 0, "byteLength": packed.len(),
            "byteStride": stride, "count": 4, "mode": "ATTRIBUTES"});
        b.accessors
            .push(json!({"bufferView": view, "componentType": 5126, "type": "VEC3", "count": 4}));
        let model = b.load(one_mesh(json!({"attributes": {"POSITION": 0}, "mode": 5})));
        assert_eq!(signed_area(&model), 1.0, "{words} words");
    }
}

fn pack<const N: usize>(rows: &[f32]) -> Vec<u8> {
    meshopt::encoding::encode_vertex_buffer(rows.as_chunks::<N>().0).expect("packs")
}

/// Two targets, one of them animated by a spline, on a mirrored node among others.
#[test]
fn animated_morph_weights_are_baked() {
    let mut b = Builder::default();
    let positions = b.floats(&SQUARE, "VEC3", 3);
    let normals = b.floats(&[0., 0., 1.].repeat(4), "VEC3", 3);
    let still = b.floats(&[0., 7., 0.].repeat(4), "VEC3", 3);
    let wave = b.floats(&[0., 0., 0., 0., 0., 0., 4., 0., 0., 0., 0., 0.], "VEC3", 3);
    let bend = b.floats(&[0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0.], "VEC3", 3);
    let times = b.floats(&[1.0, 3.0], "SCALAR", 1);
    // Per key: in-tangents, values, out-tangents of (still, wave).
    let keys = b.floats(&[0., 0., 0., 1., 0., 2., 0., -1., 0., 4., 0., 0.], "SCALAR", 1);
    let attributes = json!({"POSITION": positions, "NORMAL": normals});
    let model = b.load(json!({
        "nodes": [{"mesh": 0, "scale": [-2.0, 2.0, 2.0]}],
        "meshes": [{"extras": {"targetNames": ["still", "wave"]}, "primitives": [{"attributes": attributes, "mode": 5,
            "targets": [{"POSITION": still}, {"POSITION": wave, "NORMAL": bend}]}]}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
            "samplers": [{"input": times, "output": keys, "interpolation": "CUBICSPLINE"}]}],
    }));
    assert_eq!(model.morphs.len(), 1);
    assert_eq!(
        (model.morphs[0].name.as_str(), model.morphs[0].deltas.len()),
        ("wave", 1)
    );
    let clip = &model.clips[0];
    assert_eq!((clip.duration, clip.file_start), (2.0, 1.0));
    // Middle of the spline, as in the test of joint channels: 3.25.
    let skinned = skinning::skin_exact(&model, Some(clip), 1.0);
    let reach = skinned.iter().map(|v| v.position.x).fold(f32::INFINITY, f32::min);
    assert!((reach - 3.25 * 4.0 * -2.0).abs() < 1e-4, "{reach}");
    let bent = skinned.iter().find(|v| v.position.x < -5.0).expect("the moved corner");
    let expected = Vec3::new(-3.25, 0.0, 1.0).normalize();
    assert!(bent.normal.abs_diff_eq(expected, 1e-5), "{}", bent.normal);

    let palettes = throng::bake::bake(&model, &Default::default(), &|_| ()).expect("bakes");
    assert_eq!(palettes.morph_weights.len(), palettes.frame_count);
    assert!((palettes.frame_morphs(palettes.frame_count / 2)[0] - 3.25).abs() < 1e-4);
    assert!(palettes.clips[0].bounds.min.x <= reach);
    let vertices = throng::atlas::baked_vertex::VertexAtlas::encode(&model, &palettes);
    let middle = palettes.frame_count / 2;
    let moved = (0..4)
        .map(|v| vertices.vertex(0, middle, v).position.x)
        .fold(f32::INFINITY, f32::min);
    let unit = (reach - vertices.unit.centre.x) / vertices.unit.half_extent;
    assert!((moved - unit).abs() < 1e-3, "{moved} {unit}");
    let report = throng::atlas::verify(
        &model,
        &palettes,
        &[throng::atlas::AtlasFormat::F32],
        &Default::default(),
    );
    assert!(
        report.resampling.worst_mm < 30.0 && report.formats[0].total_at_frames.worst_mm < 1.0,
        "{report}"
    );
}
