//! Reads a baked file exactly as written: palette slots must keep their order, since they index the atlas.
//! No step of the import (normalising, welding, sorting) is repeated.

use ::gltf::json::{
    self,
    mesh::{Mode, Semantic},
    validation::Checked,
};
use glam::{Mat4, Vec3, Vec4};
use serde::Deserialize;

use crate::{
    file::{
        ModelError,
        gltf::{
            clip,
            document::Document,
            material::Materials,
            mesh::primitive::{self, PrimitivePart},
            morph::Morphs,
            nodes::Nodes,
            vrm,
        },
    },
    model::{
        Clip, ClipEvent, Joint, LazyList, MOST_INFLUENCES, Mesh, Model, MorphDelta, PaletteSlot, Skeleton, Socket,
        USUAL_INFLUENCES, Vertex, Wrap, smooth_normals,
    },
};

/// Name of the extension that baked files carry.
pub const EXTENSION: &str = "THRONG_animation_atlas";

/// Version of the extension that is written, and the newest that is read.
pub const VERSION: u64 = 2;

/// Extension of a baked file: its JSON, and the content of the buffer views that it names.
pub struct BakedExtension<'a> {
    document: Document<'a>,
    /// JSON object of the extension.
    pub json: json::Value,
}

impl<'a> BakedExtension<'a> {
    /// Moves the extension out of a parsed file, if it has one.
    pub(crate) fn of(mut document: Document<'a>) -> Option<Self> {
        let json = document.root.extensions.as_mut()?.others.remove(EXTENSION)?;
        Some(Self { document, json })
    }

    /// Bytes of a buffer view.
    ///
    /// # Errors
    /// The view does not exist or reaches past its buffer.
    pub fn view(&self, index: usize) -> Result<&[u8], ModelError> {
        self.document.raw_view(index).map_err(|problem| self.error(problem))
    }

    /// Buffer view of a LOD; the error is the problem in words.
    pub(crate) fn lod_view(&self, index: usize) -> Result<&[u8], String> {
        self.document.lod_view(index)
    }

    /// Buffer view as little-endian words. For a file opened for drawing, they are copied out of it on first use.
    ///
    /// # Errors
    /// As [`BakedExtension::view`].
    pub fn words(&self, index: usize) -> Result<LazyList<u32>, ModelError> {
        let view = self.view(index)?;
        match &self.document.whole {
            Some(whole) => Ok(whole.later(view, words)),
            None => Ok(words(view).into()),
        }
    }

    /// Buffer view as bytes.
    ///
    /// # Errors
    /// As [`BakedExtension::view`].
    pub fn bytes(&self, index: usize) -> Result<LazyList<u8>, ModelError> {
        let view = self.view(index)?;
        match &self.document.whole {
            Some(whole) => Ok(whole.later(view, <[u8]>::to_vec)),
            None => Ok(view.to_vec().into()),
        }
    }

    /// Makes an error about the extension.
    #[must_use]
    pub fn error(&self, problem: impl Into<String>) -> ModelError {
        self.document.content(EXTENSION, problem)
    }
}

/// Converts bytes to little-endian words; trailing bytes are ignored.
fn words(bytes: &[u8]) -> Vec<u32> {
    let (whole, _) = bytes.as_chunks::<4>();
    whole.iter().map(|&w| u32::from_le_bytes(w)).collect()
}

/// Part of the extension that the model needs.
#[derive(Deserialize)]
struct Core {
    skeleton: SkeletonJson,
    /// Number of influences of a vertex; older files have no such number and four influences.
    #[serde(default = "four")]
    influences: usize,
    /// True if the character is flat shaded and written without normals.
    #[serde(default)]
    flat: bool,
    clips: Vec<ClipJson>,
}

fn four() -> usize {
    USUAL_INFLUENCES
}

#[derive(Deserialize)]
struct SkeletonJson {
    /// Node of each joint.
    joints: Vec<usize>,
    /// Joint of each slot.
    slots: Vec<u32>,
    attachments: Vec<AttachmentJson>,
}

#[derive(Deserialize)]
struct AttachmentJson {
    name: String,
    slot: u32,
    matrix: [f32; 16],
}

