//! `throng info`: the contents of a raw or baked character.

use clap::Args;

use crate::{
    atlas::info::Info,
    bake::BakeOptions,
    cli::inputs::{open_in_place, parse_rate},
    console::{print_json, print_stdout},
};

const EXAMPLES: &str = "\
Examples:
  throng info hero.glb
  throng info hero.glb --json | jq .clips
  throng info knight                 an embedded character";

/// Arguments of `info`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct InfoArgs {
    /// Raw or baked character (.glb, .gltf).
    pub file: String,
    /// Frames per second assumed for sizes.
    #[arg(long, default_value = "30", value_parser = parse_rate, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: f32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// A file that does not load.
pub fn run(args: &InfoArgs) -> anyhow::Result<()> {
    let opened = open_in_place(&args.file)?;
    let info = Info::new(&opened.model, opened.atlas.as_ref(), &BakeOptions { rate: args.rate });
    if args.json {
        return Ok(print_json(&info)?);
    }
    Ok(print_stdout(&info.to_string())?)
}
