//! How a point of a mesh looks in a judged picture: base colour and its texture under one sun and an even sky.

use glam::{Vec2, Vec3, Vec4};

use crate::{
    bake::skinning::Skinned,
    model::{AlphaMode, Image, Material, Mesh, Model, TextureRef, TextureWrap, Vertex},
};

/// Towards the sun, and its share; the rest comes from everywhere.
const SUN: Vec3 = Vec3::new(0.5, 0.7, 0.5);
const SUNLIGHT: f32 = 0.8;
const SKYLIGHT: f32 = 0.35;

/// Materials and textures of a model, ready to look up.
pub(super) struct Shader<'a> {
    materials: &'a [Material],
    images: Vec<(&'a Image, &'a [u8])>,
    linear: Vec<f32>,
    /// Back faces are drawn.
    pub is_two_sided: bool,
}

impl<'a> Shader<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self {
            materials: &model.materials,
            images: model.images.iter().map(|image| (image, &image.rgba[..])).collect(),
            linear: (0..=255).map(linear).collect(),
            is_two_sided: model.materials.iter().any(|m| m.double_sided),
        }
    }

    fn material(&self, mesh: &Mesh, triangle: &[u32; 3]) -> Option<&Material> {
        self.materials
            .get(usize::from(mesh.vertices[triangle[0] as usize].material))
    }

    /// Whether a triangle may have holes.
    pub(super) fn has_holes(&self, mesh: &Mesh, triangle: &[u32; 3]) -> bool {
        self.material(mesh, triangle)
            .is_some_and(|m| m.alpha != AlphaMode::Opaque)
    }

    /// Whether alpha leaves nothing of a point. What blends is there from one half.
    pub(super) fn is_hole(&self, mesh: &Mesh, triangle: &[u32; 3], shares: Vec3) -> bool {
        let Some(material) = self.material(mesh, triangle) else {
            return false;
        };
        let cutoff = match material.alpha {
            AlphaMode::Opaque => return false,
            AlphaMode::Mask(cutoff) => cutoff,
            AlphaMode::Blend => 0.5,
        };
        self.base_color(material, mesh, triangle, shares).w < cutoff
    }

    /// Linear colour of a point seen from `towards`.
    pub(super) fn shade(
        &self,
        (mesh, posed): (&Mesh, &[Skinned]),
        triangle: &[u32; 3],
        shares: Vec3,
        towards: Vec3,
    ) -> Vec3 {
        let Some(material) = self.material(mesh, triangle) else {
            return Vec3::ZERO;
        };
        let base = self.base_color(material, mesh, triangle, shares).truncate();
        if material.unlit {
            return base;
        }
        let [a, b, c] = triangle.map(|i| posed[i as usize].normal);
        let normal = (a * shares.x + b * shares.y + c * shares.z).normalize_or(towards);
        let side = if self.is_two_sided && normal.dot(towards) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let sun = (normal * side).dot(SUN.normalize()).max(0.0);
        base * (SKYLIGHT + SUNLIGHT * sun) + material.emissive
    }

    fn base_color(&self, material: &Material, mesh: &Mesh, triangle: &[u32; 3], shares: Vec3) -> Vec4 {
        let [a, b, c] = triangle.map(|i| &mesh.vertices[i as usize]);
        let color = a.color * shares.x + b.color * shares.y + c.color * shares.z;
        let color = material.base_color * color;
        let Some(texture) = material.base_color_texture else {
            return color;
        };
        let uv = |v: &Vertex| if texture.second { v.uv1 } else { v.uv };
        color * self.texel(texture, uv(a) * shares.x + uv(b) * shares.y + uv(c) * shares.z)
    }

    fn texel(&self, texture: TextureRef, uv: Vec2) -> Vec4 {
        let Some((image, rgba)) = self.images.get(texture.image as usize) else {
            return Vec4::ONE;
        };
        let x = place(uv.x, texture.wrap[0], image.width);
        let y = place(uv.y, texture.wrap[1], image.height);
        let at = 4 * (y * image.width as usize + x);
        let Some(texel) = rgba.get(at..at + 4) else {
            return Vec4::ONE;
        };
        let [r, g, b] = [0, 1, 2].map(|k| self.linear[usize::from(texel[k])]);
        Vec4::new(r, g, b, f32::from(texel[3]) / 255.0)
    }
}

/// Texel along one axis.
fn place(coordinate: f32, wrap: TextureWrap, size: u32) -> usize {
    let inside = match wrap {
        TextureWrap::Repeat => coordinate.rem_euclid(1.0),
        TextureWrap::Mirror => 1.0 - (coordinate.rem_euclid(2.0) - 1.0).abs(),
        TextureWrap::Clamp => coordinate.clamp(0.0, 1.0),
    };
    ((inside * size as f32) as usize).min(size.max(1) as usize - 1)
}

/// Light of an sRGB byte.
fn linear(byte: u16) -> f32 {
    let x = f32::from(byte) / 255.0;
    if x <= 0.04045 {
        x / 12.92
    } else {
        ((x + 0.055) / 1.055).powf(2.4)
    }
}
