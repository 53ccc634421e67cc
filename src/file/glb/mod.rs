//! Writes a character as a valid glTF 2.0 binary file: skeleton, skin, mesh, materials, images and clips, with room
//! for extensions.
//! Uses only this crate's own types and JSON.

mod clips;
mod materials;
mod morphs;

use std::collections::HashMap;

use glam::Vec3;
use serde_json::{Map, Value, json};

use crate::model::{Bounds, Lod, Material, Model, Morph, MorphDelta, Skeleton, USUAL_INFLUENCES, Vertex};

const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Error: the character is too large for a glTF file, whose sizes are 32-bit words.
#[derive(Debug, thiserror::Error)]
#[error(
    "the file would have {bytes} bytes, but GLB files are limited to 4 GiB; bake fewer clips, use a lower rate or \
     format trs16, or shrink the images"
)]
pub struct GlbTooLarge {
    bytes: u64,
}

/// A glTF file under construction.
pub struct Glb {
    root: Map<String, Value>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    binary: Vec<u8>,
    /// Keys of all animations; they share one buffer view, which keeps the JSON short.
    keys: Vec<u8>,
    /// Buffer view of keys, once there are keys.
    keys_view: Option<usize>,
    /// Accessors by content, so that equal lists of key times are stored once.
    known: HashMap<Vec<u8>, usize>,
    /// glTF animation of each clip; clips without channels have none.
    animations: Vec<Option<usize>>,
    /// First of the accessors that only animations use.
    first_key_accessor: usize,
    /// Node that shows the mesh; animations of morph weights target it.
    pub(crate) mesh_node: usize,
}

