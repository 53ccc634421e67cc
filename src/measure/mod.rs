//! Measurements: summaries of repeated samples, errors in millimetres, and differences of pictures (absolute and FLIP).

pub mod accuracy;
pub mod flip;
pub mod float_picture;
pub mod frame_account;
pub mod image_difference;
pub mod source_choice;
pub mod stopwatch;
pub mod summary;

pub use accuracy::{Accuracy, SkinningReference};
pub use flip::flip;
pub use float_picture::FloatPicture;
pub use image_difference::PictureDifference;
pub use source_choice::faster_source;
pub use stopwatch::{FrameSamples, FrameTiming, TimingBudget};
pub use summary::{Summary, median};
