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
mod level_cache;
mod level_morphs;
mod level_samples;
mod levels;
mod odd;
mod other_reader;
mod retarget;
mod tangent_import;
mod textures;
mod validator;
