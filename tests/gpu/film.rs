//! Films and sets that lose their device in the middle: files so far are whole, and the next run continues.

use std::{cell::Cell, collections::BTreeMap, path::Path};

use serde_json::json;
use throng::{
    aov::{AovRenderer, FrameParameters},
    config::Config,
    dataset::{Ranges, SetFiles, SetPlan, Splits, draw_set},
    film::{FilmMoment, FilmPlan, FrameFiles, FrameProgress, FrameRate, MotionBlur, Shard, Sink, render_film},
    gpu::Gpu,
    label::{LabelOptions, LabelRules, PictureRequest, Recorder, record_film},
    render::{DrawMethod, DrawPath, RenderOptions, Renderer, resources::AtlasSource},
    scene::{Scene, StartupTimes},
};

use crate::common::{self, files};

const SIZE: (u32, u32) = (64, 36);
const FRAMES: u64 = 30;

fn config() -> Config {
    let mut config = Config::scene("plaza").expect("a preset");
    config.scene.count = 6;
    config.scene.characters = vec!["knight".into()];
    config.camera.start = "close".to_owned();
    (config.window.width, config.window.height) = SIZE;
    config.render.detail = 0.0;
    config
}

fn opened(gpu: &Gpu, config: &Config) -> (Scene, Renderer) {
    let scene = Scene::load(config, &mut StartupTimes::default()).expect("loads");
    let options = RenderOptions {
        path: DrawPath::Plain,
        ..RenderOptions::of(DrawMethod::new(
            config.render.technique,
            config.render.format,
            AtlasSource::Storage,
        ))
    };
    let renderer = common::gpu::renderer(gpu, &scene, options);
    (scene, renderer)
}

fn plan() -> FilmPlan {
    FilmPlan {
        frames: 0..FRAMES,
        rate: FrameRate::whole(24),
        start: 1.0,
        blur: MotionBlur::OFF,
        shard: Shard::WHOLE,
    }
}

fn frame_files(folder: &Path) -> FrameFiles {
    let pattern = format!("{}/%02d.png", folder.display()).parse().expect("a pattern");
    FrameFiles::open(pattern, SIZE, &json!({"film": 1}), &plan(), false).expect("a folder")
}

/// Loses a device once a number of pictures are drawn.
fn losing(gpu: &Gpu, after: Option<u64>) -> impl FnMut(FrameProgress) {
    let (gpu, lost) = (gpu.clone(), Cell::new(false));
    move |progress| {
        if Some(progress.drawn) == after && !lost.replace(true) {
            gpu.device.destroy();
        }
    }
}

fn film(gpu: &Gpu, folder: &Path, lose_after: Option<u64>) -> anyhow::Result<FrameProgress> {
    let config = config();
    let (scene, mut renderer) = opened(gpu, &config);
    renderer.disable_timing();
    let draw = |view: &wgpu::TextureView, moment: FilmMoment| {
        let moment = FrameParameters::of(&config, &scene, moment.time)?;
        renderer.draw(gpu, view, SIZE, &moment.input);
        Ok(())
    };
    let sink = Sink::Files(frame_files(folder));
    render_film(gpu, &plan(), SIZE, sink, draw, losing(gpu, lose_after))
}

fn recorder(gpu: &Gpu, config: &Config) -> Recorder {
    let (scene, renderer) = opened(gpu, config);
    let wanted = PictureRequest {
        size: SIZE,
        passes: "color,ids".parse().expect("passes"),
        labels: Some(LabelOptions::default()),
        effects: Vec::new(),
    };
    Recorder::new(AovRenderer::new(gpu.clone(), scene, renderer), wanted)
}

fn labelled(gpu: &Gpu, folder: &Path, lose_after: Option<u64>) -> anyhow::Result<FrameProgress> {
    let config = config();
    let mut recorder = recorder(gpu, &config);
    let files = frame_files(folder);
    record_film(&mut recorder, &config, &plan(), &files, losing(gpu, lose_after))
}

