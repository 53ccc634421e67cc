//! Orthographic pictures of posed meshes and splats with many samples per pixel, stored as summed-area tables (Crow
//! 1984). One picture then gives coverage and light of pixels of any size and shift.

mod setup;
mod splats;

pub(super) use setup::sample_at;
pub(super) use splats::{Splats, normal_parts as splat_normal_parts};

use glam::{Vec3, Vec4};

use crate::{
    bake::{
        lods::raster::setup::Setup,
        lods::surface_color::{Patch, Point, Shader},
        skinning::SkinnedVertex,
    },
    model::Mesh,
};

/// Edge of the jitter pattern of samples, equal to the smallest pixel (samples).
pub(super) const PIXEL: usize = 8;
/// Fixed-point unit of coverage, and of a channel of full brightness.
const UNIT: f32 = 1024.0;

/// Orthographic view: direction, position and size of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Axes to the right, up and towards the viewer; unit length.
    pub axes: [Vec3; 3],
    /// Lower left corner along the first two axes (m).
    pub corner: [f32; 2],
    /// Samples per metre.
    pub scale: f32,
    /// Width and height (samples).
    pub size: [usize; 2],
}

impl Frame {
    /// View around points from an azimuth and an elevation (rad), with a margin of `margin` samples on every side.
    pub(super) fn around(points: &[Vec3], azimuth: f32, elevation: f32, scale: f32, margin: usize) -> Self {
        let towards = Vec3::new(
            azimuth.sin() * elevation.cos(),
            elevation.sin(),
            azimuth.cos() * elevation.cos(),
        );
        let right = Vec3::Y.cross(towards).normalize_or(Vec3::X);
        let axes = [right, towards.cross(right), towards];
        let reach = |axis: Vec3| {
            let along = points.iter().map(|p| p.dot(axis));
            along.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
        };
        let ends = [reach(axes[0]), reach(axes[1])];
        let room = margin as f32 / scale;
        let samples = |(min, max): (f32, f32)| {
            let length = ((max - min).max(0.0) + 2.0 * room) * scale;
            (length.min(LONGEST as f32) as usize).next_multiple_of(PIXEL)
        };
        Self {
            axes,
            corner: ends.map(|(min, _)| min - room),
            scale,
            size: ends.map(samples),
        }
    }

    /// Limits both edges to `longest` samples; everything farther out is cut off.
    pub(super) fn within(self, longest: usize) -> Self {
        Self {
            size: self.size.map(|edge| edge.min(longest)),
            ..self
        }
    }

    /// Projects a point: to the right and up (samples), and towards the viewer (m).
    pub(super) fn project(&self, point: Vec3) -> Vec3 {
        let [right, up, towards] = self.axes.map(|axis| point.dot(axis));
        Vec3::new(
            (right - self.corner[0]) * self.scale,
            (up - self.corner[1]) * self.scale,
            towards,
        )
    }
}

/// Mesh or splats without a pose.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    pub mesh: &'a Mesh,
    /// Radius of each splat (m); empty for a mesh.
    pub radii: &'a [f32],
    /// Normal bias, as [`Lod::normal_bias`](crate::model::Lod::normal_bias).
    pub normal_bias: f32,
}

impl<'a> Form<'a> {
    /// Mesh without normal bias.
    pub(super) const fn mesh(mesh: &'a Mesh) -> Self {
        Self {
            mesh,
            radii: &[],
            normal_bias: 0.0,
        }
    }

    pub(super) const fn posed(self, vertices: &'a [SkinnedVertex]) -> PosedMesh<'a> {
        let Self {
            mesh,
            radii,
            normal_bias,
        } = self;
        PosedMesh {
            mesh,
            vertices,
            radii,
            normal_bias,
        }
    }
}

/// Mesh or splats in a pose.
#[derive(Clone, Copy)]
pub(super) struct PosedMesh<'a> {
    pub mesh: &'a Mesh,
    pub vertices: &'a [SkinnedVertex],
    /// Radius of each splat (m), as in [`Form`].
    pub radii: &'a [f32],
    /// Normal bias, as in [`Form`].
    pub normal_bias: f32,
}

impl<'a> PosedMesh<'a> {
    /// Mesh without normal bias in a pose.
    pub(super) const fn mesh(mesh: &'a Mesh, vertices: &'a [SkinnedVertex]) -> Self {
        Form::mesh(mesh).posed(vertices)
    }
}

