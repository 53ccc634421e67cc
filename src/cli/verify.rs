//! `throng verify`: the error of baking a character, in millimetres.

use clap::Args;

use crate::{
    atlas::{
        Atlas, AtlasFormat,
        verify::{VerifyOptions, report::Report, verify_atlases},
    },
    bake::{self, BakeOptions, Palettes},
    cli::inputs::{open_in_place, parse_positive, parse_rate, parse_samples},
    console::{print_json, print_stdout},
    file::Opened,
    model::UnitSpace,
};

const EXAMPLES: &str = "\
Examples:
  throng verify hero.glb                             all formats at 30 frames per second
  throng verify hero.glb --rate 60 --format f16,trs16
  throng verify baked.glb --max-error 0.1            exit code 3 if the error of any vertex is larger";

/// Exit code of a limit that was not met.
const LIMIT_NOT_MET: u8 = 3;

/// Arguments of `verify`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Raw or baked character (.glb, .gltf).
    pub file: String,
    /// Formats to measure; default: that of a baked file, otherwise all.
    #[arg(long, value_delimiter = ',', value_name = "FORMAT,...")]
    pub format: Vec<AtlasFormat>,
    /// Frames per second at which a raw file is baked.
    #[arg(long, default_value = "30", value_parser = parse_rate, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: f32,
    /// Maximum error at baked frames, percent of the height; exit code 3 if exceeded.
    #[arg(long, value_parser = parse_positive, value_name = "PERCENT", allow_negative_numbers = true)]
    pub max_error: Option<f32>,
    /// Maximum number of skinned vertices compared per format; above it, frames are skipped evenly.
    #[arg(long, default_value_t = 8_000_000, value_parser = parse_samples, value_name = "N", allow_negative_numbers = true)]
    pub samples: u64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command; 3 where the limit is not met.
///
/// # Errors
/// A file that does not load or bake.
pub fn run(args: &VerifyArgs) -> anyhow::Result<u8> {
    let opened = open_in_place(&args.file)?;
    let palettes = exact_palettes(&opened, args.rate)?;
    let atlases = atlases(&opened, &palettes, &args.format);
    let options = VerifyOptions {
        max_samples: args.samples,
        ..VerifyOptions::default()
    };
    let report = verify_atlases(&opened.model, &palettes, &atlases, &options);
    if args.json {
        print_json(&report)?;
    } else {
        print_stdout(&report.to_string())?;
    }
    Ok(check(&report, args.max_error))
}

/// The model's clips in full precision, at the frames of its own atlas if it has one.
fn exact_palettes(opened: &Opened, rate: f32) -> Result<Palettes, bake::BakeError> {
    let Opened { model, atlas, .. } = opened;
    match atlas {
        Some(atlas) => {
            let counts: Vec<u32> = atlas.clips.iter().map(|c| c.frame_count).collect();
            Ok(bake::bake_frames(model, &counts, &|_| ()))
        }
        None => bake::bake(model, &BakeOptions { rate }, &|_| ()),
    }
}

/// The file's own atlas as it is, and fresh ones of the other formats asked for.
fn atlases(opened: &Opened, palettes: &Palettes, formats: &[AtlasFormat]) -> Vec<Atlas> {
    let own = opened.atlas.as_ref();
    let formats = match (formats, own) {
        ([], Some(own)) => vec![own.format],
        ([], None) => AtlasFormat::ALL.to_vec(),
        _ => formats.to_vec(),
    };
    let space = own.map_or_else(|| UnitSpace::around(opened.model.mesh.bounds()), |a| a.unit);
    let make = |format| match own {
        Some(own) if own.format == format => own.clone(),
        _ => Atlas::encode(palettes, &space, format),
    };
    formats.into_iter().map(make).collect()
}

/// Says on standard error which format is worse than the limit.
fn check(report: &Report, limit: Option<f32>) -> u8 {
    let Some(limit) = limit else { return 0 };
    let mut code = 0;
    for format in &report.formats {
        let worst = format.total_at_frames.worst_percent;
        // A comparison that is false for NaN.
        if !matches!(
            worst.partial_cmp(&limit),
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
        ) {
            let (name, character) = (format.format.name(), &report.character);
            eprintln!("throng: {character}: the error of {name} is {worst:.4} % of the height, more than {limit} %");
            code = LIMIT_NOT_MET;
        }
    }
    code
}