fn set(gpu: &Gpu, folder: &Path, lose_after: Option<u64>) -> anyhow::Result<FrameProgress> {
    let plan = SetPlan {
        pictures: FRAMES,
        seed: 7,
        vary: "count,time,seed".parse().expect("names"),
        ranges: Ranges {
            count: [2, 5],
            ..Ranges::default()
        },
        splits: Splits::new(7, FRAMES, 0.2, LabelRules::Second),
        backgrounds: Vec::new(),
        rules: LabelRules::Second,
        base: config(),
        time: 0.0,
        shard: Shard::WHOLE,
        only: None,
    };
    let mut recorder = recorder(gpu, &plan.base);
    let files = SetFiles::open(folder, &json!({"pictures": FRAMES}))?;
    draw_set(&mut recorder, &plan, &files, losing(gpu, lose_after))
}

type Make = fn(&Gpu, &Path, Option<u64>) -> anyhow::Result<FrameProgress>;

#[test]
fn a_lost_device_leaves_whole_pictures_and_the_next_run_goes_on() {
    if common::gpu::open().is_none() {
        return;
    }
    let open = || common::gpu::open().expect("it opened before");
    for (what, make) in [("a film", film as Make), ("a labelled film", labelled), ("a set", set)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
        let done = make(&open(), &whole, None).unwrap_or_else(|e| panic!("{what}: {e:#}"));
        assert_eq!((done.drawn, done.kept), (FRAMES, 0), "{what}");
        let whole = files(&whole);

        let error = make(&open(), &stopped, Some(9)).expect_err(what);
        let told = format!("{error:#}");
        assert!(told.contains("was lost"), "{what}: {told}");
        assert!(
            told.starts_with("frame ") || told.starts_with("picture "),
            "{what}: {told}"
        );
        let kept = files(&stopped);
        let pictures = |files: &BTreeMap<String, Vec<u8>>| files.keys().filter(|name| name.ends_with(".png")).count();
        assert!(pictures(&kept) < pictures(&whole), "{what} was not stopped");
        for (name, bytes) in &kept {
            assert!(whole.get(name) == Some(bytes), "{what}: {name} is not whole");
        }

        let done = make(&open(), &stopped, None).unwrap_or_else(|e| panic!("{what}: {e:#}"));
        assert_eq!(done.drawn + done.kept, FRAMES, "{what}");
        eprintln!("{what}: {} pictures of {FRAMES} were kept", done.kept);
        assert!(done.kept > 0, "{what}: no picture was finished");
        assert!(
            files(&stopped) == whole,
            "{what}: the continued run differs from an uninterrupted one"
        );
    }
}

/// The expected mean sums the light of pictures drawn separately.
#[test]
fn a_blurred_picture_is_the_mean_of_its_moments() {
    let Some(gpu) = common::gpu::open() else { return };
    let config = config();
    let (scene, renderer) = opened(&gpu, &config);
    let mut aov_renderer = AovRenderer::new(gpu, scene, renderer);
    let moments: Vec<FrameParameters> = { (0..7).map(|i| 2.0 + 0.1 * f64::from(i)) }
        .map(|time| FrameParameters::of(&config, &aov_renderer.scene, time).expect("a view"))
        .collect();
    let blurred = aov_renderer.picture(&moments, SIZE).expect("draws");
    let amodal: Vec<Vec<u8>> = { moments.iter() }
        .map(|moment| aov_renderer.picture(std::slice::from_ref(moment), SIZE).expect("draws"))
        .collect();
    let linear = |byte: u8| match f64::from(byte) / 255.0 {
        v if v <= 0.04045 => v / 12.92,
        v => ((v + 0.055) / 1.055).powf(2.4),
    };
    let (mut moved, mut worst) = (0, 0.0_f64);
    for (at, &byte) in blurred.iter().enumerate().filter(|(at, _)| at % 4 != 3) {
        let mean = amodal.iter().map(|picture| linear(picture[at])).sum::<f64>() / amodal.len() as f64;
        let encoded = match mean {
            v if v <= 0.003_130_8 => v * 12.92,
            v => 1.055 * v.powf(1.0 / 2.4) - 0.055,
        };
        worst = worst.max((f64::from(byte) - encoded * 255.0).abs());
        moved += usize::from(amodal.iter().any(|picture| picture[at] != amodal[0][at]));
    }
    assert!(moved > 100, "only {moved} values change");
    // Half a step of rounding, plus errors of single precision.
    assert!(worst < 0.51, "{worst} steps off the mean");
}
