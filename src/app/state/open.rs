//! Dropped and chosen files: characters that replace or join the present ones, and files of clips.

use std::path::{Path, PathBuf};

use crate::{
    app::{
        dialog::Purpose,
        state::{AppState, tracks::holds_trajectories},
    },
    config::{AttachmentConfig, Group, SceneConfig, limits::PEOPLE_EACH},
    file::{characters_in, contents_of, extensions_text, is_character},
    scene::embedded,
};

/// How opened characters join those of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Join {
    /// They replace the present characters.
    #[default]
    Instead,
    /// They are added to the present characters.
    Beside,
}

/// Purpose of requested files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileRequest {
    /// Characters, with the way they join.
    Characters(Join),
    /// Files whose clips the present characters play; their meshes are ignored.
    Clips,
    /// Mesh of a prop of a group; the index of the prop to replace, or their number to add one.
    Prop(Group, usize),
}

/// Files dropped on the window, which the system reports one by one, and the purpose of requested files.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    files: Vec<PathBuf>,
    join: Join,
    asked: Option<FileRequest>,
    /// Offer about characters that were replaced.
    pub offer: Option<ReplacementOffer>,
}

/// Offer to take back characters that replaced others, or to keep both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReplacementOffer {
    /// Scene before the replacement.
    before: SceneConfig,
    /// New characters.
    pub files: Vec<PathBuf>,
}

impl Arrivals {
    /// Stores the purpose of the files requested now.
    pub(crate) fn asked(&mut self, wanted: FileRequest) {
        self.asked = Some(wanted);
    }

    /// Adds a dropped file.
    pub(crate) fn add(&mut self, file: PathBuf, join: Join) {
        self.files.push(file);
        self.join = join;
    }
}

impl AppState {
    /// Opens the file dialog for a purpose.
    pub(crate) fn ask_for_files(&mut self, wanted: FileRequest) {
        self.files.arrivals.asked(wanted);
        self.ask_for(match wanted {
            FileRequest::Characters(_) | FileRequest::Clips => Purpose::Characters,
            FileRequest::Prop(..) => Purpose::Prop,
        });
    }

    /// Opens chosen files for their purpose.
    pub(crate) fn open_chosen(&mut self, files: &[PathBuf]) {
        match self.files.arrivals.asked.take() {
            _ if files.is_empty() => {}
            Some(FileRequest::Clips) => self.play_clips_of(files.to_vec()),
            Some(FileRequest::Characters(join)) => self.open_files(files, join),
            Some(FileRequest::Prop(group, number)) => files.iter().for_each(|file| self.give_prop(group, number, file)),
            None => self.open_files(files, Join::Instead),
        }
    }

    /// Sets the mesh of a group's prop to a file, or adds a prop.
    fn give_prop(&mut self, group: Group, number: usize, file: &Path) {
        let name = shown_name(file);
        if !contents_of(file).is_some_and(|held| held.meshes) {
            self.notices.fail(format!(
                "{name} has no mesh: choose a {} file that has one",
                extensions_text()
            ));
            return;
        }
        let Some(mesh) = file.to_str() else {
            self.notices.fail(format!(
                "{name}: scenes can only refer to Unicode file names; rename the file"
            ));
            return;
        };
        let own = self.config.scene.groups.entry(group.name().to_owned()).or_default();
        match own.props.get_mut(number) {
            Some(prop) => mesh.clone_into(&mut prop.mesh),
            None => own.props.push(AttachmentConfig {
                mesh: mesh.to_owned(),
                ..AttachmentConfig::default()
            }),
        }
    }

