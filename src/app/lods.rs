//! LODs of raw files, built on a background thread: the first picture does not wait for them.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicU32, Ordering},
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread,
};

use crate::{
    character::Character,
    config::LodQuality,
    scene::{LodMaker, Scene},
};

/// Answer to a request for LODs.
pub(super) struct BuiltLods {
    /// Characters with their LODs.
    pub characters: Vec<Arc<Character>>,
    /// Problems, one sentence each.
    pub notes: Vec<String>,
    /// False if better LODs of the same request follow.
    is_last: bool,
}

/// Thread that builds LODs, one scene after the other.
pub(super) struct LodThread {
    requests: Sender<Vec<Weak<Character>>>,
    results: Receiver<BuiltLods>,
    /// Progress of the newest request, in thousandths.
    done: Arc<AtomicU32>,
    asked: u32,
    answered: u32,
}

/// Complete progress, in thousandths.
const ALL: u32 = 1000;

impl LodThread {
    /// Starts the thread; it ends when this value is dropped, after the LOD in progress.
    ///
    /// # Errors
    /// The system provides no thread.
    pub(super) fn start(maker: LodMaker) -> std::io::Result<Self> {
        let (requests, inbox) = channel();
        let (outbox, results) = channel();
        let done = Arc::new(AtomicU32::new(ALL));
        let told = done.clone();
        thread::Builder::new()
            .name("levels".into())
            .spawn(move || work(&maker, &inbox, &outbox, &told))?;
        Ok(Self {
            requests,
            results,
            done,
            asked: 0,
            answered: 0,
        })
    }

    /// Requests LODs for the characters of a scene that have none.
    pub(super) fn ask(&mut self, scene: &Scene) {
        let lacking = scene.lacking_lods();
        if lacking.is_empty() {
            return;
        }
        self.done.store(0, Ordering::Relaxed);
        // Weak references: characters that left the screen are skipped. Sending fails only if the thread panicked; then
        // full detail is drawn.
        let sent = self.requests.send(lacking.iter().map(Arc::downgrade).collect());
        self.asked += u32::from(sent.is_ok());
    }

    /// LODs built since the last call, if any.
    pub(super) fn poll(&mut self) -> Option<BuiltLods> {
        match self.results.try_recv() {
            Ok(brought) => {
                self.answered += u32::from(brought.is_last);
                Some(brought)
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.answered = self.asked;
                None
            }
        }
    }

    /// Progress while LODs are being built, 0 to 1.
    pub(super) fn share(&self) -> Option<f32> {
        let done = self.done.load(Ordering::Relaxed);
        (self.asked > self.answered).then_some(done as f32 / ALL as f32)
    }
}

fn work(maker: &LodMaker, inbox: &Receiver<Vec<Weak<Character>>>, outbox: &Sender<BuiltLods>, done: &AtomicU32) {
    // A separate pool: the window uses the threads of the global pool, and CPU adapters use every core.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads((cores / 2).max(1))
        .thread_name(|number| format!("lods {number}"))
        .build();
    let run = |make: &(dyn Fn() -> Option<String> + Sync)| match &pool {
        Ok(pool) => pool.install(make),
        Err(_) => make(),
    };
    while let Ok(request) = inbox.recv() {
        let told = |share: f32| done.store((ALL as f32 * share) as u32, Ordering::Relaxed);
        told(0.0);
        if maker.quality() == LodQuality::Auto {
            let quick = build(&request, &|character, _| {
                let is_kept = maker.cache().is_some_and(|cache| character.load_lods(cache));
                let make = || maker.make_quick(character, &|_| ());
                if is_kept || !character.lacks_lods() {
                    None
                } else {
                    run(&make)
                }
            });
            if outbox.send(quick).is_err() {
                return;
            }
        }
        let count = request.len() as f32;
        let mut brought = build(&request, &|character, number| {
            let told = |part: f32| told((number as f32 + part) / count);
            match maker.quality() {
                LodQuality::Auto if !character.lacks_evaluated_lods() => None,
                LodQuality::Auto => run(&|| maker.load_or_evaluate(character, &told)),
                _ if !character.lacks_lods() => None,
                _ => run(&|| maker.load_or_make(character, &told)),
            }
        });
        brought.is_last = true;
        if outbox.send(brought).is_err() {
            return;
        }
    }
}

