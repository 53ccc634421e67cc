//! Instances of one character on the GPU, and the bind groups that join both.

use glam::Vec3;
use half::f16;

use crate::{
    bake::{FrameBlend, FramePair},
    crowd::{Instance, MotionPlan},
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        RenderContext,
        passes::DrawVariant,
        resources::{
            CharacterAssets, DrawFlags, DrawLod, TintTexture,
            actors::{ActorBindings, ActorBuffers},
            pose_cache::{PoseCache, PosedData, PosedFor},
        },
        technique::AnimationSource,
    },
};

shader_struct!(GpuPosed);

impl GpuPosed {
    /// Posed instance at `position` (m, world space) with a heading (radians about +Y) and width scale 1.
    #[must_use]
    pub fn new(position: Vec3, yaw: f32, scale: f32, blend: &FrameBlend) -> Self {
        let snorm = |v: f32| u32::from((v * 32767.0).round() as i16 as u16);
        let unorm = |v: f32, whole: f32| (v.clamp(0.0, 1.0) * whole).round() as u32;
        let frames = |pair: &FramePair| pair.first & 0xffff | pair.second << 16;
        let [x, y, z] = position.to_array().map(f32::to_bits);
        let FrameBlend { a, b, fade } = blend;
        Self {
            place: [x, y, z, snorm(yaw.sin()) | snorm(yaw.cos()) << 16],
            play: [
                frames(a),
                frames(b),
                unorm(a.between, BETWEEN_WHOLE) << 4 | unorm(b.between, BETWEEN_WHOLE) << 18,
                unorm(*fade, 65535.0) | u32::from(f16::from_f32(scale).to_bits()) << 16,
            ],
        }
    }
}

/// Largest value of the weight between two frames, as in shaders/shared/instance.wgsl.
const BETWEEN_WHOLE: f32 = 16383.0;
const POSED_BYTES: u64 = size_of::<GpuPosed>() as u64;

/// Source of a crowd's motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnimatedBy {
    /// A plan.
    Plan,
    /// A plan that also colours clothes.
    ShadedPlan,
    /// Rows of actors.
    Actors,
}

/// All instances of one character.
#[derive(Clone)]
pub struct CrowdInstances {
    /// Number of instances.
    pub count: u32,
    /// GPU bytes of instances and their posed state.
    pub bytes: u64,
    pub(crate) character: wgpu::BindGroup,
    /// Group of people in the shadow map's list, if they read other data.
    sun_character: Option<wgpu::BindGroup>,
    pub(crate) crowd: wgpu::BindGroup,
    pub(crate) animate_character: wgpu::BindGroup,
    pub(crate) animate_crowd: wgpu::BindGroup,
    pub(crate) list: wgpu::Buffer,
    pub(crate) posed: wgpu::Buffer,
    /// Runs of heroes, if there are any: shaders/shared/hero.wgsl.
    pub(crate) hero_runs: Option<wgpu::Buffer>,
    tints: TintTexture,
    uniforms: wgpu::Buffer,
    /// Palettes of every instance for this frame (technique `live`).
    pub(crate) live_palettes: Option<wgpu::Buffer>,
    /// Poses of this frame (technique `preskinned`).
    pub(crate) poses: Option<PoseCache>,
    /// Rows that the instances follow, if they are actors.
    pub(crate) actors: Option<ActorBindings>,
    /// True if the plan changes the colour of clothes.
    recolors: bool,
}

impl CrowdInstances {
    /// Uploads instances and their motion plan, all drawn at full detail; `tints` are the scene's 4 x 64 linear
    /// colours.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] beyond the device's binding limit.
    pub fn upload(
        context: &RenderContext,
        assets: &CharacterAssets,
        instances: &[Instance],
        plan: &MotionPlan,
        tints: &TintTexture,
    ) -> Result<Self, GpuError> {
        Self::upload_for(context, assets, PosedFor::Everyone, instances, plan, tints)
    }

