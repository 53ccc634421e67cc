//! Crowd: copies of the model at the positions of throng's grid, each with an animation player of its own.

use bevy::{
    asset::LoadState,
    gltf::{Gltf, GltfMesh, GltfSkin},
    mesh::{Indices, skinning::SkinnedMesh},
    prelude::*,
    world_serialization::WorldInstanceReady,
};

use crate::args::{Args, refuse};

/// Share of a clip by which each copy is ahead of the previous one (golden ratio): phases never repeat.
const GOLDEN: f32 = 0.618_034;

/// Model, and facts known after it has loaded.
#[derive(Resource)]
pub(crate) struct Model {
    file: Handle<Gltf>,
    clips: Vec<Clip>,
    /// Number per copy.
    pub(crate) triangles: usize,
    /// Number per copy.
    pub(crate) joints: usize,
    /// Number of copies that have been spawned with all parts, and play.
    pub(crate) ready: u32,
}

/// A clip that copies play.
struct Clip {
    name: String,
    /// Duration (s).
    duration: f32,
    /// Animation graph of this clip alone.
    graph: (Handle<AnimationGraph>, AnimationNodeIndex),
}

/// Copy of the crowd, by its number.
#[derive(Component)]
pub(crate) struct Member(u32);

impl Model {
    /// Makes the model of a file that is about to be loaded.
    pub(crate) fn new(file: Handle<Gltf>) -> Self {
        Self {
            file,
            clips: Vec::new(),
            triangles: 0,
            joints: 0,
            ready: 0,
        }
    }

    /// Returns the names of the clips that are played.
    pub(crate) fn clips(&self) -> Vec<&str> {
        self.clips.iter().map(|clip| clip.name.as_str()).collect()
    }
}

/// Parts of a loaded model.
type Parts<'w> = (
    Res<'w, Assets<Gltf>>,
    Res<'w, Assets<GltfMesh>>,
    Res<'w, Assets<GltfSkin>>,
    Res<'w, Assets<Mesh>>,
    Res<'w, Assets<AnimationClip>>,
);

/// Spawns the crowd as soon as the model has loaded.
pub(crate) fn spawn(
    mut commands: Commands,
    mut model: ResMut<Model>,
    mut graphs: ResMut<Assets<AnimationGraph>>,
    (gltfs, gltf_meshes, skins, meshes, clips): Parts,
    (server, args): (Res<AssetServer>, Res<Args>),
) {
    if let LoadState::Failed(error) = server.load_state(&model.file) {
        refuse(&format!("{}: {error}", args.model.display()));
    }
    let loaded = server.is_loaded_with_dependencies(&model.file);
    let Some(gltf) = gltfs.get(&model.file).filter(|_| loaded && model.clips.is_empty()) else {
        return;
    };
    let primitives = || {
        let all = gltf.meshes.iter().filter_map(|mesh| gltf_meshes.get(mesh));
        all.flat_map(|mesh| &mesh.primitives)
            .filter_map(|part| meshes.get(&part.mesh))
    };
    let (low, high) = primitives()
        .flat_map(heights)
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), y| {
            (low.min(y), high.max(y))
        });
    let Some(scene) = gltf
        .default_scene
        .as_ref()
        .or(gltf.scenes.first())
        .filter(|_| high > low)
    else {
        refuse(&format!("{}: nothing to draw", args.model.display()));
    };
    let joints = gltf.skins.iter().filter_map(|skin| skins.get(skin));
    let joints = joints.map(|skin| skin.joints.len()).sum();
    let triangles = primitives().map(triangles).sum();
    let played = played(gltf, &args, &clips, &mut graphs);
    (model.joints, model.triangles, model.clips) = (joints, triangles, played);

    let scale = Vec3::splat(args.height / (high - low));
    for number in 0..args.count {
        let (x, z) = spiral(number);
        let place = Vec3::new(x as f32, 0.0, z as f32) * args.spacing;
        let place = Transform::from_translation(place).with_scale(scale);
        commands.spawn((WorldAssetRoot(scene.clone()), place, Member(number)));
    }
}

