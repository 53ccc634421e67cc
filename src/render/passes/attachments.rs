//! Attachment pass: places each prop at its owner's socket, once per prop. Sockets are read from tracks of their own in
//! full precision, whatever the owners' technique and atlas format. One pass and one draw therefore serve all owners.

use std::sync::Arc;

use glam::Affine3A;

use crate::{
    character::Character,
    config::Technique,
    crowd::{AttachmentKind, Instance, MotionPlan},
    gpu::{Gpu, GpuError, buffer_with, compute_pipeline},
    render::{
        RenderContext,
        crowd::{CrowdDrawLists, ViewSet},
        passes::{
            DrawVariant,
            animate::workgroups,
            draw_lists::DRAW_LIST_CARRIED,
            raster::{MeshCut, RasterKey, RasterMesh},
        },
        resources::{CharacterAssets, CrowdInstances, DrawFlags, DrawParts, TintTexture, instances::bind_group},
        technique::{AnimationSource, DrawMethod},
    },
};

/// Pipeline of shaders/attachments.wgsl.
pub(crate) struct AttachmentPass {
    pipeline: wgpu::ComputePipeline,
}

shader_struct!(AttachmentCounts);

/// One kind of prop on the GPU, and its carriers.
#[derive(Clone)]
pub(crate) struct AttachmentCrowd {
    pub(crate) prop: Arc<Character>,
    pub(crate) assets: Arc<CharacterAssets>,
    pub(crate) crowd: CrowdInstances,
    pub(crate) variant: DrawVariant,
    /// Draw lists; `None` if every prop is drawn.
    pub(crate) draw_lists: Option<CrowdDrawLists>,
    /// Number of carriers of each character.
    carriers: Vec<u32>,
    /// Bind group and number of carriers of each character that has any.
    parts: Vec<(wgpu::BindGroup, u32)>,
}

impl AttachmentPass {
    pub(crate) fn new(context: &RenderContext) -> Result<Self, GpuError> {
        let groups = [&context.layouts.frame, &context.layouts.attachments];
        Ok(Self {
            pipeline: compute_pipeline(&context.gpu, "attachments", &[], &groups)?,
        })
    }

    /// Encodes the pass, after animate, whose output for the owners it reads.
    pub(crate) fn encode<'a>(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &wgpu::BindGroup,
        props: impl Iterator<Item = &'a AttachmentCrowd>,
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        for (group, count) in props.flat_map(|attachment| &attachment.parts) {
            pass.set_bind_group(1, group, &[]);
            let (x, y) = workgroups(*count);
            pass.dispatch_workgroups(x, y, 1);
        }
    }
}

impl AttachmentCrowd {
    pub(crate) fn parts(&self) -> DrawParts<'_> {
        DrawParts {
            assets: &self.assets,
            crowd: &self.crowd,
        }
    }

    /// Key of its pipelines in the software rasterizer and in triangle culling.
    pub(crate) fn raster_key(&self) -> RasterKey {
        RasterKey::of(
            self.variant,
            self.draw_lists.as_ref().and_then(|lists| lists.raster.as_ref()),
        )
    }

    /// Uploads a prop and its carriers. `owners` are the characters of the scene, in order. `selects` is the set of
    /// views that draw from lists, or `None` if every prop is drawn.
    pub(crate) fn upload<'a>(
        context: &RenderContext,
        wanted: &AttachmentKind,
        owners: impl Iterator<Item = DrawParts<'a>>,
        tints: &TintTexture,
        selects: Option<ViewSet>,
    ) -> Result<Self, GpuError> {
        let assets = CharacterAssets::upload(&context.gpu, &wanted.prop, DrawMethod::REST_POSE)?;
        let mut variant = DrawVariant::of(&assets).with(DrawFlags::ATTACHMENT);
        variant.flags.set(DrawFlags::LISTED, selects.is_some());
        // Carriers take the place of instances: only the attachment pass reads them.
        let all = wanted.carriers.concat();
        let all: &[Instance] = bytemuck::cast_slice(&all);
        let crowd = CrowdInstances::upload(context, &assets, all, &MotionPlan::default(), tints)?;
        let mesh = || {
            let mesh_cut = MeshCut::of(&wanted.prop, &assets, crowd.count);
            RasterMesh::new(context, &wanted.prop, mesh_cut, None)
        };
        let drawn = DrawParts {
            assets: &assets,
            crowd: &crowd,
        };
        let draw_lists = selects.map(|view_set| CrowdDrawLists::new(context, drawn, DRAW_LIST_CARRIED, view_set, mesh));
        let mut own = Self {
            prop: wanted.prop.clone(),
            draw_lists: draw_lists.transpose()?.flatten(),
            assets: Arc::new(assets),
            crowd,
            variant,
            carriers: wanted.carriers.iter().map(|c| c.len() as u32).collect(),
            parts: Vec::new(),
        };
        own.bind(context, owners);
        Ok(own)
    }

    /// Binds the owners' current buffers: those of heroes' palettes may have been replaced.
    pub(crate) fn bind<'a>(&mut self, context: &RenderContext, owners: impl Iterator<Item = DrawParts<'a>>) {
        let mut first = 0;
        self.parts.clear();
        for (&count, owner) in self.carriers.iter().zip(owners) {
            if count > 0 {
                let group = part(context, owner, &self.crowd, first, count);
                self.parts.push((group, count));
            }
            first += count;
        }
    }
}

