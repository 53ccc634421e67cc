//! How it is drawn: technique, atlas, quality, light.

use egui::{Label, Response, RichText, Ui};

use crate::{
    app::{
        panel::widgets::style::{choose, choose_if, reserved, row, slider},
        state::AppState,
    },
    config::{
        Raster, RenderConfig,
        limits::{self, single},
    },
    render::DrawMethod,
    scene::Scene,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let render = &mut state.config.render;
    let mut method = DrawMethod::new(render.technique, render.format, state.source);
    method_choice(ui, &mut method, [" (T)", " (B)"]);
    (render.technique, render.format, state.source) = (method.technique, method.format, method.source);
    cautions(ui, state.shown.scene.as_deref(), method);
    row(
        ui,
        "frames",
        "blend the two nearest baked frames; if off, show the nearest one",
        |ui| ui.checkbox(&mut render.interpolate, "interpolate"),
    );
    smoothing(ui, render);
    raster(ui, state);
    detail(ui, state);
    vsync(ui, state);
    light(ui, state);
}

/// What cleans edges: samples, or a filter over one of them.
fn smoothing(ui: &mut Ui, render: &mut RenderConfig) {
    row(ui, "smoothing", "what cleans edges", |ui| {
        for (choice, name, hint) in [
            ((1, false), "off", "one sample per pixel"),
            (
                (1, true),
                "FXAA",
                "one sample per pixel, edges smoothed by a filter after tone mapping",
            ),
            ((4, false), "4 samples", "samples per pixel"),
        ] {
            let mut now = (render.msaa, render.fxaa);
            ui.selectable_value(&mut now, choice, name).on_hover_text(hint);
            (render.msaa, render.fxaa) = now;
        }
    });
}

/// What rasterises, and what stands in the way of what was asked for.
fn raster(ui: &mut Ui, state: &mut AppState) {
    let hint = "what finds out which samples people cover: the graphics pipe, or a compute shader for those who are \
                small in the picture, with levels of detail and culling";
    choose(ui, "rasteriser", hint, &mut state.config.render.raster);
    if state.config.render.raster == Raster::Compute {
        let hint = "people of at most so many rows (pixels times the square root of the samples) are rasterised in \
                    compute, the others by the graphics pipe";
        row(ui, "in compute", hint, |ui| {
            let rows = slider(&mut state.config.render.raster_rows, limits::RASTER_ROWS);
            ui.add(rows.logarithmic(true).suffix(" rows"))
        });
    }
}

/// Which levels of detail serve, and who is left out.
fn detail(ui: &mut Ui, state: &mut AppState) {
    let technique = state.config.render.technique.facts();
    let why = (!technique.levels).then(|| format!("technique {} draws everyone at full detail", technique.name));
    ui.add_enabled_ui(why.is_none(), |ui| detail_rows(ui, state, why.as_deref()));
}

/// The rows themselves, or why they do nothing.
fn detail_rows(ui: &mut Ui, state: &mut AppState, why: Option<&str>) {
    let hint = |usual: &'static str| why.map_or(usual.to_owned(), str::to_owned);
    let told = |response: Response, usual: &'static str| {
        let hint = hint(usual);
        response.on_disabled_hover_text(&hint).on_hover_text(hint);
    };
    let share = state.levels_share;
    let (render, inspect) = (&mut state.config.render, &mut state.inspect);
    let coarse =
        "how coarse levels of detail may be: 1 up to where they cannot be told from full detail, 0 full detail only";
    row(ui, "detail", &hint(coarse), |ui| {
        let slider = slider(&mut render.detail, single(&limits::DETAIL));
        told(ui.add(slider.logarithmic(true).max_decimals(2)), coarse);
    });
    let unseen = "people whom the view does not show; the picture stays the same";
    if let Some(share) = share {
        ui.weak(format!("making levels of detail: {:.0} %", 100.0 * share));
    }
    row(ui, "leave out", &hint(unseen), |ui| {
        told(ui.checkbox(&mut render.cull, "unseen"), unseen);
        let outside = egui::Checkbox::new(&mut inspect.outside, "outside");
        told(ui.add_enabled(render.cull, outside), "people outside the view");
        let hidden = egui::Checkbox::new(&mut inspect.hidden, "hidden");
        told(ui.add_enabled(render.cull, hidden), "people behind others");
    });
    row(ui, "look at", &hint("what detail and culling decide"), |ui| {
        told(
            ui.checkbox(&mut inspect.levels, "levels"),
            "colours by level of detail: white is full, then green to blue",
        );
        told(
            ui.checkbox(&mut inspect.frozen, "freeze"),
            "keep who is drawn, and fly around to see it",
        );
    });
}

/// Technique, format and source; the latter two where the technique has them.
pub(crate) fn method_choice(ui: &mut Ui, method: &mut DrawMethod, keys: [&str; 2]) {
    let technique = format!("how vertices are animated{}", keys[0]);
    choose(ui, "technique", &technique, &mut method.technique);
    let facts = method.technique.facts();
    let format = format!("encoding of the animation atlas{}", keys[1]);
    choose_if(ui, facts.reads_format(), "format", &format, &mut method.format);
    let source = "where the shader reads animation data from";
    choose_if(ui, facts.has_source(), "read from", source, &mut method.source);
}

/// Who does not fit into the format chosen.
pub(crate) fn cautions(ui: &mut Ui, scene: Option<&Scene>, method: DrawMethod) {
    let told = scene.into_iter().flat_map(|s| s.cautions(method.atlas_format()));
    let told: Vec<String> = told.map(|caution| caution.to_string()).collect();
    let first = match told.len() {
        0 | 1 => told.concat(),
        count => format!("{} (and {} more)", told[0], count - 1),
    };
    reserved(ui, 1, |ui| {
        let line = Label::new(RichText::new(first).color(ui.visuals().warn_fg_color)).truncate();
        ui.add(line).on_hover_text(told.join("\n"));
    });
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
    row(ui, "shadows", "sun shadows", |ui| {
        ui.checkbox(&mut look.shadows, "sun shadows")
    });
    row(
        ui,
        "sun height",
        "above the horizon, degrees: the time of day; below 0 is dusk",
        |ui| {
            ui.add(
                slider(&mut look.sun_elevation, single(&limits::SUN_ELEVATION))
                    .suffix("°")
                    .max_decimals(0),
            )
        },
    );
    row(ui, "clouds", "share of the sky that they cover", |ui| {
        ui.add(slider(&mut look.clouds, single(&limits::CLOUDS)).max_decimals(2))
    });
    row(ui, "sun azimuth", "clockwise from north, degrees", |ui| {
        ui.add(
            slider(&mut look.sun_azimuth, single(&limits::SUN_AZIMUTH))
                .suffix("°")
                .max_decimals(0),
        )
    });
    row(ui, "exposure", "exposure compensation, stops", |ui| {
        ui.add(slider(&mut look.exposure, single(&limits::EXPOSURE)).max_decimals(1))
    });
    choose(ui, "ground", "ground pattern", &mut look.ground);
}
