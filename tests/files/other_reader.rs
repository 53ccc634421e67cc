//! Reads our files with another library: the reader of the `gltf` crate, of which our import uses only the JSON
//! schema.
//! It must find the same mesh, the same clips and the same keys.

use std::collections::HashSet;

use throng::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeOptions},
    file::{self, gltf as ours},
    model::{Clip, Keys, Model, UnitSpace},
    scene::embedded as assets,
};

use crate::common;

/// A character as a baked file.
fn baked(model: &Model) -> Vec<u8> {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| {}).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), AtlasFormat::F16);
    file::baked::to_bytes(model, &atlas, None).expect("fits")
}

/// Compares triangles as corner positions, and vertices with their joints and weights, in any order.
fn compare_mesh(model: &Model, root: &gltf::Gltf) {
    let binary = root.blob.as_deref();
    let mesh = root.meshes().next().expect("a mesh");
    let mut triangles = 0;
    for primitive in mesh.primitives() {
        let reader = primitive.reader(|_| binary);
        let indices: Vec<u32> = reader.read_indices().expect("indices").into_u32().collect();
        let positions: Vec<[f32; 3]> = reader.read_positions().expect("positions").collect();
        let mut sets = Vec::new();
        while let (Some(joints), Some(weights)) = (
            reader.read_joints(sets.len() as u32),
            reader.read_weights(sets.len() as u32),
        ) {
            sets.push((
                joints.into_u16().collect::<Vec<_>>(),
                weights.into_f32().collect::<Vec<_>>(),
            ));
        }
        assert_eq!(sets.len(), if model.mesh.is_wide() { 2 } else { 1 });
        assert_eq!(positions.len(), model.mesh.vertices.len());
        triangles += indices.len() / 3;
        for (index, vertex) in model.mesh.vertices.iter().enumerate() {
            assert_eq!(positions[index], vertex.position.to_array());
            for (k, &weight) in vertex.weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
                let (joints, weights) = &sets[k / 4];
                assert!((weights[index][k % 4] - weight).abs() < 1e-6);
                assert_eq!(joints[index][k % 4], vertex.joints[k]);
            }
        }
    }
    assert_eq!(triangles, model.mesh.indices.len() / 3);
    let skin = root.skins().next().expect("a skin");
    let binds = skin
        .reader(|_| binary)
        .read_inverse_bind_matrices()
        .expect("inverse binds");
    let stated: Vec<glam::Mat4> = binds.map(|m| glam::Mat4::from_cols_array_2d(&m)).collect();
    let slots: Vec<glam::Mat4> = model.skeleton.slots.iter().map(|s| s.inverse_bind).collect();
    assert_eq!(stated, slots);
}

fn compare_clip(clip: &Clip, root: &gltf::Gltf) {
    let animation = root.animations().find(|a| a.name() == Some(&clip.name));
    let animation = animation.unwrap_or_else(|| panic!("no animation {}", clip.name));
    let mut found = 0;
    for channel in animation.channels() {
        use gltf::animation::util::ReadOutputs;
        let reader = channel.reader(|_| root.blob.as_deref());
        let times: Vec<f32> = reader.read_inputs().expect("times").collect();
        let (node, outputs) = (channel.target().node().index(), reader.read_outputs().expect("values"));
        let same = |c: &&throng::model::Channel| {
            let kind = matches!(
                (&c.keys, &outputs),
                (Keys::Translation(_), ReadOutputs::Translations(_))
                    | (Keys::Rotation(_), ReadOutputs::Rotations(_))
                    | (Keys::Scale(_), ReadOutputs::Scales(_))
            );
            kind && c.joint as usize == node
        };
        let Some(ours) = clip.channels.iter().find(same) else {
            continue;
        };
        found += 1;
        assert_eq!(times, ours.times, "{}", clip.name);
        match (&ours.keys, outputs) {
            (Keys::Translation(v), ReadOutputs::Translations(o)) => assert!(o.eq(v.iter().map(|v| v.to_array()))),
            (Keys::Scale(v), ReadOutputs::Scales(o)) => assert!(o.eq(v.iter().map(|v| v.to_array()))),
            (Keys::Rotation(q), ReadOutputs::Rotations(o)) => assert!(o.into_f32().eq(q.iter().map(|q| q.to_array()))),
            _ => unreachable!("same() compared the kinds"),
        }
    }
    assert_eq!(found, clip.channels.len(), "{}: channels", clip.name);
}

fn compare(model: &Model) -> (usize, usize) {
    let root = gltf::Gltf::from_slice(&baked(model)).expect("the other library opens and validates it");
    compare_mesh(model, &root);
    let names: HashSet<&str> = model.clips.iter().map(|c| c.name.as_str()).collect();
    // Clips of equal names cannot be matched by name.
    if names.len() == model.clips.len() {
        let keyed = model.clips.iter().filter(|c| !c.channels.is_empty());
        keyed.for_each(|clip| compare_clip(clip, &root));
    }
    (model.mesh.indices.len() / 3, root.animations().count())
}

#[test]
fn our_characters_are_read_alike() {
    for name in assets::NAMES {
        let bytes = assets::embedded(name).expect("embedded");
        let model = ours::load_bytes(name, bytes, None).expect("loads");
        let (triangles, animations) = compare(&model);
        assert_eq!(animations, model.clips.len());
        println!("{name}: {triangles} triangles, {animations} animations");
    }
}

#[test]
fn samples_are_read_alike() {
    let Some(folder) = common::samples() else { return };
    for file in common::LOADABLE {
        let (triangles, animations) = compare(&common::load(&folder, file));
        println!("{file}: {triangles} triangles, {animations} animations");
    }
}
