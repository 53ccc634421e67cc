//! Labels of films of trajectories: MOT and COCO against the file's own places, ids and times.

use std::{collections::BTreeMap, fmt::Write, path::Path};

use glam::{Vec2, Vec3};
use serde_json::Value;
use throng::{
    aov::AovRenderer,
    config::{Config, Ground, Raster, Technique},
    film::{FilmPlan, FrameFiles, FrameRate, MotionBlur, Shard},
    gpu::Gpu,
    label::{LabelOptions, PictureRequest, Recorder, record_film},
    tracks::{ReadOptions, Tracks},
};

use crate::{common, labels::observer_on};

const SIZE: (u32, u32) = (480, 270);
/// Left and right ankle among COCO's points.
const ANKLES: [usize; 2] = [15, 16];

/// Film of a file of trajectories, without smoothing, at times of its samples.
struct TrackFilm<'a> {
    file: &'a Path,
    frames: u64,
    rate: u32,
    start: f64,
}

impl TrackFilm<'_> {
    fn renderer(&self, gpu: Gpu, config: &Config) -> AovRenderer {
        observer_on(gpu, config, Technique::Matrix, Raster::Hardware)
    }

    fn config(&self) -> Config {
        let mut config = Config::default();
        self.file.clone_into(&mut config.scene.trajectories.file);
        config.scene.trajectories.smooth = 0.0;
        config.look.ground = Ground::Grid;
        (config.window.width, config.window.height) = SIZE;
        config.render.detail = 0.0;
        config
    }

    /// Records the film into a folder.
    fn record(&self, gpu: Gpu, folder: &Path) {
        let config = self.config();
        let wanted = PictureRequest {
            size: SIZE,
            passes: "color".parse().expect("passes"),
            labels: Some(LabelOptions {
                least_pixels: 0,
                formats: "mot,mots,coco-video".parse().expect("formats"),
                ..LabelOptions::default()
            }),
            effects: Vec::new(),
        };
        let mut recorder = Recorder::new(self.renderer(gpu, &config), wanted);
        let plan = FilmPlan {
            frames: 0..self.frames,
            rate: FrameRate::whole(self.rate),
            start: self.start,
            blur: MotionBlur::OFF,
            shard: Shard::WHOLE,
        };
        let pattern = format!("{}/img1/%02d.png", folder.display())
            .parse()
            .expect("a pattern");
        let files = FrameFiles::open(pattern, SIZE, &Value::Null, &plan, false).expect("a folder");
        record_film(&mut recorder, &config, &plan, &files, |_| ()).expect("records");
    }

    /// Places of the file (m, world) by the ids of those who have a sample at a frame.
    fn wanted(&self, tracks: &Tracks, frame: u64) -> BTreeMap<String, Vec3> {
        let first = tracks
            .samples
            .iter()
            .map(|sample| sample.time)
            .fold(f64::INFINITY, f64::min);
        let time = first + self.start + frame as f64 / f64::from(self.rate);
        let place = |agent: &throng::tracks::Agent| {
            let own = tracks.samples_of(agent);
            let sample = own.iter().find(|sample| (sample.time - time).abs() < 1e-6)?;
            Some((agent.id.to_string(), Vec3::new(sample.x, 0.0, -sample.y)))
        };
        tracks.agents.iter().filter_map(place).collect()
    }
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

fn vector(value: &Value) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|axis| value[axis].as_f64().expect("a number") as f32))
}

/// Camera of a picture, from its labels alone.
struct Pinhole {
    eye: Vec3,
    axes: [Vec3; 3],
    focal: f32,
}

impl Pinhole {
    fn of(image: &Value) -> Self {
        let extras = &image["extras"];
        let eye = vector(&extras["eye"]);
        let ahead = (vector(&extras["target"]) - eye).normalize();
        let right = ahead.cross(Vec3::Y).normalize();
        let fov = extras["fov_vertical_degrees"].as_f64().expect("an angle").to_radians() as f32;
        Self {
            eye,
            axes: [right, ahead.cross(right), ahead],
            focal: 0.5 * SIZE.1 as f32 / (0.5 * fov).tan(),
        }
    }

