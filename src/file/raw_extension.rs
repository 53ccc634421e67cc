//! Adds an extension of throng to a binary raw file.

use serde_json::{Value, json};

use crate::file::{ModelError, glb, gltf::document::split_container};

/// Writes an extension called `extension` into a binary raw file of the model `name`. `make` returns its JSON; it is
/// given a function that appends a buffer view and returns its index.
///
/// # Errors
/// A file that is not binary glTF, has no binary chunk, or becomes too large.
pub(super) fn add(
    file: &[u8],
    name: &str,
    extension: &str,
    make: impl FnOnce(&mut dyn FnMut(&[u8]) -> usize) -> Value,
) -> Result<Vec<u8>, ModelError> {
    let fail = |reason: String| ModelError::Format {
        name: name.to_owned(),
        reason,
    };
    let (text, binary) = split_container(file).map_err(fail)?;
    let mut root: Value = serde_json::from_slice(text).map_err(|e| fail(format!("invalid JSON: {e}")))?;
    let mut binary = binary.ok_or_else(|| fail("has no binary chunk".into()))?.to_vec();
    let Some(views) = root.get_mut("bufferViews").and_then(Value::as_array_mut) else {
        return Err(fail("has no buffer views".into()));
    };
    let content = make(&mut |bytes: &[u8]| {
        binary.resize(binary.len().next_multiple_of(4), 0);
        views.push(json!({"buffer": 0, "byteOffset": binary.len(), "byteLength": bytes.len()}));
        binary.extend(bytes);
        views.len() - 1
    });
    root["buffers"][0]["byteLength"] = binary.len().into();
    root["extensions"][extension] = content;
    let used = root
        .as_object_mut()
        .map(|root| root.entry("extensionsUsed").or_insert_with(|| json!([])));
    if let Some(Value::Array(names)) = used
        && !names.iter().any(|name| name == extension)
    {
        names.push(extension.into());
    }
    glb::container(root.to_string().into_bytes(), binary).map_err(|e| fail(e.to_string()))
}
