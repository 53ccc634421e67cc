//! Exact labels of people in a picture: boxes, masks, key points and visibility, known from the scene.
//!
//! ```text
//! visible      box, pixels and mask of every visible person, from the id AOV
//! JointSet     sets of key points: COCO, BODY_25, Halpe, Human3.6M, SMPL
//! Body         key points, head and surface of a character, from joints by name
//! SurfacePoints  points of the skin that are tracked over a film
//! Labels       all labels of one picture
//! LabelFormat  file formats: COCO, YOLO, MOTChallenge, KITTI and others, one writer each
//! density      density map for crowd counting
//! Recorder     writes a picture, its AOVs and its labels as files side by side
//! ```

mod body;
mod box_3d;
mod density;
mod film;
mod formats;
mod joint_set;
mod key_points;
mod label_options;
mod labels;
mod mapping;
mod recorder;
mod request;
mod rle;
mod surface_points;
mod visible;

pub use body::{Body, MissingPoints};
pub use box_3d::Box3;
pub use density::{density, head_point};
pub(crate) use film::read_json;
pub use film::{FilmLabels, gather_film, record_film};
pub use formats::{
    Collection, CollectionKind, LabelFormat, LabelFormats, LabelWriter, LabelledPicture, OutputKind, PictureEntry,
    coco::coco, coco_file::CocoFile,
};
pub use joint_set::{COCO_SKELETON, JointSet, PointSource, SetPoint};
pub use key_points::{COCO_POINTS, KeyPoint, KeyPointVisibility, KeyPoints};
pub(crate) use label_options::RULES_KEY;
pub use label_options::{Categories, LabelOptions, LabelRules};
pub use labels::{Labels, PersonLabel};
pub use mapping::{Mapping, MappingError, PointAt};
pub use recorder::{LabelCapture, RecordedPicture, Recorder};
pub use request::PictureRequest;
pub use rle::Rle;
pub use surface_points::{PersonSurface, SurfacePoint, SurfacePoints};
pub use visible::{Box2, Visible, visible};