impl Glb {
    /// Starts a file that any viewer can show. Node `i` is joint `i`; skin entry `s` is palette slot `s`.
    /// All triangles of a material are one primitive, and all primitives share their vertices.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let mut glb = Self {
            root: Map::new(),
            views: Vec::new(),
            accessors: Vec::new(),
            binary: Vec::new(),
            keys: Vec::new(),
            keys_view: None,
            known: HashMap::new(),
            animations: Vec::new(),
            first_key_accessor: 0,
            mesh_node: 0,
        };
        let generator = concat!("throng ", env!("CARGO_PKG_VERSION"));
        glb.set("asset", json!({"version": "2.0", "generator": generator}));
        glb.nodes_and_skin(&model.skeleton);
        glb.mesh(model);
        materials::write(&mut glb, model);
        glb.first_key_accessor = glb.accessors.len();
        glb.animations = clips::write(&mut glb, model);
        glb
    }

    /// glTF animation of each clip.
    #[must_use]
    pub fn animations(&self) -> &[Option<usize>] {
        &self.animations
    }

    /// First of the accessors that only animations use.
    #[must_use]
    pub fn first_key_accessor(&self) -> usize {
        self.first_key_accessor
    }

    /// Appends bytes as a buffer view, aligned to 16 bytes; returns its index.
    pub fn add_view(&mut self, bytes: &[u8]) -> usize {
        self.view(bytes, None)
    }

    /// Attaches an extension that readers may ignore.
    pub fn set_extension(&mut self, name: &str, value: Value) {
        self.use_extension(name);
        let extensions = self.root.entry("extensions").or_insert_with(|| json!({}));
        extensions[name] = value;
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// A file larger than glTF allows.
    pub fn finish(mut self) -> Result<Vec<u8>, GlbTooLarge> {
        if let Some(view) = self.keys_view {
            pad(&mut self.binary, 16, 0);
            self.views[view]["byteOffset"] = self.binary.len().into();
            self.views[view]["byteLength"] = self.keys.len().into();
            self.binary.append(&mut self.keys);
        }
        pad(&mut self.binary, 4, 0);
        self.set("buffers", json!([{"byteLength": self.binary.len()}]));
        let (views, accessors) = (std::mem::take(&mut self.views), std::mem::take(&mut self.accessors));
        self.set("bufferViews", views.into());
        self.set("accessors", accessors.into());
        // Animations come last, right after the accessors that only they use: readers that only draw stop there.
        if let Some(animations) = self.root.shift_remove("animations") {
            self.set("animations", animations);
        }
        container(Value::Object(self.root).to_string().into_bytes(), self.binary)
    }

    pub(crate) fn set(&mut self, key: &str, value: Value) {
        self.root.insert(key.into(), value);
    }

    pub(crate) fn use_extension(&mut self, name: &str) {
        let used = self.root.entry("extensionsUsed").or_insert_with(|| json!([]));
        if let Value::Array(names) = used
            && !names.iter().any(|n| n == name)
        {
            names.push(name.into());
        }
    }

    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        pad(&mut self.binary, 16, 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.binary.extend(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    pub(crate) fn add_accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn accessor(&mut self, view: usize, component: u32, kind: &str, count: usize) -> usize {
        let accessor = json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds an accessor of floats of an animation; equal ones are stored once.
    pub(crate) fn floats(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        let mut key: Vec<u8> = bytemuck::cast_slice(values).to_vec();
        key.push(width as u8);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let view = match self.keys_view {
            Some(view) => view,
            None => self.view(&[], None),
        };
        self.keys_view = Some(view);
        let accessor = self.accessor(view, FLOAT, kind, values.len() / width);
        self.accessors[accessor]["byteOffset"] = self.keys.len().into();
        self.keys.extend(bytemuck::cast_slice::<f32, u8>(values));
        if width == 1 {
            let low = values.iter().copied().fold(f32::INFINITY, f32::min);
            let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            self.accessors[accessor]["min"] = json!([low]);
            self.accessors[accessor]["max"] = json!([high]);
        }
        self.known.insert(key, accessor);
        accessor
    }

    /// Adds joints as nodes of the same index, and the skin. A skin may name a node only once, so further slots of a
    /// joint get an identity node below it.
    /// A skin needs one common root, so several roots get a parent. The last node shows the mesh.
    fn nodes_and_skin(&mut self, skeleton: &Skeleton) {
        let mut nodes: Vec<Value> = skeleton.joints.iter().map(node).collect();
        for (joint, bone) in &skeleton.bones {
            if let Some(node) = nodes.get_mut(*joint as usize) {
                node["extras"] = json!({"throng": {"humanBone": bone.name()}});
            }
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        let mut roots = Vec::new();
        for (index, joint) in skeleton.joints.iter().enumerate() {
            match joint.parent {
                Some(parent) => children[parent as usize].push(index),
                None => roots.push(index),
            }
        }
        let mut taken = vec![false; nodes.len()];
        let mut skin_joints = Vec::with_capacity(skeleton.slots.len());
        for (slot, joint) in skeleton.slots.iter().map(|s| s.joint as usize).enumerate() {
            if std::mem::replace(&mut taken[joint], true) {
                let name = format!("{} (slot {slot})", skeleton.joints[joint].name);
                children[joint].push(nodes.len());
                skin_joints.push(nodes.len());
                nodes.push(json!({"name": name}));
            } else {
                skin_joints.push(joint);
            }
        }
        for (node, children) in nodes.iter_mut().zip(children).filter(|(_, c)| !c.is_empty()) {
            node["children"] = children.into();
        }
        if roots.len() > 1 {
            nodes.push(json!({"name": "root", "children": roots}));
            roots = vec![nodes.len() - 1];
        }
        roots.push(nodes.len());
        self.mesh_node = nodes.len();
        nodes.push(json!({"name": "mesh", "mesh": 0, "skin": 0}));
        let binds: Vec<[f32; 16]> = skeleton.slots.iter().map(|s| s.inverse_bind.to_cols_array()).collect();
        let view = self.view(bytemuck::cast_slice(&binds), None);
        let binds = self.accessor(view, FLOAT, "MAT4", binds.len());
        self.set("nodes", nodes.into());
        self.set("scene", 0.into());
        self.set("scenes", json!([{"nodes": roots}]));
        self.set("skins", json!([{"joints": skin_joints, "inverseBindMatrices": binds}]));
    }

    fn mesh(&mut self, model: &Model) {
        let mesh = self.mesh_of(model);
        self.set("meshes", json!([mesh]));
    }

    /// Adds the model's LODs as nodes of their own, which `MSFT_lod` lists at the mesh's node.
    pub(crate) fn add_lods(&mut self, model: &Model) {
        let mut ids = Vec::with_capacity(model.lods.len());
        // Other programs cannot draw splats.
        let meshes = model.lods.iter().filter(|lod| !lod.is_splats());
        for (index, lod) in meshes.enumerate() {
            let name = format!("{} level {}", model.name, index + 1);
            let mesh = self.mesh_of(&Model {
                name: name.clone(),
                skeleton: model.skeleton.clone(),
                mesh: lod.mesh.clone(),
                morphs: morphs_of(lod, model),
                materials: model.materials.clone(),
                ..Model::default()
            });
            let mesh = self.push("meshes", mesh);
            let extras = json!({"maxRows": lod.max_sample_rows, "worstMm": lod.worst_mm});
            ids.push(self.push(
                "nodes",
                json!({"name": name, "mesh": mesh, "skin": 0, "extras": extras}),
            ));
        }
        if !ids.is_empty() {
            self.use_extension("MSFT_lod");
            let node = self
                .root
                .get_mut("nodes")
                .and_then(|nodes| nodes.get_mut(self.mesh_node));
            if let Some(node) = node {
                node["extensions"] = json!({"MSFT_lod": {"ids": ids}});
            }
        }
    }

    /// Appends to one of the file's lists; returns the index.
    fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.root.entry(list).or_insert_with(|| json!([]));
        let index = list.as_array().map_or(0, Vec::len);
        if let Value::Array(list) = list {
            list.push(value);
        }
        index
    }

    /// Makes the glTF mesh of a model.
    fn mesh_of(&mut self, model: &Model) -> Value {
        let attributes = self.attributes(model);
        let targets = morphs::write(self, model);
        let mut primitives = Vec::new();
        for material in 0..model.materials.len() {
            let of_material = |t: &&[u32]| usize::from(model.mesh.vertices[t[0] as usize].material) == material;
            let triangles = model.mesh.indices.chunks_exact(3).filter(of_material);
            let indices: Vec<u32> = triangles.flatten().copied().collect();
            if !indices.is_empty() {
                let accessor = self.indices(&indices, model.mesh.vertices.len());
                primitives.push(json!({"attributes": attributes, "indices": accessor, "material": material}));
            }
        }
        if !targets.is_empty() {
            for primitive in &mut primitives {
                primitive["targets"] = targets.clone().into();
            }
        }
        let mut mesh = json!({"name": model.name, "primitives": primitives});
        if !model.morphs.is_empty() {
            mesh["weights"] = model.morphs.iter().map(|m| m.rest).collect::<Vec<_>>().into();
            let names: Vec<&str> = model.morphs.iter().map(|m| m.name.as_str()).collect();
            mesh["extras"] = json!({"targetNames": names});
        }
        mesh
    }

    fn indices(&mut self, indices: &[u32], vertex_count: usize) -> usize {
        // The largest value of an index type is reserved for primitive restart.
        if vertex_count <= usize::from(u16::MAX) {
            let short: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
            let view = self.view(bytemuck::cast_slice(&short), Some(ELEMENT_ARRAY_BUFFER));
            return self.accessor(view, UNSIGNED_SHORT, "SCALAR", indices.len());
        }
        let view = self.view(bytemuck::cast_slice(indices), Some(ELEMENT_ARRAY_BUFFER));
        self.accessor(view, UNSIGNED_INT, "SCALAR", indices.len())
    }

    fn attributes(&mut self, model: &Model) -> Value {
        let (mesh, slots) = (&model.mesh, model.skeleton.slots.len());
        let mut textures = model.materials.iter().flat_map(Material::textures);
        let second_uvs = textures.any(|(_, t)| t.second) || mesh.vertices.iter().any(|v| v.uv1 != glam::Vec2::ZERO);
        let count = mesh.vertices.len();
        let mut add = |name: &str, bytes: &[u8], component: u32, kind: &str| {
            let view = self.view(bytes, Some(ARRAY_BUFFER));
            (
                name.to_owned(),
                Value::from(self.accessor(view, component, kind, count)),
            )
        };
        let vectors = |f: &dyn Fn(&Vertex) -> Vec3| -> Vec<Vec3> { mesh.vertices.iter().map(f).collect() };
        let mut map = Map::new();
        let positions = vectors(&|v| v.position);
        let (name, position) = add("POSITION", bytemuck::cast_slice(&positions), FLOAT, "VEC3");
        map.insert(name, position.clone());
        // Without normals, readers use flat shading.
        if !model.flat {
            let normals = vectors(&|v| v.normal);
            map.extend([add("NORMAL", bytemuck::cast_slice(&normals), FLOAT, "VEC3")]);
        }
        let uvs: Vec<glam::Vec2> = mesh.vertices.iter().map(|v| v.uv).collect();
        map.extend([add("TEXCOORD_0", bytemuck::cast_slice(&uvs), FLOAT, "VEC2")]);
        if second_uvs {
            let uvs: Vec<glam::Vec2> = mesh.vertices.iter().map(|v| v.uv1).collect();
            map.extend([add("TEXCOORD_1", bytemuck::cast_slice(&uvs), FLOAT, "VEC2")]);
        }
        if mesh.has_tangents() {
            let tangents: Vec<glam::Vec4> = mesh.vertices.iter().map(|v| v.tangent).collect();
            map.extend([add("TANGENT", bytemuck::cast_slice(&tangents), FLOAT, "VEC4")]);
        }
        if mesh.has_alpha() {
            let colors: Vec<glam::Vec4> = mesh.vertices.iter().map(|v| v.color).collect();
            map.extend([add("COLOR_0", bytemuck::cast_slice(&colors), FLOAT, "VEC4")]);
        } else if mesh.vertices.iter().any(|v| v.color != glam::Vec4::ONE) {
            let colors = vectors(&|v| v.color.truncate());
            map.extend([add("COLOR_0", bytemuck::cast_slice(&colors), FLOAT, "VEC3")]);
        }
        for set in 0..if mesh.is_wide() { 2 } else { 1 } {
            let (joints, weights) = influences(&mesh.vertices, set * USUAL_INFLUENCES);
            let name = format!("JOINTS_{set}");
            map.extend([if slots <= 256 {
                let bytes: Vec<u8> = joints.iter().flatten().map(|&j| j as u8).collect();
                add(&name, &bytes, UNSIGNED_BYTE, "VEC4")
            } else {
                add(&name, bytemuck::cast_slice(&joints), UNSIGNED_SHORT, "VEC4")
            }]);
            let name = format!("WEIGHTS_{set}");
            map.extend([add(&name, bytemuck::cast_slice(&weights), FLOAT, "VEC4")]);
        }
        let Bounds { min, max } = mesh.bounds();
        if let Some(accessor) = position.as_u64().and_then(|p| self.accessors.get_mut(p as usize)) {
            accessor["min"] = json!(min.to_array());
            accessor["max"] = json!(max.to_array());
        }
        map.into()
    }
}

/// Morph targets of the model as they move a LOD.
fn morphs_of(lod: &Lod, model: &Model) -> Vec<Morph> {
    let targets = model.morphs.iter().zip(&lod.morphs);
    let of_lod = |(morph, deltas): (&Morph, &Vec<MorphDelta>)| Morph {
        name: morph.name.clone(),
        rest: morph.rest,
        deltas: deltas.clone(),
    };
    targets.map(of_lod).collect()
}

/// Four slots and weights of every vertex, from influence `first` on.
fn influences(vertices: &[Vertex], first: usize) -> (Vec<[u16; USUAL_INFLUENCES]>, Vec<[f32; USUAL_INFLUENCES]>) {
    // Readers expect slot 0 where the weight is 0.
    let joint = |v: &Vertex, i: usize| if v.weights[i] > 0.0 { v.joints[i] } else { 0 };
    let of_vertex = |v: &Vertex| {
        let joints = std::array::from_fn(|i| joint(v, first + i));
        (joints, std::array::from_fn(|i| v.weights[first + i]))
    };
    vertices.iter().map(of_vertex).unzip()
}

/// Makes a binary file of a JSON chunk and a binary chunk.
pub(crate) fn container(mut text: Vec<u8>, mut binary: Vec<u8>) -> Result<Vec<u8>, GlbTooLarge> {
    pad(&mut text, 4, b' ');
    pad(&mut binary, 4, 0);
    let sizes = stated_sizes(text.len(), binary.len())?;
    let [total, json_size, binary_size] = sizes.map(u32::to_le_bytes);
    let mut file = Vec::with_capacity(sizes[0] as usize);
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(total);
    file.extend(json_size);
    file.extend(b"JSON");
    file.extend(text);
    file.extend(binary_size);
    file.extend(b"BIN\0");
    file.extend(binary);
    Ok(file)
}

/// Sizes of the file, its JSON and its binary chunk, as the file states them.
fn stated_sizes(text: usize, binary: usize) -> Result<[u32; 3], GlbTooLarge> {
    let bytes = 12 + 8 + text as u64 + 8 + binary as u64;
    let total = u32::try_from(bytes).map_err(|_| GlbTooLarge { bytes })?;
    Ok([total, text as u32, binary as u32])
}

fn node(joint: &crate::model::Joint) -> Value {
    let t = joint.rest;
    let mut node = json!({"name": joint.name});
    if t.translation != Vec3::ZERO {
        node["translation"] = json!(t.translation.to_array());
    }
    if t.rotation != glam::Quat::IDENTITY {
        node["rotation"] = json!(t.rotation.to_array());
    }
    if t.scale != Vec3::ONE {
        node["scale"] = json!(t.scale.to_array());
    }
    node
}

fn pad(bytes: &mut Vec<u8>, alignment: usize, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(alignment), with);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_their_words_are_refused() {
        let most = u32::MAX as usize;
        let sizes = stated_sizes(8, most - 36).expect("fits");
        assert_eq!(sizes, [u32::MAX, 8, u32::MAX - 36]);
        for (text, binary) in [(9, most - 36), (8, most - 35), (most, 0), (0, most)] {
            let error = stated_sizes(text, binary).expect_err("does not fit").to_string();
            assert!(error.contains("4 GiB"), "{error}");
        }
    }
}
