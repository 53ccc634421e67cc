//! Everything that knows a file format: glTF in, baked characters in and out, atlases for other
//! engines, and files that appear whole or not at all.

pub mod baked;
mod error;
mod export;
mod glb;
pub mod gltf;
mod ktx2;
mod open;
#[cfg(feature = "bench")]
pub mod output;

pub use error::ModelError;
pub use export::{Export, ExportError, TooLarge, export};
pub use glb::{Glb, GlbTooLarge};
pub use open::{Opened, open, open_bytes, open_bytes_to_draw, open_to_draw};
