//! Distortion of a drawn picture, its AOVs and its amodal masks by a lens, all by one map: labels stay exact.

use glam::Vec2;
use half::f16;

use crate::{
    aov::{AovImages, AovValues, FrameParameters},
    model::{linear_from_srgb, srgb_from_linear},
    render::{Amodal, AmodalBox, crowd::AmodalRuns, passes::AovKind},
    view::Distortion,
};

/// Map from the pixels of a distorted picture to the pinhole camera's picture.
pub(crate) struct LensWarp {
    size: (u32, u32),
    source_size: (u32, u32),
    distortion: Distortion,
    /// Focal length of both (px).
    focal: f32,
    /// Place in the pinhole camera's picture (px) of the centre of each pixel, rows top to bottom.
    places: Vec<Vec2>,
}

/// Components of a pixel of an AOV.
const fn components(kind: AovKind) -> usize {
    match kind {
        AovKind::Ids | AovKind::Depth => 1,
        AovKind::Motion | AovKind::Uv => 2,
        // The texture has four channels.
        AovKind::Normal | AovKind::Albedo => 4,
    }
}

fn middle(size: (u32, u32)) -> Vec2 {
    0.5 * Vec2::new(size.0 as f32, size.1 as f32)
}

impl LensWarp {
    /// Makes the map of a picture of `size` (px); `None` without a lens.
    pub(crate) fn of(moment: &FrameParameters, size: (u32, u32)) -> Option<Self> {
        let lens = moment.lens.as_ref()?;
        let focal = moment.focal_length(size.1);
        let place = |pixel: u32| {
            let own = Vec2::new((pixel % size.0) as f32 + 0.5, (pixel / size.0) as f32 + 0.5);
            let from_middle = lens.distortion.undistorted((own - middle(size)) / focal) * focal;
            // Inside by construction; rounding must not leave the picture.
            let most = 2.0 * middle(lens.size) - 0.5;
            (middle(lens.size) + from_middle).clamp(Vec2::splat(0.5), most)
        };
        Some(Self {
            size,
            source_size: lens.size,
            distortion: lens.distortion,
            focal,
            places: (0..size.0 * size.1).map(place).collect(),
        })
    }

