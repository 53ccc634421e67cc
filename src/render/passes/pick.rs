//! The pick pass: which bounding boxes of the newest frame a ray hits. The answer is read back a frame or
//! two later without waiting.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{Binding, Gpu, GpuError, bind_group_layout, buffer_with, compute_pipeline},
    model::Bounds,
    render::{
        passes::animate::workgroups,
        resources::{CrowdInstances, instances::bind_group},
    },
    scene::{Candidate, Selected},
    view::Ray,
};

/// Candidates that there is room for. A ray along the ground through a million people, one every
/// 1.3 m, enters some hundred boxes.
const ROOM: usize = 4096;
const ITEM: usize = size_of::<[u32; 4]>();

/// `PickQuery` in shaders/pick.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PickQuery {
    /// Start of the ray, metres.
    pub origin: [f32; 4],
    /// Unit length.
    pub direction: [f32; 4],
    /// Box of the character, model space.
    pub box_min: [f32; 4],
    /// See `box_min`.
    pub box_max: [f32; 4],
    /// Instances, character.
    pub counts: [u32; 4],
}

/// Whom a ray may have met.
#[derive(Clone, Debug, PartialEq)]
pub enum PickAnswer {
    /// Everyone whose box it enters, in no particular order.
    Candidates(Vec<Candidate>),
    /// More than the list holds: to be found in another way.
    TooMany,
}

/// Pipeline of shaders/pick.wgsl.
pub(crate) struct PickPass {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// A pending query.
pub(crate) struct PendingPick {
    staging: wgpu::Buffer,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl PickPass {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let compute = wgpu::ShaderStages::COMPUTE;
        let rows = [
            (0, compute, Binding::Uniform),
            (1, compute, Binding::Storage),
            (2, compute, Binding::StorageWrite),
        ];
        let layout = bind_group_layout(gpu, "pick", &rows);
        Ok(Self {
            pipeline: compute_pipeline(gpu, "pick", &[], &[Some(&layout)])?,
            layout,
        })
    }

    /// Asks of crowds as they are posed now; one box for each.
    pub(crate) fn ask<'a>(
        &self,
        gpu: &Gpu,
        ray: Ray,
        crowds: impl Iterator<Item = (&'a CrowdInstances, Bounds)>,
    ) -> PendingPick {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let list = buffer_with(gpu, "picked", &vec![0; (ROOM + 1) * ITEM], usage);
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picked"),
            size: list.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        for (number, (crowd, bounds)) in crowds.enumerate().filter(|(_, (crowd, _))| crowd.count > 0) {
            let query = PickQuery {
                origin: ray.origin.extend(0.0).to_array(),
                direction: ray.direction.extend(0.0).to_array(),
                box_min: bounds.min.extend(0.0).to_array(),
                box_max: bounds.max.extend(0.0).to_array(),
                counts: [crowd.count, number as u32, 0, 0],
            };
            let query = buffer_with(gpu, "pick", bytemuck::bytes_of(&query), wgpu::BufferUsages::UNIFORM);
            let rows = [
                (0, query.as_entire_binding()),
                (1, crowd.posed.as_entire_binding()),
                (2, list.as_entire_binding()),
            ];
            pass.set_bind_group(0, &bind_group(gpu, &self.layout, &rows), &[]);
            let (x, y) = workgroups(crowd.count);
            pass.dispatch_workgroups(x, y, 1);
        }
        drop(pass);
        encoder.copy_buffer_to_buffer(&list, 0, &staging, 0, list.size());
        gpu.queue.submit([encoder.finish()]);
        let (sender, mapped) = channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // Nobody listens where another question came before the answer.
            let _ = sender.send(result);
        });
        PendingPick { staging, mapped }
    }
}

impl PendingPick {
    /// The answer, once it is there; never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub(crate) fn answer(&self, gpu: &Gpu) -> Option<Result<PickAnswer, GpuError>> {
        // The result tells nothing that the channel does not.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        let failed = |e: &dyn std::fmt::Display| Some(Err(GpuError::Readback(e.to_string())));
        match self.mapped.try_recv() {
            Err(TryRecvError::Empty) => None,
            Err(error @ TryRecvError::Disconnected) => failed(&error),
            Ok(Err(error)) => failed(&error),
            Ok(Ok(())) => match self.staging.get_mapped_range(..) {
                Ok(bytes) => Some(Ok(read(&bytes))),
                Err(error) => failed(&error),
            },
        }
    }
}

fn read(bytes: &[u8]) -> PickAnswer {
    let items: Vec<[u32; 4]> = bytemuck::pod_collect_to_vec(bytes);
    let count = items.first().map_or(0, |head| head[0] as usize);
    if count > ROOM {
        return PickAnswer::TooMany;
    }
    let candidate = |&[index, character, distance, _]: &[u32; 4]| Candidate {
        distance: f32::from_bits(distance),
        who: Selected {
            character: character as usize,
            index,
        },
    };
    PickAnswer::Candidates(items.iter().skip(1).take(count).map(candidate).collect())
}
