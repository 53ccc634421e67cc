//! Table of atlas formats, from the facts that the program has of them.

use throng::atlas::AtlasFormat;

use super::document::{Table, markdown};

/// Records of all formats, the finest first.
pub fn tables() -> Vec<Table> {
    let head = ["format", "B", "texels", "layout"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for format in AtlasFormat::ALL {
        let facts = format.facts();
        rows.push(vec![
            format!("`{}`", facts.name),
            format.matrix_bytes().to_string(),
            format!("{} {}", facts.matrix_texels, facts.texel.name()),
            facts.layout.to_owned(),
        ]);
    }
    vec![Table {
        name: "formats",
        text: markdown(&rows),
    }]
}
