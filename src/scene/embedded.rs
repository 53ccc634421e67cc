//! The characters that come with the program, embedded in the binary.

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        /// The GLB of an embedded character or prop.
        #[must_use]
        pub fn embedded(name: &str) -> Option<&'static [u8]> {
            match name {
                $($name => Some(include_bytes!(concat!("../../assets/", $name, ".glb"))),)*
                _ => None,
            }
        }
    };
}

/// Names of the embedded characters.
pub const NAMES: &[&str] = &["woman", "man", "girl", "elder", "knight"];

/// Characters of a scene that names none: everybody but soldiers.
pub const TOWNSFOLK: &[&str] = &["woman", "man", "girl", "elder"];

/// Attachments that people can carry, with their grip at the origin.
pub const PROPS: &[&str] = &["sword", "shield", "flag", "bag", "guitar"];

embedded![
    "woman", "man", "girl", "elder", "knight", "fountain", "tree", "lamp", "bench", "sword", "shield", "flag", "bag",
    "guitar",
];
