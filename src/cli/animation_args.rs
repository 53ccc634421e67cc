//! Options for clips of other files.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    file::{Animations, ModelError},
    scene::open_animations,
};

/// Options for clips of other files, shared by all commands that open characters.
#[derive(Args, Debug, Clone, Default)]
pub struct AnimationArgs {
    /// File whose clips are also played (.fbx, .glb, .gltf, .vrma), on every character whose joints match by name,
    /// relative to the rest pose. Repeatable.
    #[arg(long, value_name = "LIB.glb")]
    pub animations: Vec<PathBuf>,
    /// File that maps joints with different names, with lines such as "LeftArm" = "mixamorig:LeftArm": joint of the
    /// character, joint of the animations.
    #[arg(long, value_name = "MAP.toml", requires = "animations")]
    pub joint_map: Option<PathBuf>,
    /// Names of meshes or nodes that are left out, comma-separated, without regard to case; a node hides all below it.
    /// `throng info` lists them.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub hide: Vec<String>,
    /// Material variant that characters wear (KHR_materials_variants), or `all`: each variant is a character of its own.
    /// `throng info` lists them. One character's own: name it after its file, as in shoe.glb#beach.
    #[arg(long, value_name = "NAME|all")]
    pub variants: Option<String>,
    /// Turn the clips of --animations about the vertical, where a skeleton faces another way than the character and its
    /// joints leave doubt (degrees); -90 to the right.
    #[arg(long, value_name = "DEGREES", requires = "animations", allow_negative_numbers = true)]
    pub turn: Option<f32>,
}

impl AnimationArgs {
    /// Opens the files of clips and the joint map.
    ///
    /// # Errors
    /// A file is missing or broken, or has no clips.
    pub(crate) fn open(&self) -> Result<Animations, ModelError> {
        let animations = open_animations(&self.animations, self.joint_map.as_deref(), self.turn)?;
        Ok(Animations {
            hide: self.hide.clone(),
            ..animations
        })
    }

    /// Input files, which no output may overwrite.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.animations.iter().chain(&self.joint_map).map(PathBuf::as_path)
    }
}
