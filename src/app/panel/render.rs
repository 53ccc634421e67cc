//! How it is drawn: technique, atlas, quality, light.

use egui::{Slider, Ui};

use crate::{
    app::{
        panel::widgets::style::{choose, row},
        state::AppState,
    },
    config::limits::{self, single},
    render::DrawMethod,
    scene::Scene,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let render = &mut state.config.render;
    choose(ui, "technique", "how vertices are animated (T)", &mut render.technique);
    choose(ui, "format", "encoding of the animation atlas (B)", &mut render.format);
    choose(
        ui,
        "read from",
        "where the shader reads the atlas from",
        &mut state.source,
    );
    let method = DrawMethod::new(render.technique, render.format, state.source);
    cautions(ui, state.shown.scene.as_deref(), method);
    row(
        ui,
        "frames",
        "blend the two nearest baked frames; if off, show the nearest one",
        |ui| ui.checkbox(&mut render.interpolate, "interpolate"),
    );
    row(ui, "smoothing", "samples per pixel", |ui| {
        ui.selectable_value(&mut render.msaa, 1, "off");
        ui.selectable_value(&mut render.msaa, 4, "4 samples");
    });
    vsync(ui, state);
    light(ui, state);
}

/// Who does not fit into the format chosen.
pub(crate) fn cautions(ui: &mut Ui, scene: Option<&Scene>, method: DrawMethod) {
    for caution in scene.into_iter().flat_map(|s| s.cautions(method.atlas_format())) {
        ui.colored_label(ui.visuals().warn_fg_color, caution.to_string());
    }
}

fn vsync(ui: &mut Ui, state: &mut AppState) {
    let fixed = state.shown.vsync_fixed.clone();
    row(
        ui,
        "vsync",
        "synchronise with the display (V); turn off to see the maximum frame rate",
        |ui| {
            let mut always = true;
            let value = if fixed.is_some() {
                &mut always
            } else {
                &mut state.config.window.vsync
            };
            let response = ui.add_enabled(fixed.is_none(), egui::Checkbox::new(value, "wait for the display"));
            if let Some(why) = fixed {
                response.on_disabled_hover_text(why);
            }
        },
    );
}

fn light(ui: &mut Ui, state: &mut AppState) {
    let look = &mut state.config.look;
    row(ui, "shadows", "sun shadows, up to 30,000 instances", |ui| {
        ui.checkbox(&mut look.shadows, "sun shadows")
    });
    row(ui, "sun height", "above the horizon, degrees", |ui| {
        ui.add(
            Slider::new(&mut look.sun_elevation, single(&limits::SUN_ELEVATION))
                .suffix("°")
                .max_decimals(0),
        )
    });
    row(ui, "sun azimuth", "clockwise from north, degrees", |ui| {
        ui.add(
            Slider::new(&mut look.sun_azimuth, single(&limits::SUN_AZIMUTH))
                .suffix("°")
                .max_decimals(0),
        )
    });
    row(ui, "exposure", "exposure compensation, stops", |ui| {
        ui.add(Slider::new(&mut look.exposure, single(&limits::EXPOSURE)).max_decimals(1))
    });
    choose(ui, "ground", "ground pattern", &mut look.ground);
}
