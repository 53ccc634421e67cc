//! Render section: technique, atlas, anti-aliasing, rasterizer, LODs and culling; and the Light section.

use egui::{Label, Response, RichText, Ui};

use crate::{
    app::{
        panel::{
            overlay::heat,
            widgets::{
                mark::{self, marked},
                setting_rows::SettingRows,
                style::{self, choose, choose_if, reserved, row, slider},
            },
        },
        state::{AppState, Inspect},
    },
    config::{
        Effort, Raster, RenderConfig,
        limits::{self, single},
    },
    render::{DrawMethod, heat::overdraw_heat},
    scene::Scene,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let render = &mut state.config.render;
    let mut method = DrawMethod::new(render.technique, render.format, state.source);
    let usual = &state.preset.render;
    let usual = DrawMethod::new(usual.technique, usual.format, state.source);
    method_marked(ui, &mut method, Some(&usual), [" (T)", " (B)"]);
    (render.technique, render.format, state.source) = (method.technique, method.format, method.source);
    format_warnings(ui, state.shown.scene.as_deref(), method);
    render.show_rows(&state.preset.render, &mut SettingRows { ui });
    effort(ui, render, &state.preset.render);
    smoothing(ui, render, &state.preset.render);
    raster(ui, state);
    detail(ui, state);
    overdraw(ui, &mut state.inspect, state.compare.on);
    vsync(ui, state);
}

/// Tooltip of the effort.
const EFFORT: &str = "effort of pictures: light has one sample with FXAA, a small shadow map, simple ground and sky and \
                      coarse levels of detail, for adapters that render on the CPU; full draws all that the settings \
                      say. Copied commands and saved scenes keep it";

/// Switch between light and full effort in the header, where the adapter renders on the CPU or light is on.
pub(crate) fn light_switch(ui: &mut Ui, render: &mut RenderConfig, software: bool) {
    let mut light = render.effort.is_light();
    if (software || light) && ui.toggle_value(&mut light, "light").on_hover_text(EFFORT).clicked() {
        render.effort = if light { Effort::Light } else { Effort::Full };
    }
}

/// Row for the effort: full or light.
fn effort(ui: &mut Ui, render: &mut RenderConfig, preset: &RenderConfig) {
    let tell = |effort: &Effort| effort.in_pictures().name().to_owned();
    let (mut now, usual) = (render.effort.in_pictures(), preset.effort.in_pictures());
    let before = now;
    marked(ui, "effort", EFFORT, &mut now, &usual, tell, |ui, now| {
        for choice in [Effort::Full, Effort::Light] {
            ui.selectable_value(now, choice, choice.name()).on_hover_text(EFFORT);
        }
    });
    if now != before {
        render.effort = if now == usual { preset.effort } else { now };
    }
}

/// Anti-aliasing row: MSAA or FXAA. Light effort draws one sample, whatever is set.
fn smoothing(ui: &mut Ui, render: &mut RenderConfig, preset: &RenderConfig) {
    const CHOICES: [((u32, bool), &str, &str); 3] = [
        ((1, false), "off", "one sample per pixel"),
        (
            (1, true),
            "FXAA",
            "one sample per pixel, with a filter of edges after tone mapping",
        ),
        ((4, false), "4 samples", "four samples per pixel (MSAA)"),
    ];
    let of = |render: &RenderConfig| (render.msaa, render.fxaa);
    let name = |value: &(u32, bool)| {
        let known = CHOICES.iter().find(|(choice, ..)| choice == value);
        known.map_or_else(
            || format!("{} samples, FXAA", value.0),
            |(_, name, _)| (*name).to_owned(),
        )
    };
    let mut now = of(render);
    marked(
        ui,
        "smoothing",
        "anti-aliasing of edges",
        &mut now,
        &of(preset),
        name,
        |ui, now| {
            let light = render.effort.is_light();
            ui.add_enabled_ui(!light, |ui| {
                for (choice, name, hint) in CHOICES {
                    let button = ui.selectable_value(now, choice, name).on_hover_text(hint);
                    button.on_disabled_hover_text("one sample with FXAA while the effort is light");
                }
            });
        },
    );
    (render.msaa, render.fxaa) = now;
}