    /// Distorts colours (RGBA8 in sRGB): bilinear in linear light.
    pub(crate) fn color(&self, source: &[u8]) -> Vec<u8> {
        let linear: [f32; 256] = std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0));
        let width = self.source_size.0 as usize;
        let warped = self.places.iter().flat_map(|place| {
            let corner = (place - 0.5).floor();
            let part = place - 0.5 - corner;
            let first = corner.y as usize * width + corner.x as usize;
            let right = usize::from(part.x > 0.0);
            let down = if part.y > 0.0 { width } else { 0 };
            let texel = |index: usize, channel: usize| source[4 * index + channel];
            let mix = |channel: usize| {
                let light = |index: usize| linear[usize::from(texel(index, channel))];
                let above = light(first) * (1.0 - part.x) + light(first + right) * part.x;
                let below = light(first + down) * (1.0 - part.x) + light(first + down + right) * part.x;
                let light = above * (1.0 - part.y) + below * part.y;
                (srgb_from_linear(light) * 255.0 + 0.5) as u8
            };
            [mix(0), mix(1), mix(2), texel(first, 3)]
        });
        warped.collect()
    }

    /// Distorts AOVs: each pixel has the values of the nearest one, so that no id and no depth is mixed.
    pub(crate) fn aovs(&self, source: &AovImages) -> AovImages {
        let mut warped = AovImages {
            size: self.size,
            ..AovImages::default()
        };
        for (&kind, values) in &source.layers {
            let count = components(kind);
            let values = match values {
                AovValues::U32(all) => AovValues::U32(self.nearest::<u32>(all, count)),
                AovValues::F16(all) => AovValues::F16(self.nearest::<f16>(all, count)),
                AovValues::F32(all) if kind == AovKind::Motion => AovValues::F32(self.motion(all)),
                AovValues::F32(all) => AovValues::F32(self.nearest::<f32>(all, count)),
            };
            warped.layers.insert(kind, values);
        }
        warped
    }

    /// Distorts the amodal masks of everyone (runs of pixels in column-major order); returns them with their extents.
    pub(crate) fn amodal(&self, extents: &[Amodal], masks: &[AmodalRuns]) -> (Vec<Amodal>, Vec<AmodalRuns>) {
        let one = |(extent, runs): (&Amodal, &AmodalRuns)| self.mask(extent, runs);
        extents.iter().zip(masks).map(one).unzip()
    }

    fn source_pixel(&self, x: u32, y: u32) -> (u32, u32) {
        let place = self.places[(y * self.size.0 + x) as usize];
        (place.x as u32, place.y as u32)
    }

    fn nearest<T: Copy>(&self, source: &[T], count: usize) -> Vec<T> {
        let mut warped = Vec::with_capacity(self.places.len() * count);
        for place in &self.places {
            let first = (place.y as usize * self.source_size.0 as usize + place.x as usize) * count;
            warped.extend_from_slice(&source[first..first + count]);
        }
        warped
    }

    /// Motion vectors lead from a distorted pixel to the distorted place of where its point is next.
    fn motion(&self, source: &[f32]) -> Vec<f32> {
        let nearest = self.nearest::<f32>(source, 2);
        let pixels = nearest.chunks_exact(2).zip(&self.places).zip(0_u32..);
        let warped = pixels.flat_map(|((motion, place), pixel)| {
            let own = Vec2::new((pixel % self.size.0) as f32 + 0.5, (pixel / self.size.0) as f32 + 0.5);
            let next = *place + Vec2::new(motion[0], motion[1]);
            let from_middle = self
                .distortion
                .distorted((next - middle(self.source_size)) / self.focal)
                * self.focal;
            (middle(self.size) + from_middle - own).to_array()
        });
        warped.collect()
    }

    fn mask(&self, extent: &Amodal, runs: &AmodalRuns) -> (Amodal, AmodalRuns) {
        let nobody = Amodal {
            bounds: AmodalBox::EMPTY,
            pixels: 0,
        };
        let from = extent.bounds;
        if from.is_empty() {
            return (nobody, Vec::new());
        }
        let (wide, high) = from.size();
        let mut inside = vec![false; wide as usize * high as usize];
        for pixel in runs.iter().flat_map(|&(first, length)| first..first + length) {
            let (x, y) = (
                pixel / self.source_size.1 - from.left,
                pixel % self.source_size.1 - from.top,
            );
            inside[(y * wide + x) as usize] = true;
        }
        let reach = self.reach(from);
        let (mut bounds, mut pixels, mut warped) = (None::<AmodalBox>, 0, AmodalRuns::new());
        for x in reach.left..reach.right {
            for y in reach.top..reach.bottom {
                let (own_x, own_y) = self.source_pixel(x, y);
                let is_within = (from.left..from.right).contains(&own_x) && (from.top..from.bottom).contains(&own_y);
                if !is_within || !inside[((own_y - from.top) * wide + own_x - from.left) as usize] {
                    continue;
                }
                pixels += 1;
                let pixel = x * self.size.1 + y;
                match warped.last_mut() {
                    Some((first, length)) if *first + *length == pixel => *length += 1,
                    _ => warped.push((pixel, 1)),
                }
                let own = bounds.get_or_insert(AmodalBox {
                    left: x,
                    top: y,
                    right: x + 1,
                    bottom: y + 1,
                });
                (own.left, own.right) = (own.left.min(x), own.right.max(x + 1));
                (own.top, own.bottom) = (own.top.min(y), own.bottom.max(y + 1));
            }
        }
        bounds.map_or((nobody, Vec::new()), |bounds| (Amodal { bounds, pixels }, warped))
    }

    /// Returns a box of the distorted picture that holds all of a box of the pinhole camera's picture: the extremes of
    /// a radial map lie on the border, or on the lines through the middle.
    fn reach(&self, from: AmodalBox) -> AmodalBox {
        let source_middle = middle(self.source_size);
        let [low, high] =
            [(from.left, from.top), (from.right, from.bottom)].map(|(x, y)| Vec2::new(x as f32, y as f32));
        let on_axis = source_middle.clamp(low, high);
        let (mut least, mut most) = (Vec2::MAX, Vec2::MIN);
        for x in [low.x, on_axis.x, high.x] {
            for y in [low.y, on_axis.y, high.y] {
                let own = self
                    .distortion
                    .distorted((Vec2::new(x, y) - source_middle) / self.focal)
                    * self.focal;
                (least, most) = (least.min(own), most.max(own));
            }
        }
        let (least, most) = (least + middle(self.size) - 2.0, most + middle(self.size) + 2.0);
        // Casts from float to integer saturate.
        AmodalBox {
            left: least.x as u32,
            top: least.y as u32,
            right: (most.x.ceil() as u32).min(self.size.0),
            bottom: (most.y.ceil() as u32).min(self.size.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, view::Camera};
    use glam::Vec3;

    fn moment(share: f32) -> (FrameParameters, (u32, u32)) {
        let mut config = Config::default();
        (config.window.width, config.window.height) = (64, 36);
        let camera = Camera {
            eye: Vec3::ZERO,
            target: Vec3::NEG_Z,
            fov: 0.9,
        };
        (
            FrameParameters::seen_by(&config, camera, 0.0).through_lens(&config, share, -0.1),
            (64, 36),
        )
    }

    /// Mask of a rectangle of the pinhole camera's picture.
    fn rectangle(bounds: AmodalBox, height: u32) -> (Amodal, AmodalRuns) {
        let column = |x: u32| (x * height + bounds.top, bounds.bottom - bounds.top);
        let (wide, high) = bounds.size();
        let pixels = wide * high;
        (
            Amodal { bounds, pixels },
            (bounds.left..bounds.right).map(column).collect(),
        )
    }

    #[test]
    fn masks_are_those_of_the_distorted_ids() {
        for share in [-0.1, 0.03] {
            let (moment, size) = moment(share);
            let (_, wide) = moment.drawn(size);
            let warp = LensWarp::of(&moment, size).expect("a lens");
            for [left, top, right, bottom] in [
                [2, 3, 9, 12],
                [0, 0, wide.0, wide.1],
                [30, 10, 50, 30],
                [wide.0 - 3, 0, wide.0, 9],
            ] {
                let bounds = AmodalBox {
                    left,
                    top,
                    right,
                    bottom,
                };
                let (extent, runs) = rectangle(bounds, wide.1);
                let mut ids = vec![0_u32; (wide.0 * wide.1) as usize];
                for (x, y) in (left..right).flat_map(|x| (top..bottom).map(move |y| (x, y))) {
                    ids[(y * wide.0 + x) as usize] = 1;
                }
                let mut source = AovImages {
                    size: wide,
                    ..AovImages::default()
                };
                source.layers.insert(AovKind::Ids, AovValues::U32(ids));
                let warped = warp.aovs(&source);
                let (extents, masks) = warp.amodal(&[extent], &[runs]);
                // Pixels in column-major order.
                let is_own = |pixel: &u32| warped.id_at(pixel / size.1, pixel % size.1) == 1;
                let own: Vec<u32> = (0..size.0 * size.1).filter(is_own).collect();
                let pixels: Vec<u32> = masks[0]
                    .iter()
                    .flat_map(|&(first, length)| first..first + length)
                    .collect();
                assert_eq!(pixels, own, "{share} {bounds:?}");
                assert_eq!(extents[0].pixels as usize, own.len());
                let found = extents[0].bounds;
                let columns = || own.iter().map(|pixel| pixel / size.1);
                let rows = || own.iter().map(|pixel| pixel % size.1);
                if !own.is_empty() {
                    assert_eq!(
                        (Some(found.left), Some(found.right - 1)),
                        (columns().min(), columns().max())
                    );
                    assert_eq!((Some(found.top), Some(found.bottom - 1)), (rows().min(), rows().max()));
                }
            }
        }
    }

    #[test]
    fn colours_and_points_move_alike() {
        let (moment, size) = moment(-0.1);
        let (pinhole, wide) = moment.drawn(size);
        let warp = LensWarp::of(&moment, size).expect("a lens");
        // A bright block of the pinhole camera's picture is where the lens projects its middle.
        let point = Vec3::new(0.55, 0.22, -1.0);
        let source = pinhole.pixel_of(point, wide).expect("in front");
        let mut color = vec![0_u8; (wide.0 * wide.1 * 4) as usize];
        for (x, y) in (0..wide.0).flat_map(|x| (0..wide.1).map(move |y| (x, y))) {
            let near = Vec2::new(x as f32 + 0.5, y as f32 + 0.5).distance(source) < 2.5;
            let own = if near { 255 } else { 0 };
            color[4 * (y * wide.0 + x) as usize..][..4].copy_from_slice(&[own, own, own, 255]);
        }
        let warped = warp.color(&color);
        let (mut sum, mut weight) = (Vec2::ZERO, 0.0);
        for (pixel, rgba) in (0_u32..).zip(warped.chunks_exact(4)) {
            let light = linear_from_srgb(f32::from(rgba[0]) / 255.0);
            sum += light * Vec2::new((pixel % 64) as f32 + 0.5, (pixel / 64) as f32 + 0.5);
            weight += light;
            assert_eq!(rgba[3], 255);
        }
        let shown = sum / weight;
        let projected = moment.pixel_of(point, size).expect("in front");
        assert!(shown.distance(projected) < 0.25, "{shown} {projected}");
        let straight = FrameParameters {
            lens: None,
            ..moment.clone()
        };
        let without = straight.pixel_of(point, size).expect("in front");
        assert!(without.distance(projected) > 0.6, "the lens does nothing");
    }

    #[test]
    fn motion_leads_to_the_distorted_place() {
        let (moment, size) = moment(-0.1);
        let (_, wide) = moment.drawn(size);
        let warp = LensWarp::of(&moment, size).expect("a lens");
        let mut source = AovImages {
            size: wide,
            ..AovImages::default()
        };
        let still = vec![0.0; (wide.0 * wide.1 * 2) as usize];
        source.layers.insert(AovKind::Motion, AovValues::F32(still));
        assert!(
            warp.aovs(&source)
                .floats(AovKind::Motion)
                .iter()
                .all(|v| v.abs() < 0.01),
            "nothing moves"
        );
        let right = [3.0, 0.0].repeat((wide.0 * wide.1) as usize);
        source.layers.insert(AovKind::Motion, AovValues::F32(right));
        let warped = warp.aovs(&source);
        let at = |x: usize, y: usize| warped.floats(AovKind::Motion)[2 * (y * 64 + x)];
        assert!(
            (at(32, 18) - 3.0).abs() < 0.1 && at(2, 18) < 2.9,
            "{} {}",
            at(32, 18),
            at(2, 18)
        );
    }
}
