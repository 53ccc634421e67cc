//! Label formats: one writer a file, all behind one trait.
//!
//! ```text
//! LabelWriter      files of a picture, and of a whole film or set
//! LabelledPicture  input of a writer: labels, AOVs and camera of a picture
//! Collection       film or set whose labels are gathered
//! ```

pub(super) mod coco;
pub(super) mod coco_file;
mod coco_video;
mod collection;
mod depth_png;
mod flow;
mod key_points_3d;
mod kitti;
mod mot;
mod mots;
mod npy;
mod point_tracks;
mod stored;
mod track_ids;
mod webdataset;
mod yolo;

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::Result;

pub use collection::{Collection, CollectionKind, PictureEntry};

use crate::{
    aov::{AovImages, FrameParameters},
    label::{LabelOptions, Labels},
    render::passes::AovKind,
};

/// File format of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelFormat {
    /// COCO JSON; always written.
    Coco,
    /// COCO JSON of a film, with `video_id` and `track_id`.
    CocoVideo,
    /// Text files of Ultralytics YOLO: boxes.
    Yolo,
    /// Text files of Ultralytics YOLO: boxes and key points.
    YoloPose,
    /// MOTChallenge: `gt.txt`, `seqinfo.ini`.
    Mot,
    /// MOTS as text: masks in COCO's run-length encoding.
    Mots,
    /// MOTS as 16-bit PNG of instances.
    MotsPng,
    /// KITTI's 3D boxes and calibration.
    Kitti,
    /// Key points in metres, in the camera's and the world's space.
    KeyPoints3d,
    /// Optical flow as KITTI's 16-bit PNG.
    FlowKitti,
    /// Optical flow as Middlebury's `.flo`.
    FlowMiddlebury,
    /// Depth as KITTI's 16-bit PNG.
    DepthPng,
    /// Tracks of points on the skin, as TAP-Vid has them.
    PointTracks,
    /// Shards of WebDataset: tar files.
    WebDataset,
}

/// Kind of an output: some formats describe films alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// One picture.
    Picture,
    /// Film: the frames of one camera.
    Film,
    /// Set of pictures that have nothing to do with each other.
    Set,
}

/// Writer of a label format.
pub trait LabelWriter: Sync {
    /// Returns the AOVs that the format needs beside ids and depth.
    fn aovs(&self) -> &'static [AovKind] {
        &[]
    }

    /// Returns the reason why the format cannot describe an output.
    fn unsupported(&self, _kind: OutputKind) -> Option<&'static str> {
        None
    }

    /// Returns the files of the picture `stem`.png.
    fn files(&self, _stem: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Writes the files of a picture, each whole or not at all.
    ///
    /// # Errors
    /// Errors of writing; more people than the format can hold.
    fn write(&self, _picture: &LabelledPicture<'_>) -> Result<()> {
        Ok(())
    }

    /// Writes the files of a whole film or set, whose pictures are complete, and returns their paths.
    ///
    /// # Errors
    /// Files of a picture that cannot be read; errors of writing.
    fn gather(&self, _all: &Collection) -> Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }
}

/// Picture with its labels.
pub struct LabelledPicture<'a> {
    /// Number of the picture: frame of a film, or picture of a set.
    pub number: u64,
    /// Path of the picture without its ending.
    pub stem: &'a Path,
    /// Frame parameters of the picture.
    pub moment: &'a FrameParameters,
    /// AOVs of every pixel, those of [`LabelWriter::aovs`] among them.
    pub aovs: &'a AovImages,
    /// Labels of the people.
    pub labels: &'a Labels,
    /// Options of the labels.
    pub options: &'a LabelOptions,
}

