//! The selected person, and the camera that follows them.

use crate::{
    app::{
        person::pick::{self, LineDrawing, PointerQuery},
        state::{AppState, action::Tab},
        stress,
    },
    crowd::clock::Clock,
    scene::PersonRef,
};

impl AppState {
    /// Queries who is at a pixel of the frame drawn last; the answer arrives with a later frame.
    pub(crate) fn pick(&mut self, pixel: [f32; 2]) {
        if self.person.pick.line != LineDrawing::Off {
            return self.draw_line(pixel);
        }
        if let Some(picture) = &self.shown.picture {
            self.person.pick.to_ask = Some(PointerQuery {
                ray: picture.ray(pixel.into()),
                clock: Clock::from_seconds(self.clock.seconds),
            });
        }
    }

    /// Selects a person, or nobody.
    pub(crate) fn select(&mut self, selected: Option<PersonRef>) {
        match selected {
            Some(who) => {
                tracing::info!("selected person {} of character {}", who.index, who.character);
                self.ui.tab = Tab::Person;
            }
            None => {
                tracing::info!("selected nobody");
                self.person.follow = false;
            }
        }
        (self.person.selected, self.person.followed) = (selected, None);
    }

    pub(crate) fn cancel(&mut self) {
        if std::mem::take(&mut self.person.pick.line) != LineDrawing::Off {
            return;
        }
        if !stress::abort(self) {
            self.select(None);
        }
    }

    /// Takes the selected person over from the baked crowd, or hands them back.
    pub(crate) fn take_over(&mut self) {
        let (Some(who), Some(scene)) = (self.person.selected, &self.shown.scene) else {
            return self.notices.tell("nobody is selected: click a person first");
        };
        if scene.is_vehicle(who) {
            return self
                .notices
                .tell("vehicles have no skeleton, so nothing of them is posed live");
        }
        if !self.config.render.technique.facts().heroes {
            return self.notices.tell("heroes are disabled; they require technique matrix");
        }
        let seconds = self.clock.seconds;
        if self.person.heroes.is_live(who, seconds) {
            self.person.heroes.hand_over(who, seconds);
        } else {
            self.person.heroes.take_over(scene, who, seconds);
        }
        if self.clock.paused {
            self.notices
                .tell("paused: the change fades in over scene time, so nothing moves until you resume (Space)");
        }
    }

    /// Moves the camera along with the selected person.
    pub(crate) fn follow_selected(&mut self) {
        let (true, Some(selected), Some(scene)) = (self.person.follow, self.person.selected, &self.shown.scene) else {
            self.person.followed = None;
            return;
        };
        let clock = Clock::from_seconds(self.clock.seconds);
        let Some((_, pose)) = pick::pose_of(scene, selected, clock) else {
            return;
        };
        if let Some(before) = self.person.followed {
            self.rig.carry(pose.position - before);
            self.view = None;
        }
        self.person.followed = Some(pose.position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn taking_over_says_why_nothing_moves() {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 2;
        let mut state = AppState::showing(config);
        let told = |state: &mut AppState| {
            state.take_over();
            let told = state.notices.current().map(|notice| notice.text.clone()).next();
            state.notices = crate::app::state::notices::Notices::default();
            told.unwrap_or_default()
        };
        assert!(told(&mut state).contains("click a person first"));
        state.select(Some(PersonRef { character: 0, index: 0 }));
        assert_eq!(told(&mut state), "", "running: the change is seen");
        state.clock.paused = true;
        assert!(told(&mut state).starts_with("paused: "));
    }
}
