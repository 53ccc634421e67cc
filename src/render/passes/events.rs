//! Events pass: finds the clip events of a whole crowd in a time interval and writes them to a list of bounded length.

use crate::{
    crowd::{EventMarks, clock::Clock},
    gpu::{Gpu, GpuError, buffer_with, compute_pass, compute_pipeline, encoder, read_buffer},
    render::{
        RenderContext,
        passes::animate::workgroups,
        resources::{CrowdInstances, instances::bind_group},
    },
};

/// Longest span of one dispatch in ticks (1/65536 s), about two minutes. Hours would fit 32 bits, but drivers abort
/// long dispatches. llvmpipe does so silently after 65,535 iterations of an invocation's loops.
const LONGEST: u64 = 1 << 23;

/// Clip event that occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GpuEvent {
    /// Index in the character's list of instances.
    pub instance: u32,
    /// First tick at which the event had occurred.
    pub clock: Clock,
    /// Clip of the character.
    pub clip: u32,
    /// Index into [`EventMarks::names`].
    pub name: u32,
}

shader_struct!(EventHead);

shader_struct!(EventRow);

shader_struct!(MarkRow);

/// Result of an event query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuEvents {
    /// Events found, in no particular order.
    pub found: Vec<GpuEvent>,
    /// Number of further events that did not fit the list.
    pub overflow: u32,
}

/// Pipeline of shaders/events.wgsl.
pub struct EventPass {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    no_frame: wgpu::BindGroup,
}

impl EventPass {
    /// Compiles the pass.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(context: &RenderContext) -> Result<Self, GpuError> {
        use crate::gpu::Binding::{Storage, StorageWrite};
        let compute = wgpu::ShaderStages::COMPUTE;
        let rows = [(0, compute, Storage), (1, compute, Storage), (2, compute, StorageWrite)];
        let layout = crate::gpu::bind_group_layout(&context.gpu, "events", &rows);
        // Events belong to a span of time, not to a frame.
        let no_frame = crate::gpu::bind_group_layout(&context.gpu, "no frame", &[]);
        let groups = [&no_frame, &context.layouts.animate_character, &layout];
        Ok(Self {
            pipeline: compute_pipeline(&context.gpu, "events", &[], &groups)?,
            no_frame: bind_group(&context.gpu, "no frame", &no_frame, &[]),
            layout,
        })
    }

    /// Finds the events of a character's instances in `(t0, t1]`, at most `room` of them; waits for the GPU. Long spans
    /// are split into several dispatches.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Readback`].
    pub fn query(
        &self,
        gpu: &Gpu,
        crowd: &CrowdInstances,
        marks: &EventMarks,
        t0: Clock,
        t1: Clock,
        room: u32,
    ) -> Result<GpuEvents, GpuError> {
        let mut all = GpuEvents::default();
        let (mut from, end) = (t0.count(), t1.count().max(t0.count()));
        loop {
            let span = (end - from).min(LONGEST);
            let piece = self.piece(gpu, crowd, marks, Clock::from_count(from), span as u32, room)?;
            all.overflow = all.overflow.saturating_add(piece.overflow);
            all.found.extend(piece.found);
            from += span;
            if from >= end {
                break;
            }
        }
        let kept = all.found.len().min(room.max(1) as usize);
        let beyond = all.found.drain(kept..).count() as u32;
        all.overflow = all.overflow.saturating_add(beyond);
        Ok(all)
    }

    /// Runs one dispatch of [`EventPass::query`], over `span` ticks after `t0`.
    fn piece(
        &self,
        gpu: &Gpu,
        crowd: &CrowdInstances,
        marks: &EventMarks,
        t0: Clock,
        span: u32,
        room: u32,
    ) -> Result<GpuEvents, GpuError> {
        let room = room.max(1) as usize;
        let bytes = (size_of::<EventHead>() + room * size_of::<EventRow>()) as u64;
        gpu.check_storage("the list of events", bytes, "request fewer at a time")?;
        let head = EventHead {
            count: 0,
            since_seconds: t0.seconds,
            since_ticks: t0.ticks,
            span,
        };
        let mut list = bytemuck::bytes_of(&head).to_vec();
        list.resize(bytes as usize, 0);
        let storage = wgpu::BufferUsages::STORAGE;
        let marks = buffer_with(gpu, "marks", bytemuck::cast_slice(&mark_rows(marks)), storage);
        let list = buffer_with(gpu, "events", &list, storage | wgpu::BufferUsages::COPY_SRC);
        let rows = [
            (0, crowd.list.as_entire_binding()),
            (1, marks.as_entire_binding()),
            (2, list.as_entire_binding()),
        ];
        let group = bind_group(gpu, "events", &self.layout, &rows);
        let mut encoder = encoder(gpu, "events");
        let mut pass = compute_pass(&mut encoder, "events");
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.no_frame, &[]);
        pass.set_bind_group(1, &crowd.animate_character, &[]);
        pass.set_bind_group(2, &group, &[]);
        let (x, y) = workgroups(crowd.count);
        pass.dispatch_workgroups(x, y, 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        Ok(decode(&read_buffer(gpu, &list)?))
    }
}

fn mark_rows(marks: &EventMarks) -> Vec<MarkRow> {
    let mut first = marks.clips.len() as u32;
    let mut rows = Vec::new();
    for clip in &marks.clips {
        rows.push(MarkRow {
            first_or_name: first,
            count_or_position: clip.len() as u32,
        });
        first += clip.len() as u32;
    }
    rows.extend(marks.clips.iter().flatten().map(|mark| MarkRow {
        first_or_name: mark.name,
        count_or_position: mark.position,
    }));
    rows
}

fn decode(bytes: &[u8]) -> GpuEvents {
    let (head, rows) = bytes.split_at(size_of::<EventHead>().min(bytes.len()));
    let rows: Vec<EventRow> = bytemuck::pod_collect_to_vec(rows);
    let count = bytemuck::pod_collect_to_vec::<u8, EventHead>(head)
        .first()
        .map_or(0, |head| head.count);
    let event = |row: &EventRow| GpuEvent {
        instance: row.instance,
        clock: Clock {
            seconds: row.seconds,
            ticks: row.ticks,
        },
        clip: row.clip_name & 0xffff,
        name: row.clip_name >> 16,
    };
    GpuEvents {
        found: rows.iter().take(count as usize).map(event).collect(),
        overflow: count.saturating_sub(rows.len() as u32),
    }
}
