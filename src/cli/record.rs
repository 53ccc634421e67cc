//! Options for AOV passes and labels, shared by commands that write pictures.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::{
    aov::{Encoding, PassSet},
    cli::inputs::{BadUsage, parse_positive},
    config::{Config, Technique, parse::parse_whole},
    dataset::sha256_of,
    label::{
        Categories, JointSet, LabelFormat, LabelFormats, LabelOptions, LabelRules, Mapping, MissingPoints, OutputKind,
        PictureRequest, RULES_KEY,
    },
    scene::Scene,
};

/// Outputs per frame that a film's record lists.
///
/// # Errors
/// The record is not that of a film.
pub fn outputs_of_record(film: &Value) -> Result<PictureRequest> {
    let edge = |key: &str| {
        film["config"]["window"][key]
            .as_u64()
            .and_then(|edge| u32::try_from(edge).ok())
    };
    let size = edge("width")
        .zip(edge("height"))
        .context("the record of the film has no picture size")?;
    let record = &film["record"];
    let mut passes = PassSet::color();
    if let Some(names) = record["passes"].as_array() {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        passes = names.join(",").parse().map_err(BadUsage)?;
    }
    if record["pass_format"] == "png" {
        passes.encoding = Encoding::Png;
    }
    let has_labels = record["labels"].as_bool().unwrap_or_default();
    let formats = record["label_formats"].as_array().into_iter().flatten();
    let names: Vec<&str> = std::iter::once("coco")
        .chain(formats.filter_map(Value::as_str))
        .collect();
    let formats: LabelFormats = names.join(",").parse().map_err(BadUsage)?;
    let labels = has_labels.then(|| LabelOptions {
        density: record["density"].as_f64().map(|sigma| sigma as f32),
        formats,
        ..LabelOptions::default()
    });
    Ok(PictureRequest {
        size,
        passes,
        labels,
        effects: Vec::new(),
    })
}

/// Checksums of the files of a scene, since their contents may change under the same names.
#[must_use]
pub fn checksums(config: &Config) -> Value {
    let props = config.scene.groups.values().flat_map(|group| &group.props);
    let props = props.map(|prop| PathBuf::from(&prop.mesh));
    let all = config.scene.characters.iter().cloned().chain(props);
    // Embedded parts are no files; unreadable files are reported when the scene is opened.
    let sum = |file: PathBuf| Some((file.display().to_string(), sha256_of(&file).ok()?.into()));
    Value::Object(all.filter_map(sum).collect())
}

/// Options for outputs beside a picture.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Passes and labels")]
pub struct RecordArgs {
    /// AOVs to write, comma-separated: color, depth, normal, ids, motion, uv, albedo. Files are NAME.PASS.exr, with
    /// camera and units in NAME.json.
    #[arg(long, value_name = "PASS,...")]
    pub passes: Option<PassSet>,
    /// File format of AOVs: exr, or png for 16-bit PNG of ids, normal, uv and albedo.
    #[arg(long, requires = "passes", value_name = "exr|png")]
    pub pass_format: Option<Encoding>,
    /// Write labels of people as COCO JSON: boxes, masks, key points (NAME.labels.json).
    #[arg(long)]
    pub labels: bool,
    /// Label formats to write beside COCO's, comma-separated: coco-video, yolo, yolo-pose, mot, mots, mots-png, kitti,
    /// keypoints-3d, flow-kitti, flow-flo, depth-png, point-tracks, webdataset (docs/labels.md).
    #[arg(long, value_name = "FORMAT,...")]
    pub label_formats: Option<LabelFormats>,
    /// Set of key points: coco17, body25, halpe26, h36m17 or smpl24.
    #[arg(long, value_name = "SET")]
    pub joints: Option<JointSet>,
    /// Categories of people: person for everybody, or one for each character.
    #[arg(long, value_name = "person|character")]
    pub categories: Option<Categories>,
    /// Also write amodal masks: everything that a person covers, hidden or not.
    #[arg(long)]
    pub amodal_masks: bool,
    /// Number of points on the skin of each person that --label-formats point-tracks follows [default: 16].
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = |text: &str| parse_whole::<u32>(text, 1, 1000))]
    pub track_points: Option<u32>,
    /// Mapping from joints to key points, for characters that are not embedded (.toml).
    #[arg(long, value_name = "FILE.toml")]
    pub keypoints: Option<PathBuf>,
    /// Minimum number of visible pixels of a labelled person; 0 also labels hidden people.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = |text: &str| parse_whole::<u32>(text, 0, 1_000_000))]
    pub min_pixels: Option<u32>,
    /// Also write a density map for crowd counting, with Gaussians of this standard deviation in pixels
    /// (NAME.density.exr).
    #[arg(long, value_name = "PIXELS", value_parser = parse_positive, allow_negative_numbers = true)]
    pub density: Option<f32>,
}

