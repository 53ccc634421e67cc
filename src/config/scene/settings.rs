//! `[scene]`: characters, number of people and their placement.

use std::{collections::BTreeMap, path::PathBuf};

use crate::config::{
    GroundContact, GroupConfig, HeroConfig, Kind, Layout, PathConfig, TintConfig, TrajectoryConfig,
    keys::{integer, number, words},
    limits,
    section::section,
};

section! {
    /// `[scene]`.
    ["scene"] SceneConfig

    /// Name in the window's title and in reports.
    name: String = "plaza".to_owned(), Kind::Text, "";

    /// Sentence shown with the scene.
    caption: String = "A late morning on the square.".to_owned(), Kind::Text, "";

    /// Names of embedded characters or paths of .glb/.gltf files; empty: woman, man, girl and elder. "shoe.glb#beach" is
    /// the material variant "beach" of a file.
    characters: Vec<PathBuf> = Vec::new(), Kind::Texts, "";

    /// Weights of `characters` against each other, in their order. Those without a weight have 1.
    weights: Vec<f32> = Vec::new(), Kind::Numbers(0.0, *limits::WEIGHT.end()), "";

    /// Embedded characters or .glb/.gltf files whose clips the characters play as well, where joints match by name.
    animations: Vec<PathBuf> = Vec::new(), Kind::Texts, "";

    /// Path of a .toml file with lines such as "LeftArm" = "mixamorig:LeftArm" (joint of the character, joint of the
    /// animations) for joints whose names do not match; empty: none.
    joint_map: PathBuf = PathBuf::new(), Kind::Text, "";

    /// Turn of the animations about the vertical. Without it they turn by the way the skeletons face.
    turn: Option<f32> = None, Kind::Number(-360.0, 360.0), "degrees", example("90.0");

    /// Names of meshes and nodes of the characters that are left out, such as a weapon, without regard to case; a node
    /// leaves out all below it. `throng info` lists them.
    hide: Vec<String> = Vec::new(), Kind::Texts, "";

    /// Size of the crowd.
    count: u32 = 2000, integer(&limits::COUNT), "people";

    /// Seed of all random choices. The same seed gives the same crowd.
    seed: u64 = 1, Kind::Integer(0, i64::MAX), "";

    /// Layout of the crowd: "plaza", "grid", "ring", "ranks", "stadium", "scatter" or "roadside" (along both sides of
    /// the first path).
    layout: Layout = Layout::Plaza, Kind::OneOf(words::<Layout>), "";

    /// Distance between neighbours.
    spacing: f32 = 1.6, number(&limits::SPACING), "metres";

    /// Part of a character that touches the ground: its "feet" (the lowest point of its rest pose and of its standing and
    /// moving clips) or its "origin", as authored.
    ground_contact: GroundContact = GroundContact::Feet, Kind::OneOf(words::<GroundContact>), "";

    /// Playback speed of all clips. 0 freezes them, negative values play them backwards (walkers still move
    /// forwards).
    speed: f32 = 1.0, number(&limits::PLAYBACK), "";

    /// Random variation of the playback speed. 0.1 is ±10 %.
    speed_spread: f32 = 0.1, Kind::Number(0.0, 1.0), "";

    /// Random variation of the size. Who sits on a bench is as high as their character.
    scale_spread: f32 = 0.06, Kind::Number(0.0, 0.5), "";

    /// Random variation of the breadth. It says how broad and deep bodies are for their height.
    width_scale_spread: f32 = 0.12, Kind::Number(0.0, 0.2), "";

    tables {
        /// Joints by role ([`JOINT_ROLES`](crate::config::JOINT_ROLES)), where their names do not tell.
        joint_roles: BTreeMap<String, String>;
        /// Weight of each clip by name, 0..=1000; empty: the built-in clips of each group of the layout, else every clip
        /// equally. A character ignores names that it lacks.
        clips: BTreeMap<String, f32>;
        /// Settings of single groups of the layout, by the name of the group.
        groups: BTreeMap<String, GroupConfig>;
        /// Tint ramps as "#rrggbb" lists: skin, hair, cloth, trim; an empty list keeps the built-in.
        tints: TintConfig;
        /// File of trajectories that people follow instead of the layout.
        trajectories: TrajectoryConfig;
        /// Heroes: people who are posed live from the start.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        heroes: Vec<HeroConfig>;
        /// Walking paths in addition to those of the layout.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        paths: Vec<PathConfig>;
    }
}
