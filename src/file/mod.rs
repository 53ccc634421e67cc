//! File formats: imports glTF, reads and writes baked characters, exports atlases for other engines, and writes files
//! whole or not at all.

mod animations;
pub mod baked;
mod character_path;
mod chosen_frames;
mod error;
mod export;
#[cfg(feature = "labels")]
pub mod exr;
#[cfg(feature = "fbx")]
pub mod fbx;
mod find;
mod glb;
pub mod gltf;
mod importer;
mod ktx2;
mod lod_cache;
mod lod_morphs;
mod lods;
mod open;
#[cfg(any(feature = "app", feature = "bench", feature = "film"))]
pub mod output;
mod raw_extension;

pub use animations::{Animations, open_joint_map, open_library, open_library_bytes};
pub use character_path::{ALL_VARIANTS, CharacterPath, UnknownVariant, variants_of, with_variant, with_variants};
pub use chosen_frames::{EXTENSION as CHOSEN_FRAMES_EXTENSION, add_chosen_frames};
pub use error::ModelError;
pub use export::{Export, ExportError, TooLarge, export};
pub use find::{FileContents, FolderFiles, characters_in, contents_of, is_character};
pub use glb::{Glb, GlbTooLarge};
pub(crate) use gltf::NO_CLIPS;
pub use gltf::allow_files_below;
pub use importer::{IMPORTERS, Importer, Source, Use, extensions, extensions_text, importer_of};
pub use lod_cache::{FOLDER_VARIABLE as CACHE_FOLDER_VARIABLE, LodCache};
pub use lods::{EXTENSION as LODS_EXTENSION, add_lods};
pub use open::{
    OpenedFile, open, open_bytes, open_bytes_to_animate, open_bytes_to_draw, open_to_animate, open_to_draw,
};
