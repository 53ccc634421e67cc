//! Vertex buffer of technique `textbook`: four interleaved attributes.

use bytemuck::{Pod, Zeroable, bytes_of};

use crate::{
    character::Character,
    gpu::{Gpu, buffer_with},
    model::{PackedInfluences, PackedVertex},
    render::resources::{
        DrawFlags,
        attributes::{AttributeMesh, per_instance},
    },
};

/// Vertex part of `TextbookVertex` in shaders/shared/textbook.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct TextbookVertex {
    /// Position in unit space.
    position: [f32; 3],
    /// Octahedral normal, snorm16 each.
    normal: u32,
    uv: [f32; 2],
    /// Colour (u8 each, red lowest), then the material.
    color_material: u32,
    joints: [u16; 4],
    /// Weights, unorm16.
    weights: [u16; 4],
}

const STRIDE: u64 = size_of::<TextbookVertex>() as u64;
/// Bytes of each optional load: surface, further influences.
const LOAD: u64 = 16;

const ATTRIBUTES: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Uint32x4, 2 => Uint16x4, 3 => Unorm16x4];
const WITH_SURFACES: [wgpu::VertexAttribute; 5] =
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Uint32x4, 2 => Uint16x4, 3 => Unorm16x4, 7 => Uint32x4];
const WITH_INFLUENCES: [wgpu::VertexAttribute; 5] =
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Uint32x4, 2 => Uint16x4, 3 => Unorm16x4, 8 => Uint32x4];
const WITH_BOTH: [wgpu::VertexAttribute; 6] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Uint32x4, 2 => Uint16x4, 3 => Unorm16x4, 7 => Uint32x4, 8 => Uint32x4];

/// Attributes of `Posed`, then the tint of `Instance`, whose offset is 16 bytes.
const POSED_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![4 => Uint32x4, 5 => Uint32x4];
const TINT_ATTRIBUTE: [wgpu::VertexAttribute; 1] = [wgpu::VertexAttribute {
    format: wgpu::VertexFormat::Uint32,
    offset: 16,
    shader_location: 6,
}];

/// Vertex buffer layouts: vertices, then posed and instances per instance.
pub(crate) fn buffer_layouts(flags: DrawFlags) -> Vec<Option<wgpu::VertexBufferLayout<'static>>> {
    let surfaces = flags.contains(DrawFlags::EXTENDED_VERTEX);
    let eight = flags.contains(DrawFlags::EIGHT_INFLUENCES);
    let vertices = wgpu::VertexBufferLayout {
        array_stride: STRIDE + LOAD * (u64::from(surfaces) + u64::from(eight)),
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: match (surfaces, eight) {
            (false, false) => &ATTRIBUTES,
            (true, false) => &WITH_SURFACES,
            (false, true) => &WITH_INFLUENCES,
            (true, true) => &WITH_BOTH,
        },
    };
    [vertices, per_instance(&POSED_ATTRIBUTES), per_instance(&TINT_ATTRIBUTE)]
        .map(Some)
        .to_vec()
}

pub(crate) fn upload(gpu: &Gpu, character: &Character) -> AttributeMesh {
    let Character {
        model, packed, unit, ..
    } = character;
    let mut bytes = Vec::with_capacity(packed.vertices.len() * (STRIDE + 2 * LOAD) as usize);
    for (index, (vertex, words)) in model.mesh.vertices.iter().zip(&packed.vertices).enumerate() {
        let position = (vertex.position - unit.centre) / unit.half_extent;
        let written = TextbookVertex {
            position: position.to_array(),
            uv: vertex.uv.to_array(),
            ..of_words(words, packed.influences.get(index))
        };
        let surface = packed.surfaces.get(index).map(bytes_of);
        let influences = packed.influences.get(index).map(bytes_of);
        let parts = [Some(bytes_of(&written)), surface, influences];
        parts
            .into_iter()
            .flatten()
            .for_each(|part| bytes.extend_from_slice(part));
    }
    AttributeMesh {
        vertices: vec![buffer_with(
            gpu,
            "textbook vertices",
            &bytes,
            wgpu::BufferUsages::VERTEX,
        )],
        more: Vec::new(),
    }
}

/// Fields shared with the packed vertex (`model/mesh/packed.rs`).
fn of_words(PackedVertex { words: w }: &PackedVertex, more: Option<&PackedInfluences>) -> TextbookVertex {
    let half = |word: u32, high: bool| (word >> if high { 16 } else { 0 }) as u16;
    let weights = [half(w[6], false), half(w[6], true), half(w[7], false)];
    let more = more.map_or([0; 4], |more| more.words);
    let further = [more[2], more[3]].map(|word| [half(word, false), half(word, true)]);
    let others = weights.iter().chain(further.as_flattened());
    let rest = others.fold(u16::MAX, |rest, weight| rest.saturating_sub(*weight));
    let (red, green, blue, material) = (w[1] >> 24, w[7] >> 16 & 0xff, w[7] >> 24, w[1] >> 16 & 0xff);
    TextbookVertex {
        position: [0.0; 3],
        normal: w[2],
        uv: [0.0; 2],
        color_material: red | green << 8 | blue << 16 | material << 24,
        joints: [half(w[4], false), half(w[4], true), half(w[5], false), half(w[5], true)],
        weights: [weights[0], weights[1], weights[2], rest],
    }
}
