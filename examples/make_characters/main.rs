//! Generates the default characters and props as glTF binary files.
//!
//! `make_characters [--out DIR] [--only NAME] [--no-levels]` writes `DIR/*.glb` (default `assets`) and prints measures.
//! It fails if a character exceeds its limits. LODs take minutes; `--no-levels` leaves them out for a quick look at a
//! change. The same program always writes the same bytes.

mod actor;
mod anim;
mod body;
mod characters;
mod check;
mod clips;
mod gltf_anim;
mod gltf_out;
mod ik;
mod lathe;
mod mesh;
mod parts;
mod pose;
mod prim;
mod props;
mod rig;
mod sdf;
mod secondary;
mod spline;
mod weights;

use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use characters::Character;
use throng::{
    atlas::{AtlasFormat, FramePlacement, placement::frame_bound},
    bake,
};

/// Characters that stand in formations, all facing one way.
const IN_RANKS: [&str; 1] = ["knight"];

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |option: &str| args.iter().skip_while(|a| *a != option).nth(1).map(String::as_str);
    let out = Path::new(value("--out").unwrap_or("assets"));
    let wanted = |name: &str| value("--only").is_none_or(|only| only == name);
    let plain = args.iter().any(|a| a == "--no-levels");
    let finish = |name: &str, glb: Vec<u8>| {
        if plain {
            return Ok(glb);
        }
        with_chosen_frames(name, &with_lods(name, &glb)?)
    };
    std::fs::create_dir_all(out).with_context(|| format!("creating {}", out.display()))?;
    let mut faults = Vec::new();
    for c in characters::cast().into_iter().filter(|c| wanted(c.name)) {
        let (glb, report) = build(&c)?;
        report.lines.iter().for_each(|line| println!("{line}"));
        faults.extend(report.faults);
        write(out, c.name, &finish(c.name, glb)?)?;
    }
    for p in props::all().into_iter().filter(|p| wanted(p.name)) {
        let name = p.name;
        let glb = p.build()?;
        println!("{name}: {} bytes", glb.len());
        write(out, name, &finish(name, glb)?)?;
    }
    ensure!(faults.is_empty(), "out of limits:\n{}", faults.join("\n"));
    Ok(())
}

/// Builds the file of one character and its measures.
fn build(c: &Character) -> Result<(Vec<u8>, check::Report)> {
    let primitives = mesh::build(&c.actor.rig, &c.parts, c.triangles)?;
    let clips = clips::all(&c.actor).into_iter().map(|clip| {
        let baked = clips::bake(&c.actor, &clip);
        (clip, baked)
    });
    let clips: Vec<_> = clips.collect();
    let baked: Vec<_> = clips.iter().map(|c| c.1.clone()).collect();
    let glb = gltf_out::character(c.name, &c.actor.rig, &primitives, &c.looks, &baked);
    let report = check::character(c, &primitives, &clips, glb.len());
    Ok((glb, report))
}

/// Adds LODs to a file; they are built from the model that a reader imports from it.
fn with_lods(name: &str, glb: &[u8]) -> Result<Vec<u8>> {
    let mut model = throng::file::open_bytes(name, glb, None)?.model;
    bake::extract_root_motion(&mut model);
    model.lods = match IN_RANKS.contains(&name) {
        true => bake::make_lods_for_formations(&model, &|_| ())?,
        false => bake::make_lods(&model, &|_| ())?,
    };
    for lod in &model.lods {
        println!(
            "{name}: level of {} {} up to {:.0} rows, worst vertex {:.1} mm off",
            lod.triangles(),
            lod.kind(),
            lod.max_sample_rows,
            lod.worst_mm
        );
    }
    if model.lods.is_empty() {
        return Ok(glb.to_vec());
    }
    Ok(throng::file::add_lods(glb, &model)?)
}

/// Adds the frames that baking by default chooses, so that opening the character need not search for them.
fn with_chosen_frames(name: &str, glb: &[u8]) -> Result<Vec<u8>> {
    let mut model = throng::file::open_bytes(name, glb, None)?.model;
    if model.clips.is_empty() {
        return Ok(glb.to_vec());
    }
    let largest_error = FramePlacement::default().largest_error(&model);
    bake::prepare(&mut model, largest_error);
    let bound = frame_bound(&model, AtlasFormat::default(), largest_error);
    let chosen = bake::choose_frames(&model, bound, &|_| ()).map_err(|found| anyhow!("{found} frames are too many"))?;
    let frames: usize = chosen.segments.iter().map(|segment| segment.frames.len()).sum();
    println!("{name}: {frames} frames within {:.2} mm", bound.position * 1e3);
    Ok(throng::file::add_chosen_frames(glb, &model, &chosen)?)
}

/// Writes to a temporary file first, so that a reader never sees a partial file.
fn write(dir: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = dir.join(format!("{name}.glb"));
    let temp = dir.join(format!("{name}.glb.tmp"));
    std::fs::write(&temp, bytes).with_context(|| format!("writing {}", temp.display()))?;
    std::fs::rename(&temp, &path).with_context(|| format!("renaming to {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_keeps_its_limits_and_is_reproducible() -> Result<()> {
        for (first, second) in characters::cast().iter().zip(characters::cast()) {
            let (glb, report) = build(first)?;
            assert!(report.faults.is_empty(), "{:?}", report.faults);
            assert_eq!(glb, build(&second)?.0, "{} differs between runs", first.name);
        }
        Ok(())
    }
}
