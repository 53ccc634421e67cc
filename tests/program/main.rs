//! The program as a process: commands, the benchmark, the window.

mod bench;
mod bench_scenes;
mod cli;
#[path = "../common/mod.rs"]
mod common;
mod window;
