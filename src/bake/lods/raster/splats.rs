//! Rendering of splats: circles that face the viewer, whose depth and base colour are those of their centre. The
//! shaders draw them in the same way.

use glam::Vec3;

use crate::bake::lods::{
    raster::{Canvas, Frame, PosedMesh, sample_at},
    surface_color::{Patch, Shader, ViewedSun},
};

/// Weight of the vertex normal in the normal on a splat; the rest is the normal of a ball.
const FLATNESS: f32 = 0.3;

/// Splat in a view.
struct Splat<'a> {
    /// Centre (samples).
    middle: [f32; 2],
    /// Reciprocal of the radius (1/samples).
    scale: f32,
    /// Normal of its vertex, mirrored to the viewer's side.
    normal: Vec3,
    /// True if the normal was mirrored.
    is_mirrored: bool,
    patch: Patch<'a>,
}

/// Splats prepared for shading.
pub(in crate::bake::lods) struct Splats<'a> {
    splats: Vec<Splat<'a>>,
    axes: [Vec3; 3],
    sun: ViewedSun,
}

impl<'a> Splats<'a> {
    pub(in crate::bake::lods) fn new(
        posed: PosedMesh<'_>,
        projected: &[Vec3],
        shader: &'a Shader<'_>,
        frame: &Frame,
    ) -> Self {
        let towards = frame.axes[2];
        let splat = |(triangle, radius): (&[u32; 3], &f32)| {
            let vertex = triangle[0] as usize;
            let normal = posed.vertices[vertex].normal;
            Splat {
                middle: [projected[vertex].x, projected[vertex].y],
                scale: 1.0 / (radius * frame.scale),
                normal: facing(normal, towards),
                is_mirrored: normal.dot(towards) < 0.0,
                patch: shader.patch(posed, triangle),
            }
        };
        let (triangles, _) = posed.mesh.indices.as_chunks::<3>();
        Self {
            splats: triangles.iter().zip(posed.radii).map(splat).collect(),
            axes: frame.axes,
            sun: shader.viewed_sun(towards),
        }
    }

    /// Linear colour of a splat at a position.
    pub(in crate::bake::lods) fn color(&self, shader: &Shader<'_>, splat: u32, at: [f32; 2]) -> Vec3 {
        let splat = &self.splats[splat as usize];
        let normal = splat_normal(splat.normal, splat.inside(at), self.axes);
        let towards = self.axes[2];
        shader
            .splat_point(&splat.patch, normal.normalize_or(towards), towards)
            .under_viewed(&self.sun)
    }

    /// Gradient by the vertex normal of a sum of the channels at a position, weighted by `counts`.
    pub(in crate::bake::lods) fn slope(&self, shader: &Shader<'_>, splat: u32, at: [f32; 2], counts: Vec3) -> Vec3 {
        let splat = &self.splats[splat as usize];
        let normal = splat_normal(splat.normal, splat.inside(at), self.axes);
        let length = normal.length().max(0.1);
        let towards = self.axes[2];
        let slope = shader.splat_slope(&splat.patch, normal / length, towards, counts) * (FLATNESS / length);
        if splat.is_mirrored {
            slope - towards * (2.0 * slope.dot(towards))
        } else {
            slope
        }
    }
}

impl Splat<'_> {
    /// Offset of a position from the centre (radii).
    fn inside(&self, at: [f32; 2]) -> [f32; 2] {
        let [x, y] = at;
        [(x - self.middle[0]) * self.scale, (y - self.middle[1]) * self.scale]
    }
}

/// Normal on a splat, not normalised, at an offset from its centre (radii). The axes point to the right, up and towards
/// the viewer.
fn splat_normal(vertex: Vec3, at: [f32; 2], axes: [Vec3; 3]) -> Vec3 {
    ball(at, axes).lerp(vertex, FLATNESS)
}

fn ball(offset: [f32; 2], axes: [Vec3; 3]) -> Vec3 {
    let [dx, dy] = offset;
    let [right, up, towards] = axes;
    right * dx + up * dy + towards * (1.0 - dx * dx - dy * dy).max(0.0).sqrt()
}

/// Weight of the vertex normal in the normal at an offset from a splat's centre, and the rest of that normal.
pub(in crate::bake::lods) fn normal_parts(beside: Vec3, axes: [Vec3; 3]) -> (f32, Vec3) {
    (FLATNESS, ball([beside.x, beside.y], axes) * (1.0 - FLATNESS))
}

/// Offset of a position from the centre of a splat to the right and up (radii).
pub(super) fn beside(middle: Vec3, radius: f32, at: [f32; 2]) -> Vec3 {
    let [x, y] = at;
    Vec3::new(x - middle.x, y - middle.y, 0.0) / radius
}

/// Normal on a splat at an offset from its centre; of unit length.
pub(super) fn normal_at(vertex: Vec3, beside: Vec3, axes: [Vec3; 3]) -> Vec3 {
    let normal = facing(vertex, axes[2]);
    splat_normal(normal, [beside.x, beside.y], axes).normalize_or(axes[2])
}

