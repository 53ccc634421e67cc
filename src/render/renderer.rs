//! The frame: animate → shadow → crowd → backdrop → tonemap, straight through.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use super::{
    AtlasSource, CharacterAssets, CrowdInstances, DrawVariant, FrameInput, FrameUniforms, Layouts,
    animate::Animate,
    backdrop::Backdrop,
    crowd::CrowdPass,
    held::{HeldCrowd, HeldPass},
    instances::bind_group,
    live::{LiveCrowd, LivePass},
    shadow::{SHADOW_SIZE, ShadowPass},
    targets::{Targets, supported_samples},
    tints,
    tonemap::Tonemap,
};
use crate::{
    atlas::AtlasFormat,
    config::Technique,
    crowd::{Instance, Script},
    gpu::{Gpu, GpuError, Invocations, PassStatistics, PassTimer, buffer_with},
    scene::{Character, Scene},
    stats::{DrawCounts, FrameTimes},
};

/// Above this many instances the sun casts no shadows: a second skinned pass would double the
/// frame for shadows too small to see.
pub const SHADOW_MAX_INSTANCES: u32 = 30_000;

/// What is fixed while a renderer lives, and what selects pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Format of the final target.
    pub target: wgpu::TextureFormat,
    /// Wanted samples per pixel, 1 or 4.
    pub samples: u32,
    /// How vertices come about.
    pub technique: Technique,
    /// Atlas encoding.
    pub format: AtlasFormat,
    /// Where the atlas lives.
    pub source: AtlasSource,
}

struct Drawn {
    assets: CharacterAssets,
    crowd: CrowdInstances,
    variant: DrawVariant,
    live: Option<LiveCrowd>,
}

/// Everything on the GPU for one scene.
pub struct Renderer {
    layouts: Layouts,
    options: RenderOptions,
    frame_buffer: wgpu::Buffer,
    frame: wgpu::BindGroup,
    lit_frame: wgpu::BindGroup,
    animate: Animate,
    live: LivePass,
    held: HeldPass,
    shadow: ShadowPass,
    crowd: CrowdPass,
    backdrop: Backdrop,
    tonemap: Tonemap,
    targets: Option<(Targets, wgpu::BindGroup)>,
    tints: wgpu::Buffer,
    characters: Vec<Drawn>,
    props: Vec<Drawn>,
    carried: Vec<HeldCrowd>,
    timer: PassTimer,
    gpu_ms: BTreeMap<String, f64>,
    statistics: Option<PassStatistics>,
}

