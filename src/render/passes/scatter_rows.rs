//! Pass that writes changed rows of actors to their slots. Few runs of neighbouring rows are sent as they are; scattered
//! ones travel in one packet, which the pass unpacks. Rows that did not change are never sent: a host may have written
//! them.

use std::mem::offset_of;

use crate::{
    crowd::actors::{ChangedRows, SentRow, runs_of},
    gpu::{Binding, Gpu, GpuError, bind_group_layout, compute_pipeline},
    render::{passes::animate::workgroups, resources::instances::bind_group},
};

/// Words before the slots in a packet: `PACKET_HEAD` in shaders/scatter_rows.wgsl.
pub const PACKET_HEAD: u32 = (size_of::<PacketHead>() / 4) as u32;
/// Place of the words that rows share, in a packet: `PACKET_SHARED` there.
pub const PACKET_SHARED: u32 = (offset_of!(PacketHead, shared) / 4) as u32;
/// Runs of neighbouring rows that are sent one by one; each costs as much as the packet.
const MOST_RUNS: usize = 16;

/// Pipeline of shaders/scatter_rows.wgsl.
pub(crate) struct ScatterRowsPass {
    pipeline: wgpu::ComputePipeline,
}

/// Words before the slots in a packet.
#[repr(C)]
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
struct PacketHead {
    /// Words of a row.
    row_words: u32,
    /// Number of rows.
    count: u32,
    /// Words of a row that follow for each.
    own_words: u32,
    pad: u32,
    /// Further words of every row.
    shared: [u32; 4],
}

/// Buffer that holds rows on the GPU.
pub(crate) struct RowBuffer<'a> {
    /// Purpose under which what is sent is counted.
    pub(crate) purpose: &'a str,
    /// Buffer of all rows.
    pub(crate) buffer: &'a wgpu::Buffer,
}

/// Changed rows of one buffer in a frame.
#[derive(Clone, Default)]
pub(crate) struct ScatteredRows {
    packet: Option<wgpu::Buffer>,
    group: Option<wgpu::BindGroup>,
    /// Words to write in this frame.
    words: u32,
}

impl ScatterRowsPass {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            pipeline: compute_pipeline(gpu, "scatter_rows", &[], &[&layout(gpu)])?,
        })
    }

    /// Encodes the pass, before animate.
    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        changes: impl Iterator<Item = &'a ScatteredRows>,
    ) {
        pass.set_pipeline(&self.pipeline);
        for rows in changes.filter(|rows| rows.words > 0) {
            pass.set_bind_group(0, rows.group.as_ref(), &[]);
            let (x, y) = workgroups(rows.words);
            pass.dispatch_workgroups(x, y, 1);
        }
    }
}

impl ScatteredRows {
    /// Sends changed rows.
    pub(crate) fn send<R: SentRow>(&mut self, gpu: &Gpu, to: &RowBuffer<'_>, changed: &ChangedRows<'_, R>) {
        self.words = 0;
        let Some(runs) = runs_of(changed.slots(), MOST_RUNS) else {
            self.send_packet(gpu, to, changed);
            return;
        };
        let bytes = size_of::<R>() as u64;
        for run in runs {
            let offset = u64::from(changed.slots()[run.start]) * bytes;
            let range = offset..offset + run.len() as u64 * bytes;
            gpu.fill_buffer(to.purpose, to.buffer, range, |mut rest| {
                changed.for_blocks(run, |block| put(&mut rest, block));
            });
        }
    }

    /// Sends changed rows in one packet: a head, their slots, then the rows.
    fn send_packet<R: SentRow>(&mut self, gpu: &Gpu, to: &RowBuffer<'_>, changed: &ChangedRows<'_, R>) {
        const {
            assert!(
                size_of::<R::Shared>() <= size_of::<[u32; 4]>(),
                "the head has room for no more"
            )
        };
        let slots = changed.slots();
        let copies = changed.copies();
        let head = PacketHead {
            row_words: (size_of::<R>() / 4) as u32,
            count: slots.len() as u32,
            own_words: match copies {
                Some(_) => size_of::<R::Own>() / 4,
                None => size_of::<R>() / 4,
            } as u32,
            shared: std::array::from_fn(|word| {
                let shared = copies.as_ref().map(|copies| bytemuck::bytes_of(&copies.shared));
                let bytes = shared.and_then(|bytes| bytes.get(4 * word..4 * word + 4));
                bytes.map_or(0, bytemuck::pod_read_unaligned)
            }),
            ..PacketHead::default()
        };
        let bytes = size_of::<PacketHead>() as u64 + 4 * u64::from(head.count) * u64::from(1 + head.own_words);
        self.words = head.row_words * head.count;
        let packet = self.packet(gpu, to, bytes);
        gpu.fill_buffer(to.purpose, &packet, 0..bytes, |mut rest| {
            put(&mut rest, &[head]);
            put(&mut rest, slots);
            match copies {
                Some(copies) => put(&mut rest, copies.own),
                None => changed.for_blocks(0..slots.len(), |block| put(&mut rest, block)),
            }
        });
    }

    /// Buffer for the packet; a larger one if it has outgrown the one before.
    fn packet(&mut self, gpu: &Gpu, to: &RowBuffer<'_>, bytes: u64) -> wgpu::Buffer {
        if let Some(packet) = self.packet.as_ref().filter(|packet| packet.size() >= bytes) {
            return packet.clone();
        }
        let packet = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(to.purpose),
            size: bytes.next_power_of_two(),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bindings = [(0, packet.as_entire_binding()), (1, to.buffer.as_entire_binding())];
        self.group = Some(bind_group(gpu, to.purpose, &layout(gpu), &bindings));
        self.packet = Some(packet.clone());
        packet
    }
}

/// Writes values to the front of a memory, which becomes what follows them.
fn put<T: bytemuck::Pod>(rest: &mut wgpu::WriteOnly<'_, [u8]>, values: &[T]) {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    if let Some(mut front) = rest.split_off(..bytes.len()) {
        front.copy_from_slice(bytes);
    }
}

fn layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let compute = wgpu::ShaderStages::COMPUTE;
    let rows = [(0, compute, Binding::Storage), (1, compute, Binding::StorageWrite)];
    bind_group_layout(gpu, "scatter_rows", &rows)
}
