//! Skin clusters as glTF skins, and the influences of vertices, any number of them.

use glam::DMat4;
use serde_json::json;
use ufbx::{Matrix, Mesh, Node, SkinDeformer};

use crate::file::fbx::{container::Container, nodes::Nodes};

/// Maximum number of influences that are read of a vertex, the heaviest; later stages keep eight of them.
const MAX_INFLUENCES: usize = 32;

/// Influences of a mesh: its skin, and the entry of vertices without weights.
pub(super) struct MeshSkin<'a> {
    skin: &'a SkinDeformer,
    /// Number of sets of four influences.
    pub sets: usize,
    /// True if some vertex has no weights: it follows the node of the mesh.
    has_free: bool,
}

impl<'a> MeshSkin<'a> {
    /// Skin of a mesh; `None` for a rigid one.
    pub(super) fn of(mesh: &'a Mesh, notes: &mut Vec<String>) -> Option<Self> {
        let mut skins = mesh.skin_deformers.iter().filter(|skin| !skin.clusters.is_empty());
        let skin: &SkinDeformer = skins.next()?.as_ref();
        if skins.next().is_some() {
            let name = &mesh.element.name;
            notes.push(format!(
                "mesh \"{name}\": it has several skins, of which the first is drawn"
            ));
        }
        let counts = (0..mesh.num_vertices).map(|v| skin.vertices.get(v).map_or(0, |v| v.num_weights as usize));
        let most = counts.clone().max().unwrap_or(0);
        let has_free = counts.clone().any(|count| count == 0) || skin.weights.iter().any(|w| w.weight <= 0.0);
        Some(Self {
            skin,
            sets: most.clamp(1, MAX_INFLUENCES).div_ceil(4),
            has_free,
        })
    }

    /// Joint indices and weights of a vertex, padded to the sets.
    pub(super) fn influences(&self, vertex: u32) -> Vec<(u16, f32)> {
        let entry = self.skin.vertices.get(vertex as usize);
        let (first, count) = entry.map_or((0, 0), |v| (v.weight_begin as usize, v.num_weights as usize));
        let weights = self
            .skin
            .weights
            .get(first..first.saturating_add(count))
            .unwrap_or_default();
        // ufbx sorts them, the heaviest first.
        let heaviest = weights.iter().filter(|w| w.weight > 0.0).take(4 * self.sets);
        let mut found: Vec<(u16, f32)> = heaviest.map(|w| (w.cluster_index as u16, w.weight as f32)).collect();
        if found.is_empty() {
            found.push((self.skin.clusters.len() as u16, 1.0));
        }
        found.resize(4 * self.sets, (0, 0.0));
        found
    }

    /// Writes the skin for one node that shows the mesh; returns its index. The error is the problem in words.
    pub(super) fn write(&self, node: &Node, nodes: &Nodes<'_>, container: &mut Container) -> Result<usize, String> {
        let own = nodes.index(node.element.typed_id);
        let own = own.ok_or_else(|| format!("mesh \"{}\" has no node", node.element.name))?;
        let mut joints = Vec::new();
        let mut binds: Vec<f32> = Vec::new();
        let name = &self.skin.element.name;
        if self.skin.clusters.len() >= usize::from(u16::MAX) {
            return Err(format!("skin \"{name}\" has {} clusters", self.skin.clusters.len()));
        }
        for cluster in self.skin.clusters.iter() {
            let bone = cluster.bone_node.as_ref();
            match bone.and_then(|bone| nodes.index(bone.element.typed_id)) {
                Some(joint) => {
                    joints.push(joint);
                    binds.extend(columns(&cluster.geometry_to_bone));
                }
                // A cluster whose bone is gone keeps its vertices where the mesh is.
                None => {
                    joints.push(own);
                    binds.extend(columns(&node.geometry_to_node));
                }
            }
        }
        if self.has_free {
            joints.push(own);
            binds.extend(columns(&node.geometry_to_node));
        }
        let binds = container.floats(&binds, "MAT4", 16);
        let skin = json!({"name": &**name, "joints": joints, "inverseBindMatrices": binds});
        Ok(container.push("skins", skin))
    }
}

/// Columns of an affine matrix, as glTF stores them.
fn columns(m: &Matrix) -> [f32; 16] {
    let columns = [
        [m.m00, m.m10, m.m20, 0.0],
        [m.m01, m.m11, m.m21, 0.0],
        [m.m02, m.m12, m.m22, 0.0],
        [m.m03, m.m13, m.m23, 1.0],
    ];
    DMat4::from_cols_array_2d(&columns).as_mat4().to_cols_array()
}
