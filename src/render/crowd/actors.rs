//! Actors of a crowd: people whom a host spawns, moves and removes, between frames, from the CPU or from a compute pass
//! of its own.

use std::{ops::Range, sync::MutexGuard};

use crate::{
    config::Technique,
    crowd::{
        Clock, CrowdClip,
        actors::{Actor, ActorClip, ActorError, ActorId, ActorMove, ActorPlay, ActorState, ActorTable, RefusedChanges},
        tints::REGIONS,
    },
    gpu::{Gpu, GpuError, encoder},
    render::{
        crowd::{CharacterId, CrowdRenderer},
        passes::{RowBuffer, ScatterRowsPass, ScatteredRows},
        resources::{
            CrowdInstances,
            actors::{ActorBuffers, ActorHandle},
        },
    },
};

/// Error of making or growing actors.
#[derive(Debug, thiserror::Error)]
pub enum ActorsError {
    /// Capacity out of range.
    #[error(transparent)]
    Actor(#[from] ActorError),
    /// The device refused buffers or shaders.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The character does not exist in this renderer.
    #[error("there is no character {character}; add it before its actors")]
    Character {
        /// Number of the character.
        character: usize,
    },
    /// The character is drawn by a technique that blends no third clip.
    #[error("actors need technique matrix, and the character is drawn by {technique:?}")]
    Technique {
        /// Technique of the character.
        technique: Technique,
    },
}

/// Actors of one draw: their table, and the rows that a frame sends.
#[derive(Clone)]
pub(crate) struct ActorDraw {
    pub(crate) table: ActorHandle,
    /// Changed motion rows, play rows and instances.
    changes: [ScatteredRows; 3],
}

impl ActorDraw {
    fn new(table: &ActorHandle) -> Self {
        Self {
            table: table.clone(),
            changes: Default::default(),
        }
    }

    /// Sends changed rows; true if tints or sizes changed.
    fn send(&mut self, gpu: &Gpu, crowd: &CrowdInstances) -> bool {
        let Some(bindings) = &crowd.actors else { return false };
        let ActorBuffers { motions, plays, .. } = &bindings.buffers;
        let mut table = self.table.lock();
        let changes = table.changes();
        let to = |purpose, buffer| RowBuffer { purpose, buffer };
        let [motion_rows, play_rows, looks] = &mut self.changes;
        motion_rows.send(gpu, &to("actor motions", motions), &changes.motions);
        play_rows.send(gpu, &to("actor plays", plays), &changes.plays);
        looks.send(gpu, &to("actor looks", &crowd.list), &changes.looks);
        let changes_looks = !changes.looks.slots().is_empty();
        table.clear_changes();
        changes_looks
    }
}

/// Actors of one character: a handle that the host keeps. Changes are sent together and once, by the next
/// [`CrowdRenderer::prepare`].
///
/// The actors are a character of their own in the renderer, with one draw call and the other character's mesh and atlas.
/// [`Actors::id`] is its number, for heroes, attachments and picking; [`ActorId::index`] is the index in it.
pub struct Actors {
    id: CharacterId,
    table: ActorHandle,
    buffers: ActorBuffers,
}

impl CrowdRenderer {
    /// Makes room for actors of a character: 224 bytes each on the GPU, free slots included. A slot costs one thread in
    /// each compute pass over people, and nothing in those that draw. Several rooms for one character are possible.
    ///
    /// # Errors
    /// [`ActorsError::Actor`] for a capacity of 0 or beyond [`MOST_ACTORS`](crate::crowd::actors::MOST_ACTORS),
    /// [`ActorsError::Gpu`] for more than the device holds, [`ActorsError::Character`], [`ActorsError::Technique`].
    pub fn actors(&mut self, of: CharacterId, capacity: u32) -> Result<Actors, ActorsError> {
        let Some(drawn) = self.contents.people.get(of.0) else {
            return Err(ActorsError::Character { character: of.0 });
        };
        let technique = drawn.assets.method.technique;
        if technique != Technique::Matrix {
            return Err(ActorsError::Technique { technique });
        }
        let table = ActorTable::new(capacity, &CrowdClip::all_of(&drawn.character))?;
        let buffers = ActorBuffers::new(&self.context.gpu, capacity)?;
        self.passes.animate.prepare_actors(&self.context)?;
        if self.passes.scatter_rows.is_none() {
            self.passes.scatter_rows = Some(ScatterRowsPass::new(&self.context.gpu)?);
        }
        let mut drawn = self.place_actors(of, table.looks(), &buffers)?;
        let table = ActorHandle::new(table);
        drawn.actors = Some(ActorDraw::new(&table));
        self.contents.people.push(drawn);
        Ok(Actors {
            id: CharacterId(self.contents.people.len() - 1),
            table,
            buffers,
        })
    }

