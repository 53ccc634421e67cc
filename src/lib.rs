//! Bake skeletal animation into matrix-texture atlases and draw huge crowds from them.
//!
//! Layers, lowest first: [`model`] → [`bake`] → [`atlas`] → [`mod@file`] → [`character`] → [`crowd`] →
//! [`view`] → [`config`] → [`scene`] → [`gpu`] → [`render`] → [`measure`] → front-ends ([`app`],
//! [`mod@bench`], [`cli`]).

// Here and not in Cargo.toml: in test binaries every `pub` of a shared module is unreachable.
#![warn(unreachable_pub)]

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
pub mod file;
pub mod gpu;
#[cfg(feature = "bench")]
pub mod measure;
pub mod model;
pub mod render;
pub mod scene;
pub mod view;

pub use character::Character;
