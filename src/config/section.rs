//! Sections of settings that are declared once. From one table follow the struct, its defaults, the keys and their
//! ranges, the section of `config/default.toml`, and rows of the panel.

/// Text of a setting in `config/default.toml`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettingText {
    /// Lines of its doc comment, each with a leading space.
    pub(super) text: &'static str,
    /// Value of the commented-out line of a setting without a default.
    pub(super) example: Option<&'static str>,
}

/// Declares a section, after its dotted path. Each setting has its text, its type and default, the values that it accepts and their unit.
///
/// - The text is the setting's doc comment, and its comment in `config/default.toml`, which adds range and unit to the
///   first sentence.
/// - `example` is the value that `config/default.toml` shows for an [`Option`] that is `None`.
/// - A section that begins with `rows;` has rows of the panel: one for each setting with `row`, in the order of the table.
/// - Fields under `tables` are tables and lists of tables. Their types say what they hold, and their keys stand in
///   [`KEYS`](crate::config::KEYS).
macro_rules! section {
    (rows; $($table:tt)+) => {
        section! { $($table)+ }
        section! { @rows $($table)+ }
    };
    (
        $(#[doc = $about:literal])+
        [$section:literal] $Section:ident
        $(
            $(#[doc = $text:literal])+
            $name:ident: $Type:ty = $default:expr, $kind:expr, $unit:literal
            $(, example($example:literal))?
            $(, row($label:literal, $hint:literal, $Control:ident $how:tt))?;
        )+
        $(tables {
            $(
                $(#[$attribute:meta])+
                $table:ident: $Table:ty;
            )+
        })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $Section {
            $(
                $(#[doc = $text])+
                #[doc = ""]
                #[doc = concat!("Values: `", stringify!($kind), "`. Unit: \"", $unit, "\".")]
                $(
                    #[doc = concat!("Such as ", $example, ".")]
                    #[serde(skip_serializing_if = "Option::is_none")]
                )?
                pub $name: $Type,
            )+
            $($(
                $(#[$attribute])+
                pub $table: $Table,
            )+)?
        }

        impl Default for $Section {
            fn default() -> Self {
                Self {
                    $($name: $default,)+
                    $($($table: Default::default(),)+)?
                }
            }
        }

        impl $Section {
            /// Keys of the section, in the order of the table.
            pub(in crate::config) const KEYS: &[$crate::config::Key] = &[$(
                $crate::config::Key {
                    path: concat!($section, ".", stringify!($name)),
                    kind: $kind,
                    unit: $unit,
                },
            )+];
            /// Texts of the settings, in the order of the table.
            pub(in crate::config) const TEXTS: &[$crate::config::section::SettingText] = &[$(
                $crate::config::section::SettingText {
                    text: concat!($($text, "\n"),+),
                    example: section!(@example $($example)?),
                },
            )+];
        }
    };
    (@example) => { None };
    (@example $example:literal) => { Some($example) };
    (
        @rows
        $(#[doc = $about:literal])+
        [$section:literal] $Section:ident
        $(
            $(#[doc = $text:literal])+
            $name:ident: $Type:ty = $default:expr, $kind:expr, $unit:literal
            $(, row($label:literal, $hint:literal, $Control:ident $how:tt))?;
        )+
    ) => {
        impl $Section {
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
