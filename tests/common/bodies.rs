//! Raw bodies with the skeleton of the embedded man.

use throng::{
    file::{OpenedFile, open_bytes},
    model::Model,
    scene::embedded::embedded,
};

/// The embedded man as a raw file would have him, with a changed body.
pub fn body(name: &str, change: impl FnOnce(&mut Model)) -> OpenedFile {
    let mut opened = open_bytes("man", embedded("man").expect("embedded"), None).expect("opens");
    (opened.atlas, opened.vertices) = (None, None);
    let model = &mut opened.model;
    model.lods.clear();
    model.name = name.into();
    change(model);
    opened
}

/// Moves the surface 6 cm outwards.
pub fn stout(model: &mut Model) {
    for vertex in &mut model.mesh.vertices {
        vertex.position += vertex.normal * 0.06;
    }
}

/// Halves the height, on the same skeleton.
pub fn short(model: &mut Model) {
    for vertex in &mut model.mesh.vertices {
        vertex.position *= 0.5;
    }
}
