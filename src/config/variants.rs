//! Names of the variants of an enumeration, taken from its own `Deserialize`, so that there is no second list.

use serde::{
    Deserializer,
    de::{DeserializeOwned, Error, Visitor, value::Error as DeserializeError},
    forward_to_deserialize_any,
};

/// Names of the variants of `T`, in their order; empty if `T` is not an enumeration.
pub(crate) fn variants<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // Deserialising always fails, but reports the names of the variants first.
    let _: Result<T, DeserializeError> = T::deserialize(Listener(&mut names));
    names
}

/// Deserializer that records the variants of an enumeration.
struct Listener<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DeserializeError> {
        Err(DeserializeError::custom("only enumerations have variants"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, DeserializeError> {
        *self.0 = variants;
        Err(DeserializeError::custom("only its variants are wanted"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerations_name_their_words_and_nothing_else_has_any() {
        assert_eq!(
            variants::<crate::config::Ground>(),
            ["plaza", "grass", "pitch", "grid", "studio"]
        );
        assert!(variants::<u32>().is_empty() && variants::<Vec<String>>().is_empty());
    }
}