#[derive(Deserialize)]
struct ClipJson {
    name: String,
    #[serde(default)]
    animation: Option<usize>,
    duration: f32,
    #[serde(default)]
    wrap: Wrap,
    #[serde(default)]
    speed: f32,
    #[serde(default)]
    turn: f32,
    #[serde(default)]
    events: Vec<ClipEvent>,
}

/// JSON object of the extension in a parsed file.
pub(crate) fn object<'a>(document: &'a Document<'_>) -> Option<&'a json::Value> {
    document.root.extensions.as_ref()?.others.get(EXTENSION)
}

/// Reads skeleton, mesh and clips of a baked file.
pub(crate) fn read(
    document: &Document<'_>,
    nodes: &Nodes,
    materials: &Materials,
    extension: &json::Value,
) -> Result<Model, ModelError> {
    let core = core(document, extension)?;
    let joint_of = joint_of(document, &core.skeleton.joints, nodes)?;
    let skeleton = skeleton(document, nodes, &core.skeleton, &joint_of)?;
    let mut morphs = Morphs::read(document, nodes, true)?;
    let mesh = mesh(
        document,
        materials,
        &mut morphs,
        skeleton.slots.len(),
        core.influences,
        core.flat,
    )?;
    let clips = clips(document, &joint_of, &morphs, core.clips)?;
    Ok(Model {
        skeleton,
        mesh,
        flat: core.flat,
        clips,
        morphs: morphs.list,
        ..Model::default()
    })
}

/// Reads the clips of a baked file only.
pub(crate) fn read_clips(
    document: &Document<'_>,
    nodes: &Nodes,
    extension: &json::Value,
) -> Result<Vec<Clip>, ModelError> {
    let core = core(document, extension)?;
    let joint_of = joint_of(document, &core.skeleton.joints, nodes)?;
    let morphs = Morphs::read(document, nodes, true)?;
    clips(document, &joint_of, &morphs, core.clips)
}

/// Reads the joints and clips of a baked file only.
pub(crate) fn read_motion(
    document: &Document<'_>,
    nodes: &Nodes,
    extension: &json::Value,
) -> Result<(Skeleton, Vec<Clip>), ModelError> {
    let core = core(document, extension)?;
    let joint_of = joint_of(document, &core.skeleton.joints, nodes)?;
    let skeleton = skeleton(document, nodes, &core.skeleton, &joint_of)?;
    Ok((skeleton, clips(document, &joint_of, &Morphs::default(), core.clips)?))
}

fn core(document: &Document<'_>, extension: &json::Value) -> Result<Core, ModelError> {
    let fail = |problem: String| document.content(EXTENSION, problem);
    let version = extension.get("version").and_then(json::Value::as_u64);
    if version.is_none_or(|v| v == 0 || v > VERSION) {
        let found = version.map_or("without a version".into(), |v| format!("of version {v}"));
        return Err(fail(format!(
            "is {found}, but this program supports versions up to {VERSION}; bake the character again"
        )));
    }
    Core::deserialize(extension).map_err(|e| fail(format!("is invalid: {e}")))
}

/// Joint of each node.
fn joint_of(document: &Document<'_>, joints: &[usize], nodes: &Nodes) -> Result<Vec<Option<u32>>, ModelError> {
    let fail = |problem: String| document.content(EXTENSION, problem);
    let mut joint_of = vec![None; nodes.parents.len()];
    for (joint, &node) in joints.iter().enumerate() {
        let place = joint_of
            .get_mut(node)
            .ok_or_else(|| fail(format!("joint {joint} refers to node {node}, which does not exist")))?;
        if place.replace(joint as u32).is_some() {
            return Err(fail(format!("node {node} is listed as a joint twice")));
        }
    }
    Ok(joint_of)
}

