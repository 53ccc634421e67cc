//! Animation atlas: the encoded palettes of one character, ready to upload.
//!
//! Matrix `m = frame * slot_count + slot` is a record of [`AtlasFormat::matrix_bytes`], such as three texels (rows of a
//! 3x4 matrix). Matrices are relative to the character's
//! [`UnitSpace`](crate::model::UnitSpace).

pub mod baked_vertex;
mod decode;
mod encode;
mod format;
pub mod format_fitness;
pub mod info;
pub mod placement;
pub mod solve;
pub mod unit;
pub mod verify;

pub use baked_vertex::VertexAtlas;
pub use decode::EncodeError;
pub use format::{Atlas, AtlasFormat, FormatFacts, Texel};
pub use info::Info;
pub use placement::FramePlacement;
pub use verify::{VerifyOptions, verify, verify_atlases};
