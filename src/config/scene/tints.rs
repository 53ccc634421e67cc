//! `[scene.tints]`: colours from which each instance draws one per region.

use crate::config::{Kind, section::section};

section! {
    /// `[scene.tints]`: colours from which each instance draws one per region. A group of a scene may have its own.
    ["scene.tints"] TintConfig

    /// Skin tones.
    skin: Vec<String> = Vec::new(), Kind::Colours, "";

    /// Hair colours.
    hair: Vec<String> = Vec::new(), Kind::Colours, "";

    /// Main garment.
    cloth: Vec<String> = Vec::new(), Kind::Colours, "";

    /// Second garment, shoes, belts.
    trim: Vec<String> = Vec::new(), Kind::Colours, "";
}
