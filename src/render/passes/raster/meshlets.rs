//! Meshlets: meshes cut into parts of at most 256 vertices, so that a byte indexes them.

use crate::render::resources::{DrawLod, Drawable};

/// Maximum vertices of a meshlet, and of all people who share a workgroup.
pub const MESHLET_VERTICES: u32 = 256;
/// Maximum triangles of a meshlet, and of all people who share a workgroup.
pub const MESHLET_TRIANGLES: u32 = 512;

/// Size of meshlets in LODs that have more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshletGranularity {
    /// Meshlets of half the size, for few people: those near the camera have to keep the whole GPU busy.
    Fine,
    /// Meshlets of full size, for many people: more vertices share the fixed cost of a workgroup.
    Coarse,
}

impl MeshletGranularity {
    /// Number of people from which on a draw is coarse. Measured with 400, which are faster with half the size, and
    /// 2,400, which are not (benches/README.md).
    const MANY: u32 = 1000;

    /// Granularity for a draw of so many people.
    #[must_use]
    pub const fn of(people: u32) -> Self {
        if people < Self::MANY { Self::Fine } else { Self::Coarse }
    }

    /// Maximum positions and triangles of a meshlet.
    const fn limits(self) -> MeshletLimits {
        let divisor = match self {
            Self::Fine => 2,
            Self::Coarse => 1,
        };
        MeshletLimits {
            places: MESHLET_VERTICES as usize / divisor,
            triangles: MESHLET_TRIANGLES as usize / divisor,
        }
    }
}

shader_struct!(RasterLod);

/// LODs of a character in meshlets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meshlets {
    /// Contents of `meshlet_words` in shaders/shared/raster.wgsl.
    pub words: Vec<u32>,
    /// LODs, the full mesh first.
    pub lods: Vec<RasterLod>,
    /// Vertices of all meshlets in order, one for each position: the vertex cache holds these.
    pub corners: Vec<u32>,
}

/// Largest meshlet.
#[derive(Clone, Copy)]
struct MeshletLimits {
    /// Number of positions.
    places: usize,
    /// Number of triangles.
    triangles: usize,
}

/// Triangle by its vertices and by their positions, which several vertices may share.
#[derive(Clone, Copy)]
struct MeshletTriangle {
    corners: [u32; 3],
    places: [u32; 3],
}

/// Triangles that share vertices.
#[derive(Default)]
struct Meshlet {
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// Vertices of each triangle for shading; several may share a position.
    surface: Vec<[u32; 3]>,
    /// Radii of splats (m), in place of triangles.
    radii: Vec<f32>,
}

/// Numbers of positions in the meshlet that grows, by position. A table: hashing took longer than all else in here.
struct PlaceNumbers {
    table: Vec<PlaceNumber>,
    /// Count of meshlets so far, so that a new one forgets all numbers at once.
    meshlet: u32,
}

/// Number of a position, if `meshlet` is the one that grows.
#[derive(Clone, Copy, Default)]
struct PlaceNumber {
    meshlet: u32,
    number: u32,
}

impl PlaceNumbers {
    /// Table for positions below `end`.
    fn new(end: usize) -> Self {
        Self {
            table: vec![PlaceNumber::default(); end],
            meshlet: 0,
        }
    }

    /// Begins a meshlet, in which no position has a number.
    fn begin(&mut self) {
        self.meshlet += 1;
    }

    /// Number of a position.
    fn of(&self, place: u32) -> Option<u32> {
        let entry = self.table[place as usize];
        (entry.meshlet == self.meshlet).then_some(entry.number)
    }

    /// Gives a position a number.
    fn set(&mut self, place: u32, number: u32) {
        let meshlet = self.meshlet;
        self.table[place as usize] = PlaceNumber { meshlet, number };
    }

    /// Number of different positions of some triangles. No position has a number afterwards.
    fn count(&mut self, triangles: &[MeshletTriangle]) -> usize {
        self.begin();
        let mut count = 0;
        for place in triangles.iter().flat_map(|triangle| triangle.places) {
            if self.of(place).is_none() {
                self.set(place, 0);
                count += 1;
            }
        }
        self.begin();
        count
    }
}

