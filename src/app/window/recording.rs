//! Film recording in the frame loop: scene time follows the film's frames, and each is drawn once more for the film.

use crate::app::{share::FilmRecording, window::App};

impl App {
    /// Begins a film, or ends the one in progress.
    pub(super) fn toggle_film(&mut self) {
        if self.recording.is_some() {
            return self.end_film(false);
        }
        let (Some(stage), true) = (&self.stage, self.state.shown.scene.is_some()) else {
            return self.state.notices.tell("no picture yet: the scene is loading");
        };
        let window = &self.state.config.window;
        let (size, scene) = ((window.width, window.height), self.state.config.scene.name.clone());
        let start = self.state.clock.seconds;
        match FilmRecording::begin(&mut self.state.files.sharing, &scene, &stage.gpu, size, start) {
            Ok(recording) => {
                self.state.clock.paused = false;
                self.state.files.filming = Some(recording.progress());
                self.recording = Some(recording);
            }
            Err(error) => self.state.notices.fail(format!("{error:#}")),
        }
    }

    /// Ends the film in progress, if any. A cancelled film leaves no file.
    pub(super) fn end_film(&mut self, cancel: bool) {
        if let Some(recording) = self.recording.take() {
            self.films.push(recording.end(cancel));
        }
        self.state.files.filming = None;
    }

    /// Waits for all films to be completed before the program ends.
    pub(in crate::app) fn finish_films(&mut self) {
        self.end_film(false);
        for film in self.films.drain(..) {
            // A thread that panicked leaves no file.
            let _ = film.join();
        }
    }

    /// Advances scene time: in real time, or by the frames of a film.
    pub(super) fn pass(&mut self, seconds: f64) {
        match &self.recording {
            Some(recording) => self.state.clock.seconds = recording.time(),
            None => self.state.advance(seconds),
        }
    }

    /// Draws a frame for the film, if one is in progress and its encoder has room.
    pub(super) fn film(&mut self) {
        let (Some(recording), Some(stage)) = (&mut self.recording, &mut self.stage) else {
            return;
        };
        let window = &self.state.config.window;
        if !recording.goes_on((window.width, window.height)) {
            return self.end_film(false);
        }
        // A film frame is drawn only at its exact scene time, which the loop sets.
        let is_due = self.state.clock.seconds == recording.time() && !self.state.clock.paused;
        if !is_due || !recording.has_room() {
            return;
        }
        match stage.picture(&self.state) {
            Ok(Some(picture)) => {
                recording.take(picture);
                self.state.files.filming = Some(recording.progress());
            }
            Ok(None) => {}
            Err(error) => {
                self.state.notices.fail(error.to_string());
                self.end_film(true);
            }
        }
    }
}
