//! Reads and changes the JSON of binary glTF files.

use throng::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeOptions},
    file,
    model::{Model, UnitSpace},
};

/// Exports a model with its frames in f16.
pub fn exported(model: &Model) -> file::Export {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ()).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), AtlasFormat::F16);
    file::export(model, &atlas).expect("fits")
}

/// JSON of a file.
pub fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(&bytes[20..20 + length(bytes)]).expect("JSON")
}

/// Length of the JSON chunk (bytes).
fn length(glb: &[u8]) -> usize {
    u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize
}

/// The file with its JSON changed by `change`.
pub fn edited(bytes: &[u8], change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let length = length(bytes);
    let mut json = json(bytes);
    change(&mut json);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &bytes[20 + length..];
    let total = (20 + text.len() + rest.len()) as u32;
    let header = [
        &b"glTF"[..],
        &2_u32.to_le_bytes(),
        &total.to_le_bytes(),
        &(text.len() as u32).to_le_bytes(),
        b"JSON",
    ];
    [&header.concat()[..], &text, rest].concat()
}
