//! Probe: skins every vertex of some instances with the code that draws, and reads them back.

mod actors;
mod fetched_probe;
mod heroes;

pub use actors::ActorRows;
pub use heroes::CrowdWithHeroes;

use std::sync::Arc;

use bytemuck::Zeroable;
use glam::{Affine3A, Quat, Vec3};

use crate::{
    character::Character,
    crowd::{AttachmentKind, Instance, MotionPlan},
    gpu::{Gpu, GpuError, buffer_with, compute_pass, compute_pipeline, encoder, read_buffer},
    render::{
        FrameInput, FrameUniforms, RenderContext,
        passes::{
            DrawVariant,
            animate::{Animate, workgroups},
            attachments::{AttachmentCrowd, AttachmentPass},
            live::{LiveCrowd, LivePass},
            preskin::PreskinPass,
            probe::fetched_probe::FetchedProbe,
            shadow::SHADOW_SIZE,
        },
        resources::{
            CharacterAssets, CrowdInstances, DrawFlags, DrawParts, GpuPosed, TintTexture,
            instances::bind_group,
            pose_cache::{PosedFor, skinned_by},
        },
        technique::VertexInput,
    },
};

shader_struct!(ProbeVertex);

/// Source of the probe's vertices.
enum VertexSource {
    /// Pulled from storage buffers, by shaders/probe.wgsl.
    Pulled(wgpu::ComputePipeline),
    /// Fetched as vertex attributes.
    Fetched(FetchedProbe),
}

/// Pipelines that probe one variant.
pub struct Probe {
    animate: Animate,
    live: LivePass,
    preskin: PreskinPass,
    source: VertexSource,
    context: RenderContext,
    /// True if the probe covers vertices of LODs, too.
    with_lods: bool,
}

