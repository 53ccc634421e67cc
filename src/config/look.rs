//! `[look]`: light, sky and ground.

use crate::config::{
    Ground, Kind,
    keys::{number, words},
    limits,
    section::section,
};

section! {
    rows;

    /// `[look]`.
    ["look"] LookConfig

    /// Height of the sun above the horizon. Sky, sunlight, ambient light and mist follow; below 0 is dusk.
    sun_elevation: f32 = 38.0, number(&limits::SUN_ELEVATION), "degrees",
        row("sun height", "height of the sun above the horizon (°), as the time of day; dusk below 0",
            Slider { suffix: "°", decimals: 0 });

    /// Direction of the sun, clockwise from north (-Z).
    sun_azimuth: f32 = 135.0, number(&limits::SUN_AZIMUTH), "degrees",
        row("sun azimuth", "direction of the sun, clockwise from north (°)", Slider { suffix: "°", decimals: 0 });

    /// Share of the sky that clouds cover.
    clouds: f32 = 0.4, Kind::Number(0.0, 1.0), "",
        row("clouds", "share of the sky covered by clouds, 0 to 1", Slider { suffix: "", decimals: 2 });

    /// Exposure compensation.
    exposure: f32 = 0.0, number(&limits::EXPOSURE), "stops",
        row("exposure", "exposure compensation (stops)", Slider { suffix: "", decimals: 1 });

    /// Shadows of the sun.
    shadows: bool = true, Kind::Bool, "",
        row("shadows", "shadows cast by the sun", Switch { caption: "sun shadows" });

    /// Ground pattern: "plaza", "grass", "pitch" (grass, mown in stripes around the origin), "grid", or "studio" (a plain
    /// floor and backdrop without sky and hills).
    ground: Ground = Ground::Plaza, Kind::OneOf(words::<Ground>), "",
        row("ground", "pattern of the ground", Choice {});
}
