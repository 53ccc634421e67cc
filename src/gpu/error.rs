//! What keeps a GPU from drawing.

/// Why nothing can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// Neither Vulkan, DX12, Metal nor GL answered.
    #[error(
        "no graphics adapter found: install a Vulkan or OpenGL driver (on Debian or Ubuntu, apt install \
         mesa-vulkan-drivers, which includes a CPU rasteriser)"
    )]
    NoAdapter,
    /// Adapters exist, but none matches.
    #[error("no adapter matches --adapter {wanted}; available: {present}")]
    NoSuchAdapter {
        /// The choice.
        wanted: String,
        /// Comma-separated names.
        present: String,
    },
    /// Every candidate refused.
    #[error("cannot open the adapter {name}: {reason}")]
    Device {
        /// Adapter.
        name: String,
        /// Driver's or wgpu's words.
        reason: String,
    },
    /// Something does not fit.
    #[error("{what} needs {needed} bytes, but {name} allows {limit} ({limit_name}); {hint}")]
    TooLarge {
        /// Thing to upload.
        what: String,
        /// Bytes.
        needed: u64,
        /// Adapter.
        name: String,
        /// Bytes.
        limit: u64,
        /// wgpu's name of the limit.
        limit_name: &'static str,
        /// Options that would fit.
        hint: String,
    },
    /// Something does not fit into the adapter's memory, or is beyond what it makes.
    #[error("{what} does not fit on {name} ({reason}); {hint}")]
    Memory {
        /// Thing that was to be made.
        what: String,
        /// Adapter.
        name: String,
        /// Device's words.
        reason: String,
        /// Options that would fit.
        hint: String,
    },
    /// Fragment shaders cannot write to buffers.
    #[error(
        "{name} cannot count the pixels of single people (its fragment shaders write no buffers); use --adapter with another"
    )]
    NoFragmentWrites {
        /// Adapter.
        name: String,
    },
    /// People cover pixels outside the boxes of their clips: a defect of throng.
    #[error(
        "{pixels} pixels of people lie outside the boxes of their clips, so that nobody's pixels are known: please report it"
    )]
    OutsideBox {
        /// How many.
        pixels: u32,
    },
    /// A shader did not compile: a defect of throng.
    #[error("shader {pass}: {reason}")]
    Shader {
        /// File name without extension.
        pass: String,
        /// Compiler's words.
        reason: String,
    },
    /// A buffer could not be read back.
    #[error("cannot read back results from the GPU: {0}")]
    Readback(String),
    /// The device is gone, with all that was on it.
    #[error("the device {name} was lost (its driver was reset, or the card is gone)")]
    Lost {
        /// Adapter.
        name: String,
    },
    /// The device refused something that it was told to do.
    #[error("the device {name} rejected the picture: {reason}")]
    Rejected {
        /// Adapter.
        name: String,
        /// Device's words.
        reason: String,
    },
}
