//! Materials: the surface parameters that shading needs.

use glam::{Vec3, Vec4};

use crate::model::LazyList;

/// Tint region of a material: selects the instance's tint colour.
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
    /// Characters without regions: a faint tint of the whole body.
    Whole,
}

/// Material variants that an instance can have: see [`Material::tints`].
pub const MATERIAL_VARIANTS: usize = 8;

/// Alpha mode (glTF 2.0, section 3.9.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Ignored.
    #[default]
    Opaque,
    /// Discarded below the cutoff.
    Mask(f32),
    /// Dithered coverage: a crowd needs no sorting (order-independent).
    Blend,
}

/// Wrap mode of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// Repeats.
    #[default]
    Repeat,
    /// Repeats, mirrored every other time.
    Mirror,
    /// Clamps to the edge texels.
    Clamp,
}

/// A texture of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureRef {
    /// Index into `Model::images`.
    pub image: u32,
    /// True if it uses [`Vertex::uv1`](super::Vertex::uv1) instead of the first coordinates.
    pub second: bool,
    /// Wrap modes along u and v.
    pub wrap: [TextureWrap; 2],
    /// Nearest filter on magnification: texels keep hard edges.
    pub nearest: bool,
}

impl TextureRef {
    /// True if the texture repeats along both axes and filters linearly.
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
    /// Base colour, linear RGBA, 0..=1.
    pub base_color: Vec4,
    /// Base colour texture, multiplies `base_color`; sRGB.
    pub base_color_texture: Option<TextureRef>,
    /// 0..=1.
    pub metallic: f32,
    /// 0..=1.
    pub roughness: f32,
    /// Multiplies `roughness` by its green and `metallic` by its blue channel; linear.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Normal map in tangent space, x right and y up in the image; linear.
    pub normal_texture: Option<TextureRef>,
    /// Scale of x and y of `normal_texture`; any sign.
    pub normal_scale: f32,
    /// Ambient occlusion in the red channel; linear.
    pub occlusion_texture: Option<TextureRef>,
    /// 0 ignores `occlusion_texture`, 1 applies it fully.
    pub occlusion_strength: f32,
    /// Emissive colour, linear; may exceed 1.
    pub emissive: Vec3,
    /// Emissive texture, multiplies `emissive`; sRGB.
    pub emissive_texture: Option<TextureRef>,
    /// KHR_materials_unlit: base colour only.
    pub unlit: bool,
    /// Draws back faces with flipped normals.
    pub double_sided: bool,
    /// Alpha mode.
    pub alpha: AlphaMode,
    /// Tint region per material variant of an instance: a sleeve in one variant is bare skin in another.
    pub tints: [TintRegion; MATERIAL_VARIANTS],
    /// Vertex colours hold ambient occlusion: their brightest channel scales the ambient light.
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
    /// True if roughness, metalness, occlusion or emission have a texture.
    #[must_use]
    pub fn has_surface_maps(&self) -> bool {
        self.metallic_roughness_texture.is_some() || self.occlusion_texture.is_some() || self.emissive_texture.is_some()
    }

    /// Textures with their kinds, in the order in which they claim the first texture coordinates.
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
    /// Ambient occlusion in red.
    Occlusion,
    /// Emissive colour, sRGB.
    Emissive,
}

impl TextureKind {
    /// Display name.
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
    /// Pixels, `width * height * 4` bytes; empty if the image turns out to be damaged.
    pub rgba: LazyList<u8>,
}
