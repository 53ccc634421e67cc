//! Adds clips of other files to a character before it is baked.

use std::collections::{HashMap, HashSet};

use crate::{
    bake::retarget::{RetargetResult, retarget},
    character::expressions,
    file::{Animations, ModelError, OpenedFile},
    model::Clip,
};

/// Prefixes of generic clip names that exporters give.
const GENERIC_NAMES: [&str; 4] = ["mixamo", "take 0", "clip ", "unreal take"];

/// Adds the clips of libraries to those of a character. A baked one loses its frames, so that it is baked again with
/// all clips. LODs are made again, since they were evaluated on the previous clips.
///
/// # Errors
/// [`ModelError::Retarget`] if too few joints match.
pub fn animate(opened: &mut OpenedFile, animations: &Animations) -> Result<(), ModelError> {
    for library in &animations.libraries {
        let model = &mut opened.model;
        let retargeted = retarget(&model.name, &model.skeleton, library, &animations.map);
        let RetargetResult { mut clips, notes } = match retargeted {
            Err(error) if animations.skip_unfit => {
                model.notes.push(error.to_string());
                continue;
            }
            retargeted => retargeted?,
        };
        for clip in &mut clips {
            expressions::apply(model, library, clip);
        }
        let missing = expressions::missing(model, library);
        if !missing.is_empty() {
            let names = missing.join(", ");
            model
                .notes
                .push(format!("has no expression that \"{}\" moves: {names}", library.name));
        }
        make_names_unique(&model.clips, &mut clips, &library.name);
        model.notes.retain(|note| note != crate::file::NO_CLIPS);
        model.notes.extend(notes);
        model.clips.extend(clips);
        model.lods.clear();
        (opened.atlas, opened.vertices) = (None, None);
    }
    Ok(())
}

/// Prefixes taken clip names with the library's name; a single clip with a generic name takes the library's.
fn make_names_unique(present: &[Clip], clips: &mut [Clip], library: &str) {
    if let [only] = clips {
        let name = only.name.to_lowercase();
        let mut parts = name.split('|');
        if parts.any(|part| GENERIC_NAMES.iter().any(|word| part.starts_with(word))) {
            library.clone_into(&mut only.name);
        }
    }
    // Configurations compare names without regard to case.
    let mut taken: HashSet<String> = present.iter().map(|clip| clip.name.to_lowercase()).collect();
    // Next number per name, so that ten thousand clips of one name cost no quadratic search.
    let mut numbers: HashMap<String, u32> = HashMap::new();
    for clip in clips {
        let own = clip.name.clone();
        let with_library = format!("{library}|{own}");
        let next = numbers.entry(with_library.to_lowercase()).or_insert(2);
        let indexed_names = (*next..).map(|number| {
            *next = number + 1;
            format!("{with_library} {number}")
        });
        let mut names = [own, with_library.clone()].into_iter().chain(indexed_names);
        if let Some(free) = names.find(|name| taken.insert(name.to_lowercase())) {
            clip.name = free;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(present: &[&str], clips: &[&str], library: &str) -> Vec<String> {
        let clip = |name: &&str| Clip {
            name: (*name).to_owned(),
            ..Clip::default()
        };
        let present: Vec<Clip> = present.iter().map(clip).collect();
        let mut clips: Vec<Clip> = clips.iter().map(clip).collect();
        make_names_unique(&present, &mut clips, library);
        clips.into_iter().map(|clip| clip.name).collect()
    }

    #[test]
    fn names_change_only_where_taken() {
        assert_eq!(named(&["idle"], &["walk", "run"], "lib"), ["walk", "run"]);
        assert_eq!(
            named(&["idle", "lib|idle"], &["Idle", "run", "run"], "lib"),
            ["lib|Idle 2", "run", "lib|run"]
        );
    }

    #[test]
    fn a_single_generic_clip_is_named_after_its_file() {
        assert_eq!(
            named(&[], &["Armature|mixamo.com|Layer0"], "Samba Dancing"),
            ["Samba Dancing"]
        );
        assert_eq!(named(&[], &["clip 0"], "wave"), ["wave"]);
        assert_eq!(named(&[], &["Idle"], "wave"), ["Idle"]);
        assert_eq!(named(&[], &["clip 0", "clip 1"], "wave"), ["clip 0", "clip 1"]);
    }
}