/// Rows for the rasterizer: the choice, and its result or limit.
fn raster(ui: &mut Ui, state: &mut AppState) {
    let hint = "rasterizer of people: hardware; compute, a software rasterizer for people who are small in the \
                picture, with levels of detail and culling; or auto, the faster of the two";
    choose(ui, "rasterizer", hint, &mut state.config.render.raster);
    reserved(ui, 1, |ui| match state.config.render.raster {
        Raster::Auto => raster_text(ui, state),
        Raster::Compute => sw_raster_max_rows(ui, &mut state.config.render.sw_raster_max_rows),
        Raster::Hardware => {}
    });
}

/// Line about the rasterizer that `auto` uses, with the reason as tooltip.
fn raster_text(ui: &mut Ui, state: &AppState) {
    if let Some([line, sentences]) = state.raster_text() {
        let line = Label::new(RichText::new(line).weak()).truncate();
        ui.add(line).on_hover_text(sentences);
    }
}

/// Slider for the maximum height of people drawn by the software rasterizer.
fn sw_raster_max_rows(ui: &mut Ui, rows: &mut u32) {
    let hint = "maximum height (sample rows: pixels times the square root of the samples) of people drawn by the \
                software rasterizer; taller ones use the hardware. From 1,024 on, it draws everything where supported";
    row(ui, "max height", hint, |ui| {
        let rows = slider(rows, limits::SW_RASTER_MAX_ROWS);
        ui.add(rows.logarithmic(true).suffix(" rows"))
    });
}

/// Rows for LODs and culling; disabled for techniques without them.
fn detail(ui: &mut Ui, state: &mut AppState) {
    let technique = state.config.render.technique.facts();
    let why = (!technique.lods).then(|| format!("technique {} draws everyone at full detail", technique.name));
    ui.add_enabled_ui(why.is_none(), |ui| detail_rows(ui, state, why.as_deref()));
}

/// Rows for LODs and culling; `why` they are disabled is their tooltip.
fn detail_rows(ui: &mut Ui, state: &mut AppState, why: Option<&str>) {
    let hint = |usual: &'static str| why.map_or(usual.to_owned(), str::to_owned);
    let told = |response: Response, usual: &'static str| {
        let hint = hint(usual);
        response.on_disabled_hover_text(&hint).on_hover_text(hint);
    };
    let share = state.load.lods_share;
    let (render, inspect) = (&mut state.config.render, &mut state.inspect);
    let coarse = "coarseness of levels of detail: 1 as coarse as cannot be told from full detail, 0 full detail only";
    let (detail, usual) = (&mut render.detail, &state.preset.render.detail);
    marked(
        ui,
        "detail",
        &hint(coarse),
        detail,
        usual,
        f32::to_string,
        |ui, detail| {
            let slider = slider(detail, single(&limits::DETAIL));
            told(ui.add(slider.logarithmic(true).max_decimals(2)), coarse);
        },
    );
    let unseen = "culling of people and triangles that are not visible; the picture stays the same";
    if let Some(share) = share {
        ui.weak(format!("building levels of detail: {}", style::percent(share)));
    }
    row(ui, "culling", &hint(unseen), |ui| {
        told(ui.checkbox(&mut render.cull, "cull"), unseen);
        let outside = egui::Checkbox::new(&mut inspect.culling.outside, "frustum");
        told(
            ui.add_enabled(render.cull, outside),
            "frustum culling: people outside the view",
        );
        let hidden = egui::Checkbox::new(&mut inspect.culling.hidden, "occlusion");
        told(
            ui.add_enabled(render.cull, hidden),
            "occlusion culling: people hidden behind others",
        );
    });
    row(
        ui,
        "inspect",
        &hint("inspection of levels of detail and culling"),
        |ui| {
            told(
                ui.checkbox(&mut inspect.lods, "LODs"),
                "colour people by level of detail: white is full detail, then green to blue",
            );
            told(
                ui.checkbox(&mut inspect.frozen, "freeze"),
                "freeze culling: keep the people drawn now while the camera moves",
            );
            let mut unculled = !inspect.culling.triangles;
            let switch = egui::Checkbox::new(&mut unculled, "unculled");
            told(
                ui.add_enabled(render.cull, switch),
                "disable triangle culling: the hardware rasterizer gets all triangles of the people drawn, including \
             back faces, triangles that cover no sample, and occluded ones",
            );
            inspect.culling.triangles = !unculled;
        },
    );
}

