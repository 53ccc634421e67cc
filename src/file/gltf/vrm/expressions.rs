//! Expressions as names of morph targets.

use std::collections::HashMap;

use ::gltf::json::{Root, Value};

use crate::file::gltf::vrm::{VRM_0, VRM_1, extension};

/// Names of the morph targets of a mesh after the expressions that use one target alone, by target.
pub(crate) fn target_names(root: &Root, mesh: usize) -> HashMap<usize, String> {
    let mut names = HashMap::new();
    for (name, binds) in expressions(root) {
        let of_mesh = |bind: &&Value| mesh_of(root, bind) == Some(mesh);
        let mut targets = binds.iter().filter(of_mesh);
        let index = targets.next().and_then(|bind| bind.get("index")?.as_u64());
        if let (Some(index), None) = (index, targets.next()) {
            names.entry(index as usize).or_insert(name);
        }
    }
    names
}

/// Mesh of a bind: VRM 0.x names it, VRM 1.0 names the node that shows it.
fn mesh_of(root: &Root, bind: &Value) -> Option<usize> {
    let number = |key: &str| usize::try_from(bind.get(key)?.as_u64()?).ok();
    let of_node = || Some(root.nodes.get(number("node")?)?.mesh?.value());
    number("mesh").or_else(of_node)
}

/// Expressions with their binds.
fn expressions(root: &Root) -> Vec<(String, &Vec<Value>)> {
    let old = extension(root, VRM_0).and_then(|vrm| vrm.pointer("/blendShapeMaster/blendShapeGroups")?.as_array());
    let of_group = |group: &Value| group.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let old = old.into_iter().flatten();
    let old = old.filter_map(|group| Some((of_group(group), group.get("binds")?.as_array()?)));
    let lists = ["preset", "custom"].map(|list| {
        let expressions = extension(root, VRM_1)?.get("expressions")?;
        expressions.get(list)?.as_object()
    });
    let new = lists.into_iter().flatten().flatten();
    let new = new.filter_map(|(name, value)| Some((name.clone(), value.get("morphTargetBinds")?.as_array()?)));
    old.chain(new).collect()
}