/// Largest edge of a picture (samples); everything farther out is cut off.
const LONGEST: usize = 4096;

/// Render buffers that a thread reuses for all pictures.
#[derive(Default)]
pub(super) struct Canvas {
    depth: Vec<f32>,
    triangle: Vec<u32>,
}

/// Summed-area table of coverage and linear colour; rectangles begin at the lower left corner.
#[derive(Default)]
pub(super) struct SampledPicture {
    size: [usize; 2],
    sums: Vec<[u32; 4]>,
}

impl SampledPicture {
    /// Sums of coverage, linear red, green and blue over a square of samples (in samples); 0 outside the picture.
    pub(super) fn over(&self, at: [isize; 2], edge: isize) -> Vec4 {
        let [x, y] = at;
        let row = self.size[0] + 1;
        let [left, right] = [x, x + edge].map(|x| x.clamp(0, self.size[0] as isize) as usize);
        let [low, high] = [y, y + edge].map(|y| y.clamp(0, self.size[1] as isize) as usize * row);
        let [a, b, c, d] = [low + left, low + right, high + left, high + right].map(|i| self.sums[i]);
        // The sums wrap around; their differences do not.
        let between = |k: usize| d[k].wrapping_sub(c[k]).wrapping_sub(b[k].wrapping_sub(a[k]));
        Vec4::from_array(std::array::from_fn(|k| between(k) as f32)) / UNIT
    }
}

impl Canvas {
    /// Triangle, or splat, of every sample; `u32::MAX` where nothing is.
    pub(super) fn shown(&self) -> &[u32] {
        &self.triangle
    }

    /// Triangle, or splat, of every covered sample.
    pub(super) fn visible(&self) -> impl Iterator<Item = u32> {
        self.triangle.iter().copied().filter(|&t| t != u32::MAX)
    }

    /// Every covered sample of a mesh, and its material.
    pub(super) fn materials(&self, mesh: &Mesh) -> impl Iterator<Item = (usize, usize)> {
        let material = |(sample, &triangle): (usize, &u32)| {
            let first = *mesh.indices.get(3 * triangle as usize)?;
            Some((sample, usize::from(mesh.vertices[first as usize].material)))
        };
        self.triangle.iter().enumerate().filter_map(material)
    }
}

/// Renders a mesh or splats into a picture.
pub(super) fn draw(
    posed: PosedMesh<'_>,
    shader: &Shader<'_>,
    frame: &Frame,
    canvas: &mut Canvas,
    picture: &mut SampledPicture,
) {
    let projected = cover(posed, shader, frame, canvas);
    let samples = Samples {
        shown: &canvas.triangle,
        projected: &projected,
    };
    shade(posed, shader, frame, samples, |shown, color| {
        add_up(frame, shown, picture, color)
    });
}

/// Triangle or splat of every sample of a picture. It depends on positions alone.
pub(super) struct Covered {
    canvas: Canvas,
    projected: Vec<Vec3>,
}

impl Covered {
    /// Rasterises a mesh or splats.
    pub(super) fn new(posed: PosedMesh<'_>, shader: &Shader<'_>, frame: &Frame) -> Self {
        let mut canvas = Canvas::default();
        let projected = cover(posed, shader, frame, &mut canvas);
        Self { canvas, projected }
    }

    /// Calls `visit` with every covered sample, its triangle and its linear colour, row by row.
    pub(super) fn each_shaded(
        &self,
        posed: PosedMesh<'_>,
        shader: &Shader<'_>,
        frame: &Frame,
        mut visit: impl FnMut(u32, Vec3),
    ) {
        let width = frame.size[0];
        let samples = Samples {
            shown: &self.canvas.triangle,
            projected: &self.projected,
        };
        shade(posed, shader, frame, samples, |shown, color| {
            let mut colors = PairedColors::new(color);
            for (sample, &index) in shown.iter().enumerate().filter(|(_, index)| **index != u32::MAX) {
                visit(index, colors.at(index, sample % width, sample / width));
            }
        });
    }
}

/// Linear colour of a triangle or splat, by its index and a position in the picture.
type ColorAt<'a> = &'a mut dyn FnMut(u32, [f32; 2]) -> Vec3;

/// Colours of samples, row by row: two neighbours that show one triangle are shaded once.
struct PairedColors<'a> {
    color: ColorAt<'a>,
    /// Triangle, pair and colour of the last sample.
    last: (u32, [usize; 2], Vec3),
}

