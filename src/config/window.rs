//! `[window]`.

use crate::config::{Kind, keys::integer, limits, section::section};

section! {
    /// `[window]`.
    ["window"] WindowConfig

    /// Width of the window, and of pictures.
    width: u32 = 1600, integer(&limits::EDGE), "pixels";

    /// Height of the window, and of pictures.
    height: u32 = 900, integer(&limits::EDGE), "pixels";

    /// Synchronisation with the display.
    vsync: bool = true, Kind::Bool, "";

    /// Panel at startup.
    panel: bool = true, Kind::Bool, "";
}
