//! PNG files, one per frame. Complete files are not drawn again, so that an interrupted film, or one drawn by several
//! machines, continues.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    file::output::Output,
    film::{
        FilmFrame, FilmPlan, FramePattern,
        record::{NotOurs, Record, RecordState},
    },
};

/// First bytes of a PNG: signature, length and name of the first chunk. Width and height follow, up to byte 24.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
/// Last chunk of every PNG.
const END: &[u8] = b"\0\0\0\0IEND\xaeB`\x82";

const HINT: &str = "choose another name, or --overwrite to draw all frames again";

/// Frame files of one film.
#[derive(Clone, Debug)]
pub struct FrameFiles {
    pattern: FramePattern,
    size: (u32, u32),
    overwrite: bool,
    /// Record that must be written before the first frame.
    record: Option<Record>,
    /// Files that are removed and drawn again.
    stale: Vec<PathBuf>,
}

impl FrameFiles {
    /// Opens the folder of the frames and creates it if needed. `film` holds everything that the pictures depend on. It
    /// is stored beside the frames, so that frames of different films are never mixed. `overwrite` draws every frame
    /// again. No existing file changes before [`FrameFiles::begin`].
    ///
    /// # Errors
    /// [`NotOurs`], or a folder that cannot be created or read.
    pub fn open(
        pattern: FramePattern,
        size: (u32, u32),
        film: &Value,
        plan: &FilmPlan,
        overwrite: bool,
    ) -> Result<Self> {
        let folder = pattern.folder();
        fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let there = files_of_frames(&pattern).with_context(|| format!("reading the folder {}", folder.display()))?;
        let record = Record::new(pattern.record(), film.clone());
        let found = record.found();
        if found != RecordState::Same {
            refuse_strangers(&record, found.clone(), &there, plan, overwrite)?;
        }
        let same = found == RecordState::Same;
        // Frames of the same film that belong to other machines stay: those machines draw them again.
        let ours = |frame: u64| plan.frames.contains(&frame) && (!same || plan.shard.has(frame - plan.frames.start));
        let stale = there.into_iter().filter(|(frame, _)| overwrite && ours(*frame));
        Ok(Self {
            stale: stale.map(|(_, path)| path).collect(),
            record: (!same).then_some(record),
            pattern,
            size,
            overwrite,
        })
    }

    /// Removes frames that are drawn again, and writes the record of the film. From then on, all frames in the folder
    /// are of this film, however it ends.
    ///
    /// # Errors
    /// A file that cannot be removed or written.
    pub fn begin(&self) -> Result<()> {
        for path in &self.stale {
            match fs::remove_file(path) {
                // Another machine removed it first.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                done => done.with_context(|| format!("removing {}", path.display()))?,
            }
        }
        self.record.as_ref().map_or(Ok(()), Record::write)
    }

    /// Returns the name pattern of the frames.
    #[must_use]
    pub const fn pattern(&self) -> &FramePattern {
        &self.pattern
    }

    /// True if existing frames are drawn again.
    #[must_use]
    pub const fn overwrites(&self) -> bool {
        self.overwrite
    }

    /// True if a frame need not be drawn: its file exists, is complete and has the right size.
    #[must_use]
    pub fn is_done(&self, frame: u64) -> bool {
        !self.overwrite && whole_png(&self.pattern.path(frame)) == Some(self.size)
    }

    /// Writes a frame; the file gets its name once it is complete.
    ///
    /// # Errors
    /// Errors of writing, for example a full disk.
    pub fn write(&self, picture: &FilmFrame) -> Result<()> {
        let path: PathBuf = self.pattern.path(picture.frame);
        Output::create(&path)?.write_png(&picture.pixels, picture.size)
    }
}

/// Fails if the folder has frames that are not known to be of this film, unless all of them are drawn again.
fn refuse_strangers(
    record: &Record,
    found: RecordState,
    there: &[(u64, PathBuf)],
    plan: &FilmPlan,
    overwrite: bool,
) -> Result<(), NotOurs> {
    let kept = there
        .iter()
        .find(|(frame, _)| !overwrite || !plan.frames.contains(frame));
    let Some((_, path)) = kept else { return Ok(()) };
    let stranger = |why: &str, hint| NotOurs {
        path: path.display().to_string(),
        why: why.to_owned(),
        hint,
    };
    Err(match found {
        _ if overwrite => stranger(
            "is of another film and not among the frames to draw",
            "choose another name, or remove it",
        ),
        RecordState::Other(why) => record.not_ours(why, HINT),
        _ => stranger("already exists and is not known to be of this film", HINT),
    })
}

/// Lists files that belong to frames, with frame numbers, in the order of their names.
fn files_of_frames(pattern: &FramePattern) -> std::io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(pattern.folder())? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        found.extend(
            name.and_then(|name| pattern.frame_of(name))
                .map(|frame| (frame, path.clone())),
        );
    }
    found.sort();
    Ok(found)
}

