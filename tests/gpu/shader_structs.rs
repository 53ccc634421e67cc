//! Structs that Rust shares with shaders have the layout that the shaders' compiler gives them.

use std::{fs, mem::offset_of};

use throng::{
    crowd::{Attachment, Instance},
    gpu::ShaderSources,
    model::{PackedSurface, PackedVertex},
};
use wgpu::naga;

use crate::shader_reload::write_shaders;

/// Shared struct, as build.rs lays it out. With another layout Rust does not compile.
struct SharedStruct {
    /// Shader file that declares it.
    module: &'static str,
    /// Condition under which it does so; empty: always.
    condition: &'static str,
    /// Name in shaders.
    name: &'static str,
    /// Bytes, without a list at the end.
    size: u32,
    /// Names and offsets, without a list at the end.
    members: &'static [(&'static str, u32)],
}

const SHARED: &[SharedStruct] = include!(concat!(env!("OUT_DIR"), "/shader_structs.rs"));

/// Text of a pass with a buffer of every shared struct.
fn pass_of_all() -> String {
    let (mut text, mut uses) = (String::new(), String::new());
    for shared in SHARED {
        let module = shared.module.replace('/', "::");
        text += &format!("import package::{module}::{};\n", shared.name);
    }
    for (at, shared) in SHARED.iter().enumerate() {
        let name = shared.name;
        text += &format!("@group(0) @binding({at}) var<storage, read_write> buffer_{at}: {name};\n");
        uses += &format!("    let pointer_{at} = &buffer_{at};\n");
    }
    text + "@compute @workgroup_size(1)\nfn main() {\n" + &uses + "}\n"
}

/// The pass, compiled with all conditions that declare a shared struct.
fn compiled() -> naga::Module {
    let folder = tempfile::tempdir().expect("a folder");
    write_shaders(folder.path());
    fs::write(folder.path().join("all_shared.wgsl"), pass_of_all()).expect("written");
    let sources = ShaderSources::read(folder.path()).expect("readable");
    let conditions: Vec<_> = SHARED.iter().map(|shared| shared.condition).collect();
    let text = sources
        .wgsl("all_shared", &conditions)
        .unwrap_or_else(|e| panic!("{e}"));
    naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)))
}

/// Size of a struct, and offsets of its members by name. A list at the end counts for neither.
fn layout(module: &naga::Module, name: &str) -> (u32, Vec<(String, u32)>) {
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let Some(naga::TypeInner::Struct { members, span }) = found.map(|(_, ty)| &ty.inner) else {
        panic!("no struct {name}")
    };
    let is_list = |member: &naga::StructMember| {
        let size = naga::ArraySize::Dynamic;
        matches!(module.types[member.ty].inner, naga::TypeInner::Array { size: s, .. } if s == size)
    };
    let list = members.iter().find(|member| is_list(member));
    let fixed = members.iter().filter(|member| !is_list(member));
    let offsets = fixed.map(|member| (member.name.clone().unwrap_or_default(), member.offset));
    (list.map_or(*span, |list| list.offset), offsets.collect())
}

#[test]
fn shared_structs_have_the_layout_of_the_compiler() {
    assert!(SHARED.len() > 40, "{} structs", SHARED.len());
    let module = compiled();
    for shared in SHARED {
        let members = shared.members.iter().map(|&(name, offset)| (name.to_owned(), offset));
        let expected = (shared.size, members.collect());
        assert_eq!(
            layout(&module, shared.name),
            expected,
            "{} {}",
            shared.module,
            shared.name
        );
    }
}

#[test]
fn rows_that_passes_read_as_others_have_the_same_layout() {
    // Read as two or three vec4<u32>.
    assert_eq!((size_of::<PackedVertex>(), size_of::<PackedSurface>()), (32, 16));
    // Attachments take the place of instances, and passes that draw either read the tint.
    assert_eq!(size_of::<Attachment>(), size_of::<Instance>());
    assert_eq!(offset_of!(Attachment, tint), offset_of!(Instance, tint));
}
