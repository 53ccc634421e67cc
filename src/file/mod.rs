//! Everything that knows a file format: glTF in, baked characters in and out, atlases for other
//! engines, and files that appear whole or not at all.

pub mod baked;
mod error;
mod export;
mod glb;
pub mod gltf;
mod ktx2;
pub mod output;

pub use error::ModelError;
pub use export::{Export, ExportError, TooLarge, export};
pub use glb::{Glb, GlbTooLarge};
