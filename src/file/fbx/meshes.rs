//! Polygon meshes as glTF meshes: triangles, one primitive for each material.

use std::collections::{HashMap, HashSet};

use glam::{Vec2, Vec3, Vec4};
use serde_json::{Map, Value, json};
use ufbx::{Mesh, Node, Scene};

use crate::{
    file::fbx::{
        clips::SampledClip,
        container::Container,
        materials::Materials,
        nodes::Nodes,
        shapes::{self, ShapeDisplacements, ShapeTarget, vector},
        skins::MeshSkin,
    },
    model::linear_from_srgb,
};

/// Number of sets of texture coordinates that are written.
const UV_SETS: usize = 2;

/// Meshes that are written, each once for the materials that its nodes give it.
pub(super) struct Meshes<'a, 'm> {
    scene: &'a Scene,
    materials: Option<&'m Materials>,
    /// Blend channels that clips change, by element id.
    animated: HashSet<u32>,
    /// glTF mesh of each (mesh, materials) pair, by typed ids.
    written: HashMap<(u32, Vec<u32>), usize>,
    /// Targets of the mesh that each glTF node shows.
    pub targets: HashMap<usize, Vec<ShapeTarget<'a>>>,
}

impl<'a, 'm> Meshes<'a, 'm> {
    /// No meshes yet.
    pub(super) fn new(scene: &'a Scene, materials: &'m Materials, clips: &[SampledClip]) -> Self {
        Self {
            materials: Some(materials),
            animated: clips.iter().flat_map(SampledClip::changed_shapes).collect(),
            ..Self::none(scene)
        }
    }

    /// No meshes at all, for a file that is read for its clips.
    pub(super) fn none(scene: &'a Scene) -> Self {
        Self {
            scene,
            materials: None,
            animated: HashSet::new(),
            written: HashMap::new(),
            targets: HashMap::new(),
        }
    }

    /// Writes the mesh and the skin of every node. The error is the problem in words.
    pub(super) fn write(
        &mut self,
        nodes: &mut Nodes<'a>,
        container: &mut Container,
        notes: &mut Vec<String>,
    ) -> Result<(), String> {
        let mut skins: HashMap<u32, Option<MeshSkin<'a>>> = HashMap::new();
        for (index, node) in nodes.iter() {
            let Some(mesh) = node.mesh.as_ref() else { continue };
            let mesh: &'a Mesh = &self.scene.meshes[mesh.element.typed_id as usize];
            let skin = skins.entry(mesh.element.typed_id);
            let skin = &*skin.or_insert_with(|| MeshSkin::of(mesh, notes));
            let of_node: Vec<u32> = node.materials.iter().map(|m| m.element.typed_id).collect();
            let key = (mesh.element.typed_id, of_node);
            let written = match self.written.get(&key) {
                Some(&written) => Some(written),
                None => self.write_mesh(mesh, node, skin.as_ref(), container),
            };
            let Some(written) = written else { continue };
            self.written.insert(key, written);
            nodes.set(index, "mesh", json!(written));
            let targets = shapes::targets(mesh, &self.animated);
            if !targets.is_empty() {
                self.targets.insert(index, targets);
            }
            if let Some(skin) = skin {
                let skin = skin.write(node, nodes, container)?;
                nodes.set(index, "skin", json!(skin));
            }
        }
        Ok(())
    }

    /// Writes a mesh; `None` for one without triangles.
    fn write_mesh(
        &self,
        mesh: &'a Mesh,
        node: &Node,
        skin: Option<&MeshSkin<'a>>,
        container: &mut Container,
    ) -> Option<usize> {
        let targets = shapes::targets(mesh, &self.animated);
        let displacements = ShapeDisplacements::of(mesh, &targets);
        let mut primitives = Vec::new();
        let all: Vec<u32> = (0..mesh.num_faces as u32).collect();
        let parts = mesh.material_parts.iter().filter(|part| part.num_triangles > 0);
        let mut parts: Vec<(usize, &[u32])> = parts.map(|part| (part.index as usize, &*part.face_indices)).collect();
        if mesh.material_parts.is_empty() {
            parts.push((0, &all));
        }
        for (index, faces) in parts {
            let material = node.materials.get(index);
            let material = material.and_then(|m| self.materials?.index(m.element.typed_id));
            let colored = material.is_none_or(|m| self.materials.is_some_and(|all| all.shows_colors(m)));
            let primitive = Primitive::of(mesh, faces, colored);
            if primitive.indices.is_empty() {
                continue;
            }
            let mut written = json!({"attributes": primitive.write(skin, container)});
            written["indices"] = json!(container.indices(&primitive.indices));
            if let Some(material) = material {
                written["material"] = json!(material);
            }
            if !targets.is_empty() {
                written["targets"] = displacements.write(&primitive.vertices, container).into();
            }
            primitives.push(written);
        }
        if primitives.is_empty() {
            return None;
        }
        let mut object = json!({"name": &*mesh.element.name, "primitives": primitives});
        if mesh.element.name.is_empty() {
            object["name"] = json!(&*node.element.name);
        }
        if !targets.is_empty() {
            object["weights"] = json!(shapes::rest_weights(&targets));
            object["extras"] = json!({"targetNames": shapes::names(&targets)});
        }
        Some(container.push("meshes", object))
    }
}

/// Attributes of one corner of a polygon.
#[derive(Clone, Copy, Default)]
struct Corner {
    normal: Option<Vec3>,
    uvs: [Vec2; UV_SETS],
    color: Vec4,
}

