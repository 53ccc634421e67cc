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

/// Settings that a scene depends on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LoadRequest {
    /// Cast, count and placement.
    pub scene: SceneConfig,
    /// How raw characters are baked.
    pub bake: BakeConfig,
    /// The format that their frames are placed for; none where they stand at even steps, which suit any.
    pub format: Option<AtlasFormat>,
}

impl LoadRequest {
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
pub(super) struct LoadOutcome {
    /// The request.
    pub load_request: LoadRequest,
    /// Scene and the time it took, or the error.
    pub result: Result<(Arc<Scene>, StartupTimes), SceneError>,
    /// True where the characters are those of the scene before.
    pub same_characters: bool,
    /// True where they are, or are these baked for another format: people are who they were.
    pub same_people: bool,
}

struct Request {
    number: u64,
    load_request: LoadRequest,
    progress: Arc<Progress>,
}

/// The thread and its request.
pub(super) struct Loader {
    requests: Sender<Request>,
    results: Receiver<(u64, LoadOutcome)>,
    progress: Arc<Progress>,
    newest: Option<LoadRequest>,
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
        let (requests, inbox) = channel();
        let (outbox, results) = channel();
        thread::Builder::new()
            .name("loader".into())
            .spawn(move || work(&inbox, &outbox))?;
        Ok(Self {
            requests,
            results,
            progress: Arc::default(),
            newest: None,
            asked: Instant::now(),
            sent: 0,
            answered: 0,
        })
    }

    /// Requests a scene, unless it equals the last request. Requests that were not started are dropped.
    pub(super) fn ask(&mut self, load_request: LoadRequest) {
        if self.newest.as_ref() != Some(&load_request) {
            self.sent += 1;
            // The thread lives as long as this value: sending fails only if it panicked, and
            // then `is_busy` stays true and says so.
            self.progress = Arc::default();
            let _ = self.requests.send(Request {
                number: self.sent,
                load_request: load_request.clone(),
                progress: self.progress.clone(),
            });
            if self.sent == self.answered + 1 {
                self.asked = Instant::now();
            }
            self.newest = Some(load_request);
        }
    }

    /// Requests a scene instead of the one that is being made.
    pub(super) fn ask_instead(&mut self, load_request: LoadRequest) {
        if self.newest.as_ref() != Some(&load_request) {
            self.progress.stop();
            self.ask(load_request);
        }
    }

    /// Takes `load_request` for fulfilled: what is on the screen after a later wish failed.
    pub(super) fn settle(&mut self, load_request: LoadRequest) {
        self.newest = Some(load_request);
    }

    /// Gives up what is being loaded, in favour of `load_request`, which is on the screen.
    pub(super) fn stop(&mut self, load_request: LoadRequest) {
        self.progress.stop();
        self.answered = self.sent;
        self.settle(load_request);
    }

    /// The next finished scene, if any.
    pub(super) fn poll(&mut self) -> Option<LoadOutcome> {
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

    /// Request that has been loading long enough for the panel to show it.
    #[must_use]
    pub(super) fn busy_with(&self) -> Option<&LoadRequest> {
        let busy = !self.is_idle() && self.asked.elapsed() > UNTOLD;
        self.newest.as_ref().filter(|_| busy)
    }
}

fn work(inbox: &Receiver<Request>, outbox: &Sender<(u64, LoadOutcome)>) {
    let mut last: Option<(LoadRequest, Arc<Scene>)> = None;
    while let Ok(first) = inbox.recv() {
        let Request {
            number,
            load_request,
            progress,
        } = inbox.try_iter().last().unwrap_or(first);
        let same_people = last
            .as_ref()
            .is_some_and(|(before, _)| before.same_people(&load_request));
        let at_hand = last
            .as_ref()
            .filter(|(before, scene)| before.same_characters(scene, &load_request));
        let same_characters = at_hand.is_some();
        let result = make(&load_request, at_hand, &progress);
        if progress.is_stopped() {
            continue;
        }
        if let Ok((scene, _)) = &result {
            last = Some((load_request.clone(), scene.clone()));
        }
        let loaded = LoadOutcome {
            load_request,
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
    load_request: &LoadRequest,
    at_hand: Option<&(LoadRequest, Arc<Scene>)>,
    progress: &Progress,
) -> Result<(Arc<Scene>, StartupTimes), SceneError> {
    let mut config = Config {
        scene: load_request.scene.clone(),
        bake: load_request.bake.clone(),
        ..Config::default()
    };
    config.render.format = load_request.format.unwrap_or_default();
    let mut times = StartupTimes::default();
    let scene = match at_hand {
        // Only the format differs, which its characters do not depend on.
        Some((before, scene)) if before.scene == load_request.scene => return Ok((scene.clone(), times)),
        Some((_, scene)) => scene.repopulate(&config, progress)?,
        None => Scene::load_telling(&config, &mut times, progress)?,
    };
    Ok((Arc::new(scene), times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(loader: &mut Loader) -> LoadOutcome {
        for _ in 0..600 {
            if let Some(loaded) = loader.poll() {
                return loaded;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("nothing was loaded within 30 s");
    }

    fn load_request(character: &str, count: u32) -> LoadRequest {
        let mut config = Config::default();
        config.scene.characters = vec![character.into()];
        config.scene.count = count;
        LoadRequest::of(&config)
    }

    #[test]
    fn a_new_count_keeps_the_characters() {
        let mut loader = Loader::start().expect("a thread");
        loader.ask(load_request("knight", 3));
        let first = next(&mut loader);
        loader.ask(load_request("knight", 7));
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
            loader.ask(LoadRequest::of(&config));
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
        let even = LoadRequest::of(&config);
        config.render.format = AtlasFormat::F32;
        assert_eq!(even, LoadRequest::of(&config));
    }

    #[test]
    fn a_stopped_request_never_arrives_and_the_next_one_does() {
        let mut loader = Loader::start().expect("a thread");
        loader.ask(load_request("knight", 3));
        let shown = next(&mut loader).load_request;
        loader.ask(load_request("knight", 1_000_000));
        while loader.share().is_none_or(|share| share == 0.0) {
            thread::yield_now();
        }
        loader.stop(shown.clone());
        assert!(loader.is_idle() && loader.busy_with().is_none());
        // What is on the screen needs no loading, what comes after does.
        loader.ask(shown);
        assert!(loader.is_idle());
        loader.ask(load_request("knight", 7));
        let after = next(&mut loader).result.expect("a scene").0;
        assert_eq!(after.crowd.count(), 7);
    }

    #[test]
    fn a_bad_file_is_reported_and_the_next_request_works() {
        let mut loader = Loader::start().expect("a thread");
        loader.ask(load_request("no-such-file.glb", 1));
        let error = next(&mut loader).result.err().expect("no scene").to_string();
        assert!(
            error.contains("no-such-file.glb") && error.lines().count() == 1,
            "{error}"
        );
        loader.ask(load_request("knight", 1));
        assert!(next(&mut loader).result.is_ok());
        assert!(loader.busy_with().is_none());
    }
}
