//! One atlas for several bodies with one skeleton and the same clips: packs ship them apart, and `--animations` adds
//! their clips. Frame times fit the motion of all, and the unit space encloses all.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::{
    atlas::{Atlas, AtlasFormat, FramePlacement},
    bake::{self, BakeError, Palettes},
    character::Character,
    file::OpenedFile,
    model::{InfluenceReduction, Model, UnitSpace},
};

/// Atlases of several characters, encoded on first use.
#[derive(Default)]
pub(super) struct SharedAtlas {
    /// Atlases by format.
    encoded: [OnceLock<Atlas>; AtlasFormat::ALL.len()],
}

impl SharedAtlas {
    /// Atlas in a format.
    pub(super) fn encoded(&self, palettes: &Palettes, unit: &UnitSpace, format: AtlasFormat) -> &Atlas {
        self.encoded[format as usize].get_or_init(|| Atlas::encode(palettes, unit, format))
    }
}

/// As [`Character::from_opened`], for several files, in their order. Raw files with one skeleton and the same clips
/// share one atlas. Characters with morph targets never share one, since morph weights are their own.
///
/// # Errors
/// [`BakeError`].
pub fn from_all_opened(opened: Vec<OpenedFile>, placement: FramePlacement) -> Result<Vec<Character>, BakeError> {
    let mut groups: Vec<Vec<(usize, OpenedFile)>> = Vec::new();
    for (place, opened) in opened.into_iter().enumerate() {
        match groups.iter_mut().find(|group| is_peer(&group[0].1, &opened)) {
            Some(group) => group.push((place, opened)),
            None => groups.push(vec![(place, opened)]),
        }
    }
    let bake = |group: Vec<(usize, OpenedFile)>| {
        let (places, opened): (Vec<usize>, Vec<OpenedFile>) = group.into_iter().unzip();
        Ok(places.into_iter().zip(baked(opened, placement)?).collect())
    };
    let baked: Vec<Vec<(usize, Character)>> = in_parallel(groups, bake)?;
    let mut placed: Vec<(usize, Character)> = baked.into_iter().flatten().collect();
    placed.sort_by_key(|&(place, _)| place);
    Ok(placed.into_iter().map(|(_, character)| character).collect())
}

/// Applies `f` to every item on all cores; of several errors it returns the first item's.
pub(crate) fn in_parallel<T: Send, U: Send, E: Send>(
    items: Vec<T>,
    f: impl Fn(T) -> Result<U, E> + Send + Sync,
) -> Result<Vec<U>, E> {
    let done: Vec<Result<U, E>> = items.into_par_iter().map(f).collect();
    done.into_iter().collect()
}

/// True if two characters have equal palettes at all times.
fn is_peer(a: &OpenedFile, b: &OpenedFile) -> bool {
    let is_raw = |opened: &OpenedFile| opened.atlas.is_none() && opened.model.morphs.is_empty();
    let (skeleton, other) = (&a.model.skeleton, &b.model.skeleton);
    is_raw(a)
        && is_raw(b)
        && (&skeleton.joints, &skeleton.slots) == (&other.joints, &other.slots)
        && !a.model.clips.is_empty()
        && a.model.clips == b.model.clips
}

fn baked(mut peers: Vec<OpenedFile>, placement: FramePlacement) -> Result<Vec<Character>, BakeError> {
    if peers.len() == 1 {
        let alone = peers.pop().into_iter();
        return alone.map(|opened| Character::from_opened(opened, placement)).collect();
    }
    bake_all(peers.into_iter().map(|opened| opened.model).collect(), placement)
}

fn bake_all(mut models: Vec<Model>, placement: FramePlacement) -> Result<Vec<Character>, BakeError> {
    let mut all = merged(&models);
    let smallest = models.iter().map(Model::height).fold(f32::INFINITY, f32::min);
    let strict = placement.stricter(smallest / all.height());
    let largest_error = strict.largest_error(&all);
    let palettes = bake::bake_in_place(&mut all, largest_error, |all| strict.bake(all, &|_| {}))?;
    let unit = UnitSpace::around(all.rest_bounds());
    let shared = Arc::new(SharedAtlas::default());
    let names: Vec<String> = models.iter().map(|model| model.name.clone()).collect();
    for (own, model) in models.iter_mut().enumerate() {
        bake::prepare(model, placement.largest_error(model));
        model.clips.clone_from(&all.clips);
        model.mirrored = all.mirrored;
        let others = names.iter().enumerate().filter(|&(number, _)| number != own);
        let others: Vec<&str> = others.map(|(_, name)| &name[..]).collect();
        model.notes.push(format!(
            "shares one atlas with {}: they have one skeleton and the same clips",
            others.join(", ")
        ));
    }
    let character = |model| Character {
        shared: Some(shared.clone()),
        ..Character::new(model, palettes.clone(), unit)
    };
    Ok(models.into_iter().map(character).collect())
}

/// Merges the meshes of all into one; only its vertex positions and influences are valid.
fn merged(models: &[Model]) -> Model {
    let mut all = models[0].clone();
    all.lods.clear();
    all.chosen_frames = None;
    for Model { mesh, reduced, .. } in &models[1..] {
        let first = all.mesh.vertices.len() as u32;
        all.mesh.vertices.extend_from_slice(&mesh.vertices);
        all.mesh.indices.extend(mesh.indices.iter().map(|index| first + index));
        all.reduced.extend(reduced.iter().map(|reduced| InfluenceReduction {
            vertex: first + reduced.vertex,
            influences: reduced.influences.clone(),
        }));
    }
    all
}
