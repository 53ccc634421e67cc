//! Helpers that fill in the wgpu descriptors which every pass repeats.

use crate::gpu::{Gpu, GpuError, ShaderSources, pipeline_cache::LayoutRow, shader};

/// Minimal compute pipeline, made to find out whether a device compiles any.
pub(super) fn least_compute_pipeline(device: &wgpu::Device) -> wgpu::ComputePipeline {
    let source = "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1) fn least() { words[0] = arrayLength(&words); }";
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("least"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("least"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// Kind of one entry of a bind group layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// Uniform buffer.
    Uniform,
    /// Read-only storage buffer.
    Storage,
    /// Read-write storage buffer; fragment shaders may write if the adapter supports it.
    StorageWrite,
    /// Sampled float texture that may be filtered.
    Texture(wgpu::TextureViewDimension),
    /// Float texture read with `textureLoad` only.
    TextureLoad(wgpu::TextureViewDimension),
    /// Float texture with several samples per pixel, read with `textureLoad` only.
    TextureSamples,
    /// Texture of this format that is written, not read.
    TextureWrite(wgpu::TextureFormat),
    /// Unsigned integer texture.
    TextureUint(wgpu::TextureViewDimension),
    /// Depth texture for comparison.
    Depth,
    /// Filtering sampler.
    Sampler,
    /// Comparison sampler.
    CompareSampler,
}

impl Binding {
    fn ty(self) -> wgpu::BindingType {
        let buffer = |ty| wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let texture = |sample_type, view_dimension| wgpu::BindingType::Texture {
            sample_type,
            view_dimension,
            multisampled: self == Self::TextureSamples,
        };
        match self {
            Self::Uniform => buffer(wgpu::BufferBindingType::Uniform),
            Self::Storage => buffer(wgpu::BufferBindingType::Storage { read_only: true }),
            Self::StorageWrite => buffer(wgpu::BufferBindingType::Storage { read_only: false }),
            Self::Texture(d) => texture(wgpu::TextureSampleType::Float { filterable: true }, d),
            Self::TextureLoad(d) => texture(wgpu::TextureSampleType::Float { filterable: false }, d),
            Self::TextureSamples => texture(
                wgpu::TextureSampleType::Float { filterable: false },
                wgpu::TextureViewDimension::D2,
            ),
            Self::TextureWrite(format) => wgpu::BindingType::StorageTexture {
                access: wgpu::StorageTextureAccess::WriteOnly,
                format,
                view_dimension: wgpu::TextureViewDimension::D2,
            },
            Self::TextureUint(d) => texture(wgpu::TextureSampleType::Uint, d),
            Self::Depth => texture(wgpu::TextureSampleType::Depth, wgpu::TextureViewDimension::D2),
            Self::Sampler => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
            Self::CompareSampler => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
        }
    }
}

/// Bind group layout from (binding number, stages, kind) rows.
#[must_use]
pub fn bind_group_layout(gpu: &Gpu, label: &str, rows: &[(u32, wgpu::ShaderStages, Binding)]) -> wgpu::BindGroupLayout {
    let make = || {
        let entry = |&(binding, visibility, kind): &LayoutRow| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty: kind.ty(),
            count: None,
        };
        let entries: Vec<_> = rows.iter().map(entry).collect();
        gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
    };
    let key = (label.to_owned(), rows.to_vec());
    // Pipelines that use the layout report it if the device rejects it.
    gpu.pipelines
        .layouts
        .get_or_make(key, || Ok(make()))
        .unwrap_or_else(|_| make())
}

/// Buffer with these contents (at least 16 bytes, so that empty lists can be bound).
#[must_use]
pub fn buffer_with(gpu: &Gpu, label: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let padded;
    let contents = if bytes.len() < 16 {
        let mut copy = bytes.to_vec();
        copy.resize(16, 0);
        padded = copy;
        &padded
    } else {
        bytes
    };
    // Unlike `create_buffer_init` this does not panic on a device that was just lost.
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: contents.len().next_multiple_of(4) as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let (whole, rest) = contents.split_at(contents.len() & !3);
    gpu.write_buffer(label, &buffer, 0, whole);
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        gpu.write_buffer(label, &buffer, whole.len() as u64, &last);
    }
    buffer
}

/// Command encoder with a label for captures and validation errors.
#[must_use]
pub fn encoder(gpu: &Gpu, label: &str) -> wgpu::CommandEncoder {
    gpu.device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) })
}

/// Begins a compute pass without timestamps.
pub fn compute_pass<'a>(encoder: &'a mut wgpu::CommandEncoder, label: &str) -> wgpu::ComputePass<'a> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(label),
        timestamp_writes: None,
    })
}

/// View of a whole texture, in its own dimension and format.
#[must_use]
pub fn whole_view(texture: &wgpu::Texture, label: &str) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some(label),
        ..Default::default()
    })
}

/// A pipeline layout without gaps: a pass that needs no group of a number has an empty layout there.
///
/// wgpu 30 accepts layouts with gaps. When a pipeline with a group after the gap is followed by one without, it does
/// not bind the groups after it again. Vulkan treats such layouts as incompatible from that number on. The second
/// pipeline then reads and writes through invalid descriptors (VUID-vkCmdDispatch-None-02697).
#[must_use]
pub fn pipeline_layout(gpu: &Gpu, label: &str, groups: &[&wgpu::BindGroupLayout]) -> wgpu::PipelineLayout {
    let groups: Vec<_> = groups.iter().copied().map(Some).collect();
    gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &groups,
        immediate_size: 0,
    })
}

/// Compute pipeline of the pass `pass` (the entry point has the same name).
///
/// # Errors
/// [`GpuError::Shader`].
pub fn compute_pipeline(
    gpu: &Gpu,
    pass: &str,
    features: &[&str],
    layouts: &[&wgpu::BindGroupLayout],
) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline_from(gpu, &gpu.shaders(), pass, features, layouts)
}

/// Compute pipeline of the pass `pass`, from sources other than the device's.
///
/// # Errors
/// [`GpuError::Shader`].
pub fn compute_pipeline_from(
    gpu: &Gpu,
    sources: &ShaderSources,
    pass: &str,
    features: &[&str],
    layouts: &[&wgpu::BindGroupLayout],
) -> Result<wgpu::ComputePipeline, GpuError> {
    let key = shader::key(sources, pass, features, layouts)?;
    let make = || {
        let module = shader::module(gpu, &key);
        let layout = pipeline_layout(gpu, pass, layouts);
        Ok(gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(pass),
            layout: Some(&layout),
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: !WRITES_BEFORE_READING.contains(&pass),
                ..Default::default()
            },
            cache: None,
        }))
    };
    gpu.pipelines
        .compute
        .get_or_make(key.clone(), || gpu.checked(pass, make))
}

/// Passes that write workgroup memory before they read it, so that it need not be zeroed. Zeroing took 2 % of the
/// software rasterizer's time.
const WRITES_BEFORE_READING: [&str; 3] = ["rasterise", "shade_visibility", "triangle_cull"];
