//! Scenes are made on a thread of their own: the window goes on drawing the last one meanwhile.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    atlas::AtlasFormat,
    config::{BakeConfig, Config, SceneConfig},
    scene::{Progress, Scene, SceneError, StartupTimes},
};

/// Shorter waits are not worth a word.
const UNTOLD: Duration = Duration::from_millis(300);

/// What a scene depends on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wish {
    /// Who, how many, where.
    pub scene: SceneConfig,
    /// How raw characters are baked.
    pub bake: BakeConfig,
    /// The format that their frames are placed for; none where they stand at even steps, which suit any.
    pub format: Option<AtlasFormat>,
}

impl Wish {
    /// The part of a configuration that matters here.
    #[must_use]
    pub(super) fn of(config: &Config) -> Self {
        Self {
            scene: config.scene.clone(),
            bake: config.bake.clone(),
            format: (config.bake.rate <= 0.0).then_some(config.render.format),
        }
    }

    /// True where both are of the same files, baked alike but for the format that it is done for.
    fn same_people(&self, other: &Self) -> bool {
        let sources = |scene: &SceneConfig| {
            let SceneConfig {
                characters,
                animations,
                joint_map,
                ..
            } = scene;
            (characters.clone(), animations.clone(), joint_map.clone())
        };
        sources(&self.scene) == sources(&other.scene) && self.bake == other.bake
    }

    /// True where the characters of `scene`, which this asked for, can be used again for `other`: a baked file has
    /// its frames, whatever they are drawn in.
    fn same_characters(&self, scene: &Scene, other: &Self) -> bool {
        let fits = || self.format == other.format || scene.characters.iter().all(|c| c.is_of_baked_file());
        self.same_people(other) && fits()
    }
}

/// A wish fulfilled, or why not.
pub(super) struct Loaded {
    /// The request.
    pub wish: Wish,
    /// What came of it, and what it took.
    pub result: Result<(Arc<Scene>, StartupTimes), SceneError>,
    /// True where the characters are those of the scene before.
    pub same_characters: bool,
    /// True where they are, or are these baked for another format: people are who they were.
    pub same_people: bool,
}

struct Request {
    number: u64,
    wish: Wish,
    progress: Arc<Progress>,
}

/// The thread and its request.
pub(super) struct Loader {
    wishes: Sender<Request>,
    results: Receiver<(u64, Loaded)>,
    progress: Arc<Progress>,
    newest: Option<Wish>,
    asked: Instant,
    sent: u64,
    answered: u64,
}

impl Loader {
    /// Starts the thread; it ends with this value.
    ///
    /// # Errors
    /// Where the system has no thread to give.
    pub(super) fn start() -> std::io::Result<Self> {
        let (wishes, inbox) = channel();
        let (outbox, results) = channel();
        thread::Builder::new()
            .name("loader".into())
            .spawn(move || work(&inbox, &outbox))?;
        Ok(Self {
            wishes,
            results,
            progress: Arc::default(),
            newest: None,
            asked: Instant::now(),
            sent: 0,
            answered: 0,
        })
    }

    /// Requests a scene, unless it equals the last request. Requests that were not started are dropped.
    pub(super) fn ask(&mut self, wish: Wish) {
        if self.newest.as_ref() != Some(&wish) {
            self.sent += 1;
            // The thread lives as long as this value: sending fails only if it panicked, and
            // then `is_busy` stays true and says so.
            self.progress = Arc::default();
            let _ = self.wishes.send(Request {
                number: self.sent,
                wish: wish.clone(),
                progress: self.progress.clone(),
            });
            if self.sent == self.answered + 1 {
                self.asked = Instant::now();
            }
            self.newest = Some(wish);
        }
    }

    /// Requests a scene instead of the one that is being made.
    pub(super) fn ask_instead(&mut self, wish: Wish) {
        if self.newest.as_ref() != Some(&wish) {
            self.progress.stop();
            self.ask(wish);
        }
    }

    /// Takes `wish` for fulfilled: what is on the screen after a later wish failed.
    pub(super) fn settle(&mut self, wish: Wish) {
        self.newest = Some(wish);
    }

    /// Gives up what is being loaded, in favour of `wish`, which is on the screen.
    pub(super) fn stop(&mut self, wish: Wish) {
        self.progress.stop();
        self.answered = self.sent;
        self.settle(wish);
    }

    /// The next finished scene, if any.
    pub(super) fn poll(&mut self) -> Option<Loaded> {
        let (number, loaded) = self.results.try_recv().ok()?;
        if number <= self.answered {
            return self.poll();
        }
        self.answered = number;
        Some(loaded)
    }

    /// Whether every request is answered.
    #[must_use]
    pub(super) fn is_idle(&self) -> bool {
        self.sent == self.answered
    }

    /// Share of the people of the newest request that have their places.
    #[must_use]
    pub(super) fn share(&self) -> Option<f32> {
        self.progress.share()
    }

    /// What has been loading for so long that the panel should show it, if anything.
    #[must_use]
    pub(super) fn busy_with(&self) -> Option<&Wish> {
        let busy = !self.is_idle() && self.asked.elapsed() > UNTOLD;
        self.newest.as_ref().filter(|_| busy)
    }
}

