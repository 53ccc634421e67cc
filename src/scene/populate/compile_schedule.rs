//! Compiles behaviours of a scene file to the rows of a schedule.

use crate::{
    config::{BehaviourConfig, Group, Phase, SceneConfig, StateConfig},
    crowd::{
        CrowdCharacter, CrowdClip, MotionPlan,
        clock::{TICKS, to_rate, to_ticks},
        hash::{fold_seed, hash},
        paths::Path,
        schedule::{
            EdgeRow, FLAG_OWN_PATHS, FLAG_REVERSED, FLAG_SHARED, FLAG_TRAVELS, FLAG_WAVE, GroupRow, Schedule, StateRow,
        },
        wrap::wrap_code,
    },
    model::Wrap,
};

/// Sum to which weights are normalised; small enough for any number of them in 32 bits.
const WEIGHT_SUM: f32 = 65_536.0;

/// Hash salt of the seed of a character's people.
const OWN: u32 = 0x0c_4a;

/// Motion plan of character number `character` of `cast`; for a number beyond, a plan without a schedule.
/// People of the same index in different characters have different seeds, so that they do not act in unison.
#[must_use]
pub fn motion_plan(scene: &SceneConfig, character: usize, cast: &[CrowdCharacter], paths: &[Path]) -> MotionPlan {
    let own = cast.get(character);
    let schedule = own.map_or_else(Schedule::default, |own| Schedule::compile(scene, own, cast));
    let seed = hash(fold_seed(scene.seed), character as u32, OWN);
    MotionPlan::new(schedule, paths.to_vec(), seed)
}

impl Schedule {
    /// Compiles the rows of a scene for one character, which is one of `cast`. A missing clip is replaced by the
    /// character's `idle`, else by its first clip.
    /// Groups of phase `together` with equal behaviours share their rows, so that officers are in step with their
    /// soldiers. A lone person has no behaviours.
    #[must_use]
    pub fn compile(scene: &SceneConfig, character: &CrowdCharacter, cast: &[CrowdCharacter]) -> Self {
        let mut schedule = Self::default();
        let mut in_step: Vec<(&BehaviourConfig, u32, GroupRow)> = Vec::new();
        for group in Group::ALL {
            let own = scene.groups.get(group.name()).filter(|_| scene.count > 1);
            let paths = if group == Group::Walkers { FLAG_OWN_PATHS } else { 0 };
            let Some(behaviour) = own.and_then(|own| own.behaviour.as_ref()) else {
                schedule.groups.push(GroupRow {
                    flags: paths,
                    ..GroupRow::default()
                });
                continue;
            };
            let phase = own.and_then(|own| own.phase).unwrap_or(group.phase());
            let travel = match (group, phase) {
                (Group::Walkers, _) => FLAG_TRAVELS,
                (Group::Officers | Group::Soldiers, Phase::Together) => FLAG_TRAVELS,
                _ => 0,
            };
            let same = in_step
                .iter()
                .find(|(other, goes, _)| phase == Phase::Together && *other == behaviour && *goes == travel);
            if let Some((_, _, row)) = same {
                schedule.groups.push(*row);
                continue;
            }
            let flags = match phase {
                Phase::Random => 0,
                Phase::Together => FLAG_SHARED,
                Phase::Wave => FLAG_SHARED | FLAG_WAVE,
            };
            let lead = (travel != 0 && phase == Phase::Together).then_some(cast);
            let seed = hash(fold_seed(scene.seed), group as u32, 0xbe_4a);
            // A negative speed plays clips backwards, but nobody walks backwards.
            let speed = if travel == 0 { scene.speed } else { scene.speed.abs() };
            let mut row = schedule.add(behaviour, speed, character, lead);
            if travel == 0 {
                schedule.hold_poses(behaviour, character, row.first_state as usize);
            }
            let states = &schedule.states[row.first_state as usize..];
            let goes = group == Group::Walkers || states.iter().any(|state| state.stride > 0);
            (row.flags, row.seed) = (flags | paths | if goes { travel } else { 0 }, seed);
            if phase == Phase::Together {
                in_step.push((behaviour, travel, row));
            }
            schedule.groups.push(row);
        }
        schedule
    }

    fn add(
        &mut self,
        behaviour: &BehaviourConfig,
        speed: f32,
        character: &CrowdCharacter,
        lead: Option<&[CrowdCharacter]>,
    ) -> GroupRow {
        let first_state = self.states.len() as u32;
        let homes = cumulate(behaviour.states.values().map(|state| state.home));
        for ((name, state), home_end) in behaviour.states.iter().zip(&homes) {
            let mut row = state_row(name, state, speed, character, lead);
            row.home_end = *home_end;
            row.first_edge = self.edges.len() as u32;
            self.add_edges(behaviour, state, first_state);
            row.edge_count = self.edges.len() as u32 - row.first_edge;
            row.edge_total = self.edges[row.first_edge as usize..].last().map_or(0, |edge| edge.end);
            self.states.push(row);
        }
        let (block_min, block_span) = span(behaviour.block, to_ticks);
        GroupRow {
            first_state,
            state_count: behaviour.states.len() as u32,
            block_min: block_min.max(TICKS),
            block_span,
            home_total: homes.last().copied().unwrap_or(0),
            ..GroupRow::default()
        }
    }

