//! Importer of FBX files.

use serde_json::json;
use ufbx::Scene;

use crate::{
    file::{
        FileContents, Importer, ModelError, OpenedFile, Source, Use,
        fbx::{
            clips,
            container::Container,
            load::{FbxContent, is_fbx, load},
            materials::Materials,
            meshes::Meshes,
            nodes::Nodes,
        },
        gltf::{load_bytes, load_library, load_to_animate},
    },
    model::AnimationLibrary,
};

/// Reader of FBX files.
#[derive(Clone, Copy, Debug)]
pub struct FbxImporter;

impl Importer for FbxImporter {
    fn name(&self) -> &'static str {
        "FBX"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["fbx"]
    }

    fn sniff(&self, bytes: &[u8]) -> bool {
        is_fbx(bytes)
    }

    fn contents(&self, bytes: &[u8]) -> Option<FileContents> {
        let scene = load(bytes, FbxContent::Motion).ok()?;
        Some(FileContents {
            meshes: !scene.meshes.is_empty(),
            clips: clips::exist(&scene),
        })
    }

    fn load(&self, source: &Source<'_>, wanted: Use<'_>) -> Result<OpenedFile, ModelError> {
        let converted = ConvertedScene::read(source)?;
        let Source { name, base, .. } = *source;
        let mut model = match wanted {
            Use::Whole | Use::Draw(_) => load_bytes(name, &converted.glb, base)?,
            Use::Animate(animations) => load_to_animate(name, &converted.glb, base, animations)?.0,
        };
        model.notes.splice(0..0, converted.notes);
        Ok(OpenedFile {
            model,
            atlas: None,
            vertices: None,
        })
    }

    fn load_library(&self, source: &Source<'_>) -> Result<AnimationLibrary, ModelError> {
        let converted = ConvertedScene::of(source, FbxContent::Motion)?;
        let mut library = load_library(source.name, &converted.glb, source.base)?;
        library.notes.splice(0..0, converted.notes);
        Ok(library)
    }
}

/// An FBX file as glTF in memory, with all that is imported: what [`FbxImporter`] reads.
#[derive(Clone, Debug)]
pub struct ConvertedScene {
    /// GLB file.
    pub glb: Vec<u8>,
    /// Changes and omissions, one sentence each.
    pub notes: Vec<String>,
}

impl ConvertedScene {
    /// Converts a file.
    ///
    /// # Errors
    /// One line with the problem, its place, and how to fix it.
    pub fn read(source: &Source<'_>) -> Result<Self, ModelError> {
        Self::of(source, FbxContent::All)
    }

    fn of(source: &Source<'_>, content: FbxContent) -> Result<Self, ModelError> {
        let refused = |reason| ModelError::Damaged {
            name: source.name.to_owned(),
            format: "FBX",
            reason,
        };
        let scene = load(source.bytes, content).map_err(refused)?;
        let mut notes = Vec::new();
        let glb = convert(&scene, source, content, &mut notes).map_err(refused)?;
        Ok(Self { glb, notes })
    }
}

/// Writes a scene as glTF; the error is the problem in words.
fn convert(
    scene: &Scene,
    source: &Source<'_>,
    content: FbxContent,
    notes: &mut Vec<String>,
) -> Result<Vec<u8>, String> {
    let mut container = Container::default();
    let mut nodes = Nodes::of(scene, content == FbxContent::Motion, notes);
    let sampled = clips::sample(scene, source, notes)?;
    if content == FbxContent::All {
        let materials = Materials::write(scene, source, &mut container, notes);
        let mut meshes = Meshes::new(scene, &materials, &sampled);
        meshes.write(&mut nodes, &mut container, notes)?;
        clips::write(&sampled, &nodes, &meshes, &mut container);
    } else {
        clips::write(&sampled, &nodes, &Meshes::none(scene), &mut container);
    }
    container.set("scene", json!(0));
    container.set("scenes", json!([{"nodes": nodes.roots()}]));
    container.set("nodes", nodes.finish()?.into());
    container.finish().map_err(|error| error.to_string())
}
