//! `throng export`: writes the atlas as KTX2 and JSON, and the character as a plain GLB; with `--web`, a page.

mod page;
mod site;

pub use site::SiteArgs;

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{
    atlas::AtlasFormat,
    character::Character,
    cli::{
        AnimationArgs,
        inputs::{BadUsage, CharacterFiles, frame_placement, parse_frames, refuse_overwriting_inputs},
    },
    file::{Animations, export, output::write_files},
    model::Model,
    scene::open_animated,
};

const EXAMPLES: &str = "\
Examples:
  throng export baked.glb -o out/        out/baked.ktx2, out/baked.json, out/baked.glb
  throng export hero.glb -o out/ --format f32 --rate 60
  throng export characters/*.glb -o out/ three files for each character
  throng export --web site/ --page web/dist hero.glb villain.glb --scene plaza --count 3000
  throng export --web site/ --page web/dist --scene mine.toml

docs/export.md describes the files, docs/web.md the page.";

/// Arguments of `export`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// Characters (.glb, .gltf), or folders of them. Raw files are baked first. With --web, a .toml file is the scene.
    #[arg(required_unless_present = "web", value_name = "FILE|FOLDER")]
    pub files: Vec<PathBuf>,
    /// Output folder (created if missing).
    #[arg(short, long, required_unless_present = "web", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Clips of other files.
    #[command(flatten)]
    pub animations: AnimationArgs,
    /// Encoding. Default: that of a baked file, otherwise f16.
    #[arg(long)]
    pub format: Option<AtlasFormat>,
    /// Frames per second for raw files, or motion: the fewest frames that keep every vertex within 0.1 % of the height
    /// at any time.
    #[arg(long, default_value = "motion", value_parser = parse_frames, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: f32,
    /// Options of a page.
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Runs the command on all characters, one after another. With several, a failure costs a line and the others continue.
/// A page is written whole or not at all.
///
/// # Errors
/// A single file does not load or fit a texture, two would write the same files, or the folder cannot be written.
pub fn run(args: &ExportArgs) -> anyhow::Result<u8> {
    if let Some(folder) = &args.site.web {
        return site::run(&args.files, &args.animations, &args.site, folder);
    }
    let Some(folder) = &args.output else {
        return Err(BadUsage("nothing says where to write: give -o DIR, or --web DIR for a page".to_owned()).into());
    };
    let files = CharacterFiles::find(&args.files, args.animations.variants.as_deref())?;
    let animations = files.open_animations(&args.animations)?;
    let written = RefCell::new(BTreeSet::new());
    files.each(None, |file| {
        Ok((
            export_file(file, args, folder, &animations, &mut written.borrow_mut())?,
            0,
        ))
    })
}

/// Files written for a character, and what they leave out.
#[derive(serde::Serialize)]
struct Exported {
    files: Vec<(PathBuf, usize)>,
    left_out: Vec<String>,
}

impl fmt::Display for Exported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, bytes) in &self.files {
            writeln!(f, "wrote {} ({bytes} bytes)", path.display())?;
        }
        for left_out in &self.left_out {
            writeln!(f, "left out: {left_out}")?;
        }
        Ok(())
    }
}

fn export_file(
    file: &Path,
    args: &ExportArgs,
    folder: &Path,
    animations: &Animations,
    written: &mut BTreeSet<PathBuf>,
) -> anyhow::Result<Exported> {
    let opened = open_animated(file, animations)?;
    animations.check_hidden(&opened.model)?;
    let own = opened.atlas.as_ref().map(|a| a.format);
    let has_vertices = opened.vertices.is_some();
    let character = Character::from_opened(opened, frame_placement(args.rate, args.format))?;
    let atlas = character.atlas(args.format.or(own).unwrap_or_default());
    let model = &character.model;
    let files = export(model, &atlas).map_err(|e| BadUsage(format!("{}: {e}", model.name)))?;
    let check = |path: &Path| -> anyhow::Result<()> {
        let inputs = args.files.iter().map(PathBuf::as_path).chain(args.animations.files());
        refuse_overwriting_inputs(path, inputs.chain([file]))?;
        if written.contains(path) {
            let message = format!(
                "two characters would be written to {}; export them separately",
                path.display()
            );
            return Err(BadUsage(message).into());
        }
        Ok(())
    };
    let exported = Exported {
        files: write_files(folder, &files.files(&model.name), check)?,
        left_out: left_out(model, has_vertices),
    };
    written.extend(exported.files.iter().map(|(path, _)| path.clone()));
    Ok(exported)
}

/// Contents of a character that the exported files lack or hold elsewhere, one line each.
fn left_out(model: &Model, has_vertices: bool) -> Vec<String> {
    let name = &model.name;
    let splats = model.lods.iter().filter(|lod| lod.is_splats()).count();
    let lines = [
        (!model.clips.is_empty()).then(|| {
            let clips = model.clips.len();
            let s = if clips == 1 { "" } else { "s" };
            format!("keys of {clips} clip{s} in {name}.glb: their baked frames are in {name}.ktx2")
        }),
        (splats > 0).then(|| format!("meshes of {splats} levels made of splats: {name}.json describes them")),
        has_vertices.then(|| "baked vertices of technique vertex".to_owned()),
    ];
    lines.into_iter().flatten().chain(model.all_notes()).collect()
}
