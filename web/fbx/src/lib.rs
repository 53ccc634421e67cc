//! Converts FBX for the page, whose program opens the result. A file of its own, since few visitors need it.

mod c_heap;
mod c_library;

use throng::file::{Source, fbx::ConvertedScene};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Reports panics on the console: the page reads them as a file that cannot be converted.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}

/// An FBX file as a GLB.
#[wasm_bindgen]
pub struct Converted(ConvertedScene);

#[wasm_bindgen]
impl Converted {
    /// Converts a file that holds everything itself.
    ///
    /// # Errors
    /// One line for the visitor: what is wrong, and how to fix it.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, bytes: &[u8]) -> Result<Converted, JsError> {
        let source = Source {
            name,
            bytes,
            base: None,
        };
        Ok(Self(ConvertedScene::read(&source)?))
    }

    /// The GLB; later calls get none.
    #[must_use]
    pub fn glb(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0.glb)
    }

    /// What was changed or left out, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }
}
