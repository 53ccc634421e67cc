//! SHA-256 checksums, for files that `sha256sum -c` reads.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use sha2::{Digest, Sha256};

/// Bytes of a file that are read at a time.
const PART: usize = 1 << 18;

/// Returns the checksum of bytes in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new().chain_update(bytes))
}

/// Returns the SHA-256 of a file of any size in hexadecimal.
///
/// # Errors
/// A file that cannot be read.
pub fn sha256_of(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    let (mut sum, mut part) = (Sha256::new(), vec![0; PART]);
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok(hexadecimal(sum)),
            Ok(read) => sum.update(&part[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(sum: Sha256) -> String {
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        for (text, sum) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), sum, "{text}");
        }
    }

    #[test]
    fn checksum_of_a_file_is_that_of_its_bytes() {
        let bytes: Vec<u8> = (0..2 * PART as u32 + 7).map(|i| (i * 7 % 251) as u8).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, &bytes).expect("written");
        assert_eq!(sha256_of(&path).ok(), Some(sha256(&bytes)));
        assert!(sha256_of(&folder.path().join("b")).is_err());
    }
}
