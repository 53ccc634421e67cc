//! Error along the clip shown in the character tab, measured on a background thread.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    thread,
};

use crate::{
    atlas::{AtlasFormat, verify::error_along},
    character::Character,
};

/// Evenly spaced times measured in addition to the frames.
const MOMENTS: u32 = 240;

/// Points of time (s) and error (mm).
type Curve = Vec<[f64; 2]>;

/// Request for a clip's error, and its answer.
#[derive(Default)]
pub(super) struct ClipError {
    asked: Option<(Arc<Character>, AtlasFormat, usize)>,
    coming: Option<Receiver<Curve>>,
    curve: Curve,
}

impl ClipError {
    /// Error of the worst vertex along a clip; empty while it is being measured.
    pub(super) fn of(&mut self, context: &egui::Context, wanted: (&Arc<Character>, AtlasFormat, usize)) -> &[[f64; 2]] {
        let (character, format, clip) = wanted;
        let same = |(of, its, number): &(Arc<Character>, _, _)| {
            Arc::ptr_eq(of, character) && (*its, *number) == (format, clip)
        };
        if !self.asked.as_ref().is_some_and(same) {
            self.asked = Some((character.clone(), format, clip));
            self.curve.clear();
            self.coming = find(context.clone(), character.clone(), format, clip);
        }
        if let Some(curve) = self.coming.as_ref().and_then(|coming| coming.try_recv().ok()) {
            self.curve = curve;
            self.coming = None;
        }
        &self.curve
    }
}

/// Starts a thread that answers once; `None` if the system provides no thread.
fn find(
    context: egui::Context,
    character: Arc<Character>,
    format: AtlasFormat,
    clip: usize,
) -> Option<Receiver<Curve>> {
    let (sender, receiver) = channel();
    let work = move || {
        let errors = error_along(&character.model, &character.atlas(format), clip, MOMENTS);
        let curve = errors
            .into_iter()
            .map(|(time, metres)| [f64::from(time), f64::from(metres) * 1000.0]);
        // Sending fails if another clip was chosen meanwhile.
        if sender.send(curve.collect()).is_ok() {
            context.request_repaint();
        }
    };
    thread::Builder::new().name("clip error".into()).spawn(work).ok()?;
    Some(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::{FramePlacement, placement::height};

    #[test]
    fn the_error_curve_stays_within_the_bound() {
        let opened = crate::scene::open_model("girl").expect("embedded");
        let character = Arc::new(Character::from_opened(opened, FramePlacement::default()).expect("bakes"));
        let (mut errors, context) = (ClipError::default(), egui::Context::default());
        let clip = character
            .palettes
            .clips
            .iter()
            .position(|c| c.frame_count > 5)
            .expect("moves");
        for _ in 0..600 {
            let curve = errors.of(&context, (&character, AtlasFormat::F16, clip));
            if !curve.is_empty() {
                let most = f64::from(height(&character.model));
                assert!(curve.iter().all(|[_, mm]| *mm <= most * 1.02), "{curve:?}");
                assert!(curve.iter().any(|[_, mm]| *mm > 0.0) && curve.is_sorted_by(|a, b| a[0] < b[0]));
                return;
            }
            thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("no curve within 30 s");
    }
}
