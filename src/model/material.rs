//! Surface appearance: what the shading needs, nothing else.

use glam::{Vec3, Vec4};

/// Which of an instance's tint colours replaces a material's own hue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TintRegion {
    /// Never tinted (eyes, metal).
    #[default]
    None,
    /// Skin tones.
    Skin,
    /// Hair colours.
    Hair,
    /// Main garment.
    Cloth,
    /// Second garment, shoes, belts.
    Trim,
    /// Foreign characters without regions: a gentle overall variation.
    Whole,
}

/// How alpha is treated (glTF 2.0, section 3.9.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Ignored.
    #[default]
    Opaque,
    /// Discarded below the cutoff.
    Mask(f32),
    /// Drawn as ordered coverage (dither), so that a crowd needs no sorting.
    Blend,
}

/// A texture of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureRef {
    /// Index into `Model::images`.
    pub image: u32,
}

/// Surface parameters of glTF's metallic-roughness model.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the file.
    pub name: String,
    /// Linear RGBA, 0..=1.
    pub base_color: Vec4,
    /// Multiplies `base_color`; sRGB image.
    pub base_color_texture: Option<TextureRef>,
    /// 0..=1.
    pub metallic: f32,
    /// 0..=1.
    pub roughness: f32,
    /// Linear, may exceed 1.
    pub emissive: Vec3,
    /// KHR_materials_unlit: base colour only.
    pub unlit: bool,
    /// Back faces are drawn with flipped normals.
    pub double_sided: bool,
    /// Treatment of alpha.
    pub alpha: AlphaMode,
    /// Tint behaviour.
    pub tint: TintRegion,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: "default".into(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 0.0,
            roughness: 0.8,
            emissive: Vec3::ZERO,
            unlit: false,
            double_sided: false,
            alpha: AlphaMode::Opaque,
            tint: TintRegion::None,
        }
    }
}

/// A decoded image, RGBA8, rows top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Name or file name, for messages.
    pub name: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
}
