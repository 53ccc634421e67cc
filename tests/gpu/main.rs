//! What the adapter computes and draws, compared with the CPU's reference; and the shaders as text.

mod account;
mod accuracy;
#[path = "../common/mod.rs"]
mod common;
mod crowd_renderer;
mod culling;
mod culling_pictures;
mod difference;
mod embed;
mod events;
mod fade;
mod film;
mod flat;
mod frame_times;
mod fxaa;
mod gpu_vs_cpu;
mod hero_scenes;
mod heroes;
mod influences;
mod labels;
mod march;
mod materials;
mod pick;
mod props;
mod radiance;
mod raster;
mod raster_devices;
mod raster_sun;
mod sampling;
mod schedule;
mod shader_constants;
mod shader_mirrors;
mod shader_reload;
mod shaders;
mod tangents;
mod techniques;