impl<'a> PairedColors<'a> {
    fn new(color: ColorAt<'a>) -> Self {
        Self {
            color,
            last: (u32::MAX, [0; 2], Vec3::ZERO),
        }
    }

    fn at(&mut self, index: u32, x: usize, y: usize) -> Vec3 {
        let pair = [x / 2, y];
        if self.last.0 != index || self.last.1 != pair {
            self.last = (index, pair, (self.color)(index, sample_at(x, y)));
        }
        self.last.2
    }
}

/// Triangle or splat of every sample, and the projected vertices: what [`cover`] finds.
struct Samples<'a> {
    shown: &'a [u32],
    projected: &'a [Vec3],
}

/// Calls `each` with the triangle or splat of every sample and what colours them.
fn shade(
    posed: PosedMesh<'_>,
    shader: &Shader<'_>,
    frame: &Frame,
    samples: Samples<'_>,
    each: impl FnOnce(&[u32], ColorAt<'_>),
) {
    let Samples { shown, projected } = samples;
    if !posed.radii.is_empty() {
        let splats = Splats::new(posed, projected, shader, frame);
        each(shown, &mut |index, at| splats.color(shader, index, at));
        return;
    }
    let (triangles, _) = posed.mesh.indices.as_chunks::<3>();
    // Each triangle is set up once, however many samples show it.
    let mut patch_of = vec![u32::MAX; triangles.len()];
    let mut patches: Vec<(Setup, Patch<'_>)> = Vec::new();
    let towards = frame.axes[2];
    let sun = shader.viewed_sun(towards);
    each(shown, &mut |index, at| {
        let patch = &mut patch_of[index as usize];
        if *patch == u32::MAX {
            let triangle = &triangles[index as usize];
            let setup = Setup::new(triangle.map(|i| projected[i as usize]), true).unwrap_or_default();
            *patch = patches.len() as u32;
            patches.push((setup, shader.patch(posed, triangle)));
        }
        let (setup, patch) = &patches[*patch as usize];
        shader.point(patch, setup.shares(at), towards).under_viewed(&sun)
    });
}

/// Z-buffer: finds the nearest triangle or splat at every sample. Returns the projected vertices.
pub(super) fn cover(posed: PosedMesh<'_>, shader: &Shader<'_>, frame: &Frame, canvas: &mut Canvas) -> Vec<Vec3> {
    let [width, height] = frame.size;
    canvas.depth.clear();
    canvas.depth.resize(width * height, f32::NEG_INFINITY);
    canvas.triangle.clear();
    canvas.triangle.resize(width * height, u32::MAX);
    let projected: Vec<Vec3> = posed.vertices.iter().map(|v| frame.project(v.position)).collect();
    if !posed.radii.is_empty() {
        splats::cover(posed, &projected, frame, canvas);
        return projected;
    }
    let mesh = posed.mesh;
    for (index, triangle) in mesh.indices.as_chunks::<3>().0.iter().enumerate() {
        let corners = triangle.map(|i| projected[i as usize]);
        let Some(setup) = Setup::new(corners, shader.is_two_sided) else {
            continue;
        };
        if shader.has_holes(mesh, triangle) {
            setup.each_nearer(frame.size, canvas, index as u32, |shares| {
                !shader.is_hole(mesh, triangle, shares)
            });
        } else {
            setup.each_nearer(frame.size, canvas, index as u32, |_| true);
        }
    }
    projected
}

/// Surface at a covered sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoveredSurface {
    /// Triangle, or splat, by its position in the index list.
    pub triangle: u32,
    /// Barycentric coordinates; for splats the offset from the centre to the right and up (radii).
    pub shares: Vec3,
}

/// Surfaces at the samples of a picture, each computed on demand.
pub(super) struct SurfaceSamples<'a> {
    posed: PosedMesh<'a>,
    projected: Vec<Vec3>,
    frame: &'a Frame,
    canvas: &'a Canvas,
}

impl<'a> SurfaceSamples<'a> {
    /// Renders a mesh or splats.
    pub(super) fn new(posed: PosedMesh<'a>, shader: &Shader<'_>, frame: &'a Frame, canvas: &'a mut Canvas) -> Self {
        let projected = cover(posed, shader, frame, canvas);
        Self {
            posed,
            projected,
            frame,
            canvas,
        }
    }

