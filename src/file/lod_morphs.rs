//! Morph target deltas of the vertices of a LOD, in a file. They are stored unencoded, so that raw and baked files
//! have equal LODs.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::model::MorphDelta;

/// Number of words of a delta: vertex, position and normal; three more with a tangent.
const WORDS: [usize; 2] = [7, 10];

/// Location of the deltas of a LOD; `docs/THRONG_animation_atlas.md` explains the fields.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LodMorphs {
    /// Number of deltas of every target.
    counts: Vec<usize>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tangents: bool,
    /// Buffer view of the deltas; `None` if no target moves anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    buffer_view: Option<usize>,
}

impl LodMorphs {
    /// Appends the view of the deltas of a LOD; `None` for characters without targets.
    pub(super) fn write(morphs: &[Vec<MorphDelta>], mut add_view: impl FnMut(&[u8]) -> usize) -> Option<Self> {
        if morphs.is_empty() {
            return None;
        }
        let tangents = morphs.iter().flatten().any(|delta| delta.tangent != Vec3::ZERO);
        let mut words: Vec<u32> = Vec::new();
        for delta in morphs.iter().flatten() {
            words.push(delta.vertex);
            let tangent = tangents.then_some(delta.tangent);
            let vectors = [delta.position, delta.normal].into_iter().chain(tangent);
            words.extend(vectors.flat_map(|v| v.to_array().map(f32::to_bits)));
        }
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        Some(Self {
            counts: morphs.iter().map(Vec::len).collect(),
            tangents,
            buffer_view: (!bytes.is_empty()).then(|| add_view(&bytes)),
        })
    }

    /// Reads the deltas of a file. The character has `targets` targets and the LOD `vertices` vertices; the error
    /// is the problem in words.
    pub(super) fn read<'a>(
        &self,
        targets: usize,
        vertices: usize,
        view: &impl Fn(usize) -> Result<&'a [u8], String>,
    ) -> Result<Vec<Vec<MorphDelta>>, String> {
        if self.counts.len() != targets {
            return Err(format!(
                "moves by {} morph targets instead of {targets}",
                self.counts.len()
            ));
        }
        let bytes = self.buffer_view.map(view).transpose()?.unwrap_or_default();
        let (words, rest) = bytes.as_chunks::<4>();
        let size = WORDS[usize::from(self.tangents)];
        let total = self
            .counts
            .iter()
            .try_fold(0_usize, |sum, &count| sum.checked_add(count));
        let needed = total.and_then(|total| total.checked_mul(size));
        if needed != Some(words.len()) || !rest.is_empty() {
            return Err("has morph target deltas that do not match their counts".into());
        }
        let mut deltas = words.chunks_exact(size).map(delta);
        let morphs: Vec<Vec<MorphDelta>> = self
            .counts
            .iter()
            .map(|&count| deltas.by_ref().take(count).collect())
            .collect();
        let ascend = |deltas: &Vec<MorphDelta>| deltas.windows(2).all(|pair| pair[0].vertex < pair[1].vertex);
        if morphs.iter().all(ascend) && morphs.iter().flatten().all(|delta| delta.is_sound(vertices)) {
            Ok(morphs)
        } else {
            Err("has morph target deltas that are out of range".into())
        }
    }
}

fn delta(words: &[[u8; 4]]) -> MorphDelta {
    let number = |at: usize| words.get(at).map_or(0.0, |&word| f32::from_le_bytes(word));
    let vector = |first: usize| Vec3::new(number(first), number(first + 1), number(first + 2));
    MorphDelta {
        vertex: words.first().map_or(0, |&word| u32::from_le_bytes(word)),
        position: vector(1),
        normal: vector(4),
        tangent: vector(7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(vertex: u32, x: f32) -> MorphDelta {
        MorphDelta {
            vertex,
            position: Vec3::new(x, 1e-20, -0.0),
            normal: Vec3::Y,
            tangent: Vec3::ZERO,
        }
    }

    /// Writes deltas, changes them, and reads them again for three vertices.
    fn through(
        morphs: &[Vec<MorphDelta>],
        change: impl FnOnce(&mut LodMorphs, &mut Vec<u8>),
    ) -> Result<Vec<Vec<MorphDelta>>, String> {
        let mut file = Vec::new();
        let mut written = LodMorphs::write(morphs, |bytes| {
            file = bytes.to_vec();
            0
        })
        .expect("targets");
        change(&mut written, &mut file);
        written.read(morphs.len(), 3, &|_| Ok(&file[..]))
    }

    #[test]
    fn deltas_come_back_as_they_were() {
        let tangents = MorphDelta {
            tangent: Vec3::new(0.5, -3.0, 0.0),
            ..moved(1, 0.25)
        };
        for morphs in [
            vec![vec![moved(0, 0.5), moved(2, -7.0)], vec![], vec![moved(1, 1e30)]],
            vec![vec![tangents]],
            vec![vec![], vec![]],
        ] {
            assert_eq!(through(&morphs, |_, _| ()).as_ref(), Ok(&morphs));
        }
        assert!(LodMorphs::write(&[], |_| 0).is_none());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let morphs = || vec![vec![moved(0, 0.5), moved(2, -7.0)], vec![moved(1, 1.0)]];
        type DeltaRow = (&'static str, fn(&mut LodMorphs, &mut Vec<u8>));
        let changes: [DeltaRow; 9] = [
            ("another target", |m, _| m.counts.push(0)),
            ("a target less", |m, _| m.counts = vec![3]),
            ("more than there are", |m, _| m.counts[1] = 2),
            ("more than can be", |m, _| m.counts = vec![usize::MAX, 4]),
            ("other words", |m, _| m.tangents = true),
            ("no view", |m, _| m.buffer_view = None),
            ("a byte less", |_, file| file.truncate(83)),
            ("an unknown vertex", |_, file| file[28] = 3),
            ("infinite", |_, file| {
                file[4..8].copy_from_slice(&f32::INFINITY.to_le_bytes())
            }),
        ];
        for (what, change) in changes {
            assert!(through(&morphs(), change).is_err(), "{what}");
        }
        // A vertex that occurs twice, and one that is out of order.
        for vertex in [0, 2] {
            let twice = |_: &mut LodMorphs, file: &mut Vec<u8>| file[28..32].copy_from_slice(&[0_u8; 4]);
            let morphs = vec![vec![moved(vertex, 1.0), moved(2, 1.0)]];
            assert!(through(&morphs, twice).is_err(), "{vertex} twice or first");
        }
    }
}