    /// Adds free slots. Handles stay valid, and rows that a compute pass wrote are kept. Costs new buffers, one copy on
    /// the GPU and new draw lists, so grow by factors. [`Actors::buffer`] and [`Actors::play_buffer`] are new ones
    /// afterwards. Heroes of the actors are removed.
    ///
    /// # Errors
    /// [`ActorsError::Actor`] for less than before or too much, [`ActorsError::Gpu`] for more than the device holds;
    /// the slots before stay. [`ActorsError::Character`] if the actors are of another renderer.
    pub fn grow_actors(&mut self, actors: &mut Actors, capacity: u32) -> Result<(), ActorsError> {
        let own = self.contents.people.get(actors.id.0);
        if !own.is_some_and(|drawn| drawn.actors.as_ref().is_some_and(|own| own.table.is(&actors.table))) {
            let character = actors.id.0;
            return Err(ActorsError::Character { character });
        }
        let mut grown = actors.table.lock().clone();
        grown.grow(capacity)?;
        let buffers = ActorBuffers::new(&self.context.gpu, capacity)?;
        let mut drawn = self.place_actors(actors.id, grown.looks(), &buffers)?;
        drawn.actors = Some(ActorDraw::new(&actors.table));
        let mut encoder = encoder(&self.context.gpu, "grow actors");
        for (before, after) in [
            (&actors.buffers.motions, &buffers.motions),
            (&actors.buffers.plays, &buffers.plays),
        ] {
            encoder.copy_buffer_to_buffer(before, 0, after, 0, before.size());
        }
        self.context.gpu.queue.submit([encoder.finish()]);
        *actors.table.lock() = grown;
        actors.buffers = buffers;
        self.contents.people[actors.id.0] = drawn;
        self.rebind_attachments();
        Ok(())
    }

    /// Sends the changed rows of all actors.
    pub(super) fn send_actors(&mut self) {
        for drawn in &mut self.contents.people {
            let Some(actors) = &mut drawn.actors else { continue };
            let changes_looks = actors.send(&self.context.gpu, &drawn.crowd);
            if let Some(heroes) = drawn.heroes.as_mut().filter(|_| changes_looks) {
                heroes.update_instances(actors.table.lock().looks());
            }
        }
    }

    /// Writes scattered rows of this frame to their slots, before everybody is animated.
    pub(super) fn scatter_actors(&self, pass: &mut wgpu::ComputePass<'_>) {
        let actors = self.contents.people.iter().filter_map(|drawn| drawn.actors.as_ref());
        if let Some(scatter_rows) = &self.passes.scatter_rows {
            scatter_rows.encode(pass, actors.flat_map(|actors| &actors.changes));
        }
    }
}

impl Actors {
    /// Number of the actors among the renderer's characters.
    #[must_use]
    pub const fn id(&self) -> CharacterId {
        self.id
    }

    /// Motion rows of all slots, 48 bytes each: [`MotionRow`](crate::crowd::actors::MotionRow), and
    /// [`ACTOR_ROWS_WGSL`] for shaders. A compute pass may write them between a submit and the next one that holds
    /// [`CrowdRenderer::prepare`]; a row that is no row of an actor leaves that person out. The CPU sends the rows of
    /// actors whom it moves, spawns or despawns, and no others.
    #[must_use]
    pub const fn buffer(&self) -> &wgpu::Buffer {
        &self.buffers.motions
    }

    /// Play rows of all slots, 96 bytes each: [`PlayRow`](crate::crowd::actors::PlayRow). As [`Actors::buffer`].
    #[must_use]
    pub const fn play_buffer(&self) -> &wgpu::Buffer {
        &self.buffers.plays
    }

