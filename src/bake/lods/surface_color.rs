//! Shading of surface points in pictures that evaluate LODs: base colour and texture under one sun and a sky that is
//! brighter above than below. Occlusion in vertex colours darkens the sky's light; specular reflections of sun and sky
//! are added. It follows shaders/shared/light.wgsl in the late morning of render/daylight.rs, without shadows and in
//! grey.

use std::{
    borrow::Cow,
    f32::consts::TAU,
    ops::{Add, Mul},
};

use glam::{Vec2, Vec3, Vec4};

use crate::{
    bake::lods::{
        highlight::{Highlights, dot, highlight, sum_of_products},
        raster::PosedMesh,
    },
    model::{
        AlphaMode, Image, MATERIAL_VARIANTS, Material, Mesh, Model, TextureRef, TextureWrap, TintRegion, Vertex,
        linear_from_srgb, triangle_normal,
    },
};

/// Direction towards the sun, and its strength; the rest comes from everywhere.
const SUN: Vec3 = Vec3::new(0.5, 0.7, 0.5);
pub(super) const SUNLIGHT: f32 = 1.0;
/// Ambient skylight, and how much more of it reaches surfaces that face up than those that face down.
const SKYLIGHT: f32 = 0.41;
const SKYWARDS: f32 = 0.35;
/// Radiance of the sky at the zenith and at the horizon in reflections, and the reflectance at normal incidence.
const ZENITH: f32 = 0.15;
const HORIZON: f32 = 0.43;
pub(super) const HEAD_ON: f32 = 0.04;
/// Haze at the horizon below a low sun; nearly invisible below a high one.
const HAZE: f32 = 0.24;
/// Number of suns for crowds. The last one does not shine: most people in formation are in the shade of others.
pub(super) const SUNS: usize = 9;
/// Elevations of the suns (rad).
const LOW: f32 = 0.4;
const HIGH: f32 = 0.95;
const HIGH_TURNING: f32 = 0.75;

/// Shader with the materials and textures of a model.
pub(super) struct Shader<'a> {
    materials: Cow<'a, [Material]>,
    images: Vec<(&'a Image, &'a [u8])>,
    linear: Vec<f32>,
    /// Direction towards the sun, unit length.
    sun: Vec3,
    /// Full mesh, if it is shaded by triangle.
    flat: Option<&'a Mesh>,
    /// True if back faces are drawn.
    pub is_two_sided: bool,
}

