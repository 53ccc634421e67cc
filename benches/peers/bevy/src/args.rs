//! The command line.

use std::{path::PathBuf, process::exit};

use bevy::prelude::{Msaa, Resource, Vec3};
use clap::Parser;

/// Draw copies of a skinned glTF character with Bevy, without a window, and print one line of JSON
#[derive(Parser, Resource)]
#[command(
    version,
    after_help = "Exit codes: 0 success, 1 failure, 2 invalid usage or input, 3 drawn, but with errors or without motion."
)]
pub(crate) struct Args {
    /// Character (.glb, .gltf)
    #[arg(long, value_name = "FILE")]
    pub(crate) model: PathBuf,
    /// Position of the camera (m)
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub(crate) eye: Vec3,
    /// Point in the centre of the picture (m)
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub(crate) target: Vec3,
    /// Vertical field of view (degrees)
    #[arg(long, value_name = "DEGREES", default_value = "45", value_parser = positive)]
    pub(crate) fov: f32,
    /// Number of copies
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) count: u32,
    /// Picture size (px)
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = size)]
    pub(crate) size: (u32, u32),
    /// Samples per pixel, 1 or 4
    #[arg(long, value_name = "N", default_value = "1", value_parser = samples)]
    pub(crate) samples: Msaa,
    /// Distance between copies (m) in a square grid around the origin
    #[arg(long, value_name = "METRES", default_value = "7", value_parser = positive)]
    pub(crate) spacing: f32,
    /// Height of a copy in its bind pose (m)
    #[arg(long, value_name = "METRES", default_value = "1.75", value_parser = positive)]
    pub(crate) height: f32,
    /// Index of the animation that all play, from 0 [default: every animation, equally often]
    #[arg(long, value_name = "K")]
    pub(crate) clip: Option<usize>,
    /// Number of frames to measure
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) frames: u32,
    /// Number of warm-up frames
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) warmup: u32,
    /// Also write the picture to this file
    #[arg(long, value_name = "OUT.png")]
    pub(crate) png: Option<PathBuf>,
    /// Part of the adapter's name [default: Bevy's choice]
    #[arg(long, value_name = "TEXT")]
    pub(crate) adapter: Option<String>,
}

/// Ends the program with an error about invalid input.
pub(crate) fn refuse(why: &str) -> ! {
    eprintln!("bevy-crowd: {}", why.lines().next().unwrap_or_default());
    exit(2)
}

fn positive(text: &str) -> Result<f32, String> {
    let number = text.parse().ok();
    number
        .filter(|number: &f32| number.is_finite() && *number > 0.0)
        .ok_or("not a positive number".to_owned())
}

fn point(text: &str) -> Result<Vec3, String> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(str::parse).collect();
    match numbers.as_deref() {
        Ok(&[x, y, z]) if Vec3::new(x, y, z).is_finite() => Ok(Vec3::new(x, y, z)),
        _ => Err("not three numbers".to_owned()),
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=16_384).contains(side));
    let sides = text.split_once('x');
    let sides = sides.and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or("not WIDTHxHEIGHT".to_owned())
}

fn samples(text: &str) -> Result<Msaa, String> {
    match text {
        "1" => Ok(Msaa::Off),
        "4" => Ok(Msaa::Sample4),
        _ => Err("neither 1 nor 4".to_owned()),
    }
}
