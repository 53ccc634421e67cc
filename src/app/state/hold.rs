//! Holding the last pose of a clip that is played once.

use crate::{
    app::{person::pick, state::AppState},
    crowd::clock::Clock,
    scene::PersonRef,
};

/// Time before a clip's end at which it is held (s); exactly at the end, a loop shows its start.
const BEFORE: f64 = 1.0 / 8192.0;

impl AppState {
    /// Clip that everyone plays, if there is only one.
    #[must_use]
    pub(crate) fn playing_alone(&self) -> Option<&str> {
        let mut played = self.config.scene.clips.iter().filter(|(_, weight)| **weight > 0.0);
        let (name, _) = played.next()?;
        played.next().is_none().then_some(name.as_str())
    }

    /// Advances by `real` seconds. Without "loop", stops at the end of a clip that is played alone.
    pub(in crate::app) fn advance(&mut self, real: f64) {
        let before = self.clock.seconds;
        self.clock.advance(real);
        self.follow_trajectories();
        let passed = self.clock.seconds - before;
        if passed <= 0.0 || !self.character.once || self.playing_alone().is_none() {
            return;
        }
        let Some(left) = self.seconds_left(before) else { return };
        if self.character.held.take() == Some(before) {
            // Resuming after a hold plays the clip again.
            self.clock.seconds += left + BEFORE;
        } else if passed >= left - BEFORE {
            self.clock.seconds = before + (left - BEFORE).max(0.0);
            self.clock.paused = true;
            self.character.held = Some(self.clock.seconds);
        }
    }

    /// Scene time (s) from `seconds` until the character's first instance ends its clip.
    fn seconds_left(&self, seconds: f64) -> Option<f64> {
        let scene = self.shown.scene.as_ref()?;
        let first = PersonRef {
            character: self.character.index,
            index: 0,
        };
        let (instance, pose) = pick::pose_of(scene, first, Clock::from_seconds(seconds))?;
        let playing = pose.moment.to;
        let clip = scene
            .characters
            .get(first.character)?
            .palettes
            .clips
            .get(playing.clip as usize)?;
        let (position, speed) = (f64::from(playing.position), f64::from(instance.speed()));
        let share = if speed < 0.0 { position } else { 1.0 - position };
        let whole = f64::from(clip.duration) / speed.abs();
        let left = share * whole;
        // Exactly at the boundary, a whole clip is still to come.
        let left = if left < 0.5 * BEFORE { whole } else { left };
        left.is_finite().then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// State with a knight who plays one clip once at a speed.
    fn playing(speed: f32) -> AppState {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.clips = [("Wave".to_owned(), 1.0)].into_iter().collect();
        (config.scene.count, config.scene.speed) = (1, speed);
        let mut state = AppState::showing(config);
        state.character.once = true;
        state
    }

    fn position(state: &AppState) -> f32 {
        let scene = state.shown.scene.as_ref().expect("shown");
        let first = PersonRef { character: 0, index: 0 };
        let pose = pick::pose_of(scene, first, Clock::from_seconds(state.clock.seconds));
        pose.expect("someone").1.moment.to.position
    }

    #[test]
    fn a_clip_played_once_holds_its_last_pose_until_resumed() {
        for (speed, end) in [(1.0, 1.0), (-0.7, 0.0)] {
            let mut state = playing(speed);
            for _ in 0..3 {
                let mut turns = 0;
                while !state.clock.paused && turns < 4000 {
                    state.advance(0.03);
                    turns += 1;
                }
                assert!(state.clock.paused && turns > 10, "{speed}: {turns} turns");
                assert!((position(&state) - end).abs() < 0.002, "{speed}: {}", position(&state));
                state.clock.paused = false;
                state.advance(0.03);
                assert!(!state.clock.paused && (position(&state) - (1.0 - end)).abs() < 0.1);
            }
            state.character.once = false;
            (0..400).for_each(|_| state.advance(0.03));
            assert!(!state.clock.paused);
        }
    }
}
