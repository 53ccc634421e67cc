//! Options of the camera: a view by name, or two points.

use clap::Args;

use crate::config::{Config, ConfigError, ViewConfig, parse::parse_point};

/// Options of the camera, shared by all commands that draw.
#[derive(Args, Debug, Clone, Default)]
pub struct CameraArgs {
    /// Camera view: overview, street, close, top, plan (straight down, nearly without perspective), or a view of the
    /// scene.
    #[arg(long, value_name = "NAME")]
    pub camera: Option<String>,
    /// Position of the camera in metres, instead of a view; with --look-at.
    #[arg(long, value_parser = parse_point, value_name = "X,Y,Z", requires = "look_at", conflicts_with = "camera",
        allow_hyphen_values = true)]
    pub eye: Option<[f32; 3]>,
    /// Point in metres that the camera looks at; with --eye.
    #[arg(long, value_parser = parse_point, value_name = "X,Y,Z", requires = "eye", allow_hyphen_values = true)]
    pub look_at: Option<[f32; 3]>,
}

impl CameraArgs {
    /// Sets the view that the options ask for.
    pub(super) fn apply(&self, config: &mut Config) -> Result<(), ConfigError> {
        if let Some(camera) = &self.camera {
            config.camera.start.clone_from(camera);
        }
        if let Some((eye, target)) = self.eye.zip(self.look_at) {
            let time = None;
            config.start_with(ViewConfig { eye, target, time });
            config.consistent("--eye, --look-at")?;
        }
        Ok(())
    }
}
