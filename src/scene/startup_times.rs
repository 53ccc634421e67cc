//! What the first picture waits for.

use serde::{Deserialize, Serialize};

/// Milliseconds from process start to the first picture, by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StartupTimes {
    /// Opening the adapter.
    pub device: f64,
    /// Reading characters.
    pub import: f64,
    /// Sampling clips into palettes.
    pub bake: f64,
    /// Making levels of detail of raw files, or finding those made before.
    pub levels: f64,
    /// Placing the crowd.
    pub crowd: f64,
    /// Encoding and sending atlases, meshes, instances.
    pub upload: f64,
    /// Compiling shaders.
    pub pipelines: f64,
    /// All of it, the first frame included.
    pub total: f64,
}