    fn depth(&self, point: Vec3) -> f32 {
        (point - self.eye).dot(self.axes[2])
    }

    fn pixel(&self, point: Vec3) -> Vec2 {
        let [x, y] = [0, 1].map(|axis| (point - self.eye).dot(self.axes[axis]) * self.focal / self.depth(point));
        Vec2::new(0.5 * SIZE.0 as f32 + x, 0.5 * SIZE.1 as f32 + y)
    }
}

/// Lines of `gt.txt` by frame (from 1) and identity: left, top, width, height.
fn boxes(path: &Path) -> BTreeMap<(u64, u64), [f32; 4]> {
    let text = std::fs::read_to_string(path).expect("boxes");
    let line = |line: &str| {
        let numbers: Vec<f32> = line.split(',').map(|field| field.parse().expect("a number")).collect();
        let bounds = [numbers[2] - 1.0, numbers[3] - 1.0, numbers[4], numbers[5]];
        ((numbers[0] as u64, numbers[1] as u64), bounds)
    };
    text.lines().map(line).collect()
}

/// Compares all labels of a film with its file; `track_id` gives the number that labels have for an id. Returns the
/// number of compared people and the largest distance (px).
fn compare(film: &TrackFilm<'_>, folder: &Path, track_id: impl Fn(&str) -> u64) -> (usize, f32) {
    let tracks = Tracks::open(film.file, &ReadOptions::default()).expect("reads");
    let boxes = boxes(&folder.join("gt/gt.txt"));
    let (mut count, mut largest) = (0, 0.0_f32);
    for frame in 0..film.frames {
        let labels = json(&folder.join(format!("img1/{frame:02}.labels.json")));
        let camera = Pinhole::of(&labels["images"][0]);
        let wanted = film.wanted(&tracks, frame);
        let by_mot: Vec<u64> = boxes.keys().filter(|key| key.0 == frame + 1).map(|key| key.1).collect();
        let mut ids: Vec<u64> = wanted.keys().map(|id| track_id(id)).collect();
        ids.sort_unstable();
        assert_eq!(
            by_mot, ids,
            "frame {frame}: MOT's ids are those of the people who are there"
        );
        let annotations = labels["annotations"].as_array().expect("a list");
        assert_eq!(annotations.len(), wanted.len(), "frame {frame}");
        for annotation in annotations {
            let (id, extras) = (annotation["track_id"].as_u64().expect("an id"), &annotation["extras"]);
            let name = extras["track"].as_str().expect("the file's id");
            assert_eq!(id, track_id(name));
            let place = wanted[name];
            let own = camera.pixel(place);
            let told = [0, 1].map(|axis| extras["ground_point"][axis].as_f64().expect("a pixel") as f32);
            let told = Vec2::from_array(told);
            largest = largest.max(told.distance(own));
            count += 1;
            assert!(told.distance(own) <= 2.0, "{name} at frame {frame}: {told}, not {own}");
            // The drawn body stands there: its ankles are within half a metre, its box is around the point.
            let metre = camera.focal / camera.depth(place);
            let points = annotation["keypoints"].as_array().expect("points");
            let ankle = |point: usize| {
                let at = |axis: usize| points[3 * point + axis].as_f64().expect("a pixel") as f32;
                Vec2::new(at(0), at(1))
            };
            let middle = 0.5 * (ankle(ANKLES[0]) + ankle(ANKLES[1]));
            assert!(
                middle.distance(own) < 0.5 * metre,
                "{name} at frame {frame}: ankles {middle}, not {own}"
            );
            let [left, _, width, _] = boxes[&(frame + 1, id)];
            assert!(
                (left - 3.0..left + width + 3.0).contains(&own.x),
                "{name} at frame {frame}: box"
            );
        }
    }
    (count, largest)
}

