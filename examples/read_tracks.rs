//! Writes a CSV of trajectories, reads it, and prints time, rate and peak memory: `read_tracks [SAMPLES]`, ten million
//! unless told.

use std::{
    error::Error,
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
    time::Instant,
};

use throng::tracks::{ReadOptions, Tracks};

/// People who walk at the same time.
const PEOPLE: u32 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let samples = std::env::args().nth(1).map_or(Ok(10_000_000), |text| text.parse())?;
    let path = std::env::temp_dir().join(format!("throng-{}.csv", std::process::id()));
    let measured = write(&path, samples).and_then(|()| measure(&path));
    fs::remove_file(&path)?;
    measured
}

/// Rows in the order of time, as simulations write them.
fn write(path: &Path, samples: u32) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "id,t,x,y")?;
    for at in 0..samples {
        let (id, frame) = (at % PEOPLE, at / PEOPLE);
        let time = f64::from(frame) * 0.04;
        let (x, y) = (f64::from(id % 100) * 2.0 + time * 1.3, f64::from(id / 100) * 2.0);
        writeln!(out, "{id},{time:.2},{x:.4},{y:.4}")?;
    }
    Ok(out.flush()?)
}

fn measure(path: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = fs::metadata(path)?.len() as f64 / 1e6;
    let begun = Instant::now();
    let tracks = Tracks::open(path, &ReadOptions::default())?;
    let seconds = begun.elapsed().as_secs_f64();
    let (samples, agents) = (tracks.samples.len(), tracks.agents.len());
    println!(
        "{samples} samples of {agents} people, {bytes:.0} MB: {seconds:.2} s, {:.0} MB/s",
        bytes / seconds
    );
    match peak_memory() {
        Some(peak) => println!("peak memory {peak:.0} MB, {:.2} of the file", peak / bytes),
        None => println!("this system states no peak memory"),
    }
    Ok(())
}

/// Most memory (MB) that this process has had, as Linux states it.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
