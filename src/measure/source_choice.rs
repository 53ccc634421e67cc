//! Chooses whether the shader reads animation data from a texture or a storage buffer.

use glam::Vec3;

use crate::{
    config::{Config, LookConfig, Raster},
    crowd::clock::Clock,
    gpu::{Gpu, GpuError, target_texture, whole_view},
    measure::{FrameTiming, TimingBudget, stopwatch::interleave},
    render::{DrawMethod, DrawPath, FrameInput, RenderOptions, Renderer, resources::AtlasSource, source_within_limits},
    scene::Scene,
    view::Camera,
};

/// Number of instances that compare the two on a GPU: a few milliseconds.
const COMPARED_INSTANCES: u32 = 1024;
/// Number of instances that compare the two on a software rasterizer.
const COMPARED_INSTANCES_SOFTWARE: u32 = 24;
/// Interleaved rounds after the first, which clears fresh memory; the smallest time of each source counts.
const ROUNDS: usize = 4;
/// Factor by which a texture must be faster: at equal speed, a storage buffer needs no padding.
const MARGIN: f64 = 0.97;

/// Returns the faster source, measured on this adapter with the scene's first character. The measurement is short, for
/// interactive use. Techniques that read neither get [`AtlasSource::Storage`].
///
/// # Errors
/// [`GpuError`] if not even a small crowd can be drawn.
pub fn faster_source(gpu: &Gpu, scene: &Scene, options: RenderOptions) -> Result<AtlasSource, GpuError> {
    let DrawMethod { technique, format, .. } = options.method;
    let within_limits = source_within_limits(gpu, &scene.characters, technique, format);
    let reads = technique.facts().has_source();
    let (Some(first), true, AtlasSource::Storage) = (scene.characters.first(), reads, within_limits) else {
        return Ok(within_limits);
    };
    let mut config = Config::default();
    config.scene.layout = crate::config::Layout::Grid;
    config.scene.count = if gpu.facts.is_software() {
        COMPARED_INSTANCES_SOFTWARE
    } else {
        COMPARED_INSTANCES
    };
    let Ok(small) = Scene::populate(&config, vec![first.clone()]) else {
        return Ok(within_limits);
    };
    let open = |source| {
        let mut renderer = Renderer::new(
            gpu,
            RenderOptions {
                method: DrawMethod {
                    source,
                    ..options.method
                },
                samples: 1,
                path: DrawPath::Plain,
                raster: Raster::Hardware,
                ..options
            },
        )?;
        renderer.set_scene(&small)?;
        Ok::<_, GpuError>(renderer)
    };
    let mut contestants = [open(AtlasSource::Storage)?, open(AtlasSource::Texture)?];
    let [storage, texture] = race(gpu, &mut contestants, options.target);
    tracing::info!(
        "{}: {storage:.2} ms from storage, {texture:.2} ms from a texture",
        format.name()
    );
    Ok(if texture < storage * MARGIN {
        AtlasSource::Texture
    } else {
        AtlasSource::Storage
    })
}

/// Measures the smallest time from submit to idle of each source (ms), in turn.
fn race(gpu: &Gpu, contestants: &mut [Renderer; 2], format: wgpu::TextureFormat) -> [f64; 2] {
    let size = (64, 64);
    let usage = wgpu::TextureUsages::empty();
    let label = "source measurement";
    let view = whole_view(&target_texture(gpu, label, size, format, 1, usage), label);
    let input = far_view();
    let budget = TimingBudget {
        warm_up: 1,
        frames: ROUNDS..=ROUNDS,
        seconds: f64::INFINITY,
    };
    let samples = interleave(contestants.len(), &budget, |index, _| {
        Some(FrameTiming::draw(gpu, &mut contestants[index], &view, size, &input))
    });
    std::array::from_fn(|i| samples[i].wall_ms.iter().copied().fold(f64::INFINITY, f64::min))
}

/// Makes a view of everybody, a few pixels tall: vertex-bound.
fn far_view() -> FrameInput {
    let camera = Camera {
        eye: Vec3::new(0.0, 60.0, 60.0),
        target: Vec3::ZERO,
        fov: 1.0,
    };
    let look = LookConfig {
        shadows: false,
        ..LookConfig::default()
    };
    FrameInput::new(&camera, 1.0, Clock::from_seconds(1.0), &look)
}
