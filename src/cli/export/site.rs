//! `throng export --web`: characters and a scene as a page of static files.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use crate::{
    atlas::{AtlasFormat, format_fitness::usable_format},
    bake::lods::are_worth_making,
    character::Character,
    cli::{
        AnimationArgs, SceneArgs,
        export::page::{MANIFEST, PageFolder},
        inputs::{BadUsage, refuse_overwriting_inputs},
        lod_progress::LodProgress,
    },
    config::{
        Config, LodQuality, TrajectoryConfig,
        parse::{parse_count, parse_seed},
    },
    console::print_stdout,
    file::{self, Animations, CharacterPath, LodCache, output::write_files},
    model::Model,
    scene::{LodMaker, Progress, Scene, animations_of, character, character_names, embedded::embedded, open_animated},
};

/// Version of the manifest.
const SCHEMA: u32 = 1;
/// File of the scene.
const SCENE: &str = "scene.toml";

/// Options of a page.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Page")]
pub struct SiteArgs {
    /// Write a page into this folder instead (created if missing): static files that draw the characters in a scene
    /// through WebGPU.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "format", "rate"])]
    pub web: Option<PathBuf>,
    /// Folder of the program's page, which is copied: page of a release's archive, or web/dist, made by web/build.
    #[arg(long, value_name = "DIR", requires = "web", conflicts_with = "output")]
    pub page: Option<PathBuf>,
    /// Embedded preset (plaza, stadium, army, marathon, stress, million) or a .toml file.
    #[arg(long, value_name = "NAME|FILE.toml", requires = "web", conflicts_with = "output")]
    pub scene: Option<String>,
    /// Number of people, 1 to 10000000.
    #[arg(long, value_parser = parse_count, requires = "web", conflicts_with = "output", allow_negative_numbers = true)]
    pub count: Option<u32>,
    /// Seed of the crowd, 0 to 2^63-1; the same seed gives the same crowd.
    #[arg(long, value_parser = parse_seed, requires = "web", conflicts_with = "output", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Any other setting of a scene file, such as scene.name=Square or render.format=trs16. Repeatable.
    #[arg(long, value_name = "KEY=VALUE", requires = "web", conflicts_with = "output")]
    pub set: Vec<String>,
}

/// Writes the page of characters in a scene.
///
/// # Errors
/// No page is named, the scene or a character does not load or cannot be shown there, an input would be overwritten, or
/// the folder cannot be written.
pub(super) fn run(files: &[PathBuf], animations: &AnimationArgs, args: &SiteArgs, folder: &Path) -> anyhow::Result<u8> {
    let page = PageFolder::open(args.page.as_deref(), folder)?;
    let asked = scene_args(args, animations);
    let config = configured(&asked, files)?;
    refuse_unsupported(&config)?;
    let characters = site_characters(&config, &page)?;
    let mut inputs = inputs(&config, files, animations);
    inputs.extend(asked.file(files));
    let check = |path: &Path| -> anyhow::Result<()> {
        Ok(refuse_overwriting_inputs(path, inputs.iter().map(PathBuf::as_path))?)
    };
    // Baking may take minutes: what is refused is refused before it.
    for name in characters
        .iter()
        .map(|character| character.file.as_str())
        .chain([SCENE, MANIFEST])
    {
        check(&folder.join(name))?;
    }
    let cast = SiteCast::open(&config, &characters)?;
    let scene = site_scene(&config, &characters).scene_file().context("the scene")?;
    let manifest = cast.manifest(&config)?;
    let mut written: Vec<(String, &[u8])> = Vec::new();
    written.extend(page.files.iter().map(|(name, bytes)| (name.clone(), &bytes[..])));
    written.extend(cast.files.iter().map(|file| (file.name.clone(), &file.bytes[..])));
    written.push((SCENE.to_owned(), scene.as_bytes()));
    written.push((MANIFEST.to_owned(), manifest.as_bytes()));
    // The start of the page is renamed last: a page that is opened meanwhile finds what it names.
    written.push((PageFolder::index_name().to_owned(), page.index.as_bytes()));
    let paths = write_files(folder, &written, check)?;
    print_stdout(&report(&paths, &cast.notes, folder)?)?;
    Ok(0)
}

/// Files that are read, which none that is written may replace.
fn inputs(config: &Config, files: &[PathBuf], animations: &AnimationArgs) -> Vec<PathBuf> {
    let scene = &config.scene;
    let named = files.iter().map(PathBuf::as_path).chain(animations.files());
    let used = scene
        .characters
        .iter()
        .chain(&scene.animations)
        .chain([&scene.joint_map]);
    named.map(Path::to_owned).chain(used.cloned()).collect()
}

