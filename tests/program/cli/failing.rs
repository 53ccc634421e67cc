//! Files that were once shown wrongly, each with its right value: a folder with a list `NOTES.tsv`, named by
//! `THRONG_FAILING`. Every row of the list must have a check here.

use std::path::{Path, PathBuf};

use super::{temporary, text, throng};
use crate::common::{Need, gpu::adapter, skip};

/// Outcome of a check: the problem in words.
type Check = Result<(), String>;

/// Program run in a folder of its own, on inputs of the list.
struct Inputs {
    folder: PathBuf,
    outputs: tempfile::TempDir,
}

/// Picture of a character.
struct Picture {
    image: image::RgbImage,
}

impl Inputs {
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let output = throng(self.outputs.path(), arguments);
        let told = text(&output.stdout) + &text(&output.stderr);
        (output.status.code().unwrap_or(-1), told)
    }

    fn path(&self, file: &str) -> String {
        self.folder.join(file).display().to_string()
    }

    /// Output of `throng info`, which must succeed.
    fn info(&self, file: &str, options: &[&str]) -> Result<String, String> {
        let (code, told) = self.run(&[&["info", &self.path(file)], options].concat());
        if code == 0 { Ok(told) } else { Err(told) }
    }

    fn json(&self, file: &str) -> Result<serde_json::Value, String> {
        serde_json::from_str(&self.info(file, &["--json=1"])?).map_err(|error| error.to_string())
    }

    /// Picture of `throng shot`, and what it printed.
    fn shot(&self, files: &[&str], options: &[&str]) -> Result<(Picture, String), String> {
        let paths: Vec<String> = files.iter().map(|file| self.path(file)).collect();
        let mut arguments = vec!["shot", "--adapter", adapter(), "-o", "a.png"];
        if !options.contains(&"--size") {
            arguments.extend(["--size", "240x180"]);
        }
        arguments.extend(options);
        arguments.extend(paths.iter().map(String::as_str));
        let (code, told) = self.run(&arguments);
        if code != 0 {
            return Err(told);
        }
        let image = image::open(self.outputs.path().join("a.png")).map_err(|error| error.to_string())?;
        let image = image.to_rgb8();
        Ok((Picture { image }, told))
    }

    fn refused(&self, file: &str, parts: &[&str]) -> Check {
        match self.info(file, &[]) {
            Ok(_) => Err("is read".into()),
            Err(told) => contains(&told, parts),
        }
    }
}

impl Picture {
    /// Share of pixels that fit.
    fn share(&self, fits: impl Fn([u8; 3]) -> bool) -> f32 {
        let count = self.image.pixels().filter(|pixel| fits(pixel.0)).count();
        count as f32 / (self.image.width() * self.image.height()) as f32
    }

    fn rows(&self, fits: impl Fn([u8; 3]) -> bool) -> Option<(u32, u32)> {
        let rows: Vec<u32> = self
            .image
            .enumerate_pixels()
            .filter(|(_, _, pixel)| fits(pixel.0))
            .map(|(_, y, _)| y)
            .collect();
        Some((*rows.iter().min()?, *rows.iter().max()?))
    }
}

/// True for the orange of most of the inputs, lit or in shade.
fn is_orange([r, g, b]: [u8; 3]) -> bool {
    let [r, g, b] = [r, g, b].map(i32::from);
    r > 70 && r > g + 40 && g > b
}

fn contains(told: &str, parts: &[&str]) -> Check {
    let missing: Vec<&&str> = parts.iter().filter(|part| !told.contains(**part)).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("{missing:?} not in: {told}"))
    }
}

fn ensure(holds: bool, problem: impl Into<String>) -> Check {
    if holds { Ok(()) } else { Err(problem.into()) }
}

/// Size of a character at rest and bounds along z (m).
fn bounds(json: &serde_json::Value) -> ([f64; 3], [f64; 2]) {
    let at = |key: &str, axis: usize| json[key][axis].as_f64().unwrap_or(f64::NAN);
    let size = [0, 1, 2].map(|axis| at("bounds_max", axis) - at("bounds_min", axis));
    (size, [at("bounds_min", 2), at("bounds_max", 2)])
}

