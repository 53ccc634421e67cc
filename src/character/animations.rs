//! Clips of other files on a character, before it is baked.

use std::collections::{HashMap, HashSet};

use crate::{
    bake::retarget::{Retargeted, retarget},
    file::{Animations, ModelError, Opened},
    model::Clip,
};

/// Beginnings of clip names that say nothing: what exporters call the only one of a file.
const NAMELESS: [&str; 4] = ["mixamo", "take 0", "clip ", "unreal take"];

/// Adds the clips of libraries to those of a character. One that was baked loses its frames, to be baked again with
/// all clips, and LODs are made again, since they were evaluated on the clips that there were.
///
/// # Errors
/// [`ModelError::Retarget`] where too few joints match.
pub fn animate(opened: &mut Opened, animations: &Animations) -> Result<(), ModelError> {
    for library in &animations.libraries {
        let model = &mut opened.model;
        let Retargeted { mut clips, notes } = retarget((&model.name, &model.skeleton), library, &animations.map)?;
        name_apart(&model.clips, &mut clips, &library.name);
        model.notes.retain(|note| note != crate::file::NO_CLIPS);
        model.notes.extend(notes);
        model.clips.extend(clips);
        model.lods.clear();
        (opened.atlas, opened.vertices) = (None, None);
    }
    Ok(())
}

/// Puts the library's name before clips whose name is taken, and in place of that of a single clip that has none.
fn name_apart(present: &[Clip], clips: &mut [Clip], library: &str) {
    if let [only] = clips {
        let name = only.name.to_lowercase();
        let mut parts = name.split('|');
        if parts.any(|part| NAMELESS.iter().any(|word| part.starts_with(word))) {
            library.clone_into(&mut only.name);
        }
    }
    // Names are compared as configurations do.
    let mut taken: HashSet<String> = present.iter().map(|clip| clip.name.to_lowercase()).collect();
    // Which number comes next, so that ten thousand clips of one name are not tried against each other.
    let mut numbers: HashMap<String, u32> = HashMap::new();
    for clip in clips {
        let own = clip.name.clone();
        let with_library = format!("{library}|{own}");
        let next = numbers.entry(with_library.to_lowercase()).or_insert(2);
        let id_draws = (*next..).map(|number| {
            *next = number + 1;
            format!("{with_library} {number}")
        });
        let mut names = [own, with_library.clone()].into_iter().chain(id_draws);
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
        name_apart(&present, &mut clips, library);
        clips.into_iter().map(|clip| clip.name).collect()
    }

    #[test]
    fn names_stay_unless_they_are_taken() {
        assert_eq!(named(&["idle"], &["walk", "run"], "lib"), ["walk", "run"]);
        assert_eq!(
            named(&["idle", "lib|idle"], &["Idle", "run", "run"], "lib"),
            ["lib|Idle 2", "run", "lib|run"]
        );
    }

    #[test]
    fn a_file_of_one_nameless_clip_names_it() {
        assert_eq!(
            named(&[], &["Armature|mixamo.com|Layer0"], "Samba Dancing"),
            ["Samba Dancing"]
        );
        assert_eq!(named(&[], &["clip 0"], "wave"), ["wave"]);
        assert_eq!(named(&[], &["Idle"], "wave"), ["Idle"]);
        assert_eq!(named(&[], &["clip 0", "clip 1"], "wave"), ["clip 0", "clip 1"]);
    }
}
