//! The alone pass: which pixels each person covers, whoever stands in front. Needs an adapter whose
//! fragment shaders may write to buffers.

use std::collections::{HashMap, hash_map::Entry};

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{Gpu, GpuError, RenderPipeline},
    render::{
        Layouts,
        passes::{DrawVariant, truth::TruthKind},
        targets::DEPTH_FORMAT,
    },
};

/// `AloneBox` in shaders/alone.wgsl: pixels; right and bottom are the first outside.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct AloneBox {
    /// First column.
    pub left: u32,
    /// First row.
    pub top: u32,
    /// First column to the right of it.
    pub right: u32,
    /// First row below it.
    pub bottom: u32,
}

impl AloneBox {
    /// The box of nobody.
    pub const EMPTY: Self = Self {
        left: u32::MAX,
        top: u32::MAX,
        right: 0,
        bottom: 0,
    };

    /// No pixel is covered.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.right <= self.left
    }

    /// Columns and rows.
    #[must_use]
    pub const fn size(self) -> (u32, u32) {
        (
            self.right.saturating_sub(self.left),
            self.bottom.saturating_sub(self.top),
        )
    }
}

/// `AloneMask` in shaders/alone.wgsl: where the bits of a box lie.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct AloneMask {
    /// First column of the box.
    pub left: u32,
    /// First row of the box.
    pub top: u32,
    /// Words of 32 bits in a row.
    pub words_per_row: u32,
    /// [`NO_MASK`] for those who are not counted.
    pub first_word: u32,
}

/// [`AloneMask::first_word`] of those who are not counted in a draw.
pub const NO_MASK: u32 = u32::MAX;

/// What the pixels of a person add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AloneKind {
    Boxes,
    Masks,
}

impl AloneKind {
    const fn condition(self) -> &'static str {
        match self {
            Self::Boxes => "alone_boxes",
            Self::Masks => "alone_masks",
        }
    }

    pub(crate) fn layout(self, layouts: &Layouts) -> &wgpu::BindGroupLayout {
        match self {
            Self::Boxes => &layouts.alone_boxes,
            Self::Masks => &layouts.alone_masks,
        }
    }
}

/// Pipelines of shaders/alone.wgsl, made when first needed.
#[derive(Default)]
pub(crate) struct AlonePass {
    pipelines: HashMap<(AloneKind, DrawVariant), wgpu::RenderPipeline>,
}

impl AlonePass {
    pub(crate) fn prepare(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        variants: impl Iterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        for variant in variants.map(|variant| TruthKind::Ids.variant(variant)) {
            for kind in [AloneKind::Boxes, AloneKind::Masks] {
                if let Entry::Vacant(vacant) = self.pipelines.entry((kind, variant)) {
                    vacant.insert(pipeline(gpu, layouts, kind, variant)?);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn pipeline(&self, kind: AloneKind, variant: DrawVariant) -> Option<&wgpu::RenderPipeline> {
        self.pipelines.get(&(kind, TruthKind::Ids.variant(variant)))
    }
}

fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    kind: AloneKind,
    variant: DrawVariant,
) -> Result<wgpu::RenderPipeline, GpuError> {
    let mut features = variant.features();
    features.push(kind.condition());
    RenderPipeline {
        pass: "alone",
        features: &features,
        layouts: &[
            &layouts.frame,
            layouts.character(variant),
            layouts.instances(variant),
            kind.layout(layouts),
        ],
        buffers: &variant.vertex_buffers(),
        primitive: wgpu::PrimitiveState {
            cull_mode: (!variant.double_sided && !variant.mirrored).then_some(wgpu::Face::Back),
            ..Default::default()
        },
        // A pass needs an attachment; this one is neither asked nor written.
        depth: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        discards: true,
        ..Default::default()
    }
    .build(gpu)
}
