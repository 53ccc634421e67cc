//! What the sections of the panel are made of.

pub(super) mod icons;
pub(super) mod mark;
pub(super) mod plot;
pub(in crate::app) mod style;
