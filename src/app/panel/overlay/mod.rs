//! What is drawn over the picture.

pub(super) mod curve;
pub(super) mod heat;
pub(super) mod joints;
pub(super) mod sides;
