//! Writer of glTF 2.0 binary files: geometry, one skin, sockets, animations.

use crate::anim::Baked;
use crate::gltf_anim::write_animation;
use crate::mesh::Primitive;
use crate::parts::{Look, Tints};
use crate::rig::{self, Rig, Socket};
use glam::{Quat, Vec3};
use serde_json::{Map, Value, json};

const BYTE: u32 = 5121;
pub const SHORT: u32 = 5122;
const USHORT: u32 = 5123;
pub const FLOAT: u32 = 5126;
const VERTEX_TARGET: u32 = 34962;
const INDEX_TARGET: u32 = 34963;

/// Binary chunk and the JSON that describes it; both grow in step.
#[derive(Default)]
pub struct Writer {
    draw_list: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Writer {
    /// Appends a buffer view and returns its index.
    pub fn view(&mut self, bytes: &[u8], stride: Option<usize>, target: Option<u32>) -> usize {
        while !self.draw_list.len().is_multiple_of(4) {
            self.draw_list.push(0);
        }
        let mut view = json!({"buffer": 0, "byteOffset": self.draw_list.len(), "byteLength": bytes.len()});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.draw_list.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    pub fn accessor(&mut self, value: Value) -> usize {
        self.accessors.push(value);
        self.accessors.len() - 1
    }
}

pub fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// Encodes four weights as bytes that sum to exactly 255.
fn weight_bytes(who: &[(usize, f32); 4]) -> [u8; 4] {
    let mut bytes = who.map(|w| (w.1 * 255.0).round() as i32);
    bytes[0] += 255 - bytes.iter().sum::<i32>();
    bytes.map(|b| b.clamp(0, 255) as u8)
}

fn vertex_bytes(primitive: &Primitive, skinned: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for v in &primitive.vertices {
        out.extend(floats(v.pos.to_array()));
        out.extend(floats(v.normal.to_array()));
        if skinned {
            let weights = weight_bytes(&v.influences);
            let joints = [0, 1, 2, 3].map(|i| match weights[i] {
                0 => 0,
                _ => v.influences[i].0 as u8,
            });
            out.extend(joints);
            out.extend(weights);
        }
        out.extend(v.color.to_array().map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8));
        out.push(255);
    }
    out
}

fn write_primitive(w: &mut Writer, p: &Primitive, material: usize, skinned: bool) -> Value {
    let stride = if skinned { 36 } else { 28 };
    let view = w.view(&vertex_bytes(p, skinned), Some(stride), Some(VERTEX_TARGET));
    let lo = p.vertices.iter().fold(Vec3::MAX, |a, v| a.min(v.pos));
    let hi = p.vertices.iter().fold(Vec3::MIN, |a, v| a.max(v.pos));
    let count = p.vertices.len();
    let mut attribute = |offset: usize, kind: u32, shape: &str, normalized: bool| {
        let mut a = json!({"bufferView": view, "byteOffset": offset, "componentType": kind,
            "count": count, "type": shape});
        if normalized {
            a["normalized"] = json!(true);
        }
        if offset == 0 {
            a["min"] = json!(lo.to_array());
            a["max"] = json!(hi.to_array());
        }
        w.accessor(a)
    };
    let mut attributes = Map::new();
    attributes.insert("POSITION".into(), json!(attribute(0, FLOAT, "VEC3", false)));
    attributes.insert("NORMAL".into(), json!(attribute(12, FLOAT, "VEC3", false)));
    if skinned {
        attributes.insert("JOINTS_0".into(), json!(attribute(24, BYTE, "VEC4", false)));
        attributes.insert("WEIGHTS_0".into(), json!(attribute(28, BYTE, "VEC4", true)));
    }
    attributes.insert("COLOR_0".into(), json!(attribute(stride - 4, BYTE, "VEC4", true)));
    let bytes: Vec<u8> = p.indices.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect();
    let view = w.view(&bytes, None, Some(INDEX_TARGET));
    let indices = w.accessor(json!({"bufferView": view, "componentType": USHORT,
        "count": p.indices.len(), "type": "SCALAR"}));
    json!({"attributes": attributes, "indices": indices, "material": material})
}

fn write_material(look: &Look) -> Value {
    let c = look.color.to_array().map(|c| (f64::from(c) * 1e4).round() / 1e4);
    let mut m = json!({
        "name": look.slot.name(),
        "pbrMetallicRoughness": {
            "baseColorFactor": [c[0], c[1], c[2], 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": (f64::from(look.roughness) * 100.0).round() / 100.0,
        },
    });
    // Vertex colours hold ambient occlusion.
    m["extras"] = json!({"occlusion": "COLOR_0"});
    match look.tints {
        Tints::None => {}
        Tints::One(tint) => m["extras"]["tint"] = tint.into(),
        Tints::ByMaterialVariant(tints) => m["extras"]["tint"] = json!(tints),
    }
    m
}

/// Writes joint nodes first (node index = joint index), then sockets.
fn write_nodes(rig: &Rig) -> Vec<Value> {
    let socket_base = rig.joints.len();
    let mut nodes: Vec<Value> = Vec::new();
    for (i, joint) in rig.joints.iter().enumerate() {
        let children = rig.joints.iter().enumerate();
        let mut below: Vec<usize> = children.filter(|(_, c)| c.parent == Some(i)).map(|(k, _)| k).collect();
        let sockets = rig.sockets.iter().enumerate();
        below.extend(sockets.filter(|(_, s)| s.parent == i).map(|(k, _)| socket_base + k));
        let mut node = json!({"name": joint.name, "translation": rig.offset(i).to_array()});
        if !below.is_empty() {
            node["children"] = json!(below);
        }
        nodes.push(node);
    }
    nodes.extend(rig.sockets.iter().map(write_socket));
    nodes
}

fn write_socket(s: &Socket) -> Value {
    let mut node = json!({"name": s.name, "translation": s.offset.to_array()});
    if s.rot != Quat::IDENTITY {
        node["rotation"] = json!(s.rot.normalize().to_array());
    }
    node
}

fn write_skin(w: &mut Writer, rig: &Rig) -> Value {
    let matrix = |p: Vec3| {
        let mut m = [0.0_f32; 16];
        [m[0], m[5], m[10], m[15]] = [1.0; 4];
        [m[12], m[13], m[14]] = (-p).to_array();
        m
    };
    let bytes = floats(rig.joints.iter().flat_map(|j| matrix(j.rest)));
    let view = w.view(&bytes, None, None);
    let count = rig.joints.len();
    let ibm = w.accessor(json!({"bufferView": view, "componentType": FLOAT, "count": count,
        "type": "MAT4"}));
    let joints: Vec<usize> = (0..count).collect();
    json!({"name": "skin", "inverseBindMatrices": ibm, "joints": joints, "skeleton": 0})
}

/// Writes a skinned character.
pub fn character(name: &str, rig: &Rig, primitives: &[Primitive], looks: &[Look], clips: &[Baked]) -> Vec<u8> {
    let mut w = Writer::default();
    let (meshes, materials) = write_mesh(&mut w, name, primitives, looks, true);
    let skin = write_skin(&mut w, rig);
    let mut nodes = write_nodes(rig);
    nodes.push(json!({"name": name, "mesh": 0, "skin": 0}));
    let mesh_node = nodes.len() - 1;
    let animations: Vec<Value> = clips.iter().map(|c| write_animation(&mut w, c, rig::legs())).collect();
    let mut root = json!({
        "scenes": [{"name": name, "nodes": [0, mesh_node]}],
        "nodes": nodes, "meshes": meshes, "materials": materials, "skins": [skin],
    });
    if !animations.is_empty() {
        root["animations"] = json!(animations);
    }
    finish(w, root)
}

/// Writes a static model without a skin.
pub fn prop(name: &str, primitives: &[Primitive], looks: &[Look]) -> Vec<u8> {
    let mut w = Writer::default();
    let (meshes, materials) = write_mesh(&mut w, name, primitives, looks, false);
    let root = json!({
        "scenes": [{"name": name, "nodes": [0]}],
        "nodes": [{"name": name, "mesh": 0}], "meshes": meshes, "materials": materials,
    });
    finish(w, root)
}

fn write_mesh(w: &mut Writer, name: &str, primitives: &[Primitive], looks: &[Look], skinned: bool) -> (Value, Value) {
    let mut materials = Vec::new();
    let mut written = Vec::new();
    for p in primitives {
        let white = Look::new(p.slot, Vec3::ONE, 0.5);
        let look = looks.iter().find(|l| l.slot == p.slot).unwrap_or(&white);
        materials.push(write_material(look));
        written.push(write_primitive(w, p, materials.len() - 1, skinned));
    }
    (json!([{"name": name, "primitives": written}]), json!(materials))
}

/// Assembles header, JSON chunk and binary chunk.
fn finish(w: Writer, body: Value) -> Vec<u8> {
    let mut draw_list = w.draw_list;
    draw_list.resize(draw_list.len().next_multiple_of(4), 0);
    let mut root = json!({"asset": {"version": "2.0", "generator": "throng make_characters"}, "scene": 0});
    if let (Value::Object(root), Value::Object(body)) = (&mut root, body) {
        root.extend(body);
    }
    root["accessors"] = json!(w.accessors);
    root["bufferViews"] = json!(w.views);
    root["buffers"] = json!([{"byteLength": draw_list.len()}]);
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + draw_list.len();
    let mut out = Vec::with_capacity(total);
    out.extend(b"glTF");
    out.extend([2_u32, total as u32].iter().flat_map(|v| v.to_le_bytes()));
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(text);
    out.extend((draw_list.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(draw_list);
    out
}
