//! Buffers of the rasteriser in compute: those of a mesh, and those of a picture.

use crate::{
    character::Character,
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        Layouts,
        passes::{
            bins::{ARGUMENT_WORDS, BIN_LEVELS, Bins, FAR_BINS},
            raster::{
                RasterRow, RasterUniforms,
                meshlets::{Meshlets, RasterLevel},
                resolve::TILE,
                slots::{DISPATCH_WORDS, SlotUniforms},
            },
        },
        resources::{CharacterAssets, all_indices, instances::bind_group},
    },
};

/// A mesh in meshlets, with its levels.
#[derive(Clone)]
pub(crate) struct RasterMesh {
    meshlets: wgpu::Buffer,
    levels: Vec<RasterLevel>,
}

impl RasterMesh {
    /// # Errors
    /// [`GpuError::TooLarge`] for a mesh larger than the device can bind.
    pub(crate) fn new(gpu: &Gpu, character: &Character, assets: &CharacterAssets) -> Result<Self, GpuError> {
        let indices = all_indices(character, assets.method.technique);
        let Meshlets { words, levels } = Meshlets::of(&indices, &assets.levels);
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let what = format!("the meshlets of {}", assets.name);
        gpu.check_storage(&what, bytes.len() as u64, "use --raster hardware")?;
        Ok(Self {
            meshlets: buffer_with(gpu, "meshlets", bytes, wgpu::BufferUsages::STORAGE),
            levels,
        })
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.meshlets.size()
    }
}

/// Everything that is made for a picture's size and what is drawn in it.
pub(crate) struct RasterFrame {
    size: (u32, u32),
    words: wgpu::Buffer,
    /// Of the hardware's draws of the far phase: what is left of them.
    pub(crate) far_arguments: wgpu::Buffer,
    pub(super) dispatches: wgpu::Buffer,
    pub(super) slots: wgpu::BindGroup,
    pub(super) meet: wgpu::BindGroup,
    pub(super) draws: Vec<RasterDraw>,
    bytes: u64,
}

/// One character's people, or one kind of attachment.
pub(super) struct RasterDraw {
    /// Arguments of its draws as its bins have them.
    arguments: wgpu::Buffer,
    pub(super) rasterise: wgpu::BindGroup,
    pub(super) resolve: wgpu::BindGroup,
}

/// Bytes of the arguments of the far phase of a draw.
const FAR_BYTES: u64 = 4 * (ARGUMENT_WORDS * BIN_LEVELS) as u64;
/// Where they begin in those of its bins.
const FAR_OFFSET: u64 = 4 * (ARGUMENT_WORDS * FAR_BINS) as u64;

/// What a draw brings.
pub(crate) type Rastered<'a> = (&'a Bins, &'a RasterMesh);

impl RasterFrame {
    /// # Errors
    /// [`GpuError::TooLarge`] for a picture of more samples than the device can bind, [`GpuError::Memory`].
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        (size, samples): ((u32, u32), u32),
        drawn: &[Rastered<'_>],
    ) -> Result<Self, GpuError> {
        let bytes = 8 * u64::from(size.0) * u64::from(size.1) * u64::from(samples);
        let what = format!("rasterising {} x {} pixels in compute", size.0, size.1);
        let remedy = "use --raster hardware or a smaller --size";
        gpu.check_storage(&what, bytes, remedy)?;
        gpu.fitting(&what, remedy, || {
            Self::made(gpu, layouts, (size, samples, bytes), drawn)
        })
    }

