//! Every setting, its default and its range. `config/default.toml` documents the same keys.
//!
//! A file holds only what differs from the defaults. Whatever is wrong with it is told by file,
//! line and key, with what would be right.

pub(crate) mod aliases;
mod arguments;
mod defaults;
mod error;
mod keys;
pub mod limits;
mod load;
pub mod parse;
mod save;
mod scene;
mod schema_check;
mod set;
mod start;
mod validate;
mod variants;

pub use error::ConfigError;
pub use keys::{KEYS, Key, Kind, key};
pub use scene::{
    BehaviourConfig, CameraKeyConfig, Group, HeroConfig, LayerConfig, Layout, LookTarget, PathConfig, PathKind, Phase,
    StateConfig,
};
pub(crate) use schema_check::nearest;
pub use start::FREE_VIEW;

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::atlas::AtlasFormat;

/// How the crowd's vertices are animated.
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
    /// No skinning: the rest pose, the lower bound of an instanced draw.
    Static,
    /// Four vertex attributes and f32 matrices of both frames: a fair baseline.
    Textbook,
    /// Unpacked vertex attributes and 4x4 f32 matrices: a severe baseline.
    Naive,
    /// Every distinct pose skinned once a frame in a compute pass, then drawn like a static mesh.
    Preskinned,
}

/// All settings; the default is the plaza.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Cast, count and placement.
    pub scene: SceneConfig,
    /// Lights, sky and ground.
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
    /// Embedded character names or paths of .glb/.gltf files; empty: all embedded characters.
    pub characters: Vec<PathBuf>,
    /// How often each of the characters is drawn against the others, 0..=1000; those without a weight have 1.
    pub weights: Vec<f32>,
    /// Embedded characters or .glb/.gltf files whose clips the characters play as well.
    pub animations: Vec<PathBuf>,
    /// A .toml file of joints of characters and what the animations call them; empty: names match.
    pub joint_map: PathBuf,
    /// Instances: [`limits::COUNT`].
    pub count: u32,
    /// Same seed, same crowd; 0..=2^63-1 in a file.
    pub seed: u64,
    /// Placement of people on the ground.
    pub layout: Layout,
    /// Metres between neighbours: [`limits::SPACING`].
    pub spacing: f32,
    /// Part of a character that touches the ground.
    pub ground_contact: GroundContact,
    /// Playback speed of all clips, -8..=8; walkers move forwards in any case.
    pub speed: f32,
    /// Random spread of the playback speed, 0..=1 (0.1 = ±10 %).
    pub speed_spread: f32,
    /// Random spread of the size, 0..=0.5.
    pub scale_spread: f32,
    /// Random spread of the width scale, 0..=0.2: see
    /// [`Instance::with_width_scale`](crate::crowd::Instance::with_breadth).
    pub width_scale_spread: f32,
    /// Clip name to weight, 0..=1000; empty: what suits each group of the layout, or every clip
    /// equally. A name that a character lacks is ignored for it.
    pub clips: BTreeMap<String, f32>,
    /// Differences of single groups of the layout, by the group's name.
    pub groups: BTreeMap<String, GroupConfig>,
    /// Tint ramps as "#rrggbb" lists: skin, hair, cloth, trim; an empty list keeps the built-in.
    pub tints: TintConfig,
    /// People who are posed live from the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heroes: Vec<HeroConfig>,
    /// Walking paths in addition to those of the layout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathConfig>,
}

/// Part of a character that touches the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum GroundContact {
    /// The lowest point of its rest pose and of its standing and moving clips.
    #[default]
    Feet,
    /// The origin of its file.
    Origin,
}

/// `[scene.groups.NAME]`; the groups are listed at [`Group`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GroupConfig {
    /// Clip name to weight, 0..=1000; empty: as the scene.
    pub clips: BTreeMap<String, f32>,
    /// Colours of this group; an empty list: as the scene.
    pub tints: TintConfig,
    /// The material variant that all wear, `0..8`; none: each their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material_variant: Option<u8>,
    /// Things that people carry; none: nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub props: Vec<AttachmentConfig>,
    /// How clips start; none: as suits the group.
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
    /// Attachment point of the character: `hand_r`, `hand_l`, `back`, `head`, `chest` or what its
    /// file has. A socket holds the first of the entries whose share falls to the person.
    pub socket: String,
    /// Share of the group's people, 0..=1.
    pub share: f32,
    /// How the prop is turned in the socket: degrees about the socket's X, then Y, then Z.
    #[serde(skip_serializing_if = "is_zero")]
    pub turn: [f32; 3],
    /// How far it is moved in the socket after that (m).
    #[serde(skip_serializing_if = "is_zero")]
    pub shift: [f32; 3],
}

