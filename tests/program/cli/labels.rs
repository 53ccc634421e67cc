//! Passes, labels and sets from the command line: files that belong to one picture, that continue after a stop, that
//! parts make whole.

use std::{collections::BTreeMap, path::Path, process::Command};

use serde_json::Value;
use throng::file::exr::{self, ExrSamples};

use super::{json, names, pictures::can_draw, small_scene, succeed, temporary, text, throng};
use crate::common::gpu::adapter;

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Contents of all files below a folder, by relative path.
fn all(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            found.extend(
                all(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            );
        } else {
            found.insert(name, std::fs::read(&path).expect("readable"));
        }
    }
    found
}

/// Files that a command reports as written, sorted.
fn told_files(output: &str) -> Vec<String> {
    let line = output.lines().find_map(|line| line.strip_prefix("wrote "));
    let mut files: Vec<String> = line.expect("a line").trim().split(", ").map(str::to_owned).collect();
    files.sort_unstable();
    files
}

#[test]
fn a_shot_has_its_passes_and_labels_beside_it() {
    let folder = temporary();
    if !can_draw(temporary().path()) {
        return;
    }
    let passes = "color,depth,normal,ids,motion,uv,albedo";
    let shot = |more: &[&str]| {
        let arguments = [&["shot", "--camera", "street"], &small_scene()[..], more].concat();
        told_files(&succeed(folder.path(), &arguments))
    };
    let told = shot(&[
        "-o",
        "a.png",
        "--passes",
        passes,
        "--labels",
        "--density",
        "3",
        "--min-pixels",
        "0",
    ]);
    let expected = [
        "a.albedo.exr",
        "a.density.exr",
        "a.depth.exr",
        "a.ids.exr",
        "a.json",
        "a.labels.json",
        "a.motion.exr",
        "a.normal.exr",
        "a.png",
        "a.uv.exr",
    ];
    assert_eq!(names(folder.path()), expected);
    assert_eq!(told, expected);
    let read = |name: &str| {
        let (size, channels) = exr::read(&folder.path().join(name)).expect("OpenEXR");
        assert_eq!(size, (64, 36), "{name}");
        channels
    };
    let named = |name: &str| {
        read(name)
            .iter()
            .map(|channel| channel.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(named("a.ids.exr"), ["id"]);
    assert_eq!(named("a.depth.exr"), ["Z"]);
    assert_eq!(named("a.motion.exr"), ["motion.X", "motion.Y"]);
    assert_eq!(named("a.normal.exr"), ["normal.X", "normal.Y", "normal.Z"]);

    // Labels agree with the passes.
    let labels = read_json(&folder.path().join("a.labels.json"));
    let ExrSamples::U32(ids) = &read("a.ids.exr")[0].samples else {
        panic!("whole numbers")
    };
    let people = labels["annotations"].as_array().expect("a list");
    assert!(people.len() > 3, "{} people", people.len());
    for person in people {
        let id = person["extras"]["person"].as_u64().expect("an id");
        let count = ids.iter().filter(|&&own| u64::from(own) == id).count() as u64;
        assert_eq!(person["visible_pixels"], count);
        assert_eq!(person["keypoints"].as_array().map(Vec::len), Some(51));
        assert!(person["full_pixels"].as_u64() >= Some(count));
    }
    let ExrSamples::F32(density) = &read("a.density.exr")[0].samples else {
        panic!("floats")
    };
    let sum: f32 = density.iter().sum();
    assert!(
        (sum - people.len() as f32).abs() < 0.01,
        "{sum} people, and {} labels",
        people.len()
    );
    let camera = read_json(&folder.path().join("a.json"));
    assert_eq!(camera["passes"]["depth"], "a.depth.exr");
    let rows = camera["camera"]["projection_from_world"].as_array().expect("rows");
    assert_eq!((rows.len(), rows[0].as_array().map(Vec::len)), (4, Some(4)));

    // The picture equals that without passes.
    assert_eq!(shot(&["-o", "b.png"]), ["b.png"]);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).expect("there");
    assert!(bytes("a.png") == bytes("b.png"));
    let told = shot(&["-o", "c.png", "--passes", "ids,depth", "--pass-format", "png"]);
    assert_eq!(told, ["c.depth.exr", "c.ids.png", "c.json"], "no colour was asked for");
    let own = |name: &String| name.starts_with("c.");
    assert_eq!(names(folder.path()).into_iter().filter(own).collect::<Vec<_>>(), told);
}

#[test]
fn films_with_labels_go_on_and_parts_make_a_whole() {
    let folder = temporary();
    if !can_draw(temporary().path()) {
        return;
    }
    let film = |more: &[&str]| {
        let record = [
            "film",
            "--json",
            "--frames",
            "3..7",
            "--passes",
            "color,ids,motion",
            "--labels",
            "--amodal-masks",
            "--label-formats",
            "mot,mots,mots-png,coco-video,flow-flo",
        ];
        json(folder.path(), &[&record[..], &small_scene(), more].concat())
    };
    assert_eq!(film(&["-o", "whole/img1/%03d.png"])["drawn"], 4);
    let whole = all(&folder.path().join("whole"));
    assert!(whole.contains_key("img1/005.motion.exr") && whole.contains_key("img1/film.coco.json"));
    check_tracks(&whole);
    for name in ["img1/004.motion.exr", "img1/005.labels.json", "img1/006.png"] {
        std::fs::write(
            folder.path().join("whole").join(name),
            &whole[name][..whole[name].len() / 2],
        )
        .expect("cut off");
    }
    let again = film(&["-o", "whole/img1/%03d.png"]);
    assert_eq!((again["drawn"].as_u64(), again["kept"].as_u64()), (Some(3), Some(1)));
    assert!(
        all(&folder.path().join("whole")) == whole,
        "the continued run differs from an uninterrupted one"
    );
    for part in ["2/2", "1/2"] {
        assert_eq!(film(&["-o", "parts/whole/img1/%03d.png", "--shard", part])["drawn"], 2);
    }
    let told = succeed(
        folder.path(),
        &["assemble", "parts/whole/img1/%03d.png", "--frames", "3..7"],
    );
    assert!(told.contains("nothing is missing: 4 frames"), "{told}");
    assert!(
        all(&folder.path().join("parts/whole")) == whole,
        "two parts differ from the whole film"
    );
    std::fs::remove_file(folder.path().join("parts/whole/img1/004.png")).expect("there");
    let ended = throng(
        folder.path(),
        &["assemble", "parts/whole/img1/%03d.png", "--frames", "3..7"],
    );
    let said = text(&ended.stderr);
    assert!(
        ended.status.code() == Some(1) && said.contains("1 of 4 frames") && said.contains("004.png"),
        "{said}"
    );
}

/// Boxes and masks of MOTChallenge and MOTS are those of COCO, frame by frame.
fn check_tracks(files: &BTreeMap<String, Vec<u8>>) {
    let coco: Value = serde_json::from_slice(&files["img1/film.coco.json"]).expect("JSON");
    let people = coco["annotations"].as_array().expect("a list");
    assert!(people.len() > 12, "{} people", people.len());
    let boxes = text(&files["gt/gt.txt"]);
    let expected: String = { people.iter() }
        .map(|person| {
            let bounds = match &person["extras"]["unclipped_bbox"] {
                Value::Null => &person["bbox"],
                bounds => bounds,
            };
            let edge = |index: usize| bounds[index].as_i64().expect("a number");
            let frame = person["image_id"].as_u64().expect("a number") - 2;
            let (left, top) = (edge(0) + 1, edge(1) + 1);
            format!(
                "{frame},{},{left},{top},{},{},1,1,\n",
                person["extras"]["person"],
                edge(2),
                edge(3)
            )
        })
        .collect();
    let own: String = boxes
        .lines()
        .map(|line| line[..=line.rfind(',').expect("fields")].to_owned() + "\n")
        .collect();
    assert_eq!(own, expected);
    assert_eq!(
        text(&files["gt/mots.txt"]).lines().count(),
        people.len(),
        "everybody is seen"
    );
    assert!(text(&files["seqinfo.ini"]).contains("imDir=img1\nframeRate=24\nseqLength=4\n"));
    assert!(files.contains_key("instances/003.png") && files.contains_key("img1/006.flo"));
    let video: Value = serde_json::from_slice(&files["img1/film.coco-video.json"]).expect("JSON");
    assert_eq!(video["annotations"].as_array().map(Vec::len), Some(people.len()));
    assert!(
        people
            .iter()
            .all(|person| person["amodal_segmentation"]["counts"].is_string())
    );
}

#[test]
fn sets_follow_from_their_seed_and_every_picture_from_its_number() {
    let folder = temporary();
    if !can_draw(temporary().path()) {
        return;
    }
    std::fs::write(
        folder.path().join("r.toml"),
        "count = [4, 9]\n[camera]\ndistance = [3, 6]\n[place]\nlayouts = [\"grid\", \"ring\"]\n",
    )
    .expect("written");
    let set = |more: &[&str]| {
        let set = [
            "dataset",
            "--json",
            "--pictures",
            "5",
            "--seed",
            "7",
            "--ranges",
            "r.toml",
            "--validation",
            "0.4",
            "--min-pixels",
            "0",
            "--vary",
            "camera,count,light,time,seed,sky,clouds,haze,layout,roll,blur,noise,clothes,cast",
            "--label-formats",
            "yolo-pose,kitti,keypoints-3d,depth-png,flow-kitti,webdataset",
            "--joints",
            "body25",
        ];
        let size = ["--size", "64x36", "--adapter", adapter()];
        json(folder.path(), &[&set[..], &size, more].concat())
    };
    let at = |name: &str| folder.path().join(name);
    assert_eq!(set(&["-o", "whole"])["drawn"], 5);
    let whole = all(&at("whole"));
    let is_picture = |name: &&String| name.ends_with(".png") && name.matches('.').count() == 1;
    let pictures: Vec<&String> = whole.keys().filter(is_picture).collect();
    assert_eq!(pictures.len(), 5);
    check_formats(&whole);
    let split = |split: &str| read_json(&at("whole/annotations").join(split));
    let (train, val) = (split("train.json"), split("val.json"));
    let count = |set: &Value| set["images"].as_array().map_or(0, Vec::len);
    assert_eq!((count(&train), count(&val)), (3, 2), "exactly two fifths");
    let ids = |set: &Value| {
        { set["annotations"].as_array().expect("a list").iter() }
            .map(|one| one["id"].as_u64().expect("a number"))
            .collect::<Vec<_>>()
    };
    let unique: std::collections::BTreeSet<u64> = ids(&train).into_iter().chain(ids(&val)).collect();
    assert_eq!(unique.len(), ids(&train).len() + ids(&val).len());
    assert_eq!(text(&whole["index.csv"]).lines().count(), 6);
    if cfg!(target_os = "linux") {
        let checked = Command::new("sha256sum")
            .args(["-c", "--quiet", "SHA256SUMS"])
            .current_dir(at("whole"))
            .output();
        let checked = checked.expect("sha256sum runs");
        assert!(checked.status.success(), "{}", text(&checked.stdout));
    }

    // Stopped in the middle of one picture, and before another one.
    let (cut, gone) = (pictures[1], pictures[3]);
    std::fs::write(at("whole").join(cut), &whole[cut][..40]).expect("cut off");
    std::fs::remove_file(at("whole").join(gone)).expect("there");
    let told = text(&throng(folder.path(), &["assemble", "whole"]).stderr);
    assert!(told.contains("2 of 5 pictures are missing or broken"), "{told}");
    let again = set(&["-o", "whole"]);
    assert_eq!((again["drawn"].as_u64(), again["kept"].as_u64()), (Some(2), Some(3)));
    assert!(
        all(&at("whole")) == whole,
        "the continued run differs from an uninterrupted one"
    );

    for part in ["3/3", "1/3", "2/3"] {
        set(&["-o", "parts", "--shard", part]);
    }
    let told = succeed(folder.path(), &["assemble", "parts"]);
    assert!(told.contains("nothing is missing"), "{told}");
    assert!(all(&at("parts")) == whole, "three parts differ from the whole set");
    set(&["-o", "one", "--only", "3"]);
    let one = all(&at("one"));
    let pictures: Vec<&String> = one.keys().filter(is_picture).collect();
    assert_eq!(pictures.len(), 1);
    assert!(one[pictures[0]] == whole[pictures[0]], "a single picture differs");

    let other = throng(
        folder.path(),
        &["dataset", "--pictures", "6", "--seed", "7", "-o", "whole"],
    );
    let told = text(&other.stderr);
    assert!(
        other.status.code() == Some(2) && told.contains("pictures differs"),
        "{told}"
    );
}

/// Lines of YOLO and KITTI are the people of COCO; shards hold every picture.
fn check_formats(files: &BTreeMap<String, Vec<u8>>) {
    let mut people = 0;
    for split in ["train", "val"] {
        let coco: Value = serde_json::from_slice(&files[&format!("annotations/{split}.json")]).expect("JSON");
        assert_eq!(coco["categories"][0]["keypoints"].as_array().map(Vec::len), Some(25));
        let of = |image: &Value| -> Vec<&Value> {
            let all = coco["annotations"].as_array().expect("a list").iter();
            all.filter(|person| person["image_id"] == image["id"]).collect()
        };
        for image in coco["images"].as_array().expect("a list") {
            let stem = image["file_name"].as_str().expect("a name").trim_end_matches(".png");
            let own = of(image);
            let yolo = text(&files[&format!("labels/{split}/{stem}.txt")]);
            assert_eq!(yolo.lines().count(), own.len());
            for (line, person) in yolo.lines().zip(&own) {
                let shares: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
                assert_eq!(shares.len(), 5 + 3 * 25);
                let bounds: Vec<f64> = (0..4)
                    .map(|edge| person["bbox"][edge].as_f64().expect("a number"))
                    .collect();
                let left = (shares[1] - 0.5 * shares[3]) * 64.0;
                assert!(
                    (left - bounds[0]).abs() < 1e-3 && (shares[4] * 36.0 - bounds[3]).abs() < 1e-3,
                    "{line}"
                );
                let occlusion = person["occlusion"].as_f64().expect("a share");
                assert!((0.0..=1.0).contains(&occlusion) && person["truncation"].is_number());
                people += 1;
            }
            assert_eq!(
                text(&files[&format!("label_2/{split}/{stem}.txt")]).lines().count(),
                own.len()
            );
            assert!(text(&files[&format!("calib/{split}/{stem}.txt")]).starts_with("P0: "));
            let sheet: Value = serde_json::from_slice(&files[&format!("pictures/{stem}.json")]).expect("JSON");
            let row = &sheet["dealt"];
            assert!(
                row["haze"].is_number() && row["roll"].is_number() && row["layout"].is_string(),
                "{row}"
            );
        }
    }
    assert!(people > 3, "{people} people");
    assert!(text(&files["data.yaml"]).contains("kpt_shape: [25, 3]\nflip_idx: [0,1,5,6,7"));
    assert_eq!(
        text(&files["train.txt"]).lines().count() + text(&files["val.txt"]).lines().count(),
        5
    );
    assert!(files.contains_key("shards/train-000000.tar") && files.contains_key("shards/val-000000.tar"));
    let index = text(&files["index.csv"]);
    assert!(
        index
            .lines()
            .next()
            .is_some_and(|head| head.contains(",haze,layout,ground,roll,")),
        "{index}"
    );
}

#[test]
fn adapters_are_listed_and_chosen_by_number() {
    let folder = temporary();
    if !can_draw(temporary().path()) {
        return;
    }
    let listed = json(folder.path(), &["adapters", "--json"]);
    let listed = listed.as_array().expect("a list");
    let numbers: Vec<u64> = listed.iter().filter_map(|one| one["number"].as_u64()).collect();
    assert_eq!(numbers, (0..listed.len() as u64).collect::<Vec<_>>());
    assert!(succeed(folder.path(), &["adapters"]).starts_with("number  pci"));
    let cpu = listed.iter().find(|one| one["type"] == "cpu" && one["backend"] != "gl");
    let Some(cpu) = cpu else { return };
    let number = cpu["number"].to_string();
    let shot = [
        "shot",
        "--count",
        "1",
        "--size",
        "16x16",
        "-o",
        "a.png",
        "--json",
        "--adapter",
    ];
    let stats = json(folder.path(), &[&shot[..], &[&number]].concat());
    assert_eq!(stats["adapter"]["name"], cpu["name"]);
    let beyond = throng(folder.path(), &[&shot[..], &["99"]].concat());
    assert!(
        beyond.status.code() == Some(2) && text(&beyond.stderr).contains("--adapter 99"),
        "{}",
        text(&beyond.stderr)
    );
}

#[test]
fn contradicting_options_print_one_line_and_exit_2() {
    let folder = temporary();
    let path = folder.path();
    std::fs::write(path.join("m.toml"), "[keypoints]\nsnout = \"head\"\n").expect("written");
    std::fs::write(path.join("r.toml"), "count = [9, 4]\n").expect("written");
    for (arguments, why) in [
        (&["shot", "--passes", "depth,colour", "-o", "a.png"][..], "is no pass"),
        (
            &["shot", "--labels", "--technique", "static", "-o", "a.png"],
            "only the rest pose",
        ),
        (&["shot", "--labels", "--frames", "3", "-o", "a.gif"], "throng film"),
        (
            &["shot", "--labels", "--keypoints", "m.toml", "-o", "a.png"],
            "snout is no key point",
        ),
        (&["shot", "--density", "3", "-o", "a.png"], "need --labels"),
        (&["film", "--labels", "--frames", "0..3", "-o", "a.mp4"], "frame files"),
        (
            &["shot", "--labels", "--label-formats", "mot", "-o", "a.png"],
            "tracks need the frames of one camera",
        ),
        (
            &["dataset", "--pictures", "3", "--label-formats", "mots", "-o", "d"],
            "throng film",
        ),
        (
            &["shot", "--labels", "--label-formats", "voc", "-o", "a.png"],
            "no label format",
        ),
        (
            &["shot", "--labels", "--label-formats", "webdataset", "-o", "a.png"],
            "many pictures",
        ),
        (
            &["shot", "--labels", "--joints", "openpose", "-o", "a.png"],
            "no set of key points",
        ),
        (&["shot", "--label-formats", "yolo", "-o", "a.png"], "need --labels"),
        (
            &["dataset", "--pictures", "3", "--vary", "background", "-o", "d"],
            "needs a folder of pictures",
        ),
        (
            &["dataset", "--pictures", "3", "--vary", "weather", "-o", "d"],
            "cannot vary",
        ),
        (
            &["dataset", "--pictures", "3", "--ranges", "r.toml", "-o", "d"],
            "count is [9, 4]",
        ),
        (&["dataset", "--pictures", "3", "--only", "3", "-o", "d"], "ends before"),
        (&["dataset", "--pictures", "0", "-o", "d"], "from 1 to"),
        (&["assemble", "nowhere"], "neither a set"),
        (&["assemble", "f/%03d.png"], "--frames 0..240"),
    ] {
        let ended = throng(path, arguments);
        let told = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(why) && told.lines().count() == 1, "{arguments:?}: {told}");
    }
    assert_eq!(names(path), ["m.toml", "r.toml"]);
}