    fn made(
        gpu: &Gpu,
        layouts: &Layouts,
        (size, samples, bytes): ((u32, u32), u32, u64),
        drawn: &[Rastered<'_>],
    ) -> Self {
        let (storage, copied) = (wgpu::BufferUsages::STORAGE, wgpu::BufferUsages::COPY_DST);
        let make = |label, size: u64, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: size.max(32),
                usage,
                mapped_at_creation: false,
            })
        };
        let count = drawn.len() as u64;
        let levels = u64::from(BIN_LEVELS);
        let words = make("raster words", bytes, storage | copied);
        let colors = make("raster colors", bytes, storage);
        let indirect = storage | wgpu::BufferUsages::INDIRECT;
        let far_arguments = make("far arguments", FAR_BYTES * count, indirect | copied);
        let dispatches = make("raster dispatches", 4 * u64::from(DISPATCH_WORDS) * count, indirect);
        let rows = make("raster rows", size_of::<RasterRow>() as u64 * levels * count, storage);
        let uniforms = |first_row| {
            let uniforms = RasterUniforms {
                size: size.into(),
                samples,
                first_row,
            };
            let bytes = bytemuck::bytes_of(&uniforms);
            buffer_with(gpu, "raster", bytes, wgpu::BufferUsages::UNIFORM)
        };
        let draws = drawn.iter().zip(0..).map(|((bins, mesh), number)| {
            let uniforms = uniforms(number * BIN_LEVELS);
            let read = [
                (0, uniforms.as_entire_binding()),
                (1, rows.as_entire_binding()),
                (2, bins.ids().as_entire_binding()),
                (3, mesh.meshlets.as_entire_binding()),
                (4, words.as_entire_binding()),
            ];
            let colored = [&read[..], &[(5, colors.as_entire_binding())]].concat();
            RasterDraw {
                arguments: bins.arguments().clone(),
                rasterise: bind_group(gpu, "rasterise", &layouts.rasterise, &read),
                resolve: bind_group(gpu, "resolve", &layouts.resolve, &colored),
            }
        });
        let whole = uniforms(0);
        let met = [
            (0, whole.as_entire_binding()),
            (1, words.as_entire_binding()),
            (2, colors.as_entire_binding()),
        ];
        let buffers = [&far_arguments, &rows, &dispatches];
        Self {
            size,
            draws: draws.collect(),
            meet: bind_group(gpu, "meet", &layouts.meet, &met),
            slots: slots_group(gpu, layouts, (size, drawn), buffers),
            bytes: [&words, &colors]
                .into_iter()
                .chain(buffers)
                .map(wgpu::Buffer::size)
                .sum(),
            words,
            far_arguments,
            dispatches,
        }
    }

    /// Whether it was made for a picture of this size with these draws.
    pub(crate) fn is_of(&self, size: (u32, u32), drawn: &[Rastered<'_>]) -> bool {
        let arguments = self.draws.iter().map(|draw| &draw.arguments);
        self.size == size && arguments.eq(drawn.iter().map(|(bins, _)| bins.arguments()))
    }

    /// Where the arguments of a draw's far phase are in those that are left of all, if it is one of these.
    pub(crate) fn offset_of(&self, bins: &Bins) -> Option<u64> {
        let number = self.draws.iter().position(|draw| draw.arguments == *bins.arguments())?;
        Some(FAR_BYTES * number as u64)
    }

    /// An empty picture, and the arguments of the far phase as they are now.
    pub(crate) fn begin(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.words, 0, None);
        for (number, draw) in self.draws.iter().enumerate() {
            let to = FAR_BYTES * number as u64;
            encoder.copy_buffer_to_buffer(&draw.arguments, FAR_OFFSET, &self.far_arguments, to, FAR_BYTES);
        }
    }

    /// GPU bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

fn slots_group(
    gpu: &Gpu,
    layouts: &Layouts,
    (size, drawn): ((u32, u32), &[Rastered<'_>]),
    [far_arguments, rows, dispatches]: [&wgpu::Buffer; 3],
) -> wgpu::BindGroup {
    let uniforms = SlotUniforms {
        draw_count: drawn.len() as u32,
        across: size.0.div_ceil(TILE),
        down: size.1.div_ceil(TILE),
        pad: 0,
    };
    let levels: Vec<RasterLevel> = drawn.iter().flat_map(|(bins, mesh)| levels_of(bins, mesh)).collect();
    let uniforms = buffer_with(gpu, "slots", bytemuck::bytes_of(&uniforms), wgpu::BufferUsages::UNIFORM);
    let levels = buffer_with(
        gpu,
        "raster levels",
        bytemuck::cast_slice(&levels),
        wgpu::BufferUsages::STORAGE,
    );
    let rows = [
        (0, uniforms.as_entire_binding()),
        (1, levels.as_entire_binding()),
        (2, far_arguments.as_entire_binding()),
        (3, rows.as_entire_binding()),
        (4, dispatches.as_entire_binding()),
    ];
    bind_group(gpu, "slots", &layouts.slots, &rows)
}

/// As many as there may be; those that there are not have no meshlets.
fn levels_of(bins: &Bins, mesh: &RasterMesh) -> impl Iterator<Item = RasterLevel> {
    let levels = mesh
        .levels
        .iter()
        .copied()
        .chain(std::iter::repeat(RasterLevel::default()));
    levels.zip(0..BIN_LEVELS).map(|(level, number)| RasterLevel {
        people_per_group: level.people_per_group.max(1),
        own_list: (FAR_BINS + number) * bins.stride(),
        ..level
    })
}
