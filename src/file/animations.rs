//! Animation libraries and joint maps, read from files.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use crate::{
    bake::retarget::{JointMap, plain_name},
    file::{
        ModelError, gltf,
        importer::{Source, importer_of},
        open::read_named,
    },
    model::{AnimationLibrary, Model},
};

/// Changes to characters when they are opened: clips of other files, added to their own, and parts that are left out.
#[derive(Clone, Debug, Default)]
pub struct Animations {
    /// Libraries, in the order in which their clips are added.
    pub libraries: Vec<AnimationLibrary>,
    /// Pairs of joints whose names do not match.
    pub map: JointMap,
    /// Names of meshes and nodes that are not drawn, without regard to case. A node hides all below it.
    pub hide: Vec<String>,
    /// True if a character that a library does not fit goes without it, with a note, since others may play it.
    pub skip_unfit: bool,
}

impl Animations {
    /// Combines libraries with a map and checks that the libraries have the joints it names.
    ///
    /// # Errors
    /// The map, which `map_file` stands for, names a joint that no library has.
    pub fn new(libraries: Vec<AnimationLibrary>, map: JointMap, map_file: &Path) -> Result<Self, ModelError> {
        let joints = libraries.iter().map(|library| &library.joints[..]);
        if let Some(name) = map.missing(joints).next() {
            return Err(ModelError::Content {
                name: map_file.display().to_string(),
                place: "joint map".into(),
                problem: format!(
                    "no joint of the animations is called {name:?}; an entry is \"joint of the character\" = \"joint of \
                     the library\""
                ),
            });
        }
        Ok(Self {
            libraries,
            map,
            hide: Vec::new(),
            skip_unfit: false,
        })
    }

    /// Plain names of the joints that the clips move. A character's nodes of these names are joints, even where its
    /// own file does not move them.
    pub(crate) fn moved(&self) -> HashSet<String> {
        let moved = self.libraries.iter().flat_map(|library| {
            let channels = library.clips.iter().flat_map(|clip| clip.channels.iter());
            channels.map(|channel| library.joints[channel.joint as usize].name.as_str())
        });
        moved
            .chain(self.map.pairs.keys().map(String::as_str))
            .map(plain_name)
            .collect()
    }

    /// Names of the expressions that the clips move, in lowercase.
    pub(crate) fn expressions(&self) -> HashSet<String> {
        let named = self.libraries.iter().flat_map(|library| &library.expressions);
        named.map(|name| name.to_lowercase()).collect()
    }

    /// True if characters are opened as they are.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.libraries.is_empty() && self.hide.is_empty()
    }

    /// Checks that a character has every part that is to be hidden.
    ///
    /// # Errors
    /// The first name that it lacks, and the names of its parts.
    pub fn check_hidden(&self, model: &Model) -> Result<(), ModelError> {
        let Some(name) = self.hide.iter().find(|name| !model.has_part(name)) else {
            return Ok(());
        };
        let problem = if model.parts.is_empty() {
            "a baked file's parts are merged; hide them when it is baked from the original".to_owned()
        } else {
            let names: Vec<&str> = model.parts.iter().map(|part| &part.name[..]).collect();
            format!("no mesh or node has this name; there are {}", names.join(", "))
        };
        Err(ModelError::Content {
            name: model.name.clone(),
            place: format!("--hide {name}"),
            problem,
        })
    }
}

/// Opens a `.glb` or `.gltf` for its clips; meshes are not read.
///
/// # Errors
/// As [`file::open`](crate::file::open); also for files without clips, and those whose clips move no joints.
pub fn open_library(path: &Path) -> Result<AnimationLibrary, ModelError> {
    read_named(
        path,
        |name, bytes, base| open_library_bytes(name, &bytes, base),
        |library| &mut library.name,
    )
}

/// Opens an animation library in memory; `base` is the folder for external files, if any are allowed.
///
/// # Errors
/// As [`open_library`].
pub fn open_library_bytes(name: &str, bytes: &[u8], base: Option<&Path>) -> Result<AnimationLibrary, ModelError> {
    importer_of(bytes).load_library(&Source { name, bytes, base })
}

/// Opens a joint map, a TOML file of `"joint of the character" = "joint of the library"`. An empty name on the right
/// excludes a joint.
///
/// # Errors
/// A file that cannot be read or is not of this form; the message names the line.
pub fn open_joint_map(path: &Path) -> Result<JointMap, ModelError> {
    let refused = |reason| ModelError::Io {
        path: path.into(),
        reason,
    };
    let bytes = gltf::read_regular(path).map_err(refused)?;
    let text = String::from_utf8(bytes).map_err(|error| refused(std::io::Error::other(error)))?;
    let pairs: BTreeMap<String, String> = toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        ModelError::Content {
            name: path.display().to_string(),
            place: format!("line {}", before.matches('\n').count() + 1),
            problem: format!(
                "{}; a joint map has lines such as \"LeftArm\" = \"mixamorig:LeftArm\": joint of the character, joint of \
                 the library",
                error.message().replace('\n', ", ")
            ),
        }
    })?;
    Ok(JointMap { pairs, turn: None })
}
