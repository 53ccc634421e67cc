//! `throng info`: the contents of a raw or baked character.

use std::{fmt::Write, path::PathBuf};

use clap::Args;

use crate::{
    atlas::{
        AtlasFormat, FramePlacement,
        info::Info,
        verify::{VerifyOptions, Way, even_steps, report::FormatReport, told, verify, verify_atlases},
    },
    bake::{BakeError, BakeOptions},
    character::Character,
    cli::inputs::{open_in_place, parse_rate, parse_samples},
    console::{print_json, print_stdout},
    file::Opened,
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
    pub file: PathBuf,
    /// Frames per second of even steps, whose sizes are listed.
    #[arg(long, default_value = "30", value_parser = parse_rate, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: f32,
    /// Maximum number of skinned vertices compared for the error; 0 skips it.
    #[arg(long, default_value_t = 300_000, value_parser = parse_samples, value_name = "N", allow_negative_numbers = true)]
    pub samples: u64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What is printed.
#[derive(serde::Serialize)]
struct Described {
    #[serde(flatten)]
    info: Info,
    /// Frames, bytes and errors as drawn: a baked file's own, or where the motion is in f16.
    drawn: Option<FormatReport>,
    /// What even steps of the same format would cost, where frames are placed by the motion.
    even: Option<[Way; 2]>,
}

/// Runs the command.
///
/// # Errors
/// A file that does not load.
pub fn run(args: &InfoArgs) -> anyhow::Result<()> {
    let opened = open_in_place(&args.file)?;
    // What cannot be baked has a note that says so.
    let (drawn, even) = drawn(&opened, args.samples).unwrap_or_default();
    let options = BakeOptions { rate: args.rate };
    let mut info = Info::new(&opened.model, opened.atlas.as_ref(), &options);
    let height = info.bounds_max[1] - info.bounds_min[1];
    info.notes.extend(match Character::from_opened(opened, &options) {
        Ok(character) => character.stance().notes(height),
        Err(error) => vec![format!("cannot be drawn: {error}")],
    });
    if args.json {
        return Ok(print_json(&Described { info, drawn, even })?);
    }
    let mut text = info.to_string();
    if let Some(drawn) = &drawn {
        write!(text, "{}", Drawn(drawn))?;
    }
    if let Some(even) = &even {
        writeln!(text, "  even steps {}", told(even))?;
    }
    Ok(print_stdout(&text)?)
}

/// What the frames that are drawn cost in accuracy, and what even steps would; nothing where it is not to be measured,
/// or nothing moves.
fn drawn(opened: &Opened, samples: u64) -> Result<(Option<FormatReport>, Option<[Way; 2]>), BakeError> {
    let Opened { model, atlas, .. } = opened;
    if samples == 0 || model.clips.is_empty() {
        return Ok((None, None));
    }
    let options = VerifyOptions {
        max_samples: samples,
        ..VerifyOptions::default()
    };
    let (report, bound) = match atlas {
        Some(atlas) => {
            let palettes = std::sync::Arc::new(atlas.clone()).to_palettes(model);
            let report = verify_atlases(model, &palettes, std::slice::from_ref(atlas), &options);
            // Of frames as they are stored.
            (report.without_encoding(), atlas.bound)
        }
        None => {
            let palettes = FramePlacement::default().bake(model, &|_| ())?;
            (
                verify(model, &palettes, &[AtlasFormat::default()], &options),
                palettes.bound,
            )
        }
    };
    let drawn = report.formats.into_iter().next();
    let by_motion = drawn.as_ref().filter(|_| bound.is_some());
    let even = by_motion.map(|drawn| even_steps(model, drawn.format, drawn.frames.into()));
    // What does not fit at even steps is not set beside.
    let even = even.and_then(Result::ok);
    Ok((drawn, even))
}

/// The lines about frames and errors.
struct Drawn<'a>(&'a FormatReport);

impl std::fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(drawn) = self;
        let total = &drawn.total;
        writeln!(
            f,
            "  drawn      {}, {} frames, {} bytes; off by at most {:.2} mm ({:.3} % of the height), 99 of 100 by {:.2} mm",
            drawn.format.name(),
            drawn.frames,
            drawn.bytes,
            total.worst_mm,
            total.worst_percent,
            total.p99_mm
        )?;
        for clip in &drawn.clips {
            let Some(at) = &clip.total.at else { continue };
            writeln!(
                f,
                "    {:<24}{:>6} frames, at most {:.2} mm at {:.2} s, 99 of 100 {:.2} mm",
                clip.clip, clip.frames, clip.total.worst_mm, at.time, clip.total.p99_mm
            )?;
        }
        Ok(())
    }
}
