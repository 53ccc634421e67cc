//! Pictures and panoramas behind the people, in place of ground and sky.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use glam::{Vec2, Vec3};
use image::imageops::FilterType;

use crate::{
    aov::{AovImages, FrameParameters},
    dataset::effects::{encoded, linear},
    file::exr::{self, ExrChannel, ExrSamples},
};

/// Endings of pictures, and of panoramas.
const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "webp"];
const PANORAMA: &str = "exr";

/// Lists the pictures (.png, .jpg, .webp) and panoramas (.exr) of a folder, by name.
///
/// # Errors
/// A folder that cannot be read, or that has none.
pub fn backgrounds_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading the folder {shown}"))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("reading the folder {shown}"))?.path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if PICTURES.contains(&&*ending) || ending == PANORAMA {
            files.push(path);
        }
    }
    files.sort();
    anyhow::ensure!(
        !files.is_empty(),
        "{shown} has no backgrounds: put .png, .jpg, .webp or .exr files there"
    );
    Ok(files)
}

/// Light behind the people, in linear colours.
enum BackgroundPicture {
    /// Picture of the size of the drawn one.
    Picture(Vec<[f32; 3]>),
    /// Panorama all around: directions to columns, heights to rows.
    Panorama(Panorama),
}

struct Panorama {
    size: (u32, u32),
    light: Vec<[f32; 3]>,
}

/// Replaces ground and sky of a picture (RGBA8 in sRGB). Pixels at the outlines of people and scenery, which are smoothed,
/// are replaced in part.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn replace_background(
    color: &mut [u8],
    file: &Path,
    moment: &FrameParameters,
    aovs: &AovImages,
) -> Result<()> {
    let background = BackgroundPicture::read(file, aovs.size)?;
    let (width, height) = aovs.size;
    let ids = aovs.ids();
    let is_free = |x: i64, y: i64| {
        let (x, y) = (x.clamp(0, i64::from(width) - 1), y.clamp(0, i64::from(height) - 1));
        ids[(y * i64::from(width) + x) as usize] == 0
    };
    for (place, pixel) in (0_u32..).zip(color.chunks_exact_mut(4)) {
        let (x, y) = (i64::from(place % width), i64::from(place / width));
        let around = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];
        let free = around.iter().filter(|(dx, dy)| is_free(x + dx, y + dy)).count();
        let share = match (is_free(x, y), free) {
            (true, 5) => 1.0,
            (true, _) => 0.7,
            (false, 0..=1) => 0.0,
            (false, _) => 0.3,
        };
        if share == 0.0 {
            continue;
        }
        let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let light = match &background {
            BackgroundPicture::Picture(light) => light[place as usize],
            BackgroundPicture::Panorama(panorama) => panorama.at(moment.ray(at, aovs.size)),
        };
        for (byte, own) in pixel.iter_mut().zip(light) {
            *byte = encoded(linear(*byte) * (1.0 - share) + own * share);
        }
    }
    Ok(())
}

impl BackgroundPicture {
    fn read(file: &Path, size: (u32, u32)) -> Result<Self> {
        let (width, height) = size;
        let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if ending == PANORAMA {
            return Panorama::read(file).map(Self::Panorama);
        }
        let picture = image::open(file).with_context(|| format!("reading {}", file.display()))?;
        let picture = picture.resize_to_fill(width, height, FilterType::Triangle).into_rgb8();
        let light = picture.pixels().map(|pixel| pixel.0.map(linear));
        Ok(Self::Picture(light.collect()))
    }
}

impl Panorama {
    fn read(file: &Path) -> Result<Self> {
        let (size, channels) = exr::read(file)?;
        let channel = |name: &str| -> Result<Vec<f32>> {
            let own: Option<&ExrChannel> = channels.iter().find(|channel| channel.name == name);
            let own = own.with_context(|| format!("{} has no channel {name}", file.display()))?;
            Ok(match &own.samples {
                ExrSamples::F32(samples) => samples.clone(),
                ExrSamples::F16(samples) => samples.iter().map(|v| v.to_f32()).collect(),
                ExrSamples::U32(samples) => samples.iter().map(|&v| v as f32).collect(),
            })
        };
        let [r, g, b] = [channel("R")?, channel("G")?, channel("B")?];
        let light = r.into_iter().zip(g).zip(b).map(|((r, g), b)| [r, g, b]);
        let mut own = Self {
            size,
            light: light.collect(),
        };
        own.normalize();
        Ok(own)
    }