impl<'a> Shader<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self {
            materials: Cow::Borrowed(&model.materials),
            images: model.images.iter().map(|image| (image, &image.rgba[..])).collect(),
            linear: (0..=255).map(linear).collect(),
            sun: SUN.normalize(),
            flat: model.flat.then_some(&model.mesh),
            is_two_sided: model.materials.iter().any(|m| m.double_sided),
        }
    }

    /// Shader under another sun, given by its direction.
    pub(super) fn under(self, sun: Vec3) -> Self {
        Self { sun, ..self }
    }

    /// Shader of a material variant: tints of instances replace the file's colours, so an LOD has to hold in any
    /// clothes. Tints are evenly spread (golden section in three dimensions).
    pub(super) fn with_variant(mut self, variant: usize) -> Self {
        let along = |ratio: f64, offset: f64| (variant as f64 * ratio + offset).fract() as f32;
        for material in self.materials.to_mut() {
            let region = match material.tints[variant % MATERIAL_VARIANTS] {
                TintRegion::None | TintRegion::Whole => continue,
                TintRegion::Skin => 0.125,
                TintRegion::Hair => 0.375,
                TintRegion::Cloth => 0.625,
                TintRegion::Trim => 0.875,
            };
            let light = along(0.618_033_988_749_895, region);
            let hue = [0.819_172_513_396_164, 0.671_043_606_703_789, 0.549_700_477_901_960];
            let channel = |hue: f64| linear_from_srgb(0.1 + 0.65 * light + 0.2 * along(hue, region));
            material.base_color = Vec3::from(hue.map(channel)).extend(material.base_color.w);
        }
        self
    }

    fn material(&self, mesh: &Mesh, triangle: &[u32; 3]) -> Option<&Material> {
        self.materials
            .get(usize::from(mesh.vertices[triangle[0] as usize].material))
    }

    /// True if a triangle may have holes.
    pub(super) fn has_holes(&self, mesh: &Mesh, triangle: &[u32; 3]) -> bool {
        self.material(mesh, triangle)
            .is_some_and(|m| m.alpha != AlphaMode::Opaque)
    }

    /// True if alpha cuts away a point. Blended materials count as present from an alpha of one half.
    pub(super) fn is_hole(&self, mesh: &Mesh, triangle: &[u32; 3], shares: Vec3) -> bool {
        let Some(material) = self.material(mesh, triangle) else {
            return false;
        };
        let cutoff = match material.alpha {
            AlphaMode::Opaque => return false,
            AlphaMode::Mask(cutoff) => cutoff,
            AlphaMode::Blend => 0.5,
        };
        self.base_color(&Base::of(material, mesh, triangle), shares).w < cutoff
    }

    /// Prepares a triangle for shading its points.
    pub(super) fn patch(&self, posed: PosedMesh<'_>, triangle: &[u32; 3]) -> Patch<'_> {
        let PosedMesh {
            mesh,
            vertices,
            normal_bias,
            ..
        } = posed;
        let material = self.material(mesh, triangle);
        let normals = if self.flat.is_some_and(|flat| std::ptr::eq(flat, mesh)) {
            [triangle_normal(triangle.map(|i| vertices[i as usize].position)); 3]
        } else {
            triangle.map(|i| vertices[i as usize].normal)
        };
        Patch {
            material,
            normals,
            normal_bias,
            base: material.map_or_else(Base::default, |material| Base::of(material, mesh, triangle)),
        }
    }

    /// Sun of the shader for a viewer in the direction `towards`.
    pub(super) fn viewed_sun(&self, towards: Vec3) -> ViewedSun {
        ViewedSun::new(self.sun, towards)
    }

    /// Surface point from the direction `towards`, before lighting.
    pub(super) fn point(&self, patch: &Patch<'_>, shares: Vec3, towards: Vec3) -> Point {
        let Some(material) = patch.material else {
            return Point::default();
        };
        let base = self.base_color(&patch.base, shares).truncate();
        let [a, b, c] = patch.normals;
        let mixed = a * shares.x + b * shares.y + c * shares.z;
        let normal = (mixed + towards * patch.normal_bias).normalize_or(towards);
        let side = if self.is_two_sided && normal.dot(towards) < 0.0 {
            -1.0
        } else {
            1.0
        };
        lit(material, base, normal * side, towards, patch.base.open(shares))
    }

    /// Surface point of a splat with a given normal, before lighting; everything else is that of the vertex at its
    /// centre.
    pub(super) fn splat_point(&self, patch: &Patch<'_>, normal: Vec3, towards: Vec3) -> Point {
        let base = self.base_color(&patch.base, Vec3::X).truncate();
        let open = patch.base.open(Vec3::X);
        patch
            .material
            .map_or(Point::default(), |material| lit(material, base, normal, towards, open))
    }

    /// Gradient by the normal of a sum of the channels of a splat's point, weighted by `counts`.
    pub(super) fn splat_slope(&self, patch: &Patch<'_>, normal: Vec3, towards: Vec3, counts: Vec3) -> Vec3 {
        let point = self.splat_point(patch, normal, towards);
        let (_, mirrored) = highlight(normal, towards, point.roughness, self.sun);
        slope(normal, point.open, self.sun) * point.base.dot(counts) + mirrored * counts.element_sum()
    }

    /// Base colour of a point of a triangle, including its texture.
    pub(super) fn base_at(&self, mesh: &Mesh, triangle: &[u32; 3], shares: Vec3) -> Vec3 {
        let base = |material| self.base_color(&Base::of(material, mesh, triangle), shares);
        self.material(mesh, triangle)
            .map_or(Vec3::ZERO, |material| base(material).truncate())
    }

    fn base_color(&self, base: &Base, shares: Vec3) -> Vec4 {
        let [a, b, c] = base.colors;
        let color = a * shares.x + b * shares.y + c * shares.z;
        let Some(texture) = base.texture else {
            return color;
        };
        let [a, b, c] = base.uvs;
        color * self.texel(texture, a * shares.x + b * shares.y + c * shares.z)
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
        let light = |byte: u8| self.linear[usize::from(byte)];
        Vec4::new(
            light(texel[0]),
            light(texel[1]),
            light(texel[2]),
            f32::from(texel[3]) / 255.0,
        )
    }
}

