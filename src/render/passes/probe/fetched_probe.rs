//! Probe of techniques that fetch vertex attributes. Compute passes cannot fetch them, so each vertex becomes a pixel
//! of two pictures.

use crate::{
    gpu::{Gpu, GpuError, compute_pass, encoder, pipeline_layout, read_buffer, shader, target_texture, whole_view},
    render::{
        RenderContext,
        passes::{DrawVariant, probe::ProbeVertex},
        resources::DrawParts,
    },
};

/// Pixels in a row; `ROW` in shaders/fetched_probe.wgsl.
const ROW: u32 = 1024;
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Float;
const PIXEL_BYTES: u32 = 16;

/// Pipeline of shaders/fetched_probe.wgsl for one variant.
pub(crate) struct FetchedProbe {
    pipeline: wgpu::RenderPipeline,
}

impl FetchedProbe {
    pub(crate) fn new(context: &RenderContext, variant: DrawVariant) -> Result<Self, GpuError> {
        let pass = "fetched_probe";
        let groups = [
            &context.layouts.frame,
            context.layouts.character(variant),
            context.layouts.instances(variant),
        ];
        let module = shader::module(
            &context.gpu,
            &shader::key(&context.gpu.shaders(), pass, &variant.pose_features(), &groups)?,
        );
        let layout = pipeline_layout(&context.gpu, pass, &groups);
        let pipeline = context
            .gpu
            .device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(pass),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: None,
                    compilation_options: Default::default(),
                    buffers: &variant.vertex_buffers(),
                },
                primitive: wgpu::PrimitiveState {
                    topology: wgpu::PrimitiveTopology::PointList,
                    ..Default::default()
                },
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: None,
                    compilation_options: Default::default(),
                    targets: &[Some(FORMAT.into()), Some(FORMAT.into())],
                }),
                multiview_mask: None,
                cache: None,
            });
        Ok(Self { pipeline })
    }

    /// Skins all vertices of all instances as [`super::Probe::run`] does, but without tangents; `pose` fills the posed
    /// instances.
    pub(crate) fn run(
        &self,
        gpu: &Gpu,
        parts: DrawParts<'_>,
        frame: &wgpu::BindGroup,
        pose: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> Result<Vec<ProbeVertex>, GpuError> {
        let DrawParts { assets, crowd } = parts;
        let total = crowd.count * assets.vertex_count;
        let size = (ROW, total.div_ceil(ROW).max(1));
        check_rows(gpu, size.1)?;
        let picture = |label| target_texture(gpu, label, size, FORMAT, 1, wgpu::TextureUsages::COPY_SRC);
        let pictures = ["probed positions", "probed normals"].map(picture);
        let mut encoder = encoder(gpu, "fetched probe");
        let mut pass = compute_pass(&mut encoder, "fetched probe");
        pose(&mut pass);
        drop(pass);
        self.draw(&mut encoder, &pictures, parts, frame);
        let buffers = pictures.map(|picture| copy(gpu, &mut encoder, &picture));
        gpu.queue.submit([encoder.finish()]);
        let [positions, normals] = [read_buffer(gpu, &buffers[0])?, read_buffer(gpu, &buffers[1])?];
        let read = |bytes: &[u8]| bytemuck::pod_collect_to_vec::<u8, [f32; 4]>(bytes);
        let pairs = read(&positions).into_iter().zip(read(&normals)).take(total as usize);
        let probe_output = pairs.map(|(position, normal)| ProbeVertex {
            position,
            normal,
            tangent: [0.0; 4],
        });
        Ok(probe_output.collect())
    }

    fn draw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pictures: &[wgpu::Texture; 2],
        parts: DrawParts<'_>,
        frame: &wgpu::BindGroup,
    ) {
        let DrawParts { assets, crowd } = parts;
        let views = pictures.each_ref().map(|p| whole_view(p, "probe_output"));
        let attachments = views.each_ref().map(|view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("fetched probe"),
            color_attachments: &attachments,
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, &crowd.character, &[]);
        pass.set_bind_group(2, &crowd.crowd, &[]);
        if let Some(attributes) = &assets.attributes {
            attributes.set(&mut pass, &crowd.posed, &crowd.list);
            pass.draw(0..assets.vertex_count, 0..crowd.count);
        }
    }
}

fn check_rows(gpu: &Gpu, rows: u32) -> Result<(), GpuError> {
    let limit = gpu.limits.max_texture_dimension_2d;
    if rows <= limit {
        return Ok(());
    }
    let bytes = |rows: u32| u64::from(rows) * u64::from(ROW * PIXEL_BYTES);
    Err(GpuError::TooLarge {
        what: "the probe's output".into(),
        needed: bytes(rows),
        name: gpu.facts.name.clone(),
        limit: bytes(limit),
        limit_name: "max_texture_dimension_2d",
        hint: "probe fewer instances at a time".into(),
    })
}

/// Copies the pixels of a picture to a buffer, rows without padding.
fn copy(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::Texture) -> wgpu::Buffer {
    let row = ROW * PIXEL_BYTES;
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("probe_output"),
        size: u64::from(row) * u64::from(picture.height()),
        usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    encoder.copy_texture_to_buffer(
        picture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row),
                rows_per_image: None,
            },
        },
        picture.size(),
    );
    buffer
}