fn skeleton(
    document: &Document<'_>,
    nodes: &Nodes,
    core: &SkeletonJson,
    joint_of: &[Option<u32>],
) -> Result<Skeleton, ModelError> {
    let fail = |problem: String| document.content(EXTENSION, problem);
    let mut joints = Vec::with_capacity(core.joints.len());
    for (index, &node) in core.joints.iter().enumerate() {
        let parent = nodes.parents[node].and_then(|p| joint_of[p]);
        if parent.is_some_and(|p| p as usize >= index) {
            return Err(fail(format!("joint {index} precedes its parent")));
        }
        joints.push(Joint {
            name: nodes.names[node].clone(),
            parent,
            rest: nodes.rest[node],
        });
    }
    let skin = document.root.skins.first().and_then(|s| s.inverse_bind_matrices);
    let binds = document.floats::<16>(skin.ok_or_else(|| fail("its skin is missing".into()))?, "skin 0")?;
    if binds.len() != core.slots.len() || binds.is_empty() || binds.len() > 1 << 16 {
        return Err(fail(format!(
            "has {} slots but {} inverse bind matrices",
            core.slots.len(),
            binds.len()
        )));
    }
    let slots: Vec<PaletteSlot> = core
        .slots
        .iter()
        .zip(binds)
        .map(|(&joint, bind)| PaletteSlot {
            joint,
            inverse_bind: Mat4::from_cols_array(&bind),
        })
        .collect();
    if slots
        .iter()
        .any(|s| s.joint as usize >= joints.len() || !s.inverse_bind.is_finite())
    {
        return Err(fail("a palette slot is out of range".into()));
    }
    let socket = |a: &AttachmentJson| Socket {
        name: a.name.clone(),
        slot: a.slot,
        mesh_from_socket: Mat4::from_cols_array(&a.matrix),
    };
    let sockets: Vec<Socket> = core.attachments.iter().map(socket).collect();
    if sockets
        .iter()
        .any(|s| s.slot as usize >= slots.len() || !s.mesh_from_socket.is_finite())
    {
        return Err(fail("an attachment is out of range".into()));
    }
    Ok(Skeleton {
        joints,
        slots,
        sockets,
        bones: vrm::human_bones(document, joint_of),
        ..Skeleton::default()
    })
}

fn mesh(
    document: &Document<'_>,
    materials: &Materials,
    morphs: &mut Morphs,
    slots: usize,
    influences: usize,
    flat: bool,
) -> Result<Mesh, ModelError> {
    let primitives = document.root.meshes.first().map_or(&[][..], |m| &m.primitives);
    let node_morphs = morphs.nodes.values().next().cloned().unwrap_or_default();
    let mut mesh = Mesh::default();
    for (index, primitive) in primitives.iter().enumerate() {
        let place = format!("mesh 0, primitive {index}");
        let edited = || document.content(&place, "was modified after baking; bake the character again");
        let material = primitive.material.map_or(usize::MAX, |m| m.value());
        let needs = materials.needs.get(material).ok_or_else(edited)?;
        // Other modes would be read with other vertices than the stored indices refer to.
        let triangles = primitive.mode == Checked::Valid(Mode::Triangles);
        let has_normals = primitive.attributes.contains_key(&Checked::Valid(Semantic::Normals));
        if !triangles || has_normals == flat || primitive.attributes != primitives[0].attributes {
            return Err(edited());
        }
        if index == 0 {
            let part = primitive::read(
                document,
                primitive,
                place.clone(),
                0,
                needs,
                &node_morphs,
                &mut Vec::new(),
            )?;
            let stated = |part: &PrimitivePart| part.influences.len() * USUAL_INFLUENCES == influences;
            let part = part.filter(stated).ok_or_else(edited)?;
            mesh.vertices = vertices(&part, slots).ok_or_else(edited)?;
            read_deltas(&part, morphs);
        }
        let indices = document.integers::<1>(primitive.indices.ok_or_else(edited)?, &place)?;
        for &[i] in &indices {
            mesh.vertices.get_mut(i as usize).ok_or_else(edited)?.material = material as u8;
        }
        let whole = indices.len() / 3 * 3;
        mesh.indices.extend(indices[..whole].as_flattened());
    }
    if mesh.indices.is_empty() {
        return Err(document.content("mesh 0", "has no triangles"));
    }
    if flat {
        smooth_normals(&mut mesh);
    }
    Ok(mesh)
}

