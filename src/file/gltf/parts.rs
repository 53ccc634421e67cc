//! Lists the meshes and nodes that can be hidden.

use std::collections::HashSet;

use crate::{
    file::gltf::{document::Document, nodes::Nodes},
    model::Part,
};

/// Nodes with meshes, and meshes under another name than their node's, each name once.
pub(super) fn list(document: &Document<'_>, nodes: &Nodes) -> Vec<Part> {
    let mut known = HashSet::new();
    let mut parts = Vec::new();
    let mut add = |name: &str, is_hidden: bool| {
        let lower = name.to_lowercase();
        let hidden = is_hidden || document.hide.contains(&lower);
        if !name.is_empty() && known.insert(lower) {
            parts.push(Part {
                name: name.to_owned(),
                hidden,
            });
        }
    };
    for &node in nodes.order.iter().filter(|&&node| nodes.in_scene[node]) {
        let source = &document.root.nodes[node];
        let Some(mesh) = source.mesh.and_then(|mesh| document.root.meshes.get(mesh.value())) else {
            // A node without a mesh is listed once it is asked for, so that it can be shown again.
            if document.hide.contains(&nodes.names[node].to_lowercase()) {
                add(&nodes.names[node], true);
            }
            continue;
        };
        if source.name.is_some() || mesh.name.is_none() {
            add(&nodes.names[node], nodes.hidden[node]);
        }
        add(mesh.name.as_deref().unwrap_or_default(), nodes.hidden[node]);
    }
    parts
}
