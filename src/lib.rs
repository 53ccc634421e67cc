//! Bake skeletal animation into matrix-texture atlases and draw huge crowds from them.
//!
//! # The layers, lowest first
//!
//! Each layer uses only those above it in the table.
//!
//! | module | does |
//! |---|---|
//! | [`model`] | a character as plain data: skeleton, clips, mesh, materials |
//! | [`bake`] | samples clips into palettes of matrices; the CPU's reference for skinning |
//! | [`atlas`] | encodes palettes into bytes that a shader reads |
//! | [`mod@file`] | file formats: glTF in, baked files in and out |
//! | [`character`] | a character ready to draw, from its file |
//! | [`crowd`] | placement and behaviour of people, as pure functions of seed, index and time |
//! | [`view`] | cameras |
//! | [`config`] | settings with their ranges |
//! | [`scene`] | a crowd from settings: layouts, scenery, attachments |
//! | [`gpu`] | a device, a host's or our own |
//! | [`render`] | passes: [`render::CrowdRenderer`] for any host's targets, [`render::Renderer`] for a whole picture |
//! | [`measure`] | measurement of time and error |
//!
//! With features `film` and `labels`: [`film`] (rendered frames by number), [`aov`] (arbitrary output variables: ids,
//! depth, normals, motion), [`label`] (labels of people in a picture) and [`dataset`] (sets of labelled pictures).
//!
//! The program's own layers build on these: `app`, `bench` and `cli`. With feature `render` alone, without default
//! features, they and their dependencies (winit, egui, clap and more) are left out.
//!
//! # A character
//!
//! ```
//! use throng::{Character, bake::BakeOptions, file, scene::embedded::embedded};
//!
//! let bytes = embedded("man").ok_or("comes with the library")?;
//! let opened = file::open_bytes("man", bytes, None)?;
//! let man = Character::from_opened(opened, &BakeOptions { rate: 10.0 })?;
//! assert!(man.palettes.clips.iter().any(|clip| clip.name == "walk"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files open with [`Character::open`].
//!
//! # A crowd in another renderer
//!
//! A host has its own device ([`gpu::Gpu::from_device`]), encoder, pass, colour and depth. The crowd draws into them,
//! among the host's other draws. `examples/embed.rs` is a whole program.
//!
//! ```
//! use throng::{
//!     Character,
//!     bake::BakeOptions,
//!     crowd::{Clock, Instance},
//!     file,
//!     gpu::{AdapterChoice, Gpu, encoder},
//!     render::{CrowdRenderer, DepthTarget, Targets, View},
//!     scene::embedded::embedded,
//! };
//!
//! # let bytes = embedded("man").ok_or("comes with the library")?;
//! # let man = Character::from_opened(file::open_bytes("man", bytes, None)?, &BakeOptions { rate: 10.0 })?;
//! let gpu = match Gpu::headless(&AdapterChoice::Auto) {
//!     Ok(opened) => Gpu::from_device(opened.device, opened.queue),
//!     Err(error) => {
//!         eprintln!("SKIPPED: {error}");
//!         return Ok(());
//!     }
//! };
//! let targets = Targets {
//!     color: wgpu::TextureFormat::Rgba16Float,
//!     depth: DepthTarget::reversed(wgpu::TextureFormat::Depth32Float),
//!     samples: 1,
//! };
//! let mut crowd = CrowdRenderer::new(&gpu, targets)?;
//! let man = crowd.add_character(man)?;
//! // A start is a share of the clip: these two are half a cycle apart at any bake rate.
//! let pair = [0.0, 0.5].map(|start| Instance::new(glam::Vec3::X * start).with_clip(0, 1.0, start));
//! crowd.set_instances(man, &pair)?;
//!
//! let mut encoder = encoder(&gpu, "frame");
//! let view = View::new(glam::Mat4::IDENTITY, glam::Vec3::Z);
//! crowd.prepare(&mut encoder, &view, Clock::from_seconds(1.5));
//! // In the host's pass: crowd.draw(&mut pass);
//! gpu.queue.submit([encoder.finish()]);
//! assert_eq!(crowd.counts().instances, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In a browser
//!
//! With feature `render` the library compiles for `wasm32-unknown-unknown`, and draws through WebGPU.
//! [`gpu::Gpu::open_async`] opens a device; nothing there may wait, so that [`gpu::Gpu::check`] reports errors of resources
//! in later frames. `web/` is a whole page.

// Here instead of Cargo.toml: in test binaries every `pub` of a shared module is unreachable.
#![warn(unreachable_pub)]

/// A struct that a shader shares with Rust, as build.rs writes it from the shader.
macro_rules! shader_struct {
    ($name:ident) => {
        include!(concat!(
            env!("OUT_DIR"),
            "/shader_structs/",
            stringify!($name),
            ".rs"
        ));
    };
}

#[cfg(feature = "labels")]
pub mod aov;
#[cfg(feature = "app")]
pub mod app;
pub mod atlas;
pub mod bake;
#[cfg(feature = "bench")]
pub mod bench;
pub mod character;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod console;
pub mod crowd;
#[cfg(feature = "labels")]
pub mod dataset;
pub mod file;
#[cfg(feature = "film")]
pub mod film;
pub mod gpu;
#[cfg(feature = "labels")]
pub mod label;
pub mod measure;
pub mod model;
pub mod render;
pub mod report;
pub mod scene;
#[cfg(feature = "tracks")]
pub mod tracks;
pub mod view;

pub use character::Character;
/// The version of glam whose vectors and matrices the library takes, for hosts with another one.
pub use glam;
