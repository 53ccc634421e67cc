//! Sections of settings that are declared once. From one table follow the struct, its defaults, the keys and their
//! ranges, the section of `config/default.toml`, and rows of the panel.

/// Declares a section. Each setting has its text, its type and default, the values that it accepts and their unit. A
/// setting with `row` has a row of the panel, in the order of the table.
///
/// The text is the setting's doc comment, and its comment in `config/default.toml`, which adds range and unit to the
/// first sentence.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        [$section:ident] $Section:ident
        $(
            $(#[doc = $text:literal])+
            $name:ident: $Type:ty = $default:expr, $kind:expr, $unit:literal
            $(, row($label:literal, $hint:literal, $Control:ident $how:tt))?;
        )+
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $Section {
            $(
                $(#[doc = $text])+
                pub $name: $Type,
            )+
        }

        impl Default for $Section {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl $Section {
            /// Keys of the section, in the order of the table.
            pub(super) const KEYS: &[$crate::config::Key] = &[$(
                $crate::config::Key {
                    path: concat!(stringify!($section), ".", stringify!($name)),
                    kind: $kind,
                    unit: $unit,
                },
            )+];
            /// Texts of the settings, in the order of the table.
            pub(super) const TEXTS: &[&str] = &[$(concat!($($text, "\n"),+)),+];

            /// Shows the rows of the section.
            #[cfg(feature = "app")]
            pub(crate) fn show_rows<P>(&mut self, preset: &Self, panel: &mut P)
            where
                $($(P: $crate::config::row::ShowRow<$crate::config::row::$Control, $Type>,)?)+
            {
                $($(
                    let setting = $crate::config::row::Setting {
                        label: $label,
                        hint: $hint,
                        kind: $kind,
                        unit: $unit,
                        value: &mut self.$name,
                        preset: &preset.$name,
                    };
                    panel.show($crate::config::row::$Control $how, setting);
                )?)+
            }
        }
    };
}

pub(super) use section;
