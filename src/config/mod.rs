//! All settings with their defaults and ranges. `config/default.toml` documents the same keys.
//!
//! A file holds only differences from the defaults. An error names file, line and key, and what would be valid.

pub(crate) mod aliases;
mod arguments;
mod default_file;
mod defaults;
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

pub use default_file::with_declared_sections;
pub use effort::Effort;
pub use error::ConfigError;
pub use keys::{KEYS, Key, Kind, key};
pub use lods::LodQuality;
pub use look::LookConfig;
pub use render::RenderConfig;
pub use scene::{
    BehaviourConfig, CameraKeyConfig, Group, HeroConfig, LayerConfig, Layout, LookTarget, PathConfig, PathKind, Phase,
    StateConfig, TrajectoryColor, TrajectoryConfig, UnitConfig,
};
pub(crate) use schema_check::nearest;
pub use start::FREE_VIEW;

use std::{collections::BTreeMap, path::PathBuf};

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

/// `[scene]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SceneConfig {
    /// Shown in the window's title and in reports.
    pub name: String,
    /// One sentence shown with the scene.
    pub caption: String,
    /// Embedded character names or paths of .glb/.gltf files, each followed by `#` and a material variant if wanted;
    /// empty: all embedded characters.
    pub characters: Vec<PathBuf>,
    /// Relative frequency of each character, 0..=1000; characters without a weight have 1.
    pub weights: Vec<f32>,
    /// Embedded characters or .glb/.gltf files whose clips the characters play as well.
    pub animations: Vec<PathBuf>,
    /// Path of a .toml file that maps joints of characters to joints of the animations; empty: names match.
    pub joint_map: PathBuf,
    /// Names of meshes and nodes of the characters that are left out, without regard to case.
    pub hide: Vec<String>,
    /// Joints by role ([`JOINT_ROLES`]), where their names do not tell.
    pub joint_roles: BTreeMap<String, String>,
    /// Turn of the animations about the vertical (degrees), -360..=360; without it they turn as the skeletons face.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<f32>,
    /// Number of instances: [`limits::COUNT`].
    pub count: u32,
    /// Seed of the crowd, 0..=2^63-1 in a file; equal seeds give equal crowds.
    pub seed: u64,
    /// Placement of people on the ground.
    pub layout: Layout,
    /// Distance between neighbours (m): [`limits::SPACING`].
    pub spacing: f32,
    /// Part of a character that touches the ground.
    pub ground_contact: GroundContact,
    /// Playback speed of all clips, -8..=8; walkers move forwards in any case.
    pub speed: f32,
    /// Random spread of the playback speed, 0..=1 (0.1 is ±10 %).
    pub speed_spread: f32,
    /// Random spread of the size, 0..=0.5.
    pub scale_spread: f32,
    /// Random spread of the width scale, 0..=0.2: see
    /// [`Instance::with_width_scale`](crate::crowd::Instance::with_width_scale).
    pub width_scale_spread: f32,
    /// Weight of each clip by name, 0..=1000; empty: the built-in clips of each group of the layout, else every clip
    /// equally.
    /// A character ignores names that it lacks.
    pub clips: BTreeMap<String, f32>,
    /// Settings of single groups of the layout, by the name of the group.
    pub groups: BTreeMap<String, GroupConfig>,
    /// Tint ramps as "#rrggbb" lists: skin, hair, cloth, trim; an empty list keeps the built-in.
    pub tints: TintConfig,
    /// File of trajectories that people follow instead of the layout.
    pub trajectories: TrajectoryConfig,
    /// Heroes: people who are posed live from the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heroes: Vec<HeroConfig>,
    /// Walking paths in addition to those of the layout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathConfig>,
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

/// `[scene.tints]`: colours from which each instance draws one per region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TintConfig {
    /// Skin tones.
    pub skin: Vec<String>,
    /// Hair colours.
    pub hair: Vec<String>,
    /// Main garment.
    pub cloth: Vec<String>,
    /// Second garment, shoes, belts.
    pub trim: Vec<String>,
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

/// `[camera]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CameraConfig {
    /// Name of the view to start with: a key of `views`, or a built-in view (`overview`, `street`, `close`, `top`,
    /// `plan`).
    pub start: String,
    /// Vertical field of view (degrees), 1..=120.
    pub fov: f32,
    /// Smallest aspect ratio (width / height), 0..=4, that views are composed for. Narrower pictures get a wider field
    /// of view, so that they show as much from left to right.
    pub min_aspect: f32,
    /// Named views of this scene; they override built-in views of the same name.
    pub views: BTreeMap<String, ViewConfig>,
    /// Keys of the view [`CAMERA_PATH`], which moves with the scene's time; empty: there is no such view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<CameraKeyConfig>,
}

/// Name of the view that follows `[[camera.path]]`.
pub const CAMERA_PATH: &str = "path";

/// `[camera.views.NAME]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewConfig {
    /// World position (m).
    pub eye: [f32; 3],
    /// World position (m).
    pub target: [f32; 3],
    /// Scene time (s) of pictures that start with this view: [`limits::TIME`]; none: as the command says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
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

/// `[bake]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BakeConfig {
    /// Rate of evenly spaced frames (1/s), 1..=240; 0 places frames where the motion needs them.
    pub rate: f32,
    /// Maximum error of any vertex at any moment if frames are placed by motion (percent of the height).
    pub max_error: f32,
}

/// `[window]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WindowConfig {
    /// Pixels: [`limits::EDGE`].
    pub width: u32,
    /// Pixels: [`limits::EDGE`].
    pub height: u32,
    /// Wait for the display's vertical sync.
    pub vsync: bool,
    /// Show the panel at start.
    pub panel: bool,
}
