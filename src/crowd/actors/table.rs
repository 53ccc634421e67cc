//! Table of actors: slots with stable handles, their rows, and which of them changed.

use std::ops::Range;

use glam::{Vec3, Vec4};

use crate::crowd::{
    CrowdClip, Instance,
    actors::{
        Actor, ActorClip, ActorError, ActorId, ActorState,
        actor_state::{actor_state, short_turn},
        dirty_rows::{ChangedRows, DirtyRows},
        fades::phase_at,
        move_times::{MoveTimes, backwards, normal},
        prefetch::prefetch,
        rows::{FADE_UNIT, FARTHEST, MotionRow, PLAYS_ONCE, PlayRow, PlaybackRow},
    },
    clock::{Clock, TICKS, to_rate},
    tints::REGIONS,
};

/// Largest capacity.
pub const MOST_ACTORS: u32 = 1 << 24;
/// Largest scale and speed: those that a 16-bit float holds.
const LARGEST_FACTOR: f32 = 65_504.0;

/// Actors of one character, on the CPU.
#[derive(Clone, Debug)]
pub struct ActorTable {
    motions: Vec<MotionRow>,
    plays: Vec<PlayRow>,
    looks: Vec<Instance>,
    /// Owners of the slots so far; odd while a slot is taken.
    generations: Vec<u32>,
    /// Latest change of clips of each slot. The latest move is in its motion row.
    played: Vec<Clock>,
    /// Free slots, the next one last.
    free: Vec<u32>,
    /// Rates of the character's clips (turns per second times 2^24).
    cycles: Vec<u32>,
    dirty_motions: DirtyRows<MotionRow>,
    dirty_plays: DirtyRows<PlayRow>,
    dirty_looks: DirtyRows<Instance>,
}