fn part(
    context: &RenderContext,
    owner: DrawParts<'_>,
    props: &CrowdInstances,
    first: u32,
    count: u32,
) -> wgpu::BindGroup {
    let DrawParts {
        assets: owner,
        crowd: owners,
    } = owner;
    let counts = AttachmentCounts {
        first,
        count,
        socket_count: owner.sockets.count,
        frame_count: owner.sockets.frames,
        actors: u32::from(owners.actors.is_some()),
        ..AttachmentCounts::default()
    };
    let usage = wgpu::BufferUsages::UNIFORM;
    let counts = buffer_with(&context.gpu, "attachment counts", bytemuck::bytes_of(&counts), usage);
    // Without heroes no owner is marked as one, and this placeholder is never read.
    let runs = owners.hero_runs.as_ref().unwrap_or(&owners.posed);
    let rows = [
        (0, counts.as_entire_binding()),
        (1, owner.sockets.rows.as_entire_binding()),
        (2, owners.posed.as_entire_binding()),
        (3, props.list.as_entire_binding()),
        (4, props.posed.as_entire_binding()),
        (5, runs.as_entire_binding()),
    ];
    bind_group(&context.gpu, "attachments", &context.layouts.attachments, &rows)
}

/// Transforms `model_from_socket` of every frame and socket of a character, in full precision.
pub(crate) struct SocketTracks {
    pub(crate) rows: wgpu::Buffer,
    /// Number of sockets.
    pub(crate) count: u32,
    /// Frames of all clips; 1 for characters that are drawn in their rest pose.
    pub(crate) frames: u32,
}

impl SocketTracks {
    pub(crate) fn upload(gpu: &Gpu, character: &Character, technique: Technique) -> Self {
        let sockets = &character.model.skeleton.sockets;
        let mut rows: Vec<[[f32; 4]; 3]> = Vec::new();
        let still = technique.facts().source == AnimationSource::RestPose;
        let frames = if still { 1 } else { character.palettes.frame_count };
        for frame in 0..frames {
            for socket in sockets {
                // Drawn without skinning, vertices stay where the mesh has them.
                let slot = if still {
                    Affine3A::IDENTITY
                } else {
                    character.slot_matrix(frame, socket.slot as usize)
                };
                let model = slot * Affine3A::from_mat4(socket.mesh_from_socket);
                rows.push(super::live::to_rows(model));
            }
        }
        let rows = buffer_with(gpu, "sockets", bytemuck::cast_slice(&rows), wgpu::BufferUsages::STORAGE);
        Self {
            rows,
            count: sockets.len() as u32,
            frames: frames as u32,
        }
    }
}
