//! Decompresses primitives of KHR_draco_mesh_compression into accessors of their own.

use std::collections::{HashMap, hash_map::Entry};

use ::gltf::json::{
    Index,
    accessor::{Accessor, ComponentType, GenericComponentType, Type},
    mesh::{Mode, Semantic},
    validation::{Checked, USize64},
};
use draco_core::{DataType, DecodeLimits, DecoderBuffer, FaceIndex, Mesh, MeshDecoder, PointIndex};
use serde::Deserialize;

use crate::file::{ModelError, gltf::document::Document};

/// Name of the extension.
pub(crate) const EXTENSION: &str = "KHR_draco_mesh_compression";

/// Decoded size that the primitives of any file may have in total (bytes).
const FREE_BYTES: u64 = 64 << 20;
/// Ratio of decoded bytes to the bytes of the file's buffers that is allowed above that; real files stay below 60.
const MAX_EXPANSION: u64 = 256;
/// Smallest size of a decoded point or face (bytes).
const LEAST_ELEMENT: u64 = 12;

/// JSON object of the extension on a primitive.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompressedPrimitive {
    buffer_view: usize,
    attributes: HashMap<String, u32>,
}

/// Decodes every compressed primitive. Those that cannot be decoded keep their uncompressed copy, if they have one.
pub(crate) fn decode(document: &mut Document<'_>) -> Result<(), ModelError> {
    let mut decoder = Decoder {
        left: document.loaded.saturating_mul(MAX_EXPANSION).saturating_add(FREE_BYTES),
        meshes: HashMap::new(),
        accessors: HashMap::new(),
    };
    for mesh in 0..document.root.meshes.len() {
        for number in 0..document.root.meshes[mesh].primitives.len() {
            let primitive = &mut document.root.meshes[mesh].primitives[number];
            let extensions = primitive.extensions.as_mut();
            let Some(object) = extensions.and_then(|e| e.others.remove(EXTENSION)) else {
                continue;
            };
            let place = format!("mesh {mesh}, primitive {number}");
            let done = CompressedPrimitive::deserialize(object)
                .map_err(|error| format!("invalid Draco extension: {error}"))
                .and_then(|compressed| decoder.primitive(document, mesh, number, &compressed));
            if let Err(problem) = done {
                if document.root.extensions_required.iter().any(|name| name == EXTENSION) {
                    return Err(document.content(place, problem));
                }
                document
                    .notes
                    .push(format!("{place}: {problem}; its uncompressed copy is read"));
            }
        }
    }
    Ok(())
}

struct Decoder {
    /// Bytes that may still be decoded.
    left: u64,
    /// Decoded meshes by buffer view, with their indices once written.
    meshes: HashMap<usize, (Mesh, Option<Index<Accessor>>)>,
    /// Accessors written for a buffer view, an attribute of it, and the accessor that describes it.
    accessors: HashMap<(usize, u32, usize), Index<Accessor>>,
}

impl Decoder {
    fn primitive(
        &mut self,
        document: &mut Document<'_>,
        mesh: usize,
        number: usize,
        compressed: &CompressedPrimitive,
    ) -> Result<(), String> {
        let view = compressed.buffer_view;
        if let Entry::Vacant(place) = self.meshes.entry(view) {
            place.insert((decode_view(document, view, &mut self.left)?, None));
        }
        let (decoded, indices) = self.meshes.get_mut(&view).ok_or("it was not decoded")?;
        let old = &document.root.meshes[mesh].primitives[number];
        let mut wanted = Vec::new();
        for (semantic, accessor) in &old.attributes {
            let Checked::Valid(semantic) = semantic else { continue };
            if let Some(id) = compressed.attributes.get(&semantic.to_string()) {
                wanted.push((semantic.clone(), accessor.value(), *id));
            }
        }
        let mut written: Vec<(Semantic, Index<Accessor>)> = Vec::new();
        for (semantic, accessor, id) in wanted {
            let index = match self.accessors.entry((view, id, accessor)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(place) => *place.insert(attribute(document, decoded, accessor, id)?),
            };
            written.push((semantic, index));
        }
        let faces = match *indices {
            Some(known) => known,
            None => write_faces(document, decoded),
        };
        *indices = Some(faces);
        let primitive = &mut document.root.meshes[mesh].primitives[number];
        for (semantic, index) in written {
            primitive.attributes.insert(Checked::Valid(semantic), index);
        }
        primitive.indices = Some(faces);
        primitive.mode = Checked::Valid(Mode::Triangles);
        Ok(())
    }
}

