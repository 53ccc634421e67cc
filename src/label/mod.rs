//! Labels: who is in a picture, where, and how much of them is seen; exact, because everybody is known.
//!
//! ```text
//! visible     from the id pass: box, pixels and runs of everyone who is seen
//! KeyPoints   17 points of a body from joints, by name
//! Labels      all of it for one picture
//! coco        as COCO JSON; CocoFile for many pictures
//! Density     people as a picture of how many are where
//! Recorder    a picture, its passes and its labels, as files beside each other
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