impl Meshlet {
    /// Adds a triangle; `numbers` are those of this meshlet. Returns false if that exceeded a limit.
    fn add(&mut self, triangle: MeshletTriangle, limits: MeshletLimits, numbers: &mut PlaceNumbers) -> bool {
        let MeshletTriangle { corners, places } = triangle;
        let [a, b, c] = places;
        let is_new = |place: u32| numbers.of(place).is_none();
        let new =
            usize::from(is_new(a)) + usize::from(is_new(b) && b != a) + usize::from(is_new(c) && c != a && c != b);
        if self.vertices.len() + new > limits.places || self.triangles.len() == limits.triangles {
            return false;
        }
        self.surface.push(corners);
        self.triangles.push(places.map(|place| {
            numbers.of(place).unwrap_or_else(|| {
                let number = self.vertices.len() as u32;
                self.vertices.push(place);
                numbers.set(place, number);
                number
            })
        }));
        true
    }
}

impl Meshlets {
    /// Cuts LODs into meshlets. Triangles keep their order, so that of equal depths the later still wins. Splat `k` of
    /// an LOD is around its vertex `k`.
    #[must_use]
    pub(crate) fn of(drawable: &Drawable, lods: &[DrawLod], cut: MeshletGranularity) -> Self {
        let Drawable { indices, places, radii } = drawable;
        let place_of = |vertex: u32| places.get(vertex as usize).copied().unwrap_or(vertex);
        let ends = indices.iter().map(|&vertex| vertex.max(place_of(vertex)) as usize + 1);
        let mut numbers = PlaceNumbers::new(ends.max().unwrap_or(0));
        let mut radii = &radii[..];
        let mut meshlets: Vec<Meshlet> = Vec::new();
        let mut rows = Vec::with_capacity(lods.len());
        for lod in lods {
            let first = meshlets.len();
            let range = lod.first_index as usize..(lod.first_index + lod.index_count) as usize;
            // Every splat keeps its own vertex, even if others share the position.
            let placed = |corners: &[u32; 3]| match lod.splats {
                true => MeshletTriangle {
                    corners: *corners,
                    places: *corners,
                },
                false => MeshletTriangle {
                    corners: *corners,
                    places: corners.map(place_of),
                },
            };
            let triangles: Vec<_> = { indices.get(range).unwrap_or_default().as_chunks().0.iter() }
                .map(placed)
                .collect();
            let limits = limits(&triangles, cut, &mut numbers);
            for triangle in triangles {
                let fits = meshlets[first..]
                    .last_mut()
                    .is_some_and(|last| last.add(triangle, limits, &mut numbers));
                if !fits {
                    numbers.begin();
                    let mut next = Meshlet::default();
                    next.add(triangle, limits, &mut numbers);
                    meshlets.push(next);
                }
            }
            if lod.splats {
                for meshlet in &mut meshlets[first..] {
                    let own;
                    (own, radii) = radii.split_at(meshlet.triangles.len().min(radii.len()));
                    meshlet.radii = own.to_vec();
                }
            }
            rows.push(RasterLod {
                first_meshlet: first as u32,
                meshlet_count: (meshlets.len() - first) as u32,
                people_per_group: people_per_group(&meshlets[first..]),
                own_list: 0,
                triangle_count: meshlets[first..].iter().map(|m| m.triangles.len() as u32).sum(),
                splats: u32::from(lod.splats),
                ..RasterLod::default()
            });
        }
        let words = words(&meshlets, &rows);
        for row in rows.iter_mut().filter(|row| row.meshlet_count > 0) {
            let head = &words[HEAD * row.first_meshlet as usize..][..HEAD];
            (row.first_word, row.counts, row.first_corner) = (head[0], head[1], head[2]);
        }
        Self {
            words,
            lods: rows,
            corners: meshlets.into_iter().flat_map(|meshlet| meshlet.vertices).collect(),
        }
    }
}

/// Limits of an LOD's meshlets: those of full size if one meshlet holds the LOD.
fn limits(triangles: &[MeshletTriangle], cut: MeshletGranularity, numbers: &mut PlaceNumbers) -> MeshletLimits {
    let whole = MeshletGranularity::Coarse.limits();
    if triangles.len() <= whole.triangles && numbers.count(triangles) <= whole.places {
        whole
    } else {
        cut.limits()
    }
}

fn people_per_group(meshlets: &[Meshlet]) -> u32 {
    match meshlets {
        [one] => {
            let vertices = MESHLET_VERTICES / (one.vertices.len() as u32).max(1);
            vertices
                .min(MESHLET_TRIANGLES / (one.triangles.len() as u32).max(1))
                .max(1)
        }
        _ => 1,
    }
}