/// Reads the displacements of the morph targets as stored.
fn read_deltas(part: &PrimitivePart, morphs: &mut Morphs) {
    for (morph, target) in &part.morphs {
        let Some(morph) = morphs.list.get_mut(*morph as usize) else {
            continue;
        };
        let of = |list: &[Vec3], v: usize| list.get(v).copied().unwrap_or(Vec3::ZERO);
        for v in 0..part.positions.len() {
            let delta = MorphDelta {
                vertex: v as u32,
                position: of(&target.positions, v),
                normal: of(&target.normals, v),
                tangent: of(&target.tangents, v),
            };
            if delta.adds_something() {
                morph.deltas.push(delta);
            }
        }
    }
}

/// Vertices as stored; `None` if a slot is out of range or weights are invalid.
fn vertices(part: &PrimitivePart, slots: usize) -> Option<Vec<Vertex>> {
    if part.influences.is_empty() || part.influences.len() * USUAL_INFLUENCES > MOST_INFLUENCES {
        return None;
    }
    let vertex = |v: usize| {
        let (mut joints, mut weights) = ([0; MOST_INFLUENCES], [0.0; MOST_INFLUENCES]);
        for (n, set) in part.influences.iter().enumerate() {
            let of_set = n * USUAL_INFLUENCES..(n + 1) * USUAL_INFLUENCES;
            joints[of_set.clone()].copy_from_slice(&set.joints[v]);
            weights[of_set].copy_from_slice(&set.weights[v]);
        }
        let sum: f32 = weights.iter().sum();
        let sound = weights.iter().all(|&w| (0.0..=1.0).contains(&w)) && (sum - 1.0).abs() < 1e-3;
        let known = joints.iter().all(|&j| (j as usize) < slots);
        let slot = |i: usize| {
            if weights[i] > 0.0 {
                joints[i] as u16
            } else {
                joints[0] as u16
            }
        };
        (sound && known).then(|| Vertex {
            position: part.positions[v],
            normal: part.normals[v],
            tangent: part.tangents.get(v).copied().unwrap_or_default(),
            uv: part.uvs[v],
            uv1: part.uv1s.get(v).copied().unwrap_or_default(),
            color: part.colors.get(v).copied().unwrap_or(Vec4::ONE),
            material: 0,
            joints: std::array::from_fn(slot),
            weights,
        })
    };
    (0..part.positions.len()).map(vertex).collect()
}

fn clips(
    document: &Document<'_>,
    joint_of: &[Option<u32>],
    morphs: &Morphs,
    clips: Vec<ClipJson>,
) -> Result<Vec<Clip>, ModelError> {
    let clips = clips.into_iter().enumerate();
    { clips }
        .map(|(index, source)| clip(document, joint_of, morphs, index, source))
        .collect()
}

fn clip(
    document: &Document<'_>,
    joint_of: &[Option<u32>],
    morphs: &Morphs,
    index: usize,
    source: ClipJson,
) -> Result<Clip, ModelError> {
    let (channels, morphs) = match (source.animation, &document.whole) {
        (None, _) => Default::default(),
        // Of a file that is only skimmed, just the number of animations is known.
        (Some(animation), Some(whole)) if animation >= whole.animations => {
            let problem = format!("clip \"{}\" refers to animation {animation}", source.name);
            return Err(document.content(EXTENSION, problem));
        }
        (Some(_), Some(whole)) => (whole.channels(index), Vec::new()),
        (Some(animation), None) => {
            let channels = clip::read_channels(document, joint_of, animation)?;
            (channels.into(), morphs.channels(animation, 0.0))
        }
    };
    if !source.duration.is_finite() || source.duration < 0.0 || !source.speed.is_finite() || !source.turn.is_finite() {
        return Err(document.content(EXTENSION, format!("clip \"{}\": invalid duration or rate", source.name)));
    }
    clip::check_duration(source.duration)
        .map_err(|problem| document.content(EXTENSION, format!("clip \"{}\" {problem}", source.name)))?;
    Ok(Clip {
        name: source.name,
        duration: source.duration,
        file_start: 0.0,
        channels,
        morphs,
        wrap: source.wrap,
        speed: source.speed,
        turn: source.turn,
        events: ClipEvent::in_order(source.events, source.duration),
    })
}