/// Text about the files that were written, and how to look at them.
fn report(paths: &[(PathBuf, usize)], notes: &[String], folder: &Path) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for (path, bytes) in paths {
        writeln!(text, "wrote {} ({bytes} bytes)", path.display())?;
    }
    for note in notes {
        writeln!(text, "note: {note}")?;
    }
    let folder = folder.to_string_lossy();
    let quoted = shlex::try_quote(&folder).unwrap_or_else(|_| folder.clone());
    writeln!(
        text,
        "any web server can offer the folder; to look at it here: python3 -m http.server --directory {quoted}"
    )?;
    Ok(text)
}

/// Options of a scene that the options of a page stand for.
fn scene_args(args: &SiteArgs, animations: &AnimationArgs) -> SceneArgs {
    SceneArgs {
        scene: args.scene.clone(),
        count: args.count,
        seed: args.seed,
        set: args.set.clone(),
        animations: animations.clone(),
        ..SceneArgs::default()
    }
}

/// Settings of the page's scene.
fn configured(asked: &SceneArgs, files: &[PathBuf]) -> anyhow::Result<Config> {
    let mut config = asked.config(files)?;
    if asked.shows_one(files, &config) {
        // More people may be added on the page, so levels of detail stay on.
        config.render.detail = Config::default().render.detail;
    }
    // A scene file without a name has that of the file.
    let stem = asked
        .file(files)
        .and_then(|file| file.file_stem().map(ToOwned::to_owned));
    if let Some(stem) = stem.filter(|_| config.scene.name == Config::default().scene.name) {
        config.scene.name = stem.to_string_lossy().into_owned();
    }
    Ok(config)
}

/// Refuses settings that need files which a page has not.
fn refuse_unsupported(config: &Config) -> Result<(), BadUsage> {
    let scene = &config.scene;
    if !scene.trajectories.file.as_os_str().is_empty() {
        return Err(BadUsage(
            "scene.trajectories: people on a page follow no file; export a scene whose people follow a layout"
                .to_owned(),
        ));
    }
    for (name, group) in &scene.groups {
        let foreign = group.props.iter().find(|prop| embedded(&prop.mesh).is_none());
        if let Some(prop) = foreign {
            return Err(BadUsage(format!(
                "scene.groups.{name}.props: a page has the embedded props alone, not {}; leave it out or take one of them",
                prop.mesh
            )));
        }
    }
    Ok(())
}

/// Character of the page: where it comes from, and the name of its file.
struct SiteCharacter {
    path: PathBuf,
    file: String,
}

/// Characters that need a file on the page, each once; none if the page has all of them embedded.
fn site_characters(config: &Config, page: &PageFolder) -> Result<Vec<SiteCharacter>, BadUsage> {
    let scene = &config.scene;
    let is_embedded = |path: &PathBuf| embedded(&path.to_string_lossy()).is_some();
    if scene.characters.iter().all(is_embedded) && scene.animations.is_empty() && scene.hide.is_empty() {
        return Ok(Vec::new());
    }
    // File systems may take names for equal that differ in case.
    let mut taken: BTreeSet<String> = page.files.iter().map(|(name, _)| name.to_lowercase()).collect();
    taken.extend([SCENE, MANIFEST, PageFolder::index_name()].map(str::to_owned));
    let mut characters: Vec<SiteCharacter> = Vec::new();
    for path in character_names(config) {
        if characters.iter().any(|character| character.path == path) {
            continue;
        }
        let file = format!("{}.glb", CharacterPath::of(&path).file_stem().to_string_lossy());
        if !taken.insert(file.to_lowercase()) {
            return Err(BadUsage(format!(
                "{}: the page has another file {file}; give one of both another name",
                path.display()
            )));
        }
        characters.push(SiteCharacter { path, file });
    }
    Ok(characters)
}

/// Scene of the page: its characters have the names of their files, and what was baked into them is asked for no more.
/// It names no file of the machine that exported it.
fn site_scene(config: &Config, characters: &[SiteCharacter]) -> Config {
    let mut own = config.clone();
    (own.scene.trajectories, own.scene.joint_map) = (TrajectoryConfig::default(), PathBuf::new());
    if characters.is_empty() {
        return own;
    }
    let file_of = |path: PathBuf| {
        let found = characters.iter().find(|character| character.path == path);
        found.map_or(path, |character| character.file.clone().into())
    };
    own.scene.characters = character_names(config).into_iter().map(file_of).collect();
    own.scene.animations.clear();
    own.scene.hide.clear();
    own.scene.turn = None;
    own
}

/// File of a character.
struct CharacterFile {
    name: String,
    bytes: Vec<u8>,
}

