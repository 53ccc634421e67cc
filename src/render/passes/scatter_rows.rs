//! Pass that writes changed rows of actors to their slots. Few runs of neighbouring rows are sent as they are; scattered
//! ones travel in one packet, which the pass unpacks. Rows that did not change are never sent: a host may have written
//! them.

use crate::{
    crowd::actors::{
        prefetch::{PREFETCH_DISTANCE, prefetch},
        runs_of,
    },
    gpu::{Binding, Gpu, GpuError, bind_group_layout, compute_pipeline},
    render::{passes::animate::workgroups, resources::instances::bind_group},
};

/// Words before the slots in a packet: `PACKET_HEAD` in shaders/scatter_rows.wgsl.
pub const PACKET_HEAD: u32 = 4;
/// Runs of neighbouring rows that are sent one by one; each costs as much as the packet.
const MOST_RUNS: usize = 16;
/// Rows that are gathered before they are written to a packet: at most 6 KiB.
const BLOCK: usize = 64;

/// Pipeline of shaders/scatter_rows.wgsl.
pub(crate) struct ScatterRowsPass {
    pipeline: wgpu::ComputePipeline,
}

/// Rows of which some changed, and the buffer that holds them on the GPU.
pub(crate) struct ChangedRows<'a, T> {
    /// Purpose under which what is sent is counted.
    pub(crate) purpose: &'a str,
    /// Buffer of all rows.
    pub(crate) buffer: &'a wgpu::Buffer,
    /// All rows.
    pub(crate) rows: &'a [T],
    /// Rows that changed, in ascending order.
    pub(crate) changed: &'a [u32],
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
    pub(crate) fn send<T: bytemuck::Pod>(&mut self, gpu: &Gpu, rows: &ChangedRows<'_, T>) {
        self.words = 0;
        let Some(runs) = runs_of(rows.changed, MOST_RUNS) else {
            self.send_packet(gpu, rows);
            return;
        };
        for run in runs {
            let offset = u64::from(run.start) * size_of::<T>() as u64;
            let sent = &rows.rows[run.start as usize..run.end as usize];
            gpu.write_buffer(rows.purpose, rows.buffer, offset, bytemuck::cast_slice(sent));
        }
    }

    /// Sends changed rows in one packet: a head, their slots, then the rows.
    fn send_packet<T: bytemuck::Pod>(&mut self, gpu: &Gpu, rows: &ChangedRows<'_, T>) {
        let (words, count) = ((size_of::<T>() / 4) as u32, rows.changed.len() as u32);
        let bytes = 4 * (u64::from(PACKET_HEAD) + u64::from(count) * u64::from(1 + words));
        let Some(size) = wgpu::BufferSize::new(bytes) else {
            return;
        };
        self.words = words * count;
        let packet = self.packet(gpu, rows, bytes);
        gpu.fill_buffer(rows.purpose, &packet, size, |mut rest| {
            put(&mut rest, &[words, count, 0, 0]);
            put(&mut rest, rows.changed);
            rows.gather(|block| put(&mut rest, block));
        });
    }

    /// Buffer for the packet; a larger one if it has outgrown the one before.
    fn packet<T>(&mut self, gpu: &Gpu, rows: &ChangedRows<'_, T>, bytes: u64) -> wgpu::Buffer {
        if let Some(packet) = self.packet.as_ref().filter(|packet| packet.size() >= bytes) {
            return packet.clone();
        }
        let packet = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(rows.purpose),
            size: bytes.next_power_of_two(),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bindings = [(0, packet.as_entire_binding()), (1, rows.buffer.as_entire_binding())];
        self.group = Some(bind_group(gpu, rows.purpose, &layout(gpu), &bindings));
        self.packet = Some(packet.clone());
        packet
    }
}

impl<T: bytemuck::Pod> ChangedRows<'_, T> {
    /// Hands over the changed rows in blocks. A block in the cache keeps reads, which lie apart, out of the writes to
    /// uncached memory.
    fn gather(&self, mut write: impl FnMut(&[T])) {
        let mut block = [T::zeroed(); BLOCK];
        let mut ahead = self.changed.iter().skip(PREFETCH_DISTANCE);
        for slots in self.changed.chunks(BLOCK) {
            for (row, &slot) in block.iter_mut().zip(slots) {
                if let Some(&ahead) = ahead.next() {
                    prefetch(self.rows, ahead as usize);
                }
                *row = self.rows[slot as usize];
            }
            write(&block[..slots.len()]);
        }
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