/// Material variants of one character, which pictures use in turn, so that no single one decides. Their number shares
/// no factor with the numbers of views.
pub(super) struct VariantShaders<'a>([Shader<'a>; 7]);

impl<'a> VariantShaders<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        Self(std::array::from_fn(|variant| Shader::new(model).with_variant(variant)))
    }

    /// Shader of a picture by its number.
    pub(super) fn of_picture(&self, number: usize) -> &Shader<'a> {
        &self.0[number % self.0.len()]
    }
}

/// Surface point of a material before lighting. Its reflection of the environment is strongest at grazing angles
/// (`shade` of shaders/shared/light.wgsl).
fn lit(material: &Material, base: Vec3, normal: Vec3, towards: Vec3, open: f32) -> Point {
    if material.unlit {
        return Point {
            own: base,
            ..Point::default()
        };
    }
    Point {
        base,
        normal,
        open,
        occludes: material.color_occludes,
        own: material.emissive,
        mirrors: mirrors(material, normal.dot(towards)) * open,
        towards,
        roughness: Some(material.roughness),
    }
}

/// Reflectance of the environment, by the cosine of the viewing angle (Schlick 1994).
fn mirrors(material: &Material, facing: f32) -> f32 {
    let grazing = (1.0 - facing.clamp(0.0, 1.0)).powi(5);
    let most = (1.0 - material.roughness).max(HEAD_ON);
    HEAD_ON + (most - HEAD_ON) * grazing
}

/// Sky in the direction of a reflection (`sky_color` of shaders/shared/sky.wgsl): the parts that are equal under every
/// sun.
struct ReflectedSky {
    direction: Vec3,
    /// Radiance without haze.
    clear: f32,
    /// Share of the haze at this elevation.
    hazy: f32,
}

impl ReflectedSky {
    // Powers of 2.6 and 5.3 lie between whole ones, which take a fraction of the time and are equal on all machines.
    fn new(direction: Vec3) -> Self {
        let low = 1.0 - direction.y.clamp(0.0, 1.0);
        Self {
            direction,
            clear: ZENITH + (HORIZON - ZENITH) * (low * low * (0.4 + 0.6 * low)),
            hazy: low.powi(3),
        }
    }

    /// Radiance under a sun.
    fn under(&self, sun: Vec3) -> f32 {
        let near = self.direction.dot(sun).max(0.0);
        // Most points mirror no haze.
        if near <= 0.0 || self.hazy <= 0.0 {
            return self.clear;
        }
        self.clear + HAZE * (near.powi(5) * (0.7 + 0.3 * near)) * self.hazy
    }
}

/// Sun in a view, prepared for many points.
#[derive(Clone, Copy)]
pub(super) struct ViewedSun {
    sun: Vec3,
    highlights: Highlights,
}

impl ViewedSun {
    /// Sun in a direction, for a viewer in the direction `towards`.
    pub(super) fn new(sun: Vec3, towards: Vec3) -> Self {
        Self {
            sun,
            highlights: Highlights::new(towards, sun),
        }
    }
}

