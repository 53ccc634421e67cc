//! Options that give characters the clips of other files.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    file::{Animations, ModelError},
    scene::open_animations,
};

/// Clips of other files, shared by every command that opens characters.
#[derive(Args, Debug, Clone, Default)]
pub struct AnimationArgs {
    /// Also play the clips of this file (.glb, .gltf) on every character whose joints match by name, relative to the
    /// rest pose; repeatable.
    #[arg(long, value_name = "LIB.glb")]
    pub animations: Vec<PathBuf>,
    /// Joints whose names do not match: a file of lines such as "LeftArm" = "mixamorig:LeftArm", joint of the character
    /// and joint of the animations.
    #[arg(long, value_name = "MAP.toml", requires = "animations")]
    pub joint_map: Option<PathBuf>,
}

impl AnimationArgs {
    /// The libraries and the map.
    ///
    /// # Errors
    /// A file that is missing or broken, or has no clips.
    pub(crate) fn open(&self) -> Result<Animations, ModelError> {
        open_animations(&self.animations, self.joint_map.as_deref())
    }

    /// The files, which no output may overwrite.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.animations.iter().chain(&self.joint_map).map(PathBuf::as_path)
    }
}
