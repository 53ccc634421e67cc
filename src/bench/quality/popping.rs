//! Popping: change of the picture from frame to frame relative to full detail, while the camera moves slowly and nobody
//! else does.

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    bench::{
        SceneMethod,
        quality::studio::{QualityShot, Studio},
        run::progress::BenchProgress,
    },
    gpu::PendingPicture,
};

/// Share of the distance to its target that the camera moves: people grow by more than a third.
const DOLLY_DISTANCE: f32 = 0.3;
/// Number of pixels that are added up at a time.
const PART: usize = 1 << 14;

/// Change of the pixels of people from frame to frame, over that of full detail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Popping {
    /// Number of changes that were compared.
    pub changes: u32,
    /// Median ratio.
    pub median: f64,
    /// 99th percentile: 99 of 100 changes are at most this.
    pub p99: f64,
    /// Largest ratio.
    pub worst: f64,
}

impl Popping {
    /// Summarizes ratios; `None` for an empty list.
    fn of(mut ratios: Vec<f64>) -> Option<Self> {
        ratios.sort_by(f64::total_cmp);
        // Nearest rank: the smallest value that at least 99 % do not exceed.
        let rank = (ratios.len() * 99).div_ceil(100).max(1) - 1;
        Some(Self {
            changes: ratios.len() as u32,
            median: *ratios.get(ratios.len() / 2)?,
            p99: *ratios.get(rank)?,
            worst: *ratios.last()?,
        })
    }
}

/// Frame of the camera move.
struct DollyFrame {
    /// True for each pixel where full detail shows somebody.
    people: Vec<bool>,
    /// Display luminance of full detail, then of every method.
    luminance: Vec<Vec<f32>>,
}

/// Moves the camera of a view through a number of frames. Returns one result per method: `None` if nobody was visible
/// or the run was stopped before the second frame.
///
/// # Errors
/// A lost device, a rejected frame.
pub(super) fn dolly(
    studio: &mut Studio<'_>,
    progress: &BenchProgress,
    ways: &[SceneMethod],
    shot: &QualityShot,
    frames: usize,
) -> Result<Vec<Option<Popping>>> {
    let mut ratios = vec![Vec::new(); ways.len()];
    let mut before: Option<DollyFrame> = None;
    let mut asked: Option<PendingDollyFrame> = None;
    for number in 0..=frames {
        if progress.stopped() {
            break;
        }
        // The GPU draws the next frame while the CPU evaluates this one.
        let next = match number < frames {
            true => Some(ask(studio, ways, shot, DOLLY_DISTANCE * number as f32 / frames as f32)?),
            false => None,
        };
        let Some(own) = std::mem::replace(&mut asked, next) else {
            continue;
        };
        let frame = own.frame(studio)?;
        if let Some(before) = &before {
            let changes = changes(before, &frame);
            let (full, others) = changes.split_first().unwrap_or((&0.0, &[]));
            for (ratios, own) in ratios.iter_mut().zip(others).filter(|_| *full > 0.0) {
                ratios.push(own / full);
            }
        }
        before = Some(frame);
        progress.done(1);
    }
    Ok(ratios.into_iter().map(Popping::of).collect())
}

/// Pictures of a frame that are being read back.
struct PendingDollyFrame {
    people: PendingPicture,
    /// Radiance of full detail, then of every method.
    radiance: Vec<PendingPicture>,
}

/// Submits a frame with the camera at a share of its move.
fn ask(studio: &mut Studio<'_>, ways: &[SceneMethod], shot: &QualityShot, along: f32) -> Result<PendingDollyFrame> {
    let mut camera = studio.moment(SceneMethod::Full, shot)?.camera;
    camera.eye = camera.eye.lerp(camera.target, along);
    let moved = QualityShot {
        camera: Some(camera),
        ..shot.clone()
    };
    let people = studio.queue_people(&moved)?;
    let all = std::iter::once(&SceneMethod::Full).chain(ways);
    let radiance = all.map(|&way| studio.queue_radiance(way, &moved));
    Ok(PendingDollyFrame {
        people,
        radiance: radiance.collect::<Result<_>>()?,
    })
}

impl PendingDollyFrame {
    fn frame(self, studio: &Studio<'_>) -> Result<DollyFrame> {
        let luminance = self.radiance.into_iter().map(|picture| studio.luminance(picture));
        Ok(DollyFrame {
            luminance: luminance.collect::<Result<_>>()?,
            people: studio.people_shown(self.people)?,
        })
    }
}

/// Sums up the changes of all pixels that show somebody before or after.
fn changes(before: &DollyFrame, after: &DollyFrame) -> Vec<f64> {
    let people: Vec<bool> = before
        .people
        .par_iter()
        .zip(&after.people)
        .map(|(a, b)| *a || *b)
        .collect();
    let shown = |((before, after), people): ((&f32, &f32), &bool)| if *people { (before - after).abs() } else { 0.0 };
    let sum = |(before, after): (&Vec<f32>, &Vec<f32>)| {
        let parts = before
            .par_chunks(PART)
            .zip(after.par_chunks(PART))
            .zip(people.par_chunks(PART));
        let part = |((before, after), people): ((&[f32], &[f32]), &[bool])| {
            let pixels = before.iter().zip(after).zip(people);
            pixels.map(|pixel| f64::from(shown(pixel))).sum::<f64>()
        };
        // Parts are added in a fixed order, so that the sum does not depend on the threads.
        parts.map(part).collect::<Vec<f64>>().iter().sum()
    };
    before.luminance.iter().zip(&after.luminance).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pixels_of_people_change() {
        let frame = |people: [bool; 3], full: [f32; 3], auto: [f32; 3]| DollyFrame {
            people: people.to_vec(),
            luminance: vec![full.to_vec(), auto.to_vec()],
        };
        let before = frame([true, false, false], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
        let after = frame([false, true, false], [0.25, 0.25, 1.0], [0.25, 0.5, 0.0]);
        assert_eq!(changes(&before, &after), [0.5, 0.75]);
    }

    #[test]
    fn percentile_is_the_nearest_rank() {
        let popping = Popping::of((1..=200).rev().map(f64::from).collect()).expect("values");
        assert_eq!((popping.changes, popping.p99, popping.worst), (200, 198.0, 200.0));
        assert_eq!(Popping::of(Vec::new()), None);
        assert_eq!(Popping::of(vec![2.0]).expect("one").p99, 2.0);
    }
}
