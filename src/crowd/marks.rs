//! Event marks of a character's clips, and the events of one instance with or without a behaviour.

use crate::{
    bake::BakedClip,
    crowd::{
        CrowdClip, Instance, MotionPlan,
        clock::Clock,
        events::{ClipMark, ClipTrack, Occurrence, events_between, mark_position},
        wrap::{WRAP_LOOP, own_loop},
    },
};

/// Event marks of all clips of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventMarks {
    /// Names that [`ClipMark::name`] refers to.
    pub names: Vec<String>,
    /// Marks per clip.
    pub clips: Vec<Vec<ClipMark>>,
}

impl EventMarks {
    /// Collects the events of the clips.
    #[must_use]
    pub fn new(clips: &[BakedClip]) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut of_clip = |clip: &BakedClip| {
            let mark = |event: &crate::model::ClipEvent| {
                let known = names.iter().position(|name| *name == event.name);
                let name = known.unwrap_or_else(|| {
                    names.push(event.name.clone());
                    names.len() - 1
                });
                ClipMark {
                    name: name as u32,
                    position: mark_position(event.time, clip.duration),
                }
            };
            clip.events.iter().map(mark).collect()
        };
        let clips = clips.iter().map(&mut of_clip).collect();
        Self { names, clips }
    }
}

impl MotionPlan {
    /// Events of instance `index` of the character's list in `(t0, t1]`, in order. However an interval is cut, its
    /// pieces give equal events.
    #[must_use]
    pub fn events_between(
        &self,
        index: u32,
        instance: &Instance,
        clips: &[CrowdClip],
        marks: &EventMarks,
        t0: Clock,
        t1: Clock,
    ) -> Vec<Occurrence> {
        if let Some((group, person_schedule)) = self.person_schedule(index, instance) {
            return events_between(&self.schedule, group, &person_schedule, &marks.clips, t0, t1);
        }
        let mut found = Vec::new();
        if let Some(track) = own_track(instance, clips) {
            let own = marks.clips.get(track.clip as usize).map_or(&[][..], Vec::as_slice);
            track.events_between(own, t0.count() as i64, t1.count() as i64, &mut found);
        }
        found.sort_unstable();
        found
    }
}

/// Track of the clip that an instance without a behaviour loops.
fn own_track(instance: &Instance, clips: &[CrowdClip]) -> Option<ClipTrack> {
    let own = own_loop(instance, clips).filter(|own| own.rate > 0)?;
    Some(ClipTrack {
        clip: own.clip,
        rate: own.rate,
        wrap: WRAP_LOOP,
        reversed: own.reversed,
        phase: own.phase,
        since: 0,
    })
}
