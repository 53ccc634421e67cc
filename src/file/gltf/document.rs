//! Parses container, JSON, version, required extensions and buffers of a glTF file.

use std::{borrow::Cow, cell::Cell, collections::HashSet, path::Path, sync::Arc};

use ::gltf::json::{self, validation::Checked};
use serde_json::Value;

#[cfg(feature = "draco")]
use crate::file::gltf::draco;
use crate::file::{
    ModelError,
    gltf::{
        files::{FileContent, Files},
        foreign, meshopt,
        partial_json::Whole,
        pointer::{self, VisibilityChannel},
        text::without_control_characters,
        variants, vrm,
    },
};

/// Required extensions that are read, that change nothing throng draws, or without which only the sheen of a surface
/// differs.
/// The last kind is listed among features that are not drawn.
const KNOWN: [&str; 20] = [
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_materials_unlit",
    "KHR_materials_emissive_strength",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_dispersion",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    variants::EXTENSION,
    "KHR_node_visibility",
    "EXT_texture_webp",
    "THRONG_animation_atlas",
    "THRONG_chosen_frames",
    "THRONG_levels_of_detail",
];

/// Beginnings of the names of extensions that change surfaces, light or data about the character, never geometry or
/// animation. Parts of them that are not drawn are listed, as where they are used and not required.
const HARMLESS: [&str; 13] = [
    "VRM",
    "KHR_materials_",
    "EXT_materials_",
    "ADOBE_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_audio",
    "MSFT_packing_",
    "FB_ngon_encoding",
];

/// Extensions with more geometry or animation than is drawn: the rest of the file is right without them.
const PARTLY_DRAWN: [&str; 3] = ["EXT_mesh_gpu_instancing", "MSFT_lod", "KHR_animation_pointer"];

/// True if geometry and animation are right without an extension.
fn is_harmless(extension: &str) -> bool {
    KNOWN.contains(&extension)
        || PARTLY_DRAWN.contains(&extension)
        || HARMLESS.iter().any(|start| extension.starts_with(start))
        || (cfg!(feature = "draco") && extension == "KHR_draco_mesh_compression")
}

/// Approximate size of a JSON object once it is read (bytes): a node is the largest.
const BYTES_PER_OBJECT: u64 = 512;
/// Maximum size of all objects once they are read (bytes).
const MAX_JSON_BYTES: u64 = 2 << 30;
/// Number of elements that may be read of any file, however small it is.
const FREE_ELEMENTS: u64 = 4 << 20;
/// Number of elements that may be read for each byte of the file and its buffers: real files have few.
const ELEMENTS_PER_BYTE: u64 = 16;
/// Number of elements that suffices for any character whose file is not itself large.
const ENOUGH_ELEMENTS: u64 = 1 << 26;

/// A parsed file with its buffers in memory.
pub(crate) struct Document<'a> {
    /// File name for messages.
    pub name: String,
    /// Root of the JSON, unchecked.
    pub root: json::Root,
    /// Content of each buffer.
    pub buffers: Vec<FileContent<'a>>,
    /// Size of all buffers (bytes); a buffer that several entries refer to counts once.
    pub loaded: u64,
    /// Decompressed buffer views, by index; `None` for plain ones.
    pub decoded_views: Vec<Option<Vec<u8>>>,
    /// Source of keys and images of a file that is opened for drawing; `None`: they are in this document.
    pub whole: Option<Arc<Whole>>,
    /// Plain names of the nodes that clips of other files move.
    pub moved: HashSet<String>,
    /// Names of nodes and meshes that are not drawn, in lowercase.
    pub hide: HashSet<String>,
    /// Names of the expressions that clips of other files move, in lowercase.
    pub expressions: HashSet<String>,
    /// Notes made while opening.
    pub notes: Vec<String>,
    /// Number of elements that may be read in total.
    capacity: u64,
    /// Number of elements that may still be read. Keeps memory proportional to the file's size even if thousands of
    /// primitives refer to one accessor.
    budget: Cell<u64>,
}

impl<'a> Document<'a> {
    /// Parses a `.glb` or `.gltf` and loads its buffers.
    pub(crate) fn parse(name: &str, bytes: &'a [u8], base: Option<&Path>) -> Result<Self, ModelError> {
        let format = |reason: String| ModelError::Format {
            name: name.to_owned(),
            reason,
        };
        let (text, binary) = split_container(bytes).map_err(format)?;
        Self::parse_text(name, text, binary, base, bytes.len())
    }

