//! Colours of people on trajectories: what they mean, and the scale that pictures explain.

use rayon::prelude::*;

use crate::{
    config::{SceneConfig, TrajectoryColor, TrajectoryConfig},
    crowd::{
        Instance,
        hash::hash,
        tints::{RAMP_LEN, Ramps},
    },
    tracks::{Agent, ColorScale, Quantity, TrackError, Tracks},
};

/// Row of the tint table that holds main garments.
const CLOTH: usize = 2;
/// Hash salt of the colours of identities.
const IDENTITY: u32 = 0x1d;

impl TrajectoryColor {
    /// Quantity that colours clothes over time; `None` for colours that somebody keeps.
    #[must_use]
    pub const fn quantity(self) -> Option<Quantity> {
        match self {
            Self::None | Self::Id | Self::Destination => None,
            Self::Speed => Some(Quantity::Speed),
            Self::Density => Some(Quantity::Density),
            Self::Column => Some(Quantity::Column),
        }
    }
}

/// Colours of all people of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackColors {
    color: TrajectoryColor,
    /// Scale of colours that change over time.
    pub scale: Option<ColorScale>,
    /// Place of every sample on the scale, 0..=1; empty without one.
    shades: Vec<f32>,
}

impl TrackColors {
    /// Colours of a file with these settings.
    ///
    /// # Errors
    /// A column without any number.
    pub(super) fn of(tracks: &Tracks, own: &TrajectoryConfig) -> Result<Self, TrackError> {
        let Some(quantity) = own.color.quantity() else {
            return Ok(Self {
                color: own.color,
                scale: None,
                shades: Vec::new(),
            });
        };
        let mut shades = tracks.values(quantity);
        if quantity == Quantity::Column && shades.iter().all(|value| value.is_nan()) {
            return Err(no_numbers(own));
        }
        let scale = match own.color_range() {
            Some([from, to]) => ColorScale {
                from: from as f32,
                to: to as f32,
            },
            None => ColorScale::around(&shades),
        };
        shades
            .par_iter_mut()
            .for_each(|value| *value = scale.share(*value).max(0.0));
        Ok(Self {
            color: own.color,
            scale: Some(scale),
            shades,
        })
    }

    /// Place of every sample on the scale, in the order of samples, if colours change over time.
    pub(super) fn shades(&self) -> Option<&[f32]> {
        self.scale.map(|_| self.shades.as_slice())
    }

    /// Instance of an agent in its first colour.
    pub(super) fn colored(&self, tracks: &Tracks, agent: &Agent, instance: Instance) -> Instance {
        let Some(share) = self.first_share(tracks, agent) else {
            return instance;
        };
        let index = (share.clamp(0.0, 1.0) * (RAMP_LEN - 1) as f32).round() as u8;
        let [skin, hair, _, trim] = instance.tints();
        instance.with_tint([skin, hair, index, trim])
    }

    /// Place of an agent's first colour, 0..=1; `None` for clothes of any colour.
    fn first_share(&self, tracks: &Tracks, agent: &Agent) -> Option<f32> {
        let own = tracks.samples_of(agent);
        let (first, last) = (own.first()?, own.last()?);
        match self.color {
            TrajectoryColor::None => None,
            TrajectoryColor::Id => Some(hash(IDENTITY, agent.samples.start as u32, 0) as f32 / u32::MAX as f32),
            TrajectoryColor::Destination => {
                let direction = (last.y - first.y).atan2(last.x - first.x) / std::f32::consts::TAU;
                Some(((direction.rem_euclid(1.0) * 8.0).round() % 8.0) / 8.0)
            }
            TrajectoryColor::Speed | TrajectoryColor::Density | TrajectoryColor::Column => {
                self.shades.get(agent.samples.start).copied()
            }
        }
    }
}

/// Error of a column that gives nothing to colour by.
fn no_numbers(own: &TrajectoryConfig) -> TrackError {
    let name = own.file.file_name().unwrap_or(own.file.as_os_str());
    let problem = if own.color_column.is_empty() {
        "no column of values is named; give --color-by column=NAME".to_owned()
    } else {
        format!("column {:?} holds no numbers to colour people by", own.color_column)
    };
    TrackError::File {
        name: name.to_string_lossy().into_owned(),
        problem,
    }
}

/// Colour of main garments (sRGB) at a share of a scale, 0..=1: from blue over green and yellow to red; all around the
/// hues for identities and directions.
#[must_use]
pub fn track_color(color: TrajectoryColor, share: f32) -> [u8; 3] {
    let hue = match color {
        TrajectoryColor::Speed | TrajectoryColor::Density | TrajectoryColor::Column => 0.62 * (1.0 - share),
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
