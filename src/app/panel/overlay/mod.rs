//! Overlays drawn over the picture.

pub(super) mod annotations;
pub(super) mod curve;
pub(super) mod frame;
pub(super) mod heat;
pub(super) mod joints;
pub(super) mod keys;
pub(super) mod sides;
pub(super) mod timeline;
pub(super) mod way;
