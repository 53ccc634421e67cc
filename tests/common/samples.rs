//! Real characters, which only some machines have.

use std::path::{Path, PathBuf};

use throng::model::Model;

/// Loadable sample files, relative to the samples folder.
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

/// The folder named by `THRONG_SAMPLES`, or nothing and a loud remark.
pub fn samples() -> Option<PathBuf> {
    match std::env::var_os("THRONG_SAMPLES") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => {
            eprintln!("SKIPPED: set THRONG_SAMPLES to the folder of sample characters");
            None
        }
    }
}

/// Loads a sample that must load.
pub fn load(folder: &Path, file: &str) -> Model {
    throng::file::gltf::load(&folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}
