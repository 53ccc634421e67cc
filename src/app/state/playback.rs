//! Playback in the window: pause, steps, jumps, speed, and what follows the last sample of trajectories.

use crate::app::state::AppState;

/// Least and greatest scene seconds per second of real time that keys choose.
const SCALES: std::ops::RangeInclusive<f64> = 0.125..=16.0;

/// Request of a key or a button for the scene's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Playback {
    /// Pause or resume.
    TogglePause,
    /// Pause and move by this many clock steps.
    Step(i32),
    /// Move by seconds of scene time.
    Skip(f64),
    /// Go to the beginning.
    Start,
    /// Go to the last sample of trajectories.
    End,
    /// Multiply scene seconds per second of real time.
    Faster(f64),
    /// Switch between repeating trajectories and stopping at their last sample.
    ToggleLoop,
}

/// Behaviour of time at the last sample of trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// They begin again.
    #[default]
    Repeat,
    /// Time stops.
    Stop,
}

impl AppState {
    /// Performs a request for the scene's time.
    pub(super) fn play(&mut self, request: Playback) {
        let end = self.end_of_trajectories();
        let clock = &mut self.clock;
        match request {
            // As in video players: who resumes at the end sees everything again.
            Playback::TogglePause if clock.paused && end.is_some_and(|end| clock.seconds >= end) => {
                clock.seconds = 0.0;
                clock.paused = false;
            }
            Playback::TogglePause => clock.paused = !clock.paused,
            Playback::Step(steps) => clock.step(steps),
            Playback::Skip(seconds) => {
                clock.seconds = (clock.seconds + seconds).clamp(0.0, end.unwrap_or(f64::INFINITY));
            }
            Playback::Start => clock.seconds = 0.0,
            Playback::End => clock.seconds = end.unwrap_or(clock.seconds),
            Playback::Faster(factor) => {
                clock.scale = (clock.scale * factor).clamp(*SCALES.start(), *SCALES.end());
                let scale = clock.scale;
                self.notify_without_panel(format!("time runs {scale} times as fast"));
            }
            Playback::ToggleLoop => {
                self.clock.at_end = match self.clock.at_end {
                    AtEnd::Repeat => AtEnd::Stop,
                    AtEnd::Stop => AtEnd::Repeat,
                };
                let what = match self.clock.at_end {
                    AtEnd::Repeat => "trajectories begin again after their last sample",
                    AtEnd::Stop => "time stops at the last sample",
                };
                self.notify_without_panel(what.into());
            }
        }
    }

    /// Begins again after the last sample of trajectories, or stops there.
    pub(super) fn end_trajectories(&mut self) {
        let Some(end) = self.end_of_trajectories() else { return };
        if self.clock.paused || self.clock.seconds <= end {
            return;
        }
        match self.clock.at_end {
            AtEnd::Repeat => self.clock.seconds = 0.0,
            AtEnd::Stop => {
                self.clock.seconds = end;
                self.clock.paused = true;
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::Config;

    /// Window that shows one person who walks for 10 s.
    pub(crate) fn walk() -> AppState {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("walk.csv");
        let rows: String = (0..=20)
            .map(|at| format!("1,{},{at},0\n", f64::from(at) * 0.5))
            .collect();
        std::fs::write(&file, format!("id,t,x,y\n{rows}")).expect("writes");
        let mut config = Config::default();
        config.scene.trajectories.file = file;
        config.scene.characters = vec!["man".into()];
        AppState::showing(config)
    }

    #[test]
    fn jumps_stay_within_the_trajectories() {
        let mut state = walk();
        for (request, seconds) in [
            (Playback::Skip(-5.0), 0.0),
            (Playback::Skip(4.0), 4.0),
            (Playback::Skip(5.0), 9.0),
            (Playback::Skip(5.0), 10.0),
            (Playback::Start, 0.0),
            (Playback::End, 10.0),
        ] {
            state.play(request);
            assert_eq!(state.clock.seconds, seconds, "{request:?}");
        }
        // Without trajectories, time has no end.
        state.shown.scene = None;
        state.play(Playback::Skip(60.0));
        state.play(Playback::End);
        assert_eq!(state.clock.seconds, 70.0);
    }

    #[test]
    fn trajectories_begin_again_or_stop_at_their_end() {
        let mut state = walk();
        state.clock.seconds = 9.5;
        state.advance(0.75);
        assert!(state.clock.seconds == 0.0 && !state.clock.paused);
        state.play(Playback::ToggleLoop);
        state.clock.seconds = 9.5;
        state.advance(0.75);
        assert!(state.clock.seconds == 10.0 && state.clock.paused);
        state.play(Playback::TogglePause);
        assert!(
            state.clock.seconds == 0.0 && !state.clock.paused,
            "resumes from the beginning"
        );
        state.play(Playback::TogglePause);
        assert!(state.clock.paused);
    }

    #[test]
    fn speed_doubles_and_halves_within_bounds() {
        let mut state = walk();
        state.play(Playback::Faster(2.0));
        assert_eq!(state.clock.scale, 2.0);
        (0..9).for_each(|_| state.play(Playback::Faster(2.0)));
        assert_eq!(state.clock.scale, *SCALES.end());
        (0..20).for_each(|_| state.play(Playback::Faster(0.5)));
        assert_eq!(state.clock.scale, *SCALES.start());
    }
}
