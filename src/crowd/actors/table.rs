//! Table of actors: slots with stable handles, their rows, and which of them changed.

use std::ops::Range;

use glam::Vec3;

use crate::crowd::{
    CrowdClip, Instance,
    actors::{
        Actor, ActorClip, ActorError, ActorId, ActorState, DirtyRows,
        actor_state::{actor_state, motion_at, short_turn},
        fades::phase_at,
        rows::{FADE_UNIT, FARTHEST, MotionRow, PLAYS_ONCE, PlayRow, PlaybackRow},
    },
    clock::{Clock, TICKS, to_rate},
    tints::REGIONS,
};

/// Largest capacity.
pub const MOST_ACTORS: u32 = 1 << 24;
/// Longest way between two keys (s).
const LONGEST_MOVE: u64 = 65_534;
/// Largest scale and speed: those that a 16-bit float holds.
const LARGEST_FACTOR: f32 = 65_504.0;

/// Actors of one character, on the CPU.
#[derive(Clone, Debug)]
pub struct ActorTable {
    motions: Vec<MotionRow>,
    plays: Vec<PlayRow>,
    looks: Vec<Instance>,
    slots: Vec<Slot>,
    /// Free slots, the next one last.
    free: Vec<u32>,
    /// Rates of the character's clips (turns per second times 2^24).
    cycles: Vec<u32>,
    changes: ActorChanges,
}

/// Owner of a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Odd while the slot is taken.
    generation: u32,
    /// Latest start of a move.
    moved: Clock,
    /// Latest change of clips.
    played: Clock,
}

/// Rows that changed since they were last sent.
#[derive(Clone, Debug, Default)]
pub struct ActorChanges {
    /// Motion rows.
    pub motions: DirtyRows,
    /// Play rows.
    pub plays: DirtyRows,
    /// Instances: tints, sizes.
    pub looks: DirtyRows,
}

impl ActorChanges {
    fn grow(&mut self, capacity: u32) {
        self.motions.grow(capacity);
        self.plays.grow(capacity);
        self.looks.grow(capacity);
    }
}

impl ActorTable {
    /// Makes a table of free slots for a character with these clips.
    ///
    /// # Errors
    /// [`ActorError::Capacity`] for none, or more than [`MOST_ACTORS`].
    pub fn new(capacity: u32, clips: &[CrowdClip]) -> Result<Self, ActorError> {
        let rate = |clip: &CrowdClip| match clip.duration > 0.0 {
            true => to_rate(1.0 / f64::from(clip.duration)),
            false => 0,
        };
        let mut table = Self {
            motions: Vec::new(),
            plays: Vec::new(),
            looks: Vec::new(),
            slots: Vec::new(),
            free: Vec::new(),
            cycles: clips.iter().map(rate).collect(),
            changes: ActorChanges::default(),
        };
        table.grow(capacity)?;
        Ok(table)
    }

    /// Adds free slots up to a capacity. Handles stay valid, and changes that were not sent yet are kept.
    ///
    /// # Errors
    /// [`ActorError::Capacity`] for less than before, or more than [`MOST_ACTORS`].
    pub fn grow(&mut self, capacity: u32) -> Result<(), ActorError> {
        let before = self.capacity();
        if capacity < before.max(1) || capacity > MOST_ACTORS {
            return Err(ActorError::Capacity {
                capacity,
                least: before.max(1),
                most: MOST_ACTORS,
            });
        }
        let count = capacity as usize;
        self.motions.resize(count, MotionRow::default());
        self.plays.resize(count, PlayRow::default());
        self.looks.resize(count, Instance::default());
        self.slots.resize(count, Slot::default());
        // Slots fill from the lowest on.
        self.free.splice(0..0, (before..capacity).rev());
        self.changes.grow(capacity);
        Ok(())
    }

