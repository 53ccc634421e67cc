//! FXAA (Lottes 2009): smooths edges of pictures with one sample per pixel, after tone mapping.

use crate::render::{
    Pass,
    passes::{
        SIMPLE,
        display::{DisplayStep, StepCondition},
    },
};

pub(super) const FXAA: DisplayStep = DisplayStep {
    pass: Pass::Fxaa,
    conditions: &[StepCondition {
        name: SIMPLE,
        holds: |options| options.effort.is_light(),
    }],
};