impl LabelFormat {
    /// All formats, with their names on the command line.
    pub const ALL: [(&'static str, Self); 14] = [
        ("coco", Self::Coco),
        ("coco-video", Self::CocoVideo),
        ("yolo", Self::Yolo),
        ("yolo-pose", Self::YoloPose),
        ("mot", Self::Mot),
        ("mots", Self::Mots),
        ("mots-png", Self::MotsPng),
        ("kitti", Self::Kitti),
        ("keypoints-3d", Self::KeyPoints3d),
        ("flow-kitti", Self::FlowKitti),
        ("flow-flo", Self::FlowMiddlebury),
        ("depth-png", Self::DepthPng),
        ("point-tracks", Self::PointTracks),
        ("webdataset", Self::WebDataset),
    ];

    /// Returns the name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        let own = Self::ALL.iter().find(|(_, format)| *format == self);
        own.map_or("", |(name, _)| name)
    }

    /// Returns the writer of the format.
    #[must_use]
    pub fn writer(self) -> &'static dyn LabelWriter {
        match self {
            Self::Coco => &coco::CocoWriter,
            Self::CocoVideo => &coco_video::CocoVideoWriter,
            Self::Yolo => &yolo::YoloWriter::Boxes,
            Self::YoloPose => &yolo::YoloWriter::Pose,
            Self::Mot => &mot::MotWriter,
            Self::Mots => &mots::MotsTextWriter,
            Self::MotsPng => &mots::MotsPngWriter,
            Self::Kitti => &kitti::KittiWriter,
            Self::KeyPoints3d => &key_points_3d::KeyPoints3dWriter,
            Self::FlowKitti => &flow::FlowWriter::Kitti,
            Self::FlowMiddlebury => &flow::FlowWriter::Middlebury,
            Self::DepthPng => &depth_png::DepthPngWriter,
            Self::PointTracks => &point_tracks::PointTracksWriter,
            Self::WebDataset => &webdataset::WebDatasetWriter,
        }
    }
}

/// Requested formats, in the order in which they are written: shards last, since they hold the files of all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelFormats(Vec<LabelFormat>);

impl LabelFormats {
    /// COCO alone.
    pub const COCO: Self = Self(Vec::new());

    /// Returns the formats; COCO comes first.
    pub fn iter(&self) -> impl Iterator<Item = LabelFormat> + '_ {
        std::iter::once(LabelFormat::Coco).chain(self.0.iter().copied())
    }

    /// Returns the writers of all formats.
    pub fn writers(&self) -> impl Iterator<Item = &'static dyn LabelWriter> + '_ {
        self.iter().map(LabelFormat::writer)
    }

    /// True if a format is requested.
    #[must_use]
    pub fn has(&self, format: LabelFormat) -> bool {
        self.iter().any(|own| own == format)
    }

    /// Returns the names of the formats that are written beside COCO.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|format| format.name()).collect()
    }

    /// True if a format needs boxes of people in the world.
    #[must_use]
    pub fn need_boxes_3d(&self) -> bool {
        self.has(LabelFormat::Kitti)
    }

    /// Returns the first format that cannot describe an output, and why.
    #[must_use]
    pub fn unsupported(&self, kind: OutputKind) -> Option<String> {
        self.iter().find_map(|format| {
            let why = format.writer().unsupported(kind)?;
            Some(format!("--label-formats {}: {why}", format.name()))
        })
    }
}

/// Parses `coco,yolo,kitti`: any order, each once.
impl FromStr for LabelFormats {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut formats: Vec<LabelFormat> = Vec::new();
        for name in text.split(',').map(str::trim) {
            let own = LabelFormat::ALL.iter().find(|(own, _)| *own == name);
            let Some((_, format)) = own else {
                let known = LabelFormat::ALL.map(|(name, _)| name).join(", ");
                return Err(format!("{name:?} is no label format; use {known}"));
            };
            if formats.contains(format) {
                return Err(format!("{name} is given twice"));
            }
            formats.push(*format);
        }
        if formats.contains(&LabelFormat::Yolo) && formats.contains(&LabelFormat::YoloPose) {
            return Err(
                "yolo and yolo-pose both write labels/NAME.txt, the one file where Ultralytics looks; choose one"
                    .to_owned(),
            );
        }
        formats.retain(|format| *format != LabelFormat::Coco);
        formats.sort_unstable();
        Ok(Self(formats))
    }
}

