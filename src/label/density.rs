//! Density maps for crowd counting: pictures whose sum is the number of people.

use glam::Vec2;

use crate::label::{JointSet, KeyPointVisibility, PersonLabel};

/// Returns the mean of the labelled face points of a person whose key points are of a set. Without any, returns the
/// point at the centre of the box, 10 % below its top edge.
#[must_use]
pub fn head_point(person: &PersonLabel, joints: JointSet) -> Vec2 {
    let face = { joints.head_points().into_iter() }
        .filter_map(|index| person.key_points.get(index))
        .filter(|point| point.seen != KeyPointVisibility::Unlabelled);
    let (sum, count) = face.fold((Vec2::ZERO, 0.0), |(sum, count), point| {
        (sum + point.pixel, count + 1.0)
    });
    if count > 0.0 {
        return sum / count;
    }
    let [left, top, width, height] = person.full_box.coco().map(|v| v as f32);
    Vec2::new(left + 0.5 * width, top + 0.1 * height)
}

/// Adds a Gaussian of `sigma` (px) at every point, each with a sum of 1 within the picture. Rows top to bottom.
#[must_use]
pub fn density(points: &[Vec2], size: (u32, u32), sigma: f32) -> Vec<f32> {
    let (width, height) = size;
    let mut map = vec![0.0; width as usize * height as usize];
    for point in points {
        let bell = |center: f32, pixels: u32| -> (usize, Vec<f64>) {
            let first = (center - 4.0 * sigma).floor().max(0.0) as u32;
            let end = ((center + 4.0 * sigma).ceil().max(0.0) as u32).min(pixels);
            let at = |pixel: u32| (f64::from(pixel) + 0.5 - f64::from(center)) / f64::from(sigma);
            let values = (first..end).map(|pixel| (-0.5 * at(pixel).powi(2)).exp());
            (first as usize, values.collect())
        };
        let (left, across) = bell(point.x, width);
        let (top, down) = bell(point.y, height);
        let sum = across.iter().sum::<f64>() * down.iter().sum::<f64>();
        if sum <= 0.0 {
            continue;
        }
        for (row, y) in down.iter().enumerate() {
            let start = (top + row) * width as usize + left;
            for (value, x) in map[start..].iter_mut().zip(&across) {
                *value += (x * y / sum) as f32;
            }
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_sums_to_the_number_of_people() {
        let points = [Vec2::new(20.0, 10.0), Vec2::new(0.2, 0.4), Vec2::new(63.9, 31.5)];
        let map = density(&points, (64, 32), 3.0);
        assert!((map.iter().sum::<f32>() - 3.0).abs() < 1e-4);
        let peak = (0..map.len()).max_by(|&a, &b| map[a].total_cmp(&map[b]));
        // In a corner, a quarter of the Gaussian holds one person.
        assert!(peak.is_some_and(|at| at % 64 < 2 || at % 64 > 61));
        assert!(density(&[], (4, 4), 3.0).iter().all(|&v| v == 0.0));
    }
}