    /// Depth (m) towards the viewer; minus infinity where nothing is.
    pub(super) fn depth(&self, sample: usize) -> f32 {
        self.canvas.depth[sample]
    }

    /// Surface at a sample; samples are numbered row by row.
    pub(super) fn at(&self, sample: usize) -> Option<CoveredSurface> {
        let triangle = self.canvas.triangle[sample];
        let (triangles, _) = self.posed.mesh.indices.as_chunks::<3>();
        let corners = triangles.get(triangle as usize)?.map(|i| self.projected[i as usize]);
        let width = self.frame.size[0];
        let place = sample_at(sample % width, sample / width);
        Some(CoveredSurface {
            triangle,
            shares: match self.posed.radii.get(triangle as usize) {
                Some(radius) => splats::beside(corners[0], radius * self.frame.scale, place),
                None => Setup::new(corners, true)?.shares(place),
            },
        })
    }

    /// Surfaces of all samples, row by row.
    pub(super) fn each(&self) -> impl Iterator<Item = Option<CoveredSurface>> {
        (0..self.canvas.triangle.len()).map(|sample| self.at(sample))
    }
}

/// Surface points of a picture, before lighting. Neighbours mostly show one triangle, which is prepared once for them.
pub(super) struct SurfacePoints<'a> {
    posed: PosedMesh<'a>,
    shader: &'a Shader<'a>,
    axes: [Vec3; 3],
    /// Triangle of the last point.
    last: Option<(u32, Patch<'a>)>,
}

impl<'a> SurfacePoints<'a> {
    pub(super) const fn new(posed: PosedMesh<'a>, shader: &'a Shader<'a>, axes: [Vec3; 3]) -> Self {
        Self {
            posed,
            shader,
            axes,
            last: None,
        }
    }

    /// Surface point of a covered sample.
    pub(super) fn at(&mut self, shown: &CoveredSurface) -> Point {
        let Self {
            posed, shader, axes, ..
        } = *self;
        let (triangles, _) = posed.mesh.indices.as_chunks::<3>();
        let triangle = &triangles[shown.triangle as usize];
        let known = self.last.take().filter(|(index, _)| *index == shown.triangle);
        let (_, patch) = self
            .last
            .insert(known.unwrap_or_else(|| (shown.triangle, shader.patch(posed, triangle))));
        if posed.radii.is_empty() {
            return shader.point(patch, shown.shares, axes[2]);
        }
        let normal = splats::normal_at(posed.vertices[triangle[0] as usize].normal, shown.shares, axes);
        shader.splat_point(patch, normal, axes[2])
    }
}

/// Shades every covered sample and builds the summed-area table. `color` returns the linear colour of a triangle or
/// splat at a position.
fn add_up(frame: &Frame, shown: &[u32], picture: &mut SampledPicture, color: ColorAt<'_>) {
    let [width, height] = frame.size;
    let mut colors = PairedColors::new(color);
    picture.size = frame.size;
    // The loops below write all but the first row and column.
    picture.sums.resize((width + 1) * (height + 1), [0; 4]);
    picture.sums[..=width].fill([0; 4]);
    for y in 0..height {
        let mut row = [0_u32; 4];
        picture.sums[(y + 1) * (width + 1)] = [0; 4];
        let (before, here) = picture.sums.split_at_mut((y + 1) * (width + 1));
        let below = &before[y * (width + 1) + 1..];
        let shown = &shown[y * width..(y + 1) * width];
        for (x, ((&index, below), here)) in shown.iter().zip(below).zip(&mut here[1..=width]).enumerate() {
            if index != u32::MAX {
                let color = colors.at(index, x, y);
                row[0] += UNIT as u32;
                row[1] = row[1].wrapping_add(counted(color.x));
                row[2] = row[2].wrapping_add(counted(color.y));
                row[3] = row[3].wrapping_add(counted(color.z));
            }
            here[0] = below[0].wrapping_add(row[0]);
            here[1] = below[1].wrapping_add(row[1]);
            here[2] = below[2].wrapping_add(row[2]);
            here[3] = below[3].wrapping_add(row[3]);
        }
    }
}

/// Fixed-point value of a channel.
fn counted(channel: f32) -> u32 {
    (channel.clamp(0.0, 2.0) * UNIT + 0.5) as u32
}