/// Two people with names and one with a number: one pauses, one comes late.
fn named(folder: &Path) -> std::path::PathBuf {
    let mut text = "id,t,x,y\n".to_owned();
    for at in 0..40 {
        let t = f64::from(at) * 0.2;
        let mut line = |id: &str, x: f64, y: f64| writeln!(text, "{id},{t:.1},{x:.4},{y:.4}").expect("memory");
        line("7", 0.25 * t, 0.1 * t * t);
        // Whole seconds are missing: a gap.
        if !(10..30).contains(&at) {
            line("ped_1", 4.0 - 0.3 * t, 1.0 + 0.2 * t);
        }
        if at >= 20 {
            line("late", 2.0, 5.0 - 0.4 * t);
        }
    }
    let path = folder.join("named.csv");
    std::fs::write(&path, text).expect("writes");
    path
}

#[test]
fn labels_of_named_trajectories_have_their_places_ids_and_gaps() {
    let Some(gpu) = common::gpu::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let film = TrackFilm {
        file: &named(folder.path()),
        frames: 8,
        rate: 1,
        start: 0.0,
    };
    film.record(gpu, folder.path());
    let number = |id: &str| match id {
        "7" => 1,
        "ped_1" => 2,
        "late" => 3,
        other => panic!("{other}"),
    };
    let (count, largest) = compare(&film, folder.path(), number);
    println!("{count} people, ground points within {largest:.2} px");
    // Eight frames: one person in all, one in four of them, one in the last four.
    assert_eq!(count, 16);
    let tracks = json(&folder.path().join("img1/film.tracks.json"));
    assert_eq!(tracks, serde_json::json!({"1": "7", "2": "ped_1", "3": "late"}));
    let video = json(&folder.path().join("img1/film.coco-video.json"));
    let annotations = video["annotations"].as_array().expect("a list");
    assert!(annotations.len() == 16 && annotations.iter().all(|one| one["track_id"] == one["instance_id"]));
    let masks = std::fs::read_to_string(folder.path().join("gt/mots.txt")).expect("masks");
    assert!(
        masks.lines().any(|line| line.starts_with("1 2001 2 ")),
        "instance 1 of class 2"
    );
}

/// A car that hides somebody and passes, and somebody in front of it.
const STREET: &str = r#"<fcd-export>
<timestep time="0"><vehicle id="car" x="2" y="0" angle="90" type="car"/><person id="4" x="0" y="2" angle="0"/>
<person id="9" x="0" y="-4" angle="0"/></timestep>
<timestep time="1"><vehicle id="car" x="6" y="0" angle="90" type="car"/><person id="4" x="0" y="3" angle="0"/>
<person id="9" x="0" y="-3" angle="0"/></timestep>
</fcd-export>"#;

#[test]
fn vehicles_are_drawn_and_have_no_labels() {
    let Some(gpu) = common::gpu::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fcd.xml");
    std::fs::write(&path, STREET).expect("writes");
    let film = TrackFilm {
        file: &path,
        frames: 1,
        rate: 1,
        start: 0.0,
    };
    let renderer = film.renderer(gpu.clone(), &film.config());
    assert_eq!((renderer.scene.vehicle_kinds, renderer.scene.crowd.count()), (1, 3));
    film.record(gpu, folder.path());
    let labels = json(&folder.path().join("img1/00.labels.json"));
    let annotations = labels["annotations"].as_array().expect("a list");
    let names: Vec<&str> = annotations
        .iter()
        .filter_map(|one| one["extras"]["track"].as_str())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.contains(&"4") && names.contains(&"9"), "{names:?}");
    assert!(
        labels["categories"].as_array().is_some_and(|all| all.len() == 1),
        "people alone"
    );
}

#[test]
fn labels_of_a_simulation_have_the_ids_of_its_file() {
    let Some(samples) = common::samples() else { return };
    let Some(gpu) = common::gpu::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let film = TrackFilm {
        file: &samples.join("trajectories/jupedsim_v3.sqlite"),
        frames: 4,
        rate: 1,
        start: 4.0,
    };
    film.record(gpu, folder.path());
    let (count, largest) = compare(&film, folder.path(), |id| id.parse().expect("a whole number"));
    println!("{count} people, ground points within {largest:.2} px");
    assert!(count > 80, "{count}");
}
