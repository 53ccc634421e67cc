//! Heroes on the GPU: palettes from the CPU beside the atlas, and the pass that marks their instances. Each frame
//! uploads a palette, sockets and one entry for each hero whose weight is not 0.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rayon::prelude::*;

use crate::{
    atlas::unit,
    character::Character,
    crowd::{
        CrowdClip, Instance, MotionPlan,
        clock::Clock,
        heroes::{Hero, HeroBody, HeroPose, HeroPoser, HeroRig},
    },
    gpu::{Gpu, GpuError, buffer_with, compute_pipeline},
    render::{
        RenderContext,
        passes::{WORKGROUP_SIZE, live::to_rows},
        resources::{
            CrowdInstances,
            actors::{ActorHandle, third_bytes},
            instances::bind_group,
        },
    },
};

/// Initial capacity (heroes). Growth uploads nothing again but takes new bind groups.
const MIN_CAPACITY: usize = 64;
/// Bytes of a row of a run.
const ROW_BYTES: usize = size_of::<[f32; 4]>();

shader_struct!(HeroRow);

/// Pipeline of shaders/heroes.wgsl.
pub(crate) struct HeroPass {
    pipeline: wgpu::ComputePipeline,
}

impl HeroPass {
    pub(crate) fn new(context: &RenderContext) -> Result<Self, GpuError> {
        let groups = [&context.layouts.frame, &context.layouts.heroes];
        Ok(Self {
            pipeline: compute_pipeline(&context.gpu, "heroes", &[], &groups)?,
        })
    }

    /// Encodes the pass, after animate and before all passes that read posed instances.
    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        crowds: impl Iterator<Item = &'a HeroCrowd>,
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        for crowd in crowds {
            pass.set_bind_group(1, &crowd.group, &[]);
            pass.dispatch_workgroups((crowd.room as u32).div_ceil(WORKGROUP_SIZE), 1, 1);
        }
    }
}

/// Hero whom the host poses itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedHero {
    /// Index among the character's instances; a hero out of range is ignored.
    pub index: u32,
    /// Weight against the baked palette (0 to 1).
    pub weight: f32,
    /// Matrices `model_from_joint * inverse_bind` of every slot of the skeleton
    /// ([`Skeleton::slots`](crate::model::Skeleton::slots)), in model space (m). Missing and non-finite ones count as
    /// identity.
    pub palette: Vec<Affine3A>,
}

impl PosedHero {
    fn pose(&self, character: &Character) -> HeroPose {
        let skeleton = &character.model.skeleton;
        let slot = |slot: usize| self.palette.get(slot).copied().unwrap_or(Affine3A::IDENTITY);
        let sockets = skeleton.sockets.iter();
        let sockets = sockets.map(|socket| slot(socket.slot as usize) * Affine3A::from_mat4(socket.mesh_from_socket));
        HeroPose {
            weight: self.weight,
            sockets: sockets.collect(),
            palette: (0..skeleton.slots.len()).map(slot).collect(),
        }
    }
}

