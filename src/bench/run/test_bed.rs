//! Renderers of all entries on the device at once, each with its own buffers.

use anyhow::Result;

use crate::{
    atlas::AtlasFormat,
    bench::{BenchEntry, BenchPlan},
    config::Technique,
    gpu::{Gpu, GpuError, GpuMemory, PICTURE_FORMAT, PICTURE_USAGES, read_texture_rgba8, target_texture, whole_view},
    measure::{FrameTiming, stopwatch::cpu_burst},
    render::{DrawMethod, DrawPath, FrameInput, RenderOptions, Renderer, resources::AtlasSource},
    scene::Scene,
};

/// Renderer of an entry, or the reason why it cannot draw.
pub(crate) struct BenchSubject {
    /// Entry that it draws.
    pub entry: BenchEntry,
    renderer: Option<Renderer>,
    /// Reason why it cannot draw the current crowd.
    pub rejection: Option<String>,
    /// Bytes that the allocator gave to this entry.
    allocated: i64,
}

impl BenchSubject {
    fn new(entry: BenchEntry) -> Self {
        Self {
            entry,
            renderer: None,
            rejection: None,
            allocated: 0,
        }
    }

    /// Returns the bytes on the device: those of the allocator, or an estimate if it cannot be queried.
    pub(crate) fn gpu_bytes(&mut self, gpu: &Gpu) -> u64 {
        match gpu.memory() {
            Some(_) => self.allocated.max(0) as u64,
            None => self.renderer().map_or(0, |r| r.counts().vram_bytes),
        }
    }

    /// Adds the memory allocated since `before` to this entry; nothing else allocates meanwhile.
    fn account(&mut self, gpu: &Gpu, before: Option<GpuMemory>) {
        if let (Some(before), Some(after)) = (before, gpu.settled_memory()) {
            self.allocated += after.bytes as i64 - before.bytes as i64;
        }
    }

    /// Uploads a crowd. A crowd that does not fit the device becomes the rejection.
    fn place(&mut self, gpu: &Gpu, scene: &Scene) -> Result<()> {
        self.rejection = match self.upload(gpu, scene) {
            Ok(()) => gpu.take_error(),
            Err(error @ GpuError::TooLarge { .. }) => Some(error.to_string()),
            Err(error) => return Err(error.into()),
        };
        if self.rejection.is_some() {
            // A partial scene is useless, and other entries need its memory.
            self.renderer = None;
        }
        Ok(())
    }

    fn upload(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
        if let Some(renderer) = &mut self.renderer {
            return renderer.set_crowd(scene);
        }
        let options = RenderOptions {
            path: DrawPath::Plain,
            ..RenderOptions::of(self.entry.method)
        };
        let mut renderer = Renderer::new(gpu, options)?;
        renderer.set_scene(scene)?;
        self.renderer = Some(renderer);
        Ok(())
    }

    /// Returns the renderer, unless the crowd was rejected.
    pub(crate) fn renderer(&mut self) -> Option<&mut Renderer> {
        self.renderer.as_mut().filter(|_| self.rejection.is_none())
    }
}

/// Device, render target and renderers of all entries.
pub(crate) struct TestBed {
    /// GPU that draws.
    pub gpu: Gpu,
    /// Size of the picture (px).
    pub size: (u32, u32),
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    /// Renderers in the order of the plan.
    pub subjects: Vec<BenchSubject>,
    /// Renderer of `matrix f32` if the plan lacks it: its picture is the reference.
    reference: Option<BenchSubject>,
}

impl TestBed {
    /// Makes the render target; uploads nothing yet.
    #[must_use]
    pub(crate) fn new(gpu: Gpu, plan: &BenchPlan) -> Self {
        let texture = target_texture(&gpu, "picture", plan.size, PICTURE_FORMAT, 1, PICTURE_USAGES);
        let has_reference = plan.entries.iter().any(|&e| is_reference(e));
        Self {
            gpu,
            size: plan.size,
            view: whole_view(&texture, "picture"),
            texture,
            subjects: plan.entries.iter().map(|&e| BenchSubject::new(e)).collect(),
            reference: (!has_reference).then(|| BenchSubject::new(REFERENCE)),
        }
    }

    /// Uploads a crowd for every entry.
    ///
    /// # Errors
    /// Any failure except lack of memory.
    pub(crate) fn place(&mut self, scene: &Scene) -> Result<()> {
        for subject in self.subjects.iter_mut().chain(&mut self.reference) {
            let before = self.gpu.settled_memory();
            subject.place(&self.gpu, scene)?;
            subject.account(&self.gpu, before);
        }
        Ok(())
    }

