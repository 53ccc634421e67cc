//! Flat shaded surfaces look as if every triangle had corners of its own, in every technique.

use glam::Vec3;
use throng::{
    config::Technique,
    model::{Mesh, Model, Vertex},
    scene::open_model,
};

use crate::common::{
    self,
    picture::{EDGE, FRONT, View, pixels},
};

/// Embedded character with shared corners, flat shaded or not.
pub fn model(flat: bool) -> Model {
    Model {
        flat,
        lods: Vec::new(),
        ..open_model("man").expect("embedded").model
    }
}

/// The flat model with separate corners for every triangle that have its normal: flat shading by normals.
fn apart() -> Model {
    let model = model(false);
    let mut mesh = Mesh::default();
    for triangle in model.mesh.indices.as_chunks::<3>().0 {
        let corners = triangle.map(|i| model.mesh.vertices[i as usize]);
        let [a, b, c] = corners.map(|v| v.position);
        let normal = (b - a).normalize_or_zero().cross((c - a).normalize_or_zero());
        let normal = normal.normalize_or(Vec3::Y);
        mesh.vertices.extend(corners.map(|v| Vertex { normal, ..v }));
    }
    mesh.indices = (0..mesh.vertices.len() as u32).collect();
    Model { mesh, ..model }
}

/// Share of the pixels that differ by more than `by`, and the mean difference (steps of 255).
fn difference(a: &[u8], b: &[u8], by: u8) -> (f64, f64) {
    let pixels = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    let (mut many, mut sum) = (0, 0);
    for (a, b) in pixels {
        let off = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        many += u32::from(off > by);
        sum += u32::from(off);
    }
    let all = f64::from(EDGE * EDGE);
    (f64::from(many) / all, f64::from(sum) / all)
}

#[test]
fn every_technique_shades_by_triangle_as_if_corners_were_its_own() {
    let Some(gpu) = common::gpu::open() else { return };
    for technique in Technique::ALL.iter().copied() {
        for (seconds, shadows, eye) in [
            (0.0, false, Vec3::new(0.4, 1.2, 1.6)),
            (0.37, true, Vec3::new(-1.2, 1.6, 1.3)),
        ] {
            let view = View {
                technique,
                seconds,
                shadows,
                eye,
                azimuth: 150.0,
                ..FRONT
            };
            let [flat, apart, smooth] = [model(true), apart(), model(false)].map(|m| pixels(&gpu, &m, view));
            if let Some(folder) = std::env::var_os("THRONG_PICTURES") {
                for (name, picture) in [("flat", &flat), ("apart", &apart), ("smooth", &smooth)] {
                    let path = std::path::Path::new(&folder).join(format!("{name}-{technique:?}-{seconds}.png"));
                    image::save_buffer(path, picture, EDGE, EDGE, image::ColorType::Rgba8).expect("written");
                }
            }
            let (many, mean) = difference(&flat, &apart, 8);
            let (control, far) = difference(&smooth, &apart, 8);
            println!("{technique:?} at {seconds}: {many:.4} {mean:.3}, smooth {control:.4} {far:.3}");
            // At bending joints, normals of corners turn with the corners and differ from those of the bent triangle.
            let most = if technique == Technique::Static {
                (0.001, 0.02)
            } else {
                (0.01, 0.3)
            };
            assert!(
                many < most.0 && mean < most.1,
                "{technique:?}: {many} of the pixels, {mean}"
            );
            assert!(
                control > 0.02 && control > 5.0 * many,
                "{technique:?}: smooth shading does not differ: {control}"
            );
        }
    }
}
