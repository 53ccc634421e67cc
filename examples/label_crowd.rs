//! Labels pictures of crowds through the library, and draws boxes, masks and key points of everybody over them.
//!
//! ```text
//! cargo run --release --example label_crowd -- OUT [PICTURES]
//! ```

use std::path::{Path, PathBuf};

use anyhow::Result;
use image::{Rgba, RgbaImage};
use throng::{
    aov::{AovRenderer, PassSet},
    config::Config,
    dataset::{Ranges, SetPlan, Splits, Vary},
    film::Shard,
    gpu::AdapterChoice,
    label::{
        Box2, COCO_SKELETON, KeyPointVisibility, LabelOptions, LabelRules, Labels, PersonLabel, PictureRequest,
        Recorder,
    },
    render::DrawPath,
    scene::LodMaker,
};

const SIZE: (u32, u32) = (960, 540);
const FULL: Rgba<u8> = Rgba([255, 255, 255, 255]);
const VISIBLE: Rgba<u8> = Rgba([255, 220, 0, 255]);
const SEEN: Rgba<u8> = Rgba([0, 255, 90, 255]);
const HIDDEN: Rgba<u8> = Rgba([255, 40, 40, 255]);

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "labelled".to_owned()));
    let pictures = arguments.next().map_or(Ok(20), |text| text.parse())?;
    std::fs::create_dir_all(&folder)?;

    let mut base = Config::scene("plaza")?;
    (base.window.width, base.window.height) = SIZE;
    // Without LODs, picture and labels have identical shapes.
    base.render.detail = 0.0;
    let plan = SetPlan {
        pictures,
        seed: 7,
        vary: "camera,count,light,time,seed"
            .parse::<Vary>()
            .map_err(anyhow::Error::msg)?,
        ranges: Ranges::default(),
        splits: Splits::new(7, pictures, 0.1, LabelRules::Second),
        backgrounds: Vec::new(),
        rules: LabelRules::Second,
        base,
        time: 0.0,
        shard: Shard::WHOLE,
        only: None,
    };
    let wanted = PictureRequest {
        size: SIZE,
        passes: PassSet::color(),
        labels: Some(LabelOptions::default()),
        effects: Vec::new(),
    };
    let mut recorder = Recorder::new(
        AovRenderer::open(
            &plan.base,
            &AdapterChoice::Auto,
            (None, DrawPath::Plain),
            LodMaker::default(),
        )?,
        wanted,
    );
    for number in plan.own() {
        let sample = plan.sample(number);
        let config = sample.config(&plan.base);
        recorder.repopulate(&config)?;
        let scene = &recorder.aov_renderer().scene;
        let [moment, _] = sample.moments(&plan, &config, scene)?;
        let recording = recorder.record(number, &[moment], None)?;
        if let (Some(color), Some(labels)) = (recording.color, recording.labels) {
            save(&folder.join(format!("{number:02}.png")), color, &labels)?;
            println!("{number}: {} of {} people", labels.people.len(), sample.count);
        }
    }
    Ok(())
}

fn save(path: &Path, color: Vec<u8>, labels: &Labels) -> Result<()> {
    let picture = RgbaImage::from_raw(SIZE.0, SIZE.1, color);
    let mut picture = picture.ok_or_else(|| anyhow::anyhow!("a picture of another size"))?;
    for person in &labels.people {
        tint(&mut picture, person);
    }
    for person in &labels.people {
        outline(&mut picture, person.full_box, FULL);
        if let Some(visible) = person.visible_box {
            outline(&mut picture, visible, VISIBLE);
        }
        limbs(&mut picture, person);
    }
    Ok(picture.save(path)?)
}

/// Tints the visible pixels of a person with their own colour.
fn tint(picture: &mut RgbaImage, person: &PersonLabel) {
    let hue = person.id.wrapping_mul(2_654_435_761);
    let own = [hue >> 24, hue >> 16 & 0xff, hue >> 8 & 0xff];
    let seen = person.mask.pixels();
    for (pixel, _) in picture.pixels_mut().zip(seen).filter(|(_, seen)| *seen) {
        for (channel, own) in pixel.0.iter_mut().zip(own) {
            *channel = ((u32::from(*channel) * 2 + own) / 3) as u8;
        }
    }
}

fn outline(picture: &mut RgbaImage, bounds: Box2, color: Rgba<u8>) {
    for x in bounds.left..bounds.right {
        dot(picture, x, bounds.top, color);
        dot(picture, x, bounds.bottom - 1, color);
    }
    for y in bounds.top..bounds.bottom {
        dot(picture, bounds.left, y, color);
        dot(picture, bounds.right - 1, y, color);
    }
}

/// Draws lines between key points; green if both ends are visible.
fn limbs(picture: &mut RgbaImage, person: &PersonLabel) {
    for pair in COCO_SKELETON {
        let [a, b] = pair.map(|number| person.key_points[number as usize - 1]);
        if a.seen == KeyPointVisibility::Unlabelled || b.seen == KeyPointVisibility::Unlabelled {
            continue;
        }
        let color = if a.seen.min(b.seen) == KeyPointVisibility::Visible {
            SEEN
        } else {
            HIDDEN
        };
        let steps = a.pixel.distance(b.pixel).ceil().max(1.0) as u32;
        for step in 0..=steps {
            let at = a.pixel.lerp(b.pixel, step as f32 / steps as f32);
            dot(picture, at.x as i64, at.y as i64, color);
        }
    }
}

fn dot(picture: &mut RgbaImage, x: i64, y: i64, color: Rgba<u8>) {
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
        && let Some(pixel) = picture.get_pixel_mut_checked(x, y)
    {
        *pixel = color;
    }
}
