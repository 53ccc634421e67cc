//! Makes the generated parts of the documents: tables from stored reports and from the program's own, and docs/cli.md
//! from the command line's definitions.
//!
//! cargo run --example make_docs

mod accuracy;
mod commands;
mod document;
mod formats;
mod performance;

use document::{filled, read, root};
use throng::config::with_declared_sections;

/// Documents with generated tables.
const DOCUMENTS: [&str; 6] = [
    "README.md",
    "benches/README.md",
    "docs/THRONG_animation_atlas.md",
    "docs/accuracy.md",
    "docs/lod.md",
    "docs/performance.md",
];

/// File of all settings, of which some sections are generated.
const SETTINGS: &str = "config/default.toml";

fn main() -> std::io::Result<()> {
    let tables: Vec<_> = [performance::tables(), accuracy::tables(), formats::tables()].concat();
    for file in DOCUMENTS {
        std::fs::write(root().join(file), filled(&read(file), &tables))?;
    }
    let settings = with_declared_sections(&read(SETTINGS));
    std::fs::write(root().join(SETTINGS), settings)?;
    std::fs::write(root().join("docs/cli.md"), commands::reference())
}
