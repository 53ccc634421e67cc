//! GPU device and the helpers that all passes share: adapters, pipelines, shaders, uploads, readback, timing. It knows
//! nothing of crowds.

pub mod adapter;
mod conditions;
mod context;
mod error;
mod error_scope;
mod foreign_module;
mod memory;
mod open;
mod pipeline;
mod pipeline_cache;
mod readback;
mod render_pipeline;
mod run_parallel;
#[cfg(not(target_arch = "wasm32"))]
mod search;
pub mod shader;
#[cfg(debug_assertions)]
mod shader_watch;
mod staging;
mod statistics;
mod timing;
pub mod uploads;

pub use adapter::{AdapterChoice, AdapterFacts, AdapterKind, Backend, ListedAdapter};
pub use context::Gpu;
pub use error::GpuError;
pub use memory::{GpuMemory, MemorySource};
pub use pipeline::{
    Binding, bind_group_layout, buffer_with, compute_pass, compute_pipeline, compute_pipeline_from, encoder,
    pipeline_layout, whole_view,
};
pub use readback::{
    PICTURE_FORMAT, PICTURE_USAGES, PendingBytes, PendingPicture, read_buffer, read_texture, read_texture_rgba8,
};
pub use render_pipeline::{RenderPipeline, target_texture};
pub use run_parallel::ParallelTasks;
pub use shader::ShaderSources;
#[cfg(debug_assertions)]
pub use shader_watch::ShaderWatch;
pub use staging::Staging;
pub use statistics::{Invocations, PassStatistics};
pub use timing::PassTimer;
pub use uploads::Uploads;
