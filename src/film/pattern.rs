//! Names of frame files: `frames/%05d.png`.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

/// Path whose file name holds the number of a frame, formatted as by `printf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePattern {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl FramePattern {
    /// True if a path is meant as a pattern.
    #[must_use]
    pub fn is_pattern(path: &Path) -> bool {
        path.to_string_lossy().contains('%')
    }

    /// Returns the file of a frame.
    #[must_use]
    pub fn path(&self, frame: u64) -> PathBuf {
        let Self {
            before, digits, after, ..
        } = self;
        self.folder.join(format!("{before}{frame:0digits$}{after}"))
    }

    /// Returns the file of a frame without its ending. Its passes and labels are named after it.
    #[must_use]
    pub fn stem(&self, frame: u64) -> PathBuf {
        self.path(frame).with_extension("")
    }

    /// Returns the number of the frame that a file belongs to by its name: the frame itself, or its passes and labels.
    #[must_use]
    pub(crate) fn frame_of(&self, name: &str) -> Option<u64> {
        let ours = [".png", ".json", ".exr", ".flo"]
            .iter()
            .any(|ending| name.ends_with(ending));
        let rest = name.strip_prefix(&self.before).filter(|_| ours)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        // The text after the number may begin with digits.
        (1..=digits).rev().find_map(|count| {
            let frame = rest[..count].parse().ok()?;
            let stem = self.stem(frame);
            let after = name.strip_prefix(stem.file_name()?.to_str()?)?;
            after.starts_with('.').then_some(frame)
        })
    }

    /// Returns the folder of the frames.
    #[must_use]
    pub fn folder(&self) -> &Path {
        if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.folder
        }
    }

    /// Returns the file beside the frames with the record of their film.
    #[must_use]
    pub fn record(&self) -> PathBuf {
        self.named("throng.json")
    }

    /// Returns the file beside the frames that holds all labels.
    #[must_use]
    pub fn labels(&self) -> PathBuf {
        self.named("coco.json")
    }

    fn named(&self, ending: &str) -> PathBuf {
        let name = format!("{}{}", self.before, self.after.trim_end_matches(".png"));
        let name = name.trim_matches(['-', '_', '.', ' ']);
        let name = if name.is_empty() { "film" } else { name };
        self.folder.join(format!("{name}.{ending}"))
    }
}

impl fmt::Display for FramePattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            before, digits, after, ..
        } = self;
        let name = self.folder.join(format!("{before}%0{digits}d{after}"));
        write!(out, "{}", name.display())
    }
}

impl FromStr for FramePattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |why: &str| format!("{text}: {why}; name frame files like frames/%05d.png");
        let path = Path::new(text);
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .ok_or_else(|| wrong("no file name"))?;
        let (before, rest) = name.split_once('%').ok_or_else(|| wrong("no %05d in the file name"))?;
        let (digits, after) = rest.split_once('d').ok_or_else(|| wrong("% without d"))?;
        let width = match digits {
            "" => 1,
            _ => digits
                .parse()
                .ok()
                .filter(|_| digits.starts_with('0'))
                .ok_or_else(|| wrong("an unknown % format"))?,
        };
        if after.contains('%') || path.parent().is_some_and(FramePattern::is_pattern) {
            return Err(wrong("more than one %"));
        }
        if !after.to_lowercase().ends_with(".png") {
            return Err(wrong("only .png frames are written"));
        }
        if width > 12 {
            return Err(wrong("more than 12 digits"));
        }
        Ok(Self {
            folder: path.parent().map(Path::to_owned).unwrap_or_default(),
            before: before.to_owned(),
            digits: width,
            after: after.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_numbers_are_formatted_as_by_printf() {
        let pattern: FramePattern = "out/shot-%05d.png".parse().expect("a pattern");
        assert_eq!(pattern.path(42), Path::new("out/shot-00042.png"));
        assert_eq!(pattern.path(1_234_567), Path::new("out/shot-1234567.png"));
        assert_eq!(pattern.record(), Path::new("out/shot.throng.json"));
        assert_eq!(pattern.labels(), Path::new("out/shot.coco.json"));
        assert_eq!(pattern.stem(42), Path::new("out/shot-00042"));
        assert_eq!(pattern.to_string(), "out/shot-%05d.png");
        for (name, frame) in [
            ("shot-00042.png", Some(42)),
            ("shot-00042.labels.json", Some(42)),
            ("shot-1234567.depth.exr", Some(1_234_567)),
            ("shot-42.png", None),
            ("shot-00042b.png", None),
            ("shot-00042.txt", None),
            ("shot.throng.json", None),
        ] {
            assert_eq!(pattern.frame_of(name), frame, "{name}");
        }
        let twofold: FramePattern = "a%02d7.png".parse().expect("a pattern");
        assert_eq!(
            (twofold.frame_of("a127.png"), twofold.frame_of("a12.png")),
            (Some(12), None)
        );
        let bare: FramePattern = "%d.png".parse().expect("a pattern");
        assert_eq!((bare.path(7), bare.folder()), (PathBuf::from("7.png"), Path::new(".")));
        assert_eq!(bare.record(), Path::new("film.throng.json"));
        for wrong in [
            "a.png",
            "%05d/a.png",
            "%5d.png",
            "%d%d.png",
            "%x.png",
            "%04d.jpg",
            "%0099d.png",
            "d/%02d/x%d.png",
        ] {
            assert!(wrong.parse::<FramePattern>().is_err(), "{wrong}");
        }
    }
}