    /// Number of slots.
    #[must_use]
    pub const fn capacity(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Number of living actors.
    #[must_use]
    pub const fn count(&self) -> u32 {
        (self.slots.len() - self.free.len()) as u32
    }

    /// True if the actor lives.
    #[must_use]
    pub fn contains(&self, id: ActorId) -> bool {
        self.id_at(id.index) == Some(id)
    }

    /// Actor in a slot, for example the index of a picked person.
    #[must_use]
    pub fn id_at(&self, index: u32) -> Option<ActorId> {
        let generation = self.slots.get(index as usize)?.generation;
        (generation % 2 == 1).then_some(ActorId { index, generation })
    }

    /// Adds an actor in a free slot.
    ///
    /// # Errors
    /// [`ActorError::Full`], [`ActorError::Number`], [`ActorError::Clip`].
    pub fn spawn(&mut self, actor: &Actor) -> Result<ActorId, ActorError> {
        let look = look_of(actor)?;
        let motion = MotionRow::still(position_of(actor.position)?, yaw_of(actor.yaw)?);
        let mut playback = self.playback(&actor.clip)?;
        playback.set_anchor(actor.since);
        let capacity = self.capacity();
        let index = self.free.pop().ok_or(ActorError::Full { capacity })?;
        let slot = &mut self.slots[index as usize];
        *slot = Slot {
            generation: slot.generation.wrapping_add(1),
            ..Slot::default()
        };
        let generation = slot.generation;
        self.motions[index as usize] = motion;
        self.plays[index as usize] = PlayRow::single(playback);
        self.looks[index as usize] = look;
        self.changes.motions.mark(index);
        self.changes.plays.mark(index);
        self.changes.looks.mark(index);
        Ok(ActorId { index, generation })
    }

    /// Removes an actor; its handle is stale from now on, and its slot free.
    ///
    /// # Errors
    /// [`ActorError::Stale`].
    pub fn despawn(&mut self, id: ActorId) -> Result<(), ActorError> {
        let slot = self.slot(id)?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
        self.motions[id.index as usize].mark = 0;
        self.changes.motions.mark(id.index);
        Ok(())
    }

    /// Moves an actor in a straight line, from where it is at `times.start` to `position` and `yaw` (rad) at
    /// `times.end`, turning the short way round. It stands before and after.
    ///
    /// # Errors
    /// [`ActorError::Stale`]; [`ActorError::Number`] for coordinates that are not finite or beyond a million metres, and
    /// for ways of more than 18 hours; [`ActorError::Backwards`] if `times` run backwards, or begin before those of
    /// the move before.
    pub fn move_to(
        &mut self,
        id: ActorId,
        times: Range<Clock>,
        position: [f32; 3],
        yaw: f32,
    ) -> Result<(), ActorError> {
        let (end_position, end_yaw) = (position_of(position)?, yaw_of(yaw)?);
        let slot = self.slot(id)?;
        let (start, end) = (normal(times.start), normal(times.end));
        let span = match end.count().checked_sub(start.count()) {
            None => return Err(backwards(end, start)),
            Some(_) if start < slot.moved => return Err(backwards(start, slot.moved)),
            Some(span) if span > LONGEST_MOVE * u64::from(TICKS) => {
                return Err(ActorError::Number {
                    what: "time of the move",
                });
            }
            Some(span) => span as u32,
        };
        slot.moved = start;
        let row = &mut self.motions[id.index as usize];
        let place = motion_at(row, start);
        *row = MotionRow {
            start_position: place.position.to_array(),
            start_yaw: short_turn(place.yaw),
            end_position,
            end_yaw,
            seconds: start.seconds,
            ticks: start.ticks,
            span,
            mark: row.mark,
        };
        self.changes.motions.mark(id.index);
        Ok(())
    }

    /// Puts an actor somewhere at once; it stands there.
    ///
    /// # Errors
    /// [`ActorError::Stale`] or [`ActorError::Number`].
    pub fn set(&mut self, id: ActorId, position: [f32; 3], yaw: f32) -> Result<(), ActorError> {
        let row = MotionRow::still(position_of(position)?, yaw_of(yaw)?);
        self.slot(id)?.moved = Clock::default();
        self.motions[id.index as usize] = row;
        self.changes.motions.mark(id.index);
        Ok(())
    }

    /// Fades to a clip within `fade` seconds (0 to 63, in steps of 1/1024), from whatever plays at the time `at`, also
    /// from the middle of a fade. 0 cuts. The clip begins when its fade does: at `at`, or as soon as fewer than three
    /// clips show.
    ///
    /// # Errors
    /// [`ActorError::Stale`], [`ActorError::Number`], [`ActorError::Clip`]; [`ActorError::Backwards`] before an earlier
    /// change of clips.
    pub fn play(&mut self, id: ActorId, clip: &ActorClip, at: Clock, fade: f32) -> Result<(), ActorError> {
        let playback = self.playback(clip)?;
        if !(0.0..=63.0).contains(&fade) {
            return Err(ActorError::Number { what: "fade" });
        }
        let at = self.play_time(id, at)?;
        let span = (fade * (TICKS / FADE_UNIT) as f32).round() as u16;
        self.plays[id.index as usize].play(playback, at, span);
        self.changes.plays.mark(id.index);
        Ok(())
    }

    /// Changes the speed of the newest clip from a time on: 1 as authored, negative backwards. Its phase does not jump.
    ///
    /// # Errors
    /// As [`ActorTable::play`].
    pub fn speed(&mut self, id: ActorId, speed: f32, at: Clock) -> Result<(), ActorError> {
        let speed = factor_of(speed, "speed")?;
        let at = self.play_time(id, at)?;
        let row = &mut self.plays[id.index as usize];
        let clip = row.playbacks[row.count as usize - 1].clip();
        row.set_speed(speed, self.cycles[clip as usize], at);
        self.changes.plays.mark(id.index);
        Ok(())
    }

    /// Sets the indices into the tint ramps: skin, hair, cloth, trim, each `0..64`.
    ///
    /// # Errors
    /// [`ActorError::Stale`].
    pub fn tint(&mut self, id: ActorId, indices: [u8; REGIONS]) -> Result<(), ActorError> {
        self.change_look(id, |look| look.with_tint(indices))
    }

    /// Sets the material variant, `0..8`.
    ///
    /// # Errors
    /// [`ActorError::Stale`].
    pub fn variant(&mut self, id: ActorId, variant: u8) -> Result<(), ActorError> {
        self.change_look(id, |look| look.with_material_variant(variant))
    }

    /// Sets the scale, 1 as modelled, and the width and depth relative to it, `0.8..=1.175`.
    ///
    /// # Errors
    /// [`ActorError::Stale`] or [`ActorError::Number`].
    pub fn scale(&mut self, id: ActorId, scale: f32, width_scale: f32) -> Result<(), ActorError> {
        let (scale, width_scale) = (scale_of(scale)?, factor_of(width_scale, "width scale")?);
        self.change_look(id, |look| look.with_yaw_scale(0.0, scale).with_width_scale(width_scale))
    }

    /// State of an actor at a time, as the GPU draws it; `None` for stale handles.
    #[must_use]
    pub fn state(&self, id: ActorId, clock: Clock) -> Option<ActorState> {
        let index = self.contains(id).then_some(id.index as usize)?;
        actor_state(&self.motions[index], &self.plays[index], &self.cycles, clock)
    }

    /// Motion rows of all slots.
    #[must_use]
    pub fn motions(&self) -> &[MotionRow] {
        &self.motions
    }

    /// Play rows of all slots.
    #[must_use]
    pub fn plays(&self) -> &[PlayRow] {
        &self.plays
    }

    /// Instances of all slots, for tints and sizes alone.
    #[must_use]
    pub fn looks(&self) -> &[Instance] {
        &self.looks
    }

    /// Changed rows, to be taken and sent.
    pub const fn changes(&mut self) -> &mut ActorChanges {
        &mut self.changes
    }

    fn slot(&mut self, id: ActorId) -> Result<&mut Slot, ActorError> {
        let is_alive = self.contains(id);
        let slot = self.slots.get_mut(id.index as usize).filter(|_| is_alive);
        slot.ok_or(ActorError::Stale {
            index: id.index,
            generation: id.generation,
        })
    }

    fn change_look(&mut self, id: ActorId, change: impl FnOnce(Instance) -> Instance) -> Result<(), ActorError> {
        self.slot(id)?;
        let look = &mut self.looks[id.index as usize];
        *look = change(*look);
        self.changes.looks.mark(id.index);
        Ok(())
    }

    /// Time of a change of clips, no earlier than the last one's, which it becomes.
    fn play_time(&mut self, id: ActorId, at: Clock) -> Result<Clock, ActorError> {
        let slot = self.slot(id)?;
        let at = normal(at);
        if at < slot.played {
            return Err(backwards(at, slot.played));
        }
        slot.played = at;
        Ok(at)
    }

    /// Playback of a clip, without an anchor.
    fn playback(&self, clip: &ActorClip) -> Result<PlaybackRow, ActorError> {
        let speed = factor_of(clip.speed, "speed")?;
        if !(0.0..=1.0).contains(&clip.start) {
            return Err(ActorError::Number {
                what: "start of the clip",
            });
        }
        let count = self.cycles.len() as u32;
        if u32::from(clip.clip) >= count {
            let clip = clip.clip;
            return Err(ActorError::Clip { clip, count });
        }
        let mut playback = PlaybackRow {
            clip_ticks: u32::from(clip.clip),
            phase: phase_at(clip.start) | if clip.once { PLAYS_ONCE } else { 0 },
            ..PlaybackRow::default()
        };
        playback.set_speeds(speed, speed);
        Ok(playback)
    }
}

/// Clock with less than a second of ticks.
const fn normal(clock: Clock) -> Clock {
    Clock::from_count(((clock.seconds as u64) << 16) + clock.ticks as u64)
}

const fn backwards(at: Clock, last: Clock) -> ActorError {
    ActorError::Backwards {
        at: at.seconds,
        last: last.seconds,
    }
}

fn position_of(position: [f32; 3]) -> Result<[f32; 3], ActorError> {
    let is_near = Vec3::from(position).abs().cmple(Vec3::splat(FARTHEST)).all();
    is_near
        .then_some(position)
        .ok_or(ActorError::Number { what: "position" })
}

fn yaw_of(yaw: f32) -> Result<f32, ActorError> {
    yaw.is_finite()
        .then(|| short_turn(yaw))
        .ok_or(ActorError::Number { what: "heading" })
}

fn factor_of(factor: f32, what: &'static str) -> Result<f32, ActorError> {
    (factor.abs() <= LARGEST_FACTOR)
        .then_some(factor)
        .ok_or(ActorError::Number { what })
}

fn scale_of(scale: f32) -> Result<f32, ActorError> {
    let scale = factor_of(scale, "scale")?;
    (scale > 0.0)
        .then_some(scale)
        .ok_or(ActorError::Number { what: "scale" })
}

fn look_of(actor: &Actor) -> Result<Instance, ActorError> {
    let width_scale = factor_of(actor.width_scale, "width scale")?;
    Ok(Instance::new(position_of(actor.position)?.into())
        .with_yaw_scale(0.0, scale_of(actor.scale)?)
        .with_width_scale(width_scale)
        .with_tint(actor.tint)
        .with_material_variant(actor.variant))
}
