//! Messages of a run to its user: what should be known of a scene, and what the first picture waited for.

mod startup_times;
mod warning;

pub use startup_times::StartupTimes;
pub use warning::Warning;