/// Words of a meshlet's head.
const HEAD: usize = 4;

/// Packs the heads of all meshlets, then the data that they point to.
fn words(meshlets: &[Meshlet], lods: &[RasterLod]) -> Vec<u32> {
    let mut heads = Vec::with_capacity(HEAD * meshlets.len());
    let mut rest = Vec::new();
    let (mut corners, mut triangles) = (0, 0);
    for (meshlet, number) in meshlets.iter().zip(0..) {
        if lods.iter().any(|lod| lod.first_meshlet == number) {
            triangles = 0;
        }
        heads.push((HEAD * meshlets.len() + rest.len()) as u32);
        heads.push(meshlet.vertices.len() as u32 | (meshlet.triangles.len() as u32) << 16);
        heads.push(corners);
        heads.push(triangles);
        corners += meshlet.vertices.len() as u32;
        triangles += meshlet.triangles.len() as u32;
        rest.extend(&meshlet.vertices);
        match &meshlet.radii[..] {
            [] => rest.extend(meshlet.triangles.iter().map(|[a, b, c]| a | b << 8 | c << 16)),
            radii => rest.extend(radii.iter().map(|radius| radius.to_bits())),
        }
        rest.extend(meshlet.surface.as_flattened());
    }
    heads.extend(rest);
    heads
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lod(first_index: u32, index_count: u32) -> DrawLod {
        DrawLod {
            first_index,
            index_count,
            max_sample_rows: 1.0,
            splats: false,
        }
    }

    fn mesh(indices: &[u32], places: &[u32]) -> Drawable {
        Drawable {
            indices: indices.to_vec(),
            places: places.to_vec(),
            radii: Vec::new(),
        }
    }

    /// Triangles of an LOD, read as shaders read them: positions and vertices.
    fn triangles(meshlets: &Meshlets, lod: usize) -> Vec<[[u32; 3]; 2]> {
        let row = meshlets.lods[lod];
        let words = &meshlets.words;
        let of = |number: u32| {
            let [first, counts, corner, _] = words.as_chunks::<HEAD>().0[number as usize];
            let (first, vertices, count) = (first as usize, (counts & 0xffff) as usize, (counts >> 16) as usize);
            assert_eq!(
                words[first..][..vertices],
                meshlets.corners[corner as usize..][..vertices]
            );
            assert!(vertices <= MESHLET_VERTICES as usize && count <= MESHLET_TRIANGLES as usize);
            let corners = |word: u32| [0, 8, 16].map(|shift| words[first + (word >> shift & 255) as usize]);
            let places = words[first + vertices..][..count].iter().map(|&word| corners(word));
            let surface = words[first + vertices + count..][..3 * count].as_chunks().0;
            places
                .zip(surface)
                .map(|(places, &own)| [places, own])
                .collect::<Vec<_>>()
        };
        (row.first_meshlet..row.first_meshlet + row.meshlet_count)
            .flat_map(of)
            .collect()
    }

    /// Meshlet of an LOD's triangle, found as shaders find it.
    fn meshlet_with(meshlets: &Meshlets, lod: RasterLod, triangle: u32) -> u32 {
        let first_of = |number: u32| meshlets.words[HEAD * number as usize + 3];
        let mut found = lod.first_meshlet;
        let mut width = lod.meshlet_count.max(1);
        for _ in 0..u32::BITS - (width - 1).leading_zeros() {
            let half = width / 2;
            if first_of(found + half) <= triangle {
                found += half;
                width -= half;
            } else {
                width = half;
            }
        }
        found
    }

    proptest! {
        #[test]
        fn meshlet_search_finds_every_triangle(indices in prop::collection::vec(0..900_u32, 0..3000), end in 0..1000_u32, people in 0..2000_u32) {
            let whole = indices.len() as u32 / 3 * 3;
            let first = end.min(whole / 3) * 3;
            let lods = [lod(0, first), lod(first, whole - first)];
            let meshlets = Meshlets::of(&mesh(&indices, &[]), &lods, MeshletGranularity::of(people));
            for lod in &meshlets.lods {
                let counts = (lod.first_meshlet..lod.first_meshlet + lod.meshlet_count)
                    .flat_map(|number| vec![number; (meshlets.words[HEAD * number as usize + 1] >> 16) as usize]);
                let numbers: Vec<u32> = counts.collect();
                prop_assert_eq!(numbers.len() as u32, lod.triangle_count);
                for (triangle, number) in (0..).zip(numbers) {
                    prop_assert_eq!(meshlet_with(&meshlets, *lod, triangle), number);
                }
            }
        }

        #[test]
        fn meshlets_keep_each_triangle_once_and_in_order(
            indices in prop::collection::vec(0..900_u32, 0..3000),
            places in prop::collection::vec(0..900_u32, 900),
            end in 0..1000_u32,
            people in 0..2000_u32,
        ) {
            let whole = indices.len() as u32 / 3 * 3;
            let first = end.min(whole / 3) * 3;
            let lods = [lod(0, first), lod(first, whole - first)];
            let meshlets = Meshlets::of(&mesh(&indices, &places), &lods, MeshletGranularity::of(people));
            let with_places = |corners: &[u32; 3]| [corners.map(|vertex| places[vertex as usize]), *corners];
            let expected: Vec<_> = indices.as_chunks().0.iter().map(with_places).collect();
            prop_assert_eq!(&triangles(&meshlets, 0)[..], &expected[..first as usize / 3]);
            prop_assert_eq!(&triangles(&meshlets, 1)[..], &expected[first as usize / 3..]);
        }
    }

    #[test]
    fn splats_keep_their_order_and_their_radii() {
        // Splats come after a mesh; splat 70 shares a position with vertex 3.
        let splats = 64..364_u32;
        let mut drawable = mesh(&[0, 1, 2], &(0..364).collect::<Vec<_>>());
        drawable.places[70] = 3;
        drawable.indices.extend(splats.clone().flat_map(|vertex| [vertex; 3]));
        drawable.radii = splats.clone().map(|vertex| vertex as f32 / 7.0).collect();
        let lod = |first_index, index_count, splats| DrawLod {
            first_index,
            index_count,
            max_sample_rows: 1.0,
            splats,
        };
        let cut = Meshlets::of(
            &drawable,
            &[lod(0, 3, false), lod(3, 900, true)],
            MeshletGranularity::Fine,
        );
        let [mesh, row] = [cut.lods[0], cut.lods[1]];
        assert_eq!((mesh.splats, row.splats, row.triangle_count), (0, 1, 300));
        assert_eq!(row.people_per_group, 1);
        let heads = row.first_meshlet..row.first_meshlet + row.meshlet_count;
        let found: Vec<(u32, f32)> = heads
            .flat_map(|number| {
                let [first, counts, ..] = cut.words.as_chunks::<HEAD>().0[number as usize];
                let (count, first) = ((counts >> 16) as usize, first as usize);
                assert_eq!(count, (counts & 0xffff) as usize, "a vertex each");
                (0..count).map(move |splat| (first + splat, first + count + splat))
            })
            .map(|(vertex, radius)| (cut.words[vertex], f32::from_bits(cut.words[radius])))
            .collect();
        let expected: Vec<(u32, f32)> = splats.map(|vertex| (vertex, vertex as f32 / 7.0)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn small_lods_share_a_workgroup_and_large_ones_take_several() {
        let strip = |triangles: u32| -> Vec<u32> { (0..triangles).flat_map(|t| [t, t + 1, t + 2]).collect() };
        for (triangles, [fine, coarse], people) in [
            (1, [1, 1], 85),
            (58, [1, 1], 4),
            (62, [1, 1], 4),
            (63, [1, 1], 3),
            (126, [1, 1], 2),
            (127, [1, 1], 1),
            (254, [1, 1], 1),
            (255, [3, 2], 1),
            (508, [5, 2], 1),
            (509, [5, 3], 1),
        ] {
            for (cut, meshlets) in [
                (MeshletGranularity::of(400), fine),
                (MeshletGranularity::of(2400), coarse),
            ] {
                let found = Meshlets::of(&mesh(&strip(triangles), &[]), &[lod(0, 3 * triangles)], cut).lods[0];
                assert_eq!(
                    (found.meshlet_count, found.people_per_group),
                    (meshlets, people),
                    "{triangles} {cut:?}"
                );
            }
        }
        let nothing = Meshlets::of(&mesh(&[], &[]), &[lod(0, 0)], MeshletGranularity::Fine);
        assert_eq!(nothing.lods[0].meshlet_count, 0);
    }
}
