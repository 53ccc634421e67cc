//! Baking and exporting a character from the window, as `throng bake` and `throng export` do, on a thread of its own.

use std::{
    any::Any,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
};

use anyhow::{Context, Result};

use crate::{
    app::{
        dialog::Purpose,
        share::{absolute_path_text, plain_stem},
        state::AppState,
    },
    atlas::{Atlas, AtlasFormat, FramePlacement, format_fitness},
    bake,
    character::{self, Character},
    config::SceneConfig,
    file::{
        self, LodCache,
        output::{Output, same_file, write_files},
    },
    model::UnitSpace,
    scene::{animations_of, embedded, open_animated},
};

/// Complete progress, in thousandths.
const ALL: f32 = 1000.0;
/// Part of the progress of baking that frames take; levels of detail take the rest.
const FRAMES: f32 = 0.3;

/// Character being baked or exported.
pub(super) struct Conversion {
    /// Text about the work, such as `baking knight`.
    pub what: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Progress, in thousandths.
    done: AtomicU32,
    cancelled: AtomicBool,
    ended: AtomicBool,
}

/// Unwinds the work after it was cancelled; never shown as a panic.
struct CancelSignal;

impl Shared {
    /// Stores the progress, 0 to 1; unwinds to [`caught`] if the work was cancelled.
    fn report(&self, share: f32) {
        self.done.fetch_max((share * ALL) as u32, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) {
            panic::resume_unwind(Box::new(CancelSignal));
        }
    }
}

impl Conversion {
    /// Progress, 0 to 1.
    #[must_use]
    pub(super) fn share(&self) -> f32 {
        self.shared.done.load(Ordering::Relaxed) as f32 / ALL
    }
}

/// Character to convert, and what becomes of it.
#[derive(Clone, Debug)]
struct Work {
    /// Name of an embedded character, or its file.
    source: PathBuf,
    /// Scene with the clips of other files that it plays, and the parts that are left out.
    scene: SceneConfig,
    format: AtlasFormat,
    /// File to bake to, or folder to export to.
    output: PathBuf,
}

impl Work {
    /// Does the work; returns a line about the files written.
    fn run(&self, purpose: Purpose, shared: &Shared) -> Result<String> {
        match purpose {
            Purpose::ExportFolder => self.export(shared),
            _ => self.bake(shared),
        }
    }

    fn refuse_input(&self, output: &Path) -> Result<()> {
        let mut inputs = self.scene.animations.iter().chain([&self.source]);
        anyhow::ensure!(
            !inputs.any(|input| same_file(output, input)),
            "{} would be overwritten, but it is an input; choose another name",
            output.display()
        );
        Ok(())
    }

    fn bake(&self, shared: &Shared) -> Result<String> {
        self.refuse_input(&self.output)?;
        let output = Output::create(&self.output)?;
        let animations = animations_of(&self.scene)?;
        let mut model = open_animated(&self.source, &animations)?.model;
        let placement = FramePlacement::by_motion(self.format);
        let largest_error = FramePlacement::default().largest_error(&model);
        let palettes = bake::bake_in_place(&mut model, largest_error, |model| {
            placement.bake(model, &|share| shared.report(FRAMES * share))
        })?;
        if model.lods.is_empty() {
            let progress = |share| shared.report(FRAMES + (1.0 - FRAMES) * share);
            model.lods = character::load_or_make_lods(&model, LodCache::usual().as_ref(), &progress)?.lods;
        }
        let (format, problem) = format_fitness::usable_format(&model, &palettes, self.format);
        let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.rest_bounds()), format);
        let bytes = file::baked::to_bytes(&model, &atlas, None).with_context(|| self.source.display().to_string())?;
        shared.report(1.0);
        output.write(&bytes)?;
        let why = problem.map_or_else(String::new, |_| {
            format!(", instead of {} whose error would be too large", self.format.name())
        });
        Ok(format!(
            "baked {} in {}{why} ({} bytes)",
            absolute_path_text(&self.output),
            format.name(),
            bytes.len()
        ))
    }

    fn export(&self, shared: &Shared) -> Result<String> {
        let animations = animations_of(&self.scene)?;
        let opened = open_animated(&self.source, &animations)?;
        let own = opened.atlas.as_ref().map(|atlas| atlas.format);
        shared.report(0.1);
        let format = own.unwrap_or(self.format);
        let character = Character::from_opened(opened, FramePlacement::by_motion(format))?;
        shared.report(0.8);
        let files = file::export(&character.model, &character.atlas(format))?;
        shared.report(0.9);
        let name = plain_stem(&character.model.name);
        write_files(&self.output, &files.files(&name), |path| self.refuse_input(path))?;
        shared.report(1.0);
        Ok(format!(
            "exported {name}.ktx2, {name}.json and {name}.glb to {}",
            absolute_path_text(&self.output)
        ))
    }
}

