//! Metadata of AOVs: camera matrices, units, conventions.

use std::path::Path;

use glam::{Mat4, Vec2};
use serde_json::{Value, json};

use crate::{
    aov::{FrameParameters, PassSet},
    render::passes::{AovKind, ID_ATTACHMENT, ID_SCENERY},
    view::NEAR,
};

/// Returns the rows of a matrix that multiplies column vectors.
fn rows(matrix: Mat4) -> Value {
    json!(matrix.transpose().to_cols_array_2d())
}

/// Returns camera, units and conventions of a picture and its AOVs, for the JSON file beside them. `stem` is the path
/// of the picture without its ending.
#[must_use]
pub fn camera_json(
    moment: &FrameParameters,
    next: Option<&FrameParameters>,
    size: (u32, u32),
    set: &PassSet,
    stem: &Path,
) -> Value {
    let camera = &moment.camera;
    let pixels = Vec2::new(size.0 as f32, size.1 as f32);
    let aspect = pixels.x / pixels.y;
    // Pixels are square: one focal length.
    let focal = 0.5 * pixels.y / (0.5 * camera.fov).tan();
    let name = |path: std::path::PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = |&kind: &AovKind| (PassSet::name(kind).to_owned(), name(set.path(stem, kind)).into());
    let files: serde_json::Map<String, Value> = set.kinds.iter().map(file).collect();
    let mut told = json!({
        "throng": env!("CARGO_PKG_VERSION"),
        "seconds": moment.time,
        "size": [size.0, size.1],
        "camera": {
            "eye": camera.eye.to_array(),
            "target": camera.target.to_array(),
            "fov_vertical_degrees": camera.fov.to_degrees(),
            "near": NEAR * camera.distance().clamp(1e-3, 1.0),
            "intrinsics": {"fx": focal, "fy": focal, "cx": 0.5 * pixels.x, "cy": 0.5 * pixels.y},
            "view_from_world": rows(moment.view_from_world()),
            "projection_from_view": rows(camera.projection_from_view(aspect)),
            "projection_from_world": rows(moment.input.projection_from_world),
        },
        "passes": files,
        "conventions": conventions(&set.kinds),
    });
    if let Some(lens) = &moment.lens {
        told["camera"]["distortion"] = json!({"model": "brown-conrady", "k1": lens.distortion.k1});
        told["conventions"]["distortion"] =
            "OpenCV's k1: a point (x, y) = (X / -Z, -Y / -Z) appears at (x, y) * (1 + k1 r²), \
            r² = x² + y², before the intrinsics; `projection_from_world` is without it"
                .into();
    }
    if let Some(next) = next {
        told["next"] = json!({
            "seconds": next.time,
            "projection_from_world": rows(next.input.projection_from_world),
        });
    }
    told
}

fn conventions(kinds: &[AovKind]) -> Value {
    let mut all = json!({
        "world": "right-handed, +Y up, metres; a heading of 0 faces +Z, positive turns towards +X",
        "view": "right-handed, -Z into the picture, +Y up",
        "projection": "infinite, reversed: after division x and y are in -1..1 (y up), depth is 1 at `near` and 0 at infinity",
        "matrices": "rows, for column vectors: clip = projection_from_world * (x, y, z, 1)",
        "pixels": "origin at the top left corner; the centre of the first pixel is (0.5, 0.5); AOVs have one sample at the \
                   centre",
        "intrinsics": "pixels; x = cx + fx * X / -Z, y = cy - fy * Y / -Z in view space",
    });
    for &kind in kinds {
        all[PassSet::name(kind)] = meaning(kind).into();
    }
    all
}

fn meaning(kind: AovKind) -> String {
    match kind {
        AovKind::Ids => format!(
            "0: ground, sky; 1 to {}: people, characters one after another; {ID_ATTACHMENT} and on: attachments; \
             {ID_SCENERY} and on: scenery; as 16-bit PNG people only",
            ID_ATTACHMENT - 1
        ),
        AovKind::Depth => "metres along the camera's axis; infinite: sky".to_owned(),
        AovKind::Normal => {
            "unit length, world space, normal maps included; zero: sky; as PNG (n + 1) / 2 * 65535".to_owned()
        }
        AovKind::Motion => {
            "pixels from this point of the surface to its place in the next picture, right and down; NaN: behind the \
             camera there"
                .to_owned()
        }
        AovKind::Uv => "first texture coordinates; as PNG their fractions * 65535".to_owned(),
        AovKind::Albedo => "linear base colour with tints, without light; zero: sky; as PNG * 65535".to_owned(),
    }
}
