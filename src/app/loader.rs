//! Loader of scenes on a thread of its own: the window draws the previous scene meanwhile.

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
    scene::{Progress, Scene, SceneError, StartupTimes, live_revision},
};

/// Loading time below which the panel shows no progress.
const UNTOLD: Duration = Duration::from_millis(300);

/// Settings that a scene depends on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LoadRequest {
    /// Cast, count and placement.
    pub scene: SceneConfig,
    /// Bake settings of raw characters.
    pub bake: BakeConfig,
    /// Format that the frames are placed for; `None` for even steps, which suit every format.
    pub format: Option<AtlasFormat>,
    /// Revision of trajectories that a running program writes.
    pub revision: u64,
}

impl LoadRequest {
    /// Request for the scene of a configuration.
    #[must_use]
    pub(super) fn of(config: &Config) -> Self {
        let mut scene = config.scene.clone();
        // Texts and lines over pictures change nobody.
        scene.trajectories.hide_annotations();
        Self {
            scene,
            bake: config.bake.clone(),
            format: (config.bake.rate <= 0.0).then_some(config.render.format),
            revision: live_revision(&config.scene.trajectories),
        }
    }

    /// True if both requests have the same settings; trajectories may have grown.
    pub(super) fn same_settings(&self, other: &Self) -> bool {
        self.scene == other.scene && self.bake == other.bake && self.format == other.format
    }

    /// True if both requests have the same files and bake settings, apart from the format.
    fn same_people(&self, other: &Self) -> bool {
        let sources = |scene: &SceneConfig| {
            let SceneConfig {
                characters,
                animations,
                joint_map,
                hide,
                joint_roles,
                turn,
                ..
            } = scene;
            (
                characters.clone(),
                animations.clone(),
                joint_map.clone(),
                (hide.clone(), joint_roles.clone(), *turn),
            )
        };
        sources(&self.scene) == sources(&other.scene) && self.bake == other.bake
    }

    /// True if the characters of `scene`, built for this request, can be reused for `other`. Baked files keep their
    /// frames in every format.
    fn same_characters(&self, scene: &Scene, other: &Self) -> bool {
        let fits = || self.format == other.format || scene.characters.iter().all(|c| c.is_of_baked_file());
        self.same_people(other) && fits()
    }
}

/// Outcome of a load request.
pub(super) struct LoadOutcome {
    /// The request.
    pub load_request: LoadRequest,
    /// Scene and its loading times, or the error.
    pub result: Result<(Arc<Scene>, StartupTimes), SceneError>,
    /// True if the characters are those of the previous scene.
    pub same_characters: bool,
    /// True if the characters are those of the previous scene, or the same files baked for another format. Selections
    /// and heroes then stay valid.
    pub same_people: bool,
}

struct Request {
    number: u64,
    load_request: LoadRequest,
    progress: Arc<Progress>,
}

/// Loader thread and its newest request.
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
    /// Starts the thread; it ends when this value is dropped.
    ///
    /// # Errors
    /// The system provides no thread.
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
            // The thread lives as long as this value. Sending fails only if it panicked; then the loader stays busy,
            // which the panel shows.
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

    /// Requests a scene and cancels the one being built.
    pub(super) fn ask_instead(&mut self, load_request: LoadRequest) {
        if self.newest.as_ref() != Some(&load_request) {
            self.progress.stop();
            self.ask(load_request);
        }
    }

    /// Marks `load_request` as done: it is on the screen after a later request failed.
    pub(super) fn settle(&mut self, load_request: LoadRequest) {
        self.newest = Some(load_request);
    }

    /// Cancels loading and returns to `load_request`, which is on the screen.
    pub(super) fn stop(&mut self, load_request: LoadRequest) {
        self.progress.stop();
        self.answered = self.sent;
        self.settle(load_request);
    }

    /// Next finished scene, if any.
    pub(super) fn poll(&mut self) -> Option<LoadOutcome> {
        let (number, loaded) = self.results.try_recv().ok()?;
        if number <= self.answered {
            return self.poll();
        }
        self.answered = number;
        Some(loaded)
    }

    /// True if every request is answered.
    #[must_use]
    pub(super) fn is_idle(&self) -> bool {
        self.sent == self.answered
    }

    /// Share of people placed so far for the newest request, 0 to 1.
    #[must_use]
    pub(super) fn share(&self) -> Option<f32> {
        self.progress.share()
    }

    /// Request that has been loading long enough for the panel to show its progress.
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
        // Only the format differs, and these characters do not depend on it.
        Some((before, scene)) if before.scene == load_request.scene && before.revision == load_request.revision => {
            return Ok((scene.clone(), times));
        }
        Some((_, scene)) => scene.repopulate(&config, progress)?,
        None => Scene::load_with_progress(&config, &mut times, progress)?,
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
            // `throng shot` bakes with the same options.
            let alone = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
            assert_eq!(frames(&shown), frames(&alone), "{format:?}");
            counts.push(frames(&shown));
        }
        assert_ne!(
            counts[0], counts[1],
            "a coarser format leaves less of the error budget to frame placement"
        );
        // Even steps give the same frames in every format.
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
        // The scene on the screen needs no loading; a later request does.
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
