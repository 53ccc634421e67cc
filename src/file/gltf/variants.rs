//! Material variants of a file (glTF extension `KHR_materials_variants`): lists their names, and rewrites a file so
//! that one of them is drawn.

use ::gltf::json;
use serde_json::{Map, Value};

use crate::file::{
    ModelError,
    gltf::document::{check_object_count, split_container},
};

/// Name of the extension.
pub(super) const EXTENSION: &str = "KHR_materials_variants";
/// Sizes of the headers of a GLB file and of a chunk (bytes).
const GLB_HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// Names of a file's material variants, in its order; empty for files without.
pub(crate) fn names(root: &json::Root) -> Vec<String> {
    root.extensions
        .as_ref()
        .and_then(|all| all.others.get(EXTENSION))
        .map_or_else(Vec::new, names_of_list)
}

/// Names of the material variants of a file in memory, as [`names`]; empty for files that cannot be read.
pub(crate) fn names_in(bytes: &[u8]) -> Vec<String> {
    let root = split_container(bytes).ok().and_then(|(text, _)| parsed(text));
    root.as_ref().map_or_else(Vec::new, names_of_root)
}

/// Rewrites a file in memory: its primitives get the materials of the variant called `variant`, without regard to
/// case. `name` is the file's name in messages.
///
/// # Errors
/// The file has no such variant.
pub(crate) fn applied(name: &str, bytes: &[u8], variant: &str) -> Result<Vec<u8>, ModelError> {
    let content = |problem: String| ModelError::Content {
        name: name.to_owned(),
        place: "material variants".into(),
        problem,
    };
    let none = || {
        content(format!(
            "the file has none, so none is called {variant:?}; name the file alone"
        ))
    };
    let (text, _) = split_container(bytes).map_err(|_| none())?;
    let mut root = parsed(text).ok_or_else(none)?;
    let names = names_of_root(&root);
    if names.is_empty() {
        return Err(none());
    }
    let same_name = |name: &String| name.to_lowercase() == variant.to_lowercase();
    let number = names.iter().position(same_name).ok_or_else(|| {
        let known = names.join(", ");
        content(format!("none is called {variant:?}; there are {known}"))
    })?;
    take_materials(&mut root, number);
    with_json(bytes, text, &root).ok_or_else(|| content("the file is too large to be rewritten".into()))
}

/// JSON of a file that is not implausibly large.
fn parsed(text: &[u8]) -> Option<Value> {
    check_object_count(text).ok()?;
    serde_json::from_slice(text).ok()
}

fn names_of_root(root: &Value) -> Vec<String> {
    let list = root.get("extensions").and_then(|all| all.get(EXTENSION));
    list.map_or_else(Vec::new, names_of_list)
}

/// Names of an extension's list; those without a name are called by their number.
fn names_of_list(extension: &Value) -> Vec<String> {
    let variants = extension.get("variants").and_then(Value::as_array);
    let named = variants.into_iter().flatten().enumerate().map(|(number, variant)| {
        let name = variant.get("name").and_then(Value::as_str).map(str::trim);
        name.filter(|name| !name.is_empty())
            .map_or_else(|| format!("variant {number}"), str::to_owned)
    });
    named.collect()
}

/// Replaces the material of each primitive that has another one in the variant, and removes their lists.
fn take_materials(root: &mut Value, variant: usize) {
    let meshes = root.get_mut("meshes").and_then(Value::as_array_mut);
    let primitives = meshes
        .into_iter()
        .flatten()
        .filter_map(|mesh| mesh.get_mut("primitives")?.as_array_mut());
    for primitive in primitives.flatten().filter_map(Value::as_object_mut) {
        let extensions = primitive.get_mut("extensions").and_then(Value::as_object_mut);
        let Some(own) = extensions.and_then(|all| all.remove(EXTENSION)) else {
            continue;
        };
        if let Some(material) = material_of(&own, variant) {
            primitive.insert("material".to_owned(), material);
        }
        let is_bare = |all: &Value| all.as_object().is_some_and(Map::is_empty);
        if primitive.get("extensions").is_some_and(is_bare) {
            primitive.remove("extensions");
        }
    }
}

fn material_of(extension: &Value, variant: usize) -> Option<Value> {
    let mappings = extension.get("mappings")?.as_array()?;
    let is_of_variant = |mapping: &&Value| {
        let numbers = mapping.get("variants").and_then(Value::as_array);
        numbers
            .into_iter()
            .flatten()
            .any(|number| number.as_u64() == Some(variant as u64))
    };
    mappings.iter().find(is_of_variant)?.get("material").cloned()
}

/// The file with other JSON; `text` is what it has now. `None` if a GLB becomes larger than its header can state.
fn with_json(bytes: &[u8], text: &[u8], root: &Value) -> Option<Vec<u8>> {
    let mut json = root.to_string().into_bytes();
    if !bytes.starts_with(b"glTF") {
        return Some(json);
    }
    json.resize(json.len().next_multiple_of(4), b' ');
    let old_end = GLB_HEADER + CHUNK_HEADER + text.len().next_multiple_of(4);
    let rest = bytes.get(old_end..).unwrap_or_default();
    let length = u32::try_from(GLB_HEADER + CHUNK_HEADER + json.len() + rest.len()).ok()?;
    let mut file = Vec::with_capacity(length as usize);
    file.extend_from_slice(b"glTF");
    for word in [2, length, json.len() as u32] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    file.extend_from_slice(b"JSON");
    file.extend_from_slice(&json);
    file.extend_from_slice(rest);
    Some(file)
}
