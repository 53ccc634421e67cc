//! From linear light, or what is told in its place, to what a display shows.

pub(crate) mod fxaa;
pub(crate) mod overdraw;
pub(crate) mod tonemap;
pub(crate) mod tonemap_pixels;