/// Outcome of work that may unwind because it was cancelled.
fn caught(what: &str, work: impl FnOnce() -> Result<String>) -> Result<String, String> {
    let failed = |error: anyhow::Error| format!("{what}: {error:#}");
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(failed),
        Err(cause) if is_cancelled(&*cause) => Ok(format!("{what}: cancelled; no file was written")),
        Err(_) => Err(format!("{what}: failed inside the program; please report the file")),
    }
}

fn is_cancelled(cause: &(dyn Any + Send)) -> bool {
    cause.is::<CancelSignal>()
}

impl AppState {
    /// Source and name of the character chosen in the character tab.
    #[must_use]
    pub(in crate::app) fn chosen_character(&self) -> (PathBuf, String) {
        let index = self.character.index;
        let files = &self.full_scene().characters;
        let source = match files.is_empty() {
            true => embedded::TOWNSFOLK.get(index).map(PathBuf::from),
            false => files.get(index).cloned(),
        };
        let source = source.unwrap_or_else(|| embedded::TOWNSFOLK[0].into());
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (source, name)
    }

    /// Starts to bake or export the chosen character, unless another one is in progress.
    pub(in crate::app) fn convert(&mut self, purpose: Purpose, output: PathBuf) {
        if self.files.converting.is_some() {
            return self
                .notices
                .tell("another character is being written; wait, or cancel it (Esc)");
        }
        let (source, name) = self.chosen_character();
        let scene = self.full_scene();
        let work = Work {
            source,
            scene: scene.clone(),
            format: self.config.render.format,
            output,
        };
        let verb = if purpose == Purpose::ExportFolder {
            "exporting"
        } else {
            "baking"
        };
        let what = format!("{verb} {name}");
        let shared = Arc::<Shared>::default();
        let (told, sender, of_thread) = (what.clone(), self.files.sharing.outcome_sender(), shared.clone());
        let run = move || {
            let outcome = caught(&told, || work.run(purpose, &of_thread));
            of_thread.ended.store(true, Ordering::Release);
            // Sending fails if the window was closed meanwhile.
            let _ = sender.send(outcome);
        };
        match thread::Builder::new().name("convert".into()).spawn(run) {
            Ok(_) => self.files.converting = Some(Conversion { what, shared }),
            Err(error) => self.notices.fail(format!("{what}: cannot start a thread: {error}")),
        }
    }

    /// Cancels baking or exporting; no file is written.
    pub(in crate::app) fn cancel_conversion(&mut self) {
        if let Some(conversion) = &self.files.converting {
            conversion.shared.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Forgets a conversion that has ended.
    pub(in crate::app) fn follow_conversion(&mut self) {
        let ended = |conversion: &Conversion| conversion.shared.ended.load(Ordering::Acquire);
        if self.files.converting.as_ref().is_some_and(ended) {
            self.files.converting = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Config;

    fn state() -> AppState {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 2;
        AppState::showing(config)
    }

    /// Notices once the conversion has ended.
    fn ended(state: &mut AppState) -> Vec<String> {
        for _ in 0..3000 {
            state.follow_conversion();
            if state.poll_file_outcomes() {
                state.follow_conversion();
                assert!(state.files.converting.is_none());
                return state.notices.current().map(|notice| notice.text.clone()).collect();
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("no end within 30 s");
    }

    #[test]
    fn an_exported_character_is_three_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = state();
        state.convert(Purpose::ExportFolder, folder.path().join("out"));
        let told = ended(&mut state);
        assert!(
            told[0].contains("exported knight.ktx2, knight.json and knight.glb"),
            "{told:?}"
        );
        assert_eq!(
            std::fs::read_dir(folder.path().join("out")).expect("a folder").count(),
            3
        );
    }

    #[test]
    fn a_cancelled_bake_writes_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = state();
        state.convert(Purpose::BakedCharacter, folder.path().join("knight.baked.glb"));
        assert!(
            state
                .files
                .converting
                .as_ref()
                .is_some_and(|now| now.what == "baking knight")
        );
        state.cancel_conversion();
        let told = ended(&mut state);
        assert!(told[0].contains("cancelled; no file was written"), "{told:?}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn failures_are_one_line_and_inputs_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("knight.glb");
        std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/knight.glb"), &file).expect("copied");
        let before = std::fs::read(&file).expect("read");
        let mut state = state();
        state.config.scene.characters = vec![file.clone()];
        state.convert(Purpose::BakedCharacter, file.clone());
        let told = ended(&mut state);
        assert!(told[0].contains("it is an input"), "{told:?}");
        assert!(std::fs::read(&file).expect("read") == before);
        state.convert(Purpose::BakedCharacter, folder.path().join("nowhere/a.glb"));
        assert!(ended(&mut state)[0].starts_with("baking knight: "));
    }
}