/// Row for the overdraw map, with its colour scale.
fn overdraw(ui: &mut Ui, inspect: &mut Inspect, compared: bool) {
    let hint = "fragments of people, props and scenery shaded per pixel, including those covered later by \
                nearer ones; mean of the samples. Fragments rejected early by the depth test do not count. Always \
                drawn by the hardware rasterizer; ground and sky stay dark";
    row(ui, "overdraw", hint, |ui| {
        let switch = egui::Checkbox::new(&mut inspect.overdraw, "map");
        ui.add_enabled(!compared, switch)
            .on_hover_text(hint)
            .on_disabled_hover_text("not available in the compare view");
        for (fragments, name) in [(1.0, "1"), (2.0, "2"), (4.0, "4"), (8.0, "8+")] {
            let (place, _) = ui.allocate_exact_size(egui::vec2(11.0, 11.0), egui::Sense::hover());
            let color = heat::heat_color(overdraw_heat(fragments));
            let color = if inspect.overdraw {
                color
            } else {
                color.gamma_multiply(0.4)
            };
            ui.painter().rect_filled(place, 2.0, color);
            ui.label(style::quiet(name, inspect.overdraw));
        }
    });
}

/// Rows for technique, format and source; the latter two only if the technique has them.
pub(crate) fn method_choice(ui: &mut Ui, method: &mut DrawMethod, keys: [&str; 2]) {
    method_marked(ui, method, None, keys);
}

/// Rows for a draw method, with marks where it differs from the preset.
fn method_marked(ui: &mut Ui, method: &mut DrawMethod, usual: Option<&DrawMethod>, keys: [&str; 2]) {
    let usual = usual.copied().unwrap_or(*method);
    let technique = format!("technique of vertex animation{}", keys[0]);
    mark::choose(ui, "technique", &technique, &mut method.technique, &usual.technique);
    let facts = method.technique.facts();
    let format = format!("encoding of the animation atlas{}", keys[1]);
    if facts.reads_format() {
        mark::choose(ui, "format", &format, &mut method.format, &usual.format);
    } else {
        choose_if(ui, false, "format", &format, &mut method.format);
    }
    let source = "storage buffer or texture that shaders read animation data from";
    choose_if(ui, facts.has_source(), "read from", source, &mut method.source);
}