fn is_sized(inputs: &Inputs, file: &str, expected: [f64; 3]) -> Check {
    let (size, _) = bounds(&inputs.json(file)?);
    let off = size
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    ensure(off < 0.002, format!("size {size:?}"))
}

fn check(inputs: &Inputs, file: &str) -> Check {
    match file {
        "scene_without_nodes.glb" => {
            is_sized(inputs, file, [0.5, 1.8, 0.3]).and_then(|()| contains(&inputs.info(file, &[])?, &["idle"]))
        }
        "vrm0_nose_minus_z.vrm" => faces_viewer(inputs, file),
        "vrm1_nose_plus_z.vrm" => faces_viewer(inputs, file).and_then(|()| at_origin(inputs, file)),
        "vrm_in_folder/" => contains(&inputs.info("vrm_in_folder", &[])?, &["a.vrm", "b.glb"]),
        "required_VRMC_vrm.vrm" => opens_with(inputs, file, &["VRM"]),
        "required_xmp.glb" => inputs.info(file, &[]).map(drop),
        "required_animation_pointer.glb" => inputs.info(file, &[]).map(drop),
        "required_transmission.glb" => opens_with(inputs, file, &["KHR_materials_transmission"]),
        "required_gpu_instancing.glb" => opens_with(inputs, file, &["EXT_mesh_gpu_instancing"]),
        "specgloss_only.glb" => blue_above_orange(inputs, file),
        "basisu_required.glb" | "basisu_no_fallback.glb" => inputs.info(file, &[]).map(drop),
        "uris/uri_backslash.gltf" | "uris/uri_abs_win.gltf" => textured(inputs, file, &[]),
        "uris/bin_backslash.gltf" | "uris/bin_case.gltf" => is_sized(inputs, file, [0.5, 1.8, 0.3]),
        "uris/models/uri_parent.gltf" => from_parent(inputs, file),
        "height_first_joint_5x.glb" | "height_first_joint_fifth.glb" => person(inputs, file),
        "spawn_scale_from_zero.glb" => {
            let (picture, _) = inputs.shot(&[file], &[])?;
            ensure(picture.share(is_orange) > 0.02, "nothing is in the picture")
        }
        "death_longest.glb" => inputs.shot(&[file], &[]).map(drop),
        "long_animal.glb" => long_animal(inputs, file),
        "sketchfab/one sketchfab/two" => {
            let (_, told) = inputs.shot(&["sketchfab/one", "sketchfab/two"], &["--count", "4"])?;
            contains(&told, &["scene      Knight, Orc"]).or_else(|_| contains(&told, &["Knight", "Orc"]))
        }
        "alpha_fringe_blend.glb" | "alpha_fringe_mask.glb" => no_fringe(inputs, file),
        "clips_only.glb" => inputs.refused(file, &["--animations"]),
        "gltf1.gltf" => inputs.refused(file, &["glTF version is 1", "glTF 2.0"]),
        _ => Err("has no check".into()),
    }
}

fn opens_with(inputs: &Inputs, file: &str, parts: &[&str]) -> Check {
    contains(&inputs.info(file, &[])?, parts)
}

/// The nose, 0.2 m long, points to +Z.
fn faces_viewer(inputs: &Inputs, file: &str) -> Check {
    let (_, [back, nose]) = bounds(&inputs.json(file)?);
    ensure(
        (back + 0.15).abs() < 0.002 && (nose - 0.35).abs() < 0.002,
        format!("z from {back} to {nose}"),
    )
}

/// A camera before the origin shows the character.
fn at_origin(inputs: &Inputs, file: &str) -> Check {
    let view = ["--eye", "0,1.5,4", "--look-at", "0,1,0"];
    let (picture, told) = inputs.shot(&[file], &view)?;
    let away = ["--eye", "0,1.5,4", "--look-at", "0,1.5,9"];
    let (empty, told_away) = inputs.shot(&[file], &away)?;
    contains(&told_away, &["nobody is in the picture"])?;
    let centre = |picture: &Picture| picture.image.get_pixel(120, 90).0;
    ensure(
        !told.contains("nobody") && centre(&picture) != centre(&empty),
        "nobody stands at the origin",
    )
}