/// Normal mirrored to the front of a splat, whichever way its vertex faces.
fn facing(normal: Vec3, towards: Vec3) -> Vec3 {
    normal - towards * (2.0 * normal.dot(towards).min(0.0))
}

/// Z-buffer: finds the nearest splat at every sample.
pub(super) fn cover(posed: PosedMesh<'_>, projected: &[Vec3], frame: &Frame, canvas: &mut Canvas) {
    let [width, height] = frame.size;
    let (triangles, _) = posed.mesh.indices.as_chunks::<3>();
    for (index, (triangle, radius)) in triangles.iter().zip(posed.radii).enumerate() {
        let middle = projected[triangle[0] as usize];
        let radius = radius * frame.scale;
        let reach = |middle: f32, most: usize| {
            let first = (middle - radius - 1.0).max(0.0) as usize;
            first..((middle + radius + 1.0).max(0.0) as usize).min(most)
        };
        for y in reach(middle.y, height) {
            for x in reach(middle.x, width) {
                let at = sample_at(x, y);
                let (dx, dy) = (at[0] - middle.x, at[1] - middle.y);
                let sample = y * width + x;
                if dx * dx + dy * dy <= radius * radius && middle.z > canvas.depth[sample] {
                    canvas.depth[sample] = middle.z;
                    canvas.triangle[sample] = index as u32;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use super::*;
    use crate::{
        bake::{
            lods::raster::{Form, SampledPicture, draw},
            skinning::SkinnedVertex,
        },
        model::{Material, Mesh, Model, Vertex},
    };

    /// Area of coverage and of light of splats in two materials, white and black, seen along -Z at 100 samples per
    /// metre.
    fn seen(splats: &[(Vec3, f32, u8)]) -> [f32; 2] {
        let vertex = |&(position, _, material): &(Vec3, f32, u8)| Vertex {
            position,
            material,
            normal: Vec3::Z,
            color: glam::Vec4::ONE,
            ..Vertex::default()
        };
        let vertices: Vec<Vertex> = splats.iter().map(vertex).collect();
        let white = Material {
            unlit: true,
            ..Material::default()
        };
        let black = Material {
            base_color: glam::Vec4::W,
            ..white.clone()
        };
        let model = Model {
            materials: vec![white, black],
            ..Model::default()
        };
        let posed: Vec<SkinnedVertex> = vertices
            .iter()
            .map(|v| SkinnedVertex {
                position: v.position,
                normal: v.normal,
                ..SkinnedVertex::default()
            })
            .collect();
        let mesh = Mesh {
            indices: (0..splats.len() as u32).flat_map(|v| [v; 3]).collect(),
            vertices,
        };
        let radii: Vec<f32> = splats.iter().map(|splat| splat.1).collect();
        let (shader, mut canvas, mut picture) = (Shader::new(&model), Canvas::default(), SampledPicture::default());
        let frame = Frame::around(&[Vec3::splat(-2.0), Vec3::splat(2.0)], 0.0, 0.0, 100.0, 0);
        let form = Form {
            radii: &radii,
            ..Form::mesh(&mesh)
        };
        let posed = form.posed(&posed);
        draw(posed, &shader, &frame, &mut canvas, &mut picture);
        let sums = picture.over([0, 0], 4096);
        [sums.x, sums.y].map(|samples| samples / 10_000.0)
    }

    #[test]
    fn a_splat_covers_the_area_of_a_circle() {
        for radius in [0.1, 0.5, 1.3] {
            let [area, light] = seen(&[(Vec3::new(0.3, -0.2, 0.0), radius, 0)]);
            assert!((area / (PI * radius * radius) - 1.0).abs() < 0.01, "{radius}: {area}");
            assert_eq!(area, light);
        }
        assert_eq!(seen(&[(Vec3::X * 9.0, 1.0, 0)]), [0.0; 2], "outside");
        let [cut, _] = seen(&[(Vec3::X * 2.0, 1.0, 0)]);
        assert!((cut / (0.5 * PI) - 1.0).abs() < 0.02, "half of it is outside: {cut}");
    }

    #[test]
    fn of_overlapping_splats_the_one_with_the_nearest_middle_shows() {
        let white = (Vec3::ZERO, 1.0, 0);
        for order in [[0, 1], [1, 0]] {
            let both = [white, (Vec3::Z * 0.1, 0.5, 1)];
            let [area, light] = seen(&order.map(|k| both[k]));
            assert!(
                (area / PI - 1.0).abs() < 0.01 && (light / (0.75 * PI) - 1.0).abs() < 0.02,
                "{area} {light}"
            );
            let both = [white, (Vec3::Z * -0.1, 0.5, 1)];
            let [area, light] = seen(&order.map(|k| both[k]));
            assert_eq!(area, light, "black is behind");
        }
    }

    #[test]
    fn normals_on_a_splat_are_between_those_of_a_ball_and_of_its_vertex() {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let middle = splat_normal(Vec3::Z, [0.0, 0.0], axes);
        assert!(middle.distance(Vec3::Z) < 1e-6);
        let rim = splat_normal(Vec3::Z, [1.0, 0.0], axes);
        assert!(rim.distance(Vec3::X.lerp(Vec3::Z, FLATNESS)) < 1e-6, "{rim}");
    }
}
