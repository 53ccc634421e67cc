//! The quick way into a baked file: what drawing needs, without the keys of its animations.
//!
//! Those keys are most of the JSON of a character with many clips (Knight: 95 % of 1.4 MB), and a
//! baked character is drawn without them. So the text is skimmed for its outermost members, and
//! only the rest is parsed; whoever asks for keys after all has the whole file read then.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use super::{Channel, Model, gltf, gltf_baked, gltf_document::split_container, later::Later};

/// The whole of a file that was only skimmed.
pub(super) struct Whole {
    name: String,
    bytes: Arc<Vec<u8>>,
    model: OnceLock<Model>,
}

impl Whole {
    pub fn new(name: &str, bytes: &Arc<Vec<u8>>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            bytes: bytes.clone(),
            model: OnceLock::new(),
        })
    }

    /// Channels of a clip, read with the whole file when first looked at. A file that is damaged
    /// there has none, which is logged.
    pub fn channels(self: &Arc<Self>, clip: usize) -> Later<Channel> {
        let whole = self.clone();
        Later::new(move || {
            let clips = &whole.model().clips;
            clips.get(clip).map_or_else(Vec::new, |c| c.channels.to_vec())
        })
    }

    fn model(&self) -> &Model {
        self.model.get_or_init(|| {
            gltf::load_bytes(&self.name, &self.bytes, None).unwrap_or_else(|error| {
                tracing::warn!("animation keys cannot be read, clips stand still: {error}");
                Model::default()
            })
        })
    }
}

/// JSON of a baked binary file without its animations and the accessors that only they use, and its
/// binary chunk; `None` for anything else: that is read whole.
pub(super) fn skim(bytes: &[u8]) -> Option<(Vec<u8>, Option<&[u8]>)> {
    if !bytes.starts_with(b"glTF") {
        return None;
    }
    let (text, binary) = split_container(bytes).ok()?;
    let members = Scanner::new(text).members()?;
    let value = |name: &str| {
        let found = members
            .iter()
            .find(|(key, _)| text.get(key.clone()) == Some(name.as_bytes()));
        found.map(|(_, value)| value.clone())
    };
    let extensions: serde_json::Value = serde_json::from_slice(text.get(value("extensions")?)?).ok()?;
    let ours = extensions.get(gltf_baked::EXTENSION)?;
    // Weights of morph targets are read with the targets.
    if ours.get("morphs").is_some() {
        return None;
    }
    let kept = usize::try_from(ours.get("firstKeyAccessor")?.as_u64()?).ok()?;
    let mut short = Vec::with_capacity(text.len() / 8);
    short.push(b'{');
    for (key, value) in &members {
        let name = text.get(key.clone())?;
        if name == b"animations" {
            continue;
        }
        if short.len() > 1 {
            short.push(b',');
        }
        short.push(b'"');
        short.extend(name);
        short.extend(b"\":");
        if name == b"accessors" {
            let list = Scanner::new(text.get(value.clone())?).first_elements(kept)?;
            short.extend(text.get(value.start..value.start + list)?);
            short.push(b']');
        } else {
            short.extend(text.get(value.clone())?);
        }
    }
    short.push(b'}');
    Some((short, binary))
}

/// Finds where JSON values end without reading them. What it lets pass that is no JSON, the parser
/// behind it refuses.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Key (without quotes) and value of each member of the object that is the text.
    fn members(mut self) -> Option<Vec<(Range<usize>, Range<usize>)>> {
        let mut members = Vec::new();
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            return Some(members);
        }
        loop {
            self.peek()?;
            let key = self.value()?;
            self.expect(b':')?;
            self.peek()?;
            let value = self.value()?;
            members.push((key.start + 1..key.end.checked_sub(1)?, value));
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => return Some(members),
                _ => return None,
            }
        }
    }

    /// Length of the text up to the end of element `count - 1` of the array that is the text.
    fn first_elements(mut self, count: usize) -> Option<usize> {
        self.expect(b'[')?;
        let mut end = self.at;
        for _ in 0..count {
            if self.peek()? == b',' {
                self.at += 1;
                self.peek()?;
            }
            end = self.value()?.end;
        }
        Some(end)
    }

    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The value that starts here.
    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match *self.text.get(self.at)? {
                b'"' => self.string()?,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return None,
                _ if depth == 0 => {
                    self.scalar();
                    return Some(start..self.at);
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(start..self.at);
            }
        }
    }

    /// Moves to the closing quote.
    fn string(&mut self) -> Option<()> {
        loop {
            self.at += 1;
            match *self.text.get(self.at)? {
                b'"' => return Some(()),
                b'\\' => self.at += 1,
                _ => {}
            }
        }
    }

    fn scalar(&mut self) {
        let rest = &self.text[self.at..];
        let ends = |b: &u8| matches!(b, b',' | b'}' | b']') || b.is_ascii_whitespace();
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements_end_where_they_end() {
        let text = br#" { "a" : [1, {"b": "]}\""}, 3] , "c\"d":-1.5e3,"e":"x" } "#;
        let members = Scanner::new(text).members().expect("an object");
        let spans: Vec<(&str, &str)> = members
            .iter()
            .map(|(k, v)| {
                let part = |r: &Range<usize>| std::str::from_utf8(&text[r.clone()]).expect("text");
                (part(k), part(v))
            })
            .collect();
        assert_eq!(
            spans,
            [
                ("a", r#"[1, {"b": "]}\""}, 3]"#),
                (r#"c\"d"#, "-1.5e3"),
                ("e", r#""x""#)
            ]
        );
        let list = b"[ 1 ,{\"x\":[2]}, 3]";
        assert_eq!(Scanner::new(list).first_elements(2), Some(14));
        assert_eq!(Scanner::new(list).first_elements(0), Some(1));
        assert_eq!(Scanner::new(list).first_elements(4), None);
    }

    #[test]
    fn broken_text_is_no_object() {
        for text in [
            "",
            "{",
            "[]",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":[1,2",
            "{\"a\":}",
            "{\"a\" 1}",
            "{a\"}",
        ] {
            assert!(Scanner::new(text.as_bytes()).members().is_none(), "{text}");
        }
    }
}
