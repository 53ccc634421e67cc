//! Hot reload of shaders, in debug builds: the window draws with every change of the checkout's shaders without a
//! restart. A shader that does not compile gives a notice.

use std::sync::Arc;

use crate::{
    app::{compare::second_renderer::SecondRenderer, state::notices::Notices},
    gpu::{Gpu, GpuError, ShaderSources, ShaderWatch},
    render::Renderer,
};

/// Watches the shader folder, if there is one.
pub(super) struct ShaderReload {
    watch: Option<ShaderWatch>,
    /// Error shown last; it is removed once fixed.
    failure: Option<String>,
}

impl ShaderReload {
    /// Watches the folder that `THRONG_SHADERS` names, else that of the checkout.
    pub(super) fn of_checkout() -> Self {
        Self {
            watch: ShaderWatch::of_checkout(),
            failure: None,
        }
    }

    /// Reloads changed shaders if all of them compile; otherwise keeps the previous pipelines.
    pub(super) fn follow(
        &mut self,
        gpu: &Gpu,
        left: &mut Renderer,
        right: Option<&mut SecondRenderer>,
        notices: &mut Notices,
    ) {
        let Some(sources) = self.watch.as_mut().and_then(ShaderWatch::poll) else {
            return;
        };
        let taken = sources.and_then(|sources| take_over(gpu, sources, left, right));
        if let Some(before) = self.failure.take() {
            notices.dismiss(&before);
        }
        match taken {
            Ok(false) => {}
            Ok(true) => {
                tracing::info!("shaders reloaded");
                notices.tell("shaders reloaded");
            }
            Err(error) => {
                tracing::error!("shaders stay as they were: {error}");
                let text = format!("shaders stay as they were: {error}");
                // Notices are one line; the same text is needed to dismiss it.
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                notices.fail(text.clone());
                self.failure = Some(text);
            }
        }
    }
}

/// Rebuilds the pipelines; true if the sources differ from the previous ones.
fn take_over(
    gpu: &Gpu,
    sources: ShaderSources,
    left: &mut Renderer,
    right: Option<&mut SecondRenderer>,
) -> Result<bool, GpuError> {
    if *gpu.shaders() == sources {
        return Ok(false);
    }
    let before = gpu.replace_shaders(Arc::new(sources));
    gpu.forget_pipelines();
    let rebuilt = left.rebuild_pipelines(gpu).and_then(|()| match right {
        Some(right) => right.rebuild_pipelines(gpu),
        None => Ok(()),
    });
    if rebuilt.is_err() {
        gpu.replace_shaders(before);
        // The left side may already have the new shaders when the right one fails.
        left.rebuild_pipelines(gpu)?;
    }
    rebuilt.map(|()| true)
}
