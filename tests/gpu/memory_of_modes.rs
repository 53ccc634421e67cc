//! Memory after switching modes on and off: nothing stays bound, and statistics agree with the allocator.

use std::collections::BTreeSet;

use throng::{
    aov::FrameParameters,
    config::{Config, Effort, Raster, Technique},
    crowd::heroes::Hero,
    gpu::{AdapterKind, Gpu, GpuMemory, MemorySource, PICTURE_FORMAT, PICTURE_USAGES, target_texture, whole_view},
    measure::frame_account::frame_stats,
    render::{
        AovView, Culling, DrawMethod, FrameInput, Pass, PassSet, RenderOptions, Renderer, ViewMode, passes::AovKind,
    },
    scene::{Scene, StartupTimes},
};

use crate::{
    common::{self, Need, skip},
    raster::supported,
};

/// Width and height of the pictures (px).
const SIZE: (u32, u32) = (192, 108);
/// Times that each mode is switched on and off.
const ROUNDS: u32 = 10;
/// Allowed difference of two figures of memory, as a share of the first.
const TOLERANCE: f64 = 0.02;
/// Bytes by which an allocation may differ from another one of the same label: the allocator pads each for its place.
const PADDING: u64 = 4096;

/// A scene with its renderer, as the window has them.
struct Studio {
    gpu: Gpu,
    config: Config,
    scene: Scene,
    heroes: Vec<Hero>,
    renderer: Renderer,
    target: wgpu::TextureView,
    /// Frame with every mode off.
    input: FrameInput,
}

impl Studio {
    fn open(gpu: Gpu, raster: Raster) -> Self {
        let mut config = Config::scene("plaza").expect("embedded");
        config.scene.characters = vec!["man".into()];
        config.scene.count = 12;
        (config.window.width, config.window.height) = SIZE;
        let wave = "count = 6\nlayers = [{ clip = \"wave\", joint = \"upper_arm_r\" }]\n";
        config.scene.heroes = vec![toml::from_str(wave).expect("heroes")];
        let mut scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
        let heroes = std::mem::take(&mut scene.heroes);
        let mut input = FrameParameters::of(&config, &scene, 3.0).expect("a view").input;
        (input.look.shadows, input.culling) = (false, Culling::all(false));
        let texture = target_texture(&gpu, "picture", SIZE, PICTURE_FORMAT, 1, PICTURE_USAGES);
        let options = RenderOptions {
            raster,
            ..RenderOptions::of(common::gpu::MATRIX)
        };
        Self {
            renderer: common::gpu::renderer(&gpu, &scene, options),
            target: whole_view(&texture, "picture"),
            gpu,
            config,
            scene,
            heroes,
            input,
        }
    }

    /// Draws the frame with every mode off, after a `change`.
    fn draw(&mut self, change: impl FnOnce(&mut FrameInput)) {
        let mut input = self.input.clone();
        change(&mut input);
        self.renderer.draw(&self.gpu, &self.target, SIZE, &input);
        self.gpu.wait_idle();
        self.renderer.finished_gpu_ms();
        assert_eq!(self.gpu.take_error(), None);
    }

    /// Switches to other options and back, as the window does: by a renderer made anew.
    fn rebuild(&mut self, change: impl FnOnce(&mut RenderOptions)) {
        let before = self.renderer.options();
        let mut changed = before;
        change(&mut changed);
        for options in [changed, before] {
            self.renderer = common::gpu::renderer(&self.gpu, &self.scene, options);
            self.draw(|_| {});
        }
    }

    /// Switches to another technique and back, as the window does: in the same renderer.
    fn by_technique(&mut self, technique: Technique) {
        let before = self.renderer.options();
        let method = DrawMethod {
            technique,
            ..before.method
        };
        for options in [RenderOptions { method, ..before }, before] {
            self.renderer.set_technique(&self.scene, options).expect("fits");
            self.draw(|_| {});
        }
    }

    /// Draws with every mode off; returns what is allocated then.
    fn memory(&mut self) -> GpuMemory {
        self.draw(|_| {});
        self.gpu.settled_memory().expect("it was reported before")
    }

    /// Memory that the panel and statistics show after the last frame (bytes).
    fn shown(&self) -> u64 {
        let stats = frame_stats(&self.gpu, &self.scene, &self.renderer, &self.config, &self.input);
        assert_eq!(stats.vram_source, MemorySource::Allocator);
        stats.vram_bytes
    }
}

