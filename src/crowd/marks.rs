//! The events of a character's clips, and which of them happen for one instance, whether it
//! follows a behaviour or loops its own clip.

use crate::{
    bake::BakedClip,
    crowd::{
        CrowdClip, Instance, MotionPlan,
        clock::Clock,
        events::{ClipMark, ClipTrack, Occurrence, events_between, mark_position},
        wrap::{WRAP_LOOP, own_loop},
    },
};

/// The events of all clips of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventMarks {
    /// Names that [`ClipMark::name`] refers to.
    pub names: Vec<String>,
    /// Per clip.
    pub clips: Vec<Vec<ClipMark>>,
}

impl EventMarks {
    /// Collects what the clips hold.
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
    /// Everything that happens for instance `index` of the character's list in `(t0, t1]`, in
    /// order. However a stretch of time is cut, its pieces give the same events.
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
        if let Some((group, behaviour_state)) = self.behaviour_state(index, instance) {
            return events_between(&self.schedule, group, &behaviour_state, &marks.clips, t0, t1);
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

/// The loop of an instance outside any behaviour.
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
