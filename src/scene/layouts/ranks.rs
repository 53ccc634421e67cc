//! Ranks: blocks of soldiers with an officer in front, aisles between blocks, all facing +Z.

use rayon::prelude::*;

use crate::{
    config::Group,
    crowd::hash::Draws,
    scene::{Placement, layouts::open::spiral},
};

/// Hash salt of the random numbers of this file.
const SALT: u32 = 0x2a_4c5;
/// Number of soldiers side by side in a block.
const FILES: u32 = 12;
/// Number of soldiers one behind another in a block.
const RANKS: u32 = 8;
/// Number of people in a full block: soldiers and their officer.
const BLOCK: u32 = FILES * RANKS + 1;
/// Distance between ranks, in spacings; files are one spacing apart.
const RANK_STEP: f32 = 1.2;
/// Distance from block to block sideways, in spacings: the block and its aisle.
const BLOCK_WIDTH: f32 = FILES as f32 + 3.0;
/// Distance from front to front, in spacings: the block, its officer and an aisle.
const BLOCK_DEPTH: f32 = RANKS as f32 * RANK_STEP + 4.0;
/// Distance of the officer in front of the first rank, in spacings.
const OFFICER_AHEAD: f32 = 2.0;

/// Places the first `count` people; blocks come in a spiral from the middle, each from its front.
pub(crate) fn place(count: usize, spacing: f32, seed: u64) -> Vec<Placement> {
    let people = (0..count as u32).into_par_iter();
    people.map(|i| person(i, spacing, seed)).collect()
}

fn person(index: u32, spacing: f32, seed: u64) -> Placement {
    let (block, member) = (index / BLOCK, index % BLOCK);
    let (column, row) = spiral(block);
    let (x, z, group) = member_place(member);
    let draws = Draws::new(seed, SALT, index);
    let jitter = (0.05 * spacing).min(0.06);
    let mut placement = Placement::on_ground(
        (column as f32 * BLOCK_WIDTH + x) * spacing + draws.signed(0) * jitter,
        (row as f32 * BLOCK_DEPTH + z) * spacing + draws.signed(1) * jitter,
        draws.signed(2) * 0.03,
        group,
    );
    // A wave runs through the ranks of the whole army from the front to the back.
    placement.phase = (-placement.position.z / (BLOCK_DEPTH * spacing))
        .rem_euclid(1.0)
        .fract();
    placement
}

/// Place within the block in spacings (the block's middle is the origin), and the part played. Each rank fills from
/// the middle outwards.
fn member_place(member: u32) -> (f32, f32, Group) {
    let front = 0.5 * (RANKS - 1) as f32 * RANK_STEP;
    let Some(soldier) = member.checked_sub(1) else {
        return (0.0, front + OFFICER_AHEAD, Group::Officers);
    };
    let (rank, place) = (soldier / FILES, soldier % FILES);
    let side = if place % 2 == 0 { 1.0 } else { -1.0 };
    let x = side * ((place / 2) as f32 + 0.5);
    (x, front - rank as f32 * RANK_STEP, Group::Soldiers)
}
