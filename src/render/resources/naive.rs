//! Vertex buffers of technique `naive`: one per attribute, in full precision.

use bytemuck::cast_slice;

use crate::{
    gpu::{Gpu, buffer_with},
    model::{Mesh, PackedMesh, USUAL_INFLUENCES, Vertex},
    render::resources::{
        DrawFlags,
        attributes::{AttributeMesh, per_instance},
    },
};

/// Attributes 0 to 6 of shaders/naive.wgsl as (format, stride).
const ATTRIBUTES: [(wgpu::VertexFormat, u64); 7] = [
    (wgpu::VertexFormat::Float32x3, 12),
    (wgpu::VertexFormat::Float32x3, 12),
    (wgpu::VertexFormat::Float32x2, 8),
    (wgpu::VertexFormat::Unorm8x4, 4),
    (wgpu::VertexFormat::Uint16x4, 8),
    (wgpu::VertexFormat::Float32x4, 16),
    (wgpu::VertexFormat::Uint32, 4),
];

const VERTEX_ATTRIBUTES: [wgpu::VertexAttribute; 7] = {
    let mut rows = [wgpu::VertexAttribute {
        format: wgpu::VertexFormat::Float32x3,
        offset: 0,
        shader_location: 0,
    }; 7];
    let mut i = 0;
    while i < 7 {
        rows[i].format = ATTRIBUTES[i].0;
        rows[i].shader_location = i as u32;
        i += 1;
    }
    rows
};

/// Attributes of `Posed` (32 bytes), two of them, then the tint of `Instance` (offset 16 of 32 bytes).
const POSED_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![7 => Uint32x4, 8 => Uint32x4];
const TINT_ATTRIBUTE: [wgpu::VertexAttribute; 1] = [wgpu::VertexAttribute {
    format: wgpu::VertexFormat::Uint32,
    offset: 16,
    shader_location: 9,
}];

/// Tangent and second texture coordinates of a vertex, attributes 10 and 11.
const SURFACE_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![10 => Float32x4, 11 => Float32x2];

/// Slots and weights 4 to 7 of a vertex, attributes 12 and 13.
const INFLUENCE_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![12 => Uint16x4, 13 => Float32x4];

/// Vertex buffer layouts: seven buffers of vertices, posed and instances per instance, then surfaces and further
/// influences of characters that have them.
pub(crate) fn buffer_layouts(flags: DrawFlags) -> Vec<Option<wgpu::VertexBufferLayout<'static>>> {
    let vertex = ATTRIBUTES
        .iter()
        .zip(VERTEX_ATTRIBUTES.chunks(1))
        .map(|(&(_, stride), row)| wgpu::VertexBufferLayout {
            array_stride: stride,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: row,
        });
    let instance = [per_instance(&POSED_ATTRIBUTES), per_instance(&TINT_ATTRIBUTE)];
    let more = |attributes| wgpu::VertexBufferLayout {
        array_stride: 24,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes,
    };
    let surface = flags
        .contains(DrawFlags::EXTENDED_VERTEX)
        .then_some(more(&SURFACE_ATTRIBUTES));
    let influences = flags
        .contains(DrawFlags::EIGHT_INFLUENCES)
        .then_some(more(&INFLUENCE_ATTRIBUTES));
    let all = vertex.chain(instance).chain(surface).chain(influences);
    all.map(Some).collect()
}

/// Uploads one buffer per attribute, in the order of shader locations, of the mesh that `packed` was made from.
/// Optional data follows the instances: tangents and second texture coordinates, further slots and weights.
pub(crate) fn upload(gpu: &Gpu, mesh: &Mesh, packed: &PackedMesh) -> AttributeMesh {
    let make = |label: &str, bytes: &[u8]| buffer_with(gpu, label, bytes, wgpu::BufferUsages::VERTEX);
    let vertices = &mesh.vertices;
    let positions: Vec<_> = vertices.iter().map(|v| v.position.to_array()).collect();
    let normals: Vec<_> = vertices.iter().map(|v| v.normal.to_array()).collect();
    let uvs: Vec<_> = vertices.iter().map(|v| v.uv.to_array()).collect();
    let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    let colors: Vec<[u8; 4]> = vertices.iter().map(|v| v.color.to_array().map(byte)).collect();
    let joints: Vec<_> = vertices.iter().map(|v| first_four(v.joints)).collect();
    let weights: Vec<_> = vertices.iter().map(|v| first_four(v.weights)).collect();
    let materials: Vec<_> = vertices.iter().map(|v| u32::from(v.material)).collect();
    let mut more = Vec::new();
    if packed.is_extended() {
        let surfaces: Vec<[f32; 6]> = vertices.iter().map(surface).collect();
        more.push(make("surfaces", cast_slice(&surfaces)));
    }
    if packed.has_eight_influences() {
        let influences: Vec<[u32; 6]> = vertices.iter().map(further_influences).collect();
        more.push(make("further influences", cast_slice(&influences)));
    }
    AttributeMesh {
        vertices: vec![
            make("positions", cast_slice(&positions)),
            make("normals", cast_slice(&normals)),
            make("uvs", cast_slice(&uvs)),
            make("colors", cast_slice(&colors)),
            make("joints", cast_slice(&joints)),
            make("weights", cast_slice(&weights)),
            make("materials", cast_slice(&materials)),
        ],
        more,
    }
}

fn first_four<T: Copy, const N: usize>(all: [T; N]) -> [T; USUAL_INFLUENCES] {
    std::array::from_fn(|i| all[i])
}

fn surface(v: &Vertex) -> [f32; 6] {
    let [x, y, z, w] = v.tangent.to_array();
    [x, y, z, w, v.uv1.x, v.uv1.y]
}

/// Further influences: four slots of 16 bits, then four weights.
fn further_influences(v: &Vertex) -> [u32; 6] {
    let (j, w) = (v.joints.map(u32::from), v.weights.map(f32::to_bits));
    [j[4] | j[5] << 16, j[6] | j[7] << 16, w[4], w[5], w[6], w[7]]
}