fn work(inbox: &Receiver<Request>, outbox: &Sender<(u64, Loaded)>) {
    let mut last: Option<(Wish, Arc<Scene>)> = None;
    while let Ok(first) = inbox.recv() {
        let Request { number, wish, progress } = inbox.try_iter().last().unwrap_or(first);
        let same_people = last.as_ref().is_some_and(|(before, _)| before.same_people(&wish));
        let at_hand = last
            .as_ref()
            .filter(|(before, scene)| before.same_characters(scene, &wish));
        let same_characters = at_hand.is_some();
        let result = make(&wish, at_hand, &progress);
        if progress.is_stopped() {
            continue;
        }
        if let Ok((scene, _)) = &result {
            last = Some((wish.clone(), scene.clone()));
        }
        let loaded = Loaded {
            wish,
            result,
            same_characters,
            same_people,
        };
        if outbox.send((number, loaded)).is_err() {
            return;
        }
    }
}

fn make(
    wish: &Wish,
    at_hand: Option<&(Wish, Arc<Scene>)>,
    progress: &Progress,
) -> Result<(Arc<Scene>, StartupTimes), SceneError> {
    let mut config = Config {
        scene: wish.scene.clone(),
        bake: wish.bake.clone(),
        ..Config::default()
    };
    config.render.format = wish.format.unwrap_or_default();
    let mut times = StartupTimes::default();
    let scene = match at_hand {
        // Only the format differs, which its characters do not depend on.
        Some((before, scene)) if before.scene == wish.scene => return Ok((scene.clone(), times)),
        Some((_, scene)) => scene.repopulate(&config, progress)?,
        None => Scene::load_telling(&config, &mut times, progress)?,
    };
    Ok((Arc::new(scene), times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(loader: &mut Loader) -> Loaded {
        for _ in 0..600 {
            if let Some(loaded) = loader.poll() {
                return loaded;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("nothing was loaded within 30 s");
    }

    fn wish(character: &str, count: u32) -> Wish {
        let mut config = Config::default();
        config.scene.characters = vec![character.into()];
        config.scene.count = count;
        Wish::of(&config)
    }

    #[test]
    fn a_new_count_keeps_the_characters() {
        let mut loader = Loader::start().expect("a thread");
        loader.ask(wish("knight", 3));
        let first = next(&mut loader);
        loader.ask(wish("knight", 7));
        let second = next(&mut loader);
        assert!(!first.same_characters && second.same_characters);
        let (a, _) = first.result.expect("a scene");
        let (b, _) = second.result.expect("a scene");
        assert_eq!((a.crowd.count(), b.crowd.count()), (3, 7));
        assert!(Arc::ptr_eq(&a.characters[0], &b.characters[0]));
    }

    #[test]
    fn raw_characters_are_baked_for_the_format_chosen() {
        let frames = |scene: &Scene| scene.characters[0].palettes.frame_count;
        let mut config = Config::default();
        (config.scene.characters, config.scene.count) = (vec!["knight".into()], 3);
        let mut loader = Loader::start().expect("a thread");
        let mut counts = Vec::new();
        for format in [AtlasFormat::F16, AtlasFormat::Unorm8] {
            config.render.format = format;
            loader.ask(Wish::of(&config));
            let loaded = next(&mut loader);
            let again = counts.len() == 1;
            assert_eq!(
                (loaded.same_people, loaded.same_characters),
                (again, false),
                "{format:?}"
            );
            let (shown, _) = loaded.result.expect("a scene");
            // As `throng shot` bakes them.
            let alone = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
            assert_eq!(frames(&shown), frames(&alone), "{format:?}");
            counts.push(frames(&shown));
        }
        assert_ne!(
            counts[0], counts[1],
            "the coarser format leaves frames less of the error"
        );
        // Frames at even steps are the same in every format.
        config.bake.rate = 30.0;
        let even = Wish::of(&config);
        config.render.format = AtlasFormat::F32;
        assert_eq!(even, Wish::of(&config));
    }

    #[test]
    fn what_is_stopped_never_arrives_and_the_next_wish_does() {
        let mut loader = Loader::start().expect("a thread");
        loader.ask(wish("knight", 3));
        let shown = next(&mut loader).wish;
        loader.ask(wish("knight", 1_000_000));
        while loader.share().is_none_or(|share| share == 0.0) {
            thread::yield_now();
        }
        loader.stop(shown.clone());
        assert!(loader.is_idle() && loader.busy_with().is_none());
        // What is on the screen needs no loading, what comes after does.
        loader.ask(shown);
        assert!(loader.is_idle());
        loader.ask(wish("knight", 7));
        let after = next(&mut loader).result.expect("a scene").0;
        assert_eq!(after.crowd.count(), 7);
    }

    #[test]
    fn a_bad_file_is_told_and_the_next_wish_still_works() {
        let mut loader = Loader::start().expect("a thread");
        loader.ask(wish("no-such-file.glb", 1));
        let error = next(&mut loader).result.err().expect("no scene").to_string();
        assert!(
            error.contains("no-such-file.glb") && error.lines().count() == 1,
            "{error}"
        );
        loader.ask(wish("knight", 1));
        assert!(next(&mut loader).result.is_ok());
        assert!(loader.busy_with().is_none());
    }
}