/// Builds LODs of all characters of a request that are still drawn; `make` takes a character and its number.
fn build(request: &[Weak<Character>], make: &dyn Fn(&Character, usize) -> Option<String>) -> BuiltLods {
    let mut brought = BuiltLods {
        characters: Vec::new(),
        notes: Vec::new(),
        is_last: false,
    };
    for (number, character) in request.iter().enumerate() {
        let Some(character) = character.upgrade() else {
            continue;
        };
        let before = character.lods().as_ptr();
        let note = make(&character, number);
        brought
            .notes
            .extend(note.map(|note| format!("{}: {note}", character.model.name)));
        if character.lods().as_ptr() != before {
            brought.characters.push(character);
        }
    }
    brought
}

#[cfg(test)]
mod tests {
    use std::{path::Path, time::Duration};

    use super::*;
    use crate::{config::Config, file::LodCache, model::Model, scene::StartupTimes};

    /// Scene whose character has no LODs.
    fn scene() -> Scene {
        let mut config = Config::default();
        config.scene.characters = vec!["sword".into()];
        config.scene.count = 3;
        let mut scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
        let model = Model {
            lods: Vec::new(),
            ..scene.characters[0].model.clone()
        };
        let bare = Character::bake(model, crate::atlas::FramePlacement::default()).expect("bakes");
        scene.characters = vec![Arc::new(bare)];
        scene
    }

    fn next(lods: &mut LodThread) -> BuiltLods {
        for _ in 0..1200 {
            if let Some(brought) = lods.poll() {
                return brought;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("no LODs within a minute");
    }

    /// A thread that keeps LODs in a folder.
    fn thread_keeping(folder: &Path, quality: LodQuality) -> LodThread {
        let cache = LodCache::at(folder.join("levels"));
        LodThread::start(LodMaker::new(Some(cache), quality, |_| ())).expect("a thread")
    }

    #[test]
    fn a_scene_is_drawn_before_its_lods_are_built() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut lods = thread_keeping(folder.path(), LodQuality::Judged);
        assert_eq!(lods.share(), None);
        let scene = scene();
        assert!(scene.characters[0].lods().is_empty());
        lods.ask(&scene);
        assert!(lods.share().is_some_and(|share| share < 1.0));
        let brought = next(&mut lods);
        assert!(Arc::ptr_eq(&brought.characters[0], &scene.characters[0]));
        assert_eq!((brought.notes, lods.share()), (Vec::<String>::new(), None));
        assert!(!scene.characters[0].lods().is_empty());
        // Characters with LODs are not built again.
        lods.ask(&scene);
        assert_eq!(lods.share(), None);
        let kept = std::fs::read_dir(folder.path().join("levels")).expect("made");
        assert_eq!(kept.count(), 1);
    }

    #[test]
    fn quick_lods_come_first_and_others_replace_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut lods = thread_keeping(folder.path(), LodQuality::Auto);
        let drawn = scene();
        let character = &drawn.characters[0];
        lods.ask(&drawn);
        let first = next(&mut lods);
        assert!(first.characters.len() == 1 && first.notes.is_empty());
        assert!(lods.share().is_some(), "judged ones are still being made");
        let last = next(&mut lods);
        assert!(Arc::ptr_eq(&last.characters[0], character) && !character.has_quick_lods());
        assert_eq!(lods.share(), None);
        assert_eq!(
            character.lods(),
            crate::bake::make_lods(&character.model, &|_| ()).expect("bakes")
        );
        // The next start finds them in the cache, and makes no quick ones.
        let mut lods = thread_keeping(folder.path(), LodQuality::Auto);
        let again = scene();
        lods.ask(&again);
        assert_eq!(next(&mut lods).characters.len(), 1);
        assert!(!again.characters[0].has_quick_lods() && again.characters[0].lods() == character.lods());
        assert!(next(&mut lods).characters.is_empty() && lods.share().is_none());
    }

    #[test]
    fn dropped_scenes_get_no_lods() {
        let mut lods = LodThread::start(LodMaker::default()).expect("a thread");
        let gone = scene();
        let bare = Arc::downgrade(&gone.characters[0]);
        // The request is sent after the scene is dropped, so nothing is left to build.
        let request = vec![bare];
        drop(gone);
        lods.asked += 1;
        lods.requests.send(request).expect("the thread lives");
        assert!(next(&mut lods).characters.is_empty());
    }
}
