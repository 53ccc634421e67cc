//! Surface appearance: what the shading needs, nothing else.

use glam::{Vec3, Vec4};

use crate::model::Later;

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

/// Dresses that an instance can be in: see [`Material::tints`].
pub const MATERIAL_VARIANTS: usize = 8;

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

/// How a texture goes on past its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// From its other end.
    #[default]
    Repeat,
    /// Backwards, and so on.
    Mirror,
    /// With the texels of its edge.
    Clamp,
}

/// A texture of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureRef {
    /// Index into `Model::images`.
    pub image: u32,
    /// Found with [`Vertex::uv1`](super::Vertex::uv1) instead of the first coordinates.
    pub second: bool,
    /// Along u and along v.
    pub wrap: [TextureWrap; 2],
    /// Magnified texels keep their hard edges.
    pub nearest: bool,
}

impl TextureRef {
    /// True where the texture repeats both ways and its texels blend.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.wrap == [TextureWrap::Repeat; 2] && !self.nearest
    }
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
    /// Multiplies `roughness` by its green and `metallic` by its blue channel; linear image.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals, x right and y up in the image; linear image.
    pub normal_texture: Option<TextureRef>,
    /// Multiplies x and y of the normals of `normal_texture`; any sign.
    pub normal_scale: f32,
    /// Share of the ambient light that arrives, in the red channel; linear image.
    pub occlusion_texture: Option<TextureRef>,
    /// 0 ignores `occlusion_texture`, 1 applies it fully.
    pub occlusion_strength: f32,
    /// Linear, may exceed 1.
    pub emissive: Vec3,
    /// Multiplies `emissive`; sRGB image.
    pub emissive_texture: Option<TextureRef>,
    /// KHR_materials_unlit: base colour only.
    pub unlit: bool,
    /// Back faces are drawn with flipped normals.
    pub double_sided: bool,
    /// Treatment of alpha.
    pub alpha: AlphaMode,
    /// Tint regions by material variant of an instance: a sleeve in one variant is bare skin in another.
    pub tints: [TintRegion; MATERIAL_VARIANTS],
    /// Vertex colours hold ambient occlusion: their brightest channel scales the ambient light, too.
    pub color_occludes: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: "default".into(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 0.0,
            roughness: 0.8,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            unlit: false,
            double_sided: false,
            alpha: AlphaMode::Opaque,
            tints: [TintRegion::None; MATERIAL_VARIANTS],
            color_occludes: false,
        }
    }
}

impl Material {
    /// True where roughness, metalness, occlusion or emission vary over the surface.
    #[must_use]
    pub fn has_surface_maps(&self) -> bool {
        self.metallic_roughness_texture.is_some() || self.occlusion_texture.is_some() || self.emissive_texture.is_some()
    }

    /// Every texture with what it is, in the order in which they claim the first texture
    /// coordinates.
    pub fn textures(&self) -> impl Iterator<Item = (TextureKind, TextureRef)> {
        let all = [
            (TextureKind::BaseColor, self.base_color_texture),
            (TextureKind::Normal, self.normal_texture),
            (TextureKind::MetallicRoughness, self.metallic_roughness_texture),
            (TextureKind::Occlusion, self.occlusion_texture),
            (TextureKind::Emissive, self.emissive_texture),
        ];
        all.into_iter().filter_map(|(kind, texture)| Some((kind, texture?)))
    }
}

/// Use of a texture in a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextureKind {
    /// sRGB colour, and alpha.
    BaseColor,
    /// Tangent-space normals.
    Normal,
    /// Roughness in green, metalness in blue.
    MetallicRoughness,
    /// Share of ambient light that arrives, in red.
    Occlusion,
    /// sRGB colour of the light that it emits.
    Emissive,
}

impl TextureKind {
    /// Name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BaseColor => "base colour",
            Self::Normal => "normal",
            Self::MetallicRoughness => "metallic-roughness",
            Self::Occlusion => "occlusion",
            Self::Emissive => "emissive",
        }
    }
}

impl std::fmt::Display for TextureKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
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
    /// `width * height * 4` bytes; an image that turns out to be damaged has none.
    pub rgba: Later<u8>,
}
