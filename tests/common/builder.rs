//! glTF files written by hand: buffers, accessors and one mesh.

use serde_json::{Value, json};
use throng::{
    file::{ModelError, gltf},
    model::Model,
};

/// Collects buffer content and accessors of a hand-made file.
#[derive(Default)]
pub struct Builder {
    pub data: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Builder {
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.data.len(), "byteLength": bytes.len()});
        self.data.extend(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    pub fn add(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        let accessor = json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    pub fn floats(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.add(&bytes, 5126, kind, values.len() / width)
    }

    pub fn load(self, root: Value) -> Model {
        self.open(root).unwrap_or_else(|e| panic!("{e}"))
    }

    pub fn open(self, root: Value) -> Result<Model, ModelError> {
        gltf::load_bytes("built", self.text(root).as_bytes(), None)
    }

    /// The whole file.
    pub fn text(self, mut root: Value) -> String {
        use base64::Engine;
        let uri = base64::engine::general_purpose::STANDARD.encode(&self.data);
        root["asset"] = json!({"version": "2.0"});
        root["buffers"] = json!([{"byteLength": self.data.len(), "uri": format!("data:;base64,{uri}")}]);
        root["bufferViews"] = self.views.into();
        root["accessors"] = self.accessors.into();
        root.to_string()
    }
}

/// A unit square in the xy plane.
pub const SQUARE: [f32; 12] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.];

/// A scene of one node with one primitive.
pub fn one_mesh(primitive: Value) -> Value {
    json!({"nodes": [{"mesh": 0}], "meshes": [{"primitives": [primitive]}]})
}
