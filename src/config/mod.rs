//! All settings with their defaults and ranges. `config/default.toml` documents the same keys.
//!
//! A file holds only differences from the defaults. An error names file, line and key, and what would be valid.

pub(crate) mod aliases;
mod arguments;
mod bake;
mod camera;
mod default_file;
mod effort;
mod error;
mod keys;
pub mod limits;
mod load;
mod lods;
mod look;
pub mod parse;
mod render;
#[cfg(feature = "app")]
pub(crate) mod row;
mod save;
mod scene;
mod schema_check;
mod section;
mod set;
mod start;
mod validate;
mod variants;
mod window;

pub use bake::BakeConfig;
pub use camera::{CAMERA_PATH, CameraConfig, ViewConfig};
pub use default_file::with_declared_sections;
pub use effort::Effort;
pub use error::ConfigError;
pub use keys::{KEYS, Key, Kind, key};
pub use lods::LodQuality;
pub use look::LookConfig;
pub use render::RenderConfig;
pub use scene::{
    BehaviourConfig, CameraKeyConfig, Group, HeroConfig, LayerConfig, Layout, LookTarget, PathConfig, PathKind, Phase,
    SceneConfig, StateConfig, TintConfig, TrajectoryColor, TrajectoryConfig, UnitConfig,
};
pub(crate) use schema_check::nearest;
pub use start::FREE_VIEW;
pub use window::WindowConfig;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Technique that animates the vertices of the crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Technique {
    /// Joint matrices from the animation atlas, skinned in the vertex shader.
    #[default]
    Matrix,
    /// Baked vertices: positions and normals per frame.
    Vertex,
    /// Poses computed on the CPU each frame, multiplied by inverse binds on the GPU.
    Live,
    /// No skinning: the rest pose; a lower bound of an instanced draw's cost.
    Static,
    /// Four vertex attributes and f32 matrices of both frames: a fair baseline.
    #[cfg_attr(feature = "clap", value(alias = "naive"))]
    Textbook,
    /// Every distinct pose skinned once a frame in a compute pass, then drawn like a static mesh.
    Preskinned,
}

/// All settings; the default is the plaza scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Characters, count and placement.
    pub scene: SceneConfig,
    /// Light, sky and ground.
    pub look: LookConfig,
    /// The first view and the named views.
    pub camera: CameraConfig,
    /// Technique, format, antialiasing.
    pub render: RenderConfig,
    /// Baking of raw characters.
    pub bake: BakeConfig,
    /// The window.
    pub window: WindowConfig,
}

/// Roles that joints have: the head that looks, the chest above which a layer plays, the hips, and both hands.
pub const JOINT_ROLES: [&str; 5] = ["head", "chest", "hips", "hand_l", "hand_r"];

/// Part of a character that touches the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum GroundContact {
    /// Lowest point of its rest pose and of its standing and moving clips.
    #[default]
    Feet,
    /// Origin of its file.
    Origin,
}

/// `[scene.groups.NAME]`; the groups are listed at [`Group`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GroupConfig {
    /// Weight of each clip by name, 0..=1000; empty: as the scene.
    pub clips: BTreeMap<String, f32>,
    /// Colours of this group; an empty list: as the scene.
    pub tints: TintConfig,
    /// Material variant of all members, `0..8`; none: each member has their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material_variant: Option<u8>,
    /// Attachments that people carry; none: nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub props: Vec<AttachmentConfig>,
    /// Phase in which clips start; none: the default of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Behaviour of the people; none: each plays one clip for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<BehaviourConfig>,
}

/// One of `props` of a group: a mesh attached to a socket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttachmentConfig {
    /// Embedded prop (`sword`, `shield`, `flag`, `bag`, `guitar`) or the path of a .glb/.gltf.
    pub mesh: String,
    /// Socket of the character: `hand_r`, `hand_l`, `back`, `head`, `chest` or another one of its file.
    /// A socket takes one attachment: the first entry whose `share` selects the person.
    pub socket: String,
    /// Share of the group's people, 0..=1.
    pub share: f32,
    /// Rotation in the socket (degrees) about the socket's X, then Y, then Z.
    #[serde(skip_serializing_if = "is_zero")]
    pub turn: [f32; 3],
    /// Translation in the socket after the rotation (m).
    #[serde(skip_serializing_if = "is_zero")]
    pub shift: [f32; 3],
}

impl Default for AttachmentConfig {
    fn default() -> Self {
        Self {
            mesh: "flag".to_owned(),
            socket: "hand_r".to_owned(),
            share: 1.0,
            turn: [0.0; 3],
            shift: [0.0; 3],
        }
    }
}

fn is_zero(vector: &[f32; 3]) -> bool {
    *vector == [0.0; 3]
}

impl AttachmentConfig {
    /// Key of the attachment's mesh in its socket: entries with equal keys share one draw.
    #[must_use]
    pub fn kind(&self) -> String {
        if is_zero(&self.turn) && is_zero(&self.shift) {
            return self.mesh.clone();
        }
        format!("{} {:?} {:?}", self.mesh, self.turn, self.shift)
    }

    /// Transform from the space of the attachment's file to its socket.
    #[must_use]
    pub fn socket_from_prop(&self) -> glam::Affine3A {
        let [x, y, z] = self.turn.map(f32::to_radians);
        let turn = glam::Quat::from_euler(glam::EulerRot::ZYX, z, y, x);
        glam::Affine3A::from_rotation_translation(turn, self.shift.into())
    }
}

/// Ground pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// Paved square with stone rings around the origin.
    #[default]
    Plaza,
    /// Grass.
    Grass,
    /// Grass, mown in stripes around the origin: a football pitch.
    Pitch,
    /// Grid with 1 m cells.
    Grid,
    /// Soft floor that blends into the background, without sky and hills: for looking at a character.
    Studio,
}

/// Rasterizer of people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Raster {
    /// The hardware rasterizer.
    Hardware,
    /// Software rasterizer in a compute shader for people who are small in the picture, the hardware rasterizer for
    /// the others.
    Compute,
    /// In the window the faster of the two, measured on the current scene. Elsewhere `hardware` for pictures, with
    /// triangle culling in compute.
    /// Shadows and ids (for labels) use `compute` where the adapter supports it.
    #[default]
    Auto,
}

impl Raster {
    /// Name in settings and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Compute => "compute",
            Self::Auto => "auto",
        }
    }
}
