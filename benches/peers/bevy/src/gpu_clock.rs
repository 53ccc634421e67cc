//! GPU timing of frames, from before the first to after the last command buffer of Bevy's render graph. It also limits
//! how far the CPU runs ahead of the GPU, as every window does.

use std::collections::VecDeque;

use bevy::{
    app::SubApp,
    prelude::*,
    render::{
        RenderStartup,
        renderer::{PendingCommandBuffers, RenderDevice, RenderGraph, RenderGraphSystems, RenderQueue},
    },
};
use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor, Features, MapMode, PollType, QuerySet,
    QuerySetDescriptor, QueryType, SubmissionIndex,
};

use crate::measure::Meter;

/// Largest number of frames in flight: Bevy's value for a window.
const IN_FLIGHT: usize = 2;
/// Bytes of two timestamps.
const BYTES: u64 = 16;

/// Timestamps of one frame in flight.
struct Slot {
    queries: QuerySet,
    resolved: Buffer,
    readable: Buffer,
}

/// Timestamps of all frames in flight.
#[derive(Resource)]
struct GpuClock {
    /// Slots; none if the adapter has no timestamps.
    slots: Vec<Slot>,
    /// Slot of the frame that is being encoded.
    current: usize,
    /// Duration of a tick (ns).
    period: f64,
    /// Submitted frames and their slots, oldest first.
    waiting: VecDeque<(SubmissionIndex, usize)>,
}

impl GpuClock {
    fn slot(&self) -> Option<&Slot> {
        self.slots.get(self.current)
    }
}

/// Adds the clock to the render world, which holds a [`Meter`].
pub(crate) fn install(render: &mut SubApp) {
    let end = end.after(RenderGraphSystems::Render).before(RenderGraphSystems::Submit);
    let begin = begin.in_set(RenderGraphSystems::Begin);
    let wait = wait.in_set(RenderGraphSystems::Finish);
    render
        .add_systems(RenderStartup, start)
        .add_systems(RenderGraph, (begin, end, wait));
}

fn start(mut commands: Commands, device: Res<RenderDevice>, queue: Res<RenderQueue>) {
    let needed = Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
    let has_timestamps = device.features().contains(needed);
    let slots = if has_timestamps { IN_FLIGHT + 1 } else { 0 };
    commands.insert_resource(GpuClock {
        slots: (0..slots).map(|_| slot(device.wgpu_device())).collect(),
        current: 0,
        period: queue.get_timestamp_period().into(),
        waiting: VecDeque::new(),
    });
}

fn slot(device: &wgpu::Device) -> Slot {
    let buffer = |usage| {
        device.create_buffer(&BufferDescriptor {
            label: Some("timestamps"),
            size: BYTES,
            usage,
            mapped_at_creation: false,
        })
    };
    let queries = device.create_query_set(&QuerySetDescriptor {
        label: Some("timestamps"),
        ty: QueryType::Timestamp,
        count: 2,
    });
    Slot {
        queries,
        resolved: buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
        readable: buffer(BufferUsages::COPY_DST | BufferUsages::MAP_READ),
    }
}

fn encoder(device: &RenderDevice) -> wgpu::CommandEncoder {
    device.create_command_encoder(&CommandEncoderDescriptor {
        label: Some("timestamps"),
    })
}

fn begin(clock: Res<GpuClock>, device: Res<RenderDevice>, mut pending: ResMut<PendingCommandBuffers>) {
    if let Some(slot) = clock.slot() {
        let mut encoder = encoder(&device);
        encoder.write_timestamp(&slot.queries, 0);
        pending.push([encoder.finish()]);
    }
}

fn end(clock: Res<GpuClock>, device: Res<RenderDevice>, mut pending: ResMut<PendingCommandBuffers>) {
    if let Some(slot) = clock.slot() {
        let mut encoder = encoder(&device);
        encoder.write_timestamp(&slot.queries, 1);
        encoder.resolve_query_set(&slot.queries, 0..2, &slot.resolved, 0);
        encoder.copy_buffer_to_buffer(&slot.resolved, 0, &slot.readable, 0, BYTES);
        // Encoders are submitted after all buffers.
        pending.push_encoder(encoder);
    }
}

/// Waits for the oldest frame if too many are in flight, and reads its timestamps.
fn wait(mut clock: ResMut<GpuClock>, device: Res<RenderDevice>, queue: Res<RenderQueue>, meter: Res<Meter>) {
    if let Some(slot) = clock.slot() {
        let mapped = |result: Result<(), _>| result.expect("timestamps can be read");
        slot.readable.slice(..).map_async(MapMode::Read, mapped);
    }
    let frame = (queue.submit([]), clock.current);
    clock.waiting.push_back(frame);
    clock.current = (clock.current + 1) % (IN_FLIGHT + 1);
    if clock.waiting.len() <= IN_FLIGHT {
        return;
    }
    let Some((submission, slot)) = clock.waiting.pop_front() else {
        return;
    };
    let until = PollType::Wait {
        submission_index: Some(submission),
        timeout: None,
    };
    device.poll(until).expect("the GPU finishes a frame");
    if let Some(slot) = clock.slots.get(slot) {
        let ticks = ticks(&slot.readable);
        meter.record(|times| times.gpu.push(ticks as f64 * clock.period * 1e-6));
    }
}

/// Returns the ticks from the first to the second timestamp.
fn ticks(readable: &Buffer) -> u64 {
    let bytes = readable.slice(..).get_mapped_range();
    let tick = |i: usize| {
        bytes[i * 8..][..8]
            .iter()
            .rev()
            .fold(0, |n, &byte| n << 8 | u64::from(byte))
    };
    let ticks = tick(1).saturating_sub(tick(0));
    drop(bytes);
    readable.unmap();
    ticks
}