    /// Uploads as [`CrowdInstances::upload`] does, for people in draw lists at their LODs.
    ///
    /// # Errors
    /// As [`CrowdInstances::upload`].
    pub fn upload_for(
        context: &RenderContext,
        assets: &CharacterAssets,
        posed_for: PosedFor,
        instances: &[Instance],
        plan: &MotionPlan,
        tints: &TintTexture,
    ) -> Result<Self, GpuError> {
        let bytes = instances.len() as u64 * POSED_BYTES;
        context.gpu.check_storage("the instance list", bytes, "lower --count")?;
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX;
        let list = buffer_with(&context.gpu, "instances", bytemuck::cast_slice(instances), storage);
        let posed = context.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("posed"),
            size: bytes.max(POSED_BYTES),
            usage: storage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let live_palettes = live_palettes(&context.gpu, assets, instances.len())?;
        let uniforms = uniforms(&context.gpu, assets, instances.len(), plan);
        let count = instances.len() as u32;
        let poses = PoseCache::new(context, assets, &uniforms, &posed, count, posed_for)?;
        let made_anew = live_palettes.as_ref().map_or(0, |b| b.size() * 2) + poses.as_ref().map_or(0, PoseCache::bytes);
        let recolors = plan.recolors();
        let animate_layout = match recolors {
            true => &context.layouts.animate_recolored,
            false => &context.layouts.animate_crowd,
        };
        let data = posed_data(live_palettes.as_ref(), poses.as_ref());
        let group = |data| assets.group(context, DrawVariant::of(assets), &uniforms, data);
        let sun = posed_for == PosedFor::Listed { sun: true };
        let lit = poses.as_ref().filter(|_| sun).map(|poses| poses.data(true));
        Ok(Self {
            count,
            bytes: list.size() + posed.size() + uniforms.size() + made_anew,
            character: group(data),
            sun_character: lit.map(|lit| group(Some(lit))),
            crowd: crowd_group(context, &list, &posed, tints, None),
            animate_character: animate_group(context, assets, &uniforms, plan),
            animate_crowd: bind_group(
                &context.gpu,
                "animate crowd",
                animate_layout,
                &[
                    (0, list.as_entire_binding()),
                    (1, posed.as_entire_binding()),
                    (2, assets.frame_times.as_entire_binding()),
                ],
            ),
            list,
            posed,
            hero_runs: None,
            tints: tints.clone(),
            uniforms,
            live_palettes,
            poses,
            actors: None,
            recolors,
        })
    }

    /// Makes the instances follow the rows of actors.
    pub(crate) fn follow_actors(&mut self, context: &RenderContext, assets: &CharacterAssets, buffers: &ActorBuffers) {
        let bindings = ActorBindings::new(assets, buffers);
        self.animate_character = bindings.character(&context.gpu, &self.uniforms, assets);
        self.bytes += buffers.bytes();
        self.actors = Some(bindings);
        self.bind_heroes(context, None);
    }

    /// Source of the motion.
    pub(crate) const fn animated_by(&self) -> AnimatedBy {
        match (&self.actors, self.recolors) {
            (Some(_), _) => AnimatedBy::Actors,
            (None, true) => AnimatedBy::ShadedPlan,
            (None, false) => AnimatedBy::Plan,
        }
    }

    /// Overwrites existing instances from number `first` on.
    pub(crate) fn write(&self, gpu: &Gpu, first: u32, instances: &[Instance]) {
        let offset = u64::from(first) * size_of::<Instance>() as u64;
        gpu.write_buffer("instances", &self.list, offset, bytemuck::cast_slice(instances));
    }

    /// Group 1 of passes that draw the camera's list, or the shadow map's.
    pub(crate) fn listed_character(&self, sun: bool) -> &wgpu::BindGroup {
        let lit = self.sun_character.as_ref().filter(|_| sun);
        lit.unwrap_or(&self.character)
    }

