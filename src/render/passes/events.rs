//! The events pass: all events of a time interval and a whole crowd, into a list of bounded length.

use crate::{
    crowd::{EventMarks, clock::Clock},
    gpu::{Gpu, GpuError, buffer_with, compute_pipeline, read_buffer},
    render::{
        Layouts,
        passes::animate::workgroups,
        resources::{CrowdInstances, instances::bind_group},
    },
};

/// Longest stretch of one query, ticks (1/65536 s): four hours.
const LONGEST: u64 = 1 << 30;

/// Something that took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GpuEvent {
    /// Index in the character's list of instances.
    pub instance: u32,
    /// First moment at which it had happened.
    pub clock: Clock,
    /// Clip of the character.
    pub clip: u32,
    /// Index into [`EventMarks::names`].
    pub name: u32,
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuEvents {
    /// In no particular order.
    pub found: Vec<GpuEvent>,
    /// How many more there were than the list can hold.
    pub overflow: u32,
}

/// Pipeline of shaders/events.wgsl.
pub struct EventPass {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl EventPass {
    /// Compiles the pass.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Result<Self, GpuError> {
        use crate::gpu::Binding::{Storage, StorageWrite};
        let compute = wgpu::ShaderStages::COMPUTE;
        let rows = [(0, compute, Storage), (1, compute, Storage), (2, compute, StorageWrite)];
        let layout = crate::gpu::bind_group_layout(gpu, "events", &rows);
        // Events are of any stretch of time, not of a frame.
        let groups = [None, Some(&layouts.animate_character), Some(&layout)];
        let pipeline = compute_pipeline(gpu, "events", &[], &groups)?;
        Ok(Self { pipeline, layout })
    }

    /// Everything that happens to the instances of a character in `(t0, t1]`, up to `room` events;
    /// waits for the GPU. Stretches beyond four hours are cut short.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Readback`].
    pub fn query(
        &self,
        gpu: &Gpu,
        crowd: &CrowdInstances,
        marks: &EventMarks,
        (t0, t1): (Clock, Clock),
        room: u32,
    ) -> Result<GpuEvents, GpuError> {
        let bytes = 16 + 16 * u64::from(room.max(1));
        gpu.check_storage("the list of events", bytes, "request fewer at a time")?;
        let span = t1.count().saturating_sub(t0.count()).min(LONGEST) as u32;
        let mut list = vec![[0, t0.seconds, t0.ticks, span]];
        list.resize(1 + room.max(1) as usize, [0; 4]);
        let storage = wgpu::BufferUsages::STORAGE;
        let marks = buffer_with(gpu, "marks", bytemuck::cast_slice(&mark_rows(marks)), storage);
        let list = buffer_with(
            gpu,
            "events",
            bytemuck::cast_slice(&list),
            storage | wgpu::BufferUsages::COPY_SRC,
        );
        let rows = [
            (0, crowd.list.as_entire_binding()),
            (1, marks.as_entire_binding()),
            (2, list.as_entire_binding()),
        ];
        let group = bind_group(gpu, &self.layout, &rows);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &crowd.animate_character, &[]);
        pass.set_bind_group(2, &group, &[]);
        let (x, y) = workgroups(crowd.count);
        pass.dispatch_workgroups(x, y, 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        Ok(decode(&bytemuck::pod_collect_to_vec::<u8, [u32; 4]>(&read_buffer(
            gpu, &list,
        )?)))
    }
}

/// Per clip its first mark and their number, then all marks: name, position.
fn mark_rows(marks: &EventMarks) -> Vec<[u32; 2]> {
    let mut first = marks.clips.len() as u32;
    let mut rows = Vec::new();
    for clip in &marks.clips {
        rows.push([first, clip.len() as u32]);
        first += clip.len() as u32;
    }
    rows.extend(marks.clips.iter().flatten().map(|mark| [mark.name, mark.position]));
    rows
}

fn decode(rows: &[[u32; 4]]) -> GpuEvents {
    let Some(([[count, ..]], items)) = rows.split_first_chunk::<1>() else {
        return GpuEvents::default();
    };
    let event = |&[instance, what, seconds, ticks]: &[u32; 4]| GpuEvent {
        instance,
        clock: Clock { seconds, ticks },
        clip: what & 0xffff,
        name: what >> 16,
    };
    GpuEvents {
        found: items.iter().take(*count as usize).map(event).collect(),
        overflow: count.saturating_sub(items.len() as u32),
    }
}
