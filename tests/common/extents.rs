//! Extents of the sample characters, computed independently of this program.

/// Clip and file time (s); `None` for the rest pose.
pub type Moment = Option<(usize, f32)>;

/// Extents at a moment, computed independently (see the samples' README): file, moment, size
/// along x, y, z.
pub const EXTENTS: [(&str, Moment, [f32; 3]); 30] = [
    ("Fox/Fox.glb", None, [25.2, 79.0, 155.0]),
    ("Fox/Fox.glb", Some((0, 1.71)), [30.0, 77.9, 153.0]),
    ("Fox/Fox.glb", Some((1, 0.354)), [25.2, 74.2, 161.0]),
    ("CesiumMan/CesiumMan.glb", None, [1.14, 1.51, 0.312]),
    ("CesiumMan/CesiumMan.glb", Some((0, 1.0)), [0.369, 1.46, 0.97]),
    ("RiggedFigure/RiggedFigure.glb", None, [1.18, 1.45, 0.326]),
    ("RiggedFigure/RiggedFigure.glb", Some((0, 0.625)), [0.904, 1.47, 0.34]),
    ("RobotExpressive/RobotExpressive.glb", None, [3.1, 4.46, 2.69]),
    (
        "RobotExpressive/RobotExpressive.glb",
        Some((0, 1.67)),
        [3.48, 4.61, 2.62],
    ),
    (
        "RobotExpressive/RobotExpressive.glb",
        Some((1, 0.479)),
        [5.85, 2.74, 7.69],
    ),
    ("AnimatedMorphCube/AnimatedMorphCube.glb", None, [2.0, 2.0, 2.0]),
    (
        "AnimatedMorphCube/AnimatedMorphCube.glb",
        Some((0, 2.1)),
        [2.0, 2.0, 2.0],
    ),
    ("CesiumMilkTruck/CesiumMilkTruck.gltf", None, [2.79, 2.58, 4.87]),
    (
        "CesiumMilkTruck/CesiumMilkTruck.gltf",
        Some((0, 0.625)),
        [2.79, 2.58, 4.87],
    ),
    ("Knight/Knight.glb", None, [2.69, 2.47, 2.58]),
    ("Knight/Knight.glb", Some((0, 0.533)), [1.79, 2.98, 2.23]),
    ("Knight/Knight.glb", Some((1, 0.5)), [3.44, 2.52, 2.05]),
    ("GreenMan/greenman.glb", None, [2.72, 2.03, 1.45]),
    ("GreenMan/greenman.glb", Some((0, 0.0833)), [2.72, 2.03, 1.45]),
    ("GreenMan/greenman.glb", Some((1, 1.25)), [2.49, 2.05, 1.46]),
    ("SimpleSkin/SimpleSkin.gltf", None, [1.0, 2.0, 0.0]),
    ("SimpleSkin/SimpleSkin.gltf", Some((0, 2.75)), [1.0, 2.0, 0.0]),
    ("InterpolationTest/InterpolationTest.glb", None, [8.8, 9.96, 2.0]),
    (
        "InterpolationTest/InterpolationTest.glb",
        Some((0, 1.0)),
        [8.8, 9.96, 2.0],
    ),
    (
        "InterpolationTest/InterpolationTest.glb",
        Some((1, 1.0)),
        [8.8, 9.96, 2.0],
    ),
    ("TRex/TRex.glb", None, [7.96, 14.7, 30.9]),
    ("TRex/TRex.glb", Some((0, 0.583)), [8.17, 14.9, 25.3]),
    ("TRex/TRex.glb", Some((1, 0.792)), [12.6, 18.1, 19.7]),
    (
        "RiggedFigure-derived/RiggedFigure_quantized.glb",
        None,
        [1.18, 1.45, 0.326],
    ),
    (
        "RiggedFigure-derived/RiggedFigure_quantized.glb",
        Some((0, 0.633)),
        [0.908, 1.47, 0.34],
    ),
];
