//! The device and the few helpers that every pass shares. Knows nothing of crowds.

pub mod adapter;
mod context;
mod memory;
mod pipeline;
mod readback;
mod render_pipeline;
pub mod shader;
mod statistics;
mod timing;
pub mod uploads;

pub use adapter::{AdapterChoice, AdapterFacts};
pub use context::{Gpu, GpuError};
pub use memory::{Memory, MemorySource};
pub use pipeline::{Binding, bind_group_layout, buffer_with, compute_pipeline};
pub use readback::{read_buffer, read_texture_rgba8};
pub use render_pipeline::{RenderPipeline, target_texture};
pub use statistics::{Invocations, PassStatistics};
pub use timing::PassTimer;
pub use uploads::Uploads;
