//! Sets of draw lists of several crowds and views, one after another in the same buffers. One dispatch runs a step for
//! all.

use std::sync::Arc;

use crate::{
    gpu::buffer_with,
    render::{
        RenderContext,
        passes::draw_lists::{ARGUMENT_BYTES, DRAW_LISTS, DrawListRequest, DrawListRow, DrawLists},
        resources::instances::bind_group,
    },
};

shader_struct!(DrawListViews);

/// Value for each view: the camera's and the shadow map's.
#[derive(Clone, Debug)]
pub(crate) struct Views<T> {
    /// Value of the camera.
    pub(crate) camera: Option<T>,
    /// Value of the shadow view, if there are shadows.
    pub(crate) sun: Option<T>,
}

/// Handle to a set of lists, those of the camera first. Handles to the same buffers are equal.
#[derive(Clone)]
pub(crate) struct DrawListSet(Arc<DrawListSetData>);

struct DrawListSetData {
    lists: Vec<DrawListRow>,
    /// Number of camera lists.
    camera_lists: usize,
    buffers: DrawListBuffers,
    crowd_visibility: Vec<CrowdVisibility>,
    group: wgpu::BindGroup,
}

/// Buffers that all lists of a set share.
pub(crate) struct DrawListBuffers {
    /// Totals of each draw list, as selected and as occlusion culling left them.
    pub(crate) totals: wgpu::Buffer,
    /// Entries of all lists.
    pub(crate) ids: wgpu::Buffer,
    /// Arguments of the indirect draws.
    pub(crate) arguments: wgpu::Buffer,
}

/// Bind group of one crowd for select and occlusion_cull, and the size of their dispatches.
pub(crate) struct CrowdVisibility {
    pub(super) group: wgpu::BindGroup,
    /// Workgroups of each view.
    pub(super) blocks: u32,
    /// Number of views, without and with the shadow view.
    pub(super) views: [u32; 2],
}

impl PartialEq for DrawListSet {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl DrawListSet {
    /// Puts the lists of several crowds into sets, as few as the device's binding limit allows. Crowds whose keys other
    /// passes read get sets of their own.
    pub(crate) fn all(context: &RenderContext, crowds: Vec<Views<DrawListRequest>>) -> Vec<Views<DrawLists>> {
        let limits = &context.gpu.limits;
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
        let mut made = Vec::with_capacity(crowds.len());
        let mut batch = Vec::new();
        let mut entries = 0;
        for crowd in crowds {
            let own = crowd.entries();
            let separate = crowd.keeps_keys() || own > most;
            if separate || entries + own > most {
                made.extend(Self::of(context, std::mem::take(&mut batch)));
                entries = 0;
            }
            if separate {
                made.push(Self::apart(context, crowd));
            } else {
                batch.push(crowd);
                entries += own;
            }
        }
        made.extend(Self::of(context, batch));
        made
    }

    /// Puts each list of a crowd into a set of its own.
    fn apart(context: &RenderContext, Views { camera, sun }: Views<DrawListRequest>) -> Views<DrawLists> {
        let [camera, sun] = [(camera, None), (None, sun)].map(|(camera, sun)| {
            let mut made = Self::of(context, vec![Views { camera, sun }]);
            made.pop()
        });
        Views {
            camera: camera.and_then(|made| made.camera),
            sun: sun.and_then(|made| made.sun),
        }
    }

    fn of(context: &RenderContext, crowds: Vec<Views<DrawListRequest>>) -> Vec<Views<DrawLists>> {
        let camera = crowds.iter().filter_map(|crowd| crowd.camera.as_ref());
        let sun = crowds.iter().filter_map(|crowd| crowd.sun.as_ref());
        let camera_lists = camera.clone().count();
        let request: Vec<&DrawListRequest> = camera.chain(sun).collect();
        if request.is_empty() {
            return Vec::new();
        }
        let set = Self(Arc::new(DrawListSetData::new(context, &crowds, &request, camera_lists)));
        let mut numbers = [0, camera_lists as u32];
        let mut placed = |view: usize, request: Option<DrawListRequest>| {
            let request = request?;
            let number = numbers[view];
            numbers[view] += 1;
            let set = set.clone();
            Some(DrawLists { request, set, number })
        };
        let crowds = crowds.into_iter();
        crowds
            .map(|crowd| Views {
                camera: placed(0, crowd.camera),
                sun: placed(1, crowd.sun),
            })
            .collect()
    }

    /// Buffers of the set.
    pub(crate) fn buffers(&self) -> &DrawListBuffers {
        &self.0.buffers
    }

    /// All lists, in order.
    pub(crate) fn lists(&self) -> &[DrawListRow] {
        &self.0.lists
    }

    /// Camera lists, the first ones of the set.
    pub(crate) fn camera_lists(&self) -> &[DrawListRow] {
        &self.0.lists[..self.0.camera_lists]
    }

    /// Lists that are filled, with or without those of the shadow map.
    pub(super) fn filled(&self, shadows: bool) -> &[DrawListRow] {
        if shadows { self.lists() } else { self.camera_lists() }
    }

