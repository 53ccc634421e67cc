//! Errors of the GPU layer.

/// Reason why something cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// Neither Vulkan, DX12, Metal nor GL answered.
    #[error(
        "no graphics adapter found: install a Vulkan or OpenGL driver (on Debian or Ubuntu, apt install \
         mesa-vulkan-drivers, which includes a CPU rasteriser)"
    )]
    NoAdapter,
    /// Adapters exist, but none matches the choice.
    #[error("no adapter matches --adapter {wanted}; available: {present}")]
    NoSuchAdapter {
        /// Requested adapter.
        wanted: String,
        /// Comma-separated names.
        present: String,
    },
    /// No matching adapter could be opened.
    #[error("cannot open the adapter {name}: {reason}")]
    Device {
        /// Adapter.
        name: String,
        /// Message of the driver or of wgpu.
        reason: String,
    },
    /// A resource exceeds a limit of the device.
    #[error("{what} needs {needed} bytes, but {name} allows {limit} ({limit_name}); {hint}")]
    TooLarge {
        /// Resource to upload.
        what: String,
        /// Bytes.
        needed: u64,
        /// Adapter.
        name: String,
        /// Bytes.
        limit: u64,
        /// Name of the limit in wgpu.
        limit_name: &'static str,
        /// Options that would fit.
        hint: String,
    },
    /// Instances of a character follow the rows of actors.
    #[error("character {character} holds actors: spawn and change them by their handle")]
    Actors {
        /// Number of the character.
        character: usize,
    },
    /// A resource does not fit into the adapter's memory, or the device cannot make it.
    #[error("{what} does not fit on {name} ({reason}); {hint}")]
    Memory {
        /// Resource that was to be made.
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
        "{name} cannot count pixels per person (its fragment shaders cannot write buffers); choose another one with --adapter"
    )]
    NoFragmentWrites {
        /// Adapter.
        name: String,
    },
    /// People cover pixels outside the boxes of their clips: a bug in throng.
    #[error(
        "{pixels} pixels of people lie outside the bounds of their clips, so that amodal masks are wrong: please report this bug"
    )]
    OutsideBox {
        /// Number of such pixels.
        pixels: u32,
    },
    /// A shader did not compile: a bug in throng.
    #[error("shader {pass}: {reason}")]
    Shader {
        /// File name without extension.
        pass: String,
        /// Message of the compiler.
        reason: String,
    },
    /// A buffer could not be read back.
    #[error("cannot read back results from the GPU: {0}")]
    Readback(String),
    /// The device was lost, with all its resources.
    #[error("the device {name} was lost (its driver was reset, or the card is gone)")]
    Lost {
        /// Adapter.
        name: String,
    },
    /// The device rejected a call.
    #[error("the device {name} rejected the picture: {reason}")]
    Rejected {
        /// Adapter.
        name: String,
        /// Device's words.
        reason: String,
    },
}