    /// LODs in draw lists, full detail first: those that fit.
    pub(crate) fn lods(&self, assets: &CharacterAssets) -> Vec<DrawLod> {
        match &self.poses {
            Some(poses) => poses.lods.iter().map(|&lod| assets.lods[lod]).collect(),
            None => assets.lods.clone(),
        }
    }

    /// Draw list keys by instance, which technique `preskinned` keeps for the camera's list or the shadow map's.
    pub(crate) fn draw_list_keys(&self, sun: bool) -> Option<&wgpu::Buffer> {
        self.poses.as_ref().map(|poses| &poses.keys[usize::from(sun)])
    }

    /// Group 1 of drawing passes with other animation data that a frame writes.
    pub(crate) fn character_group(
        &self,
        context: &RenderContext,
        assets: &CharacterAssets,
        data: Option<PosedData<'_>>,
    ) -> wgpu::BindGroup {
        assets.group(context, DrawVariant::of(assets), &self.uniforms, data)
    }

    /// Group 2 of drawing passes with other poses and runs of heroes.
    pub(crate) fn crowd_group(
        &self,
        context: &RenderContext,
        posed: &wgpu::Buffer,
        runs: Option<&wgpu::Buffer>,
    ) -> wgpu::BindGroup {
        crowd_group(context, &self.list, posed, &self.tints, runs)
    }

    /// Rebinds the group with the runs of heroes, or without. Third clips of actors come before all runs.
    pub(crate) fn bind_heroes(&mut self, context: &RenderContext, runs: Option<&wgpu::Buffer>) {
        let thirds = self.actors.as_ref().map(|actors| &actors.buffers.thirds);
        let runs = runs.or(thirds);
        if let (Some(actors), Some(thirds)) = (&self.actors, runs) {
            self.animate_crowd = actors.crowd(&context.gpu, &self.list, &self.posed, thirds);
        }
        self.crowd = crowd_group(context, &self.list, &self.posed, &self.tints, runs);
        self.hero_runs = runs.cloned();
    }
}

/// Character uniforms with the counts and seed of this crowd.
fn uniforms(gpu: &Gpu, assets: &CharacterAssets, instances: usize, plan: &MotionPlan) -> wgpu::Buffer {
    let mut uniforms = assets.uniforms;
    uniforms.instance_count = instances as u32;
    uniforms.seed = plan.seed;
    uniforms.group_count = plan.schedule.groups.len() as u32;
    uniforms.path_count = plan.paths.len() as u32;
    let bytes = bytemuck::bytes_of(&uniforms);
    buffer_with(gpu, "character", bytes, wgpu::BufferUsages::UNIFORM)
}

/// Group 1 of animate.
fn animate_group(
    context: &RenderContext,
    assets: &CharacterAssets,
    uniforms: &wgpu::Buffer,
    plan: &MotionPlan,
) -> wgpu::BindGroup {
    let tables = ScriptTables::upload(&context.gpu, plan);
    let rows = [
        (0, uniforms.as_entire_binding()),
        (3, assets.clips.as_entire_binding()),
        (4, tables.groups.as_entire_binding()),
        (5, tables.states.as_entire_binding()),
        (6, tables.edges.as_entire_binding()),
        (7, tables.paths.as_entire_binding()),
    ];
    bind_group(
        &context.gpu,
        "animate character",
        &context.layouts.animate_character,
        &rows,
    )
}

/// Animation data that a compute pass writes every frame, in place of the character's own.
fn posed_data<'a>(palettes: Option<&'a wgpu::Buffer>, poses: Option<&'a PoseCache>) -> Option<PosedData<'a>> {
    let live = palettes.map(|data| PosedData { data, rows: None });
    live.or_else(|| poses.map(|poses| poses.data(false)))
}