    /// Bind group of scan and scatter.
    pub(super) fn group(&self) -> &wgpu::BindGroup {
        &self.0.group
    }

    /// Bind group and dispatch size of each crowd.
    pub(super) fn crowd_visibility(&self) -> &[CrowdVisibility] {
        &self.0.crowd_visibility
    }
}

impl Views<DrawListRequest> {
    fn all(&self) -> impl Iterator<Item = &DrawListRequest> {
        self.camera.iter().chain(&self.sun)
    }

    fn entries(&self) -> u64 {
        self.all().map(DrawListRequest::entries).sum()
    }

    fn keeps_keys(&self) -> bool {
        self.all().any(|request| request.keys.is_some())
    }
}

impl DrawListSetData {
    fn new(
        context: &RenderContext,
        crowds: &[Views<DrawListRequest>],
        request: &[&DrawListRequest],
        camera_lists: usize,
    ) -> Self {
        let mut next = DrawListRow::default();
        let mut lists = Vec::with_capacity(request.len());
        for request in request {
            lists.push(DrawListRow {
                first_block: next.first_block,
                first_key: next.first_key,
                first_id: next.first_id,
                ..request.list
            });
            next.first_block += request.list.blocks;
            next.first_key += request.list.count;
            next.first_id += request.entries() as u32;
        }
        let storage = wgpu::BufferUsages::STORAGE;
        let make = |label, bytes: u64, usage| {
            context.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes.max(4),
                usage,
                mapped_at_creation: false,
            })
        };
        let rows = buffer_with(&context.gpu, "bin lists", bytemuck::cast_slice(&lists), storage);
        let kept = request.iter().find_map(|request| request.keys.clone());
        let keys = kept.unwrap_or_else(|| make("bin keys", 4 * u64::from(next.first_key), storage));
        let counts = make(
            "bin counts",
            4 * u64::from(DRAW_LISTS) * u64::from(next.first_block),
            storage,
        );
        let draw_lists = u64::from(DRAW_LISTS) * lists.len() as u64;
        let read = storage | wgpu::BufferUsages::COPY_SRC;
        let buffers = DrawListBuffers {
            totals: make("bin totals", 8 * draw_lists, read),
            ids: make(
                "drawn people",
                4 * u64::from(next.first_id),
                read | wgpu::BufferUsages::VERTEX,
            ),
            arguments: make(
                "draw arguments",
                draw_lists * ARGUMENT_BYTES,
                read | wgpu::BufferUsages::INDIRECT,
            ),
        };
        let shared =
            [(3, &rows), (4, &keys), (5, &counts)].map(|(number, buffer)| (number, buffer.as_entire_binding()));
        let written = [
            (6, buffers.totals.as_entire_binding()),
            (7, buffers.ids.as_entire_binding()),
            (8, buffers.arguments.as_entire_binding()),
        ];
        let mut numbers = [0, camera_lists as u32];
        let crowd_visibility = crowds.iter().map(|crowd| {
            let own = numbers;
            numbers[0] += u32::from(crowd.camera.is_some());
            numbers[1] += u32::from(crowd.sun.is_some());
            CrowdVisibility::new(context, crowd, own[0], own[1], &shared)
        });
        Self {
            crowd_visibility: crowd_visibility.collect(),
            group: bind_group(
                &context.gpu,
                "draw_lists",
                &context.layouts.draw_lists,
                &[&shared[..], &written].concat(),
            ),
            lists,
            camera_lists,
            buffers,
        }
    }
}

impl CrowdVisibility {
    /// Makes the bind group of a crowd whose lists have these numbers.
    fn new(
        context: &RenderContext,
        crowd: &Views<DrawListRequest>,
        camera: u32,
        sun: u32,
        shared: &[(u32, wgpu::BindingResource<'_>)],
    ) -> Self {
        let views = DrawListViews {
            first_list: if crowd.camera.is_some() { camera } else { sun },
            list_step: sun - camera,
            casts: u32::from(crowd.camera.as_ref().is_some_and(|request| request.casts)),
            pad_a: 0,
        };
        let views = buffer_with(
            &context.gpu,
            "bin views",
            bytemuck::bytes_of(&views),
            wgpu::BufferUsages::UNIFORM,
        );
        let people = crowd.all().next();
        let mut rows = vec![(0, views.as_entire_binding())];
        rows.extend(people.iter().flat_map(|people| {
            let all = [&people.posed, &people.bounds, &people.thirds];
            let [posed, bounds, thirds] = all.map(wgpu::Buffer::as_entire_binding);
            [(1, posed), (2, bounds), (9, thirds)]
        }));
        rows.extend_from_slice(shared);
        let camera = u32::from(crowd.camera.is_some());
        Self {
            group: bind_group(&context.gpu, "seen people", &context.layouts.crowd_visibility, &rows),
            blocks: people.map_or(0, |people| people.list.blocks),
            views: [camera, camera + u32::from(crowd.sun.is_some())],
        }
    }
}
