//! Vertex buffers of techniques that fetch attributes instead of pulling vertices.

/// Vertex buffers in slot order: vertices, posed instances, instances, then vertex data that only some characters have.
pub(crate) struct AttributeMesh {
    pub(crate) vertices: Vec<wgpu::Buffer>,
    pub(crate) more: Vec<wgpu::Buffer>,
}

impl AttributeMesh {
    pub(crate) fn bytes(&self) -> u64 {
        self.vertices.iter().chain(&self.more).map(wgpu::Buffer::size).sum()
    }

    /// Sets all vertex buffers.
    pub(crate) fn set(&self, pass: &mut wgpu::RenderPass<'_>, posed: &wgpu::Buffer, instances: &wgpu::Buffer) {
        let of_instances = [posed, instances];
        let all = self.vertices.iter().chain(of_instances).chain(&self.more);
        for (slot, buffer) in all.enumerate() {
            pass.set_vertex_buffer(slot as u32, buffer.slice(..));
        }
    }
}

/// Attributes of `Posed` or `Instance`, 32 bytes each.
pub(crate) const fn per_instance(attributes: &'static [wgpu::VertexAttribute]) -> wgpu::VertexBufferLayout<'static> {
    wgpu::VertexBufferLayout {
        array_stride: 32,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes,
    }
}
