//! Flow through a line that clicks draw across trajectories, and the table of its crossings.

use glam::DVec2;

use crate::{
    app::{person::pick::LineDrawing, share::absolute_path_text, state::AppState},
    file::output::Output,
    tracks::FlowLine,
};

impl AppState {
    /// Begins a line: the next two clicks are its ends.
    pub(in crate::app) fn begin_line(&mut self) {
        self.person.pick.line = LineDrawing::Start;
        self.notices
            .tell("click the two ends of the line on the ground (Esc: stop)");
    }

    /// Takes a click as an end of the line; clicks into the sky are none.
    pub(in crate::app) fn draw_line(&mut self, pixel: [f32; 2]) {
        let Some(place) = self.place_at(pixel) else {
            return self.notices.tell("there is no ground at that point");
        };
        self.person.pick.line = match self.person.pick.line {
            LineDrawing::Off => LineDrawing::Off,
            LineDrawing::End(from) if from != place => {
                self.config.scene.trajectories.flow = [from, place].concat();
                LineDrawing::Off
            }
            LineDrawing::Start | LineDrawing::End(_) => LineDrawing::End(place),
        };
    }

    /// Place of the file (m, rounded to centimetres) on the ground at a pixel.
    pub(in crate::app) fn place_at(&self, pixel: [f32; 2]) -> Option<[f64; 2]> {
        let (picture, scene) = (self.shown.picture.as_ref()?, self.shown.scene.as_ref()?);
        let ray = picture.ray(pixel.into());
        let far = -ray.origin.y / ray.direction.y;
        let ground = ray.origin + ray.direction * far;
        let place = scene
            .tracks
            .as_ref()?
            .map
            .place(DVec2::new(ground.x.into(), ground.z.into()));
        (far.is_finite() && far > 0.0).then(|| place.map(|at| (at * 100.0).round() / 100.0))
    }

    /// Writes all crossings of the line to a new CSV file.
    pub(in crate::app) fn save_crossings(&mut self) {
        let line = self.config.scene.trajectories.flow_ends().map(FlowLine::from);
        let tracks = self.shown.scene.as_ref().and_then(|scene| scene.tracks.as_ref());
        let (Some(line), Some(tracks)) = (line, tracks) else {
            return self.notices.tell("draw a line first");
        };
        let flow = tracks.flow(line);
        let name = format!("{} crossings", self.config.scene.name);
        let file = self.files.sharing.new_file(&name, "csv");
        let written = Output::create(&file).and_then(|output| output.write(flow.csv().as_bytes()));
        match written {
            Ok(_) => self.notices.tell(format!("wrote {}", absolute_path_text(&file))),
            Err(error) => self.notices.fail(format!("{error:#}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::{playback::tests::walk, view::PictureView};

    #[test]
    fn two_clicks_draw_a_line_whose_crossings_are_saved() {
        let mut state = walk();
        let folder = tempfile::tempdir().expect("a folder");
        state.files.sharing.folder = folder.path().to_owned();
        state.save_crossings();
        assert_eq!(std::fs::read_dir(folder.path()).expect("reads").count(), 0, "no line");
        // Two places of the ground before the camera, left and right of the middle.
        let picture = PictureView::of(&state.picture_input(), (640, 360));
        state.shown.picture = Some(picture);
        let [left, right] = [0.3, 0.7].map(|share| [picture.size.x * share, picture.size.y * 0.7]);
        state.begin_line();
        for pixel in [left, left, right] {
            state.pick(pixel);
        }
        assert_eq!(
            (state.person.pick.line, state.person.pick.to_ask),
            (LineDrawing::Off, None)
        );
        let own = &state.config.scene.trajectories;
        let [from, to] = own.flow_ends().expect("a line");
        for (end, pixel) in [(from, left), (to, right)] {
            let tracks = state
                .shown
                .scene
                .as_ref()
                .and_then(|scene| scene.tracks.as_ref())
                .expect("tracks");
            let ground = tracks.map.absolute(end).as_vec2();
            let back = picture
                .pixel_of(glam::Vec3::new(ground.x, 0.0, ground.y))
                .expect("ahead");
            assert!(back.distance(pixel.into()) < 3.0, "{back} {pixel:?}");
        }
        assert!(own.validation_error().is_none());
        state.save_crossings();
        let files = std::fs::read_dir(folder.path()).expect("reads");
        let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        let [file] = &files[..] else { panic!("{files:?}") };
        let text = std::fs::read_to_string(file).expect("reads");
        assert!(text.starts_with("time_s,id,direction,x,y\n"), "{text}");
        state.begin_line();
        state.cancel();
        state.pick(left);
        assert!(state.person.pick.to_ask.is_some(), "clicks pick people again");
    }
}
