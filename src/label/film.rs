//! Films with AOVs and labels: the files of a picture per frame, and one file with all labels of a film.

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    thread,
};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::Value;

use crate::{
    aov::{FrameParameters, with_suffix},
    config::Config,
    film::{FilmPlan, FrameFiles, FramePattern, FrameProgress, FrameRate, Shard, with_workers, workers},
    label::{
        CocoFile, LabelCapture, PictureRequest, Recorder,
        formats::{Collection, CollectionKind, PictureEntry},
    },
};

/// Records the frames of a plan. Frames whose files all exist and are complete are kept, unless `files` overwrites. The
/// labels of a film in one part are gathered, too.
///
/// # Errors
/// Errors of [`Recorder::record`] and [`RecordedPicture::write`](crate::label::RecordedPicture::write). Frames that
/// exist by then are complete.
pub fn record_film(
    recorder: &mut Recorder,
    config: &Config,
    plan: &FilmPlan,
    files: &FrameFiles,
    mut told: impl FnMut(FrameProgress),
) -> Result<FrameProgress> {
    let (wanted, pattern) = (recorder.wanted().clone(), files.pattern());
    let own: Vec<u64> = plan.own_frames().collect();
    let is_done = |frame: &u64| !files.overwrites() && wanted.is_done(&pattern.stem(*frame));
    let missing: Vec<u64> = own.par_iter().copied().filter(|frame| !is_done(frame)).collect();
    let mut progress = FrameProgress::before(own.len(), missing.len());
    told(progress);
    if !missing.is_empty() {
        files.begin()?;
    }
    let (tell, written) = channel();
    thread::scope(|scope| {
        let gathers = plan.shard == Shard::WHOLE && wanted.labels.is_some();
        let unwritten = missing.iter().copied().collect();
        let gathering =
            gathers.then(|| scope.spawn(|| gather_as_written(pattern, plan.frames.clone(), unwritten, written)));
        let write = |(frame, capture): (u64, LabelCapture)| {
            let recorded = capture
                .encode()
                .and_then(|recording| recording.write(&wanted, &pattern.stem(frame)));
            recorded.with_context(|| format!("frame {frame}"))?;
            // The receiver is gone if no labels are gathered.
            let _ = tell.send(frame);
            Ok(())
        };
        let drawn = with_workers(workers(), write, |work_queue| {
            for &frame in &missing {
                let scene = &recorder.aov_renderer().scene;
                let at = |time: f64| FrameParameters::of(config, scene, time);
                let moments = plan.moments(frame).map(at).collect::<Result<Vec<_>, _>>()?;
                let next = at(plan.time(frame + 1))?;
                let capture = recorder.capture(frame, &moments, Some(&next));
                let capture = capture.with_context(|| format!("frame {frame}"))?;
                work_queue.send((frame, capture))?;
                progress.drawn += 1;
                told(progress);
            }
            Ok(())
        });
        drop(tell);
        let gathered = gathering.map_or(Ok(()), |thread| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        drawn.and(gathered)
    })?;
    if plan.shard == Shard::WHOLE {
        let film = FilmLabels {
            pattern,
            frames: plan.frames.clone(),
            rate: plan.rate,
            wanted: &wanted,
        };
        film.gather_formats()?;
    }
    Ok(progress)
}

/// Gathers the labels of all frames of a film whose frames are complete, in all requested formats, and returns the
/// files. Returns none if labels are not requested.
///
/// # Errors
/// Labels of a frame are missing or broken; errors of writing.
pub fn gather_film(film: &FilmLabels<'_>) -> Result<Vec<PathBuf>> {
    if film.wanted.labels.is_none() {
        return Ok(Vec::new());
    }
    gather_as_written(film.pattern, film.frames.clone(), HashSet::new(), channel().1)?;
    let mut written = vec![film.pattern.labels()];
    written.extend(film.gather_formats()?);
    Ok(written)
}

/// Film whose labels are gathered.
#[derive(Clone, Debug)]
pub struct FilmLabels<'a> {
    /// Names of the frames.
    pub pattern: &'a FramePattern,
    /// Numbers of the frames; the end is exclusive.
    pub frames: Range<u64>,
    /// Frames per second.
    pub rate: FrameRate,
    /// Outputs of each frame.
    pub wanted: &'a PictureRequest,
}

