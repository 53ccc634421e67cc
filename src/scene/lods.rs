//! Loads or makes LODs for characters whose files bring none, before they are drawn.

use std::{fmt, sync::Arc};

use crate::{
    character::Character,
    file::LodCache,
    scene::{Scene, Warning},
};

/// Makes LODs: keeps them in a cache, if there is one, and reports progress.
pub struct LodMaker {
    cache: Option<LodCache>,
    on_progress: Box<dyn Fn(f32) + Send + Sync>,
}

impl fmt::Debug for LodMaker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("LodMaker").field(&self.cache).finish()
    }
}

/// Makes LODs without a cache and reports no progress.
impl Default for LodMaker {
    fn default() -> Self {
        Self::new(None, |_| ())
    }
}

impl LodMaker {
    /// Without a cache, LODs are made each time. `on_progress` is called from any thread with progress in `0..=1`; its last
    /// value is 1.
    #[must_use]
    pub fn new(cache: Option<LodCache>, on_progress: impl Fn(f32) + Send + Sync + 'static) -> Self {
        let on_progress = Box::new(on_progress);
        Self { cache, on_progress }
    }

    /// Loads or makes the LODs of a character; returns a note if that did not work as it should.
    pub(crate) fn load_or_make(&self, character: &Character, progress: &(dyn Fn(f32) + Sync)) -> Option<String> {
        match character.load_or_make_lods(self.cache.as_ref(), progress) {
            Ok((_, note)) => note,
            Err(error) => Some(format!("drawn at full detail: {error}")),
        }
    }
}

impl Scene {
    /// Characters and attachments that come without LODs and would be drawn with them.
    #[must_use]
    pub fn lacking_lods(&self) -> Vec<Arc<Character>> {
        let carried = self.attachments.iter().map(|kind| &kind.prop);
        let mut lacking: Vec<Arc<Character>> = Vec::new();
        for character in self.characters.iter().chain(carried) {
            if character.lacks_lods() && !lacking.iter().any(|known| Arc::ptr_eq(known, character)) {
                lacking.push(character.clone());
            }
        }
        lacking
    }

    /// Loads or makes the LODs of all [characters that lack them](Self::lacking_lods). A character that cannot have
    /// any is drawn at full detail, and [`Scene::notes`] lists it.
    pub fn load_or_make_lods(&mut self, maker: &LodMaker) {
        let lacking = self.lacking_lods();
        let count = lacking.len() as f32;
        for (number, character) in lacking.iter().enumerate() {
            let on_progress = |part: f32| (maker.on_progress)((number as f32 + part) / count);
            if let Some(note) = maker.load_or_make(character, &on_progress) {
                self.unsupported_requests.push(Warning::Import {
                    character: character.model.name.clone(),
                    note,
                });
            }
            on_progress(1.0);
        }
    }
}
