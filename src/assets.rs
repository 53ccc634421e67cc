//! The characters that come with the program, embedded in the binary.

macro_rules! characters {
    ($($name:literal),* $(,)?) => {
        /// Names of the embedded characters.
        pub const NAMES: &[&str] = &[$($name),*];

        /// The GLB of an embedded character.
        #[must_use]
        pub fn embedded(name: &str) -> Option<&'static [u8]> {
            match name {
                $($name => Some(include_bytes!(concat!("../assets/", $name, ".glb"))),)*
                _ => None,
            }
        }
    };
}

characters!["woman", "man", "girl", "elder", "knight"];