fn is_zero(vector: &[f32; 3]) -> bool {
    *vector == [0.0; 3]
}

impl AttachmentConfig {
    /// Names what is drawn: entries of one name share a mesh.
    #[must_use]
    pub fn kind(&self) -> String {
        if is_zero(&self.turn) && is_zero(&self.shift) {
            return self.mesh.clone();
        }
        format!("{} {:?} {:?}", self.mesh, self.turn, self.shift)
    }

    /// From the prop as modelled to the socket.
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

/// `[look]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LookConfig {
    /// Degrees above the horizon: [`limits::SUN_ELEVATION`].
    pub sun_elevation: f32,
    /// Degrees clockwise from north (-Z): [`limits::SUN_AZIMUTH`].
    pub sun_azimuth: f32,
    /// Brightness of the picture, stops, -4..=4.
    pub exposure: f32,
    /// Share of the sky that clouds cover, 0..=1.
    pub clouds: f32,
    /// Ground pattern.
    pub ground: Ground,
    /// Sun shadows.
    pub shadows: bool,
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
    /// Nothing but a soft floor that becomes the background, without sky and hills: for looking at a character.
    Studio,
}

/// `[camera]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CameraConfig {
    /// Name of the view to start with: a key of `views`, or a built-in
    /// (`overview`, `street`, `close`, `top`).
    pub start: String,
    /// Vertical field of view, degrees, 10..=120.
    pub fov: f32,
    /// Width to height of the narrowest picture that views are composed for, 0..=4: narrower ones have a wider lens
    /// and show as much from left to right.
    pub min_aspect: f32,
    /// Named views of this scene; they shadow the built-in ones.
    pub views: BTreeMap<String, ViewConfig>,
    /// Keys of the view [`CAMERA_PATH`], which moves with the scene's time; none: there is no such view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<CameraKeyConfig>,
}

/// Name of the view that follows `[[camera.path]]`.
pub const CAMERA_PATH: &str = "path";

/// `[camera.views.NAME]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewConfig {
    /// Metres.
    pub eye: [f32; 3],
    /// Metres.
    pub target: [f32; 3],
    /// Scene time of pictures that start with this view (s): [`limits::TIME`]; none: as the command has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// `[render]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RenderConfig {
    /// How vertices are animated.
    pub technique: Technique,
    /// Atlas encoding.
    pub format: AtlasFormat,
    /// Samples per pixel: 1 or 4.
    pub msaa: u32,
    /// Smooth edges by a filter after tone mapping (FXAA): for one sample per pixel.
    pub fxaa: bool,
    /// Blend the two nearest frames; off shows the nearest only.
    pub interpolate: bool,
    /// LODs serve up to so many times the height at which they cannot be told from full
    /// detail: [`limits::DETAIL`]; 0 draws full detail only.
    pub detail: f32,
    /// Draw the smallest people as splats where they are drawn by the software rasterizer.
    pub splats: bool,
    /// Leave out people whom the view does not show, and triangles that the hardware rasterizer need not see: pictures
    /// are the same with and without.
    pub cull: bool,
    /// Rasterizer of people; LODs and culling come with `compute`.
    pub raster: Raster,
    /// With [`Raster::Compute`]: people of at most so many rows (pixels times the square root of the samples) are
    /// drawn by the software rasterizer, and from 1,024 on everything, where it can be; [`limits::SW_RASTER_MAX_ROWS`].
    pub sw_raster_max_rows: u32,
}

/// Rasterizer of people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Raster {
    /// The hardware rasterizer.
    Hardware,
    /// A compute shader for those who are small in the picture, the hardware rasterizer for the others.
    Compute,
    /// In the window the faster of the two, measured on the scene that is shown. Elsewhere pictures as `hardware`, of
    /// triangles that compute has found to be seen; shadows and who is at every pixel (ids, labels) as `compute` where
    /// the adapter can.
    #[default]
    Auto,
}

impl Raster {
    /// As in settings and reports.
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
    /// Frames per second at even steps, 1..=240; 0 places frames where the motion needs them.
    pub rate: f32,
    /// Largest error of any vertex at any moment with such frames, percent of the height.
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
    /// Wait for the display.
    pub vsync: bool,
    /// Show the panel at start.
    pub panel: bool,
}
