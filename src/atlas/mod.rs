//! Encoded palettes, ready to upload: the animation atlas of one character.
//!
//! Matrix `m = frame * slot_count + slot` takes three texels (rows of a 3x4 matrix), or one
//! 16-byte record in [`AtlasFormat::Trs16`]. Matrices are relative to the character's
//! [`UnitSpace`](crate::model::UnitSpace).

pub mod caution;
mod decode;
mod encode;
mod export;
pub mod file;
mod file_json;
mod format;
pub mod info;
mod info_text;
mod ktx2;
pub mod report;
pub mod solve;
mod spread;
mod trs;
pub mod unit;
pub mod verify;
pub mod vertex;

pub use decode::EncodeError;
pub use export::{Export, ExportError, TooLarge, export};
pub use format::{Atlas, AtlasFormat};
pub use info::Info;
pub use report::Report;
pub use verify::{VerifyOptions, verify, verify_atlases};
pub use vertex::VertexAtlas;
