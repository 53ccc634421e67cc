//! CPU twins of shader functions: equal file and function names on both sides, so that both are changed together.
//! Other tests compare the results, bit by bit where both use integers.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Twins: shader file, CPU file, functions. `Type::method` on the CPU is `type_method` in the shader.
///
/// shared/atlas.wgsl is not listed: it adds up weighted rows (of trs16, products of quaternions) and never makes the
/// one matrix that `Atlas::matrix` returns.
/// gpu/accuracy.rs compares the results of both, vertex by vertex.
const TWINS: &[(&str, &str, &[&str])] = &[
    (
        "shared/transfer",
        "model/transfer",
        &["linear_from_srgb", "srgb_from_linear"],
    ),
    ("shared/heat", "render/heat", &["heat_color", "overdraw_heat"]),
    ("shared/hash", "crowd/hash", &["pcg", "hash", "unit_fraction"]),
    (
        "shared/clock",
        "crowd/clock",
        &[
            "mul_wide",
            "mul_high",
            "scale_rate",
            "later",
            "turns",
            "turns_in",
            "ahead",
            "divide",
        ],
    ),
    (
        "shared/wrap",
        "crowd/wrap",
        &["is_endless", "clip_position", "own_loop"],
    ),
    (
        "shared/actor_state",
        "crowd/actors/actor_state",
        &[
            "ticks_since",
            "time_between",
            "motion_at",
            "short_turn",
            "playback_position",
            "weight_at",
            "first_playback",
            "blend_at",
            "is_in_world",
        ],
    ),
    (
        "shared/instance",
        "crowd/instance",
        &[
            "Instance::yaw",
            "Instance::scale",
            "Instance::clip",
            "Instance::speed",
            "Instance::group_id",
        ],
    ),
    (
        "shared/person_schedule",
        "crowd/schedule/person_schedule",
        &[
            "behaviour_of",
            "block",
            "block_seed",
            "home_state",
            "next_edge",
            "find_segment",
            "state_rate",
            "state_playing",
            "fade_weight",
            "moment",
        ],
    ),
    (
        "shared/travel",
        "crowd/schedule/travel",
        &[
            "state_pace",
            "state_distance",
            "faded_ticks",
            "stay_distance",
            "block_distance",
            "distance_since",
            "travelled",
        ],
    ),
    (
        "shared/paths",
        "crowd/paths",
        &["path_spot", "waypoint_spot", "leg_spot", "track_spot", "phase_of"],
    ),
    (
        "shared/motion_plan",
        "crowd/motion_plan",
        &["own_playing", "place", "path_phase"],
    ),
    (
        "events",
        "crowd/events",
        &["passes", "passed", "events_between", "state_track"],
    ),
    (
        "shared/packed",
        "model/mesh/packed",
        &["pack_octahedral", "unpack_octahedral"],
    ),
    ("shared/pose_steps", "render/resources/pose_steps", &["nearest_step"]),
    ("shared/baked_vertex", "atlas/baked_vertex", &["octahedral_decode8"]),
    ("shared/skinning", "bake/skinning", &["transform", "add_morphs"]),
    ("pick", "scene/pick", &["enter"]),
    (
        "shared/visible",
        "render/passes/draw_lists/visible",
        &[
            "extent_along",
            "is_outside_plane",
            "is_outside",
            "crosses_depth",
            "rows_of",
            "lod_of",
        ],
    ),
    (
        "shared/vertex_cache",
        "render/passes/raster/vertex_cache",
        &["packed_corner", "unpacked_corner"],
    ),
    (
        "shared/edges",
        "render/passes/raster/edges",
        &[
            "snapped",
            "sample_place",
            "sample_column",
            "row_bits",
            "row_place",
            "first_row",
            "last_row",
            "first_pixel",
            "last_pixel",
            "edge",
            "wide_edge",
            "outside_edge",
        ],
    ),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// True if a source defines a function of this name, not only calls it.
fn states(source: &str, function: &str) -> bool {
    source.lines().any(|line| {
        let line = line.trim_start();
        let after = line.split_once("fn ").filter(|(before, _)| {
            let words = before.split_whitespace();
            words
                .into_iter()
                .all(|word| word.starts_with("pub") || word == "const" || word.ends_with(')'))
        });
        after.is_some_and(|(_, rest)| {
            rest.strip_prefix(function)
                .is_some_and(|rest| rest.starts_with(['(', '<']))
        })
    })
}

/// Splits `Instance::yaw` into (method of the CPU, function of the shader).
fn names(function: &str) -> (&str, String) {
    match function.split_once("::") {
        Some((owner, method)) => (method, format!("{}_{method}", owner.to_lowercase())),
        None => (function, function.to_owned()),
    }
}

/// Entries that a table of twins lacks on one side.
fn missing(root: &Path, twins: &[(&str, &str, &[&str])]) -> Vec<String> {
    let mut missing = Vec::new();
    for (shader, cpu, functions) in twins {
        let (shader_name, cpu_name) = (Path::new(shader).file_name(), Path::new(cpu).file_name());
        if shader_name != cpu_name {
            missing.push(format!("{shader} and {cpu} have other names"));
        }
        let files = [
            root.join("shaders").join(shader).with_extension("wgsl"),
            root.join("src").join(cpu).with_extension("rs"),
        ];
        let sources = files
            .each_ref()
            .map(|file| fs::read_to_string(file).unwrap_or_default());
        for function in *functions {
            let (on_cpu, in_shader) = names(function);
            for (file, source, name) in [
                (&files[0], &sources[0], in_shader.as_str()),
                (&files[1], &sources[1], on_cpu),
            ] {
                if !states(source, name) {
                    missing.push(format!("{}: no function {name}", file.display()));
                }
            }
        }
    }
    missing
}

#[test]
fn every_twin_exists_on_both_sides() {
    let missing = missing(&root(), TWINS);
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn a_missing_twin_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in [
        (
            "shaders/shared/a.wgsl",
            "fn one(x: u32) -> u32 {\n    return two(x);\n}\nfn pose_yaw() {}\n",
        ),
        (
            "src/crowd/a.rs",
            "pub(crate) const fn one() {}\nfn two() {}\n    pub fn yaw(&self) {}\n",
        ),
        ("src/crowd/b.rs", "fn one() {}\n"),
    ] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let lacks = |shader, cpu, function| missing(folder.path(), &[(shader, cpu, &[function])]).len();
    assert_eq!(lacks("shared/a", "crowd/a", "one"), 0);
    assert_eq!(lacks("shared/a", "crowd/a", "Pose::yaw"), 0);
    assert_eq!(lacks("shared/a", "crowd/a", "two"), 1);
    assert_eq!(lacks("shared/a", "crowd/a", "three"), 2);
    assert_eq!(lacks("shared/a", "crowd/b", "one"), 1);
    assert_eq!(lacks("shared/c", "crowd/b", "one"), 2);
}
