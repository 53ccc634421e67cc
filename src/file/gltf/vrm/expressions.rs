//! Expressions of VRM: named mixtures of morph targets, and the channels of VRMA files that move them.

use std::collections::HashMap;

use ::gltf::json::{Root, Value};

use crate::file::gltf::vrm::{ANIMATION, VRM_0, VRM_1, extension};

/// Maximum number of expressions and of binds of each that are read: files have a few dozen.
const MOST: usize = 1024;
/// Weight of VRM 0.x at full strength (percent).
const FULL: f64 = 100.0;

/// Presets of VRM 0.x and their names in VRM 1.0.
const PRESETS: [(&str, &str); 18] = [
    ("neutral", "neutral"),
    ("a", "aa"),
    ("i", "ih"),
    ("u", "ou"),
    ("e", "ee"),
    ("o", "oh"),
    ("blink", "blink"),
    ("joy", "happy"),
    ("angry", "angry"),
    ("sorrow", "sad"),
    ("fun", "relaxed"),
    ("lookup", "lookUp"),
    ("lookdown", "lookDown"),
    ("lookleft", "lookLeft"),
    ("lookright", "lookRight"),
    ("blink_l", "blinkLeft"),
    ("blink_r", "blinkRight"),
    ("surprised", "surprised"),
];

/// An expression as the file states it.
pub(crate) struct FileExpression {
    /// Name of the preset in VRM 1.0, else the file's own.
    pub name: String,
    /// The file's own name, where it differs.
    own_name: Option<String>,
    /// True if its weight is 0 or 1.
    pub is_binary: bool,
    /// Morph targets.
    pub binds: Vec<Bind>,
}

/// A morph target of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bind {
    /// Mesh that has the target: of VRM 0.x, which names no node.
    pub mesh: Option<usize>,
    /// Node that shows the mesh: of VRM 1.0.
    pub node: Option<usize>,
    /// Number of the target in the mesh.
    pub target: usize,
    /// Weight at full expression; 1 is the whole target.
    pub weight: f32,
}

impl Bind {
    /// True if it moves a target of the mesh that a node shows.
    pub(crate) fn is_of(&self, root: &Root, node: usize) -> bool {
        let shown = || root.nodes.get(node).and_then(|node| node.mesh).map(|mesh| mesh.value());
        match self.node {
            Some(own) => own == node,
            None => self.mesh.is_some() && self.mesh == shown(),
        }
    }

    fn mesh(&self, root: &Root) -> Option<usize> {
        let of_node = || Some(root.nodes.get(self.node?)?.mesh?.value());
        self.mesh.or_else(of_node)
    }
}

/// Names of the morph targets of a mesh after the expressions that use one target alone, by target.
pub(crate) fn target_names(root: &Root, mesh: usize) -> HashMap<usize, String> {
    let mut names = HashMap::new();
    for expression in expressions(root) {
        let mut targets = expression.binds.iter().filter(|bind| bind.mesh(root) == Some(mesh));
        if let (Some(bind), None) = (targets.next(), targets.next()) {
            let name = expression.own_name.unwrap_or(expression.name);
            names.entry(bind.target).or_insert(name);
        }
    }
    names
}

/// Expressions of a VRM file with their morph targets, in file order; empty for other files.
pub(crate) fn expressions(root: &Root) -> Vec<FileExpression> {
    let old = extension(root, VRM_0).and_then(|vrm| vrm.pointer("/blendShapeMaster/blendShapeGroups")?.as_array());
    let old = old.into_iter().flatten().map(of_group);
    let lists = ["preset", "custom"].map(|list| {
        let expressions = extension(root, VRM_1)?.get("expressions")?;
        expressions.get(list)?.as_object()
    });
    let new = lists.into_iter().flatten().flatten();
    let new = new.map(|(name, value)| FileExpression {
        name: name.clone(),
        own_name: None,
        is_binary: is_true(value, "isBinary"),
        binds: binds(value, "morphTargetBinds", 1.0),
    });
    old.chain(new).take(MOST).collect()
}

/// Expression of VRM 0.x.
fn of_group(group: &Value) -> FileExpression {
    let text = |key: &str| group.get(key).and_then(Value::as_str).unwrap_or_default();
    let preset = text("presetName").to_lowercase();
    let known = PRESETS.iter().find(|(old, _)| *old == preset);
    let own = text("name").to_owned();
    FileExpression {
        name: known.map_or_else(|| own.clone(), |(_, new)| (*new).to_owned()),
        own_name: known.map(|_| own),
        is_binary: is_true(group, "isBinary"),
        binds: binds(group, "binds", FULL),
    }
}

fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn binds(expression: &Value, list: &str, full: f64) -> Vec<Bind> {
    let all = expression.get(list).and_then(Value::as_array).into_iter().flatten();
    let bind = |bind: &Value| {
        let number = |key: &str| usize::try_from(bind.get(key)?.as_u64()?).ok();
        let weight = bind.get("weight").and_then(Value::as_f64).unwrap_or(full) / full;
        Some(Bind {
            mesh: number("mesh"),
            node: number("node"),
            target: number("index")?,
            weight: weight.clamp(-1.0, 1.0) as f32,
        })
    };
    all.filter_map(bind).take(MOST).collect()
}

/// Expressions that a VRMA file moves: name and the node whose translation along X is the weight.
pub(crate) fn animated_expressions(root: &Root) -> Vec<(String, usize)> {
    let Some(all) = extension(root, ANIMATION).and_then(|animation| animation.get("expressions")) else {
        return Vec::new();
    };
    let lists = ["preset", "custom"].map(|list| all.get(list).and_then(Value::as_object));
    let named = lists.into_iter().flatten().flatten();
    let node = |value: &Value| usize::try_from(value.get("node")?.as_u64()?).ok();
    named
        .filter_map(|(name, value)| Some((name.clone(), node(value)?)))
        .take(MOST)
        .collect()
}