/// Characters of the page, baked, and notes about them.
struct SiteCast {
    files: Vec<CharacterFile>,
    notes: Vec<String>,
}

impl SiteCast {
    /// Opens and bakes the characters, and places them once: a scene that cannot be shown is refused before anything is
    /// written.
    fn open(config: &Config, targets: &[SiteCharacter]) -> anyhow::Result<Self> {
        let animations = animations_of(&config.scene)?;
        let mut opened = Vec::new();
        for path in character_names(config) {
            opened.push(OpenCharacter::open(config, path, &animations)?);
        }
        let characters = opened.iter().map(|one| one.character.clone()).collect();
        let mut scene = Scene::with_characters(config, characters, &Progress::default())?;
        scene.load_or_make_lods(&lod_maker(config));
        let mut cast = Self {
            files: Vec::new(),
            notes: scene.notes().iter().map(ToString::to_string).collect(),
        };
        for target in targets {
            let Some(one) = opened.iter().find(|one| one.path == target.path) else {
                continue;
            };
            if one.character.lods().is_empty() && are_worth_making(&one.character.model) {
                cast.notes.push(format!(
                    "{}: no levels of detail, so the page draws everybody at full detail",
                    target.file
                ));
            }
            cast.files.push(CharacterFile {
                name: target.file.clone(),
                bytes: one.bytes(config).with_context(|| target.path.display().to_string())?,
            });
        }
        Ok(cast)
    }

    /// Text of the manifest.
    fn manifest(&self, config: &Config) -> serde_json::Result<String> {
        let characters = self.files.iter().map(|file| ManifestEntry {
            file: &file.name,
            bytes: file.bytes.len(),
        });
        let manifest = Manifest {
            schema: SCHEMA,
            name: &config.scene.name,
            scene: SCENE,
            characters: characters.collect(),
        };
        Ok(serde_json::to_string_pretty(&manifest)? + "\n")
    }
}

/// Content of the manifest, which the page reads at its start.
#[derive(Serialize)]
struct Manifest<'a> {
    schema: u32,
    name: &'a str,
    scene: &'a str,
    characters: Vec<ManifestEntry<'a>>,
}

#[derive(Serialize)]
struct ManifestEntry<'a> {
    file: &'a str,
    bytes: usize,
}

/// Maker of missing levels of detail, with the usual cache; it shows progress.
fn lod_maker(config: &Config) -> LodMaker {
    let quality = match config.render.lods {
        LodQuality::Auto => LodQuality::Judged,
        asked => asked,
    };
    let progress = LodProgress::new(String::new(), "--set render.lods=full");
    LodMaker::new(LodCache::usual(), quality, move |part| progress.show(part))
}

/// Character that is open.
struct OpenCharacter {
    path: PathBuf,
    character: Arc<Character>,
    /// Content of a file that is baked already and needs nothing else.
    ready: Option<Vec<u8>>,
    /// Encoding of a baked file.
    format: Option<AtlasFormat>,
}

impl OpenCharacter {
    fn open(config: &Config, path: PathBuf, animations: &Animations) -> anyhow::Result<Self> {
        let opened = open_animated(&path, animations)?;
        let format = opened.atlas.as_ref().map(|atlas| atlas.format);
        let ready = format.filter(|_| animations.is_empty()).and_then(|_| ready(&path));
        let character = character(config, opened).with_context(|| path.display().to_string())?;
        Ok(Self {
            path,
            character: Arc::new(character),
            ready,
            format,
        })
    }

    /// Content of its file on the page.
    fn bytes(&self, config: &Config) -> anyhow::Result<Vec<u8>> {
        if let Some(bytes) = &self.ready {
            return Ok(bytes.clone());
        }
        let Character { model, palettes, .. } = &*self.character;
        let model = Model {
            lods: self.character.lods().to_vec(),
            ..model.clone()
        };
        let format = self.format;
        let format = format.unwrap_or_else(|| usable_format(&model, palettes, config.render.format).0);
        Ok(file::baked::to_bytes(&model, &self.character.atlas(format), None)?)
    }
}

/// Content of a baked file that opens without any other file.
fn ready(path: &Path) -> Option<Vec<u8>> {
    let named = CharacterPath::of(path);
    if named.variant.is_some() {
        return None;
    }
    let name = path.to_string_lossy();
    let bytes = match embedded(&name) {
        Some(bytes) => bytes.to_vec(),
        None => std::fs::read(path).ok()?,
    };
    let opened = file::open_bytes_to_draw(&name, bytes.clone(), None).ok()?;
    let is_glb = bytes.starts_with(b"glTF");
    (is_glb && opened.atlas.is_some()).then_some(bytes)
}