    /// Opens the files dropped since the last frame: a scene, or characters and clips.
    pub(crate) fn take_arrivals(&mut self) {
        let dropped = std::mem::take(&mut self.files.arrivals.files);
        let is_scene = |file: &PathBuf| {
            file.extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
        };
        let (scenes, files): (Vec<PathBuf>, Vec<PathBuf>) = dropped.into_iter().partition(is_scene);
        let (tracks, files): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|file| holds_trajectories(file));
        if let Some(tracks) = tracks.last() {
            self.open_trajectories(tracks);
        }
        if let Some(scene) = scenes.last() {
            self.open_scene(scene);
        }
        if !files.is_empty() {
            self.open_files(&files, self.files.arrivals.join);
        }
        let shown = &self.config.scene.characters;
        if self
            .files
            .arrivals
            .offer
            .as_ref()
            .is_some_and(|offer| offer.files != *shown)
        {
            self.files.arrivals.offer = None;
        }
    }

    /// Replaces the present characters with that of a file.
    pub(crate) fn open_model(&mut self, path: &Path) {
        self.open_files(&[path.to_owned()], Join::Instead);
    }

    /// Opens files and folders. Characters join those of the scene; clips of files without a mesh are played by the
    /// characters.
    pub(crate) fn open_files(&mut self, paths: &[PathBuf], join: Join) {
        let (mut characters, mut libraries) = (Vec::new(), Vec::new());
        for file in self.expanded(paths) {
            let held = contents_of(&file);
            match held.filter(|held| held.clips && !held.meshes) {
                Some(_) => libraries.push(file),
                None => characters.push(file),
            }
        }
        if !characters.is_empty() {
            self.join(characters, join);
        }
        if !libraries.is_empty() {
            self.play_clips_of(libraries);
        }
    }

    /// Accepts the offer: restores the replaced characters, or keeps both.
    pub(crate) fn take_offer(&mut self, join: Join) {
        let Some(ReplacementOffer { before, files }) = self.files.arrivals.offer.take() else {
            return;
        };
        self.change_scene(0, |scene| *scene = before);
        if join == Join::Beside {
            self.join(files, join);
        }
    }

    /// Adds files whose clips the present characters play.
    pub(crate) fn play_clips_of(&mut self, libraries: Vec<PathBuf>) {
        for library in libraries {
            let name = shown_name(&library);
            if self.full_scene().animations.contains(&library) {
                self.notices.tell(format!("{name}: its clips are already in use"));
                continue;
            }
            self.change_scene(self.character.index, |scene| scene.animations.push(library));
            self.notices
                .tell(format!("{name}: the present characters now play its clips"));
        }
    }

    /// Removes a file of clips.
    pub(crate) fn drop_clips_of(&mut self, index: usize) {
        self.change_scene(self.character.index, |scene| {
            if index < scene.animations.len() {
                scene.animations.remove(index);
            }
            if scene.animations.is_empty() {
                (scene.joint_map, scene.turn) = (PathBuf::new(), None);
            }
        });
    }

    /// Removes a character from the scene, unless it is the last.
    pub(crate) fn remove_character(&mut self, index: usize) {
        let scene = &mut self.config.scene;
        name_all(scene);
        if scene.characters.len() > 1 && index < scene.characters.len() {
            scene.characters.remove(index);
            if index < scene.weights.len() {
                scene.weights.remove(index);
            }
            if scene.weights.iter().all(|&weight| weight == 0.0) {
                scene.weights.clear();
            }
        }
    }

    /// Sets the relative frequency of a character; the last one with a weight keeps it.
    pub(crate) fn set_weight(&mut self, index: usize, weight: f32) {
        let scene = &mut self.config.scene;
        let count = match scene.characters.len() {
            0 => embedded::TOWNSFOLK.len(),
            count => count,
        };
        if index < count {
            scene.weights.resize(count, 1.0);
            let others: f32 = { scene.weights.iter().enumerate() }
                .filter(|(other, _)| *other != index)
                .map(|(_, weight)| weight)
                .sum();
            if weight > 0.0 || others > 0.0 {
                scene.weights[index] = weight.max(0.0);
            }
        }
    }

    /// Expands folders to their files; shows a notice for files that are not characters.
    fn expanded(&mut self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for path in paths {
            let name = shown_name(path);
            if path.is_dir() {
                match characters_in(path) {
                    Ok(found) if found.is_empty() => self
                        .notices
                        .fail(format!("{name}: no {} in this folder", extensions_text())),
                    Ok(found) => files.extend(found),
                    Err(error) => self.notices.fail(format!("{name}: {error}")),
                }
            } else if is_character(path) {
                files.push(path.clone());
            } else {
                self.notices
                    .fail(format!("{name} is not a character: drop a {} file", extensions_text()));
            }
        }
        files
    }

    fn join(&mut self, files: Vec<PathBuf>, join: Join) {
        files.iter().rev().for_each(|file| self.remember_recent(file));
        let before = self.full_scene().clone();
        // Characters with clips of their own need no other clips, which might not fit.
        let move_by_themselves = || {
            files
                .iter()
                .all(|file| contents_of(file).is_some_and(|held| held.clips))
        };
        let viewed = match join {
            Join::Instead => {
                let need_none = !before.animations.is_empty() && move_by_themselves();
                self.change_scene(0, |scene| {
                    if need_none {
                        scene.animations.clear();
                        (scene.joint_map, scene.turn) = (PathBuf::new(), None);
                    }
                    // Names of the parts and joints of other characters.
                    scene.hide.clear();
                    scene.joint_roles.clear();
                    scene.weights.clear();
                    scene.characters.clone_from(&files);
                });
                self.files.arrivals.offer = Some(ReplacementOffer { before, files });
                0
            }
            Join::Beside => {
                let new: Vec<PathBuf> = files
                    .into_iter()
                    .filter(|file| !before.characters.contains(file))
                    .collect();
                self.change_scene(self.character.index, |scene| {
                    name_all(scene);
                    scene.characters.extend(new);
                    if !scene.weights.is_empty() {
                        scene.weights.resize(scene.characters.len(), 1.0);
                    }
                });
                self.full_scene().characters.len() - 1
            }
        };
        self.change_scene(viewed, |scene| {
            let characters = scene.characters.len() as u32;
            if characters > 1 && scene.count == 1 {
                scene.count = PEOPLE_EACH * characters;
            }
        });
        self.files.dropped = true;
    }
}

