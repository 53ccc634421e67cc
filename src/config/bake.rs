//! `[bake]`: how clips become frames of the atlas.

use crate::{
    atlas::placement::DEFAULT_PERCENT,
    config::{Kind, section::section},
};

section! {
    /// `[bake]`.
    ["bake"] BakeConfig

    /// Rate of evenly spaced frames of baked clips. 0 places frames by the motion.
    rate: f32 = 0.0, Kind::Number(0.0, 240.0), "frames per second";

    /// Maximum error of any vertex at any time where the motion places frames.
    max_error: f32 = DEFAULT_PERCENT, Kind::Number(0.001, 100.0), "percent of the height";
}