/// Rows that changed since they were last sent.
#[derive(Clone, Copy, Debug)]
pub struct ActorChanges<'a> {
    /// Motion rows.
    pub motions: ChangedRows<'a, MotionRow>,
    /// Play rows.
    pub plays: ChangedRows<'a, PlayRow>,
    /// Instances: tints, sizes.
    pub looks: ChangedRows<'a, Instance>,
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
            generations: Vec::new(),
            played: Vec::new(),
            free: Vec::new(),
            cycles: clips.iter().map(rate).collect(),
            dirty_motions: DirtyRows::default(),
            dirty_plays: DirtyRows::default(),
            dirty_looks: DirtyRows::default(),
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
        self.generations.resize(count, 0);
        self.played.resize(count, Clock::default());
        // Slots fill from the lowest on.
        self.free.splice(0..0, (before..capacity).rev());
        self.dirty_motions.grow(capacity);
        self.dirty_plays.grow(capacity);
        self.dirty_looks.grow(capacity);
        Ok(())
    }

    /// Number of slots.
    #[must_use]
    pub const fn capacity(&self) -> u32 {
        self.generations.len() as u32
    }

    /// Number of living actors.
    #[must_use]
    pub const fn count(&self) -> u32 {
        (self.generations.len() - self.free.len()) as u32
    }

    /// True if the actor lives.
    #[must_use]
    pub fn contains(&self, id: ActorId) -> bool {
        self.generations.get(id.index as usize) == Some(&id.generation)
    }

    /// Actor in a slot, for example the index of a picked person.
    #[must_use]
    pub fn id_at(&self, index: u32) -> Option<ActorId> {
        let generation = *self.generations.get(index as usize)?;
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
        let slot = index as usize;
        let generation = self.generations[slot].wrapping_add(1);
        self.generations[slot] = generation;
        self.played[slot] = Clock::default();
        self.motions[slot] = motion;
        self.plays[slot] = PlayRow::single(playback);
        self.looks[slot] = look;
        self.dirty_motions.mark(index);
        self.dirty_plays.mark(index);
        self.dirty_looks.mark(index);
        Ok(ActorId { index, generation })
    }

    /// Removes an actor; its handle is stale from now on, and its slot free.
    ///
    /// # Errors
    /// [`ActorError::Stale`].
    pub fn despawn(&mut self, id: ActorId) -> Result<(), ActorError> {
        let slot = self.slot(id)?;
        self.generations[slot] = id.generation.wrapping_add(1);
        self.free.push(id.index);
        self.motions[slot].mark = 0;
        self.dirty_motions.mark(id.index);
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
        self.lead(id, &MoveTimes::of(times)?, position, yaw)?;
        self.dirty_motions.mark(id.index);
        Ok(())
    }

    /// Moves an actor as [`ActorTable::move_to`] does, one of many within one frame. Its row is copied for sending: worth
    /// it where a list keeps it in the cache.
    #[inline(always)]
    pub(super) fn move_listed(
        &mut self,
        id: ActorId,
        times: &MoveTimes,
        position: [f32; 3],
        yaw: f32,
    ) -> Result<(), ActorError> {
        let keys = self.lead(id, times, position, yaw)?;
        self.dirty_motions.mark_copy(id.index, keys, times.words());
        Ok(())
    }

    /// Leads an actor from where it is at the first key to the second one, and returns both.
    // Always inlined: keys in a result go through memory.
    #[inline(always)]
    fn lead(&mut self, id: ActorId, times: &MoveTimes, position: [f32; 3], yaw: f32) -> Result<[Vec4; 2], ActorError> {
        let target = key_of(position, yaw)?;
        let slot = self.slot(id)?;
        let row = &mut self.motions[slot];
        let keys = times.lead(row, target)?;
        *row = MotionRow::of_words(keys, times.words());
        Ok(keys)
    }

    /// Asks the CPU for what a move of the actor will read.
    #[inline]
    pub(super) fn prefetch_motion(&self, id: ActorId) {
        prefetch(&self.generations, id.index as usize);
        prefetch(&self.motions, id.index as usize);
    }

    /// Asks the CPU for what a change of the actor's clips will read.
    #[inline]
    pub(super) fn prefetch_play(&self, id: ActorId) {
        prefetch(&self.generations, id.index as usize);
        prefetch(&self.played, id.index as usize);
        prefetch(&self.plays, id.index as usize);
    }

    /// Puts an actor somewhere at once; it stands there.
    ///
    /// # Errors
    /// [`ActorError::Stale`] or [`ActorError::Number`].
    pub fn set(&mut self, id: ActorId, position: [f32; 3], yaw: f32) -> Result<(), ActorError> {
        let row = MotionRow::still(position_of(position)?, yaw_of(yaw)?);
        let slot = self.slot(id)?;
        self.motions[slot] = row;
        self.dirty_motions.mark(id.index);
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
        let span = rounded(fade * (TICKS / FADE_UNIT) as f32);
        self.plays[id.index as usize].play(playback, at, span);
        self.dirty_plays.mark(id.index);
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
        self.dirty_plays.mark(id.index);
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

    /// Rows that changed since [`ActorTable::clear_changes`].
    #[must_use]
    pub fn changes(&mut self) -> ActorChanges<'_> {
        ActorChanges {
            motions: self.dirty_motions.of(&self.motions),
            plays: self.dirty_plays.of(&self.plays),
            looks: self.dirty_looks.of(&self.looks),
        }
    }

    /// Forgets which rows changed, once they are sent.
    pub fn clear_changes(&mut self) {
        self.dirty_motions.clear();
        self.dirty_plays.clear();
        self.dirty_looks.clear();
    }

    /// Slot of a living actor.
    fn slot(&self, id: ActorId) -> Result<usize, ActorError> {
        self.contains(id).then_some(id.index as usize).ok_or(ActorError::Stale {
            index: id.index,
            generation: id.generation,
        })
    }

    fn change_look(&mut self, id: ActorId, change: impl FnOnce(Instance) -> Instance) -> Result<(), ActorError> {
        let slot = self.slot(id)?;
        let look = &mut self.looks[slot];
        *look = change(*look);
        self.dirty_looks.mark(id.index);
        Ok(())
    }

    /// Time of a change of clips, no earlier than the last one's, which it becomes.
    fn play_time(&mut self, id: ActorId, at: Clock) -> Result<Clock, ActorError> {
        let slot = self.slot(id)?;
        let last = &mut self.played[slot];
        let at = normal(at);
        if at < *last {
            return Err(backwards(at, *last));
        }
        *last = at;
        Ok(at)
    }

    /// Playback of a clip, without an anchor.
    #[inline]
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

/// Nearest whole number to one from 0 to 65,535, halves upwards, as [`f32::round`] has it. That is a call of the C
/// library on x86-64.
fn rounded(x: f32) -> u16 {
    let whole = x as u16;
    whole + u16::from(x - f32::from(whole) >= 0.5)
}

/// Key of a motion row: place (m) and, in `w`, heading (rad).
#[inline]
fn key_of(position: [f32; 3], yaw: f32) -> Result<Vec4, ActorError> {
    let key = Vec3::from(position).extend(short_turn(yaw));
    // One comparison for all four; a heading that is not finite has become no number.
    let most = Vec3::splat(FARTHEST).extend(f32::INFINITY);
    if key.abs().cmple(most).all() {
        return Ok(key);
    }
    position_of(position)?;
    yaw_of(yaw)?;
    Ok(key)
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
