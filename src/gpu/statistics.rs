//! Pipeline statistics: shader invocations of one pass, if the adapter counts them.

use crate::gpu::{Gpu, GpuError, read_buffer};

/// Shader invocations of one pass, as the hardware counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Invocations {
    /// Vertex shader runs: indexed vertices less those found in the reuse cache.
    pub vertex: u64,
    /// Triangles left after clipping and culling.
    pub triangles: u64,
    /// Fragment shader runs.
    pub fragment: u64,
}

const COUNTED: wgpu::PipelineStatisticsTypes = wgpu::PipelineStatisticsTypes::VERTEX_SHADER_INVOCATIONS
    .union(wgpu::PipelineStatisticsTypes::CLIPPER_PRIMITIVES_OUT)
    .union(wgpu::PipelineStatisticsTypes::FRAGMENT_SHADER_INVOCATIONS);

/// Query of the invocations of one pass per frame.
pub struct PassStatistics {
    queries: wgpu::QuerySet,
    result: wgpu::Buffer,
}

impl PassStatistics {
    /// `None` where the adapter has no pipeline statistics.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let supported = gpu.features.contains(wgpu::Features::PIPELINE_STATISTICS_QUERY);
        supported.then(|| Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("invocations"),
                ty: wgpu::QueryType::PipelineStatistics(COUNTED),
                count: 1,
            }),
            result: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("invocations"),
                size: 3 * 8,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
        })
    }

    /// Starts counting inside a pass.
    pub fn begin(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.begin_pipeline_statistics_query(&self.queries, 0);
    }

    /// Stops counting inside the same pass.
    pub fn end(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.end_pipeline_statistics_query();
    }

    /// Resolves the query; call it after the pass, in the same encoder.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..1, &self.result, 0);
    }

    /// Reads the counts of the last submitted frame; blocks until it is done.
    ///
    /// # Errors
    /// [`GpuError::Readback`].
    pub fn read(&self, gpu: &Gpu) -> Result<Invocations, GpuError> {
        let counts: Vec<u64> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, &self.result)?);
        let count = |i: usize| counts.get(i).copied().unwrap_or(0);
        Ok(Invocations {
            vertex: count(0),
            triangles: count(1),
            fragment: count(2),
        })
    }
}