    /// Holds the first pose in states whose clip a standing character lacks, if the clip in its place walks: nobody walks
    /// on the spot.
    fn hold_poses(&mut self, behaviour: &BehaviourConfig, character: &CrowdCharacter, first_state: usize) {
        let rows = self.states[first_state..].iter_mut();
        for (row, (name, state)) in rows.zip(&behaviour.states) {
            let walks = character
                .clips
                .get(row.clip as usize)
                .is_some_and(|clip| clip.speed > 0.0);
            let wanted = wanted_clip(name, state);
            let has_it = { character.clips.iter() }.any(|clip| clip.name.eq_ignore_ascii_case(wanted));
            if walks && !has_it {
                (row.rate, row.stride) = (0, 0);
            }
        }
    }

    fn add_edges(&mut self, behaviour: &BehaviourConfig, state: &StateConfig, first_state: u32) {
        let possible = |(name, weight): &(&String, &f32)| **weight > 0.0 && behaviour.states.contains_key(*name);
        let names: Vec<_> = state.next.iter().filter(possible).map(|(name, _)| name).collect();
        let ends = cumulate(names.iter().map(|name| state.next[*name]));
        for (name, end) in names.into_iter().zip(ends) {
            let index = behaviour.states.keys().take_while(|other| *other != name).count();
            let fade = state.fades.get(name).unwrap_or(&behaviour.states[name].fade);
            self.edges.push(EdgeRow {
                state: first_state + index as u32,
                end,
                fade: to_ticks(*fade),
                pad: 0,
            });
        }
    }
}

/// Name of the clip that a state asks for: its own name, unless it states another.
pub(super) fn wanted_clip<'a>(name: &'a str, state: &'a StateConfig) -> &'a str {
    if state.clip.is_empty() { name } else { &state.clip }
}

fn state_row(
    name: &str,
    state: &StateConfig,
    speed: f32,
    character: &CrowdCharacter,
    lead: Option<&[CrowdCharacter]>,
) -> StateRow {
    let (clip, rate) = find_clip(character, wanted_clip(name, state));
    let own = character.clips.get(clip as usize);
    // Strides are in metres of the file. Where a person walks alone, that person's size counts; where all walk at one
    // speed, the character's size.
    let size = if lead.is_some() { character.fit } else { 1.0 };
    let metres = own.map_or(0.0, |own| own.speed.max(0.0) * own.duration * size);
    // People who march together walk at one speed, that of the first character that has the clip.
    let common = own.and_then(|own| {
        let others = lead.unwrap_or_default().iter();
        let mut speeds = others.flat_map(|other| other.clips.iter().map(|clip| (clip, clip.speed * other.fit)));
        speeds.find(|(clip, speed)| *speed > 0.0 && clip.name.eq_ignore_ascii_case(&own.name))
    });
    let rate = match common {
        Some((_, speed)) if metres > 0.0 => to_rate(f64::from(speed / metres)),
        _ => rate,
    };
    let goes_on = state.wrap.unwrap_or_default() == Wrap::Loop;
    let speeds = [state.speed[0] * speed, state.speed[1] * speed];
    let reversed = if speeds[0] + speeds[1] < 0.0 { FLAG_REVERSED } else { 0 };
    let mut magnitudes = speeds.map(f32::abs);
    magnitudes.sort_by(f32::total_cmp);
    let (speed_min, speed_span) = span(magnitudes, to_ticks);
    let (dwell_min, dwell_span) = span(state.dwell, to_ticks);
    StateRow {
        clip,
        rate,
        speed_min,
        speed_span,
        flags: wrap_code(state.wrap.unwrap_or_default()) | reversed,
        dwell_min: dwell_min.max(1),
        dwell_span,
        fade: to_ticks(state.fade),
        stride: if goes_on { to_ticks(metres) } else { 0 },
        ..StateRow::default()
    }
}

/// Index of a clip, and its cycles per second as a fixed-point rate.
fn find_clip(character: &CrowdCharacter, name: &str) -> (u32, u32) {
    let find = |name: &str| {
        let mut clips = character.clips.iter();
        clips.position(|clip| clip.name.eq_ignore_ascii_case(name))
    };
    let index = find(name).or_else(|| find("idle")).unwrap_or(0);
    let rate = |clip: &CrowdClip| to_rate(1.0 / f64::from(clip.duration));
    let lasting = character.clips.get(index).filter(|clip| clip.duration > 0.0);
    (index as u32, lasting.map_or(0, rate))
}

/// Lower end and width of a range.
fn span(range: [f32; 2], convert: impl Fn(f32) -> u32) -> (u32, u32) {
    let (low, high) = (convert(range[0]), convert(range[1]));
    (low, high.saturating_sub(low))
}

/// Running sums of weights, normalised to a common sum; a weight above 0 stays above 0.
fn cumulate(weights: impl Iterator<Item = f32> + Clone) -> Vec<u32> {
    let total: f32 = weights.clone().sum();
    let mut sum = 0;
    let steps = weights.map(|weight| {
        let share = if weight > 0.0 {
            (weight / total * WEIGHT_SUM).round().max(1.0)
        } else {
            0.0
        };
        sum += share as u32;
        sum
    });
    steps.collect()
}

#[cfg(test)]
#[path = "compile_schedule_tests.rs"]
mod tests;