/// Heroes of one character.
#[derive(Clone)]
pub(crate) struct HeroCrowd {
    character: Arc<Character>,
    clips: Vec<CrowdClip>,
    rig: HeroRig,
    plan: MotionPlan,
    heroes: Vec<(Hero, Instance)>,
    posed: Vec<PosedHero>,
    pub(crate) room: usize,
    /// Actors whom the instances follow.
    actors: Option<ActorHandle>,
    /// First row of the first run; third clips of actors come before.
    first_row: usize,
    /// Rows of all runs; shaders/shared/hero.wgsl has the layout of one.
    rows: Vec<[f32; 4]>,
    pub(crate) runs: wgpu::Buffer,
    list: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl HeroCrowd {
    /// Makes room for `wanted` heroes of this character; `crowd` reads it once it is bound to `runs`.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] past the device's binding limit.
    pub(crate) fn new(
        context: &RenderContext,
        character: &Arc<Character>,
        plan: &MotionPlan,
        crowd: &CrowdInstances,
        wanted: usize,
    ) -> Result<Self, GpuError> {
        let room = wanted.next_power_of_two().max(MIN_CAPACITY);
        let first_row = crowd.actors.as_ref().map_or(0, |_| third_bytes(crowd.count)) as usize / ROW_BYTES;
        let bytes = ((first_row + room * run_rows(character)) * ROW_BYTES) as u64;
        context
            .gpu
            .check_storage("the buffer of heroes' palettes", bytes, "take over fewer people")?;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let runs = context.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("hero runs"),
            size: bytes,
            usage: usage | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let list = buffer_with(&context.gpu, "heroes", &vec![0; room * size_of::<HeroRow>()], usage);
        let group = bind_group(
            &context.gpu,
            "heroes",
            &context.layouts.heroes,
            &[
                (0, list.as_entire_binding()),
                (1, crowd.posed.as_entire_binding()),
                (2, runs.as_entire_binding()),
            ],
        );
        Ok(Self {
            character: character.clone(),
            clips: CrowdClip::all_of(character),
            rig: HeroRig::new(&character.model),
            plan: plan.clone(),
            heroes: Vec::new(),
            posed: Vec::new(),
            room,
            actors: None,
            first_row,
            rows: Vec::new(),
            runs,
            list,
            group,
        })
    }

    /// Poses heroes who are actors from where their rows have them.
    pub(crate) fn follow_actors(&mut self, actors: Option<ActorHandle>) {
        self.actors = actors;
    }

    /// Replaces the heroes, at most as many as fit.
    pub(crate) fn assign(&mut self, heroes: &[Hero], posed: Vec<PosedHero>, instances: &[Instance]) {
        self.heroes.clear();
        self.posed = posed;
        self.posed.retain(|hero| (hero.index as usize) < instances.len());
        // A person marked twice would be blended with themselves. The last plan wins, and the host's palette wins over
        // any plan.
        for hero in heroes {
            let Some(instance) = instances.get(hero.index as usize) else {
                continue;
            };
            self.heroes.retain(|(other, _)| other.index != hero.index);
            if self.posed.iter().all(|other| other.index != hero.index) {
                self.heroes.push((hero.clone(), *instance));
            }
        }
    }

    /// Updates the instances of heroes after they were written again.
    pub(crate) fn update_instances(&mut self, instances: &[Instance]) {
        for (hero, instance) in &mut self.heroes {
            *instance = instances.get(hero.index as usize).copied().unwrap_or(*instance);
        }
    }

    /// Heroes whom the renderer poses.
    pub(crate) fn scripted(&self) -> Vec<Hero> {
        self.heroes.iter().map(|(hero, _)| hero.clone()).collect()
    }

    /// Heroes whom the host poses.
    pub(crate) fn posed(&self) -> &[PosedHero] {
        &self.posed
    }

    /// Number of heroes, whatever their current weight.
    pub(crate) fn count(&self) -> u32 {
        (self.heroes.len() + self.posed.len()) as u32
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.runs.size() + self.list.size()
    }

    /// Poses all heroes at the clock's time, on all cores, and sends the result.
    pub(crate) fn update(&mut self, gpu: &Gpu, clock: Clock, eye: Vec3) {
        let active: Vec<&(Hero, Instance)> = { &self.heroes }
            .iter()
            .filter(|(hero, _)| !hero.span.is_off(clock.to_seconds()))
            .collect();
        let run = run_rows(&self.character);
        let sockets = self.character.model.skeleton.sockets.len();
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize((active.len() + self.posed.len()) * run, [0.0; 4]);
        let character = &self.character;
        let first_row = self.first_row;
        let row = |number: usize, index, weight| {
            let first = (first_row + number * run) as u32;
            HeroRow {
                instance: index,
                run: first,
                palette: first + 1 + 3 * sockets as u32,
                weight,
            }
        };
        let body = HeroBody {
            model: &character.model,
            palettes: &character.palettes,
            rig: &self.rig,
        };
        let (scripted, posed) = rows.split_at_mut(active.len() * run);
        let entries = scripted.par_chunks_mut(run).zip(&active).enumerate();
        let mut list: Vec<HeroRow> = entries
            .map_init(HeroPoser::default, |poser, (number, (rows, (hero, instance)))| {
                let acted = self.actors.as_ref().and_then(|actors| actors.pose(hero.index, clock));
                let own = acted.unwrap_or_else(|| self.plan.pose(hero.index, instance, &self.clips, clock));
                let pose = poser.pose(&body, hero, instance, &own, clock, eye);
                write_run(character, &pose, rows);
                row(number, hero.index, pose.weight)
            })
            .collect();
        for (rows, hero) in posed.chunks_exact_mut(run).zip(&self.posed) {
            write_run(character, &hero.pose(character), rows);
            list.push(row(list.len(), hero.index, hero.weight.clamp(0.0, 1.0)));
        }
        if !rows.is_empty() {
            let first = (self.first_row * ROW_BYTES) as u64;
            gpu.write_buffer("hero runs", &self.runs, first, bytemuck::cast_slice(&rows));
        }
        self.rows = rows;
        // Unused entries have weight 0.
        list.resize(self.room, HeroRow::default());
        gpu.write_buffer("heroes", &self.list, 0, bytemuck::cast_slice(&list));
    }
}

/// Rows of one run: output of animate, sockets, palette.
fn run_rows(character: &Character) -> usize {
    let skeleton = &character.model.skeleton;
    1 + 3 * (skeleton.sockets.len() + skeleton.slots.len())
}

fn write_run(character: &Character, pose: &HeroPose, rows: &mut [[f32; 4]]) {
    let palette = pose.palette.iter().map(|&m| unit::from_model(&character.unit, m));
    let matrices = pose.sockets.iter().copied().chain(palette);
    // The pass writes row 0.
    for (rows, matrix) in rows[1..].chunks_exact_mut(3).zip(matrices) {
        rows.copy_from_slice(&to_rows(finite_or_identity(matrix)));
    }
}

/// Returns identity for non-finite matrices, which would corrupt the picture.
fn finite_or_identity(matrix: Affine3A) -> Affine3A {
    if matrix.is_finite() { matrix } else { Affine3A::IDENTITY }
}
