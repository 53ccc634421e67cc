//! Validation of groups and colours: an invalid value shows its error beside it, and the scene is not rebuilt.

use crate::{
    app::state::AppState,
    config::{Config, ConfigError, SceneConfig},
    crowd::tints::Ramps,
};

/// Invalid setting of the requested scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InvalidSetting {
    /// Dotted path of the key.
    pub key: String,
    /// Value of the setting, and what is expected instead.
    pub why: String,
}

impl InvalidSetting {
    /// True if the setting is `key` or a key below it.
    #[must_use]
    pub(crate) fn is_within(&self, key: &str) -> bool {
        let rest = self.key.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// Scene that was validated last, and the result.
#[derive(Debug, Default)]
pub(crate) struct Check {
    of: Option<SceneConfig>,
    found: Option<InvalidSetting>,
}

impl AppState {
    /// Validates the requested scene if it has changed since the last call.
    pub(in crate::app) fn check_scene(&mut self) {
        let scene = &self.config.scene;
        if self.load.check.of.as_ref() != Some(scene) {
            self.load.check = Check {
                found: rejection_of(scene),
                of: Some(scene.clone()),
            };
        }
    }

    /// Reason why the requested scene is not built; `None` if it is valid.
    #[must_use]
    pub(in crate::app) const fn invalid_setting(&self) -> Option<&InvalidSetting> {
        self.load.check.found.as_ref()
    }
}

/// Error that a scene file with these groups and colours would give.
fn rejection_of(scene: &SceneConfig) -> Option<InvalidSetting> {
    let mut part = Config::default();
    part.scene.groups.clone_from(&scene.groups);
    part.scene.tints.clone_from(&scene.tints);
    let text = match part.scene_file() {
        Ok(text) => text,
        Err(error) => {
            return Some(InvalidSetting {
                key: "scene.groups".to_owned(),
                why: error.to_string(),
            });
        }
    };
    let read = Config::parse("scene", &text).map_err(ConfigError::of_no_file);
    if let Err(error) = read {
        let (key, why) = error.key_and_reason();
        return Some(InvalidSetting {
            key: key.to_owned(),
            why,
        });
    }
    let colours = Ramps::from_scene(scene).err()?;
    Some(InvalidSetting {
        key: "scene.tints".to_owned(),
        why: colours.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{GroupConfig, TintConfig};

    fn of(change: impl FnOnce(&mut SceneConfig)) -> Option<InvalidSetting> {
        let mut scene = Config::scene("plaza").expect("a preset").scene;
        change(&mut scene);
        rejection_of(&scene)
    }

    #[test]
    fn invalid_settings_are_rejected_with_the_error_of_a_file() {
        for name in Config::preset_names() {
            assert_eq!(rejection_of(&Config::scene(name).expect(name).scene), None, "{name}");
        }
        let states = |scene: &mut SceneConfig, change: fn(&mut crate::config::StateConfig)| {
            let talkers = scene.groups.get_mut("talkers").expect("a group");
            let behaviour = talkers.behaviour.as_mut().expect("a behaviour");
            change(behaviour.states.get_mut("talk").expect("a state"));
        };
        let talk = "scene.groups.talkers.behaviour.states.talk";
        let range = of(|scene| states(scene, |talk| talk.dwell = [5.0, 2.0])).expect("refused");
        assert_eq!(range.key, format!("{talk}.dwell"));
        assert!(range.why.contains("two ascending numbers"), "{range:?}");
        let fade = of(|scene| states(scene, |talk| talk.fade = 4.5)).expect("refused");
        assert_eq!(fade.why, "4.5; expected at most the shortest dwell");
        assert!(fade.is_within(talk) && !fade.is_within("scene.groups.talk"));
    }

    #[test]
    fn more_colours_than_fit_are_rejected() {
        let many = |count| TintConfig {
            hair: vec!["#102030".into(); count],
            ..TintConfig::default()
        };
        let with = |own, home| {
            of(|scene| {
                scene.tints = many(own);
                let group = GroupConfig {
                    tints: many(home),
                    ..GroupConfig::default()
                };
                scene.groups.insert("home".into(), group);
            })
        };
        assert_eq!(with(40, 24), None);
        let told = with(40, 25).expect("refused");
        assert!(told.key == "scene.tints" && told.why.contains("65 colours"), "{told:?}");
    }
}
