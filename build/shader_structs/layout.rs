//! Layout of shared structs as WGSL has it: sizes and alignments of types, offsets of members.

use super::read::{Shared, SharedStructs};

/// Type of a member.
struct Type {
    rust: String,
    size: usize,
    align: usize,
    has_floats: bool,
}

/// Member in Rust.
pub struct Field {
    pub rust_type: String,
    pub offset: usize,
}

/// Layout of a struct. A list at its end is no field.
pub struct Layout {
    pub fields: Vec<Field>,
    pub size: usize,
    align: usize,
    pub has_floats: bool,
}

/// Lays out a struct. Gaps are errors: Rust would not leave the same.
pub fn layout(shared: &Shared, all: &SharedStructs) -> Result<Layout, String> {
    let mut layout = Layout {
        fields: Vec::new(),
        size: 0,
        align: 1,
        has_floats: false,
    };
    for member in &shared.members {
        let list = list_element(&member.wgsl_type);
        let ty = type_of(list.unwrap_or(&member.wgsl_type), all).map_err(|e| shared.error(member.line, &e))?;
        if !layout.size.is_multiple_of(ty.align) {
            let message = format!("a gap before `{}`: add a member `pad: u32,`", member.name);
            return Err(shared.error(member.line, &message));
        }
        layout.align = layout.align.max(ty.align);
        layout.has_floats |= list.is_none() && ty.has_floats;
        if list.is_none() {
            let offset = layout.size;
            layout.size += ty.size;
            layout.fields.push(Field {
                rust_type: ty.rust,
                offset,
            });
        }
    }
    if !layout.size.is_multiple_of(layout.align) {
        return Err(shared.error(shared.end, "a gap at the end: add a member `pad: u32,`"));
    }
    Ok(layout)
}

/// Type of the elements of a list without length.
fn list_element(wgsl_type: &str) -> Option<&str> {
    let element = wgsl_type.strip_prefix("array<")?.strip_suffix('>')?;
    (!element.contains(", ")).then_some(element)
}

/// Type of Rust that has the bytes of a type of WGSL.
fn type_of(wgsl_type: &str, all: &SharedStructs) -> Result<Type, String> {
    if let Some(shared) = all.get(wgsl_type) {
        let inner = layout(shared, all)?;
        return Ok(Type {
            rust: shared.rust_name.clone(),
            size: inner.size,
            align: inner.align,
            has_floats: inner.has_floats,
        });
    }
    let unknown = || format!("Rust has no type for {wgsl_type}; a struct needs the mark, too");
    let Some((generic, inner)) = wgsl_type.strip_suffix('>').and_then(|ty| ty.split_once('<')) else {
        let is_scalar = ["u32", "i32", "f32"].contains(&wgsl_type);
        return is_scalar.then(|| scalar(wgsl_type)).ok_or_else(unknown);
    };
    match (generic, inner.rsplit_once(", ")) {
        ("atomic", None) => type_of(inner, all),
        ("vec2", None) => Ok(array(&type_of(inner, all)?, 2, 8)),
        ("vec3", None) => Ok(array(&type_of(inner, all)?, 3, 16)),
        ("vec4", None) => Ok(array(&type_of(inner, all)?, 4, 16)),
        ("mat4x4", None) if inner == "f32" => Ok(Type {
            rust: "glam::Mat4".to_owned(),
            size: 64,
            align: 16,
            has_floats: true,
        }),
        ("array", Some((element, count))) => {
            let element = type_of(element, all)?;
            if !element.size.is_multiple_of(element.align) {
                return Err(format!("gaps between the elements of {wgsl_type}"));
            }
            let count = count
                .parse()
                .map_err(|_| format!("the length is no number: {wgsl_type}"))?;
            Ok(array(&element, count, element.align))
        }
        _ => Err(unknown()),
    }
}

fn scalar(name: &str) -> Type {
    Type {
        rust: name.to_owned(),
        size: 4,
        align: 4,
        has_floats: name == "f32",
    }
}

fn array(element: &Type, count: usize, align: usize) -> Type {
    Type {
        rust: format!("[{}; {count}]", element.rust),
        size: count * element.size,
        align,
        has_floats: element.has_floats,
    }
}
