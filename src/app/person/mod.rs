//! One person of the crowd: picked with the pointer, inspected, taken over as a hero.

pub(crate) mod heroes;
pub(crate) mod inspect;
pub(crate) mod pick;
mod selected;
pub(crate) mod skeleton;
