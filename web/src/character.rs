//! The visitor's own character, from the bytes of a file.

use std::{path::Path, sync::Arc};

use throng::{
    Character,
    atlas::FramePlacement,
    file::{self, OpenedFile},
};

/// Triangles of a crowd above which people of a file without LODs are too many at first.
const MOST_TRIANGLES: usize = 50_000_000;

/// A character of the visitor's.
pub(crate) struct OwnCharacter {
    /// Ready to draw.
    pub(crate) character: Arc<Character>,
    /// Number of people that can be drawn at full detail.
    pub(crate) most_people: Option<u32>,
}

impl OwnCharacter {
    /// Opens a file that holds everything itself; `notes` are those of its conversion.
    ///
    /// # Errors
    /// One line for the visitor: what is wrong, and how to fix it.
    pub(crate) fn open(name: &str, bytes: Vec<u8>, notes: Vec<String>) -> Result<Self, String> {
        let mut opened = opened(name, bytes)?;
        opened.model.notes.splice(0..0, notes);
        let character = Character::from_opened(opened, FramePlacement::default()).map_err(|error| error.to_string())?;
        let triangles = character.model.mesh.indices.len() / 3;
        let most_people = (character.lods().is_empty()).then(|| (MOST_TRIANGLES / triangles.max(1)).max(1) as u32);
        Ok(Self {
            character: Arc::new(character),
            most_people,
        })
    }
}

/// Opens a file that holds everything itself; its character has the name of the file.
///
/// # Errors
/// One line for the visitor: what is wrong, and how to fix it.
pub(crate) fn opened(name: &str, bytes: Vec<u8>) -> Result<OpenedFile, String> {
    let mut opened = file::open_bytes_to_draw(name, bytes, None).map_err(|error| error.to_string())?;
    if let Some(stem) = Path::new(name).file_stem() {
        opened.model.name = stem.to_string_lossy().into_owned();
    }
    Ok(opened)
}
