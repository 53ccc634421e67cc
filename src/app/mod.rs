//! The window: the crowd with a panel beside it, or one picture where there is no display.

mod character;
mod compare;
mod loader;
mod panel;
pub mod person;
mod presenter;
#[cfg(debug_assertions)]
mod shader_reload;
mod software_defaults;
mod state;
mod stress;
mod window;

use std::{panic, time::Instant};

use winit::event_loop::EventLoop;

use crate::{
    app::{state::AppState, window::App},
    cli::{ShotArgs, ViewArgs, inputs::say, shot},
};

/// Opens the window and stays until it is closed; without a display draws one picture instead.
///
/// # Errors
/// A faulty scene or character, or no adapter that can draw it.
pub fn run(args: &ViewArgs) -> anyhow::Result<u8> {
    let begun = Instant::now();
    let state = AppState::new(args)?;
    let event_loop = match event_loop() {
        Ok(event_loop) => event_loop,
        Err(reason) => return without_display(args, &reason),
    };
    let mut app = App::new(state, args.scene.adapter(), begun)?;
    event_loop.run_app(&mut app)?;
    app.failure.map_or(Ok(0), Err)
}

/// The connection to the display, or why there is none.
fn event_loop() -> Result<EventLoop<()>, String> {
    let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    if cfg!(all(unix, not(target_vendor = "apple"))) && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".into());
    }
    // winit panics where a keyboard library is missing.
    let made = panic::catch_unwind(EventLoop::new).map_err(|_| "display libraries are missing".to_owned())?;
    // winit's own words name a line of its source.
    made.map_err(|_| {
        let display = ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().find(|name| set(name));
        let named = |name| {
            std::env::var_os(name)
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        format!(
            "cannot connect to the display {}",
            display.map_or_else(String::new, named)
        )
    })
}

fn without_display(args: &ViewArgs, reason: &str) -> anyhow::Result<u8> {
    say(&format!(
        "no display ({reason}): rendering one picture without a window\n"
    ))?;
    let shot = ShotArgs {
        models: args.models.clone(),
        output: "throng.png".into(),
        scene: args.scene.clone(),
        ..ShotArgs::default()
    };
    shot::run(&shot).map(|()| 0)
}
