//! Writes the Rust structs of the shaders' structs that are marked `// shared with Rust`.
//!
//! A shader declares the struct, and its comments of three strokes become the documentation in Rust:
//!
//! ```wgsl
//! /// Ray and crowd of one dispatch.
//! struct PickQuery { // shared with Rust
//!     /// Start of the ray (m).
//!     origin: vec3<f32>,
//! ```
//!
//! The mark may go on: ` as NAME` names the struct in Rust, `, ordered` gives it an order and a hash. Members whose
//! names begin with `pad` need no comment. A list without length at the end stays in the shader.

mod layout;
mod read;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use layout::{Layout, layout};
use read::{Shared, SharedStructs, read};

/// Writes a Rust file for every shared struct, and a table of them all.
pub fn write(shaders: &[PathBuf], out: &Path) -> Result<(), String> {
    let message = |e: io::Error| e.to_string();
    let mut all = SharedStructs::new();
    for file in shaders {
        let text = fs::read_to_string(file).map_err(message)?;
        read(&file.to_string_lossy().replace('\\', "/"), &text, &mut all)?;
    }
    let folder = out.join("shader_structs");
    fs::create_dir_all(&folder).map_err(message)?;
    let mut table = String::from("&[\n");
    for shared in all.values() {
        let layout = layout(shared, &all)?;
        let path = folder.join(format!("{}.rs", shared.rust_name));
        fs::write(path, rust(shared, &layout)).map_err(message)?;
        table += &row(shared, &layout);
    }
    fs::write(out.join("shader_structs.rs"), table + "]\n").map_err(message)
}

/// The struct in Rust, and assertions that it lies there as in shaders.
fn rust(shared: &Shared, layout: &Layout) -> String {
    let (name, file) = (&shared.rust_name, &shared.file);
    let exact = if layout.has_floats { "" } else { "Eq, " };
    let order = if shared.is_ordered {
        "PartialOrd, Ord, Hash, "
    } else {
        ""
    };
    let derived = format!("Clone, Copy, Debug, Default, PartialEq, {exact}{order}bytemuck::Pod, bytemuck::Zeroable");
    let (mut fields, mut checks) = (String::new(), String::new());
    for (member, field) in shared.members.iter().zip(&layout.fields) {
        let is_unused = member.name.starts_with("pad") && member.docs.is_empty();
        fields += &documentation(&member.docs);
        fields += if is_unused { "/// Unused.\n" } else { "" };
        fields += &format!("pub {}: {},\n", member.name, field.rust_type);
        let offset = format!("std::mem::offset_of!({name}, {})", member.name);
        checks += &format!("assert!({offset} == {});\n", field.offset);
    }
    documentation(&shared.docs)
        + &format!("///\n/// Made from `{}` in {file}.\n", shared.name)
        + &format!("#[repr(C)]\n#[derive({derived})]\npub struct {name} {{\n{fields}}}\n")
        + &format!(
            "const _: () = {{\nassert!({} == size_of::<{name}>());\n{checks}}};\n",
            layout.size
        )
}

fn documentation(lines: &[String]) -> String {
    lines.iter().map(|line| format!("///{line}\n")).collect()
}

/// The struct's row of the table, which a test compares with the layout of the shaders' compiler.
fn row(shared: &Shared, layout: &Layout) -> String {
    let module = shared.file.trim_start_matches("shaders/").trim_end_matches(".wgsl");
    let members = shared.members.iter().zip(&layout.fields);
    let members: Vec<_> = members.map(|(member, field)| (&member.name, field.offset)).collect();
    format!(
        "    SharedStruct {{ module: {module:?}, condition: {:?}, name: {:?}, size: {}, members: &{members:?} }},\n",
        shared.condition, shared.name, layout.size
    )
}
