//! Arrays in NumPy's `.npy` format, version 1.0, which `numpy.load` reads and maps without pickle.

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::file::output::{GrowingFile, Output};

/// Bytes to which the data of an array are aligned.
const ALIGNMENT: usize = 64;

/// Array that is being written, in C order.
pub(super) struct NpyFile {
    path: PathBuf,
    out: BufWriter<GrowingFile>,
    /// Bytes that are missing.
    rest: u64,
}

/// Type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NpyType {
    /// Bytes, 0 or 1.
    Bool,
    /// Bytes.
    U8,
    /// 32-bit integers.
    I32,
    /// 32-bit floats.
    F32,
}

impl NpyType {
    const fn descriptor(self) -> &'static str {
        match self {
            Self::Bool => "|b1",
            Self::U8 => "|u1",
            Self::I32 => "<i4",
            Self::F32 => "<f4",
        }
    }

    const fn bytes(self) -> u64 {
        match self {
            Self::Bool | Self::U8 => 1,
            Self::I32 | Self::F32 => 4,
        }
    }
}

impl NpyFile {
    /// Begins an array of a shape.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub(super) fn begin(path: &Path, element: NpyType, shape: &[usize]) -> Result<Self> {
        let mut file = Self {
            path: path.to_owned(),
            out: BufWriter::new(Output::create(path)?.begin()?),
            rest: shape.iter().map(|&edge| edge as u64).product::<u64>() * element.bytes(),
        };
        let head = header(element, shape);
        let written = file.out.write_all(&head);
        written.with_context(|| format!("writing {}", file.path.display()))?;
        Ok(file)
    }

    /// Appends elements, little-endian.
    ///
    /// # Errors
    /// A full disk, for example; more bytes than the shape has.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let shown = self.path.display();
        let rest = self.rest.checked_sub(bytes.len() as u64);
        self.rest = rest.with_context(|| format!("{shown}: more elements than its shape has"))?;
        let written = self.out.write_all(bytes);
        written.with_context(|| format!("writing {shown}"))
    }

    /// Renames the file into place.
    ///
    /// # Errors
    /// A full disk, for example; fewer bytes than the shape has.
    pub(super) fn finish(self) -> Result<()> {
        let shown = self.path.display().to_string();
        anyhow::ensure!(self.rest == 0, "{shown}: fewer elements than its shape has");
        let file = self.out.into_inner().map_err(std::io::IntoInnerError::into_error);
        file.with_context(|| format!("writing {shown}"))?.finish()
    }
}

/// Returns the header of an array: magic, version, length, and a Python literal that ends at an aligned place.
fn header(element: NpyType, shape: &[usize]) -> Vec<u8> {
    let edges: String = shape.iter().map(|edge| format!("{edge},")).collect();
    let kind = element.descriptor();
    let mut literal = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({edges}), }}");
    let begun = 10 + literal.len() + 1;
    literal += &" ".repeat(begun.next_multiple_of(ALIGNMENT) - begun);
    literal.push('\n');
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend((literal.len() as u16).to_le_bytes());
    head.extend(literal.bytes());
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_their_header_and_exactly_their_elements() {
        let head = header(NpyType::F32, &[3, 7, 2]);
        assert_eq!(head.len() % ALIGNMENT, 0);
        let text = String::from_utf8_lossy(&head[10..]);
        assert!(
            text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,7,2,), }"),
            "{text}"
        );
        assert!(text.ends_with('\n') && usize::from(u16::from_le_bytes([head[8], head[9]])) == head.len() - 10);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        let mut file = NpyFile::begin(&path, NpyType::I32, &[2]).expect("begun");
        file.add(&[1, 0, 0, 0]).expect("fits");
        assert!(file.add(&[0; 5]).is_err(), "too many");
        let mut file = NpyFile::begin(&path, NpyType::Bool, &[3]).expect("begun");
        file.add(&[1, 0]).expect("fits");
        assert!(file.finish().is_err_and(|error| error.to_string().contains("fewer")) && !path.exists());
    }
}
