//! Pick pass: finds the instances of the newest frame whose bounding boxes a ray enters. The result is read back a
//! frame or two later without waiting.

use crate::{
    crowd::{PersonRef, PickCandidate},
    gpu::{
        Binding, Gpu, GpuError, PendingBytes, bind_group_layout, buffer_with, compute_pass, compute_pipeline, encoder,
    },
    model::Bounds,
    render::{
        passes::animate::workgroups,
        resources::{CrowdInstances, instances::bind_group},
    },
    view::Ray,
};

/// Capacity of the list of candidates. A ray along the ground through a million people, one every 1.3 m, enters some
/// hundred boxes.
const MAX_CANDIDATES: usize = 4096;

shader_struct!(PickQuery);

shader_struct!(PickHead);

shader_struct!(PickedRow);

/// Candidates of a pick ray.
#[derive(Clone, Debug, PartialEq)]
pub enum PickAnswer {
    /// Instances whose boxes the ray enters, in no particular order.
    Candidates(Vec<PickCandidate>),
    /// More candidates than the list holds; the caller has to find them in another way.
    TooMany,
}

/// Pipeline of shaders/pick.wgsl.
pub(crate) struct PickPass {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// Query on its way from the GPU.
pub(crate) struct PendingPick(PendingBytes);

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
            pipeline: compute_pipeline(gpu, "pick", &[], &[&layout])?,
            layout,
        })
    }

    /// Starts a query of crowds as they are posed now, with one box for each.
    pub(crate) fn ask<'a>(
        &self,
        gpu: &Gpu,
        ray: Ray,
        crowds: impl Iterator<Item = (&'a CrowdInstances, Bounds)>,
    ) -> PendingPick {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let list = buffer_with(
            gpu,
            "picked",
            &vec![0; size_of::<PickHead>() + MAX_CANDIDATES * size_of::<PickedRow>()],
            usage,
        );
        let mut encoder = encoder(gpu, "pick");
        let mut pass = compute_pass(&mut encoder, "pick");
        pass.set_pipeline(&self.pipeline);
        for (number, (crowd, bounds)) in crowds.enumerate().filter(|(_, (crowd, _))| crowd.count > 0) {
            let query = PickQuery {
                origin: ray.origin.to_array(),
                instance_count: crowd.count,
                direction: ray.direction.to_array(),
                character: number as u32,
                box_min: bounds.min.to_array(),
                box_max: bounds.max.to_array(),
                ..PickQuery::default()
            };
            let query = buffer_with(gpu, "pick", bytemuck::bytes_of(&query), wgpu::BufferUsages::UNIFORM);
            let rows = [
                (0, query.as_entire_binding()),
                (1, crowd.posed.as_entire_binding()),
                (2, list.as_entire_binding()),
            ];
            pass.set_bind_group(0, &bind_group(gpu, "pick", &self.layout, &rows), &[]);
            let (x, y) = workgroups(crowd.count);
            pass.dispatch_workgroups(x, y, 1);
        }
        drop(pass);
        PendingPick(PendingBytes::copy_after(gpu, encoder, &list))
    }
}

impl PendingPick {
    /// Result, once it has arrived; never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub(crate) fn answer(&self, gpu: &Gpu) -> Option<Result<PickAnswer, GpuError>> {
        self.0.answer(gpu, read)
    }
}

fn read(bytes: &[u8]) -> PickAnswer {
    let (head, rows) = bytes.split_at(size_of::<PickHead>().min(bytes.len()));
    let count = bytemuck::pod_collect_to_vec::<u8, PickHead>(head)
        .first()
        .map_or(0, |head| head.count as usize);
    if count > MAX_CANDIDATES {
        return PickAnswer::TooMany;
    }
    let rows: Vec<PickedRow> = bytemuck::pod_collect_to_vec(rows);
    let found = rows.iter().take(count).map(|row| PickCandidate {
        distance: row.distance,
        who: PersonRef {
            character: row.character as usize,
            index: row.instance,
        },
    });
    PickAnswer::Candidates(found.collect())
}
