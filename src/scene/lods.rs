//! Loads or makes LODs for characters whose files bring none, before they are drawn.

use std::{fmt, sync::Arc};

use rayon::prelude::*;

use crate::{
    character::Character,
    config::LodQuality,
    file::LodCache,
    scene::{Scene, Warning},
};

/// Makes LODs: keeps judged ones in a cache, if there is one, and reports progress.
pub struct LodMaker {
    cache: Option<LodCache>,
    quality: LodQuality,
    on_progress: Box<dyn Fn(f32) + Send + Sync>,
}

impl fmt::Debug for LodMaker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("LodMaker")
            .field(&self.cache)
            .field(&self.quality)
            .finish()
    }
}

/// Makes judged LODs without a cache and reports no progress.
impl Default for LodMaker {
    fn default() -> Self {
        Self::new(None, LodQuality::Judged, |_| ())
    }
}

impl LodMaker {
    /// Without a cache, LODs are made each time. [`LodQuality::Auto`] makes quick ones, which the window replaces.
    /// `on_progress` is called from any thread with progress in `0..=1`; its last value is 1.
    #[must_use]
    pub fn new(
        cache: Option<LodCache>,
        quality: LodQuality,
        on_progress: impl Fn(f32) + Send + Sync + 'static,
    ) -> Self {
        Self {
            cache,
            quality,
            on_progress: Box::new(on_progress),
        }
    }

    /// Quality of the LODs.
    #[must_use]
    pub fn quality(&self) -> LodQuality {
        self.quality
    }

    /// Cache of judged LODs.
    #[must_use]
    pub fn cache(&self) -> Option<&LodCache> {
        self.cache.as_ref()
    }

    /// Loads or makes the LODs of a character; returns a note if that did not work as it should.
    pub(crate) fn load_or_make(&self, character: &Character, progress: &(dyn Fn(f32) + Sync)) -> Option<String> {
        match self.quality {
            LodQuality::Full => None,
            LodQuality::Auto | LodQuality::Quick => self.make_quick(character, progress),
            LodQuality::Judged => self.load_or_evaluate(character, progress),
        }
    }

    /// Makes quick LODs of a character, unless they failed before.
    pub(crate) fn make_quick(&self, character: &Character, progress: &(dyn Fn(f32) + Sync)) -> Option<String> {
        let made = character.make_quick_lods(progress);
        made.err().map(|error| format!("drawn at full detail: {error}"))
    }

    /// Loads or makes judged LODs of a character.
    pub(crate) fn load_or_evaluate(&self, character: &Character, progress: &(dyn Fn(f32) + Sync)) -> Option<String> {
        match character.load_or_make_lods(self.cache.as_ref(), progress) {
            Ok((_, note)) => note,
            Err(error) => Some(format!("drawn at full detail: {error}")),
        }
    }
}

impl Scene {
    /// Quality of the LODs of characters and attachments: `Quick` if those of any are, else `Judged`.
    #[must_use]
    pub fn lod_quality(&self) -> LodQuality {
        match self.with_attachments().any(|character| character.has_quick_lods()) {
            true => LodQuality::Quick,
            false => LodQuality::Judged,
        }
    }

    fn with_attachments(&self) -> impl Iterator<Item = &Arc<Character>> {
        let carried = self.attachments.iter().map(|kind| &kind.prop);
        self.characters.iter().chain(carried)
    }

    /// Characters and attachments that come without LODs and would be drawn with them.
    #[must_use]
    pub fn lacking_lods(&self) -> Vec<Arc<Character>> {
        let mut lacking: Vec<Arc<Character>> = Vec::new();
        for character in self.with_attachments() {
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
        let make = |(number, character): (usize, &Arc<Character>)| {
            let on_progress = |part: f32| (maker.on_progress)((number as f32 + part) / count);
            let note = maker.load_or_make(character, &on_progress);
            on_progress(1.0);
            note.map(|note| Warning::Import {
                character: character.model.name.clone(),
                note,
            })
        };
        // Judged ones use all cores and much memory, one after the other.
        let notes: Vec<Warning> = match maker.quality {
            LodQuality::Judged => lacking.iter().enumerate().filter_map(make).collect(),
            _ => lacking.par_iter().enumerate().filter_map(make).collect(),
        };
        self.unsupported_requests.extend(notes);
    }
}
