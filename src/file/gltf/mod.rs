//! Reads glTF 2.0 (`.glb`, `.gltf` with data URIs or files beside it) into a [`Model`].
//!
//! The JSON schema comes from the `gltf` crate. Everything that it refers to is checked here, because that crate's own
//! accessors trust the file. Order of work:
//!
//! 1. `document`: container, JSON, required extensions, buffers;
//! 2. `nodes`: hierarchy, rest transforms, what is animated;
//! 3. `skins`: palette slots and the rest-space normalisation;
//! 4. `mesh`: primitives merged into one optimised triangle list;
//! 5. `materials` and `clips`.
//!
//! # Rest space
//! Meshes are stored in rest-pose model space, whatever units the file uses. A skinned vertex `v` moves with `Σ w ·
//! world(j) · bind⁻¹(j) · v`; for any invertible `B` this equals `Σ w · world(j) · (bind⁻¹(j) · B⁻¹) · (B · v)`.
//! With `B = world_rest(j₀) · bind⁻¹(j₀)` of the skin's most weighted joint, the palettes are near the identity at
//! rest.
//! Scales of 100 or 1e-4 above the root or inside the inverse binds vanish. The slots of several skins and of rigid
//! parts carried by the same joint coincide. Joints far larger or smaller at rest have a `B` of their own (`mesh::space`).

mod accessor;
mod bleed;
pub(crate) mod clip;
pub(crate) mod document;
#[cfg(feature = "draco")]
mod draco;
mod files;
mod foreign;
mod importer;
mod library;
pub(crate) mod material;
pub(crate) mod mesh;
mod meshopt;
pub(crate) mod morph;
pub(crate) mod nodes;
mod partial_json;
mod parts;
mod pointer;
mod skins;
mod text;
mod undrawn;
pub(crate) mod variants;
pub(crate) mod vrm;

use std::{path::Path, sync::Arc};

#[cfg(feature = "fbx")]
pub(crate) use files::Files;
pub use files::allow_files_below;
pub(crate) use files::read_regular;
pub use importer::GltfImporter;
pub(crate) use importer::{EXTENSIONS, contents};
pub(crate) use library::load_library;

use crate::{
    file::{
        Animations, ModelError,
        baked::{BakedExtension, extension},
        chosen_frames,
        gltf::{
            document::Document,
            material::Materials,
            morph::Morphs,
            nodes::Nodes,
            partial_json::{SkimmedJson, Whole},
        },
        lods,
    },
    model::{Clip, Model},
};

/// Note for a character without clips.
pub(crate) const NO_CLIPS: &str = "no animations: drawn in the rest pose";

/// Reads a character from a `.glb` or `.gltf` file.
///
/// External buffers and images are read from the model's own folder and below, never elsewhere.
///
/// # Errors
/// One line with the problem, its place, and how to fix it.
pub fn load(path: &Path) -> Result<Model, ModelError> {
    let bytes = read_regular(path).map_err(|reason| ModelError::Io {
        path: path.to_path_buf(),
        reason,
    })?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let base = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut model = load_bytes(&file, &bytes, Some(base))?;
    if let Some(stem) = path.file_stem() {
        model.name = stem.to_string_lossy().into_owned();
    }
    Ok(model)
}

/// Reads a character from memory; `base` is the folder for external files, if any are allowed.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(name: &str, bytes: &[u8], base: Option<&Path>) -> Result<Model, ModelError> {
    read(&Document::parse(name, bytes, base)?, base)
}

/// Reads a character as [`load_bytes`], with the extension of a baked file if there is one.
///
/// # Errors
/// As [`load`].
pub fn load_baked<'a>(
    name: &str,
    bytes: &'a [u8],
    base: Option<&Path>,
) -> Result<(Model, Option<BakedExtension<'a>>), ModelError> {
    let document = Document::parse(name, bytes, base)?;
    let model = read(&document, base)?;
    Ok((model, BakedExtension::of(document)))
}

/// Reads a character as [`load_baked`]. Nodes that other clips move are joints, even if no clip of the file moves them;
/// hidden parts are left out.
pub(crate) fn load_to_animate<'a>(
    name: &str,
    bytes: &'a [u8],
    base: Option<&Path>,
    animations: &Animations,
) -> Result<(Model, Option<BakedExtension<'a>>), ModelError> {
    let mut document = Document::parse(name, bytes, base)?;
    document.moved = animations.moved();
    document.expressions = animations.expressions();
    document.hide = animations.hide.iter().map(|name| name.to_lowercase()).collect();
    let model = read(&document, base)?;
    Ok((model, BakedExtension::of(document)))
}