impl Corner {
    /// Bits of all attributes, by which equal corners of a vertex are found.
    fn bits(&self) -> [u32; 3 + 2 * UV_SETS + 4] {
        let [a, b] = self.uvs;
        let n = self.normal.unwrap_or_default();
        let c = self.color;
        [n.x, n.y, n.z, a.x, a.y, b.x, b.y, c.x, c.y, c.z, c.w].map(f32::to_bits)
    }
}

/// Triangles of one material with shared corners.
struct Primitive<'a> {
    mesh: &'a Mesh,
    /// Vertex of the mesh that each corner belongs to.
    vertices: Vec<u32>,
    corners: Vec<Corner>,
    indices: Vec<u32>,
    colored: bool,
}

impl<'a> Primitive<'a> {
    fn of(mesh: &'a Mesh, faces: &[u32], colored: bool) -> Self {
        let colored = colored && mesh.vertex_color.exists;
        let mut primitive = Self {
            mesh,
            vertices: Vec::new(),
            corners: Vec::new(),
            indices: Vec::new(),
            colored,
        };
        let mut known = HashMap::new();
        let mut triangles = Vec::new();
        let holes = &mesh.face_hole;
        for &face in faces.iter().filter(|&&face| holes.get(face as usize) != Some(&true)) {
            let Some(&face) = mesh.faces.get(face as usize) else {
                continue;
            };
            if face.num_indices < 3 {
                continue;
            }
            let count = ufbx::triangulate_face_vec(&mut triangles, mesh, face) as usize;
            for &index in triangles.iter().take(3 * count) {
                primitive.push(index as usize, &mut known);
            }
        }
        primitive
    }

    fn push(&mut self, index: usize, known: &mut HashMap<(u32, [u32; 11]), u32>) {
        let mesh = self.mesh;
        let vertex = mesh.vertex_indices.get(index).copied().unwrap_or_default();
        let mut corner = Corner {
            normal: at(&mesh.vertex_normal.values, &mesh.vertex_normal.indices, index).map(vector),
            ..Corner::default()
        };
        for (uv, set) in corner.uvs.iter_mut().zip(mesh.uv_sets.iter()) {
            let found = at(&set.vertex_uv.values, &set.vertex_uv.indices, index);
            // glTF counts rows of pixels from the top.
            *uv = found.map_or(Vec2::ZERO, |uv| Vec2::new(uv.x as f32, 1.0 - uv.y as f32));
        }
        if self.colored {
            let color = at(&mesh.vertex_color.values, &mesh.vertex_color.indices, index);
            let linear = |value: f64| linear_from_srgb(value.clamp(0.0, 1.0) as f32);
            corner.color = color.map_or(Vec4::ONE, |c| Vec4::new(linear(c.x), linear(c.y), linear(c.z), 1.0));
        }
        let next = self.corners.len() as u32;
        let place = *known.entry((vertex, corner.bits())).or_insert(next);
        if place == next {
            self.vertices.push(vertex);
            self.corners.push(corner);
        }
        self.indices.push(place);
    }

    /// Writes all attributes.
    fn write(&self, skin: Option<&MeshSkin<'_>>, container: &mut Container) -> Value {
        let mut attributes = Map::new();
        let mut set = |name: String, accessor: usize| attributes.insert(name, json!(accessor));
        let place = |&v: &u32| self.mesh.vertices.get(v as usize).map_or(Vec3::ZERO, |p| vector(*p));
        let positions: Vec<Vec3> = self.vertices.iter().map(place).collect();
        set("POSITION".into(), container.vectors(&positions));
        if self.corners.iter().all(|corner| corner.normal.is_some()) {
            let normals: Vec<Vec3> = self.corners.iter().filter_map(|corner| corner.normal).collect();
            set("NORMAL".into(), container.vectors(&normals));
        }
        for number in 0..self.mesh.uv_sets.len().min(UV_SETS) {
            let uvs: Vec<Vec2> = self.corners.iter().map(|corner| corner.uvs[number]).collect();
            let accessor = container.floats(bytemuck::cast_slice(&uvs), "VEC2", 2);
            set(format!("TEXCOORD_{number}"), accessor);
        }
        if self.colored {
            let colors: Vec<Vec4> = self.corners.iter().map(|corner| corner.color).collect();
            set(
                "COLOR_0".into(),
                container.floats(bytemuck::cast_slice(&colors), "VEC4", 4),
            );
        }
        let Some(skin) = skin else { return attributes.into() };
        let mut joints = vec![Vec::with_capacity(self.vertices.len()); skin.sets];
        let mut weights = joints.iter().map(|_| Vec::<f32>::new()).collect::<Vec<_>>();
        for &vertex in &self.vertices {
            for (number, four) in skin.influences(vertex).chunks_exact(4).enumerate() {
                joints[number].push([four[0].0, four[1].0, four[2].0, four[3].0]);
                weights[number].extend(four.iter().map(|influence| influence.1));
            }
        }
        for (number, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
            set(format!("JOINTS_{number}"), container.joints(joints));
            set(format!("WEIGHTS_{number}"), container.floats(weights, "VEC4", 4));
        }
        attributes.into()
    }
}

/// Value of an attribute at a corner of the mesh; `None` if the mesh lacks it.
fn at<T: Copy>(values: &[T], indices: &[u32], corner: usize) -> Option<T> {
    values.get(*indices.get(corner)? as usize).copied()
}
