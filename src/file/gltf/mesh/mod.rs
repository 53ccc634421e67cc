//! Transforms all meshes of the scene to rest space and merges them.

pub(crate) mod primitive;
mod space;
mod tangents;
pub(crate) mod uv;

use std::collections::HashMap;

use glam::{DAffine3, DMat3, DMat4, DVec3, Vec3, Vec4};

use crate::{
    file::{
        ModelError,
        gltf::{
            document::Document,
            material::Materials,
            mesh::{
                primitive::PrimitivePart,
                space::{MeshSpace, SkinSpaces},
            },
            morph::{Morphs, NodeMorphs},
            nodes::{Nodes, invert},
            skins::{Rig, Slots},
            vrm,
        },
    },
    model::{
        MOST_INFLUENCES, Mesh, Model, MorphDelta, Skeleton, Socket, Vertex, influences::Reduction, optimize_with_remap,
        padded, smooth_normals,
    },
};

/// Cost of a primitive besides its attributes (elements).
const ELEMENTS_PER_PRIMITIVE: u64 = 64;

/// Node that shows a mesh.
struct NodeInstance {
    node: usize,
    skin: Option<usize>,
    parts: Vec<PrimitivePart>,
}

/// Reads every mesh of the scene; returns a model with skeleton, merged mesh and reduced influences, and whether each
/// skin is stored in one space.
pub(crate) fn read(
    document: &Document<'_>,
    nodes: &Nodes,
    rig: &Rig,
    materials: &Materials,
    morphs: &mut Morphs,
    notes: &mut Vec<String>,
) -> Result<(Model, bool), ModelError> {
    let mut instances = instances(document, nodes, materials, morphs, notes)?;
    let flat = leave_flat(&mut instances);
    let mut merger = Merger {
        document,
        nodes,
        rig,
        slots: Slots::default(),
        mesh: Mesh::default(),
        reduction: Reduction::default(),
        several_spaces: false,
        deltas: Vec::new(),
    };
    merger.add_skinned(&instances)?;
    merger.add_rigid(&instances)?;
    let sockets = merger.sockets()?;
    let one_space = !merger.several_spaces && !merger.slots.passed_over;
    let mut model = merger.finish(sockets, morphs, notes)?;
    if flat {
        smooth_normals(&mut model.mesh);
        model.flat = true;
    }
    Ok((model, one_space))
}

/// True if the whole character is flat shaded. If only parts are, their triangles get corners of their own: a
/// triangle's normal is then that of its corners everywhere.
fn leave_flat(instances: &mut [NodeInstance]) -> bool {
    let mut parts = instances.iter().flat_map(|instance| &instance.parts);
    if parts.all(|part| part.is_flat) {
        return true;
    }
    let parts = instances.iter_mut().flat_map(|instance| &mut instance.parts);
    parts.filter(|part| part.is_flat).for_each(primitive::flat_shade);
    false
}

fn instances(
    document: &Document<'_>,
    nodes: &Nodes,
    materials: &Materials,
    morphs: &Morphs,
    notes: &mut Vec<String>,
) -> Result<Vec<NodeInstance>, ModelError> {
    let none = NodeMorphs::default();
    let mut found = Vec::new();
    for &node in nodes.order.iter().filter(|&&n| nodes.in_scene[n] && !nodes.hidden[n]) {
        let source = &document.root.nodes[node];
        let Some(mesh) = source.mesh else { continue };
        let place = format!("node {node} \"{}\"", nodes.names[node]);
        let missing = |what: String| document.content(&place, format!("its {what} does not exist"));
        let content = document
            .root
            .meshes
            .get(mesh.value())
            .ok_or_else(|| missing(format!("mesh {mesh}")))?;
        if source.skin.is_some_and(|s| s.value() >= document.root.skins.len()) {
            return Err(missing("skin".into()));
        }
        let is_hidden = content
            .name
            .as_ref()
            .is_some_and(|name| document.hide.contains(&name.to_lowercase()));
        if is_hidden {
            continue;
        }
        let node_morphs = morphs.nodes.get(&node).unwrap_or(&none);
        let mut parts = Vec::new();
        for (index, primitive) in content.primitives.iter().enumerate() {
            // Many nodes that show one mesh of many primitives could ask for any amount of work.
            document.spend(ELEMENTS_PER_PRIMITIVE, &place)?;
            let name = content.name.as_deref().unwrap_or_default();
            let place = format!("mesh {mesh} \"{name}\", primitive {index}");
            let material = primitive.material.map_or(materials.default_index(), |m| m.value());
            let needs = materials.needs.get(material);
            let needs =
                needs.ok_or_else(|| document.content(&place, format!("its material {material} does not exist")))?;
            parts.extend(primitive::read(
                document,
                primitive,
                place,
                material as u8,
                needs,
                node_morphs,
                notes,
            )?);
        }
        found.push(NodeInstance {
            node,
            skin: source.skin.map(|s| s.value()),
            parts,
        });
    }
    Ok(found)
}

