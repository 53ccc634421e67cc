//! Readers and writers of character files. Needs no adapter.

mod baked;
mod chosen_frames;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "draco")]
mod draco;
mod edited;
mod expressions;
#[cfg(feature = "fbx")]
mod fbx;
#[cfg(feature = "fbx")]
mod fbx_samples;
mod features;
mod flat;
mod frame_times;
mod hidden_parts;
mod hostile;
mod import;
mod influences;
mod lod_cache;
mod lod_morphs;
mod lod_samples;
mod lods;
mod names;
mod odd;
mod other_reader;
mod pointer;
mod rest;
mod retarget;
mod tangent_import;
mod textures;
#[cfg(feature = "tracks")]
mod track_flow;
#[cfg(feature = "tracks")]
mod tracks;
mod validator;
mod variants;
mod vrm;
