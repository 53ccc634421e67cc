//! Passes that turn linear light, or values in its place, into display values.

pub(crate) mod fxaa;
pub(crate) mod overdraw;
pub(crate) mod tonemap;
pub(crate) mod tonemap_pixels;
