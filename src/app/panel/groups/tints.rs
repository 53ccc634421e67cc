//! Editor of colours of skin, hair and clothes; each person gets one of every list.

use egui::{
    Color32, Popup, PopupCloseBehavior, Rect, Response, Sense, Stroke, StrokeKind, Ui,
    color_picker::{Alpha, color_picker_color32},
    vec2,
};

use crate::{
    app::panel::{
        groups::known::SceneNames,
        widgets::{
            fold::{Fold, FoldClick, fold, keyed},
            mark::marked,
        },
    },
    config::{GroupConfig, TintConfig},
    crowd::tints::{CLOTH, HAIR, RAMP_LEN, REGION_NAMES, REGIONS, SKIN, TRIM, parse_hex},
    render::stats::counted,
};

/// Tooltips of the regions.
const HINTS: [&str; REGIONS] = [
    "skin colours; each person gets one of them",
    "hair colours; each person gets one of them",
    "colours of the main garment; each person gets one of them",
    "colours of the second garment, shoes and belts; each person gets one of them",
];
/// Built-in colours.
const BUILT_IN: [&[&str]; REGIONS] = [&SKIN, &HAIR, &CLOTH, &TRIM];
/// Number of colours that a group's own list starts with; small, since all groups share one table.
const FIRST: usize = 6;
/// Edge of an editable colour (points).
const EDGE: f32 = 16.0;
/// Edge of a read-only colour (points).
const SMALL: f32 = 9.0;

/// Folded part with the colours of a group.
pub(super) fn part(
    ui: &mut Ui,
    own: &mut GroupConfig,
    preset: &GroupConfig,
    scene: &TintConfig,
    key: &str,
    known: &SceneNames,
) {
    let key = format!("{key}.tints");
    let named = REGION_NAMES.iter().zip(lists(&own.tints));
    let named: Vec<&str> = named
        .filter(|(_, list)| !list.is_empty())
        .map(|(name, _)| *name)
        .collect();
    let summary = match named.is_empty() {
        true => "those of everyone".to_owned(),
        false => format!("own {}", named.join(", ")),
    };
    let line = Fold {
        title: "colours",
        summary: &summary,
        hint: "colours of this group only",
        is_wrong: known.is_wrong_within(&key),
        usual: (own.tints != preset.tints).then(|| "other colours".to_owned()),
        remove: None,
    };
    let (tints, usual) = (&mut own.tints, &preset.tints);
    let asked = fold(ui, "tints", &line, |ui| {
        show(ui, tints, usual, Some(scene), &key, known)
    });
    if asked == FoldClick::Reset {
        own.tints.clone_from(&preset.tints);
    }
}

/// Row of colours for each region; an empty list shows those of `scene` or the built-in ones.
pub(super) fn show(
    ui: &mut Ui,
    own: &mut TintConfig,
    preset: &TintConfig,
    scene: Option<&TintConfig>,
    key: &str,
    known: &SceneNames,
) {
    for (region, list) in lists_mut(own).into_iter().enumerate() {
        let of_scene = scene.map(|scene| lists(scene)[region].as_slice()).unwrap_or_default();
        let inherited: Vec<&str> = match of_scene {
            [] => BUILT_IN[region].to_vec(),
            colours => colours.iter().map(String::as_str).collect(),
        };
        let is_group = scene.is_some();
        let tell = |list: &Vec<String>| match (list.len() as u64, is_group) {
            (0, true) => "the scene's colours".to_owned(),
            (0, false) => "the built-in colours".to_owned(),
            (count, _) => counted(count, "colour"),
        };
        let (label, hint, usual) = (REGION_NAMES[region], HINTS[region], lists(preset)[region]);
        keyed(ui, region, |ui| {
            marked(ui, label, hint, list, usual, tell, |ui, list| {
                ui.horizontal_wrapped(|ui| row(ui, list, &inherited, is_group));
            });
        });
        known.tell_within(ui, &format!("{key}.{}", REGION_NAMES[region]));
    }
    known.tell_at(ui, "scene.tints");
}

fn row(ui: &mut Ui, list: &mut Vec<String>, inherited: &[&str], is_group: bool) {
    ui.spacing_mut().item_spacing = vec2(3.0, 3.0);
    if list.is_empty() {
        let (label, hint) = match is_group {
            true => ("own", "give this group its own colours, starting with some of these"),
            false => (
                "change",
                "give this scene its own colours, starting with the built-in ones",
            ),
        };
        if ui.small_button(label).on_hover_text(hint).clicked() {
            let step = if is_group { inherited.len().div_ceil(FIRST) } else { 1 };
            list.extend(inherited.iter().step_by(step).map(|&text| text.to_owned()));
        }
        for text in inherited {
            let (place, _) = ui.allocate_exact_size(vec2(SMALL, SMALL), Sense::hover());
            paint(ui, place, colour_of(text), Stroke::NONE);
        }
        return;
    }
    let mut removed = None;
    for (index, text) in list.iter_mut().enumerate() {
        if one(ui, index, text) {
            removed = Some(index);
        }
    }
    if let Some(index) = removed {
        list.remove(index);
    }
    let add = ui.add_enabled(list.len() < RAMP_LEN, egui::Button::new("+").small());
    if add.on_hover_text("add a colour").clicked()
        && let Some(last) = list.last().cloned()
    {
        list.push(last);
    }
}

/// Colour that opens a picker; true if it should be removed.
fn one(ui: &mut Ui, index: usize, text: &mut String) -> bool {
    let swatch = swatch(ui, index, text);
    let mut removed = false;
    let popup = Popup::menu(&swatch).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| {
        let mut colour = colour_of(text);
        if color_picker_color32(ui, &mut colour, Alpha::Opaque) {
            *text = hex(colour);
        }
        if ui.button("remove").on_hover_text("remove this colour").clicked() {
            removed = true;
            ui.close();
        }
    });
    removed
}

/// Clickable colour, identified by its index, so that an open picker stays open when other rows change.
fn swatch(ui: &mut Ui, index: usize, text: &str) -> Response {
    let (_, place) = ui.allocate_space(vec2(EDGE, EDGE));
    let response = ui.interact(place, ui.scope_id().with(("colour", index)), Sense::click());
    let edge = ui.style().interact(&response).fg_stroke;
    paint(ui, place, colour_of(text), Stroke::new(1.0, edge.color));
    response.on_hover_text(format!("{text}: click to change or remove it"))
}

fn paint(ui: &Ui, place: Rect, colour: Color32, edge: Stroke) {
    ui.painter().rect(place, 2.0, colour, edge, StrokeKind::Inside);
}

/// Colour of a setting; transparent for invalid text, which validation rejects.
fn colour_of(text: &str) -> Color32 {
    parse_hex(text).map_or(Color32::TRANSPARENT, |packed| {
        let [r, g, b, _] = packed.to_le_bytes();
        Color32::from_rgb(r, g, b)
    })
}

/// Colour as written in settings, such as `#01abff`.
pub(super) fn hex(colour: Color32) -> String {
    let [r, g, b, _] = colour.to_array();
    format!("#{r:02x}{g:02x}{b:02x}")
}

const fn lists(tints: &TintConfig) -> [&Vec<String>; REGIONS] {
    [&tints.skin, &tints.hair, &tints.cloth, &tints.trim]
}

const fn lists_mut(tints: &mut TintConfig) -> [&mut Vec<String>; REGIONS] {
    [&mut tints.skin, &mut tints.hair, &mut tints.cloth, &mut tints.trim]
}
