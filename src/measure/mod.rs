//! Measuring honestly: summaries of repeated samples, errors in millimetres, distances of pictures.

pub mod accuracy;
pub mod image_difference;
pub mod summary;

pub use accuracy::{Accuracy, Reference};
pub use image_difference::PictureDifference;
pub use summary::Summary;
