//! Checks of settings against each other, beyond the range of a single key.

use crate::{
    config::{
        CAMERA_PATH, Config, Group, JOINT_ROLES, Phase, SceneConfig, keys::list, scene::camera_path,
        schema_check::did_you_mean,
    },
    view::BUILT_IN_VIEWS,
};

/// A value that contradicts others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValidationError {
    /// Dotted path; entries of lists by index.
    pub key: String,
    /// Value.
    pub value: String,
    /// Expected value.
    pub expected: String,
}

impl ValidationError {
    pub(crate) fn new(key: impl Into<String>, value: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
            expected: expected.into(),
        }
    }

    /// Error with its key below a table.
    pub(crate) fn below(self, table: &str) -> Self {
        Self {
            key: format!("{table}.{}", self.key),
            ..self
        }
    }
}

impl SceneConfig {
    fn roles_error(&self) -> Option<ValidationError> {
        let role = self.joint_roles.keys().find(|role| !JOINT_ROLES.contains(&&role[..]))?;
        let known = list(JOINT_ROLES.iter().map(|role| (*role).to_owned()));
        let expected = format!("a role: {known}{}", did_you_mean(role, JOINT_ROLES.into_iter()));
        Some(ValidationError::new(
            "scene.joint_roles",
            format!("\"{role}\""),
            expected,
        ))
    }
}

impl Config {
    /// First contradiction, if any.
    pub(crate) fn validation_error(&self) -> Option<ValidationError> {
        self.start_error()
            .or_else(|| self.view_error())
            .or_else(|| camera_path::validation_error(&self.camera.path))
            .or_else(|| self.scene.behaviour_error())
            .or_else(|| self.scene.path_error())
            .or_else(|| self.scene.trajectories.validation_error())
            .or_else(|| self.scene.clips_error())
            .or_else(|| self.scene.weights_error())
            .or_else(|| self.scene.roles_error())
    }

    fn start_error(&self) -> Option<ValidationError> {
        let start = self.camera.start.as_str();
        let along = (!self.camera.path.is_empty()).then_some(CAMERA_PATH);
        let views = || {
            self.camera
                .views
                .keys()
                .map(String::as_str)
                .chain(along)
                .chain(BUILT_IN_VIEWS)
        };
        if views().any(|view| view == start) {
            return None;
        }
        let known = list(views().map(str::to_owned)) + &did_you_mean(start, views());
        let expected = format!("the name of a view: {known}");
        Some(ValidationError::new("camera.start", format!("\"{start}\""), expected))
    }

    fn view_error(&self) -> Option<ValidationError> {
        let (name, view) = self.camera.views.iter().find(|(_, view)| view.eye == view.target)?;
        let key = format!("camera.views.{name}.target");
        Some(ValidationError::new(
            key,
            format!("{:?}", view.target),
            "a point other than `eye`",
        ))
    }
}

impl SceneConfig {
    fn behaviour_error(&self) -> Option<ValidationError> {
        self.groups.iter().find_map(|(name, group)| {
            let table = format!("scene.groups.{name}");
            let behaviour = group.behaviour.as_ref()?;
            if group.phase == Some(Phase::Wave) && *name == Group::Walkers.name() {
                let expected = "\"random\" or \"together\" with a behaviour: walkers cannot form a wave";
                return Some(ValidationError::new("phase", "\"wave\"", expected).below(&table));
            }
            behaviour
                .validation_error()
                .map(|validation_error| validation_error.below(&format!("{table}.behaviour")))
        })
    }

    fn path_error(&self) -> Option<ValidationError> {
        let mut paths = self.paths.iter().enumerate();
        paths.find_map(|(number, path)| Some(path.validation_error()?.below(&format!("scene.paths.{number}"))))
    }

    fn weights_error(&self) -> Option<ValidationError> {
        let (weights, characters) = (&self.weights, self.characters.len());
        // The embedded characters, for an empty list, are not known in this module.
        let known = characters > 0;
        if known && weights.len() > characters {
            let expected = format!("at most {characters}: one for each of scene.characters");
            return Some(ValidationError::new(
                "scene.weights",
                format!("an array of {}", weights.len()),
                expected,
            ));
        }
        let nobody = known && weights.len() == characters && weights.iter().all(|&weight| weight == 0.0);
        nobody.then(|| {
            ValidationError::new(
                "scene.weights",
                "0 for all characters",
                "above 0 for at least one character",
            )
        })
    }

    fn clips_error(&self) -> Option<ValidationError> {
        let groups = self.groups.iter();
        let groups = groups.map(|(name, group)| (format!("scene.groups.{name}.clips"), &group.clips));
        let mut mixes = groups.chain([("scene.clips".to_owned(), &self.clips)]);
        let (key, _) = mixes.find(|(_, clips)| !clips.is_empty() && clips.values().all(|&weight| weight == 0.0))?;
        Some(ValidationError::new(
            key,
            "0 for all clips",
            "above 0 for at least one clip",
        ))
    }
}
