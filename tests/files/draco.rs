//! Draco: primitives that the tests compress, samples, and damaged data.

use draco_core::{
    DataType, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, Mesh, MeshEncoder, PointAttribute,
    PointIndex,
};
use serde_json::json;
use throng::{file, model::Model};

use crate::common::{builder::Builder, samples};

/// A triangle strip of `count` points along +X as Draco data.
fn strip(count: usize) -> Vec<u8> {
    let mut mesh = Mesh::new();
    mesh.set_num_points(count);
    let mut positions = PointAttribute::new();
    positions.init(GeometryAttributeType::Position, 3, DataType::Float32, false, count);
    for point in 0..count {
        let place = [point as f32, (point % 2) as f32, 0.0];
        let bytes: Vec<u8> = place.iter().flat_map(|value| value.to_le_bytes()).collect();
        positions.buffer_mut().write(point * 12, &bytes);
    }
    mesh.add_attribute(positions);
    mesh.set_num_faces(count - 2);
    for face in 0..count - 2 {
        let [a, b, c] = if face % 2 == 0 {
            [face, face + 1, face + 2]
        } else {
            [face + 1, face, face + 2]
        };
        mesh.set_face(FaceIndex(face as u32), [a, b, c].map(|point| PointIndex(point as u32)));
    }
    let mut buffer = EncoderBuffer::new();
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    encoder.encode(&EncoderOptions::new(), &mut buffer).expect("encodes");
    buffer.data().to_vec()
}

fn file_of(data: &[u8], required: bool) -> Result<Model, file::ModelError> {
    let mut b = Builder::default();
    let view = b.view(data);
    let mut root = json!({
        "extensionsUsed": ["KHR_draco_mesh_compression"],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1,
            "extensions": {"KHR_draco_mesh_compression": {"bufferView": view, "attributes": {"POSITION": 0}}}}]}],
    });
    if required {
        root["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    }
    b.accessors
        .push(json!({"type": "VEC3", "componentType": 5126, "count": 6}));
    b.accessors
        .push(json!({"type": "SCALAR", "componentType": 5125, "count": 12}));
    b.open(root)
}

#[test]
fn compressed_primitives_are_read() {
    let model = file_of(&strip(6), true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(model.mesh.triangle_count(), 4);
    let bounds = model.mesh.bounds();
    assert!(
        bounds.min.abs_diff_eq(glam::Vec3::ZERO, 1e-3) && bounds.max.abs_diff_eq(glam::Vec3::new(5.0, 1.0, 0.0), 1e-3)
    );
}

#[test]
fn damaged_data_is_an_error_of_its_primitive() {
    let data = strip(40);
    for at in 0..data.len() {
        for value in [0, 0x7f, 0xff] {
            let mut broken = data.clone();
            broken[at] = value;
            if let Err(error) = file_of(&broken, true) {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
        let cut = file_of(&data[..at], true).expect_err("truncated").to_string();
        assert!(cut.contains("mesh 0, primitive 0"), "{cut}");
    }
}

#[test]
fn samples_open_with_their_skins() {
    let Some(folder) = samples() else { return };
    for (name, joints, clips) in [
        ("Astronaut_BarbaraTheBee.glb", 43, 18),
        ("Enemy_ExtraSmall.glb", 4, 8),
        ("Enemy_Flying.glb", 4, 8),
        ("DracoSparseMesh.gltf", 1, 0),
    ] {
        let model = file::open(&folder.join("draco").join(name))
            .unwrap_or_else(|error| panic!("{error}"))
            .model;
        println!(
            "{name}: {} joints, {} clips, {:?}, {:?}",
            model.skeleton.joints.len(),
            model.clips.len(),
            model.mesh.bounds(),
            model.all_notes().collect::<Vec<_>>()
        );
        assert!(
            model.skeleton.joints.len() >= joints && model.clips.len() == clips && model.mesh.triangle_count() > 50
        );
    }
}
