//! The program from outside: commands, the benchmark, the window.

mod bench;
mod cli;
#[path = "../common/mod.rs"]
mod common;
mod window;