fn decode_view(document: &Document<'_>, view: usize, left: &mut u64) -> Result<Mesh, String> {
    let bytes = document.raw_view(view)?;
    let mut limits = DecodeLimits::default();
    limits.max_points = *left / LEAST_ELEMENT;
    limits.max_faces = *left / LEAST_ELEMENT;
    limits.max_decoded_bytes = *left;
    let mut mesh = Mesh::new();
    let decoded = MeshDecoder::new().decode(&mut DecoderBuffer::new(bytes).with_limits(limits), &mut mesh);
    decoded.map_err(|error| format!("its Draco data cannot be decoded: {error}"))?;
    let attributes = (0..mesh.num_attributes()).map(|id| mesh.attribute(id).byte_stride().unsigned_abs());
    let of_point: u64 = attributes.sum();
    let size = (mesh.num_points() as u64).saturating_mul(of_point) + mesh.num_faces() as u64 * LEAST_ELEMENT;
    *left = left
        .checked_sub(size)
        .ok_or("it is implausibly large for the file; compress the file again")?;
    Ok(mesh)
}

/// Writes an attribute as an accessor like the one that describes it.
fn attribute(document: &mut Document<'_>, mesh: &Mesh, described: usize, id: u32) -> Result<Index<Accessor>, String> {
    let attribute = mesh.attribute_by_unique_id(id);
    let attribute = attribute.ok_or_else(|| format!("its Draco attribute {id} does not exist"))?;
    let old = document.root.accessors.get(described);
    let mut accessor = old
        .ok_or_else(|| format!("refers to accessor {described}, which does not exist"))?
        .clone();
    let component = component(attribute.data_type())
        .ok_or_else(|| format!("its Draco attribute {id} has components that glTF lacks"))?;
    let width = usize::from(attribute.num_components());
    if accessor.type_ != Checked::Valid(kind(width)?) {
        return Err(format!(
            "its Draco attribute {id} has {width} components, unlike its accessor"
        ));
    }
    let stride = usize::try_from(attribute.byte_stride()).map_err(|_| "its Draco data has no stride")?;
    let mut bytes = vec![0; mesh.num_points().saturating_mul(stride)];
    for (point, row) in bytes.chunks_exact_mut(stride.max(1)).enumerate() {
        let at = attribute.mapped_index(PointIndex(point as u32)).0 as usize;
        if !attribute.buffer().try_read(at.saturating_mul(stride), row) {
            return Err(format!("its Draco attribute {id} ends early"));
        }
    }
    accessor.component_type = Checked::Valid(GenericComponentType(component));
    accessor.count = USize64(mesh.num_points() as u64);
    Ok(push(document, accessor, bytes))
}

fn write_faces(document: &mut Document<'_>, mesh: &Mesh) -> Index<Accessor> {
    let corners = (0..mesh.num_faces()).flat_map(|face| mesh.face(FaceIndex(face as u32)));
    let bytes: Vec<u8> = corners.flat_map(|corner| corner.0.to_le_bytes()).collect();
    let accessor = Accessor {
        buffer_view: None,
        byte_offset: None,
        count: USize64(bytes.len() as u64 / 4),
        component_type: Checked::Valid(GenericComponentType(ComponentType::U32)),
        extensions: None,
        extras: Default::default(),
        type_: Checked::Valid(Type::Scalar),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
    };
    push(document, accessor, bytes)
}

/// Adds an accessor on decoded bytes.
fn push(document: &mut Document<'_>, mut accessor: Accessor, bytes: Vec<u8>) -> Index<Accessor> {
    accessor.buffer_view = Some(Index::new(document.add_view(bytes) as u32));
    accessor.byte_offset = None;
    accessor.sparse = None;
    document.root.accessors.push(accessor);
    Index::new(document.root.accessors.len() as u32 - 1)
}

fn component(kind: DataType) -> Option<ComponentType> {
    Some(match kind {
        DataType::Int8 => ComponentType::I8,
        DataType::Uint8 | DataType::Bool => ComponentType::U8,
        DataType::Int16 => ComponentType::I16,
        DataType::Uint16 => ComponentType::U16,
        DataType::Uint32 => ComponentType::U32,
        DataType::Float32 => ComponentType::F32,
        _ => return None,
    })
}

fn kind(width: usize) -> Result<Type, String> {
    match width {
        1 => Ok(Type::Scalar),
        2 => Ok(Type::Vec2),
        3 => Ok(Type::Vec3),
        4 => Ok(Type::Vec4),
        _ => Err(format!("a Draco attribute has {width} components")),
    }
}