impl Renderer {
    /// Compiles the passes that do not depend on the scene.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, options: RenderOptions) -> Result<Self, GpuError> {
        let options = RenderOptions {
            samples: supported_samples(gpu, options.samples),
            ..options
        };
        let layouts = Layouts::new(gpu);
        let shadow = ShadowPass::new(gpu);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame_buffer = buffer_with(gpu, "frame", &[0; size_of::<FrameUniforms>()], usage);
        let frame = bind_group(gpu, &layouts.frame, &[(0, frame_buffer.as_entire_binding())]);
        let lit_frame = bind_group(
            gpu,
            &layouts.lit_frame,
            &[
                (0, frame_buffer.as_entire_binding()),
                (1, wgpu::BindingResource::TextureView(&shadow.map)),
                (2, wgpu::BindingResource::Sampler(&shadow.sampler)),
            ],
        );
        Ok(Self {
            animate: Animate::new(gpu, &layouts)?,
            live: LivePass::new(gpu, &layouts)?,
            held: HeldPass::new(gpu, &layouts)?,
            crowd: CrowdPass::new(options.samples),
            backdrop: Backdrop::new(gpu, &layouts, options.samples)?,
            tonemap: Tonemap::new(gpu, &layouts, options.target)?,
            targets: None,
            tints: buffer_with(gpu, "tints", &[0; 16], wgpu::BufferUsages::STORAGE),
            characters: Vec::new(),
            props: Vec::new(),
            carried: Vec::new(),
            timer: PassTimer::new(gpu),
            gpu_ms: BTreeMap::new(),
            statistics: None,
            frame_buffer,
            frame,
            lit_frame,
            layouts,
            options,
            shadow,
        })
    }

    /// Options in force (the adapter may support fewer samples than asked for).
    #[must_use]
    pub fn options(&self) -> RenderOptions {
        self.options
    }

    /// Uploads characters and instances of a scene and compiles the pipelines they need.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Shader`]; the previous scene stays.
    pub fn set_scene(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let RenderOptions {
            technique,
            format,
            source,
            ..
        } = self.options;
        let tints = tints::upload(gpu, &scene.ramps, scene.tint_strength);
        let mut characters = Vec::with_capacity(scene.characters.len());
        let placed = scene
            .characters
            .iter()
            .zip(&scene.crowd.per_character)
            .zip(&scene.scripts);
        for ((character, instances), script) in placed {
            let assets = CharacterAssets::upload(gpu, character, technique, format, source)?;
            let variant = DrawVariant::of(&assets);
            self.prepare(gpu, variant)?;
            let (crowd, live) = self.place(gpu, character, instances, script, &assets, &tints)?;
            characters.push(Drawn {
                assets,
                crowd,
                variant,
                live,
            });
        }
        self.props = self.place_props(gpu, scene, &tints)?;
        self.characters = characters;
        self.tints = tints;
        self.place_held(gpu, scene)
    }

    /// Replaces the instances only; the characters stay on the GPU.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_crowd(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let tints = tints::upload(gpu, &scene.ramps, scene.tint_strength);
        let characters = scene
            .characters
            .iter()
            .zip(&scene.crowd.per_character)
            .zip(&scene.scripts);
        let mut placed = Vec::with_capacity(self.characters.len());
        for (drawn, ((character, instances), script)) in self.characters.iter().zip(characters) {
            placed.push(self.place(gpu, character, instances, script, &drawn.assets, &tints)?);
        }
        for (drawn, (crowd, live)) in self.characters.iter_mut().zip(placed) {
            (drawn.crowd, drawn.live) = (crowd, live);
        }
        self.tints = tints;
        self.place_held(gpu, scene)
    }

    /// Switches technique or format, keeping targets and fixed passes.
    ///
    /// # Errors
    /// As [`Renderer::set_scene`].
    pub fn set_technique(&mut self, gpu: &Gpu, scene: &Scene, options: RenderOptions) -> Result<(), GpuError> {
        let before = self.options;
        self.options = RenderOptions {
            target: before.target,
            samples: before.samples,
            ..options
        };
        self.set_scene(gpu, scene).inspect_err(|_| self.options = before)
    }

    fn place(
        &self,
        gpu: &Gpu,
        character: &Arc<Character>,
        instances: &[Instance],
        script: &Script,
        assets: &CharacterAssets,
        tints: &wgpu::Buffer,
    ) -> Result<(CrowdInstances, Option<LiveCrowd>), GpuError> {
        let crowd = CrowdInstances::upload(gpu, &self.layouts, assets, instances, script, tints)?;
        let live = LiveCrowd::new(gpu, &self.layouts, character, instances, script, &crowd);
        Ok((crowd, live))
    }

    fn place_held(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        let owners = || self.characters.iter().map(|d| (&d.assets, &d.crowd));
        let upload = |held| HeldCrowd::upload(gpu, &self.layouts, held, owners(), &self.tints);
        let carried = scene.held.iter().map(upload).collect::<Result<Vec<_>, _>>()?;
        carried.iter().try_for_each(|held| self.prepare(gpu, held.variant))?;
        self.carried = carried;
        Ok(())
    }

    fn place_props(&mut self, gpu: &Gpu, scene: &Scene, tints: &wgpu::Buffer) -> Result<Vec<Drawn>, GpuError> {
        let mut props = Vec::with_capacity(scene.props.len());
        let still = Script::default();
        for placed in &scene.props {
            let RenderOptions { format, source, .. } = self.options;
            let assets = CharacterAssets::upload(gpu, &placed.character, Technique::Static, format, source)?;
            let variant = DrawVariant::of(&assets);
            self.prepare(gpu, variant)?;
            let crowd = CrowdInstances::upload(gpu, &self.layouts, &assets, &placed.instances, &still, tints)?;
            props.push(Drawn {
                assets,
                crowd,
                variant,
                live: None,
            });
        }
        Ok(props)
    }

    fn prepare(&mut self, gpu: &Gpu, variant: DrawVariant) -> Result<(), GpuError> {
        self.crowd.prepare(gpu, &self.layouts, variant)?;
        self.shadow.prepare(gpu, &self.layouts, variant)
    }

    /// Draws one frame into `view` of `size` pixels and submits it.
    pub fn draw(&mut self, gpu: &Gpu, view: &wgpu::TextureView, size: (u32, u32), input: &FrameInput) -> FrameTimes {
        let start = Instant::now();
        self.resize(gpu, size);
        let shadows = self.casts_shadows(input);
        let uniforms = FrameUniforms::new(input, shadows, SHADOW_SIZE);
        gpu.queue
            .write_buffer(&self.frame_buffer, 0, bytemuck::bytes_of(&uniforms));

        let live_bytes = self.update_live(gpu, input);

        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.encode_animate(&mut encoder);
        if shadows {
            self.encode_shadow(&mut encoder);
        }
        self.encode_crowd(&mut encoder);
        self.encode_backdrop(&mut encoder);
        self.encode_tonemap(&mut encoder, view);
        self.timer.resolve(&mut encoder);
        gpu.queue.submit([encoder.finish()]);

        let cpu_ms = start.elapsed().as_secs_f64() * 1e3;
        if let Some(gpu_ms) = self.timer.finish_frame() {
            self.gpu_ms = gpu_ms;
        }
        FrameTimes {
            cpu_ms,
            gpu_ms: self.gpu_ms.clone(),
            upload_bytes: size_of::<FrameUniforms>() as u64 + live_bytes,
        }
    }

    /// After [`Gpu::wait_idle`]: the times of the last frame drawn, by pass.
    pub fn finished_gpu_ms(&mut self) -> BTreeMap<String, f64> {
        if let Some(gpu_ms) = self.timer.poll() {
            self.gpu_ms = gpu_ms;
        }
        self.gpu_ms.clone()
    }

    /// Counts shader invocations of the crowd pass in the frames that follow, or stops counting.
    pub fn count_invocations(&mut self, gpu: &Gpu, on: bool) {
        self.statistics = on.then(|| PassStatistics::new(gpu)).flatten();
    }

    /// Invocations of the last frame's crowd pass; `None` where nothing counts them.
    ///
    /// # Errors
    /// [`GpuError::Readback`].
    pub fn invocations(&self, gpu: &Gpu) -> Result<Option<Invocations>, GpuError> {
        self.statistics.as_ref().map(|s| s.read(gpu)).transpose()
    }

    /// True where this frame has sun shadows.
    #[must_use]
    pub fn casts_shadows(&self, input: &FrameInput) -> bool {
        input.look.shadows && self.instance_count() <= SHADOW_MAX_INSTANCES
    }

    /// Instances of all characters.
    #[must_use]
    pub fn instance_count(&self) -> u32 {
        self.characters.iter().map(|d| d.crowd.count).sum()
    }

    /// What a frame draws and what it occupies.
    #[must_use]
    pub fn counts(&self) -> DrawCounts {
        let mut counts = DrawCounts::default();
        for d in &self.characters {
            let copies = u64::from(d.crowd.count);
            counts.instances += copies;
            counts.crowd_draw_calls += u32::from(d.crowd.count > 0);
            counts.triangles += copies * u64::from(d.assets.index_count / 3);
            counts.vertices += copies * u64::from(d.assets.vertex_count);
            counts.atlas_bytes += d.assets.atlas_bytes;
        }
        counts.vram_bytes = self.everything().map(|d| d.assets.bytes + d.crowd.bytes).sum();
        let targets = self.targets.as_ref().map_or(0, |(t, _)| t.bytes);
        counts.vram_bytes += targets + u64::from(SHADOW_SIZE * SHADOW_SIZE * 4) + self.tints.size();
        counts
    }

    fn resize(&mut self, gpu: &Gpu, size: (u32, u32)) {
        if self.targets.as_ref().is_none_or(|(t, _)| t.size != size) {
            let targets = Targets::new(gpu, size, self.options.samples);
            let bind = self.tonemap.bind(gpu, targets.hdr());
            self.targets = Some((targets, bind));
        }
    }

    /// Runs the CPU animators of the live technique; nothing for the others.
    fn update_live(&mut self, gpu: &Gpu, input: &FrameInput) -> u64 {
        let live = self.characters.iter_mut().filter_map(|d| d.live.as_mut());
        live.map(|l| l.update(gpu, input.clock)).sum()
    }

    fn everything(&self) -> impl Iterator<Item = &Drawn> {
        self.characters.iter().chain(&self.props)
    }

    fn encode_animate(&self, encoder: &mut wgpu::CommandEncoder) {
        let query = self.timer.begin("animate", encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("animate"),
            timestamp_writes: query.as_ref().and_then(|q| q.compute_pass_timestamp_writes()),
        });
        self.animate
            .encode(&mut pass, &self.frame, self.everything().map(|d| &d.crowd));
        self.live.encode(
            &mut pass,
            &self.frame,
            self.characters.iter().filter_map(|d| d.live.as_ref()),
        );
        self.held.encode(&mut pass, &self.frame, self.carried.iter());
        drop(pass);
        self.timer.end(encoder, query);
    }

    fn encode_shadow(&self, encoder: &mut wgpu::CommandEncoder) {
        let query = self.timer.begin("shadow", encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(depth(&self.shadow.map, wgpu::LoadOp::Clear(1.0))),
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.frame, &[]);
        for d in self.everything() {
            self.shadow.draw(&mut pass, d.variant, &d.assets, &d.crowd);
        }
        for held in &self.carried {
            self.shadow.draw(&mut pass, held.variant, &held.assets, &held.crowd);
        }
        drop(pass);
        self.timer.end(encoder, query);
    }

    fn encode_crowd(&self, encoder: &mut wgpu::CommandEncoder) {
        let Some((targets, _)) = &self.targets else { return };
        let query = self.timer.begin("crowd", encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("crowd"),
            color_attachments: &[Some(color(
                &targets.color,
                None,
                wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            ))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Clear(0.0))),
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.lit_frame, &[]);
        if let Some(statistics) = &self.statistics {
            statistics.begin(&mut pass);
        }
        for d in &self.characters {
            self.crowd.draw(&mut pass, d.variant, &d.assets, &d.crowd);
        }
        if let Some(statistics) = &self.statistics {
            statistics.end(&mut pass);
        }
        drop(pass);
        if let Some(statistics) = &self.statistics {
            statistics.resolve(encoder);
        }
        self.timer.end(encoder, query);
    }

    fn encode_backdrop(&self, encoder: &mut wgpu::CommandEncoder) {
        let Some((targets, _)) = &self.targets else { return };
        let query = self.timer.begin("backdrop", encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("backdrop"),
            color_attachments: &[Some(color(
                &targets.color,
                targets.resolved.as_ref(),
                wgpu::LoadOp::Load,
            ))],
            depth_stencil_attachment: Some(depth(&targets.depth, wgpu::LoadOp::Load)),
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.lit_frame, &[]);
        for held in &self.carried {
            self.crowd.draw(&mut pass, held.variant, &held.assets, &held.crowd);
        }
        for d in &self.props {
            self.crowd.draw(&mut pass, d.variant, &d.assets, &d.crowd);
        }
        self.backdrop.draw(&mut pass);
        drop(pass);
        self.timer.end(encoder, query);
    }

    fn encode_tonemap(&self, encoder: &mut wgpu::CommandEncoder, view: &wgpu::TextureView) {
        let Some((_, hdr)) = &self.targets else { return };
        let query = self.timer.begin("tonemap", encoder);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("tonemap"),
            color_attachments: &[Some(color(view, None, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
            timestamp_writes: query.as_ref().and_then(|q| q.render_pass_timestamp_writes()),
            ..Default::default()
        });
        self.tonemap.draw(&mut pass, &self.frame, hdr);
        drop(pass);
        self.timer.end(encoder, query);
    }
}

fn color<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPassColorAttachment<'a> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target,
        ops: wgpu::Operations {
            load,
            store: wgpu::StoreOp::Store,
        },
    }
}

fn depth(view: &wgpu::TextureView, load: wgpu::LoadOp<f32>) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load,
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}
