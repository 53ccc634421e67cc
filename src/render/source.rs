//! Texture or storage buffer: which of the two the shader should read animation data from.

use std::{sync::Arc, time::Instant};

use glam::{Mat4, Vec3};

use crate::{
    atlas::AtlasFormat,
    character::Character,
    config::{Config, Technique},
    crowd::clock::Clock,
    gpu::{Gpu, GpuError, target_texture, whole_view},
    render::{
        FrameInput, RenderOptions, Renderer,
        resources::{AtlasSource, animation_bytes},
    },
    scene::{Scene, milliseconds},
};

/// Instances drawn to compare the two on a GPU; a few milliseconds.
const COMPARED_INSTANCES: u32 = 1024;
/// The same on a software rasteriser.
const COMPARED_INSTANCES_SOFTWARE: u32 = 24;
/// Interleaved repeats; the smallest time of each counts.
const REPEATS: usize = 4;
/// The texture path must be faster by this factor: between equals, the storage path needs no
/// padding.
const MARGIN: f64 = 0.97;

/// Storage, unless a character's animation data exceeds what a storage buffer may hold. Always the
/// same for the same scene and adapter: pictures that must be reproducible use this.
#[must_use]
pub fn fitting_source(
    gpu: &Gpu,
    characters: &[Arc<Character>],
    technique: Technique,
    format: AtlasFormat,
) -> AtlasSource {
    let limit = gpu
        .limits
        .max_storage_buffer_binding_size
        .min(gpu.limits.max_buffer_size);
    let fits = |c: &Arc<Character>| animation_bytes(c, technique, format) <= limit;
    if characters.iter().all(fits) {
        AtlasSource::Storage
    } else {
        AtlasSource::Texture
    }
}

/// The faster of the two, measured on this adapter with the scene's first character; a short
/// measurement for interactive use. Techniques that read neither get [`AtlasSource::Storage`].
///
/// # Errors
/// [`GpuError`] where not even a small crowd can be drawn.
pub fn faster_source(gpu: &Gpu, scene: &Scene, options: RenderOptions) -> Result<AtlasSource, GpuError> {
    let RenderOptions { technique, format, .. } = options;
    let fitting = fitting_source(gpu, &scene.characters, technique, format);
    let reads = matches!(technique, Technique::Matrix | Technique::Vertex);
    let (Some(first), true, AtlasSource::Storage) = (scene.characters.first(), reads, fitting) else {
        return Ok(fitting);
    };
    let mut config = Config::default();
    config.scene.layout = crate::config::Layout::Grid;
    config.scene.count = if gpu.facts.is_software() {
        COMPARED_INSTANCES_SOFTWARE
    } else {
        COMPARED_INSTANCES
    };
    let Ok(small) = Scene::populate(&config, vec![first.clone()]) else {
        return Ok(fitting);
    };
    let open = |source| {
        let mut renderer = Renderer::new(
            gpu,
            RenderOptions {
                source,
                samples: 1,
                ..options
            },
        )?;
        renderer.set_scene(gpu, &small)?;
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

/// Smallest submit-to-idle milliseconds of each, drawn in turns.
fn race(gpu: &Gpu, contestants: &mut [Renderer; 2], format: wgpu::TextureFormat) -> [f64; 2] {
    let size = (64, 64);
    let label = "source measurement";
    let target = target_texture(gpu, label, size, (format, 1), wgpu::TextureUsages::empty());
    let view = whole_view(&target, label);
    let input = far_view();
    let mut best = [f64::INFINITY; 2];
    for repeat in 0..=REPEATS {
        for (renderer, best) in contestants.iter_mut().zip(&mut best) {
            let start = Instant::now();
            renderer.draw(gpu, &view, size, &input);
            gpu.wait_idle();
            // The first round clears fresh memory.
            if repeat > 0 {
                *best = best.min(milliseconds(start));
            }
        }
    }
    best
}

/// Everybody in view, a few pixels tall: vertices are what is measured.
fn far_view() -> FrameInput {
    use glam::camera::rh;
    let eye = Vec3::new(0.0, 60.0, 60.0);
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(1.0, 1.0, 0.1);
    FrameInput {
        projection_from_world: projection * rh::view::look_at_mat4(eye, Vec3::ZERO, Vec3::Y),
        eye,
        focus: Vec3::ZERO,
        clock: Clock::from_seconds(1.0),
        look: crate::config::LookConfig {
            shadows: false,
            ..Default::default()
        },
        interpolate: true,
    }
}