/// Surface point before lighting.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// Linear base colour, which it reflects diffusely.
    pub base: Vec3,
    /// Normal on the viewer's side, unit length.
    pub normal: Vec3,
    /// Visible share of the sky.
    pub open: f32,
    /// True if the vertex colour holds that share.
    pub occludes: bool,
    /// Linear emission.
    pub own: Vec3,
    /// Reflectance of the environment.
    pub mirrors: f32,
    /// Direction towards the viewer, unit length.
    pub towards: Vec3,
    /// Roughness of the microfacets, 0 to 1; `None` for unlit materials.
    pub roughness: Option<f32>,
}

impl Point {
    /// Linear colour under the sky and a sun that was prepared for the point's viewer.
    pub(super) fn under_viewed(&self, sun: &ViewedSun) -> Vec3 {
        let [mirrored] = self.mirrored(std::array::from_ref(sun));
        self.with_mirrored(sun, mirrored)
    }

    /// Linear colour under the sky and a sun, given the reflection of the sky.
    pub(super) fn with_mirrored(&self, viewed: &ViewedSun, mirrored: f32) -> Vec3 {
        let mirrored = mirrored + viewed.highlights.on(self.normal, self.roughness).0;
        self.base * self.light(viewed.sun) + self.own + mirrored
    }

    /// Reflection of the sky under each sun, equal for every channel.
    pub(super) fn mirrored<const N: usize>(&self, suns: &[ViewedSun; N]) -> [f32; N] {
        if self.mirrors <= 0.0 {
            return [0.0; N];
        }
        let direction = self.normal * (2.0 * self.normal.dot(self.towards)) - self.towards;
        let sky = ReflectedSky::new(direction);
        suns.each_ref().map(|viewed| self.mirrors * sky.under(viewed.sun))
    }

    /// Irradiance from a sun and the sky.
    pub(super) fn light(&self, sun: Vec3) -> f32 {
        light(self.normal, self.open, sun)
    }
}

/// Irradiance on a surface with a normal from a sun, and from the visible share of the sky.
pub(super) fn light(normal: Vec3, open: f32, sun: Vec3) -> f32 {
    skylight(normal.y) * open + SUNLIGHT * normal.dot(sun).max(0.0)
}

/// Irradiance from the whole sky on a surface, or on surfaces in lanes, by the vertical part of the normal.
pub(super) fn skylight<T>(up: T) -> T
where
    T: Add<f32, Output = T>,
    f32: Mul<T, Output = T>,
{
    SKYLIGHT * (SKYWARDS * up + 1.0)
}

/// Irradiance from a sun on four surfaces.
pub(super) fn sunlight(normal: &[Vec4; 3], sun: Vec3) -> Vec4 {
    SUNLIGHT * dot(normal, sun).max(Vec4::ZERO)
}

/// Gradients by the normals of the irradiance on four surfaces, as [`slope`].
pub(super) fn slopes_of_light(normal: &[Vec4; 3], open: Vec4, sun: Vec3) -> [Vec4; 3] {
    let is_lit = dot(normal, sun).cmpgt(Vec4::ZERO);
    let lit = Vec4::select(is_lit, Vec4::splat(SUNLIGHT), Vec4::ZERO);
    let from = [sun.x * lit, sun.y * lit + SKYLIGHT * SKYWARDS * open, sun.z * lit];
    let outward = sum_of_products(normal, &from);
    std::array::from_fn(|i| from[i] - normal[i] * outward)
}

/// Gradient by the normal of the irradiance from a sun and the sky.
pub(super) fn slope(normal: Vec3, open: f32, sun: Vec3) -> Vec3 {
    let lit = if normal.dot(sun) > 0.0 { SUNLIGHT } else { 0.0 };
    let from = sun * lit + Vec3::Y * (SKYLIGHT * SKYWARDS * open);
    from - normal * normal.dot(from)
}

