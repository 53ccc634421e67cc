//! Films: any frame of a crowd can be drawn alone, because it follows from its number.
//!
//! ```text
//! FilmPlan     frames, their times, and those that this machine draws
//! render_film  draws, reads back and encodes in parallel, in the order of the frames
//! Sink         destination of frames: numbered PNG files, GIF, YUV4MPEG2, a video by ffmpeg
//! ```

mod blur;
mod ffmpeg;
mod frame_files;
mod gif;
mod light;
mod pattern;
mod plan;
mod record;
mod render_film;
mod sink;
mod workers;
mod y4m;

pub use blur::MotionBlur;
pub use ffmpeg::Ffmpeg;
pub use frame_files::FrameFiles;
#[cfg(feature = "labels")]
pub(crate) use frame_files::whole_png;
pub use gif::Gif;
#[cfg(feature = "labels")]
pub(crate) use light::{PendingPictureLight, render_light};
pub use pattern::FramePattern;
pub use plan::{FilmPlan, FrameRate, Shard, parse_frames};
pub use record::NotOurs;
#[cfg(feature = "labels")]
pub(crate) use record::{Record, RecordState};
pub use render_film::{FilmMoment, FrameProgress, render_film};
pub use sink::{FilmFrame, Sink, Stream};
#[cfg(feature = "labels")]
pub(crate) use workers::{with_workers, workers};
pub use y4m::{Y4m, Y4mTarget};
