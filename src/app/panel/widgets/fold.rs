//! Collapsible parts with a title, summary, mark and remove button.

use egui::{
    Align, AsIdSalt, Label, Layout, Response, RichText, Sense, Ui, UiBuilder, collapsing_header::CollapsingState, vec2,
};

use crate::app::panel::widgets::{mark, style::ERROR};

/// Indentation of the contents of a part (points).
const INDENT: f32 = 13.0;

/// Largest share of a header line that its title and mark take; the rest is cut.
const LONGEST_TITLE: f32 = 0.7;

/// Width of titles (points), so that summaries align.
const TITLE: f32 = 82.0;

/// Header line of a collapsible part.
#[derive(Default)]
pub(crate) struct Fold<'a> {
    /// Title of the part.
    pub title: &'a str,
    /// Short summary of the contents.
    pub summary: &'a str,
    /// Tooltip of the title.
    pub hint: &'a str,
    /// The part contains an invalid setting.
    pub is_wrong: bool,
    /// Value of the preset, if it differs.
    pub usual: Option<String>,
    /// Tooltip of the remove button; `None` without one.
    pub remove: Option<&'a str>,
}

/// Click on the header line of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldClick {
    /// No click that changes the contents.
    Nothing,
    /// Reset to the preset.
    Reset,
    /// Remove the part.
    Removal,
}

/// Scope whose widget ids depend on `key` alone, not on the widgets before it.
pub(crate) fn keyed<R>(ui: &mut Ui, key: impl AsIdSalt, body: impl FnOnce(&mut Ui) -> R) -> R {
    let id = ui.scope_id().with(key);
    ui.scope_builder(UiBuilder::new().scope_id(id), body).inner
}

/// Collapsible part, initially closed; `key` identifies it among its neighbours.
pub(crate) fn fold(ui: &mut Ui, key: impl AsIdSalt, fold: &Fold<'_>, body: impl FnOnce(&mut Ui)) -> FoldClick {
    keyed(ui, key, |ui| {
        ui.spacing_mut().indent = INDENT;
        let open = CollapsingState::load_with_default_open(ui.ctx(), ui.scope_id().with("fold"), false);
        let (mut asked, mut toggled) = (FoldClick::Nothing, false);
        let mut header = open.show_header(ui, |ui| line(ui, fold, &mut asked, &mut toggled));
        if toggled {
            header.toggle();
        }
        header.body(|ui| {
            // Rows of the part end at the same edge as those of the panel.
            ui.spacing_mut().slider_width -= INDENT;
            body(ui);
        });
        asked
    })
}

/// Opens a part that is new: `key` as in [`fold`], with the same `ui`.
pub(crate) fn open(ui: &Ui, key: impl AsIdSalt) {
    let id = ui.scope_id().with(key).with("fold");
    CollapsingState::load_with_default_open(ui.ctx(), id, true).store(ui.ctx());
}

/// Widget that is at most `width` wide (points) and takes no more room than it needs.
fn within(ui: &mut Ui, width: f32, widget: impl FnOnce(&mut Ui) -> Response) -> Response {
    let scope = ui.scope(|ui| {
        ui.set_max_width(width);
        widget(ui)
    });
    scope.inner
}

fn line(ui: &mut Ui, fold: &Fold<'_>, asked: &mut FoldClick, toggled: &mut bool) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if let Some(hint) = fold.remove
            && ui.small_button("×").on_hover_text(hint).clicked()
        {
            *asked = FoldClick::Removal;
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let mut title = RichText::new(fold.title);
            if fold.is_wrong {
                title = title.color(ERROR);
            }
            let size = vec2(mark::WIDTH, ui.spacing().interact_size.y);
            let title = Label::new(title).selectable(false).sense(Sense::click()).truncate();
            let title = within(ui, LONGEST_TITLE * ui.available_width() - size.x, |ui| ui.add(title));
            *toggled = title.on_hover_text(fold.hint).clicked();
            let (place, _) = ui.allocate_exact_size(size, Sense::hover());
            if let Some(usual) = &fold.usual
                && mark::dot(ui, place, "fold", usual)
            {
                *asked = FoldClick::Reset;
            }
            ui.add_space((TITLE - ui.min_rect().width()).max(0.0));
            let summary = RichText::new(fold.summary).small().weak();
            ui.add(Label::new(summary).selectable(false).truncate());
        });
    });
}
