//! Preparation of pictures beside the drawing: people are placed and cameras chosen while the GPU draws pictures before.

use std::{
    sync::{
        Arc,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use anyhow::{Context, Result};

use crate::{
    aov::{FrameParameters, Populator},
    config::Config,
    dataset::{SampleSpec, SetPlan},
    scene::Scene,
};

/// Number of prepared pictures that wait to be drawn: scenes of a million people are large.
const WAITING: usize = 2;

/// Picture whose people are placed and whose camera is chosen.
pub(super) struct PreparedPicture {
    pub(super) sample: SampleSpec,
    /// Scene of the picture; `None` if it is that of the picture before.
    pub(super) scene: Option<Arc<Scene>>,
    pub(super) moment: FrameParameters,
    /// Frame parameters of the next picture, to which motion vectors lead.
    pub(super) next: FrameParameters,
}

/// Hands the pictures of these numbers to `draw` in their order. Another thread prepares the next ones meanwhile.
///
/// # Errors
/// A faulty scene, or errors of `draw`.
pub(super) fn prepare_pictures(
    plan: &SetPlan,
    numbers: &[u64],
    populator: Populator,
    mut draw: impl FnMut(PreparedPicture) -> Result<()>,
) -> Result<()> {
    let (sender, receiver) = sync_channel(WAITING);
    thread::scope(|scope| {
        let preparation = Preparation {
            plan,
            shown: plan.base.clone(),
            populator,
        };
        scope.spawn(move || preparation.run(numbers, &sender));
        // The receiver closes with an error of `draw`, which ends the preparation.
        receiver.into_iter().try_for_each(|prepared| draw(prepared?))
    })
}

struct Preparation<'a> {
    plan: &'a SetPlan,
    /// Settings of the scene made last.
    shown: Config,
    populator: Populator,
}

impl Preparation<'_> {
    fn run(mut self, numbers: &[u64], sender: &SyncSender<Result<PreparedPicture>>) {
        for &number in numbers {
            let prepared = self.prepare(number).with_context(|| format!("picture {number}"));
            let is_last = prepared.is_err();
            if sender.send(prepared).is_err() || is_last {
                return;
            }
        }
    }

    fn prepare(&mut self, number: u64) -> Result<PreparedPicture> {
        let sample = self.plan.sample(number);
        let config = sample.config(&self.plan.base);
        let changes = config.scene != self.shown.scene || config.look.ground != self.shown.look.ground;
        let scene = changes.then(|| self.populator.repopulate(&config)).transpose()?;
        let [moment, next] = sample.moments(self.plan, &config, self.populator.scene())?;
        self.shown = config;
        Ok(PreparedPicture {
            sample,
            scene,
            moment,
            next,
        })
    }
}
