//! Lists of several crowds and views in the same buffers, one behind another: so that one dispatch takes a step of them
//! all.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{Gpu, buffer_with},
    render::{
        Layouts,
        passes::draw_lists::{ARGUMENT_BYTES, DRAW_LISTS, DrawListRow, DrawLists, Wanted},
        resources::instances::bind_group,
    },
};

/// `DrawListViews` in shaders/shared/draw_lists.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct DrawListViews {
    /// First list of the first view.
    pub first_list: u32,
    /// From one view's list to the next.
    pub list_step: u32,
    /// 1: people, whose shadows add up on the ground.
    pub casts: u32,
    /// Unused.
    pub pad_a: u32,
}

/// A crowd, or its lists, by view.
#[derive(Clone, Debug)]
pub(crate) struct Views<T> {
    /// The camera's.
    pub(crate) camera: Option<T>,
    /// The sun's, where there are shadows.
    pub(crate) sun: Option<T>,
}

/// Some lists, those for the camera first: a handle, equal to those of the same buffers.
#[derive(Clone)]
pub(crate) struct DrawListSet(Arc<Made>);

struct Made {
    lists: Vec<DrawListRow>,
    /// Number of camera lists among them.
    camera_lists: usize,
    buffers: DrawListBuffers,
    seen: Vec<Seen>,
    group: wgpu::BindGroup,
}

/// Buffers that all lists of a set share.
pub(crate) struct DrawListBuffers {
    /// Totals by list, as selected, then as occlusion culling left them.
    pub(crate) totals: wgpu::Buffer,
    /// The lists.
    pub(crate) ids: wgpu::Buffer,
    /// Arguments of the indirect draws.
    pub(crate) arguments: wgpu::Buffer,
}

/// Bind groups of one crowd for the steps that read people.
pub(crate) struct Seen {
    pub(super) group: wgpu::BindGroup,
    /// Workgroups of each view.
    pub(super) blocks: u32,
    /// Views with the camera alone, and with the sun.
    pub(super) views: [u32; 2],
}

impl PartialEq for DrawListSet {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl DrawListSet {
    /// Makes lists of some crowds in sets, as few as device and crowds allow.
    pub(crate) fn all(gpu: &Gpu, layouts: &Layouts, crowds: Vec<Views<Wanted>>) -> Vec<Views<DrawLists>> {
        let limits = &gpu.limits;
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
        let mut made = Vec::with_capacity(crowds.len());
        let mut run_parallel = Vec::new();
        let mut entries = 0;
        for crowd in crowds {
            let own = crowd.entries();
            let amodal = crowd.keeps_keys() || own > most;
            if amodal || entries + own > most {
                made.extend(Self::of(gpu, layouts, std::mem::take(&mut run_parallel)));
                entries = 0;
            }
            if amodal {
                made.push(Self::apart(gpu, layouts, crowd));
            } else {
                run_parallel.push(crowd);
                entries += own;
            }
        }
        made.extend(Self::of(gpu, layouts, run_parallel));
        made
    }

    /// Each list in a set of its own.
    fn apart(gpu: &Gpu, layouts: &Layouts, Views { camera, sun }: Views<Wanted>) -> Views<DrawLists> {
        let [camera, sun] = [(camera, None), (None, sun)].map(|(camera, sun)| {
            let mut made = Self::of(gpu, layouts, vec![Views { camera, sun }]);
            made.pop()
        });
        Views {
            camera: camera.and_then(|made| made.camera),
            sun: sun.and_then(|made| made.sun),
        }
    }