/// Returns the path of a file in a folder beside that of the pictures, as YOLO and KITTI want it: the last folder called
/// `images` or `image_2` becomes `folder`, and the ending becomes `ending`. Without such a folder, the file stands
/// beside the picture, with `beside` as ending.
fn in_sibling_folder(stem: &Path, folder: &str, endings: SiblingEndings) -> PathBuf {
    let parts: Vec<_> = stem.iter().collect();
    let folders = &parts[..parts.len().saturating_sub(1)];
    let Some(place) = folders.iter().rposition(|part| *part == "images" || *part == "image_2") else {
        return crate::aov::with_suffix(stem, endings.beside);
    };
    let own = parts.iter().enumerate();
    let path: PathBuf = own
        .map(|(index, part)| {
            if index == place {
                Path::new(folder)
            } else {
                Path::new(part)
            }
        })
        .collect();
    crate::aov::with_suffix(&path, endings.in_folder)
}

/// Endings of a file in its own folder, and beside the picture.
#[derive(Clone, Copy)]
struct SiblingEndings {
    in_folder: &'static str,
    beside: &'static str,
}

/// Writes a file, and makes its folder where that is missing.
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    use anyhow::Context;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let made = std::fs::create_dir_all(folder);
        made.with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    crate::file::output::Output::create(path)?.write(bytes)
}

/// Rounds to thousandths.
fn thousandths(value: f32) -> f64 {
    (f64::from(value) * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named_in_any_order_once() {
        let formats: LabelFormats = "webdataset, yolo,coco".parse().expect("formats");
        let all: Vec<_> = formats.iter().collect();
        assert_eq!(all, [LabelFormat::Coco, LabelFormat::Yolo, LabelFormat::WebDataset]);
        assert_eq!(formats.names(), ["yolo", "webdataset"]);
        assert_eq!("coco".parse(), Ok(LabelFormats::COCO));
        for (wrong, why) in [
            ("yolo,yolo", "twice"),
            ("voc", "is no label format"),
            ("yolo,yolo-pose", "choose one"),
            ("", "is no label format"),
        ] {
            let error = wrong.parse::<LabelFormats>().expect_err("wrong");
            assert!(error.contains(why), "{error}");
        }
        for (name, format) in LabelFormat::ALL {
            assert_eq!(format.name(), name);
        }
    }

    #[test]
    fn formats_of_films_are_refused_for_single_pictures() {
        for name in ["mot", "mots", "mots-png", "coco-video", "point-tracks"] {
            let formats: LabelFormats = name.parse().expect("a format");
            assert_eq!(formats.unsupported(OutputKind::Film), None);
            for kind in [OutputKind::Picture, OutputKind::Set] {
                let why = formats.unsupported(kind).expect("a reason");
                assert!(why.contains(name) && why.contains("throng film"), "{why}");
            }
        }
        let others: LabelFormats = "yolo,kitti,keypoints-3d".parse().expect("formats");
        assert_eq!(others.unsupported(OutputKind::Set), None);
    }

    #[test]
    fn siblings_of_the_folder_of_pictures_are_found_as_by_ultralytics() {
        let endings = SiblingEndings {
            in_folder: "txt",
            beside: "txt",
        };
        for (stem, path) in [
            ("set/images/train/000012", "set/labels/train/000012.txt"),
            ("images/set/images/a", "images/set/labels/a.txt"),
            ("frames/00001", "frames/00001.txt"),
            ("images", "images.txt"),
        ] {
            assert_eq!(in_sibling_folder(Path::new(stem), "labels", endings), Path::new(path));
        }
    }
}
