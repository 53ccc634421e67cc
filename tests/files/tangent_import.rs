//! Tangents of files: read, checked, or computed where a normal map has none.

use glam::{Vec3, Vec4};
use throng::{
    file::{Glb, gltf},
    model::{Material, Model, Vertex},
};

use crate::common::{glb, surfaces};

/// The quad, written to a file without tangents and read back.
fn imported(change: impl FnOnce(&mut Model)) -> Model {
    let material = Material {
        normal_texture: surfaces::texture(0),
        ..Material::default()
    };
    let flat = surfaces::image("flat", 2, |_, _| [128, 128, 255, 255]);
    let mut model = surfaces::quad(2, material, vec![flat]);
    change(&mut model);
    gltf::load_bytes("quad.glb", &Glb::new(&model).finish().expect("fits"), None).expect("loads")
}

#[test]
fn missing_tangents_are_computed_and_split_where_they_differ() {
    let plain = imported(|_| ());
    assert!(
        plain.notes.iter().any(|n| n.contains("without tangents")),
        "{:?}",
        plain.notes
    );
    assert_eq!(plain.mesh.vertices.len(), 9);
    for v in &plain.mesh.vertices {
        assert!(v.tangent.abs_diff_eq(Vec4::new(1.0, 0.0, 0.0, 1.0), 1e-5), "{v:?}");
    }
    // The right half shows the mirror image of the left half.
    let mirrored = imported(|m| {
        m.mesh
            .vertices
            .iter_mut()
            .for_each(|v| v.uv.x = 0.5 - (v.uv.x - 0.5).abs())
    });
    let middle: Vec<_> = mirrored
        .mesh
        .vertices
        .iter()
        .filter(|v| v.position.x.abs() < 1e-6)
        .collect();
    assert_eq!(
        (mirrored.mesh.vertices.len(), middle.len()),
        (12, 6),
        "the seam is not split"
    );
    for v in &mirrored.mesh.vertices {
        let bitangent = v.normal.cross(v.tangent.truncate()) * v.tangent.w;
        assert!(
            bitangent.abs_diff_eq(Vec3::Y, 1e-5),
            "the bitangent does not point up: {v:?}"
        );
        assert!(v.position.x.abs() < 1e-6 || v.tangent.x.signum() == -v.position.x.signum());
    }
    // Without a normal map no tangents are computed, and vertices stay small.
    let unused = imported(|m| m.materials[0].normal_texture = None);
    assert!(!unused.mesh.has_tangents());
    // A mesh with degenerate texture coordinates gets arbitrary tangents of unit length.
    let degenerate = imported(|m| m.mesh.vertices.iter_mut().for_each(|v| v.uv = glam::Vec2::ZERO));
    for v in &degenerate.mesh.vertices {
        assert!(
            (v.tangent.truncate().length() - 1.0).abs() < 1e-5 && v.tangent.w.abs() == 1.0,
            "{v:?}"
        );
    }
}

/// A wrong number of stored tangents is an error that says so; tangents of zero length are replaced.
#[test]
fn stored_tangents_are_checked() {
    let written = |change: fn(&mut serde_json::Value)| {
        let material = Material {
            normal_texture: surfaces::texture(0),
            ..Material::default()
        };
        let flat = surfaces::image("flat", 2, |_, _| [128, 128, 255, 255]);
        let mut model = surfaces::quad(1, material, vec![flat]);
        model
            .mesh
            .vertices
            .iter_mut()
            .for_each(|v| v.tangent = Vec4::new(0.0, 2.0, 0.0, -1.0));
        model.mesh.vertices[0].tangent = Vec4::new(0.0, 0.0, 0.0, 1.0);
        let bytes = Glb::new(&model).finish().expect("fits");
        gltf::load_bytes("quad.glb", &glb::edited(&bytes, change), None)
    };
    let model = written(|_| ()).expect("loads");
    assert!(model.notes.iter().all(|n| !n.contains("tangents")), "{:?}", model.notes);
    let along = |v: &&Vertex| v.tangent == Vec4::new(0.0, 1.0, 0.0, -1.0);
    assert_eq!(
        model.mesh.vertices.iter().filter(along).count(),
        3,
        "stored tangents were replaced"
    );
    assert!(
        model
            .mesh
            .vertices
            .iter()
            .all(|v| (v.tangent.truncate().length() - 1.0).abs() < 1e-6)
    );
    let few = written(|json| {
        let accessor = json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"]
            .as_u64()
            .expect("a number");
        json["accessors"][accessor as usize]["count"] = 3.into();
    });
    let error = few.expect_err("refused").to_string();
    assert!(error.contains("4 positions but 3 tangents"), "{error}");
    let lost = written(|json| json["materials"][0]["normalTexture"]["index"] = 7.into());
    let error = lost.expect_err("refused").to_string();
    assert!(error.contains("material 0") && error.contains("texture 7"), "{error}");
    // Without normals, readers ignore tangents.
    let flat = written(|json| {
        let attributes = json["meshes"][0]["primitives"][0]["attributes"]
            .as_object_mut()
            .expect("an object");
        attributes.remove("NORMAL");
    });
    let flat = flat.expect("loads");
    assert!(
        flat.mesh
            .vertices
            .iter()
            .all(|v| v.tangent.abs_diff_eq(Vec4::new(1.0, 0.0, 0.0, 1.0), 1e-5))
    );
}

mod hostile {
    use super::*;
    use proptest::prelude::*;

    /// Coordinates that are difficult for geometry code.
    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![
            4 => -1.0_f32..1.0,
            2 => Just(0.0),
            1 => Just(1e38),
            1 => Just(-1e38),
            1 => Just(1e-38),
            1 => Just(f32::MIN_POSITIVE),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_geometry_gets_unit_tangents(numbers in prop::collection::vec(number(), 9 * 5), keep_uv in any::<bool>()) {
            let model = imported(|m| {
                for (v, n) in m.mesh.vertices.iter_mut().zip(numbers.chunks_exact(5)) {
                    v.position = Vec3::new(n[0], n[1], n[2]);
                    if !keep_uv {
                        v.uv = glam::Vec2::new(n[3], n[4]);
                    }
                }
            });
            for v in &model.mesh.vertices {
                prop_assert!((v.tangent.truncate().length() - 1.0).abs() < 1e-4 && v.tangent.w.abs() == 1.0, "{v:?}");
            }
        }

        #[test]
        fn flipped_bytes_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
            let material = Material { normal_texture: surfaces::texture(0), ..Material::default() };
            let flat = surfaces::image("flat", 2, |_, _| [128, 128, 255, 255]);
            let mut bytes = Glb::new(&surfaces::quad(2, material, vec![flat])).finish().expect("fits");
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let _ = gltf::load_bytes("flipped.glb", &bytes, None);
        }
    }
}