    fn of(gpu: &Gpu, layouts: &Layouts, crowds: Vec<Views<Wanted>>) -> Vec<Views<DrawLists>> {
        let camera = crowds.iter().filter_map(|crowd| crowd.camera.as_ref());
        let sun = crowds.iter().filter_map(|crowd| crowd.sun.as_ref());
        let camera_lists = camera.clone().count();
        let wanted: Vec<&Wanted> = camera.chain(sun).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let set = Self(Arc::new(Made::new((gpu, layouts), &crowds, (&wanted, camera_lists))));
        let mut numbers = [0, camera_lists as u32];
        let mut placed = |view: usize, wanted: Option<Wanted>| {
            let wanted = wanted?;
            let number = numbers[view];
            numbers[view] += 1;
            let set = set.clone();
            Some(DrawLists { wanted, set, number })
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

    /// All of them, in their order.
    pub(crate) fn lists(&self) -> &[DrawListRow] {
        &self.0.lists
    }

    /// Camera lists: the first of the set.
    pub(crate) fn camera_lists(&self) -> &[DrawListRow] {
        &self.0.lists[..self.0.camera_lists]
    }

    /// Lists that are filled, with or without those of the shadow map.
    pub(super) fn filled(&self, shadows: bool) -> &[DrawListRow] {
        if shadows { self.lists() } else { self.camera_lists() }
    }

    /// Read by scan and scatter.
    pub(super) fn group(&self) -> &wgpu::BindGroup {
        &self.0.group
    }

    /// Bind groups by crowd.
    pub(super) fn seen(&self) -> &[Seen] {
        &self.0.seen
    }
}

impl Views<Wanted> {
    fn all(&self) -> impl Iterator<Item = &Wanted> {
        self.camera.iter().chain(&self.sun)
    }

    fn entries(&self) -> u64 {
        self.all().map(Wanted::entries).sum()
    }

    fn keeps_keys(&self) -> bool {
        self.all().any(|wanted| wanted.keys.is_some())
    }
}

impl Made {
    fn new(
        (gpu, layouts): (&Gpu, &Layouts),
        crowds: &[Views<Wanted>],
        (wanted, camera_lists): (&[&Wanted], usize),
    ) -> Self {
        let mut next = DrawListRow::default();
        let mut lists = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            lists.push(DrawListRow {
                first_block: next.first_block,
                first_key: next.first_key,
                first_id: next.first_id,
                ..wanted.list
            });
            next.first_block += wanted.list.blocks;
            next.first_key += wanted.list.count;
            next.first_id += wanted.entries() as u32;
        }
        let storage = wgpu::BufferUsages::STORAGE;
        let make = |label, bytes: u64, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes.max(4),
                usage,
                mapped_at_creation: false,
            })
        };
        let rows = buffer_with(gpu, "bin lists", bytemuck::cast_slice(&lists), storage);
        let kept = wanted.iter().find_map(|wanted| wanted.keys.clone());
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
        let seen = crowds.iter().map(|crowd| {
            let own = numbers;
            numbers[0] += u32::from(crowd.camera.is_some());
            numbers[1] += u32::from(crowd.sun.is_some());
            Seen::new((gpu, layouts), crowd, own, &shared)
        });
        Self {
            seen: seen.collect(),
            group: bind_group(
                gpu,
                "draw_lists",
                &layouts.draw_lists,
                &[&shared[..], &written].concat(),
            ),
            lists,
            camera_lists,
            buffers,
        }
    }
}

impl Seen {
    /// Bind groups of a crowd whose lists have these numbers.
    fn new(
        (gpu, layouts): (&Gpu, &Layouts),
        crowd: &Views<Wanted>,
        [camera, sun]: [u32; 2],
        shared: &[(u32, wgpu::BindingResource<'_>)],
    ) -> Self {
        let views = DrawListViews {
            first_list: if crowd.camera.is_some() { camera } else { sun },
            list_step: sun - camera,
            casts: u32::from(crowd.camera.as_ref().is_some_and(|wanted| wanted.list.is_of_people())),
            pad_a: 0,
        };
        let views = buffer_with(
            gpu,
            "bin views",
            bytemuck::bytes_of(&views),
            wgpu::BufferUsages::UNIFORM,
        );
        let people = crowd.all().next();
        let mut rows = vec![(0, views.as_entire_binding())];
        rows.extend(people.iter().flat_map(|people| {
            let [posed, bounds] = [&people.posed, &people.bounds].map(wgpu::Buffer::as_entire_binding);
            [(1, posed), (2, bounds)]
        }));
        rows.extend_from_slice(shared);
        let camera = u32::from(crowd.camera.is_some());
        Self {
            group: bind_group(gpu, "seen people", &layouts.seen, &rows),
            blocks: people.map_or(0, |people| people.list.blocks),
            views: [camera, camera + u32::from(crowd.sun.is_some())],
        }
    }
}
