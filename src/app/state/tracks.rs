//! Trajectories in the window: dropped files, and time that begins again after the last sample.

use std::{fs::File, io::Read, path::Path};

use crate::{
    app::state::AppState,
    config::{Ground, Layout},
    file::is_character,
    tracks::{is_trajectories, live},
};

/// Delay (s) of the window after the newest sample that it shows: the default filter reaches 0.64 s.
const LIVE_DELAY: f64 = 1.0;
/// Largest further delay (s), from which the window jumps ahead.
const LARGEST_LAG: f64 = 2.0;
/// Bytes by which trajectories are recognised.
const HEAD: u64 = 4096;

/// True if a file holds trajectories, by its content.
pub(super) fn holds_trajectories(file: &Path) -> bool {
    if file.is_dir() || is_character(file) {
        return false;
    }
    // Opening a pipe would wait for its writer.
    if !file.metadata().is_ok_and(|facts| facts.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(HEAD).read_to_end(&mut head));
    read.is_ok() && is_trajectories(&head)
}

impl AppState {
    /// Lets people follow a file of trajectories.
    pub(in crate::app) fn open_trajectories(&mut self, file: &Path) {
        let name = file
            .file_stem()
            .unwrap_or(file.as_os_str())
            .to_string_lossy()
            .into_owned();
        let scene = &mut self.config.scene;
        scene.trajectories.file = file.to_owned();
        scene.layout = Layout::Scatter;
        scene.name.clone_from(&name);
        scene.caption.clear();
        self.config.look.ground = Ground::Grid;
        self.clock.seconds = 0.0;
        self.clock.paused = false;
        self.notices.tell(format!("{name}: people follow its trajectories"));
    }

    /// Time of the last sample (s) of the trajectories that are shown.
    pub(in crate::app) fn end_of_trajectories(&self) -> Option<f64> {
        let scene = self.shown.scene.as_ref()?;
        Some(scene.tracks.as_ref()?.presence.duration())
    }

    /// Moves the clock on trajectories: close after the newest sample while a program writes them, else as after the last
    /// one.
    pub(super) fn follow_trajectories(&mut self) {
        let is_stream = self.config.scene.trajectories.is_standard_input();
        let stream = live::standard_input().filter(|stream| is_stream && !stream.state().is_ended);
        match (stream, self.end_of_trajectories()) {
            (Some(_), Some(end)) if !self.clock.paused => self.clock.seconds = followed(self.clock.seconds, end),
            (Some(_), _) => {}
            (None, _) => self.end_trajectories(),
        }
    }
}

/// Scene time (s) that follows a stream whose newest shown sample is at `end`: not before places are settled, and not
/// far after that.
fn followed(seconds: f64, end: f64) -> f64 {
    let latest = (end - LIVE_DELAY).max(0.0);
    if seconds < latest - LARGEST_LAG {
        latest
    } else {
        seconds.min(latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_follows_a_stream_with_a_delay() {
        assert_eq!(followed(0.0, 0.4), 0.0, "nothing has settled");
        assert_eq!(followed(4.0, 6.0), 4.0, "runs on");
        assert_eq!(followed(5.5, 6.0), 5.0, "waits for samples");
        assert_eq!(followed(1.0, 60.0), 59.0, "catches up");
    }

    #[test]
    fn trajectories_are_told_from_characters_and_scenes() {
        let folder = tempfile::tempdir().expect("a folder");
        let holds = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writes");
            holds_trajectories(&path)
        };
        assert!(holds("a.csv", b"id,frame,x,y\n1,0,1,2\n") && holds("b.txt", b"1 0 1.0 2.0 1.7\n"));
        assert!(holds("c.bin", b"SQLite format 3\0") && holds("d.xml", b"<fcd-export>"));
        assert!(!holds("e.toml", b"[scene]\ncount = 5\n") && !holds("f.gltf", b"{\"asset\": {\"version\": \"2.0\"}}"));
        assert!(!holds("g.txt", b"Dear all,\nhello.\n") && !holds_trajectories(folder.path()));
    }
}