impl Probe {
    /// Compiles for the assets' technique, format and source.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, assets: &CharacterAssets) -> Result<Self, GpuError> {
        Self::of(gpu, DrawVariant::of(assets), assets, PosedFor::Everyone)
    }

    /// Compiles as [`Probe::new`] does, for vertices of LODs, too. They come after those of the full mesh:
    /// [`CharacterAssets::all_vertices`] per instance. The technique must pull vertices.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn with_lods(gpu: &Gpu, assets: &CharacterAssets) -> Result<Self, GpuError> {
        let variant = DrawVariant::of(assets).with(DrawFlags::LISTED);
        Self::of(gpu, variant, assets, PosedFor::Listed { sun: false })
    }

    fn of(gpu: &Gpu, variant: DrawVariant, assets: &CharacterAssets, posed_for: PosedFor) -> Result<Self, GpuError> {
        let context = RenderContext::new(gpu);
        let groups = [
            &context.layouts.frame,
            context.layouts.character(variant),
            context.layouts.instances(variant),
            &context.layouts.probe,
        ];
        let pulls = variant.method.technique.facts().vertices == VertexInput::Pulled;
        let source = if pulls {
            VertexSource::Pulled(compute_pipeline(gpu, "probe", &variant.pose_features(), &groups)?)
        } else {
            VertexSource::Fetched(FetchedProbe::new(&context, variant)?)
        };
        let mut preskin = PreskinPass::new(&context)?;
        if assets.animation.steps.is_some() {
            preskin.prepare(&context, [skinned_by(assets, posed_for)])?;
        }
        Ok(Self {
            animate: Animate::new(&context)?,
            live: LivePass::new(&context)?,
            preskin,
            source,
            context,
            with_lods: pulls && variant.has(DrawFlags::LISTED),
        })
    }

    /// Layouts that instances for this probe must be made with.
    #[must_use]
    pub fn context(&self) -> &RenderContext {
        &self.context
    }

    /// Skins all vertices of all instances at the frame's time. Vertices are in the order `instance * vertices +
    /// vertex`.
    ///
    /// # Errors
    /// [`GpuError::Readback`] or [`GpuError::TooLarge`].
    pub fn run(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        crowd: &CrowdInstances,
        input: &FrameInput,
    ) -> Result<Vec<ProbeVertex>, GpuError> {
        let frame = self.frame(gpu, &FrameUniforms::new(input, (1, 1), 1, false, SHADOW_SIZE));
        self.skin(gpu, assets, crowd, &frame, |pass| {
            self.animate.encode(pass, &frame, std::iter::once(crowd));
        })
    }

    /// Runs as [`Probe::run`] does, for any technique: uploads `instances`, and runs the animators of technique `live`
    /// for them.
    ///
    /// # Errors
    /// [`GpuError::Readback`] or [`GpuError::TooLarge`].
    pub fn run_instances(
        &self,
        gpu: &Gpu,
        character: &Arc<Character>,
        assets: &CharacterAssets,
        instances: &[Instance],
        input: &FrameInput,
    ) -> Result<Vec<ProbeVertex>, GpuError> {
        let tints = TintTexture::new(gpu);
        let crowd = CrowdInstances::upload(&self.context, assets, instances, &MotionPlan::default(), &tints)?;
        let mut live = LiveCrowd::new(&self.context, character, instances, &MotionPlan::default(), &crowd);
        if let Some(live) = &mut live {
            live.update(gpu, input.clock);
        }
        let frame = self.frame(gpu, &FrameUniforms::new(input, (1, 1), 1, false, SHADOW_SIZE));
        self.skin(gpu, assets, &crowd, &frame, |pass| {
            self.animate.encode(pass, &frame, std::iter::once(&crowd));
            self.live.encode(pass, &frame, live.iter());
        })
    }

    /// Runs as [`Probe::run`] does, but with given poses, one per instance, instead of animated ones.
    ///
    /// # Errors
    /// As [`Probe::run`].
    pub fn run_posed(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        crowd: &CrowdInstances,
        posed: &[GpuPosed],
    ) -> Result<Vec<ProbeVertex>, GpuError> {
        let given = &posed[..posed.len().min(crowd.count as usize)];
        gpu.write_buffer("posed", &crowd.posed, 0, bytemuck::cast_slice(given));
        let uniforms = FrameUniforms {
            interpolate: 1,
            ..FrameUniforms::zeroed()
        };
        let frame = self.frame(gpu, &uniforms);
        self.skin(gpu, assets, crowd, &frame, |_| {})
    }

    /// Runs as [`Probe::run_posed`] does, for techniques that pre-skin the vertices of draw lists. Every instance is
    /// listed at one LOD; vertices of other LODs are undefined.
    ///
    /// # Errors
    /// As [`Probe::run`].
    pub fn run_posed_at_lod(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        lod: u32,
        crowd: &CrowdInstances,
        posed: &[GpuPosed],
    ) -> Result<Vec<ProbeVertex>, GpuError> {
        if let Some(keys) = crowd.draw_list_keys(false) {
            let draw_lists = vec![lod; crowd.count as usize];
            gpu.write_buffer("bin keys", keys, 0, bytemuck::cast_slice(&draw_lists));
        }
        self.run_posed(gpu, assets, crowd, posed)
    }

    /// Transforms that the attachment pass gives to the props of `crowd`, the only character, whose poses are given:
    /// `world_from_prop`, without the owner's scale.
    ///
    /// # Errors
    /// As [`Probe::run`], or [`GpuError::Shader`].
    pub fn run_attachments(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        crowd: &CrowdInstances,
        posed: &[GpuPosed],
        wanted: &AttachmentKind,
    ) -> Result<Vec<Affine3A>, GpuError> {
        let given = &posed[..posed.len().min(crowd.count as usize)];
        gpu.write_buffer("posed", &crowd.posed, 0, bytemuck::cast_slice(given));
        let tints = TintTexture::new(gpu);
        let props = AttachmentCrowd::upload(
            &self.context,
            wanted,
            std::iter::once(DrawParts { assets, crowd }),
            &tints,
            None,
        )?;
        let attachments = AttachmentPass::new(&self.context)?;
        let frame = self.frame(gpu, &FrameUniforms::zeroed());
        let mut encoder = encoder(gpu, "probe");
        let mut pass = compute_pass(&mut encoder, "probe");
        attachments.encode(&mut pass, &frame, std::iter::once(&props));
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        read_placed(gpu, &props)
    }

    fn skin(
        &self,
        gpu: &Gpu,
        assets: &CharacterAssets,
        crowd: &CrowdInstances,
        frame: &wgpu::BindGroup,
        pose: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> Result<Vec<ProbeVertex>, GpuError> {
        let pipeline = match &self.source {
            VertexSource::Pulled(pipeline) => pipeline,
            VertexSource::Fetched(probe) => return probe.run(gpu, DrawParts { assets, crowd }, frame, pose),
        };
        let vertices = if self.with_lods {
            assets.all_vertices
        } else {
            assets.vertex_count
        };
        let total = crowd.count * vertices;
        let bytes = u64::from(total) * size_of::<ProbeVertex>() as u64;
        gpu.check_storage("the probe's output", bytes, "probe fewer instances at a time")?;
        let output = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("probe_output"),
            size: bytes.max(32),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let target = bind_group(
            gpu,
            "probe",
            &self.context.layouts.probe,
            &[(0, output.as_entire_binding())],
        );
        let mut encoder = encoder(gpu, "probe");
        let mut pass = compute_pass(&mut encoder, "probe");
        pose(&mut pass);
        self.preskin.place(&mut pass, frame, crowd.poses.iter());
        self.preskin.encode(&mut pass, frame, crowd.poses.iter(), false);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, &crowd.character, &[]);
        pass.set_bind_group(2, &crowd.crowd, &[]);
        pass.set_bind_group(3, &target, &[]);
        let (x, y) = workgroups(total);
        pass.dispatch_workgroups(x, y, 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        Ok(bytemuck::pod_collect_to_vec(&read_buffer(gpu, &output)?))
    }

    /// Makes the frame's bind group. Detail 0 poses everyone at the full rate, since errors are compared in
    /// millimetres.
    fn frame(&self, gpu: &Gpu, uniforms: &FrameUniforms) -> wgpu::BindGroup {
        let uniforms = &FrameUniforms {
            detail: 0.0,
            ..*uniforms
        };
        let uniforms = buffer_with(gpu, "frame", bytemuck::bytes_of(uniforms), wgpu::BufferUsages::UNIFORM);
        bind_group(
            gpu,
            "frame",
            &self.context.layouts.frame,
            &[(0, uniforms.as_entire_binding())],
        )
    }

    /// Output of the animate pass for every instance at the frame's time.
    ///
    /// # Errors
    /// [`GpuError::Readback`].
    pub fn posed(&self, gpu: &Gpu, crowd: &CrowdInstances, input: &FrameInput) -> Result<Vec<GpuPosed>, GpuError> {
        let frame = self.frame(gpu, &FrameUniforms::new(input, (1, 1), 1, false, SHADOW_SIZE));
        let mut encoder = encoder(gpu, "probe");
        let mut pass = compute_pass(&mut encoder, "probe");
        self.animate.encode(&mut pass, &frame, std::iter::once(crowd));
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        Ok(bytemuck::pod_collect_to_vec(&read_buffer(gpu, &crowd.posed)?))
    }
}

/// Transforms of props as the attachment pass left them.
fn read_placed(gpu: &Gpu, props: &AttachmentCrowd) -> Result<Vec<Affine3A>, GpuError> {
    let placed: Vec<[[f32; 4]; 2]> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, &props.crowd.posed)?);
    let place = |[[x, y, z, _], turn]: &[[f32; 4]; 2]| {
        Affine3A::from_rotation_translation(Quat::from_array(*turn), Vec3::new(*x, *y, *z))
    };
    Ok(placed.iter().map(place).collect())
}
