//! From linear light to what a display shows.

pub(crate) mod fxaa;
pub(crate) mod tonemap;
pub(crate) mod tonemap_pixels;
