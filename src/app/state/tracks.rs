//! Trajectories in the window: dropped files, and time that begins again after the last sample.

use std::{fs::File, io::Read, path::Path};

use crate::{
    app::state::AppState,
    config::{Ground, Layout},
    file::is_character,
    tracks::is_trajectories,
};

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
