//! Readers and writers of character files. Needs no adapter.

mod baked;
#[path = "../common/mod.rs"]
mod common;
mod edited;
mod features;
mod flat;
mod frame_times;
mod hostile;
mod import;
mod influences;
mod lod_cache;
mod lod_morphs;
mod lod_samples;
mod lods;
mod odd;
mod other_reader;
mod retarget;
mod tangent_import;
mod textures;
#[cfg(feature = "tracks")]
mod tracks;
mod validator;
