//! The crowd on a page: what `page/` calls. All drawing is the library's.

mod character;
mod cpp_heap;
mod look;
mod own_scene;
mod presets;
mod screen;
mod times;
mod viewer;

pub use own_scene::OwnScene;
pub use viewer::Viewer;

use presets::preset;
use throng::config::Config;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Reports panics on the console: the page stops at them, and says so.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}

/// Names of the scenes, in the order in which to list them.
#[wasm_bindgen]
#[must_use]
pub fn scenes() -> Vec<String> {
    Config::preset_names().map(str::to_owned).collect()
}

/// Number of people of a scene; 0 if there is no such scene.
#[wasm_bindgen]
#[must_use]
pub fn people_of(scene: &str) -> u32 {
    preset(scene).map_or(0, |config| config.scene.count)
}

/// One sentence about a scene; empty if there is no such scene.
#[wasm_bindgen]
#[must_use]
pub fn caption_of(scene: &str) -> String {
    preset(scene).map_or_else(|_| String::new(), |config| config.scene.caption)
}
