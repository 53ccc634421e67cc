//! Names of the parameters that vary from picture to picture.

use std::str::FromStr;

/// Parameter that may vary from picture to picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VaryWhat {
    /// Camera position and field of view.
    Camera,
    /// Number of people.
    Count,
    /// Sun and exposure.
    Light,
    /// Scene time.
    Time,
    /// Seed of the crowd.
    Seed,
    /// Kind of the light: day, low sun, overcast, dusk, night.
    Sky,
    /// Share of the sky that clouds cover.
    Clouds,
    /// Visibility in haze.
    Haze,
    /// Layout of the people, and pattern of the ground.
    Layout,
    /// Picture or panorama behind the people, instead of ground and sky.
    Background,
    /// Roll of the camera.
    Roll,
    /// Distortion of the lens.
    Distortion,
    /// Blur of the lens.
    Blur,
    /// Noise of the sensor.
    Noise,
    /// Colours of clothes and hair.
    Clothes,
    /// Shares of the characters in the crowd.
    Cast,
}

/// Parameters that vary from picture to picture; all others stay as in the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary(pub Vec<VaryWhat>);

impl Vary {
    const NAMES: [(&str, VaryWhat); 16] = [
        ("camera", VaryWhat::Camera),
        ("count", VaryWhat::Count),
        ("light", VaryWhat::Light),
        ("time", VaryWhat::Time),
        ("seed", VaryWhat::Seed),
        ("sky", VaryWhat::Sky),
        ("clouds", VaryWhat::Clouds),
        ("haze", VaryWhat::Haze),
        ("layout", VaryWhat::Layout),
        ("background", VaryWhat::Background),
        ("roll", VaryWhat::Roll),
        ("distortion", VaryWhat::Distortion),
        ("blur", VaryWhat::Blur),
        ("noise", VaryWhat::Noise),
        ("clothes", VaryWhat::Clothes),
        ("cast", VaryWhat::Cast),
    ];

    /// Returns the parameters that vary unless others are named.
    #[must_use]
    pub fn usual() -> Self {
        Self(vec![
            VaryWhat::Camera,
            VaryWhat::Count,
            VaryWhat::Light,
            VaryWhat::Time,
            VaryWhat::Seed,
        ])
    }

    /// Returns all parameters but one.
    #[must_use]
    pub fn without(mut self, what: VaryWhat) -> Self {
        self.0.retain(|own| *own != what);
        self
    }

    /// True if a parameter varies.
    #[must_use]
    pub fn has(&self, what: VaryWhat) -> bool {
        self.0.contains(&what)
    }

    /// Returns the names of the parameters that vary.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        Self::NAMES
            .iter()
            .filter(|(_, what)| self.has(*what))
            .map(|(name, _)| *name)
    }
}

/// Parses `camera,count,light` and the other names, in any order.
impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let what = |name: &str| {
            let known = Self::NAMES.iter().find(|(own, _)| *own == name.trim());
            known.map(|(_, what)| *what).ok_or_else(|| {
                let names = Self::NAMES.map(|(name, _)| name).join(", ");
                format!("{name:?} cannot vary; use {names}")
            })
        };
        let mut all: Vec<VaryWhat> = text.split(',').map(what).collect::<Result<_, _>>()?;
        all.sort_unstable();
        all.dedup();
        Ok(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_any_order() {
        let vary: Vary = "noise,camera, noise".parse().expect("names");
        assert_eq!(vary.names().collect::<Vec<_>>(), ["camera", "noise"]);
        assert_eq!("camera,count,light,time,seed".parse(), Ok(Vary::usual()));
        let error = "camera,weather".parse::<Vary>().expect_err("wrong");
        assert!(error.contains("weather") && error.contains("haze"), "{error}");
        assert!(!Vary::usual().without(VaryWhat::Count).has(VaryWhat::Count));
    }
}