/// Directions towards suns in a circle from an azimuth, low and high in turn; the last is zero, for the shade. Pictures
/// of turn 1 have low suns where those of turn 0 have high ones. High suns of these pictures stand where most scenes
/// have them.
pub(super) fn suns(from: f32, turn: Option<usize>) -> [Vec3; SUNS] {
    std::array::from_fn(|index| {
        if index == SUNS - 1 {
            return Vec3::ZERO;
        }
        let azimuth = from + index as f32 * TAU / (SUNS - 1) as f32;
        let elevation = match (index + turn.unwrap_or(0)).is_multiple_of(2) {
            true => LOW,
            false if turn.is_some() => HIGH_TURNING,
            false => HIGH,
        };
        let (sin, cos) = azimuth.sin_cos();
        Vec3::new(sin * elevation.cos(), elevation.sin(), cos * elevation.cos())
    })
}

/// Triangle prepared for shading.
pub(super) struct Patch<'a> {
    material: Option<&'a Material>,
    normals: [Vec3; 3],
    /// Normal bias, as in [`PosedMesh`].
    normal_bias: f32,
    base: Base,
}

/// Base colour at the corners of a triangle, and its texture.
#[derive(Default)]
struct Base {
    colors: [Vec4; 3],
    /// Visible share of the sky at each corner. Where vertex colours hold occlusion, it is their brightest channel, as
    /// in shaders/shared/surface.wgsl.
    open: Vec3,
    texture: Option<TextureRef>,
    uvs: [Vec2; 3],
}

impl Base {
    fn open(&self, shares: Vec3) -> f32 {
        self.open.dot(shares)
    }

    fn of(material: &Material, mesh: &Mesh, triangle: &[u32; 3]) -> Self {
        let corners = triangle.map(|i| &mesh.vertices[i as usize]);
        let texture = material.base_color_texture;
        let uv = |v: &Vertex| match texture {
            Some(texture) if texture.second => v.uv1,
            _ => v.uv,
        };
        Self {
            colors: corners.map(|v| material.base_color * v.color),
            open: match material.color_occludes {
                true => Vec3::from(corners.map(|v| v.color.truncate().max_element())),
                false => Vec3::ONE,
            },
            texture,
            uvs: corners.map(uv),
        }
    }
}

/// Index of the texel along one axis.
fn place(coordinate: f32, wrap: TextureWrap, size: u32) -> usize {
    let inside = match wrap {
        TextureWrap::Repeat => coordinate - coordinate.floor(),
        TextureWrap::Mirror => {
            let turns = 0.5 * coordinate;
            1.0 - (2.0 * (turns - turns.floor()) - 1.0).abs()
        }
        TextureWrap::Clamp => coordinate.clamp(0.0, 1.0),
    };
    ((inside * size as f32) as usize).min(size.max(1) as usize - 1)
}

/// Linear value of an sRGB byte.
fn linear(byte: u16) -> f32 {
    linear_from_srgb(f32::from(byte) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_surfaces_mirror_haze_towards_a_low_sun_alone() {
        let sun = Vec3::new(LOW.cos(), LOW.sin(), 0.0);
        let away = Vec3::NEG_X;
        let sky = |direction: Vec3, sun: Vec3| ReflectedSky::new(direction).under(sun);
        assert!(sky(Vec3::X, sun) > 1.3 * sky(away, sun), "towards the sun");
        assert_eq!(sky(away, sun), HORIZON);
        assert_eq!(sky(Vec3::Y, sun), ZENITH, "none overhead");
        assert_eq!(sky(Vec3::X, Vec3::ZERO), HORIZON, "none in the shade");
        let high = Vec3::new(HIGH.cos(), HIGH.sin(), 0.0);
        assert!(sky(Vec3::X, high) < 1.05 * HORIZON, "hardly any below a high sun");
    }
}