/// Reads a character as [`load_baked`]; of a baked file it reads only the parts that drawing needs.
/// Keys of its clips and pixels of its images are read on first use; damage in them is logged only then.
///
/// # Errors
/// As [`load`].
pub fn load_to_draw<'a>(
    name: &str,
    bytes: &'a Arc<Vec<u8>>,
    base: Option<&Path>,
) -> Result<(Model, Option<BakedExtension<'a>>), ModelError> {
    let Some(SkimmedJson {
        text,
        extensions,
        animations,
        binary,
    }) = partial_json::skim(bytes)
    else {
        return load_baked(name, bytes, base);
    };
    let draw = || {
        let mut document = Document::parse_text(name, &text, binary, base, bytes.len())?;
        document
            .root
            .extensions
            .get_or_insert_default()
            .others
            .extend(extensions);
        document.whole = Some(Whole::new(name, bytes, base, animations));
        let model = read(&document, base)?;
        Ok((model, BakedExtension::of(document)))
    };
    // A file rewritten by another program may have its members in another order.
    draw().or_else(|_: ModelError| load_baked(name, bytes, base))
}

/// Reads the clips of a baked file and nothing else.
pub(crate) fn load_clips(name: &str, bytes: &[u8], base: Option<&Path>) -> Result<Vec<Clip>, ModelError> {
    let document = Document::parse(name, bytes, base)?;
    let nodes = Nodes::read(&document, &mut Vec::new())?;
    let extension = extension::object(&document);
    let extension = extension.ok_or_else(|| document.content(extension::EXTENSION, "is missing"))?;
    extension::read_clips(&document, &nodes, extension)
}

/// True for file names that do not tell characters apart.
pub(crate) fn is_generic(stem: &str) -> bool {
    ["scene", "model", "untitled"]
        .iter()
        .any(|word| stem.eq_ignore_ascii_case(word))
}

/// Title in the file, where its name does not tell it apart from others.
fn title(document: &Document<'_>) -> Option<String> {
    let stem = Path::new(&document.name).file_stem()?.to_string_lossy();
    let extras = document.root.asset.extras.as_ref().filter(|_| is_generic(&stem))?;
    let extras: serde_json::Value = serde_json::from_str(extras.get()).ok()?;
    let title = extras.get("title")?.as_str()?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

fn read(document: &Document<'_>, base: Option<&Path>) -> Result<Model, ModelError> {
    let mut notes = document.notes.clone();
    let nodes = Nodes::read(document, &mut notes)?;
    let images = Materials::read(document, base, &mut notes)?;
    let mut one_space = true;
    let mut model = match extension::object(document) {
        Some(extension) => extension::read(document, &nodes, &images, extension)?,
        None => {
            let (model, spaces) = import(document, &nodes, &images, &mut notes)?;
            one_space = spaces;
            model
        }
    };
    model.name = title(document).unwrap_or_else(|| document.name.clone());
    model.materials = images.materials;
    model.images = images.images;
    model.dropped = images.dropped;
    model.notes = notes;
    model.variants = variants::names(&document.root);
    if extension::object(document).is_none() {
        lods::take_raw(document, &mut model, one_space);
        chosen_frames::take_raw(document, &mut model);
    }
    Ok(model)
}

/// Reads a raw file; the second value is that of [`mesh::read`].
fn import(
    document: &Document<'_>,
    nodes: &Nodes,
    materials: &Materials,
    notes: &mut Vec<String>,
) -> Result<(Model, bool), ModelError> {
    let rig = skins::Rig::build(document, nodes, notes)?;
    let mut morphs = Morphs::read(document, nodes, false)?;
    let (model, one_space) = mesh::read(document, nodes, &rig, materials, &mut morphs, notes)?;
    let clips = clip::read(document, &rig, &morphs, notes)?;
    if document.root.skins.is_empty() {
        notes.push("no skin: meshes move rigidly with their nodes".into());
    }
    if clips.is_empty() {
        notes.push(NO_CLIPS.into());
    }
    let model = Model {
        clips,
        morphs: morphs.list,
        expressions: morphs.expressions,
        parts: parts::list(document, nodes),
        ..model
    };
    Ok((model, one_space))
}
