//! What the first picture waits for. Parts that do not need each other run at the same time: `device` and `pipelines`
//! beside `import`, `bake` and `crowd`.

use serde::{Deserialize, Serialize};

/// Milliseconds from process start to the first picture, by part; parts overlap, so that their sum is more than
/// `total`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StartupTimes {
    /// Opening the adapter.
    pub device: f64,
    /// Reading characters.
    pub import: f64,
    /// Sampling clips into palettes.
    pub bake: f64,
    /// Making LODs of raw files, or finding those made before.
    #[serde(alias = "levels")]
    pub lods: f64,
    /// Placing the crowd.
    pub crowd: f64,
    /// Encoding and sending atlases, meshes, instances, and compiling the shaders that they need.
    pub upload: f64,
    /// Compiling the shaders that every scene needs.
    pub pipelines: f64,
    /// All of it by the clock, the first frame included.
    pub total: f64,
}
