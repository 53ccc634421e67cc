//! LODs for characters whose files bring none, before they are drawn.

use std::{fmt, sync::Arc};

use crate::{
    character::Character,
    file::LodCache,
    scene::{Scene, Warning},
};

/// Where levels are kept, and who is told how far their making is.
pub struct LodMaker {
    cache: Option<LodCache>,
    told: Box<dyn Fn(f32) + Send + Sync>,
}

impl fmt::Debug for LodMaker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("LevelMaker").field(&self.cache).finish()
    }
}

/// Without a cache, and nobody is told.
impl Default for LodMaker {
    fn default() -> Self {
        Self::new(None, |_| ())
    }
}

impl LodMaker {
    /// Without a cache they are made each time. `told` is called with values in `0..=1` from any thread, the last
    /// being 1.
    #[must_use]
    pub fn new(cache: Option<LodCache>, told: impl Fn(f32) + Send + Sync + 'static) -> Self {
        let told = Box::new(told);
        Self { cache, told }
    }

    /// Brings a character its levels; what did not go as it should, if anything.
    pub(crate) fn bring(&self, character: &Character, progress: &(dyn Fn(f32) + Sync)) -> Option<String> {
        match character.load_or_make_lods(self.cache.as_ref(), progress) {
            Ok((_, note)) => note,
            Err(error) => Some(format!("drawn at full detail: {error}")),
        }
    }
}

impl Scene {
    /// Characters and carried things that come without LODs and would be drawn with them.
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

    /// Brings them all their levels. Whoever cannot have any is drawn at full detail, which [`Scene::notes`] tells.
    pub fn load_or_make_lods(&mut self, maker: &LodMaker) {
        let lacking = self.lacking_lods();
        let count = lacking.len() as f32;
        for (number, character) in lacking.iter().enumerate() {
            let told = |part: f32| (maker.told)((number as f32 + part) / count);
            if let Some(note) = maker.bring(character, &told) {
                self.unsupported_requests.push(Warning::Import {
                    character: character.model.name.clone(),
                    note,
                });
            }
            told(1.0);
        }
    }
}
