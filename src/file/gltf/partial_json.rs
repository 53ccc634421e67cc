//! Fast partial reading of a baked file: the parts that drawing needs, without the keys of its animations.
//!
//! Keys are most of the JSON of a character with many clips (Knight: 95 % of 1.4 MB). A baked character is drawn
//! without them.
//! The text is therefore scanned for its outermost members and only the rest is parsed; the keys are parsed on first
//! use.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use serde_json::{Map, Value};

use crate::{
    file::{
        baked::extension,
        gltf::{self, document::split_container, text::without_control_characters},
    },
    model::{Channel, Clip, LazyList},
};

/// Contents of a complete file, of which the parser read only a part.
pub(crate) struct Whole {
    name: String,
    bytes: Arc<Vec<u8>>,
    /// Folder that relative URIs refer to.
    base: Option<PathBuf>,
    /// Number of animations.
    pub(crate) animations: usize,
    clips: OnceLock<Vec<Clip>>,
}

impl Whole {
    pub(crate) fn new(name: &str, bytes: &Arc<Vec<u8>>, base: Option<&Path>, animations: usize) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            bytes: bytes.clone(),
            base: base.map(Path::to_path_buf),
            animations,
            clips: OnceLock::new(),
        })
    }

    /// Channels of a clip, read on first use together with those of all clips. If they are damaged, the clip has none,
    /// which is logged.
    pub(crate) fn channels(self: &Arc<Self>, clip: usize) -> LazyList<Channel> {
        let whole = self.clone();
        LazyList::new(move || {
            let clip = whole.clips().get(clip);
            clip.map_or_else(Vec::new, |c| c.channels.to_vec())
        })
    }

    /// Part of the file, converted by `read` on first use.
    pub(crate) fn later<T: 'static>(
        self: &Arc<Self>,
        part: &[u8],
        read: impl Fn(&[u8]) -> Vec<T> + Send + Sync + 'static,
    ) -> LazyList<T> {
        let offset = (part.as_ptr() as usize).checked_sub(self.bytes.as_ptr() as usize);
        let range = offset.map(|start| start..start + part.len());
        match range.filter(|r| self.bytes.get(r.clone()).is_some()) {
            Some(range) => {
                let whole = self.clone();
                LazyList::new(move || read(&whole.bytes[range.clone()]))
            }
            None => read(part).into(),
        }
    }

    fn clips(&self) -> &[Clip] {
        self.clips.get_or_init(|| {
            gltf::load_clips(&self.name, &self.bytes, self.base.as_deref()).unwrap_or_else(|error| {
                tracing::warn!("cannot read animation keys, clips do not move: {error}");
                Vec::new()
            })
        })
    }
}

/// Members that a reader for drawing must have seen before it may stop at the accessors.
const NEEDED: [&[u8]; 8] = [
    b"asset",
    b"nodes",
    b"scenes",
    b"skins",
    b"meshes",
    b"materials",
    b"bufferViews",
    b"extensions",
];

/// Parts of a baked binary file.
pub(crate) struct SkimmedJson<'a> {
    /// JSON without the animations, the accessors that only they use, and the extensions.
    pub text: Vec<u8>,
    /// Extensions at the root.
    pub extensions: Map<String, Value>,
    /// Number of animations left out.
    pub animations: usize,
    /// Binary chunk.
    pub binary: Option<&'a [u8]>,
}

/// Scans a baked binary file; `None` for anything else, which is read whole.
///
/// Files that throng writes end with animations and their accessors: they are only counted.
pub(crate) fn skim(bytes: &[u8]) -> Option<SkimmedJson<'_>> {
    if !bytes.starts_with(b"glTF") {
        return None;
    }
    let (text, binary) = split_container(bytes).ok()?;
    let mut scanner = Scanner::new(text);
    let mut seen_names: Vec<&[u8]> = Vec::new();
    let mut extensions: Option<(usize, Map<String, Value>)> = None;
    let mut animations = None;
    let mut short = vec![b'{'];
    while let Some(key) = scanner.key()? {
        let name = text.get(key.start + 1..key.end - 1)?;
        let after_needed = name == b"accessors" && NEEDED.iter().all(|n| seen_names.contains(n));
        if name == b"animations" {
            let twice = animations.replace(scanner.elements()?).is_some();
            if twice {
                return None;
            }
            seen_names.push(name);
            continue;
        }
        let value = if after_needed {
            scanner.first_elements(extensions.as_ref()?.0)?
        } else {
            scanner.value()?
        };
        let content = text.get(value)?;
        if name == b"extensions" {
            let all = serde_json::from_slice(&without_control_characters(content)).ok()?;
            let twice = extensions.replace((accessors_kept(&all)?, all)).is_some();
            if twice {
                return None;
            }
        } else {
            let comma: &[u8] = if short.len() == 1 { b"" } else { b"," };
            short.extend([comma, text.get(key)?, b":", content].concat());
        }
        seen_names.push(name);
        if after_needed {
            short.push(b']');
            scanner.rest_of_array()?;
            while let Some(key) = scanner.key()? {
                let counted = text.get(key.start + 1..key.end - 1)? == b"animations" && animations.is_none();
                if !counted {
                    return None;
                }
                animations = Some(scanner.elements()?);
            }
            break;
        }
    }
    short.push(b'}');
    extensions.map(|(_, extensions)| SkimmedJson {
        text: short,
        extensions,
        animations: animations.unwrap_or(0),
        binary,
    })
}