struct Merger<'a> {
    document: &'a Document<'a>,
    nodes: &'a Nodes,
    rig: &'a Rig,
    slots: Slots,
    mesh: Mesh,
    reduction: Reduction,
    /// True if a skin is stored in more than one space.
    several_spaces: bool,
    /// Displacements of animated morph targets, with the target's index.
    deltas: Vec<(u32, MorphDelta)>,
}

impl Merger<'_> {
    fn add_skinned(&mut self, instances: &[NodeInstance]) -> Result<(), ModelError> {
        let mut by_skin: Vec<Vec<&PrimitivePart>> = vec![Vec::new(); self.rig.skins.len()];
        for instance in instances {
            let parts = instance.parts.iter().filter(|p| !p.influences.is_empty());
            if let Some(skin) = instance.skin {
                by_skin[skin].extend(parts);
            }
        }
        for (skin, parts) in by_skin.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            self.add_skin(skin, parts)?;
        }
        Ok(())
    }

    fn add_skin(&mut self, index: usize, parts: &[&PrimitivePart]) -> Result<(), ModelError> {
        let skin = &self.rig.skins[index];
        if skin.joints.is_empty() {
            return Err(self.document.content(format!("skin {index}"), "has no joints"));
        }
        let spaces = SkinSpaces::of(skin, parts, self.nodes, &mut self.slots);
        self.several_spaces |= spaces.spaces.len() > 1;
        let mut slot_of: HashMap<(usize, u32), u16> = HashMap::new();
        for part in parts {
            let space_of = |v: usize| spaces.of_vertex(part, v);
            let base = self.push_vertices(part, &spaces.spaces, space_of)?;
            for v in 0..part.positions.len() {
                let number = space_of(v);
                let space = &spaces.spaces[number];
                let found = self.influences_of(part, v, index, number, space, &mut slot_of)?;
                let vertex = &mut self.mesh.vertices[base + v];
                (vertex.joints, vertex.weights) = self.reduction.reduce(base + v, found);
            }
        }
        Ok(())
    }

    /// Slots and weights of a vertex as in the file, without zero weights.
    fn influences_of(
        &mut self,
        part: &PrimitivePart,
        v: usize,
        skin_index: usize,
        number: usize,
        space: &MeshSpace,
        slot_of: &mut HashMap<(usize, u32), u16>,
    ) -> Result<Vec<(u16, f32)>, ModelError> {
        let skin = &self.rig.skins[skin_index];
        let fail = |problem: String| self.document.content(&part.place, format!("vertex {v}: {problem}"));
        let mut found = Vec::with_capacity(4 * part.influences.len());
        for set in &part.influences {
            for (&joint, &weight) in set.joints[v].iter().zip(&set.weights[v]) {
                self.reduction.not_finite += usize::from(!weight.is_finite());
                if weight > 0.0 && weight.is_finite() {
                    found.push((joint, weight));
                }
            }
        }
        if found.is_empty() {
            self.reduction.unweighted += 1;
            found.push((0, 1.0));
        }
        let mut slots = Vec::with_capacity(found.len());
        for (joint, weight) in found {
            let slot = match slot_of.get(&(number, joint)) {
                Some(&slot) => slot,
                None => {
                    let node = skin.joints.get(joint as usize);
                    let node = *node.ok_or_else(|| {
                        fail(format!(
                            "joint index {joint} is out of range (its skin has {})",
                            skin.joints.len()
                        ))
                    })?;
                    let bind = skin.inverse_binds[joint as usize] * space.part_from_mesh;
                    let slot = self
                        .slots
                        .slot(node, bind)
                        .ok_or_else(|| too_many_slots(self.document))?;
                    slot_of.insert((number, joint), slot);
                    slot
                }
            };
            slots.push((slot, weight));
        }
        Ok(slots)
    }

    fn add_rigid(&mut self, instances: &[NodeInstance]) -> Result<(), ModelError> {
        for instance in instances {
            for part in &instance.parts {
                if instance.skin.is_none() || part.influences.is_empty() {
                    let (slot, space) = self.carry(instance.node)?;
                    let base = self.push_vertices(part, &[MeshSpace::new(space)], |_| 0)?;
                    for vertex in &mut self.mesh.vertices[base..] {
                        vertex.joints = [slot; MOST_INFLUENCES];
                        vertex.weights = padded([1.0], 0.0);
                    }
                }
            }
        }
        Ok(())
    }

    /// Slot that moves a node rigidly, and `mesh_from_node`.
    fn carry(&mut self, node: usize) -> Result<(u16, DAffine3), ModelError> {
        let (carrier, carrier_from_node) = self.rig.carriers[node];
        let bind = self.slots.joint_from_mesh(self.nodes, carrier);
        // A carrier that is flat at rest (scaled to zero until its clip shows it) keeps its own space.
        let (bind, mesh_from_carrier) = bind
            .and_then(|b| invert(b).map(|inverse| (b, inverse)))
            .unwrap_or((DAffine3::IDENTITY, DAffine3::IDENTITY));
        let slot = self
            .slots
            .slot(carrier, bind)
            .ok_or_else(|| too_many_slots(self.document))?;
        Ok((slot, mesh_from_carrier * carrier_from_node))
    }

    /// Appends a part's vertices in rest space; returns the index of the first. `space_of` numbers the space of each.
    fn push_vertices(
        &mut self,
        part: &PrimitivePart,
        spaces: &[MeshSpace],
        space_of: impl Fn(usize) -> usize,
    ) -> Result<usize, ModelError> {
        let base = self.mesh.vertices.len();
        let first = u32::try_from(base + part.positions.len()).map(|_| base as u32);
        let first = first.map_err(|_| {
            self.document
                .content(&part.place, "the character has more than 2³² vertices")
        })?;
        for v in 0..part.positions.len() {
            let space = &spaces[space_of(v)];
            let position = space
                .mesh_from_part
                .transform_point3(part.positions[v].as_dvec3())
                .as_vec3();
            if !position.is_finite() {
                return Err(self
                    .document
                    .content(&part.place, format!("vertex {v}: its position overflows")));
            }
            let normal = (space.cofactor * part.normals[v].as_dvec3())
                .normalize_or(DVec3::Y)
                .as_vec3();
            let tangent = part.tangents.get(v).map_or(Vec4::ZERO, |t| {
                let moved = (space.mesh_from_part.matrix3 * t.truncate().as_dvec3()).as_vec3();
                let moved = moved.normalize_or(tangents::fallback(normal).truncate());
                moved.extend(if space.mirrored { -t.w } else { t.w })
            });
            self.mesh.vertices.push(Vertex {
                position,
                normal,
                tangent,
                uv: part.uvs[v],
                uv1: part.uv1s.get(v).copied().unwrap_or_default(),
                color: part.colors[v],
                material: part.material,
                ..Vertex::default()
            });
            self.push_deltas(part, v, base, space);
        }
        for triangle in part.indices.chunks_exact(3) {
            let mirrored = spaces[space_of(triangle[0] as usize)].mirrored;
            let [a, b, c] = [0, 1, 2].map(|k| triangle[k] + first);
            self.mesh.indices.extend(if mirrored { [a, c, b] } else { [a, b, c] });
        }
        Ok(base)
    }

    /// Stores the displacements of a vertex by a part's targets, in rest space.
    fn push_deltas(&mut self, part: &PrimitivePart, v: usize, base: usize, space: &MeshSpace) {
        for (morph, target) in &part.morphs {
            let of = |list: &[Vec3]| list.get(v).copied().unwrap_or(Vec3::ZERO).as_dvec3();
            let (position, normal) = (of(&target.positions), of(&target.normals));
            let along = part.tangents.get(v).map(|t| t.truncate().as_dvec3());
            let tangent = along.map_or(DVec3::ZERO, |_| of(&target.tangents));
            if position == DVec3::ZERO && normal == DVec3::ZERO && tangent == DVec3::ZERO {
                continue;
            }
            // The stored normal is the cofactor's image made unit length again, the stored tangent that of the space
            // itself.
            let (linear, cofactor) = (space.mesh_from_part.matrix3, space.cofactor);
            let inverse = |length: f64| if length > 0.0 { 1.0 / length } else { 0.0 };
            let scale = inverse((cofactor * part.normals[v].as_dvec3()).length());
            let length_scale = along.map_or(0.0, |t| inverse((linear * t).length()));
            let delta = MorphDelta {
                vertex: (base + v) as u32,
                position: (linear * position).as_vec3(),
                normal: (cofactor * normal * scale).as_vec3(),
                tangent: (linear * tangent * length_scale).as_vec3(),
            };
            self.deltas.push((*morph, delta));
        }
    }

    fn sockets(&mut self) -> Result<Vec<Socket>, ModelError> {
        let mut sockets = Vec::new();
        for &node in self.nodes.order.iter().filter(|&&n| self.nodes.in_scene[n]) {
            if let Some(name) = self.nodes.names[node].strip_prefix("socket_") {
                let (slot, mesh_from_socket) = self.carry(node)?;
                sockets.push(Socket {
                    name: name.to_owned(),
                    slot: u32::from(slot),
                    mesh_from_socket: DMat4::from(mesh_from_socket).as_mat4(),
                });
            }
        }
        Ok(sockets)
    }

    fn finish(
        mut self,
        mut sockets: Vec<Socket>,
        morphs: &mut Morphs,
        notes: &mut Vec<String>,
    ) -> Result<Model, ModelError> {
        notes.extend(self.reduction.notes());
        let (slots, remap) = self.slots.finish(self.rig).map_err(|node| {
            self.document
                .content(format!("node {node}"), "has a mesh but is not a joint")
        })?;
        for vertex in &mut self.mesh.vertices {
            vertex.joints = vertex.joints.map(|slot| remap[usize::from(slot)]);
        }
        for socket in &mut sockets {
            socket.slot = u32::from(remap[socket.slot as usize]);
        }
        let skeleton = Skeleton {
            joints: self.rig.joints.clone(),
            slots,
            sockets,
            bones: vrm::human_bones(self.document, &self.rig.joint_of),
            ..Skeleton::default()
        };
        if self.mesh.has_tangents() {
            // Files written later must have tangents on all vertices or none.
            let without = self.mesh.vertices.iter_mut().filter(|v| v.tangent == Vec4::ZERO);
            without.for_each(|v| v.tangent = tangents::fallback(v.normal));
        }
        let mut apart = vec![0; self.mesh.vertices.len()];
        for (_, delta) in &self.deltas {
            apart[delta.vertex as usize] = delta.vertex + 1;
        }
        let (mesh, vertex_remap) = optimize_with_remap(&self.mesh, &apart);
        if mesh.indices.is_empty() {
            let problem = match self.document.root.animations.is_empty() {
                _ if !self.document.hide.is_empty() => "is empty without the hidden parts; hide fewer",
                true => "has no triangles; export the character's meshes",
                false => {
                    "has clips and no triangles; play its clips on a character: throng view CHARACTER --animations FILE"
                }
            };
            return Err(self.document.content("scene", problem));
        }
        for (morph, delta) in self.deltas {
            if let Some(vertex) = vertex_remap[delta.vertex as usize] {
                let delta = MorphDelta { vertex, ..delta };
                morphs.list[morph as usize].deltas.push(delta);
            }
        }
        for morph in &mut morphs.list {
            morph.deltas.sort_by_key(|d| d.vertex);
        }
        let reduced = self.reduction.finish(&vertex_remap, &remap);
        Ok(Model {
            skeleton,
            mesh,
            reduced,
            ..Model::default()
        })
    }
}

fn too_many_slots(document: &Document<'_>) -> ModelError {
    document.content(
        "skins",
        "more than 65536 distinct joint matrices are in use; split the file into characters",
    )
}

/// Cofactor matrix `det(m) * transpose(inverse(m))`, defined for singular matrices too: transforms normals by `m`.
fn cofactor(m: DMat3) -> DMat3 {
    DMat3::from_cols(
        m.y_axis.cross(m.z_axis),
        m.z_axis.cross(m.x_axis),
        m.x_axis.cross(m.y_axis),
    )
}