impl FilmLabels<'_> {
    /// Writes the files that formats have of a whole film, and returns them.
    fn gather_formats(&self) -> Result<Vec<PathBuf>> {
        let Some(labels) = &self.wanted.labels else {
            return Ok(Vec::new());
        };
        let labels_file = self.pattern.labels();
        let name = labels_file.file_name().unwrap_or_default().to_string_lossy();
        let entry = |number: u64| {
            let stem = self.pattern.stem(number);
            PictureEntry {
                number,
                split: String::new(),
                files: self.wanted.files(&stem),
                stem,
            }
        };
        let all = Collection {
            kind: CollectionKind::Film(self.rate),
            folder: self.pattern.folder().to_owned(),
            name: name.trim_end_matches(".coco.json").to_owned(),
            size: self.wanted.size,
            pictures: self.frames.clone().map(entry).collect(),
        };
        let gathered = labels.formats.writers().map(|writer| writer.gather(&all));
        Ok(gathered.collect::<Result<Vec<_>>>()?.concat())
    }
}

/// Gathers frames in order as soon as they are `written`. If some never are, the film has failed, and the file is
/// discarded.
fn gather_as_written(
    pattern: &FramePattern,
    frames: Range<u64>,
    mut unwritten: HashSet<u64>,
    written: Receiver<u64>,
) -> Result<()> {
    let mut all = CocoFile::begin(&pattern.labels())?;
    let mut frames = frames.peekable();
    while frames.peek().is_some() {
        let ready = std::iter::from_fn(|| frames.next_if(|frame| !unwritten.contains(frame)));
        let ready: Vec<PathBuf> = ready.map(|frame| labels_of(pattern, frame)).collect();
        all.add(&ready)?;
        if frames.peek().is_some() {
            let Ok(frame) = written.recv() else { return Ok(()) };
            unwritten.remove(&frame);
            for frame in written.try_iter() {
                unwritten.remove(&frame);
            }
        }
    }
    all.finish()?;
    Ok(())
}

fn labels_of(pattern: &FramePattern, frame: u64) -> PathBuf {
    with_suffix(&pattern.stem(frame), "labels.json")
}

pub(crate) fn read_json(path: &Path) -> Result<Value> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is not JSON", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn labels_are_gathered_in_frame_order_unless_the_film_failed() {
        let folder = tempfile::tempdir().expect("a folder");
        let pattern: FramePattern = folder
            .path()
            .join("%03d.png")
            .to_string_lossy()
            .parse()
            .expect("a pattern");
        let write = |frame: u64| {
            let labels = json!({"images": [{"id": frame}], "annotations": [{"id": 10 * frame}]});
            std::fs::write(labels_of(&pattern, frame), labels.to_string()).expect("written");
        };
        // Frame 1 existed before the run.
        write(1);
        let unwritten = || HashSet::from([0, 2, 3]);
        let (tell, written) = channel();
        drop(tell);
        gather_as_written(&pattern, 0..4, unwritten(), written).expect("not told of twice");
        assert!(!pattern.labels().exists(), "half a film");
        let (tell, written) = channel();
        let gathered = thread::scope(|scope| {
            let gathering = scope.spawn(|| gather_as_written(&pattern, 0..4, unwritten(), written));
            for frame in [3, 0, 2] {
                write(frame);
                tell.send(frame).expect("somebody listens");
            }
            gathering.join().expect("no panic")
        });
        gathered.expect("gathered");
        let all = read_json(&pattern.labels()).expect("JSON");
        assert_eq!(all["images"], json!([{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}]));
        assert_eq!(
            all["annotations"],
            json!([{"id": 0}, {"id": 10}, {"id": 20}, {"id": 30}])
        );
    }
}
