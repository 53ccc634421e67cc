//! Colours of people on trajectories: what they mean, and the scale that pictures explain.

use crate::{
    config::{SceneConfig, TrajectoryColor},
    crowd::{
        Instance,
        hash::hash,
        tints::{RAMP_LEN, Ramps},
    },
    tracks::{Agent, Tracks},
};

/// Mean speed (m/s) at the fast end of the colours.
pub const FASTEST_COLOR: f32 = 2.0;
/// Mean density (people per m²) at the dense end of the colours.
pub const DENSEST_COLOR: f32 = 4.0;
/// Row of the tint table that holds main garments.
const CLOTH: usize = 2;
/// Hash salt of the colours of identities.
const IDENTITY: u32 = 0x1d;

/// Values of people that choose their colours.
pub(super) struct TrackColors<'a> {
    tracks: &'a Tracks,
    color: TrajectoryColor,
    /// Mean density of each agent, if that is the colour.
    densities: Vec<f32>,
}

impl<'a> TrackColors<'a> {
    /// Values of all agents.
    pub(super) fn of(tracks: &'a Tracks, color: TrajectoryColor) -> Self {
        let densities = match color {
            TrajectoryColor::Density => tracks.mean_densities(),
            _ => Vec::new(),
        };
        Self {
            tracks,
            color,
            densities,
        }
    }

    /// Instance of an agent in its colour; `place` is the agent's among all.
    pub(super) fn colored(&self, place: u32, instance: Instance) -> Instance {
        let agent = self.tracks.agents.get(place as usize);
        let Some(share) = agent.and_then(|agent| self.share(place, agent)) else {
            return instance;
        };
        let index = (share.clamp(0.0, 1.0) * (RAMP_LEN - 1) as f32).round() as u8;
        let [skin, hair, _, trim] = instance.tints();
        instance.with_tint([skin, hair, index, trim])
    }

    /// Share of the scale, 0..=1 or more; `None` without a scale.
    fn share(&self, place: u32, agent: &Agent) -> Option<f32> {
        let own = self.tracks.samples_of(agent);
        let (first, last) = (own.first()?, own.last()?);
        Some(match self.color {
            TrajectoryColor::None => return None,
            TrajectoryColor::Id => hash(IDENTITY, agent.samples.start as u32, 0) as f32 / u32::MAX as f32,
            TrajectoryColor::Speed => {
                let steps = own.windows(2);
                let way: f32 = steps
                    .map(|pair| (pair[1].x - pair[0].x).hypot(pair[1].y - pair[0].y))
                    .sum();
                way / ((last.time - first.time) as f32).max(0.04) / FASTEST_COLOR
            }
            TrajectoryColor::Density => self.densities.get(place as usize)? / DENSEST_COLOR,
            TrajectoryColor::Destination => {
                let direction = (last.y - first.y).atan2(last.x - first.x) / std::f32::consts::TAU;
                ((direction.rem_euclid(1.0) * 8.0).round() % 8.0) / 8.0
            }
        })
    }
}

/// Colour of main garments (sRGB) at a share of a scale, 0..=1: from blue over green and yellow to red; all around the
/// hues for identities and directions.
#[must_use]
pub fn track_color(color: TrajectoryColor, share: f32) -> [u8; 3] {
    let hue = match color {
        TrajectoryColor::Speed | TrajectoryColor::Density => 0.62 * (1.0 - share),
        TrajectoryColor::None | TrajectoryColor::Id | TrajectoryColor::Destination => share,
    };
    let channel = |offset: f32| {
        let distance = ((hue + offset).rem_euclid(1.0) * 6.0 - 3.0).abs() - 1.0;
        (30.0 + 200.0 * distance.clamp(0.0, 1.0)) as u8
    };
    [0.0, 2.0 / 3.0, 1.0 / 3.0].map(channel)
}

/// Replaces the colours of main garments by those of a scale.
pub(super) fn color_ramps(scene: &SceneConfig, ramps: &mut Ramps) {
    let color = scene.trajectories.color;
    if color == TrajectoryColor::None {
        return;
    }
    for (index, own) in ramps.colours[CLOTH].iter_mut().enumerate() {
        let [r, g, b] = track_color(color, index as f32 / (RAMP_LEN - 1) as f32);
        *own = u32::from_le_bytes([r, g, b, 255]);
    }
}