    /// Parses the parts of a container; `size` is that of the whole file (bytes).
    pub(crate) fn parse_text(
        name: &str,
        text: &[u8],
        binary: Option<&'a [u8]>,
        base: Option<&Path>,
        size: usize,
    ) -> Result<Self, ModelError> {
        let format = |reason: String| ModelError::Format {
            name: name.to_owned(),
            reason,
        };
        let text = without_control_characters(text);
        check_object_count(&text).map_err(format)?;
        let (root, ignored, visibility) = parse_root(&text).map_err(|e| format(unreadable(&text, &e)))?;
        check_version(&root.asset).map_err(format)?;
        let mut document = Self {
            name: name.to_owned(),
            root,
            buffers: Vec::new(),
            loaded: 0,
            decoded_views: Vec::new(),
            whole: None,
            moved: HashSet::new(),
            hide: HashSet::new(),
            expressions: HashSet::new(),
            notes: Vec::new(),
            capacity: 0,
            budget: Cell::new(0),
        };
        if ignored > 0 {
            let note = format!(
                "{ignored} animation channels do not target nodes (they belong to an extension) and are \
                         ignored"
            );
            document.notes.push(note);
        }
        document.check_extensions()?;
        vrm::apply(&mut document);
        document.load_buffers(binary, base)?;
        document.decoded_views = meshopt::decode_views(&document)?;
        #[cfg(feature = "draco")]
        draco::decode(&mut document)?;
        let loaded = size as u64 + document.loaded;
        let decoded = document
            .decoded_views
            .iter()
            .flatten()
            .map(|v| v.len() as u64)
            .sum::<u64>();
        // Real files are hardly compressed further, so a file that claims more gets no larger reading budget for it.
        let decoded = decoded.min(16 * loaded);
        let allowed = FREE_ELEMENTS + ELEMENTS_PER_BYTE * (loaded + decoded);
        document.capacity = allowed.min(ENOUGH_ELEMENTS.max((loaded + decoded) / 2));
        document.budget.set(document.capacity);
        pointer::show_and_hide(&mut document, &visibility)?;
        Ok(document)
    }

    /// Makes an error about content at a place such as `mesh 3 "Arm", primitive 0`.
    pub(crate) fn content(&self, place: impl Into<String>, problem: impl Into<String>) -> ModelError {
        ModelError::Content {
            name: self.name.clone(),
            place: place.into(),
            problem: problem.into(),
        }
    }

    /// Takes `elements` from the reading budget; called before memory for them is allocated.
    pub(crate) fn spend(&self, elements: u64, place: &str) -> Result<(), ModelError> {
        let left = self.budget.get().checked_sub(elements).ok_or_else(|| {
            self.content(
                place,
                "the same data is referenced so often that the character is implausibly large for \
                                 its file; remove duplicate meshes",
            )
        })?;
        self.budget.set(left);
        Ok(())
    }

    /// Number of elements that may be read of the file in total.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Adds a buffer view of bytes that the file does not have; returns its index.
    pub(crate) fn add_view(&mut self, bytes: Vec<u8>) -> usize {
        let view = self.root.buffer_views.len();
        self.decoded_views.resize(view, None);
        self.root.buffer_views.push(json::buffer::View {
            buffer: json::Index::new(0),
            byte_length: bytes.len().into(),
            byte_offset: None,
            byte_stride: None,
            name: None,
            target: None,
            extensions: None,
            extras: Default::default(),
        });
        self.decoded_views.push(Some(bytes));
        view
    }

    fn check_extensions(&self) -> Result<(), ModelError> {
        for extension in &self.root.extensions_required {
            if !is_harmless(extension) {
                return Err(ModelError::Unsupported {
                    name: self.name.clone(),
                    feature: extension.clone(),
                    hint: hint(extension, &self.name),
                });
            }
        }
        Ok(())
    }

    fn load_buffers(&mut self, binary: Option<&'a [u8]>, base: Option<&Path>) -> Result<(), ModelError> {
        let mut files = Files::new(base);
        for (index, buffer) in self.root.buffers.iter().enumerate() {
            let place = format!("buffer {index}");
            let content = match &buffer.uri {
                Some(uri) => files.read(uri).map_err(|e| self.content(&place, e))?,
                None if index == 0 && binary.is_some() => {
                    self.loaded += binary.map_or(0, <[u8]>::len) as u64;
                    FileContent::Borrowed(binary.unwrap_or_default())
                }
                // The fallback buffer of meshopt compression has no content.
                None if meshopt::is_fallback(buffer) => FileContent::Borrowed(&[]),
                None => {
                    return Err(self.content(place, "has no uri and the file has no binary chunk"));
                }
            };
            let stated = buffer.byte_length.0;
            if (content.len() as u64) < stated && !meshopt::is_fallback(buffer) {
                let problem = format!(
                    "has {} bytes but declares {stated}: the file is truncated",
                    content.len()
                );
                return Err(self.content(place, problem));
            }
            self.buffers.push(content);
        }
        self.loaded += files.loaded;
        self.notes.extend(files.notes);
        Ok(())
    }
}

/// Refuses JSON that would take gigabytes once it is read: three characters of text can be a node.
pub(super) fn check_object_count(text: &[u8]) -> Result<(), String> {
    let count = text.iter().filter(|&&b| b == b'{').count() as u64;
    if count * BYTES_PER_OBJECT <= MAX_JSON_BYTES {
        return Ok(());
    }
    let limit = MAX_JSON_BYTES / BYTES_PER_OBJECT;
    Err(format!("its JSON has {count} objects, but at most {limit} are read"))
}

