//! Sample characters from other sources, which only some machines have.

use std::path::{Path, PathBuf};

use throng::model::Model;

use super::skip::{Need, skip};

/// Sample files that load, relative to the samples folder.
pub const LOADABLE: [&str; 13] = [
    "Fox/Fox.glb",
    "CesiumMan/CesiumMan.glb",
    "RiggedFigure/RiggedFigure.glb",
    "RobotExpressive/RobotExpressive.glb",
    "AnimatedMorphCube/AnimatedMorphCube.glb",
    "CesiumMilkTruck/CesiumMilkTruck.gltf",
    "Knight/Knight.glb",
    "GreenMan/greenman.glb",
    "SimpleSkin/SimpleSkin.gltf",
    "InterpolationTest/InterpolationTest.glb",
    "TRex/TRex.glb",
    "RiggedFigure-derived/RiggedFigure_quantized.glb",
    "RiggedFigure-derived/RiggedFigure_meshopt.glb",
];

/// Folder named by `THRONG_SAMPLES`, which must then hold every sample; a skip without it.
pub fn samples() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("THRONG_SAMPLES").map(PathBuf::from) else {
        skip(
            Need::Samples,
            "THRONG_SAMPLES does not name the folder of sample characters",
        );
        return None;
    };
    let missing: Vec<_> = LOADABLE.iter().filter(|file| !folder.join(file).is_file()).collect();
    assert!(
        missing.is_empty(),
        "THRONG_SAMPLES={} lacks {missing:?}",
        folder.display()
    );
    Some(folder)
}

/// Loads a sample that must load.
pub fn load(folder: &Path, file: &str) -> Model {
    throng::file::gltf::load(&folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}
