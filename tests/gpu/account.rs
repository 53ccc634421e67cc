//! Statistics of memory, uploads and timed frames agree with counts made where they happen.

use throng::{
    cli::shot::ShotRenderer,
    config::{Config, Technique},
    gpu::MemorySource,
    render::{DrawPath, FrameUniforms, RenderOptions, Renderer, stats::FrameStats},
    scene::LodMaker,
};

use crate::common;

/// Statistics of a picture on the adapter of the tests.
fn stats(technique: Technique) -> Option<FrameStats> {
    let gpu = common::gpu::open()?;
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 40;
    (config.window.width, config.window.height) = (160, 90);
    config.render.technique = technique;
    let choice = gpu.facts.name.parse().unwrap_or_default();
    let mut shot = ShotRenderer::open(&config, &choice, (None, DrawPath::default()), &LodMaker::default())
        .expect("the scene fits");
    Some(shot.take(&config, 4.0).expect("a frame").1)
}

#[test]
fn memory_per_purpose_adds_up_to_the_total() {
    for technique in [Technique::Matrix, Technique::Live] {
        let Some(stats) = stats(technique) else { return };
        let sum: u64 = stats.upload_by_purpose.values().sum();
        assert_eq!(sum, stats.upload_bytes, "{:?}", stats.upload_by_purpose);
        let live = technique == Technique::Live;
        assert_eq!(stats.frame_data_bytes > 0, live);
        assert_eq!(stats.upload_by_purpose.contains_key("live joints"), live);
        assert!(
            stats
                .upload_by_purpose
                .get("frame")
                .is_some_and(|&n| n == size_of::<FrameUniforms>() as u64)
        );
        if stats.vram_source == MemorySource::Allocator {
            let sum: u64 = stats.vram_by_purpose.values().sum();
            assert_eq!(sum, stats.vram_bytes, "{:?}", stats.vram_by_purpose);
            assert!(
                stats.vram_by_purpose.contains_key("posed"),
                "{:?}",
                stats.vram_by_purpose
            );
        }
    }
}

#[test]
fn timed_frames_are_those_that_were_timed() {
    let Some(stats) = stats(Technique::Matrix) else { return };
    assert!(stats.timed_frames >= 1 && stats.cpu_frames >= 1, "{stats:?}");
    // The first frame is a warm-up, unless it takes so long that there is no other.
    assert!(stats.warm_up_frames == 1 || stats.timed_frames == 1, "{stats:?}");
    if stats.adapter.is_software() {
        assert_eq!(
            stats.cpu_frames, stats.timed_frames,
            "frames of CPU and GPU differ in number"
        );
    }
}

#[test]
fn memory_holds_everything_on_the_device_and_gives_it_back() {
    let Some(gpu) = common::gpu::open() else { return };
    let Some(before) = gpu.settled_memory() else {
        let why = format!("{} has no allocator to ask", gpu.facts.summary());
        return common::skip(common::Need::Adapter, &why);
    };
    let renderer = Renderer::new(&gpu, RenderOptions::of(common::gpu::MATRIX)).expect("compiles");
    let with = gpu.settled_memory().expect("memory was reported before");
    // Every renderer has at least its shadow map.
    assert!(with.bytes >= before.bytes + 16 * 1024 * 1024, "{before:?}\n{with:?}");
    drop(renderer);
    let after = gpu.settled_memory().expect("memory was reported before");
    assert!(after.bytes <= before.bytes + 1024 * 1024, "{before:?}\n{after:?}");
}
