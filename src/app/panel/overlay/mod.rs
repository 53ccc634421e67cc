//! What is drawn over the picture.

pub(super) mod joints;
pub(super) mod keys;
pub(super) mod sides;
pub(super) mod way;
