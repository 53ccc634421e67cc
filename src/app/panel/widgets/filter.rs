//! Text field that filters a list of names.

use egui::{AsIdSalt, TextEdit, Ui};

/// Number of names from which a list has a filter.
const MANY: usize = 8;

/// Part of a name, in lower case; an empty one matches every name.
pub(crate) struct NameFilter(String);

impl NameFilter {
    /// True if a name contains the typed text; upper and lower case are equal.
    #[must_use]
    pub(crate) fn matches(&self, name: &str) -> bool {
        name.to_lowercase().contains(&self.0)
    }
}

/// Text field for a list of `count` names; short lists have none and match everything. `key` identifies the list.
pub(crate) fn filter(ui: &mut Ui, key: impl AsIdSalt, count: usize) -> NameFilter {
    if count < MANY {
        return NameFilter(String::new());
    }
    let typed = ui.scope_id().with(key).with("filter");
    let mut text = ui.data_mut(|data| data.get_temp::<String>(typed)).unwrap_or_default();
    let field = TextEdit::singleline(&mut text)
        .id(typed.with("field"))
        .hint_text("filter by name")
        .desired_width(f32::INFINITY);
    if ui.add(field).changed() {
        ui.data_mut(|data| data.insert_temp(typed, text.clone()));
    }
    NameFilter(text.trim().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::NameFilter;

    #[test]
    fn filters_ignore_case_and_match_any_part() {
        let filter = NameFilter("walk".to_owned());
        let names = ["Walk", "CharacterArmature|Sidewalk", "run"];
        assert_eq!(names.map(|name| filter.matches(name)), [true, true, false]);
        assert!(NameFilter(String::new()).matches("anything"));
    }
}
