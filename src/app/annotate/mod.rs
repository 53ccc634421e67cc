//! Texts and lines over pictures of trajectories: clock, legend of colours, identities, trails. The window, `throng shot`
//! and `throng film` show the same; pictures with labels or passes show none.

mod burn;
mod flow;
mod legend;
mod people;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, vec2};

use crate::{app::state::view::PictureView, config::TrajectoryConfig, scene::Scene};

pub(crate) use burn::Burner;

/// Distance of texts from the edges of the picture (points).
const MARGIN: f32 = 12.0;
/// Colour of texts.
const INK: Color32 = Color32::from_gray(240);
/// Colour beneath texts.
const SHADE: Color32 = Color32::from_black_alpha(170);

/// Annotations of a picture of trajectories at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Annotations<'a> {
    /// Scene with trajectories.
    pub scene: &'a Scene,
    /// Settings that choose annotations.
    pub config: &'a TrajectoryConfig,
    /// Projection of the picture.
    pub view: &'a PictureView,
    /// Scene time (s).
    pub time: f64,
}

impl Annotations<'_> {
    /// True if there is anything to paint.
    pub(crate) fn any(&self) -> bool {
        let own = self.config;
        let over_people = own.ids || own.trails > 0.0 || !own.flow.is_empty();
        self.scene.tracks.is_some() && (own.clock || over_people || legend::has_legend(own))
    }

    /// Paints annotations: those of people over the whole picture, clock and legend in the upper right corner of `frame`
    /// (points).
    pub(crate) fn paint(&self, painter: &Painter, frame: Rect) {
        if !self.any() {
            return;
        }
        flow::paint(painter, self);
        people::paint(painter, self);
        let mut top = frame.top() + MARGIN;
        if self.config.clock {
            let corner = egui::pos2(frame.right() - MARGIN, top);
            top = boxed_text(painter, corner, &minutes(self.time)).bottom() + 6.0;
        }
        if legend::has_legend(self.config) {
            let scale = self.scene.tracks.as_ref().and_then(|tracks| tracks.colors.scale);
            legend::paint(painter, egui::pos2(frame.right() - MARGIN, top), self.config, scale);
        }
    }

    /// Place (points) of a point in world space; `None` if the camera does not face it.
    fn place(&self, painter: &Painter, point: glam::Vec3) -> Option<Pos2> {
        let pixels = painter.pixels_per_point();
        let pixel = self.view.pixel_of(point)?;
        Some(egui::pos2(pixel.x / pixels, pixel.y / pixels))
    }
}

/// Paints a text on a shade whose upper right corner is given (points); returns the shade.
fn boxed_text(painter: &Painter, corner: Pos2, text: &str) -> Rect {
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::monospace(16.0), INK);
    let shade = Align2::RIGHT_TOP.anchor_size(corner, galley.size() + vec2(14.0, 8.0));
    painter.rect_filled(shade, 4.0, SHADE);
    painter.galley(shade.min + vec2(7.0, 4.0), galley, INK);
    shade
}