/// Mode that a user switches: it is drawn with once, and then switched off.
type Mode = (&'static str, fn(&mut Studio));

/// Modes of a frame.
const FRAME_MODES: [Mode; 9] = [
    ("shadows", |s| s.draw(|input| input.look.shadows = true)),
    ("colours of LODs", |s| s.draw(|input| input.mode = ViewMode::Lods)),
    ("heights", |s| {
        s.renderer.prepare_heights().expect("compiles");
        s.draw(|input| input.mode = ViewMode::Heights);
    }),
    ("overdraw", |s| {
        s.renderer.prepare_overdraw().expect("compiles");
        s.draw(|input| input.mode = ViewMode::Overdraw);
    }),
    ("culling", |s| s.draw(|input| input.culling = Culling::all(true))),
    ("frozen culling", |s| s.draw(|input| input.frozen = true)),
    ("full detail", |s| s.draw(|input| input.detail = 0.0)),
    ("no splats", |s| s.draw(|input| input.splats = false)),
    ("no interpolation", |s| s.draw(|input| input.interpolate = false)),
];

/// Modes of a renderer.
const RENDERER_MODES: [Mode; 7] = [
    ("heroes", |s| {
        s.renderer.set_heroes(&s.heroes).expect("fits");
        s.draw(|_| {});
        s.renderer.set_heroes(&[]).expect("fits");
    }),
    ("invocations", |s| {
        s.renderer.count_invocations(&s.gpu, true);
        s.draw(|_| {});
        s.renderer.count_invocations(&s.gpu, false);
    }),
    ("vertex", |s| s.by_technique(Technique::Vertex)),
    ("live", |s| s.by_technique(Technique::Live)),
    ("static", |s| s.by_technique(Technique::Static)),
    ("textbook", |s| s.by_technique(Technique::Textbook)),
    ("preskinned", |s| s.by_technique(Technique::Preskinned)),
];

/// Modes for which the renderer is made anew.
const REBUILT_MODES: [Mode; 4] = [
    ("compute", |s| s.rebuild(|options| options.raster = Raster::Compute)),
    ("light effort", |s| s.rebuild(|options| options.effort = Effort::Light)),
    ("four samples", |s| s.rebuild(|options| options.samples = 4)),
    ("FXAA", |s| {
        s.rebuild(|options| options.display_steps = PassSet::of(&[Pass::Fxaa]))
    }),
];

/// Modes of a frame with buffers of their own in every renderer of these tests.
const WITH_BUFFERS: [&str; 2] = ["shadows", "culling"];

/// Sums of labels that differ by more than the allocator's padding, and the total.
fn differences(before: &GpuMemory, after: &GpuMemory) -> Vec<String> {
    let of = |memory: &GpuMemory, label: &str| memory.by_purpose.get(label).copied().unwrap_or_default();
    let labels: BTreeSet<_> = before.by_purpose.keys().chain(after.by_purpose.keys()).collect();
    let labels = labels
        .into_iter()
        .map(|label| (label.as_str(), of(before, label), of(after, label)));
    let all = labels.chain([("all", before.bytes, after.bytes)]);
    let changed = all.filter(|(_, before, after)| !agrees(*before, *after));
    changed
        .map(|(label, before, after)| format!("{label}: {before} -> {after}"))
        .collect()
}

/// True if two figures of memory agree within [`TOLERANCE`] or the allocator's padding.
fn agrees(a: u64, b: u64) -> bool {
    a.abs_diff(b) <= PADDING.max((a as f64 * TOLERANCE) as u64)
}

/// Switches each mode on and off ten times. Each time its memory is free again, and in the end what is shown agrees with
/// the allocator.
fn switch(studio: &mut Studio, modes: &[Mode]) {
    let start = studio.memory();
    for (name, mode) in modes {
        for round in 0..ROUNDS {
            mode(studio);
            if WITH_BUFFERS.contains(name) {
                let on = studio.gpu.settled_memory().expect("it was reported before");
                assert!(on.bytes > start.bytes + PADDING, "{name} is not on: {}", on.bytes);
            }
            let after = studio.memory();
            let stays = differences(&start, &after);
            assert!(stays.is_empty(), "{name}, round {round}: {stays:#?}");
        }
        let shown = studio.shown();
        assert!(
            agrees(start.bytes, shown),
            "{name}: {shown} are shown of {}",
            start.bytes
        );
    }
}

/// Device whose allocator can be asked, and which supports all rasterizers.
fn accounted() -> Option<Gpu> {
    let gpu = supported()?;
    if gpu.memory().is_none() {
        skip(
            Need::Adapter,
            &format!("{} has no allocator to ask", gpu.facts.summary()),
        );
        return None;
    }
    Some(gpu)
}

#[test]
fn modes_of_the_hardware_rasterizer_give_their_memory_back() {
    let Some(mut gpu) = accounted() else { return };
    // As a card: triangles are culled, and shadows and ids come from a compute shader.
    gpu.facts.kind = AdapterKind::DiscreteGpu;
    let mut studio = Studio::open(gpu, Raster::Auto);
    switch(&mut studio, &FRAME_MODES);
    switch(&mut studio, &RENDERER_MODES);
    switch(&mut studio, &REBUILT_MODES);
}

#[test]
fn modes_of_the_software_rasterizer_give_their_memory_back() {
    let Some(gpu) = accounted() else { return };
    // The other modes have no buffers of their own.
    switch(&mut Studio::open(gpu, Raster::Compute), &FRAME_MODES[..5]);
}

#[test]
fn the_estimate_without_an_allocator_agrees_with_one() {
    let Some(gpu) = accounted() else { return };
    for raster in [Raster::Hardware, Raster::Compute] {
        let mut studio = Studio::open(gpu.clone(), raster);
        for (name, mode) in FRAME_MODES {
            mode(&mut studio);
            compare_estimate(&mut studio, name);
        }
        let view = AovView {
            size: SIZE,
            input: &studio.input,
            next: None,
            only: None,
            boxes: None,
            keeps_masks: false,
        };
        studio
            .renderer
            .aov(&studio.gpu, &view, &AovKind::ALL[..3])
            .expect("draws");
        compare_estimate(&mut studio, "ids, depth and normals");
    }
}

/// Compares the estimate with the allocator, whose figure includes what wgpu, the profiler and the test itself hold.
fn compare_estimate(studio: &mut Studio, what: &str) {
    let memory = studio.memory();
    let is_foreign = |label: &str| label.starts_with("(wgpu") || label.starts_with("GpuProfiler") || label == "picture";
    let foreign = memory.by_purpose.iter().filter(|(label, _)| is_foreign(label));
    let own = memory.bytes - foreign.map(|(_, bytes)| bytes).sum::<u64>();
    let estimate = studio.renderer.counts().vram_bytes;
    assert!(
        own.abs_diff(estimate) as f64 <= own as f64 * TOLERANCE,
        "{what}: {own} allocated, {estimate} estimated: {:#?}",
        memory.by_purpose
    );
}