fn blue_above_orange(inputs: &Inputs, file: &str) -> Check {
    let (picture, _) = inputs.shot(&[file], &[])?;
    let is_blue = |[r, g, b]: [u8; 3]| i32::from(b) > i32::from(r) + 40 && i32::from(b) > i32::from(g) + 20 && r < 110;
    let (orange, blue) = (picture.rows(is_orange), picture.rows(is_blue));
    let above = blue.zip(orange).is_some_and(|(blue, orange)| blue.0 < orange.1);
    ensure(
        above && picture.share(is_orange) > 0.01,
        format!("blue {blue:?}, orange {orange:?}"),
    )
}

/// The base colour is the texture, so that nothing is noted about it.
fn textured(inputs: &Inputs, file: &str, options: &[&str]) -> Check {
    let told = inputs.info(file, options)?;
    let lost = told.contains("drawn without it") || told.contains("outside the model's folder");
    ensure(!lost && told.contains("64"), told)
}

fn from_parent(inputs: &Inputs, file: &str) -> Check {
    contains(&inputs.info(file, &[])?, &["--files-below"])?;
    textured(inputs, file, &["--files-below", &inputs.path("uris")])
}

/// A person of 1.8 m, who is not scaled in a crowd, within 1.8 mm, and whole in a picture.
fn person(inputs: &Inputs, file: &str) -> Check {
    let (size, _) = bounds(&inputs.json(file)?);
    ensure((size[1] - 1.8).abs() < 0.002, format!("size {size:?}"))?;
    let (_, told) = inputs.shot(&[file], &["--count", "30"])?;
    ensure(!told.contains("scaled by") && !told.contains("wider than tall"), told)?;
    let (code, told) = inputs.run(&["verify", &inputs.path(file), "--format", "f16"]);
    ensure(code == 0, told.clone())?;
    let (picture, _) = inputs.shot(&[file], &[])?;
    let rows = picture.rows(is_orange);
    ensure(
        rows.is_some_and(|(top, bottom)| top > 2 && bottom < 177),
        format!("rows {rows:?}"),
    )
}

fn long_animal(inputs: &Inputs, file: &str) -> Check {
    let (_, told) = inputs.shot(&[file], &["--count", "200"])?;
    let spacing = told
        .split("people stand ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse::<f32>().ok());
    // 1.8 m long.
    ensure(spacing.is_some_and(|spacing| (1.8..=2.8).contains(&spacing)), told)
}

/// No dark pixel around the bright disc.
fn no_fringe(inputs: &Inputs, file: &str) -> Check {
    let view = ["--size", "480x360", "--set", "look.shadows=false"];
    let (picture, told) = inputs.shot(&[file], &view)?;
    let dark = picture.share(|[r, g, b]| r.max(g).max(b) < 60);
    ensure(dark < 1e-4, format!("{dark} of the picture is dark; {told}"))
}

#[test]
fn files_that_were_shown_wrongly_are_right() {
    let Some(folder) = std::env::var_os("THRONG_FAILING").map(PathBuf::from) else {
        skip(
            Need::Failing,
            "THRONG_FAILING does not name the folder of files with a list of right values",
        );
        return;
    };
    let list = std::fs::read_to_string(folder.join("NOTES.tsv")).expect("a list");
    let inputs = Inputs {
        folder: Path::new(&folder).canonicalize().expect("a folder"),
        outputs: temporary(),
    };
    let mut wrong = Vec::new();
    for row in list.lines().skip(1) {
        let file = row.split('\t').next().unwrap_or_default();
        let outcome = check(&inputs, file);
        println!(
            "{:<34} {}",
            file,
            outcome.as_ref().map_or_else(String::as_str, |()| "right")
        );
        wrong.extend(outcome.err().map(|problem| format!("{file}: {problem}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
