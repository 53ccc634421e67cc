//! Keys of the software rasterizer's pipelines.

use crate::{
    gpu::Gpu,
    render::passes::{
        DrawVariant,
        raster::{RasterMesh, StorageRoom, caches_vertices, meshlets::MeshletGranularity},
    },
};

/// Key of a pipeline of the software rasterizer or of triangle culling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RasterKey {
    pub variant: DrawVariant,
    /// True if vertices come from the vertex cache.
    pub baked: bool,
    /// Granularity of its meshlets.
    pub cut: MeshletGranularity,
}

impl RasterKey {
    /// Key of a draw variant, with its meshlets if it has any.
    pub(crate) fn of(variant: DrawVariant, mesh: Option<&RasterMesh>) -> Self {
        Self {
            variant,
            baked: mesh.is_some_and(RasterMesh::is_baked),
            cut: mesh.map_or(MeshletGranularity::Fine, RasterMesh::cut),
        }
    }

    /// Key of a draw variant before its meshlets exist. `people` is their number if it will have any.
    pub(crate) fn expected(gpu: &Gpu, variant: DrawVariant, people: Option<u32>) -> Self {
        Self {
            variant,
            baked: people.is_some() && caches_vertices(StorageRoom::of(gpu), variant),
            cut: people.map_or(MeshletGranularity::Fine, MeshletGranularity::of),
        }
    }

    /// Key without conditions that change colour alone.
    pub(in crate::render::passes) fn outline_only(self) -> Self {
        Self {
            variant: self.variant.outline_only(),
            ..self
        }
    }
}
