//! Lists the extensions of a file outside its materials that throng does not draw.

use std::collections::BTreeMap;

use ::gltf::json::Value;
use serde_json::Map;

use crate::file::gltf::{document::Document, variants};

/// Extensions of nodes, meshes and the root that are read, or whose content changes nothing that is drawn.
const DRAWN: [&str; 8] = [
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "KHR_xmp_json_ld",
    "KHR_mesh_quantization",
    "THRONG_animation_atlas",
    "THRONG_chosen_frames",
    "THRONG_levels_of_detail",
];

/// Extensions of materials, textures and animations that are read.
const READ: [&str; 7] = [
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_materials_emissive_strength",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_unlit",
    "KHR_texture_transform",
];

/// Number of occurrences of each extension: nodes, primitives and meshes, the file itself.
type Counts<'a> = BTreeMap<&'a str, [usize; 3]>;

/// One line for each extension, with its number of occurrences and what is drawn instead.
pub(crate) fn features(document: &Document<'_>) -> Vec<String> {
    let root = &document.root;
    let mut counts = Counts::new();
    for node in &root.nodes {
        count(&mut counts, 0, node.extensions.as_ref().map(|e| &e.others));
    }
    for mesh in &root.meshes {
        count(&mut counts, 1, mesh.extensions.as_ref().map(|e| &e.others));
        for primitive in &mesh.primitives {
            count(&mut counts, 1, primitive.extensions.as_ref().map(|e| &e.others));
        }
    }
    count(&mut counts, 2, root.extensions.as_ref().map(|e| &e.others));
    if counts
        .get(variants::EXTENSION)
        .is_some_and(|&[_, primitives, _]| primitives == 0)
    {
        // A list of names of which one is drawn.
        counts.remove(variants::EXTENSION);
    }
    // Required by name, though nothing in the file uses them; those that materials use are listed with the materials.
    let in_materials = |name: &str| {
        let mut extensions = root
            .materials
            .iter()
            .filter_map(|material| material.extensions.as_ref());
        extensions.any(|extensions| extensions.others.contains_key(name))
    };
    let required = root.extensions_required.iter().map(String::as_str);
    let is_read = |name: &str| DRAWN.contains(&name) || READ.contains(&name);
    for name in required.filter(|name| !is_read(name) && !in_materials(name)) {
        counts.entry(name).or_default();
    }
    counts.into_iter().map(|(name, counts)| line(name, counts)).collect()
}

fn count<'a>(counts: &mut Counts<'a>, place: usize, extensions: Option<&'a Map<String, Value>>) {
    for name in extensions.into_iter().flat_map(Map::keys) {
        if !DRAWN.contains(&name.as_str()) {
            counts.entry(name).or_default()[place] += 1;
        }
    }
}

fn line(name: &str, counts: [usize; 3]) -> String {
    let [nodes, meshes, _] = counts;
    let plural = |count: usize, what: &str| format!(" of {count} {what}{}", if count == 1 { "" } else { "s" });
    let place = match (nodes, meshes) {
        (0, 0) => String::new(),
        (0, count) => plural(count, "primitive"),
        (count, _) => plural(count, "node"),
    };
    let instead = match name {
        "EXT_mesh_gpu_instancing" => " (each is drawn once)",
        "MSFT_lod" => " (only the finest level is drawn)",
        variants::EXTENSION => " (the default materials are drawn; FILE#VARIANT draws others)",
        "KHR_lights_punctual" => " (lights; the scene's sun is used)",
        "KHR_draco_mesh_compression" => " (the uncompressed copy is read)",
        _ if name.starts_with("VRM") => {
            " (VRM: bones, facing and colours are read; expressions move where clips of --animations (VRMA) say so)"
        }
        _ => "",
    };
    format!("{name}{place}{instead}")
}
