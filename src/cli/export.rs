//! `throng export`: writes the atlas as KTX2 and JSON, and the character as a plain GLB.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::{
    atlas::AtlasFormat,
    character::Character,
    cli::{
        AnimationArgs,
        inputs::{BadUsage, frame_placement, parse_frames, refuse_overwriting_inputs},
    },
    console::print_stdout,
    file::{export, output::Output},
    scene::open_animated,
};

const EXAMPLES: &str = "\
Examples:
  throng export baked.glb -o out/        out/baked.ktx2, out/baked.json, out/baked.glb
  throng export hero.glb -o out/ --format f32 --rate 60

docs/export.md describes the files.";

/// Arguments of `export`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// Character (.glb, .gltf). Raw files are baked first.
    pub file: PathBuf,
    /// Output folder (created if missing).
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
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
}

/// Runs the command.
///
/// # Errors
/// The file does not load or fit a texture, or the folder cannot be written.
pub fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let animations = args.animations.open()?;
    let opened = open_animated(&args.file, &animations)?;
    animations.check_hidden(&opened.model)?;
    let own = opened.atlas.as_ref().map(|a| a.format);
    let character = Character::from_opened(opened, frame_placement(args.rate, args.format))?;
    let atlas = character.atlas(args.format.or(own).unwrap_or_default());
    let files = export(&character.model, &atlas).map_err(|e| BadUsage(format!("{}: {e}", character.model.name)))?;
    let folder = &args.output;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let parts: [(&str, &[u8]); 3] = [
        ("ktx2", &files.texture),
        ("json", files.description.as_bytes()),
        ("glb", &files.character),
    ];
    // Open all three files before writing any.
    let open = |(ending, bytes)| -> anyhow::Result<_> {
        let path = folder.join(format!("{}.{ending}", character.model.name));
        refuse_overwriting_inputs(&path, args.animations.files().chain([args.file.as_path()]))?;
        Ok((Output::create(&path)?, path, bytes))
    };
    for (output, path, bytes) in parts.map(open).into_iter().collect::<anyhow::Result<Vec<_>>>()? {
        output.write(bytes)?;
        print_stdout(&format!("wrote {} ({} bytes)\n", path.display(), bytes.len()))?;
    }
    Ok(())
}