impl RecordArgs {
    /// True if any output beside the picture is requested.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.passes.is_some() || self.labels || self.of_labels()
    }

    /// True if an option is set that needs labels.
    const fn of_labels(&self) -> bool {
        self.keypoints.is_some()
            || self.min_pixels.is_some()
            || self.density.is_some()
            || self.label_formats.is_some()
            || self.joints.is_some()
            || self.categories.is_some()
            || self.amodal_masks
            || self.track_points.is_some()
    }

    /// Requested outputs of pictures, a film or a set, by its rules.
    ///
    /// # Errors
    /// The mapping is invalid, a format cannot describe the output, or the technique does not show the true pose.
    pub fn wanted(&self, config: &Config, kind: OutputKind, rules: LabelRules) -> Result<PictureRequest> {
        if self.of_labels() && !self.labels {
            let why = "--label-formats, --joints, --categories, --amodal-masks, --track-points, --keypoints, --min-pixels \
                       and --density need --labels";
            return Err(BadUsage(why.to_owned()).into());
        }
        let tracks_points = self
            .label_formats
            .as_ref()
            .is_some_and(|all| all.has(LabelFormat::PointTracks));
        if self.track_points.is_some() && !tracks_points {
            return Err(BadUsage("--track-points needs --label-formats point-tracks".to_owned()).into());
        }
        if let Some(why) = self
            .label_formats
            .as_ref()
            .and_then(|formats| formats.unsupported(kind))
        {
            return Err(BadUsage(why).into());
        }
        if self.labels && config.render.technique == Technique::Static {
            return Err(BadUsage(
                "--technique static shows only the rest pose; labels need another technique".to_owned(),
            )
            .into());
        }
        let passes = match &self.passes {
            Some(passes) => PassSet {
                encoding: self.pass_format.unwrap_or_default(),
                ..passes.clone()
            },
            None => PassSet::color(),
        };
        let labels = self.labels.then(|| self.label_options(rules)).transpose()?;
        let size = (config.window.width, config.window.height);
        Ok(PictureRequest {
            size,
            passes,
            labels,
            effects: Vec::new(),
        })
    }

    fn label_options(&self, rules: LabelRules) -> Result<LabelOptions> {
        let usual = LabelOptions::default();
        Ok(LabelOptions {
            mapping: match &self.keypoints {
                Some(file) => {
                    let shown = file.display().to_string();
                    let read = std::fs::read_to_string(file);
                    let text = read.map_err(|error| BadUsage(format!("cannot read {shown}: {error}")))?;
                    Mapping::parse(&shown, &text)?
                }
                None => usual.mapping,
            },
            least_pixels: self.min_pixels.unwrap_or(usual.least_pixels),
            density: self.density,
            formats: self.label_formats.clone().unwrap_or_default(),
            joints: self.joints.unwrap_or_default(),
            categories: self.categories.unwrap_or_default(),
            amodal_masks: self.amodal_masks,
            surface_points: self.track_points.unwrap_or(usual.surface_points),
            rules,
        })
    }

    /// Warns on standard error about characters without key points, and about joints of `--keypoints` that a character
    /// lacks.
    pub fn warn_unmapped_joints(&self, wanted: &PictureRequest, scene: &Scene) {
        let Some(labels) = &wanted.labels else { return };
        for missing in MissingPoints::of_all(scene, &labels.mapping, labels.joints) {
            let name = &missing.character;
            if missing.found == 0 && self.keypoints.is_none() {
                eprintln!("{name}: no joint is mapped to a key point; give --keypoints FILE.toml (docs/labels.md)");
            } else if let Some(file) = &self.keypoints {
                let points = missing
                    .points
                    .iter()
                    .map(|(point, joint)| format!("{point} (joint {joint:?})"));
                let points: Vec<String> = points.collect();
                let shown = file.display();
                if points.is_empty() {
                    eprintln!("{name}: {shown} maps no joint to a key point");
                } else {
                    eprintln!(
                        "{name}: {shown} names joints that it does not have: {}",
                        points.join(", ")
                    );
                }
            }
        }
    }

    /// Part of the record that these options and the rules of labels determine; null without any.
    ///
    /// # Errors
    /// The mapping cannot be read.
    pub fn identity(&self, rules: LabelRules) -> Result<Value> {
        if !self.any() {
            return Ok(Value::Null);
        }
        let mapping = self.keypoints.as_ref().map(std::fs::read_to_string).transpose();
        let passes = self.passes.as_ref().map(|passes| {
            let kinds = passes.kinds.iter().map(|&kind| PassSet::name(kind));
            let color = passes.color.then_some("color");
            color.into_iter().chain(kinds).collect::<Vec<_>>()
        });
        let mut own = json!({
            "passes": passes,
            "pass_format": self.pass_format.map(|format| format!("{format:?}").to_lowercase()),
            "labels": self.labels,
            "keypoints": mapping.context("cannot read the mapping of key points")?,
            "min_pixels": self.min_pixels,
            "density": self.density,
        });
        if self.labels && rules != LabelRules::First {
            own[RULES_KEY] = rules.number().into();
        }
        // Keys of options that are not given stay away: records of before have none.
        let formats = self.label_formats.as_ref().map(LabelFormats::names);
        if let Some(formats) = formats.filter(|formats| !formats.is_empty()) {
            own["label_formats"] = formats.into();
        }
        if let Some(joints) = self.joints.filter(|joints| *joints != JointSet::default()) {
            own["joints"] = joints.name().into();
        }
        if self.categories == Some(Categories::Character) {
            own["categories"] = "character".into();
        }
        if self.amodal_masks {
            own["amodal_masks"] = true.into();
        }
        if let Some(points) = self.track_points {
            own["track_points"] = points.into();
        }
        Ok(own)
    }
}
