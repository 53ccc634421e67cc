//! Measurement of both rasterizers, kept for an adapter and its driver in the cache folder.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{
    app::auto_raster::{Workload, result::digits},
    file::output::Output,
    gpu::AdapterFacts,
    model::Digest,
};

/// Version of the file.
const VERSION: u64 = 1;

/// Times of both rasterizers for one picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeptTimes {
    /// Times (ms) of hardware and software rasterizer.
    ms: [f64; 2],
    work: Workload,
}

impl KeptTimes {
    pub(crate) const fn new(ms: [f64; 2], work: Workload) -> Self {
        Self { ms, work }
    }

    /// Samples per triangle at which both rasterizers take equally long, if the ratio of their times grows with the
    /// square root of triangles per sample.
    pub(super) fn break_even(&self) -> f64 {
        let [hardware, compute] = self.ms;
        (hardware / compute).powi(2) / self.work.density().max(f64::MIN_POSITIVE)
    }

    pub(super) fn sentence(&self) -> String {
        let [hardware, compute] = self.ms.map(digits);
        format!(
            "measured once on this adapter and driver: {hardware} ms with the hardware rasterizer, {compute} ms with the \
             software rasterizer, for {:.1} million triangles",
            self.work.triangles as f64 * 1e-6
        )
    }

    /// Reads the measurement of an adapter from the cache folder; `None` if there is none of this program's version.
    #[must_use]
    pub(super) fn read(folder: &Path, adapter: &AdapterFacts) -> Option<Self> {
        let kept: Value = serde_json::from_slice(&fs::read(file(folder, adapter)).ok()?).ok()?;
        let of_now = ["version", "program", "adapter"]
            .iter()
            .all(|key| kept.get(key) == head(adapter).get(key));
        let ms = |key: &str| kept.get(key)?.as_f64().filter(|ms| ms.is_normal() && *ms > 0.0);
        let count = |key: &str| kept.get(key)?.as_u64().filter(|count| *count > 0);
        let work = Workload {
            triangles: count("triangles")?,
            samples: count("samples")?,
        };
        of_now.then_some(Self::new([ms("hardware_ms")?, ms("compute_ms")?], work))
    }

    /// Writes the measurement of an adapter to the cache folder.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub(super) fn write(&self, folder: &Path, adapter: &AdapterFacts) -> Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let mut kept = head(adapter);
        kept["hardware_ms"] = self.ms[0].into();
        kept["compute_ms"] = self.ms[1].into();
        kept["triangles"] = self.work.triangles.into();
        kept["samples"] = self.work.samples.into();
        Output::create(&file(folder, adapter))?.write(serde_json::to_string_pretty(&kept)?.as_bytes())
    }
}

/// Fields that a file must agree in to be read.
fn head(adapter: &AdapterFacts) -> Value {
    json!({ "version": VERSION, "program": env!("CARGO_PKG_VERSION"), "adapter": adapter.summary() })
}

fn file(folder: &Path, adapter: &AdapterFacts) -> std::path::PathBuf {
    let mut digest = Digest::new();
    digest.bytes(adapter.summary().as_bytes());
    folder.join(format!("rasterizers-{}.json", digest.hexadecimal()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(driver: &str) -> AdapterFacts {
        AdapterFacts {
            name: "a card".into(),
            driver: driver.into(),
            ..AdapterFacts::default()
        }
    }

    #[test]
    fn measurements_are_kept_for_an_adapter_and_its_driver() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("made");
        let [old, new] = ["1.0", "1.1"].map(adapter);
        let work = Workload {
            triangles: 15_585_275,
            samples: 8_294_400,
        };
        let times = KeptTimes::new([14.06, 2.9], work);
        assert_eq!(KeptTimes::read(&below, &old), None);
        times.write(&below, &old).expect("written");
        assert_eq!(KeptTimes::read(&below, &old), Some(times.clone()));
        assert_eq!(KeptTimes::read(&below, &new), None, "another driver");
        let again = KeptTimes::new([3.0, 4.0], work);
        again.write(&below, &old).expect("written over");
        assert_eq!(KeptTimes::read(&below, &old), Some(again));
    }

    #[test]
    fn damaged_files_and_those_of_other_versions_are_ignored() {
        let folder = tempfile::tempdir().expect("a folder");
        let card = adapter("1.0");
        let work = Workload {
            triangles: 5,
            samples: 7,
        };
        KeptTimes::new([2.0, 1.0], work)
            .write(folder.path(), &card)
            .expect("written");
        let path = file(folder.path(), &card);
        let whole = fs::read_to_string(&path).expect("text");
        for (part, other) in [
            ("2.0", "-2.0"),
            ("2.0", "0.0"),
            ("2.0", "\"2\""),
            ("5", "0"),
            ("a card", "another card"),
            ("\"version\": 1", "\"version\": 2"),
            ("samples", "pixels"),
            ("}", ""),
        ] {
            assert!(whole.contains(part), "{part} in {whole}");
            fs::write(&path, whole.replace(part, other)).expect("written");
            assert_eq!(KeptTimes::read(folder.path(), &card), None, "{part} -> {other}");
        }
    }
}
