//! Passes that turn linear light, or values in its place, into display values, and the steps after them.

mod fxaa;
pub(crate) mod overdraw;
mod step;
pub(crate) mod tonemap;
pub(crate) mod tonemap_pixels;

pub(crate) use step::{DISPLAY_FORMAT, DisplayPass, DisplayStep, StepCondition};

/// Steps after tone mapping, in the order of the frame.
pub(crate) const DISPLAY_STEPS: &[DisplayStep] = &[fxaa::FXAA];

/// (pass, conditions) of every pipeline of the steps after tone mapping.
#[must_use]
pub fn display_step_variants() -> Vec<(&'static str, Vec<&'static str>)> {
    let steps = DISPLAY_STEPS.iter();
    steps
        .flat_map(|step| step.variants().into_iter().map(|on| (step.pass.name(), on)))
        .collect()
}