/// Returns the heights of the vertices of a mesh, in its own units.
fn heights(mesh: &Mesh) -> impl Iterator<Item = f32> {
    let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION);
    let positions = positions.and_then(|values| values.as_float3());
    positions.unwrap_or_default().iter().map(|position| position[1])
}

fn triangles(mesh: &Mesh) -> usize {
    mesh.indices().map_or(mesh.count_vertices(), Indices::len) / 3
}

/// Returns the clips that the command line selects.
fn played(gltf: &Gltf, args: &Args, clips: &Assets<AnimationClip>, graphs: &mut Assets<AnimationGraph>) -> Vec<Clip> {
    let wanted = gltf.animations.iter().enumerate();
    let wanted = wanted.filter(|(number, _)| args.clip.is_none_or(|clip| clip == *number));
    let found: Vec<Clip> = wanted
        .map(|(number, handle)| {
            let name = gltf.named_animations.iter().find(|(_, named)| *named == handle);
            let (graph, node) = AnimationGraph::from_clip(handle.clone());
            Clip {
                name: name.map_or_else(|| number.to_string(), |(name, _)| name.to_string()),
                duration: clips.get(handle).map_or(0.0, AnimationClip::duration),
                graph: (graphs.add(graph), node),
            }
        })
        .collect();
    if found.is_empty() {
        let there = gltf.animations.len();
        refuse(&format!("{}: no such clip, there are {there}", args.model.display()));
    }
    found
}

/// Returns cell `index` of a square spiral around the origin, as in throng's layout `grid`.
fn spiral(index: u32) -> (i32, i32) {
    if index == 0 {
        return (0, 0);
    }
    let lap = index.isqrt().div_ceil(2);
    let side = 2 * lap;
    let along = index - (side - 1).pow(2);
    let (edge, step) = (along / side, (along % side) as i32 + 1);
    let lap = lap as i32;
    match edge {
        0 => (lap, step - lap),
        1 => (lap - step, lap),
        2 => (-lap, lap - step),
        _ => (step - lap, -lap),
    }
}

/// Starts each new copy at its own phase of its clip.
pub(crate) fn start(
    spawned: On<WorldInstanceReady>,
    mut commands: Commands,
    mut model: ResMut<Model>,
    mut players: Query<&mut AnimationPlayer>,
    (members, children): (Query<&Member>, Query<&Children>),
) {
    let Ok(&Member(number)) = members.get(spawned.entity) else {
        return;
    };
    model.ready += 1;
    let clip = &model.clips[number as usize % model.clips.len()];
    let (graph, node) = &clip.graph;
    let moment = (number as f32 * GOLDEN).fract() * clip.duration;
    for entity in children.iter_descendants(spawned.entity) {
        if let Ok(mut player) = players.get_mut(entity) {
            player.play(*node).repeat().set_seek_time(moment);
            commands.entity(entity).insert(AnimationGraphHandle(graph.clone()));
        }
    }
}

/// Positions of the joints of every skin in world space.
pub(crate) type Poses = Vec<Vec<Vec3>>;

/// Returns the current poses.
pub(crate) fn poses(skins: &Query<&SkinnedMesh>, places: &Query<&GlobalTransform>) -> Poses {
    let place = |joint: &Entity| places.get(*joint).ok().map(GlobalTransform::translation);
    let joints = |skin: &SkinnedMesh| skin.joints.iter().filter_map(place).collect();
    skins.iter().map(joints).collect()
}

/// Counts the skins with a joint that moved by more than `distance` between two poses.
pub(crate) fn moved(before: &Poses, after: &Poses, distance: f32) -> usize {
    let moves = |(a, b): &(&Vec<Vec3>, &Vec<Vec3>)| a.iter().zip(*b).any(|(a, b)| a.distance(*b) > distance);
    before.iter().zip(after).filter(moves).count()
}
