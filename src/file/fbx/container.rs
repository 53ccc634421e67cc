//! glTF in memory under construction: accessors, buffer views and lists of objects.

use glam::Vec3;
use serde_json::{Map, Value, json};

use crate::file::glb::{GlbTooLarge, container};

const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;

/// glTF binary file under construction, read again by the glTF importer.
#[derive(Default)]
pub(super) struct Container {
    root: Map<String, Value>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    binary: Vec<u8>,
}

impl Container {
    /// Sets a member of the root object.
    pub(super) fn set(&mut self, key: &str, value: Value) {
        self.root.insert(key.to_owned(), value);
    }

    /// Appends an object to a list of the root; returns its index.
    pub(super) fn push(&mut self, list: &str, object: Value) -> usize {
        let list = self.root.entry(list).or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(objects) = list else { return 0 };
        objects.push(object);
        objects.len() - 1
    }

    /// Appends bytes as a buffer view, aligned to 4 bytes; returns its index.
    pub(super) fn view(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len()});
        self.binary.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Adds an accessor of floats, `width` to an element of the type `kind`.
    pub(super) fn floats(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        self.accessor(bytemuck::cast_slice(values), FLOAT, kind, values.len() / width)
    }

    /// Adds an accessor of vectors.
    pub(super) fn vectors(&mut self, values: &[Vec3]) -> usize {
        self.floats(bytemuck::cast_slice(values), "VEC3", 3)
    }

    /// Adds an accessor of vertex indices.
    pub(super) fn indices(&mut self, values: &[u32]) -> usize {
        self.accessor(bytemuck::cast_slice(values), UNSIGNED_INT, "SCALAR", values.len())
    }

    /// Adds an accessor of joint indices.
    pub(super) fn joints(&mut self, values: &[[u16; 4]]) -> usize {
        self.accessor(bytemuck::cast_slice(values), UNSIGNED_SHORT, "VEC4", values.len())
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        let accessor = json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// A file larger than glTF allows.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, GlbTooLarge> {
        self.set("asset", json!({"version": "2.0"}));
        if !self.binary.is_empty() {
            let size = self.binary.len();
            self.set("buffers", json!([{"byteLength": size}]));
            let (views, accessors) = (std::mem::take(&mut self.views), std::mem::take(&mut self.accessors));
            self.set("bufferViews", views.into());
            if !accessors.is_empty() {
                self.set("accessors", accessors.into());
            }
        }
        container(Value::Object(self.root).to_string().into_bytes(), self.binary)
    }
}