impl CharacterAssets {
    /// Group 1 of passes that pose its vertices as a variant does, with data in place of its animation data.
    pub(crate) fn group(
        &self,
        context: &RenderContext,
        variant: DrawVariant,
        uniforms: &wgpu::Buffer,
        data: Option<PosedData<'_>>,
    ) -> wgpu::BindGroup {
        let mut rows = vec![
            (0, uniforms.as_entire_binding()),
            (1, self.vertices.as_entire_binding()),
            (4, self.surface.materials.as_entire_binding()),
            (5, wgpu::BindingResource::TextureView(&self.surface.color_maps)),
            (6, wgpu::BindingResource::Sampler(&self.surface.sampler)),
            (8, wgpu::BindingResource::TextureView(&self.surface.data_maps)),
        ];
        if variant.method.technique.facts().source != AnimationSource::RestPose {
            let animation = match data {
                Some(posed) => posed.data.as_entire_binding(),
                None => self.animation.resource.binding(),
            };
            rows.push((2, animation));
        }
        let ranges = self.animation.ranges.as_ref().map(|ranges| (ranges, 0));
        let ranges = data.and_then(|posed| posed.rows).or(ranges);
        rows.extend(ranges.map(|(buffer, offset)| {
            let rows = wgpu::BufferBinding {
                buffer,
                offset,
                size: None,
            };
            (3, wgpu::BindingResource::Buffer(rows))
        }));
        let morphs = self.morphs.iter().filter(|_| variant.has(DrawFlags::MORPHS));
        rows.extend(morphs.map(|morphs| (7, morphs.as_entire_binding())));
        bind_group(&context.gpu, &self.name, context.layouts.character(variant), &rows)
    }
}

/// Group 2 of drawing passes.
fn crowd_group(
    context: &RenderContext,
    list: &wgpu::Buffer,
    posed: &wgpu::Buffer,
    tints: &TintTexture,
    runs: Option<&wgpu::Buffer>,
) -> wgpu::BindGroup {
    let mut rows = vec![
        (0, list.as_entire_binding()),
        (1, posed.as_entire_binding()),
        (2, wgpu::BindingResource::TextureView(tints.view())),
    ];
    rows.extend(runs.map(|runs| (3, runs.as_entire_binding())));
    let layout = if runs.is_some() {
        &context.layouts.heroed_crowd
    } else {
        &context.layouts.crowd
    };
    bind_group(&context.gpu, "crowd", layout, &rows)
}

/// Motion plan as storage buffers; empty tables are bound as zeros and never read.
struct ScriptTables {
    groups: wgpu::Buffer,
    states: wgpu::Buffer,
    edges: wgpu::Buffer,
    paths: wgpu::Buffer,
}

impl ScriptTables {
    fn upload(gpu: &Gpu, plan: &MotionPlan) -> Self {
        let make = |label: &str, bytes: &[u8]| {
            let bytes = if bytes.is_empty() { &[0; 64][..] } else { bytes };
            buffer_with(gpu, label, bytes, wgpu::BufferUsages::STORAGE)
        };
        Self {
            groups: make("groups", bytemuck::cast_slice(&plan.schedule.groups)),
            states: make("states", bytemuck::cast_slice(&plan.schedule.states)),
            edges: make("edges", bytemuck::cast_slice(&plan.schedule.edges)),
            paths: make("paths", bytemuck::cast_slice(&plan.paths)),
        }
    }
}

/// Buffer for a palette per instance, if the technique is live.
fn live_palettes(gpu: &Gpu, assets: &CharacterAssets, instances: usize) -> Result<Option<wgpu::Buffer>, GpuError> {
    if assets.method.technique.facts().source != AnimationSource::LivePalettes {
        return Ok(None);
    }
    let bytes = instances as u64 * u64::from(assets.uniforms.slot_count) * 48;
    gpu.check_storage("the live palettes", bytes, "lower --count or use --technique matrix")?;
    Ok(Some(gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("live palettes"),
        size: bytes.max(64),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })))
}

/// Bind group from (binding number, resource) rows.
pub(crate) fn bind_group(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    rows: &[(u32, wgpu::BindingResource<'_>)],
) -> wgpu::BindGroup {
    let entries: Vec<_> = rows
        .iter()
        .map(|(binding, resource)| wgpu::BindGroupEntry {
            binding: *binding,
            resource: resource.clone(),
        })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}
