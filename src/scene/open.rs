//! Opens characters and animation libraries by name: embedded ones and files.

use std::path::{Path, PathBuf};

use crate::{
    bake::{BakeError, retarget::JointMap},
    character::{Character, animate},
    config::{Config, SceneConfig},
    file::{self, Animations, ModelError, OpenedFile},
    model::AnimationLibrary,
    scene::{embedded, frame_placement, roles},
};

/// Opens an embedded character by name, or a file, raw or baked.
///
/// # Errors
/// As [`file::open`].
pub fn open_model(name: impl AsRef<Path>) -> Result<OpenedFile, ModelError> {
    open_with(name.as_ref(), file::open)
}

/// Opens a character that also plays clips of other files.
///
/// # Errors
/// As [`open_model`]; [`ModelError::Retarget`] where too few joints match.
pub fn open_animated(name: impl AsRef<Path>, animations: &Animations) -> Result<OpenedFile, ModelError> {
    if animations.is_empty() {
        return open_model(name);
    }
    let mut opened = by_name(
        name.as_ref(),
        |name, bytes| file::open_bytes_to_animate(name, bytes, None, animations),
        |path| file::open_to_animate(path, animations),
    )?;
    animate(&mut opened, animations)?;
    Ok(opened)
}

/// Opens a character; of a baked file it reads only the parts that drawing needs.
pub(super) fn open_to_draw(name: &Path, animations: &Animations) -> Result<OpenedFile, ModelError> {
    if animations.is_empty() {
        open_with(name, file::open_to_draw)
    } else {
        open_animated(name, animations)
    }
}

/// Opens animation libraries (embedded characters or files) and the joint map, where there is one. `turn` turns the
/// libraries about the vertical (degrees); `None`: as the skeletons face.
///
/// # Errors
/// As [`file::open_library`] and [`file::open_joint_map`]; a map that names a joint which no library has.
pub fn open_animations(libraries: &[PathBuf], map: Option<&Path>, turn: Option<f32>) -> Result<Animations, ModelError> {
    let libraries: Vec<AnimationLibrary> = libraries
        .iter()
        .map(|name| open_library(name))
        .collect::<Result<_, _>>()?;
    let (map, file) = match map.filter(|_| !libraries.is_empty()) {
        Some(path) => (file::open_joint_map(path)?, path),
        None => (JointMap::default(), Path::new("")),
    };
    Animations::new(libraries, JointMap { turn, ..map }, file)
}

/// Makes a character of a scene from an opened file: joints have the scene's roles, and a raw file is baked as the scene
/// asks. It shares no atlas with others.
///
/// # Errors
/// [`BakeError`].
pub fn character(config: &Config, mut opened: OpenedFile) -> Result<Character, BakeError> {
    let has_frames = opened.atlas.is_some();
    roles::assign(&mut opened.model.skeleton, &config.scene.joint_roles, has_frames);
    Character::from_opened(opened, frame_placement(config))
}

/// Gives characters of one name the folder of their file in front of it: notes about each must tell them apart.
pub(super) fn tell_apart(opened: &mut [OpenedFile], paths: &[PathBuf]) {
    let names: Vec<String> = opened.iter().map(|opened| opened.model.name.clone()).collect();
    for (index, (opened, path)) in opened.iter_mut().zip(paths).enumerate() {
        let shared = names.iter().enumerate().any(|(other, name)| {
            let same_file = paths.get(other) == Some(path);
            other != index && *name == names[index] && !same_file
        });
        let folder = path.parent().and_then(Path::file_name);
        if let Some(folder) = folder.filter(|_| shared) {
            opened.model.name = format!("{}/{}", folder.to_string_lossy(), names[index]);
        }
    }
}

/// Opens the animations of a scene.
pub(crate) fn animations_of(scene: &SceneConfig) -> Result<Animations, ModelError> {
    let map = Some(scene.joint_map.as_path()).filter(|path| !path.as_os_str().is_empty());
    let animations = open_animations(&scene.animations, map, scene.turn)?;
    Ok(Animations {
        hide: scene.hide.clone(),
        skip_unfit: scene.characters.len() > 1,
        ..animations
    })
}

fn open_library(path: &Path) -> Result<AnimationLibrary, ModelError> {
    by_name(
        path,
        |name, bytes| file::open_library_bytes(name, bytes, None),
        file::open_library,
    )
}

fn open_with(path: &Path, open: impl Fn(&Path) -> Result<OpenedFile, ModelError>) -> Result<OpenedFile, ModelError> {
    by_name(path, |name, bytes| file::open_bytes(name, bytes, None), open)
}

fn by_name<T>(
    path: &Path,
    embedded: impl Fn(&str, &[u8]) -> Result<T, ModelError>,
    open: impl Fn(&Path) -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    let name = path.to_string_lossy();
    if let Some(bytes) = embedded::embedded(&name) {
        return embedded(&name, bytes);
    }
    if is_bare_word(path) {
        return Err(ModelError::Unknown {
            name: name.into_owned(),
            known: embedded::NAMES.join(", "),
        });
    }
    open(path)
}

/// True for a name without folder and extension that is no file either: probably a misspelt character.
#[must_use]
pub fn is_bare_word(path: &Path) -> bool {
    path.components().count() == 1 && path.extension().is_none() && !path.exists()
}