/// Number of accessors that drawing needs. `None` if the file is not baked, does not state it, or has morph targets,
/// whose weights are read with the accessors.
fn accessors_kept(extensions: &Map<String, Value>) -> Option<usize> {
    let ours = extensions.get(extension::EXTENSION)?;
    if ours.get("morphs").is_some() {
        return None;
    }
    usize::try_from(ours.get("firstKeyAccessor")?.as_u64()?).ok()
}

/// Finds the ends of JSON values without parsing them. Invalid JSON that it lets pass is refused by the parser later.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Key, with its quotes, of the next member of the object in the text; moves to its value. `Some(None)` at the
    /// object's end, `None` if there is no object.
    fn key(&mut self) -> Option<Option<Range<usize>>> {
        let first = self.at == 0;
        match (self.peek()?, first) {
            (b'{', true) => self.at += 1,
            (b',', false) => self.at += 1,
            (b'}', false) => return Some(None),
            _ => return None,
        }
        if first && self.peek()? == b'}' {
            return Some(None);
        }
        self.peek()?;
        let key = self.value()?;
        let quoted = key.len() >= 2 && self.text[key.start] == b'"';
        self.expect(b':')?;
        self.peek()?;
        quoted.then_some(Some(key))
    }

    /// Range of the array that starts here, up to the end of its element `count - 1`.
    fn first_elements(&mut self, count: usize) -> Option<Range<usize>> {
        let start = self.at;
        self.expect(b'[')?;
        let mut end = self.at;
        for _ in 0..count {
            if self.peek()? == b',' {
                self.at += 1;
                self.peek()?;
            }
            end = self.value()?.end;
        }
        Some(start..end)
    }

    /// Moves past the end of an array that was read up to the end of one of its elements.
    fn rest_of_array(&mut self) -> Option<usize> {
        let mut passed = 0;
        loop {
            match self.peek()? {
                b']' => {
                    self.at += 1;
                    return Some(passed);
                }
                b',' => self.at += 1,
                _ => {}
            }
            self.peek()?;
            self.value()?;
            passed += 1;
        }
    }

    /// Counts the elements of the array that starts here, and moves past it.
    fn elements(&mut self) -> Option<usize> {
        self.expect(b'[')?;
        self.rest_of_array()
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

    /// Range of the value that starts here.
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

    fn members(text: &str) -> Option<Vec<(&str, &str)>> {
        let mut scanner = Scanner::new(text.as_bytes());
        let mut members = Vec::new();
        while let Some(key) = scanner.key()? {
            members.push((&text[key], &text[scanner.value()?]));
        }
        Some(members)
    }

    #[test]
    fn members_and_elements_end_where_they_end() {
        let text = r#" { "a" : [1, {"b": "]}\""}, 3] , "c\"d":-1.5e3,"e":"x" } "#.trim_start();
        let found = members(text).expect("an object");
        let expected = [
            (r#""a""#, r#"[1, {"b": "]}\""}, 3]"#),
            (r#""c\"d""#, "-1.5e3"),
            (r#""e""#, r#""x""#),
        ];
        assert_eq!(found, expected);
        let list = b"[ 1 ,{\"x\":[2]}, 3]";
        assert_eq!(Scanner::new(list).first_elements(2), Some(0..14));
        assert_eq!(Scanner::new(list).first_elements(0), Some(0..1));
        assert_eq!(Scanner::new(list).first_elements(4), None);
        for (text, count) in [
            ("[]", 0),
            ("[ {\"a\":[1,2,\"]\"]} , {}] ,", 2),
            ("[1,[2,3],\"x\",4]", 4),
        ] {
            assert_eq!(Scanner::new(text.as_bytes()).elements(), Some(count), "{text}");
        }
        assert_eq!(Scanner::new(b"{}").elements(), None);
        assert_eq!(Scanner::new(b"[1,2").elements(), None);
        let mut part_way = Scanner::new(list);
        part_way.first_elements(1);
        assert_eq!(part_way.rest_of_array(), Some(2));
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
            "{1:2}",
        ] {
            assert!(members(text).is_none(), "{text}");
        }
        assert_eq!(members("{ }"), Some(Vec::new()));
    }
}