    /// Scales the light to that of a picture: its median becomes a mid grey, and highlights are compressed.
    fn normalize(&mut self) {
        let mut values: Vec<f32> = self.light.iter().map(|[r, g, b]| 0.3 * r + 0.6 * g + 0.1 * b).collect();
        values.retain(|value| value.is_finite());
        let middle = values.len() / 2;
        let median = match values.get(middle) {
            Some(_) => *values.select_nth_unstable_by(middle, f32::total_cmp).1,
            None => 1.0,
        };
        let scale = 0.25 / median.max(1e-6);
        for light in &mut self.light {
            *light = light.map(|value| {
                let value = if value.is_finite() { value.max(0.0) * scale } else { 0.0 };
                value / (1.0 + value)
            });
        }
    }

    /// Returns the light from a direction; the middle of the panorama is north (-Z).
    fn at(&self, direction: Vec3) -> [f32; 3] {
        let turn = direction.x.atan2(-direction.z) / std::f32::consts::TAU + 0.5;
        let fall = direction.y.clamp(-1.0, 1.0).acos() / std::f32::consts::PI;
        let (width, height) = self.size;
        let column = (turn * width as f32) as u32 % width.max(1);
        let row = ((fall * height as f32) as u32).min(height.saturating_sub(1));
        self.light
            .get((row * width + column) as usize)
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{aov::AovValues, config::Config, render::passes::AovKind, view::Camera};

    fn aovs(ids: Vec<u32>) -> AovImages {
        let mut aovs = AovImages {
            size: (ids.len() as u32, 1),
            ..AovImages::default()
        };
        aovs.layers.insert(AovKind::Ids, AovValues::U32(ids));
        aovs
    }

    fn moment(width: u32) -> FrameParameters {
        let mut config = Config::default();
        (config.window.width, config.window.height) = (width, 1);
        let camera = Camera {
            eye: Vec3::ZERO,
            target: Vec3::NEG_Z,
            fov: 0.01,
        };
        FrameParameters::seen_by(&config, camera, 0.0)
    }

    #[test]
    fn people_stay_and_the_rest_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("red.png");
        let red = image::RgbImage::from_pixel(30, 10, image::Rgb([255, 0, 0]));
        red.save(&file).expect("written");
        assert_eq!(backgrounds_in(folder.path()).expect("one"), std::slice::from_ref(&file));
        let ids = vec![0, 0, 0, 5, 5, 5, 0, 0];
        let mut color = vec![0_u8; 32];
        replace_background(&mut color, &file, &moment(8), &aovs(ids)).expect("reads");
        let reds: Vec<u8> = color.chunks_exact(4).map(|pixel| pixel[0]).collect();
        assert_eq!((reds[0], reds[4], reds[7]), (255, 0, 255), "{reds:?}");
        assert!(reds[2] > reds[3] && reds[3] < 160, "{reds:?}");
        let empty = tempfile::tempdir().expect("a folder");
        assert!(backgrounds_in(empty.path()).is_err_and(|error| error.to_string().contains("no backgrounds")));
    }

    #[test]
    fn panoramas_are_seen_by_direction() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("sky.exr");
        // Four columns: the second and third are beside north.
        let channel = |name: &str, values: [f32; 4]| ExrChannel::new(name, ExrSamples::F32(values.to_vec()));
        let channels = vec![
            channel("B", [0.1, 0.1, 0.1, 9.0]),
            channel("G", [0.1; 4]),
            channel("R", [0.1, 0.1, 5.0, 0.1]),
        ];
        let bytes = exr::encode((4, 1), channels, None).expect("encodes");
        std::fs::write(&file, bytes).expect("written");
        let panorama = Panorama::read(&file).expect("reads");
        let east_of_north = panorama.at(Vec3::new(0.2, 0.0, -1.0).normalize());
        assert!(east_of_north[0] > 2.0 * east_of_north[1], "{east_of_north:?}");
        let west = panorama.at(Vec3::new(-0.2, 0.0, -1.0).normalize());
        assert!((west[0] - west[1]).abs() < 1e-4, "{west:?}");
        assert!(panorama.light.iter().flatten().all(|value| (0.0..1.0).contains(value)));
    }
}