/// Returns the size of a PNG file (px); `None` if it is truncated or something else.
pub(crate) fn whole_png(path: &Path) -> Option<(u32, u32)> {
    let mut file = File::open(path).ok()?;
    let mut head = [0; 24];
    file.read_exact(&mut head).ok()?;
    let mut end = [0; END.len()];
    file.seek(SeekFrom::End(-(END.len() as i64))).ok()?;
    file.read_exact(&mut end).ok()?;
    let number = |at: usize| head[at..at + 4].iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    (head.starts_with(SIGNATURE) && end == END).then(|| (number(16), number(20)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::film::{FrameRate, MotionBlur, Shard};

    fn plan(frames: std::ops::Range<u64>, shard: Shard) -> FilmPlan {
        FilmPlan {
            frames,
            rate: FrameRate::whole(24),
            start: 0.0,
            blur: MotionBlur::OFF,
            shard,
        }
    }

    fn open(folder: &Path, film: &Value, overwrite: bool) -> Result<FrameFiles> {
        let pattern = format!("{}/f-%03d.png", folder.display()).parse().expect("a pattern");
        FrameFiles::open(pattern, (2, 1), film, &plan(0..4, Shard::WHOLE), overwrite)
    }

    fn picture(frame: u64) -> FilmFrame {
        FilmFrame {
            frame,
            size: (2, 1),
            pixels: vec![9; 8],
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn whole_frames_are_kept_and_broken_ones_drawn_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let film = json!({"size": [2, 1], "scene": {"count": 3}});
        let files = open(folder.path(), &film, false).expect("new");
        files.begin().expect("written");
        files.write(&picture(1)).expect("written");
        assert!(files.is_done(1) && !files.is_done(0));
        let path = folder.path().join("f-001.png");
        let bytes = fs::read(&path).expect("there");
        fs::write(&path, &bytes[..bytes.len() - 3]).expect("cut off");
        assert!(!files.is_done(1));
        fs::write(&path, b"").expect("emptied");
        assert!(!files.is_done(1));
        let again = open(folder.path(), &film, false).expect("the same film");
        again.write(&picture(1)).expect("written");
        assert!(again.is_done(1));
        let other = json!({"size": [2, 1], "scene": {"count": 4}});
        let error = open(folder.path(), &other, false)
            .expect_err("another film")
            .to_string();
        assert!(error.contains("scene.count differs"), "{error}");
        assert!(!open(folder.path(), &other, true).expect("told to").is_done(1));
        assert!(again.is_done(1), "looking changes nothing");
    }

    #[test]
    fn a_film_without_frames_does_not_block_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let begin = |count: u32| open(folder.path(), &json!({ "count": count }), false)?.begin();
        begin(1).expect("new");
        begin(2).expect("no frame of the other film is there");
        assert!(open(folder.path(), &json!({"count": 2}), false).is_ok_and(|files| files.record.is_none()));
    }

    #[test]
    fn a_stopped_overwriting_film_leaves_no_old_frames() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (json!({"count": 1}), json!({"count": 2}));
        let files = open(folder.path(), &one, false).expect("new");
        files.begin().expect("written");
        (0..4).for_each(|frame| files.write(&picture(frame)).expect("written"));
        fs::write(folder.path().join("f-002.labels.json"), "{}").expect("written");
        fs::write(folder.path().join("f-2.txt"), "mine").expect("written");
        open(folder.path(), &two, true)
            .expect("told to")
            .begin()
            .expect("written");
        // The film stopped before its first frame: the next run has none to keep.
        assert_eq!(names(folder.path()), ["f-2.txt", "f.throng.json"]);
        let again = open(folder.path(), &two, false).expect("the same film");
        assert!((0..4).all(|frame| !again.is_done(frame)));
        // With several parts, each removes only its own frames.
        (0..4).for_each(|frame| again.write(&picture(frame)).expect("written"));
        let part = plan(0..4, Shard { part: 2, of: 2 });
        let pattern = again.pattern().clone();
        let part = FrameFiles::open(pattern.clone(), (2, 1), &two, &part, true).expect("the same film");
        part.begin().expect("removed");
        assert_eq!(
            names(folder.path()),
            ["f-000.png", "f-002.png", "f-2.txt", "f.throng.json"]
        );
        // Frames outside this run would remain from another film.
        let fewer = plan(0..1, Shard::WHOLE);
        let error = FrameFiles::open(pattern, (2, 1), &one, &fewer, true).expect_err("frame 2 is left");
        assert!(error.to_string().contains("f-002.png"), "{error}");
    }

    #[test]
    fn frames_without_a_record_are_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("f-002.png"), b"holiday").expect("written");
        let error = open(folder.path(), &json!({}), false).expect_err("not ours");
        assert!(
            error.is::<NotOurs>() && error.to_string().contains("f-002.png"),
            "{error}"
        );
        assert_eq!(
            std::fs::read(folder.path().join("f-002.png")).expect("there"),
            b"holiday"
        );
        assert!(!folder.path().join("f.throng.json").exists());
    }
}
