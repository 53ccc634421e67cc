//! Node hierarchy, without the root of the scene, cameras and lights.

use serde_json::{Value, json};
use ufbx::{ElementType, Node, Scene, Transform};

/// Nodes that are written.
pub(super) struct Nodes<'a> {
    scene: &'a Scene,
    /// glTF node of each FBX node, by its typed id.
    index_of: Vec<Option<usize>>,
    /// FBX node of each glTF node.
    order: Vec<&'a Node>,
    /// Members besides name, children and transform, by glTF node: mesh, skin, weights, extensions.
    members: Vec<Vec<(&'static str, Value)>>,
}

impl<'a> Nodes<'a> {
    /// Collects the nodes of a scene; all of them, or those with a purpose in a picture.
    pub(super) fn of(scene: &'a Scene, all: bool, notes: &mut Vec<String>) -> Self {
        let mut nodes = Self {
            scene,
            index_of: vec![None; scene.nodes.len()],
            order: Vec::new(),
            members: Vec::new(),
        };
        // ufbx sorts nodes by depth: children come after their parents.
        let mut kept = vec![all; scene.nodes.len()];
        for node in scene.nodes.iter().rev() {
            let at = node.element.typed_id as usize;
            kept[at] |= !is_apparatus(node.attrib_type);
            if let (true, Some(parent)) = (kept[at], &node.parent) {
                kept[parent.element.typed_id as usize] = true;
            }
        }
        for node in scene.nodes.iter().filter(|node| !node.is_root) {
            let node: &'a Node = node.as_ref();
            if kept[node.element.typed_id as usize] {
                nodes.index_of[node.element.typed_id as usize] = Some(nodes.order.len());
                nodes.order.push(node);
                nodes.members.push(Vec::new());
            }
        }
        nodes.hide(notes);
        nodes
    }

    /// Hides what the file hides, and all but the finest of several levels of detail.
    fn hide(&mut self, notes: &mut Vec<String>) {
        // Old files state visibility of other kinds; a character of which nothing is visible is not meant.
        let mut meshes = self.order.iter().filter(|node| node.mesh.is_some());
        let shows_some = meshes.any(|node| node.visible);
        if !shows_some && self.order.iter().any(|node| node.mesh.is_some()) {
            notes.push("every mesh is hidden in the file: all are drawn".to_owned());
        }
        let mut coarse = 0;
        for (at, node) in self.order.iter().enumerate() {
            let group = node.parent.as_ref().filter(|p| p.attrib_type == ElementType::LodGroup);
            let first = group.and_then(|group| group.children.iter().next());
            let is_coarse = first.is_some_and(|first| first.element.typed_id != node.element.typed_id);
            coarse += usize::from(is_coarse);
            if is_coarse || (shows_some && !node.visible) {
                let hidden = json!({"KHR_node_visibility": {"visible": false}});
                self.members[at].push(("extensions", hidden));
            }
        }
        if coarse > 0 {
            notes.push(format!(
                "{coarse} coarser levels of detail are left out: the finest is drawn"
            ));
        }
    }

    /// glTF nodes with their FBX nodes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &'a Node)> + use<'a> {
        self.order.clone().into_iter().enumerate()
    }

    /// glTF node of an FBX node, by its typed id.
    pub(super) fn index(&self, typed_id: u32) -> Option<usize> {
        self.index_of.get(typed_id as usize).copied().flatten()
    }

    /// FBX node of a typed id.
    pub(super) fn node(&self, typed_id: u32) -> Option<&'a Node> {
        Some(self.scene.nodes.get(typed_id as usize)?.as_ref())
    }

    /// Sets a member of a glTF node.
    pub(super) fn set(&mut self, node: usize, key: &'static str, value: Value) {
        self.members[node].push((key, value));
    }

    /// glTF nodes without a parent.
    pub(super) fn roots(&self) -> Vec<usize> {
        let is_root = |node: &&Node| node.parent.as_ref().is_none_or(|parent| parent.is_root);
        let roots = self.order.iter().enumerate().filter(|(_, node)| is_root(node));
        roots.map(|(at, _)| at).collect()
    }

    /// All nodes as glTF; the error is a node whose transform is not finite.
    pub(super) fn finish(self) -> Result<Vec<Value>, String> {
        let mut written = Vec::with_capacity(self.order.len());
        for (at, node) in self.order.iter().enumerate() {
            let transform = &node.local_transform;
            let [t, r, s] = [translation(transform), rotation(transform), scale(transform)];
            if [&t, &r, &s]
                .iter()
                .any(|list| list.iter().any(|value| !value.is_finite()))
            {
                return Err(format!(
                    "node {at} \"{}\": its transform is not finite",
                    node.element.name
                ));
            }
            let mut object = json!({"name": &*node.element.name, "translation": t, "rotation": r, "scale": s});
            let children = node.children.iter();
            let children: Vec<usize> = children.filter_map(|c| self.index(c.element.typed_id)).collect();
            if !children.is_empty() {
                object["children"] = json!(children);
            }
            for (key, value) in &self.members[at] {
                object[*key] = value.clone();
            }
            written.push(object);
        }
        Ok(written)
    }
}

/// True for what a picture is made with: it has no place in a character.
fn is_apparatus(kind: ElementType) -> bool {
    matches!(
        kind,
        ElementType::Camera | ElementType::Light | ElementType::StereoCamera | ElementType::CameraSwitcher
    )
}

/// Translation of a transform (m).
pub(super) fn translation(transform: &Transform) -> Vec<f32> {
    let t = transform.translation;
    [t.x, t.y, t.z].map(|value| value as f32).to_vec()
}

/// Rotation of a transform as a quaternion.
pub(super) fn rotation(transform: &Transform) -> Vec<f32> {
    let q = transform.rotation;
    [q.x, q.y, q.z, q.w].map(|value| value as f32).to_vec()
}

/// Scale of a transform.
pub(super) fn scale(transform: &Transform) -> Vec<f32> {
    let s = transform.scale;
    [s.x, s.y, s.z].map(|value| value as f32).to_vec()
}
