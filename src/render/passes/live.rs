//! Technique `live`: palettes without baking, as in an ordinary engine. The CPU poses every instance in every frame and
//! uploads a matrix per slot; shaders/live.wgsl multiplies it by the inverse bind matrix.

use std::sync::Arc;

use glam::Affine3A;
use rayon::prelude::*;

use crate::{
    atlas::unit,
    bake::{pose::Poser, skinning},
    character::Character,
    crowd::{
        CrowdClip, Instance, MotionPlan,
        clock::Clock,
        schedule::{ClipTime, CrossFade},
    },
    gpu::{Gpu, GpuError, buffer_with, compute_pipeline},
    model::UnitSpace,
    render::{
        RenderContext,
        passes::animate::workgroups,
        resources::{CrowdInstances, instances::bind_group},
    },
};

/// Three rows of a 3x4 matrix.
type MatrixRows = [[f32; 4]; 3];

shader_struct!(LiveCounts);

/// Pipeline of shaders/live.wgsl.
pub(crate) struct LivePass {
    pipeline: wgpu::ComputePipeline,
}

impl LivePass {
    pub(crate) fn new(context: &RenderContext) -> Result<Self, GpuError> {
        let groups = [&context.layouts.frame, &context.layouts.live];
        Ok(Self {
            pipeline: compute_pipeline(&context.gpu, "live", &[], &groups)?,
        })
    }

    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        crowds: impl Iterator<Item = &'a LiveCrowd>,
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        for crowd in crowds {
            pass.set_bind_group(1, &crowd.group, &[]);
            let (x, y) = workgroups(crowd.rows.len() as u32);
            pass.dispatch_workgroups(x, y, 1);
        }
    }
}

/// Animators of one character's instances.
#[derive(Clone)]
pub(crate) struct LiveCrowd {
    character: Arc<Character>,
    clips: Vec<CrowdClip>,
    plan: MotionPlan,
    instances: Vec<Instance>,
    rows: Vec<MatrixRows>,
    joints: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl LiveCrowd {
    /// Animators for `instances`; `crowd` must have been uploaded for the live technique.
    pub(crate) fn new(
        context: &RenderContext,
        character: &Arc<Character>,
        instances: &[Instance],
        plan: &MotionPlan,
        crowd: &CrowdInstances,
    ) -> Option<Self> {
        let palettes = crowd.live_palettes.as_ref()?;
        let slots = character.model.skeleton.slots.len();
        let rows = vec![MatrixRows::default(); instances.len() * slots];
        let storage = wgpu::BufferUsages::STORAGE;
        let joints = buffer_with(
            &context.gpu,
            "live joints",
            bytemuck::cast_slice(&rows),
            storage | wgpu::BufferUsages::COPY_DST,
        );
        let binds = buffer_with(
            &context.gpu,
            "inverse binds",
            bytemuck::cast_slice(&joint_from_unit(character)),
            storage,
        );
        let counts = LiveCounts {
            slot_count: slots as u32,
            matrix_count: rows.len() as u32,
            ..LiveCounts::default()
        };
        let usage = wgpu::BufferUsages::UNIFORM;
        let counts = buffer_with(&context.gpu, "live counts", bytemuck::bytes_of(&counts), usage);
        let group = bind_group(
            &context.gpu,
            "live",
            &context.layouts.live,
            &[
                (0, joints.as_entire_binding()),
                (1, binds.as_entire_binding()),
                (2, palettes.as_entire_binding()),
                (3, counts.as_entire_binding()),
            ],
        );
        Some(Self {
            character: character.clone(),
            clips: CrowdClip::all_of(character),
            plan: plan.clone(),
            instances: instances.to_vec(),
            rows,
            joints,
            group,
        })
    }

    /// Bytes of matrices that are sent for every frame.
    pub(crate) fn frame_bytes(&self) -> u64 {
        size_of_val(self.rows.as_slice()) as u64
    }

    /// Replaces instances from number `first` on; those past the last are ignored.
    pub(crate) fn write(&mut self, first: u32, instances: &[Instance]) {
        for (own, new) in self.instances.iter_mut().skip(first as usize).zip(instances) {
            *own = *new;
        }
    }

    /// Poses every instance at the clock's time, on all cores, and sends the result.
    pub(crate) fn update(&mut self, gpu: &Gpu, clock: Clock) {
        let slots = self.character.model.skeleton.slots.len().max(1);
        let (character, plan, clips) = (&self.character, &self.plan, &self.clips);
        self.rows
            .par_chunks_mut(slots)
            .zip(&self.instances)
            .enumerate()
            .with_min_len(16)
            .for_each_init(Animator::default, |animator, (index, (rows, instance))| {
                let moment = plan.pose(index as u32, instance, clips, clock).moment;
                animator.pose(character, &moment, rows);
            });
        let bytes: &[u8] = bytemuck::cast_slice(&self.rows);
        gpu.write_buffer("live joints", &self.joints, 0, bytes);
    }
}

/// Animator of one CPU core, with its scratch memory.
#[derive(Default)]
struct Animator {
    poser: Poser,
    fading: Vec<Affine3A>,
}

impl Animator {
    /// Writes `unit_from_joint` of every slot; samples and blends both clips of a cross-fade.
    fn pose(&mut self, character: &Character, moment: &CrossFade, rows: &mut [MatrixRows]) {
        let slots = &character.model.skeleton.slots;
        let mut fading = std::mem::take(&mut self.fading);
        if moment.weight < 1.0 {
            fading.clear();
            fading.extend_from_slice(self.sample(character, moment.from));
        }
        let joints = self.sample(character, moment.to);
        for (row, slot) in rows.iter_mut().zip(slots) {
            let at = slot.joint as usize;
            let mut model = joints.get(at).copied().unwrap_or(Affine3A::IDENTITY);
            if moment.weight < 1.0 {
                let from = fading.get(at).copied().unwrap_or(Affine3A::IDENTITY);
                model = skinning::lerp(from, model, moment.weight);
            }
            *row = to_rows(scaled_into_unit(&character.unit, model));
        }
        self.fading = fading;
    }

    fn sample(&mut self, character: &Character, playing: ClipTime) -> &[Affine3A] {
        let index = playing.clip as usize;
        let clip = character.model.clips.get(index);
        let duration = character.palettes.clips.get(index).map_or(0.0, |c| c.duration);
        self.poser
            .pose(&character.model.skeleton, clip, playing.position * duration)
    }
}

/// `unit_from_model * m`.
fn scaled_into_unit(space: &UnitSpace, m: Affine3A) -> Affine3A {
    let inverse = 1.0 / space.half_extent;
    Affine3A {
        matrix3: m.matrix3 * inverse,
        translation: unit::point(space, m.translation.into()),
    }
}

/// `joint_from_unit = inverse_bind * model_from_unit` of every slot.
fn joint_from_unit(character: &Character) -> Vec<MatrixRows> {
    let space = &character.unit;
    let model_from_unit = Affine3A::from_scale_rotation_translation(
        glam::Vec3::splat(space.half_extent),
        glam::Quat::IDENTITY,
        space.centre,
    );
    let slots = character.model.skeleton.slots.iter();
    slots
        .map(|s| to_rows(Affine3A::from_mat4(s.inverse_bind) * model_from_unit))
        .collect()
}

/// Rows of a 3x4 matrix.
pub(crate) fn to_rows(m: Affine3A) -> MatrixRows {
    let (x, y, z, t) = (m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation);
    [[x.x, y.x, z.x, t.x], [x.y, y.y, z.y, t.y], [x.z, y.z, z.z, t.z]]
}