    /// The table of the actors, for many changes under one lock; everything below takes the lock once for each call.
    pub fn lock(&self) -> MutexGuard<'_, ActorTable> {
        self.table.lock()
    }

    /// Number of slots.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.lock().capacity()
    }

    /// Number of living actors.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.lock().count()
    }

    /// Actor in a slot, for example the index of a picked person.
    #[must_use]
    pub fn id_at(&self, index: u32) -> Option<ActorId> {
        self.lock().id_at(index)
    }

    /// State of an actor at a time by the rows that the CPU sent; `None` for stale handles.
    #[must_use]
    pub fn state(&self, id: ActorId, clock: Clock) -> Option<ActorState> {
        self.lock().state(id, clock)
    }

    /// See [`ActorTable::spawn`].
    ///
    /// # Errors
    /// [`ActorError::Full`], [`ActorError::Number`], [`ActorError::Clip`].
    pub fn spawn(&self, actor: &Actor) -> Result<ActorId, ActorError> {
        self.lock().spawn(actor)
    }

    /// See [`ActorTable::despawn`].
    ///
    /// # Errors
    /// [`ActorError::Stale`].
    pub fn despawn(&self, id: ActorId) -> Result<(), ActorError> {
        self.lock().despawn(id)
    }

    /// See [`ActorTable::move_to`].
    ///
    /// # Errors
    /// [`ActorError::Stale`], [`ActorError::Number`], [`ActorError::Backwards`].
    pub fn move_to(&self, id: ActorId, times: Range<Clock>, position: [f32; 3], yaw: f32) -> Result<(), ActorError> {
        self.lock().move_to(id, times, position, yaw)
    }

    /// See [`ActorTable::move_all`].
    ///
    /// # Errors
    /// [`RefusedChanges`]; the other moves are done.
    pub fn move_all(&self, times: Range<Clock>, moves: &[ActorMove]) -> Result<(), RefusedChanges> {
        self.lock().move_all(times, moves)
    }

    /// See [`ActorTable::set`].
    ///
    /// # Errors
    /// [`ActorError::Stale`], [`ActorError::Number`].
    pub fn set(&self, id: ActorId, position: [f32; 3], yaw: f32) -> Result<(), ActorError> {
        self.lock().set(id, position, yaw)
    }

    /// See [`ActorTable::play`].
    ///
    /// # Errors
    /// [`ActorError::Stale`], [`ActorError::Number`], [`ActorError::Clip`], [`ActorError::Backwards`].
    pub fn play(&self, id: ActorId, clip: &ActorClip, at: Clock, fade: f32) -> Result<(), ActorError> {
        self.lock().play(id, clip, at, fade)
    }

    /// See [`ActorTable::play_all`].
    ///
    /// # Errors
    /// [`RefusedChanges`]; the other changes are done.
    pub fn play_all(&self, at: Clock, plays: &[ActorPlay]) -> Result<(), RefusedChanges> {
        self.lock().play_all(at, plays)
    }

    /// See [`ActorTable::speed`].
    ///
    /// # Errors
    /// [`ActorError::Stale`], [`ActorError::Number`], [`ActorError::Backwards`].
    pub fn speed(&self, id: ActorId, speed: f32, at: Clock) -> Result<(), ActorError> {
        self.lock().speed(id, speed, at)
    }

    /// See [`ActorTable::tint`].
    ///
    /// # Errors
    /// [`ActorError::Stale`].
    pub fn tint(&self, id: ActorId, indices: [u8; REGIONS]) -> Result<(), ActorError> {
        self.lock().tint(id, indices)
    }

    /// See [`ActorTable::variant`].
    ///
    /// # Errors
    /// [`ActorError::Stale`].
    pub fn variant(&self, id: ActorId, variant: u8) -> Result<(), ActorError> {
        self.lock().variant(id, variant)
    }

    /// See [`ActorTable::scale`].
    ///
    /// # Errors
    /// [`ActorError::Stale`], [`ActorError::Number`].
    pub fn scale(&self, id: ActorId, scale: f32, width_scale: f32) -> Result<(), ActorError> {
        self.lock().scale(id, scale, width_scale)
    }
}

/// Structs and constants of the rows in WGSL, for a compute pass that writes them.
pub const ACTOR_ROWS_WGSL: &str = include_str!("../../../shaders/shared/actor_rows.wgsl");