/// Minutes, seconds and tenths of a second.
pub(crate) fn minutes(seconds: f64) -> String {
    let tenths = (seconds.max(0.0) * 10.0).round() as u64;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

#[cfg(test)]
mod tests {
    use egui::{Context, RawInput, Shape, epaint::TextShape};
    use glam::Vec3;

    use super::*;
    use crate::{
        app::person::pick,
        config::{Config, TrajectoryColor},
        crowd::clock::Clock,
        render::FrameInput,
        scene::{PersonRef, StartupTimes},
        view::Camera,
    };

    const SIZE: (u32, u32) = (1280, 720);

    /// Two people with names: one walks along x for 10 s, one follows after 5 s.
    fn scene(change: impl FnOnce(&mut TrajectoryConfig)) -> (Config, Scene) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("walk.csv");
        let row = |at: u32| format!("ann,{at},{at},0\nbob,{},{at},2\n", at + 5);
        let rows: String = (0..=10).map(row).collect();
        std::fs::write(&file, format!("id,t,x,y\n{rows}")).expect("writes");
        let mut config = Config::default();
        config.scene.trajectories.file = file;
        config.scene.characters = vec!["man".into()];
        change(&mut config.scene.trajectories);
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
        (config, scene)
    }

    /// Shapes of the annotations at a time (s).
    fn shapes(config: &Config, scene: &Scene, view: &PictureView, time: f64) -> Vec<Shape> {
        let annotations = Annotations {
            scene,
            config: &config.scene.trajectories,
            view,
            time,
        };
        let frame = Rect::from_min_size(Pos2::ZERO, vec2(SIZE.0 as f32, SIZE.1 as f32));
        let input = RawInput {
            screen_rect: Some(frame),
            ..RawInput::default()
        };
        let mut output = Context::default().run_ui(input, |ui| annotations.paint(ui.painter(), frame));
        output.textures_delta.clear();
        output.shapes.into_iter().map(|clipped| clipped.shape).collect()
    }

    fn view() -> PictureView {
        let camera = Camera {
            eye: Vec3::new(5.0, 4.0, 12.0),
            target: Vec3::new(5.0, 0.5, -1.0),
            fov: 0.8,
        };
        let look = Config::default().look;
        PictureView::of(
            &FrameInput::new(&camera, 16.0 / 9.0, Clock::from_seconds(0.0), &look),
            SIZE,
        )
    }

    fn text(shape: &Shape) -> Option<&TextShape> {
        match shape {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    fn texts(shapes: &[Shape]) -> Vec<&TextShape> {
        shapes.iter().filter_map(text).collect()
    }

    #[test]
    fn the_clock_shows_the_time_and_is_optional() {
        let (config, walk) = scene(|_| {});
        for (time, text) in [(0.0, "0:00.0"), (7.25, "0:07.3"), (75.0, "1:15.0")] {
            let shapes = shapes(&config, &walk, &view(), time);
            let shown: Vec<&str> = texts(&shapes).iter().map(|text| text.galley.text()).collect();
            assert_eq!(shown, [text]);
        }
        let (config, walk) = scene(TrajectoryConfig::hide_annotations);
        assert!(shapes(&config, &walk, &view(), 5.0).is_empty());
    }

    #[test]
    fn identities_stand_above_the_heads_of_those_who_are_there() {
        let (config, walk) = scene(|config| (config.clock, config.ids) = (false, true));
        let view = view();
        for (time, names) in [(2.0, &["ann"][..]), (8.0, &["ann", "bob"]), (13.0, &["bob"])] {
            let shapes = shapes(&config, &walk, &view, time);
            let mut shown: Vec<&str> = texts(&shapes).iter().map(|text| text.galley.text()).collect();
            shown.sort_unstable();
            assert_eq!(shown, names, "{time} s");
            for text in texts(&shapes) {
                let named = |who: &PersonRef| walk.track_of(*who).is_some_and(|track| track.id == text.galley.text());
                let who = walk.everyone().find(named).expect("of the file");
                let (instance, pose) = pick::pose_of(&walk, who, Clock::from_seconds(time)).expect("posed");
                let head = walk.characters[who.character].rest_bounds.max.y * instance.scale();
                let head = view.pixel_of(pose.position + Vec3::Y * head).expect("in view");
                let rect = text.galley.rect.translate(text.pos.to_vec2());
                assert!((rect.center().x - head.x).abs() < 2.0, "{rect:?} {head}");
                assert!((0.0..30.0).contains(&(head.y - rect.bottom())), "{rect:?} {head}");
            }
        }
    }

    #[test]
    fn a_trail_ends_below_its_person_and_is_as_long_as_asked() {
        let (config, walk) = scene(|config| (config.clock, config.trails, config.smooth) = (false, 3.0, 0.0));
        let view = view();
        let shapes = shapes(&config, &walk, &view, 4.0);
        let [Shape::Path(path)] = &shapes[..] else {
            panic!("one person is there: {shapes:?}");
        };
        for (point, x) in [(path.points.first(), 4.0), (path.points.last(), 1.0)] {
            let wanted = view.pixel_of(Vec3::new(x, 0.0, 0.0)).expect("in view");
            let point = point.expect("a point");
            assert!(
                (point.x - wanted.x).hypot(point.y - wanted.y) < 1.0,
                "{point:?} {wanted}"
            );
        }
    }

    #[test]
    fn a_legend_has_the_colours_of_clothes() {
        let colors = |color: TrajectoryColor| -> Vec<Color32> {
            let (config, walk) = scene(|config| (config.clock, config.color) = (false, color));
            let shapes = shapes(&config, &walk, &view(), 6.0);
            let fill = |shape: &Shape| match shape {
                Shape::Rect(rect) => Some(rect.fill),
                Shape::Circle(circle) => Some(circle.fill),
                _ => None,
            };
            shapes.iter().filter_map(fill).collect()
        };
        // Both walk along x: direction 0.
        let [r, g, b] = crate::scene::track_color(TrajectoryColor::Destination, 0.0);
        assert!(colors(TrajectoryColor::Destination).contains(&Color32::from_rgb(r, g, b)));
        assert_eq!(
            colors(TrajectoryColor::Speed).len(),
            65,
            "a shade and the steps of the bar"
        );
        assert!(colors(TrajectoryColor::None).is_empty() && colors(TrajectoryColor::Id).is_empty());
    }

    #[test]
    fn times_are_minutes_and_seconds() {
        assert_eq!([0.0, 59.96, 754.25].map(minutes), ["0:00.0", "1:00.0", "12:34.3"]);
    }
}