/// Parses the JSON without the animation channels that move no node; returns the number of those, and the channels of
/// visibility, too.
fn parse_root(text: &[u8]) -> Result<(json::Root, usize, Vec<VisibilityChannel>), serde_json::Error> {
    let (text, visibility) = expand_pointers(text);
    let (mut root, mut ignored): (json::Root, usize) = match json::deserialize::from_slice(&text) {
        Ok(root) => (root, 0),
        Err(error) => {
            let (text, ignored) = completed(&text).ok_or(error)?;
            (json::deserialize::from_slice(&text)?, ignored)
        }
    };
    for animation in &mut root.animations {
        let unknown = |c: &mut json::animation::Channel| c.target.path == Checked::Invalid;
        ignored += animation.channels.extract_if(.., unknown).count();
    }
    Ok((root, ignored, visibility))
}

/// JSON with pointers of animations as plain channels, if it has any.
fn expand_pointers(text: &[u8]) -> (Cow<'_, [u8]>, Vec<VisibilityChannel>) {
    let name = pointer::EXTENSION.as_bytes();
    if !text.windows(name.len()).any(|window| window == name) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let Ok(mut root) = serde_json::from_slice::<Value>(text) else {
        return (Cow::Borrowed(text), Vec::new());
    };
    let visibility = pointer::expand(&mut root);
    (Cow::Owned(root.to_string().into_bytes()), visibility)
}

/// JSON as the `gltf` crate's schema needs it, and the number of animation channels removed from it; `None` if nothing
/// was missing. glTF 2.0 allows scenes without nodes, and channels whose target names no node (section 5.5).
fn completed(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut root: Value = serde_json::from_slice(text).ok()?;
    let mut scenes = 0;
    for scene in root
        .get_mut("scenes")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(scene) = scene.as_object_mut().filter(|scene| !scene.contains_key("nodes")) {
            scene.insert("nodes".to_owned(), Value::Array(Vec::new()));
            scenes += 1;
        }
    }
    let animations = root.get_mut("animations").and_then(Value::as_array_mut);
    let ignored = (animations.into_iter().flatten())
        .filter_map(|a| a.get_mut("channels")?.as_array_mut())
        .map(|channels| channels.extract_if(.., |c| c.pointer("/target/node").is_none()).count())
        .sum();
    (ignored > 0 || scenes > 0).then(|| (root.to_string().into_bytes(), ignored))
}

/// Problem of JSON that does not follow the schema of glTF 2.0.
fn unreadable(text: &[u8], error: &serde_json::Error) -> String {
    let root: Option<Value> = serde_json::from_slice(text).ok();
    let version = root.as_ref().and_then(|root| root.pointer("/asset/version")?.as_str());
    match version {
        Some(version) if !version.starts_with("2.") => {
            format!("its glTF version is {version}; export it as glTF 2.0")
        }
        _ => format!("invalid JSON: {error}"),
    }
}

/// JSON text and binary chunk of a `.glb`, or the whole text of a `.gltf`.
pub(crate) fn split_container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    if bytes.is_empty() {
        return Err("it is empty".into());
    }
    if !bytes.starts_with(b"glTF") {
        return plain_json(bytes).map(|text| (text, None));
    }
    let word = |at: usize| -> Option<u32> {
        let four = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    let version = word(4).ok_or("it ends inside its header")?;
    if version != 2 {
        return Err(format!("its GLB version is {version}; export it as glTF 2.0"));
    }
    let length = word(8).ok_or("it ends inside its header")? as usize;
    if length > bytes.len() {
        return Err(format!(
            "it has {} bytes but declares {length}: it is truncated",
            bytes.len()
        ));
    }
    let chunk = |at: usize, kind: &[u8; 4]| -> Option<&[u8]> {
        let size = word(at)? as usize;
        let found = bytes.get(at + 4..at + 8)? == kind;
        let content = bytes.get(at + 8..(at + 8).checked_add(size)?)?;
        found.then_some(content)
    };
    let text = chunk(12, b"JSON").ok_or("its first chunk is not a complete JSON chunk")?;
    let binary = chunk(20 + text.len().next_multiple_of(4), b"BIN\0");
    Ok((text, binary))
}

fn plain_json(bytes: &[u8]) -> Result<&[u8], String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match text.iter().find(|b| !b.is_ascii_whitespace()) {
        Some(b'{') => Ok(text),
        _ => Err(foreign::sentence(text).into()),
    }
}

fn check_version(asset: &json::Asset) -> Result<(), String> {
    let major = |v: &str| v.split('.').next().and_then(|m| m.parse::<u32>().ok());
    let wanted = asset.min_version.as_deref().unwrap_or(&asset.version);
    if major(&asset.version) != Some(2) || !matches!(wanted, "2.0" | "2") && asset.min_version.is_some() {
        return Err(format!("its glTF version is {wanted}; export it as glTF 2.0"));
    }
    Ok(())
}

/// Hint for a required extension that is not read.
fn hint(extension: &str, name: &str) -> String {
    match extension {
        "KHR_draco_mesh_compression" => format!(
            "convert the file with `npx @gltf-transform/cli copy {name} converted.glb` or export without the extension"
        ),
        _ => "export the character without the extension".into(),
    }
}
