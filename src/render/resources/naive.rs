//! Vertex buffers of the naive technique: one per attribute, full precision.

use bytemuck::cast_slice;

use crate::{
    gpu::{Gpu, buffer_with},
    model::Mesh,
};

/// One buffer per attribute, in shader-location order.
pub(crate) struct NaiveMesh {
    buffers: [wgpu::Buffer; 7],
    /// Tangents and second texture coordinates, where the character has either.
    surfaces: Option<wgpu::Buffer>,
}

/// (format, stride) of the attributes 0 to 6 of shaders/naive.wgsl.
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

/// `Posed` (32 bytes) as two attributes, then the tint of `Instance` (offset 16 of 32 bytes).
const POSED_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![7 => Uint32x4, 8 => Uint32x4];
const TINT_ATTRIBUTE: [wgpu::VertexAttribute; 1] = [wgpu::VertexAttribute {
    format: wgpu::VertexFormat::Uint32,
    offset: 16,
    shader_location: 9,
}];

/// Tangent and second texture coordinates of a vertex, attributes 10 and 11.
const SURFACE_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![10 => Float32x4, 11 => Float32x2];

/// Layouts for the pipeline: seven vertex buffers, then posed and instances per instance, then for
/// wide vertices the surfaces.
pub(crate) fn buffer_layouts(wide: bool) -> Vec<Option<wgpu::VertexBufferLayout<'static>>> {
    let vertex = ATTRIBUTES
        .iter()
        .zip(VERTEX_ATTRIBUTES.chunks(1))
        .map(|(&(_, stride), row)| wgpu::VertexBufferLayout {
            array_stride: stride,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: row,
        });
    let per_instance = |attributes| wgpu::VertexBufferLayout {
        array_stride: 32,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes,
    };
    let instance = [per_instance(&POSED_ATTRIBUTES), per_instance(&TINT_ATTRIBUTE)];
    let surface = wide.then_some(wgpu::VertexBufferLayout {
        array_stride: 24,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &SURFACE_ATTRIBUTES,
    });
    vertex.chain(instance).chain(surface).map(Some).collect()
}

impl NaiveMesh {
    pub(crate) fn upload(gpu: &Gpu, mesh: &Mesh, wide: bool) -> Self {
        let make = |label: &str, bytes: &[u8]| buffer_with(gpu, label, bytes, wgpu::BufferUsages::VERTEX);
        let vertices = &mesh.vertices;
        let positions: Vec<_> = vertices.iter().map(|v| v.position.to_array()).collect();
        let normals: Vec<_> = vertices.iter().map(|v| v.normal.to_array()).collect();
        let uvs: Vec<_> = vertices.iter().map(|v| v.uv.to_array()).collect();
        let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        let colors: Vec<[u8; 4]> = vertices.iter().map(|v| v.color.to_array().map(byte)).collect();
        let joints: Vec<_> = vertices.iter().map(|v| v.joints).collect();
        let weights: Vec<_> = vertices.iter().map(|v| v.weights).collect();
        let materials: Vec<_> = vertices.iter().map(|v| u32::from(v.material)).collect();
        let surface = |v: &crate::model::Vertex| -> [f32; 6] {
            let [x, y, z, w] = v.tangent.to_array();
            [x, y, z, w, v.uv1.x, v.uv1.y]
        };
        let surfaces: Vec<[f32; 6]> = vertices.iter().filter(|_| wide).map(surface).collect();
        Self {
            surfaces: wide.then(|| make("surfaces", cast_slice(&surfaces))),
            buffers: [
                make("positions", cast_slice(&positions)),
                make("normals", cast_slice(&normals)),
                make("uvs", cast_slice(&uvs)),
                make("colors", cast_slice(&colors)),
                make("joints", cast_slice(&joints)),
                make("weights", cast_slice(&weights)),
                make("materials", cast_slice(&materials)),
            ],
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.buffers.iter().chain(&self.surfaces).map(wgpu::Buffer::size).sum()
    }

    /// Sets the vertex buffers 0 to 6, the instance buffers 7 and 8, and 9 for wide vertices.
    pub(crate) fn set(&self, pass: &mut wgpu::RenderPass<'_>, posed: &wgpu::Buffer, instances: &wgpu::Buffer) {
        for (slot, buffer) in self.buffers.iter().enumerate() {
            pass.set_vertex_buffer(slot as u32, buffer.slice(..));
        }
        pass.set_vertex_buffer(7, posed.slice(..));
        pass.set_vertex_buffer(8, instances.slice(..));
        if let Some(surfaces) = &self.surfaces {
            pass.set_vertex_buffer(9, surfaces.slice(..));
        }
    }
}
