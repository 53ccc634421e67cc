//! A scene that lies beside the page, with its characters: `throng export --web` writes it.

use std::{path::PathBuf, sync::Arc};

use throng::{
    Character,
    config::Config,
    scene::{Progress, Scene, StartupTimes, character},
};
use wasm_bindgen::prelude::*;

use crate::character::opened;

/// Scene of the page's folder, ready to be shown.
#[wasm_bindgen]
#[derive(Clone)]
pub struct OwnScene {
    /// Settings.
    pub(crate) config: Config,
    /// Characters of files, by the names that the scene gives them; empty if it has embedded ones alone.
    characters: Vec<(PathBuf, Arc<Character>)>,
}

#[wasm_bindgen]
impl OwnScene {
    /// Reads the scene; `file` stands for it in errors.
    ///
    /// # Errors
    /// As [`Config::parse`].
    #[wasm_bindgen(constructor)]
    pub fn new(file: &str, text: &str) -> Result<OwnScene, JsError> {
        Ok(Self {
            config: Config::parse(file, text)?,
            characters: Vec::new(),
        })
    }

    /// Opens one of its characters.
    ///
    /// # Errors
    /// One line: what is wrong with the file, and how to fix it.
    pub fn add(&mut self, file: &str, bytes: Vec<u8>) -> Result<(), JsError> {
        let opened = opened(file, bytes).map_err(|why| JsError::new(&why))?;
        let character = character(&self.config, opened)?;
        self.characters.push((file.into(), Arc::new(character)));
        Ok(())
    }

    /// Name in the list of scenes.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn name(&self) -> String {
        self.config.scene.name.clone()
    }

    /// Number of people.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn people(&self) -> u32 {
        self.config.scene.count
    }

    /// One sentence about the scene; may be empty.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn caption(&self) -> String {
        self.config.scene.caption.clone()
    }
}

impl OwnScene {
    /// Places its characters as a configuration asks for.
    ///
    /// # Errors
    /// A character is missing, or as [`Scene::load`].
    pub(crate) fn load(&self, config: &Config) -> Result<Scene, JsError> {
        if self.characters.is_empty() {
            return Ok(Scene::load(config, &mut StartupTimes::default())?);
        }
        let found = |wanted: &PathBuf| {
            let own = self.characters.iter().find(|(name, _)| name == wanted);
            let missing = || {
                JsError::new(&format!(
                    "{}: the page's folder names no such character",
                    wanted.display()
                ))
            };
            own.map(|(_, character)| character.clone()).ok_or_else(missing)
        };
        let characters: Vec<_> = config.scene.characters.iter().map(found).collect::<Result<_, _>>()?;
        Ok(Scene::with_characters(config, characters, &Progress::default())?)
    }
}
