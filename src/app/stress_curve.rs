//! CSV file of the frame times that a search for the largest crowd has measured.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{app::state::AppState, file::output::Output, render::stats::FrameStats};

impl AppState {
    /// Writes the curve to `stress.csv` or the first free `stress-N.csv` in a folder, and shows the name.
    pub(super) fn save_stress_curve(&mut self, folder: &Path) {
        match self.write_stress_curve(folder) {
            Ok(file) => self.notices.tell(format!("wrote {}", file.display())),
            Err(error) => self
                .notices
                .fail(format!("cannot write the curve of the stress test: {error:#}")),
        }
    }

    fn write_stress_curve(&self, folder: &Path) -> Result<PathBuf> {
        let with_number = |number: u32| match number {
            1 => folder.join("stress.csv"),
            _ => folder.join(format!("stress-{number}.csv")),
        };
        let free = (1..1000).map(with_number).find(|file| !file.exists());
        let file = free.context("all file names stress-N.csv are taken")?;
        Output::create(&file)?.write(self.stress_csv().as_bytes())?;
        Ok(file)
    }

    /// CSV with one row per count, ascending, after comment lines about scene, adapter and settings.
    fn stress_csv(&self) -> String {
        let FrameStats {
            adapter,
            scene,
            size: [width, height],
            samples,
            technique,
            ..
        } = &self.shown.stats;
        let format = self.shown.stats.format.as_deref().unwrap_or("no atlas");
        let target = self.stress.target_ms;
        let mut text = format!(
            "# scene {scene}, technique {technique}, {format}, {width}x{height}, {samples} samples\n# {}\n# median \
             time from frame to frame, without vsync where the display allows; target: {target} ms\npeople,frame_ms\n",
            adapter.summary()
        );
        for trial in &self.stress.curve {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{},{:.4}", trial.count, trial.ms);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{AppOptions, stress::CrowdSample},
        config::Config,
    };

    #[test]
    fn every_search_is_saved_to_a_new_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = AppState::new(&AppOptions::of(Config::scene("plaza").expect("a preset")));
        let trial = |count, ms| CrowdSample { count, ms };
        state.stress.curve = vec![trial(1000, 2.0), trial(1500, 3.25)];
        (0..2).for_each(|_| state.save_stress_curve(folder.path()));
        for name in ["stress.csv", "stress-2.csv"] {
            let text = std::fs::read_to_string(folder.path().join(name)).expect("written");
            assert!(text.ends_with("people,frame_ms\n1000,2.0000\n1500,3.2500\n"), "{text}");
            assert!(text.lines().take(3).all(|line| line.starts_with("# ")), "{text}");
        }
        assert!(state.notices.current().all(|notice| !notice.is_error));
        state.save_stress_curve(&folder.path().join("nowhere"));
        assert!(state.notices.current().any(|notice| notice.is_error));
    }
}