/// Warnings about characters that do not fit the chosen format.
pub(crate) fn format_warnings(ui: &mut Ui, scene: Option<&Scene>, method: DrawMethod) {
    let told = scene.into_iter().flat_map(|s| s.format_warnings(method.atlas_format()));
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
        "synchronize with the display (V); turn off for the maximum frame rate",
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

/// Rows for sun, sky and ground.
pub(crate) fn light(ui: &mut Ui, state: &mut AppState) {
    let (look, usual) = (&mut state.config.look, &state.preset.look);
    look.show_rows(usual, &mut SettingRows { ui });
}

#[cfg(test)]
mod tests {
    use egui::Shape;

    use super::*;
    use crate::{
        app::{
            auto_raster::tests::measured,
            panel::tests::{PanelScreen, at, has},
        },
        config::{Config, Technique},
        render::ViewMode,
    };

    fn state() -> AppState {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 2;
        AppState::showing(config)
    }

    #[test]
    fn one_click_changes_the_effort() {
        let (mut state, mut screen) = (state(), PanelScreen::new());
        let lights = |texts: &[(String, egui::Pos2)]| texts.iter().filter(|(text, _)| text == "light").count();
        assert_eq!(lights(&screen.settled(&mut state)), 1, "only in the Render section");
        state.shown.stats.adapter.kind = crate::gpu::AdapterKind::Cpu;
        (state.config.render.effort, state.preset.render.effort) = (Effort::Light, Effort::Light);
        let texts = screen.settled(&mut state);
        assert_eq!(lights(&texts), 2, "and at the top of the panel");
        let first = at(&texts, "light");
        assert!(first.y < 30.0, "{first}");
        for effort in [Effort::Full, Effort::Light] {
            screen.click(&mut state, first + egui::vec2(3.0, 3.0));
            screen.settled(&mut state);
            assert_eq!(state.config.render.effort, effort);
        }
        // A command says what is drawn.
        let command = state.shot_command(&crate::gpu::adapter::AdapterChoice::Auto);
        assert!(command.is_ok_and(|text| text.contains("--effort light")));
    }

    #[test]
    fn auto_shows_the_rasterizer_in_use_and_the_reason() {
        let (mut state, mut screen) = (state(), PanelScreen::new());
        assert!(has(&screen.settled(&mut state), "auto: hardware, not measured yet"));
        state.auto_raster = measured([5.2, 3.1]);
        assert!(has(&screen.settled(&mut state), "auto: compute, 3.1 ms against 5.2 ms"));
        state.compare.on = true;
        assert!(has(&screen.settled(&mut state), "auto: hardware, two pictures"));
        state.config.render.technique = Technique::Live;
        assert!(has(&screen.settled(&mut state), "auto: hardware, technique live"));
        state.config.render.raster = Raster::Hardware;
        assert!(!has(&screen.settled(&mut state), "auto: "));
    }

    #[test]
    fn the_overdraw_map_has_a_scale_and_excludes_the_compare_view() {
        let (mut state, mut screen) = (state(), PanelScreen::new());
        let colors = |state: &mut AppState, screen: &mut PanelScreen| {
            let shapes = screen.shapes(state, Vec::new()).into_iter();
            let fills: Vec<_> = shapes
                .filter_map(|shape| match shape {
                    Shape::Rect(rect) => Some(rect.fill),
                    _ => None,
                })
                .collect();
            let shown = [1.0, 2.0, 4.0, 8.0].map(|n| heat::heat_color(overdraw_heat(n)));
            shown.map(|color| fills.contains(&color))
        };
        let texts = screen.settled(&mut state);
        assert!(
            ["overdraw", "map", "8+"].iter().all(|text| has(&texts, text)),
            "{texts:?}"
        );
        assert_ne!(colors(&mut state, &mut screen), [true; 4]);
        let size = (1280, 720);
        assert_eq!(state.frame_input(size, 0.0).mode, ViewMode::Light);
        screen.click(&mut state, at(&texts, "map") + egui::vec2(4.0, 4.0));
        assert!(state.inspect.overdraw);
        assert_eq!(state.frame_input(size, 0.0).mode, ViewMode::Overdraw);
        assert_eq!(colors(&mut state, &mut screen), [true; 4]);
        assert_eq!(state.picture_input().mode, ViewMode::Light, "files have the picture");
        state.compare.on = true;
        assert_eq!(state.frame_input(size, 0.0).mode, ViewMode::Light);
        screen.click(&mut state, at(&texts, "map") + egui::vec2(4.0, 4.0));
        assert!(state.inspect.overdraw, "greyed");
    }
}