    /// Draws one frame of an entry and waits for it. Returns `None` if the crowd was rejected.
    pub(crate) fn draw(&mut self, subject: usize, input: &FrameInput) -> Option<FrameTiming> {
        let renderer = self.subjects.get_mut(subject)?.renderer()?;
        Some(FrameTiming::draw(&self.gpu, renderer, &self.view, self.size, input))
    }

    /// Measures CPU times (ms) of frames of an entry that run ahead of the GPU. Empty if they cannot be measured.
    pub(crate) fn cpu_burst(&mut self, subject: usize, input: &FrameInput) -> Vec<f64> {
        let renderer = self.subjects.get_mut(subject).and_then(BenchSubject::renderer);
        renderer.map_or_else(Vec::new, |r| cpu_burst(&self.gpu, r, &self.view, self.size, input))
    }

    /// Draws one frame of an entry and returns its pixels (RGBA8).
    ///
    /// # Errors
    /// A lost device.
    pub(crate) fn picture(&mut self, subject: usize, input: &FrameInput) -> Result<Option<Vec<u8>>> {
        let before = self.gpu.settled_memory();
        let drawn = self.draw(subject, input);
        // Render targets are allocated on first use.
        self.subjects[subject].account(&self.gpu, before);
        match drawn {
            Some(_) => Ok(Some(read_texture_rgba8(&self.gpu, &self.texture)?)),
            None => Ok(None),
        }
    }

    /// Draws the reference picture, that of `matrix f32`.
    ///
    /// # Errors
    /// A lost device.
    pub(crate) fn reference_picture(&mut self, input: &FrameInput) -> Result<Option<Vec<u8>>> {
        if let Some(index) = self.subjects.iter().position(|s| is_reference(s.entry)) {
            return self.picture(index, input);
        }
        let Some(renderer) = self.reference.as_mut().and_then(BenchSubject::renderer) else {
            return Ok(None);
        };
        FrameTiming::draw(&self.gpu, renderer, &self.view, self.size, input);
        Ok(Some(read_texture_rgba8(&self.gpu, &self.texture)?))
    }
}

const REFERENCE: BenchEntry = BenchEntry {
    method: DrawMethod::new(Technique::Matrix, AtlasFormat::F32, AtlasSource::Texture),
    control: false,
};

fn is_reference(entry: BenchEntry) -> bool {
    let (method, reference) = (entry.method, REFERENCE.method);
    (method.technique, method.format) == (reference.technique, reference.format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bench::plan::scene_config, gpu::adapter::AdapterChoice, render::technique::AnimationSource, scene::StartupTimes,
    };
    use clap::Parser;

    #[derive(Parser)]
    struct TestArguments {
        #[command(flatten)]
        bench: crate::bench::BenchArgs,
    }

    #[test]
    fn an_entry_that_does_not_fit_reports_size_and_limit() {
        let Ok(mut gpu) = Gpu::headless(&AdapterChoice::Cpu) else {
            let promised = std::env::var_os("THRONG_REQUIRE_GPU").is_some_and(|value| value == "1");
            assert!(!promised, "THRONG_REQUIRE_GPU is set, but there is no CPU adapter");
            eprintln!("SKIPPED: no CPU adapter");
            return;
        };
        gpu.limits.max_storage_buffer_binding_size = 400_000;
        let args =
            TestArguments::parse_from(["bench", "--quick", "--atlas", "texture,storage", "--formats", "f16"]).bench;
        let plan = BenchPlan::new(&args);
        let config = scene_config(&args, &plan, 3);
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded characters load");
        let mut bed = TestBed::new(gpu, &plan);
        bed.place(&scene).expect("lack of room is no error");
        for subject in &bed.subjects {
            let DrawMethod { technique, source, .. } = subject.entry.method;
            let refused = match technique.facts().source {
                AnimationSource::Atlas | AnimationSource::BakedVertices => source == AtlasSource::Storage,
                AnimationSource::FullMatrices | AnimationSource::PosedVertices => true,
                AnimationSource::LivePalettes | AnimationSource::RestPose => false,
            };
            assert_eq!(subject.rejection.is_some(), refused, "{}", subject.entry.name());
            if let Some(reason) = &subject.rejection {
                assert!(
                    reason.contains("400000") && reason.contains("max_storage_buffer_binding_size"),
                    "{reason}"
                );
            }
        }
    }
}