/// Lists the embedded characters in a scene that names none.
fn name_all(scene: &mut SceneConfig) {
    if scene.characters.is_empty() {
        scene.characters = embedded::TOWNSFOLK.iter().map(PathBuf::from).collect();
    }
}

/// File name without its folder.
pub(crate) fn shown_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::AppOptions, config::Config};

    fn state() -> AppState {
        AppState::new(&AppOptions::of(Config::default()))
    }

    fn written(folder: &Path, name: &str, json: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, json).expect("written");
        path
    }

    const BODY: &str = r#"{"asset":{"version":"2.0"},"meshes":[{}]}"#;
    const MOVING: &str = r#"{"asset":{"version":"2.0"},"meshes":[{}],"animations":[{}]}"#;
    const LIBRARY: &str = r#"{"asset":{"version":"2.0"},"animations":[{}]}"#;

    #[test]
    fn several_files_and_folders_open_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("more");
        std::fs::create_dir(&inner).expect("a folder");
        let c = written(&inner, "c.gltf", BODY);
        let a = written(&inner, "a.glb", BODY);
        written(&inner, "readme.txt", "");
        let z = written(folder.path(), "z.gltf", BODY);
        let mut state = state();
        for path in [&z, &inner] {
            state.files.arrivals.add(path.clone(), Join::Instead);
        }
        state.take_arrivals();
        assert_eq!(state.config.scene.characters, [z, a, c]);
        assert_eq!(state.notices.current().count(), 0);
    }

    #[test]
    fn replaced_characters_can_be_added_or_restored() {
        let mut state = state();
        state.config.scene.animations = vec!["walks.glb".into()];
        state.config.scene.weights = vec![2.0, 0.0];
        let before = state.config.scene.clone();
        state.open_model(Path::new("hero.glb"));
        assert_eq!(state.config.scene.characters, [PathBuf::from("hero.glb")]);
        assert!(state.config.scene.weights.is_empty());
        state.take_arrivals();
        state.take_offer(Join::Instead);
        assert_eq!(state.config.scene, before);
        state.open_model(Path::new("hero.glb"));
        state.take_offer(Join::Beside);
        let scene = &state.config.scene;
        assert_eq!(scene.characters.len(), embedded::TOWNSFOLK.len() + 1);
        assert_eq!(scene.weights, [2.0, 0.0, 1.0, 1.0, 1.0]);
        assert!(state.files.arrivals.offer.is_none());
    }

    #[test]
    fn files_of_clips_alone_are_played_by_the_present_characters() {
        let folder = tempfile::tempdir().expect("a folder");
        let library = written(folder.path(), "walks.gltf", LIBRARY);
        let (body, moving) = (
            written(folder.path(), "b.gltf", BODY),
            written(folder.path(), "m.gltf", MOVING),
        );
        let mut state = state();
        state.open_files(std::slice::from_ref(&library), Join::Instead);
        assert!(state.config.scene.characters.is_empty());
        assert_eq!(state.config.scene.animations, std::slice::from_ref(&library));
        let told: Vec<_> = state.notices.current().map(|n| n.text.clone()).collect();
        assert!(told[0].contains("walks.gltf") && told.len() == 1, "{told:?}");
        // A character without clips keeps using them; one with clips does not need them.
        state.open_files(&[body], Join::Instead);
        assert_eq!(state.config.scene.animations, [library]);
        state.open_files(&[moving], Join::Instead);
        assert!(state.config.scene.animations.is_empty());
    }

    #[test]
    fn at_least_one_character_keeps_a_weight() {
        let mut state = state();
        let last = embedded::TOWNSFOLK.len() - 1;
        (0..=last).for_each(|index| state.set_weight(index, 0.0));
        assert!(state.config.scene.weights.iter().any(|&weight| weight > 0.0));
        for _ in 0..10 {
            state.remove_character(0);
        }
        assert_eq!(state.config.scene.characters.len(), 1);
        assert!(Config::parse("a.toml", &state.config.scene_file().expect("fits")).is_ok());
    }

    #[test]
    fn files_dropped_on_the_viewer_join_the_scene() {
        let mut state = state();
        state.config.scene.count = 50;
        let before = state.config.scene.clone();
        state.toggle_viewer();
        state.open_files(&["a.glb".into(), "b.glb".into()], Join::Instead);
        state.take_arrivals();
        let viewed = state.config.scene.clone();
        assert_eq!((viewed.count, &viewed.weights[..]), (1, &[1.0, 0.0][..]));
        assert_eq!(viewed.characters.len(), 2);
        state.open_files(&["c.glb".into()], Join::Beside);
        assert_eq!(
            state.config.scene.weights,
            [0.0, 0.0, 1.0],
            "the newest character is shown"
        );
        state.play_clips_of(vec!["walks.glb".into()]);
        state.toggle_viewer();
        assert_eq!(state.config.scene.characters.len(), 3);
        assert_eq!(
            (state.config.scene.count, state.config.scene.layout),
            (50, before.layout)
        );
        assert_eq!(state.config.scene.animations, [PathBuf::from("walks.glb")]);
    }

    #[test]
    fn a_second_character_is_not_hidden_by_the_first() {
        let mut state = state();
        state.open_model(Path::new("a.glb"));
        state.config.scene.count = 1;
        state.open_files(&["b.glb".into()], Join::Beside);
        assert_eq!(state.config.scene.characters.len(), 2);
        assert_eq!(state.config.scene.count, 2 * PEOPLE_EACH);
    }
}
