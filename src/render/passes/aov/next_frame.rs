//! Posed data of this and the next frame, for motion vectors: what the vertex shader reads of an instance, in buffers
//! twice as long.

use crate::{
    gpu::GpuError,
    render::{
        RenderContext,
        resources::{
            DrawParts,
            pose_cache::{PoseCache, PosedData},
        },
    },
};

/// Half of the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Frame of the picture.
    Now,
    /// The next frame.
    Next,
}

/// Posed data of a crowd in this and the next frame, with the groups 1 and 2 that draw it.
pub(crate) struct NextFrameData {
    /// Copies into the buffer of both frames: source, destination, bytes of one frame.
    copies: Vec<(wgpu::Buffer, wgpu::Buffer, u64)>,
    /// Posed instances, of which technique `textbook` reads the first half as attributes.
    pub(crate) posed: wgpu::Buffer,
    pub(crate) character: wgpu::BindGroup,
    pub(crate) crowd: wgpu::BindGroup,
    /// Rows of heroes' runs in a half.
    pub(crate) hero_rows: u32,
}

impl NextFrameData {
    pub(crate) fn new(context: &RenderContext, parts: DrawParts<'_>) -> Result<Self, GpuError> {
        let DrawParts { assets, crowd } = parts;
        let mut copies = Vec::new();
        let mut double = |label: &str, source: &wgpu::Buffer, bytes: u64| -> Result<wgpu::Buffer, GpuError> {
            context
                .gpu
                .check_storage(label, bytes * 2, "lower --count, or ask for no motion")?;
            let both = context.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: (bytes * 2).max(64),
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            copies.push((source.clone(), both.clone(), bytes));
            Ok(both)
        };
        let posed = double("posed at two moments", &crowd.posed, crowd.posed.size())?;
        let runs = crowd.hero_runs.as_ref();
        let runs = runs
            .map(|runs| double("hero runs at two moments", runs, runs.size()))
            .transpose()?;
        let live = crowd.live_palettes.as_ref();
        // A buffer of few matrices is larger than they are.
        let palettes = u64::from(crowd.count) * u64::from(assets.uniforms.slot_count) * 48;
        let live = live
            .map(|live| double("live palettes at two moments", live, palettes))
            .transpose()?;
        let poses = crowd.poses.as_ref();
        let mut next_frame_poses = |poses: &PoseCache| -> Result<[wgpu::Buffer; 2], GpuError> {
            Ok([
                double("posed vertices at two moments", &poses.vertices, poses.vertices.size())?,
                // A buffer of few people is larger than they are.
                double("pose slots at two moments", &poses.rows, 8 * u64::from(poses.people))?,
            ])
        };
        let poses = poses.map(&mut next_frame_poses).transpose()?;
        let posed_data = match (&live, &poses) {
            (Some(data), _) => Some(PosedData { data, rows: None }),
            (None, Some([data, rows])) => Some(PosedData {
                data,
                rows: Some((rows, 0)),
            }),
            (None, None) => None,
        };
        Ok(Self {
            character: crowd.character_group(context, assets, posed_data),
            crowd: crowd.crowd_group(context, &posed, runs.as_ref()),
            hero_rows: crowd.hero_runs.as_ref().map_or(0, |runs| (runs.size() / 16) as u32),
            copies,
            posed,
        })
    }

    /// Copies the output of the passes before drawing into one half.
    pub(crate) fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, half: Half) {
        for (source, both, bytes) in &self.copies {
            let at = match half {
                Half::Now => 0,
                Half::Next => *bytes,
            };
            encoder.copy_buffer_to_buffer(source, 0, both, at, *bytes);
        }
    }
}
