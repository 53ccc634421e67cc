//! Behaviours as flat tables, in the layout that the GPU reads.

/// Maximum number of states in one block.
pub const MAX_STEPS: u32 = 8;
/// Shortest block (ticks): one second.
pub const SHORTEST_BLOCK: u32 = 1 << 16;
/// Longest block (ticks): about 4.5 hours.
pub const LONGEST_BLOCK: u32 = 1 << 30;
/// [`GroupRow::flags`]: all members share one schedule.
pub const FLAG_SHARED: u32 = 1;
/// [`GroupRow::flags`]: all blocks are equal; members are offset by their place in the wave.
pub const FLAG_WAVE: u32 = 2;
/// [`GroupRow::flags`]: members move by their clips' root motion. All blocks are equal, so that the distance covered in
/// one is known.
pub const FLAG_TRAVELS: u32 = 4;
/// [`GroupRow::flags`]: a march, all members in step from the scene's start on.
pub const MARCHES: u32 = FLAG_SHARED | FLAG_TRAVELS;
/// [`GroupRow::flags`]: each member walks along the path that its instance names.
pub const FLAG_OWN_PATHS: u32 = 8;
/// [`StateRow::flags`]: the wrap mode is in the low bits.
pub const FLAG_WRAP_MASK: u32 = 0xff;
/// [`StateRow::flags`]: the clip plays backwards.
pub const FLAG_REVERSED: u32 = 0x100;

shader_struct!(GroupRow);

shader_struct!(StateRow);

shader_struct!(EdgeRow);

/// All behaviours of a scene for one character (clips differ from character to character).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// One row per group, in the order of group numbers.
    pub groups: Vec<GroupRow>,
    /// States of all groups.
    pub states: Vec<StateRow>,
    /// Transitions of all states.
    pub edges: Vec<EdgeRow>,
}
