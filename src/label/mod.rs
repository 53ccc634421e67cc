//! Exact labels of people in a picture: boxes, masks, key points and visibility, known from the scene.
//!
//! ```text
//! visible     box, pixels and mask of every visible person, from the id AOV
//! KeyPoints   17 key points of a body (COCO) from joints, by name
//! Labels      all labels of one picture
//! coco        labels as COCO JSON; CocoFile for many pictures
//! density     density map for crowd counting
//! Recorder    writes a picture, its AOVs and its labels as files side by side
//! ```

mod coco;
mod coco_file;
mod density;
mod film;
mod key_points;
mod labels;
mod mapping;
mod recorder;
mod rle;
mod visible;

pub use coco::coco;
pub use coco_file::CocoFile;
pub use density::{density, head_point};
pub(crate) use film::read_json;
pub use film::{gather_labels, record_film};
pub use key_points::{COCO_POINTS, COCO_SKELETON, KeyPoint, KeyPointVisibility, KeyPoints};
pub use labels::{LabelOptions, Labels, PersonLabel};
pub use mapping::{Mapping, MappingError, PointAt};
pub use recorder::{LabelCapture, PictureRequest, RecordedPicture, Recorder};
pub use rle::Rle;
pub use visible::{Box2, Visible, visible};
