//! Reads FBX (binary and ASCII, versions 3000 to 7700) with the C library `ufbx`.
//!
//! ufbx resolves pivots, geometric transforms, inherited scales, units and axes. Its scene is written as glTF 2.0 in
//! memory, which the glTF importer reads: skins, morph targets and clips then follow one path. Order of work:
//!
//! 1. `load`: limits of memory, right-handed axes with Y up, metres;
//! 2. `nodes`: hierarchy, without cameras and lights;
//! 3. `textures` and `materials`: embedded images and files beside the model, maps packed as glTF has them;
//! 4. `meshes`: polygons as triangles, any number of influences, blend shapes;
//! 5. `clips`: animation stacks with their layers flattened, sampled by `ufbx::bake_anim`.

mod clips;
mod container;
mod importer;
mod load;
mod materials;
mod meshes;
mod nodes;
mod packed_maps;
mod shapes;
mod skins;
mod textures;

pub use importer::{ConvertedScene, FbxImporter};
